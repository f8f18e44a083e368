"""Partitions hold what one reading holds: at every size, with both engines, whatever the log."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from zipfile import ZipFile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssift
from ssift.partitioning import ROWS
from tests.agreement.logs import MAKERS
from tests.conftest import ENGINES
from tests.containers.wrapping import aiperf
from tests.faces.logs import ANSWER, BROKEN, DONE, answer, chunk, event
from tests.need import need_module
from tests.partitions.together import rows, together

SIZES = (1 << 10, 3000, 10_000, 64 << 10)


def whole(path: Path, **options: object) -> dict[str, list[tuple[object, ...]]]:
    return rows([ssift.read(path, threads=1, **options)])  # type: ignore[arg-type]


def made_up(random: Random) -> bytes:
    """Streams that interleave, drift, break off and are damaged, with enough whole ones between to be cut."""
    kinds = random.choice((("sse", "regular"), ("regular",), ("sse",), ("jsonl",)))
    parts = [MAKERS[random.choice(kinds)](random) for _ in range(random.randint(2, 12))]
    if kinds == ("jsonl",):
        return b"\n".join(parts)
    return random.choice((b"", b"\n\n", DONE)).join(parts)


@pytest.mark.parametrize("name", ENGINES)
@settings(max_examples=60)
@given(
    random=st.randoms(use_true_random=False),
    size=st.sampled_from((1, 300, *SIZES)),
    group=st.sampled_from(("auto", "auto", "id", "done")),
    limits=st.sampled_from((ssift.Limits(), ssift.Limits(), ssift.Limits(open_responses=1), ssift.Limits(500, 7, 2))),
)
def test_made_up_logs(name, tmp_path_factory, random, size, group, limits):  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("log") / "a.sse"
    path.write_bytes(made_up(random))
    options = {"engine": name, "group": group, "limits": limits}
    divided = ssift.partitions(path, size, **options)
    assert together(divided, random.choice((None, 777))) == whole(path, **options)


@pytest.fixture(scope="module")
def styled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A log of each style that bench/replay.py knows, as servers write them."""
    import replay

    folder = tmp_path_factory.mktemp("styles")
    found = {}
    for style in replay.STYLES:
        found[style] = folder / f"{style}.sse"
        found[style].write_bytes(b"".join(replay.make(style, 60_000, seed)[0] for seed in (3, 4)))
    return found


@pytest.mark.parametrize("size", SIZES)
def test_every_style(engine: str, styled: dict[str, Path], size: int) -> None:
    for style, path in styled.items():
        divided = ssift.partitions(path, size, engine=engine)
        assert together(divided) == whole(path, engine=engine), style
        assert len(divided) > 1 or size > 10_000, style


def log_of(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def part(identity: str, text: str | None = None, finish: str | None = None, **delta: str) -> bytes:
    """One event of a response."""
    return event(chunk({**delta, **({} if text is None else {"content": text})}, finish, id=identity))


def test_a_response_that_goes_on_behind_others_is_not_cut(tmp_path: Path) -> None:
    first, last = part("long", role="assistant"), part("long", "far away", "stop")
    path = log_of(tmp_path / "a.sse", ANSWER, first, *(answer(f"r{n}", "abc") for n in range(20)), last, DONE, ANSWER)
    divided = ssift.partitions(path, 1000)
    begin = len(ANSWER)
    end = path.read_bytes().index(last) + len(last) + len(DONE)
    assert not [one.start for one in divided if begin < one.start < end]
    assert len(divided) == 3
    assert together(divided) == whole(path)


def test_a_response_whose_client_went_away_stops_no_cut(tmp_path: Path) -> None:
    path = log_of(tmp_path / "a.sse", part("gone", "x", role="assistant"), *(answer(f"r{n}", "abc") for n in range(20)))
    divided = ssift.partitions(path, 1000)
    assert len(divided) > 10
    assert together(divided) == whole(path)


def test_a_problem_that_names_an_open_response_is_not_cut_from_it(tmp_path: Path) -> None:
    answers = [answer(f"r{n}", "abc") for n in range(20)]
    path = log_of(tmp_path / "a.sse", part("gone", "x", role="assistant"), *answers, BROKEN, *answers)
    divided = ssift.partitions(path, 1000)
    assert together(divided) == whole(path)
    assert ssift.read(path).problems["response"].tolist() == [0]
    assert divided[1].start > path.read_bytes().index(BROKEN)


def test_what_is_wrong_only_in_a_wanted_table_moves_borders(tmp_path: Path) -> None:
    """Without ``choices`` the second chunk is read, and owns the first; with it, it is a problem."""
    wrong = event({"id": "", "choices": [{"index": 0, "delta": {"role": "assistant", "content": 3}}]})
    parts = [part("", "a", role="assistant"), *(answer(f"r{n}", "abc") for n in range(9)), wrong, ANSWER, ANSWER]
    path = log_of(tmp_path / "a.sse", *parts)
    for tables in (("responses",), ("responses", "choices")):
        divided = ssift.partitions(path, 1, tables=tables)
        assert together(divided) == whole(path, tables=tables)


def test_lines_and_offsets_count_over_the_source(tmp_path: Path) -> None:
    parts = [*(answer(f"r{n}", "abc") for n in range(9)), BROKEN, *(answer(f"s{n}", "abc") for n in range(9)), BROKEN]
    for end in (b"\n", b"\r\n", b"\r"):
        path = tmp_path / "a.sse"
        path.write_bytes(b"\xef\xbb\xbf\0\0" + b"".join(parts).replace(b"\n", end))
        divided = ssift.partitions(path, 1 << 10)
        assert len(divided) > 8
        assert together(divided) == whole(path)


def test_numbers_are_unique_and_the_same_in_every_run(tmp_path: Path) -> None:
    log_of(tmp_path / "a.sse", *(answer(f"r{n}", "abc") for n in range(40)))
    for copy in "bcd":
        log_of(tmp_path / f"{copy}.sse", ANSWER)
    runs = [[ssift.read_partition(one) for one in ssift.partitions(tmp_path, 2000)] for _ in range(2)]
    for table, column in (("responses", "response"), ("chunks", "chunk"), ("top_logprobs", "token_row")):
        numbers = [[int(number) for log in run for number in log[table][column]] for run in runs]
        assert numbers[0] == numbers[1] == sorted(numbers[0])
    numbers = [int(number) for log in runs[0] for number in log.responses["response"]]
    assert len(set(numbers)) == len(numbers) == 43
    assert numbers[-1] >= ROWS


def test_sources_are_counted_once_and_their_bytes_add_up(tmp_path: Path) -> None:
    path = log_of(tmp_path / "a.sse", b"\xef\xbb\xbf", *(answer(f"r{n}", "abc") for n in range(40)), BROKEN)
    summary = ssift.Summary(by="model")
    for one in reversed(ssift.partitions(path, 2000)):
        summary += ssift.summarize(ssift.read_partition(one), by="model")
    assert summary == ssift.summarize(path, by="model")
    assert summary.counts["sources"] == 1
    assert sum(summary.account.values()) == path.stat().st_size


def test_compressed_files_and_containers_are_whole(tmp_path: Path) -> None:
    body = b"".join(answer(f"r{n}", "abc") for n in range(40))
    (tmp_path / "a.sse.gz").write_bytes(gzip.compress(body, 0))
    (tmp_path / "b.sse.bz2").write_bytes(bz2.compress(body * 9))
    (tmp_path / "c.jsonl").write_bytes(aiperf(body, body))
    (tmp_path / "d.sse").write_bytes(body.decode().encode("utf-16"))
    divided = ssift.partitions(tmp_path, 1000)
    assert [one.stop for one in divided] == [None] * 4
    assert together(divided) == whole(tmp_path)


def test_small_files_share_a_partition(tmp_path: Path) -> None:
    for number in range(10):
        log_of(tmp_path / f"{number}.sse", answer(f"r{number}", "abc"))
    size = (tmp_path / "0.sse").stat().st_size
    divided = ssift.partitions(tmp_path, 3 * size)
    assert [len(one.sources) for one in divided] == [3, 3, 3, 1]
    assert together(divided) == whole(tmp_path)


def test_what_is_wanted_goes_with_the_partition(tmp_path: Path) -> None:
    path = log_of(tmp_path / "a.sse", *(answer(f"r{n}", "abc", model="ab"[n % 2]) for n in range(40)))
    divided = ssift.partitions(path, 2000, columns=["tokens.token"], where={"model": "a"})
    logs = [ssift.read_partition(one) for one in pickle.loads(pickle.dumps(divided))]
    assert {log.tables for log in logs} == {("tokens", "problems")}
    assert [token for log in logs for token in log.tokens["token"]] == list("abc" * 20)


def test_files_are_looked_through_where_map_says(tmp_path: Path) -> None:
    for name in "ab":
        log_of(tmp_path / name, *(answer(f"r{n}", "abc") for n in range(40)))
    with ThreadPoolExecutor(2) as pool:
        there = ssift.partitions(tmp_path, 2000, map=pool.map)
    here = ssift.partitions(tmp_path, 2000)
    assert [(one.start, one.stop) for one in there] == [(one.start, one.stop) for one in here]
    assert len(here) > 10


def test_urls_are_divided_too(tmp_path: Path) -> None:
    """Each by its own name, and a file in an archive by that of the archive too."""
    fsspec = need_module("fsspec")
    body = b"".join(answer(f"r{n}", "abc") for n in range(40))
    for name in ("a", "b[1]", "c#d"):
        fsspec.filesystem("memory").pipe(f"/partitions/{name}.sse", body)
    with ZipFile(tmp_path / "logs.zip", "w") as archive:
        archive.writestr("a.sse", body)
        archive.writestr("b.sse", body)
    for url in ("memory://partitions/a.sse", "memory://partitions", f"zip://*.sse::file://{tmp_path}/logs.zip"):
        divided = ssift.partitions(url, 2000)
        assert len(divided) > 10
        assert together(divided) == whole(url)  # type: ignore[arg-type]


def test_a_file_that_shrank_is_told(tmp_path: Path) -> None:
    path = log_of(tmp_path / "a.sse", *(answer(f"r{n}", "abc") for n in range(40)))
    last = ssift.partitions(path, 2000)[-1]
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ssift.ReadError, match="shorter since it was divided"):
        ssift.read_partition(last)
    unread: dict[str, str] = {}
    assert sum(len(log.tokens) for log in ssift.scan_partition(last, unread=unread)) > 0
    assert list(unread) == [str(path)]


def test_what_is_written_while_a_file_is_divided_is_left_out(tmp_path: Path) -> None:
    answers = b"".join(answer(f"r{n}", "abc") for n in range(40))
    path = log_of(tmp_path / "a.sse", answers)
    before = whole(path)

    def late(work, items):  # type: ignore[no-untyped-def]
        path.write_bytes(answers + b"".join(answer(f"s{n}", "abc") for n in range(40)))
        return map(work, items)

    divided = ssift.partitions(path, 2000, map=late)
    assert divided[-1].stop == len(answers)
    assert together(divided) == before


def test_files_that_are_not_there_are_noted_where_that_is_asked_for(tmp_path: Path) -> None:
    """Those a list names, and those that go away before they are divided."""
    for name in "abc":
        log_of(tmp_path / name, *(answer(f"r{n}", "abc") for n in range(40)))

    def late(work, items):  # type: ignore[no-untyped-def]
        (tmp_path / "b").unlink()
        return map(work, items)

    unread: dict[str, str] = {}
    divided = ssift.partitions([tmp_path, tmp_path / "nothing"], 2000, map=late, unread=unread)
    assert together(divided) == whole(tmp_path)
    assert {name: reason.endswith("no such file or folder") for name, reason in unread.items()} == {
        str(tmp_path / "b"): True,
        str(tmp_path / "nothing"): True,
    }
    for missing in ([tmp_path / "nothing"], [tmp_path, tmp_path / "nothing"]):
        with pytest.raises(ssift.NotFoundError, match="nothing"):
            ssift.partitions(missing, unread={} if len(missing) == 1 else None)


@pytest.mark.parametrize("size", [2000, "1GB"])
def test_reading_that_breaks_off_is_noted_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int | str
) -> None:
    for name in "abc":
        log_of(tmp_path / name, *(answer(f"{name}{n}", "abc") for n in range(40)))
    divided = ssift.partitions(tmp_path, size)
    first = len(answer("b0", "abc"))
    read_into = io.FileIO.readinto

    def breaking(file: io.FileIO, buffer: memoryview) -> int | None:
        """The disk gives no more of b than its first response."""
        if not str(file.name).endswith("b"):
            return read_into(file, buffer)
        if file.tell() >= first:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read_into(file, buffer[:first])

    monkeypatch.setattr("ssift.sources.source.io.FileIO", type("Disk", (io.FileIO,), {"readinto": breaking}))
    unread: dict[str, str] = {}
    found = [log for part in divided for log in ssift.scan_partition(part, unread=unread)]
    ids = [name for log in found for name in log.responses["id"]]
    assert ids == [*(f"a{n}" for n in range(40)), "b0", *(f"c{n}" for n in range(40))]
    assert list(unread) == [str(tmp_path / "b")]
    assert "reading broke off" in unread[str(tmp_path / "b")]
    with pytest.raises(ssift.ReadError, match="reading broke off"):
        list(map(ssift.read_partition, divided))


def test_names_that_look_like_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("-", "~home", "a[1]*.sse", "b #c?.sse", os.fsdecode(b"\xff.sse")):
        log_of(tmp_path / name, *(answer(f"r{n}", "abc") for n in range(9)))
    monkeypatch.chdir(tmp_path)
    here = whole("*")  # type: ignore[arg-type]
    assert len(here["responses"]) == 45
    for size in (1000, "1GB"):
        divided = pickle.loads(pickle.dumps(ssift.partitions("*", size)))
        with monkeypatch.context() as elsewhere:
            elsewhere.chdir("/")
            assert together(divided) == here


def test_the_first_problem_raises_where_it_is_asked_for(tmp_path: Path) -> None:
    path = log_of(tmp_path / "a.sse", *(answer(f"r{n}", "abc") for n in range(40)), BROKEN, ANSWER)
    divided = ssift.partitions(path, 2000, errors="raise")
    assert len(ssift.read_partition(divided[0]).responses)
    place = path.read_bytes().index(BROKEN)
    (bad,) = (one for one in divided if one.start <= place < one.start + (one.size or 0))
    with pytest.raises(ssift.ProblemError, match="not valid JSON"):
        ssift.read_partition(bad)


@pytest.mark.parametrize("what", [ANSWER, [ANSWER]])
def test_only_what_has_a_name_can_be_divided(what: object) -> None:
    with pytest.raises(TypeError, match="only files and URLs"):
        ssift.partitions(what)  # type: ignore[arg-type]


def test_memory_of_borders_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is given up makes partitions larger, and nothing else."""
    from ssift import borders

    monkeypatch.setattr(borders, "_MANY", 3)
    monkeypatch.setattr(borders, "_TAKE", 500)
    monkeypatch.setattr(borders, "WINDOW", 700)
    path = log_of(tmp_path / "a.sse", *(answer(f"r{n}", "abc") for n in range(60)))
    divided = ssift.partitions(path, 9000)
    assert 2 < len(divided) <= 7
    assert together(divided) == whole(path)

"""read and scan: arguments, batches, sources, progress."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssift
from ssift.contract import TABLES
from ssift.reading import parse_size
from tests.faces.logs import ANSWER, BROKEN, CUT, answer

MANY = b"".join(answer(f"r{number}", "some words") for number in range(40))


def rows_of(logs: list[ssift.Log]) -> dict[str, dict[str, list[object]]]:
    """All rows of all batches, those of responses in their order."""
    found = {}
    for table in TABLES:
        rows = [row for log in logs for row in log[table].rows()]
        if rows and table in ("responses", "choices", "tool_calls"):
            rows.sort(key=lambda row: row["response"])
        found[table] = {name: [row[name] for row in rows] for name in logs[0][table]}
    return found


@pytest.mark.parametrize("batch_size", [1, 7, 300, 5000, "64MB"])
def test_batches_add_up_to_the_whole(engine: str, batch_size: int | str) -> None:
    many = MANY[:2500] if batch_size in (1, 7) else MANY
    sources = [ANSWER + BROKEN, many, b"", b": nothing\n", CUT]
    whole = ssift.read(sources, engine=engine)
    batches = list(ssift.scan(sources, engine=engine, batch_size=batch_size))
    assert rows_of(batches) == rows_of([whole])
    assert [source for log in batches for source in log.sources] == list(whole.sources)
    for name in ("chunks", "tokens", "top_logprobs"):
        assert sum(log.totals[name] for log in batches) == whole.totals[name]
    if batch_size == 300:
        assert len(batches) > 20


def test_a_batch_counts_rows_over_the_whole_call(engine: str) -> None:
    batches = list(ssift.scan(MANY, engine=engine, batch_size=1000))
    assert len(batches) > 5
    seen = 0
    for log in batches:
        assert log.chunks["chunk"].tolist() == list(range(seen, seen + len(log.chunks)))
        assert log.first["chunks"] == seen
        seen += len(log.chunks)


def test_a_scan_is_lazy_but_looks_at_its_arguments_at_once() -> None:
    with pytest.raises(ssift.NotFoundError):
        ssift.scan("nowhere/at/all")
    with pytest.raises(ValueError, match="batch"):
        ssift.scan(b"", batch_size="64 parsecs batch")

    def endless() -> Iterator[bytes]:
        while True:
            yield MANY

    batch = next(ssift.scan(endless(), batch_size=len(MANY)))
    assert len(batch.responses) == 40


@pytest.mark.parametrize(
    "wrong",
    [
        {"tables": ("token",)},
        {"group": "auto-ish"},
        {"errors": "ignore"},
        {"threads": 0},
    ],
)
def test_wrong_arguments_are_value_errors(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ssift.read(b"", **wrong)


def test_one_table_may_be_named_without_a_tuple(engine: str) -> None:
    assert ssift.read(ANSWER, tables="tokens", engine=engine).tables == ("tokens", "problems")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64MB", 64_000_000),
        ("64MiB", 64 << 20),
        ("1.5 kB", 1500),
        ("10", 10),
        (10, 10),
        ("2g", 2 * 10**9),
        ("1KiB", 1024),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1", "1XB", "0", 0, "1e3"])
def test_what_is_no_size(text: str | int) -> None:
    with pytest.raises(ValueError, match="size"):
        parse_size(text)


def test_every_kind_of_source_gives_the_same(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "a.sse"
    path.write_bytes(MANY)
    packed = tmp_path / "a.sse.gz"
    packed.write_bytes(gzip.compress(MANY))
    expected = rows_of([ssift.read(MANY, engine=engine)])
    cuts = [MANY[start : start + 777] for start in range(0, len(MANY), 777)]
    with path.open("rb") as file, gzip.open(packed) as unpacked:
        sources = [
            bytearray(MANY), memoryview(MANY), path, str(path), packed, [path], file, unpacked, io.BytesIO(MANY),
            iter(cuts), iter([path]), tmp_path.glob("*.sse"), str(tmp_path / "*.sse"),
        ]  # fmt: skip
        for source in sources:
            log = ssift.read(source, engine=engine)
            found = rows_of([log])
            for table in ("responses", "problems"):
                found[table]["source"] = [""] * len(found[table]["source"])
            assert found == expected, source
            assert log.sources[0].bytes == len(MANY)


def test_small_pieces_and_empty_ones_change_nothing(engine: str) -> None:
    source = b"\xef\xbb\xbf" + ANSWER + BROKEN + CUT
    whole = ssift.read(source, engine=engine)
    pieces = [piece for octet in source for piece in (bytes([octet]), b"")]
    cut = ssift.read(iter(pieces), engine=engine)
    assert rows_of([cut]) == rows_of([whole])
    assert cut.sources == whole.sources


def test_several_sources_have_their_names_and_accounts(engine: str, tmp_path: Path) -> None:
    for name, data in (("b.sse", ANSWER), ("a.sse", BROKEN), ("sub/c.sse", CUT)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    log = ssift.read(tmp_path, engine=engine)
    names = [str(tmp_path / name) for name in ("a.sse", "b.sse", "sub/c.sse")]
    assert [source.name for source in log.sources] == names
    assert log.responses["source"].to_pylist() == [names[1]]
    assert log.problems["source"].to_pylist() == [names[0], names[2]]
    assert log.problems["kind"].to_pylist() == ["json", "truncated"]
    for source in log.sources:
        assert source.bytes == sum(source.account.values()) == Path(source.name).stat().st_size


def test_progress_counts_stored_bytes(engine: str, tmp_path: Path) -> None:
    packed = tmp_path / "a.sse.gz"
    packed.write_bytes(gzip.compress(MANY))
    calls: list[tuple[int, int | None]] = []
    ssift.read([packed, MANY], engine=engine, progress=lambda done, total: calls.append((done, total)))
    total = packed.stat().st_size + len(MANY)
    assert calls[-1] == (total, total)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    calls.clear()
    ssift.read(iter([MANY]), engine=engine, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(len(MANY), None)]


def test_a_bar_is_only_drawn_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    ssift.read(MANY, progress=True)
    assert capsys.readouterr() == ("", "")


def test_limits_are_passed_on(engine: str) -> None:
    log = ssift.read(ANSWER, engine=engine, limits=ssift.Limits(event_bytes=200))
    assert set(log.problems["kind"].to_pylist()) == {"too_long"}


@pytest.mark.parametrize("name", ["event_bytes", "depth", "open_responses"])
@pytest.mark.parametrize("value", [0, -1, 1 << 62, True, 1.0, "1", None])
def test_limits_are_positive_ints(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{name}={value!r}: a limit is an int from 1 to 2\*\*62 - 1$"):
        ssift.Limits(**{name: value})
    for fine in (1, (1 << 62) - 1):
        assert getattr(ssift.Limits(**{name: fine}), name) == fine


def test_grouping_is_passed_on(engine: str) -> None:
    two = answer("r1", "a") + answer("r1", "b")
    assert len(ssift.read(two, engine=engine).responses) == 2
    assert len(ssift.read(two, engine=engine, group="id").responses) == 1


def test_a_read_that_breaks_off_says_where(engine: str) -> None:
    class Breaks(io.RawIOBase):
        name = "wire"
        left = 3

        def readinto(self, buffer: bytearray) -> int:
            self.left -= 1
            if not self.left:
                raise OSError(5, "Input/output error")
            buffer[: len(ANSWER)] = ANSWER
            return len(ANSWER)

    with pytest.raises(ssift.ReadError, match=rf"wire: reading broke off after {2 * len(ANSWER)} bytes: Input/output"):
        ssift.read(Breaks(), engine=engine)

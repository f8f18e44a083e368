"""Several threads give what one gives: the same rows in the same order, and the same counts of sources."""

from __future__ import annotations

import threading
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest

import ssift
from ssift import reading
from tests.agreement.logs import MAKERS
from tests.containers.wrapping import aiperf, har
from tests.faces.logs import BROKEN, DONE, answer
from tests.need import need
from tests.partitions.together import rows


@pytest.fixture(autouse=True)
def native(monkeypatch: pytest.MonkeyPatch) -> None:
    """The native engine, and parts of any size worth a thread."""
    need(find_spec("ssift._native"), "the native engine")
    monkeypatch.setenv("SSIFT_ENGINE", "native")
    monkeypatch.setattr(reading, "_PART", 1)


def made_up(random: Random, streams: int) -> bytes:
    return DONE.join(MAKERS[random.choice(("sse", "regular"))](random) for _ in range(streams))


def sources(logs: list[ssift.Log]) -> list[ssift.SourceInfo]:
    return [source for log in logs for source in log.sources]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [100, 1000])
def test_scan(seed: int, size: int) -> None:
    data = made_up(Random(seed), 12)
    one = list(ssift.scan(data, threads=1, batch_size=size))
    three = list(ssift.scan(data, threads=3, batch_size=size))
    assert rows(three) == rows(one)
    assert sources(three) == sources(one)
    assert [log.first["tokens"] for log in three[1:]] == list(np.cumsum([log.totals["tokens"] for log in three[:-1]]))


def test_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_LARGEST_PART", 2000)
    data = b"\xef\xbb\xbf" + made_up(Random(5), 60)
    one, three = ssift.read(data, threads=1), ssift.read(data, threads=3)
    assert rows([three]) == rows([one])
    assert three.sources == one.sources
    assert len(three.responses) > 50


def test_sources_of_all_kinds(tmp_path: Path) -> None:
    random = Random(6)
    for number in range(4):
        (tmp_path / f"{number}.sse").write_bytes(made_up(random, 8) + BROKEN * (number % 2))
    (tmp_path / "4.jsonl").write_bytes(b"\n".join(b'{"id":"a%d","choices":[]}' % number for number in range(99)))
    (tmp_path / "5.json").write_bytes(b'{"id":"x","choices":[{"message":{"content":"whole"}}]}')
    (tmp_path / "6.sse").write_bytes(b"")
    what = [tmp_path, made_up(random, 9), tmp_path / "1.sse"]
    one = list(ssift.scan(what, threads=1, batch_size=700))
    three = list(ssift.scan(what, threads=3, batch_size=700))
    assert rows(three) == rows(one)
    assert sources(three) == sources(one)


def test_interleaved_responses_are_read_by_one_thread_after_all() -> None:
    """There is always a response open: no part can be read by itself."""
    chunk = b'data: {"id":"%s","choices":[{"index":0,"delta":{"content":"%d"}}]}\n\n'
    data = b"".join(chunk % (b"ab"[n % 2 : n % 2 + 1], n) + DONE * (n % 7 == 0) for n in range(500))
    one, four = (list(ssift.scan(data, threads=threads, batch_size=500)) for threads in (1, 4))
    assert rows(four) == rows(one)


def test_lines_of_problems_count_over_parts() -> None:
    response = b'data: {"id":"a","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n' + DONE
    data = (response * 5 + BROKEN) * 20
    logs = list(ssift.scan(data, threads=3, batch_size=300))
    assert [row for log in logs for row in log.problems["line"].tolist()] == [21 + 22 * number for number in range(20)]


def test_an_error_comes_behind_what_stands_before_it(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sse", tmp_path / "later.sse"
    good.write_bytes(made_up(Random(7), 20))
    bad.write_bytes(made_up(Random(8), 2))
    logs = ssift.scan([good, bad], threads=2, batch_size=300)
    bad.unlink()
    seen: list[ssift.Log] = []
    with pytest.raises(ssift.ReadError, match=r"later\.sse"):
        seen.extend(logs)
    assert sources(seen) == list(ssift.read(good).sources)


def test_a_reader_that_leaves_ends_the_threads() -> None:
    before = threading.active_count()
    logs = ssift.scan(made_up(Random(9), 50), threads=3, batch_size=100)
    next(logs)
    logs.close()
    assert threading.active_count() == before


def test_the_first_problem_is_raised() -> None:
    with pytest.raises(ssift.ProblemError, match="line 1"):
        ssift.read(BROKEN + made_up(Random(10), 30), threads=3, errors="raise")


def test_containers(tmp_path: Path) -> None:
    for number in range(6):
        bodies = [answer(f"r{number}", "abc"), answer(f"s{number}", "de") + BROKEN]
        (tmp_path / f"{number}.har").write_bytes(har(*bodies))
        (tmp_path / f"{number}.jsonl").write_bytes(aiperf(*bodies[:1]) + b"{\n" + aiperf(bodies[0]))
        (tmp_path / f"{number}.sse").write_bytes(bodies[0])
    one = list(ssift.scan(tmp_path, threads=1, batch_size=100))
    for size in (100, 2000, "1MB"):
        many = list(ssift.scan(tmp_path, threads=3, batch_size=size))
        assert rows(many) == rows(one)
        assert sources(many) == sources(one)

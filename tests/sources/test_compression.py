"""gzip: many members, padding, and files that were cut or damaged."""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path

import pytest

import ssift
from ssift.sources.compression import Gunzip
from tests.faces.logs import ANSWER, answer


def gunzip(data: bytes, size: int = 1 << 20) -> tuple[bytes, bool]:
    pieces = iter([memoryview(data[start : start + size]) for start in range(0, len(data), size)])
    unpacked = Gunzip(pieces)
    return b"".join(bytes(piece) for piece in unpacked), unpacked.damaged


NOISE = random.Random(0).randbytes(300_000)
FIRST, SECOND = gzip.compress(ANSWER), gzip.compress(NOISE)


@pytest.mark.parametrize("size", [1, 2, 7, 100_000, 1 << 20])
def test_members_follow_each_other(size: int) -> None:
    data = FIRST + gzip.compress(b"") + (SECOND if size > 2 else FIRST) + b"\0" * 700
    assert gunzip(data, size) == (ANSWER + (NOISE if size > 2 else ANSWER), False)


def test_padding_between_members_is_passed_over() -> None:
    assert gunzip(FIRST + b"\0" * 512 + FIRST) == (ANSWER * 2, False)


def test_a_large_expansion_comes_in_bounded_pieces() -> None:
    pieces = list(Gunzip(iter([memoryview(gzip.compress(b"\n" * 50_000_000))])))
    assert sum(map(len, pieces)) == 50_000_000
    assert max(map(len, pieces)) <= 4 << 20


@pytest.mark.parametrize("cut", [1, 5, 8, 9, 30, len(FIRST) - 12, len(FIRST) - 2])
def test_a_cut_file_gives_what_was_whole(cut: int) -> None:
    found, damaged = gunzip(FIRST + FIRST[:-cut])
    assert damaged
    assert found.startswith(ANSWER)
    assert ANSWER.startswith(found[len(ANSWER) :])
    if cut <= 8:  # only the check sum and the size are missing
        assert found == ANSWER * 2


def test_damage_costs_nothing_that_lies_before_it() -> None:
    packed = bytearray(gzip.compress(NOISE, compresslevel=0))
    place = 200_000
    packed[place : place + 40_000] = b"\xff" * 40_000
    found, damaged = gunzip(bytes(packed))
    assert damaged
    stored_block = 65_536
    assert len(found) >= place - 2 * stored_block
    assert found[:190_000] == NOISE[: len(found[:190_000])]


def test_a_wrong_check_sum_is_damage() -> None:
    packed = bytearray(FIRST)
    packed[-5] ^= 1
    assert gunzip(bytes(packed)) == (ANSWER, True)


def test_something_else_after_the_last_member_is_damage() -> None:
    assert gunzip(FIRST + b"trailing") == (ANSWER, True)


def test_only_a_header() -> None:
    assert gunzip(FIRST[:10]) == (b"", True)


def test_a_cut_log_is_read_and_the_problem_has_its_place(engine: str, tmp_path: Path) -> None:
    first, second = answer("a", "xy"), answer("b", "z")
    path = tmp_path / "cut.gz"
    # The end of what can be decoded is the end of the last event: only the trailer is cut.
    path.write_bytes(gzip.compress(first) + gzip.compress(second)[:-6])
    log = ssift.read(path, engine=engine)
    assert log.choices["content"].to_pylist() == ["xy", "z"]
    size = len(first + second)
    assert log.problems.to_pydict() == {
        "source": [str(path)], "offset": [size], "length": [0], "line": [1 + (first + second).count(b"\n")],
        "kind": ["compression"], "message": ["the compressed data ends early or is damaged"], "response": [None],
    }  # fmt: skip
    (source,) = log.sources
    assert (source.bytes, source.compression, sum(source.account.values())) == (size, "gzip", size)


def test_a_log_cut_inside_an_event_has_both_problems(engine: str) -> None:
    packed = zlib.compressobj(wbits=31)
    whole = packed.compress(ANSWER[:-300]) + packed.flush(zlib.Z_FULL_FLUSH)
    log = ssift.read(whole, engine=engine)
    assert log.problems["kind"].to_pylist() == ["truncated", "compression"]
    assert log.problems["offset"][-1] == len(ANSWER) - 300
    assert log.responses["status"].to_pylist() == ["truncated"]


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_line_of_a_cut_counts_every_kind_of_line_end(engine: str, ends: bytes, size: int) -> None:
    data = ANSWER.replace(b"\n", ends)
    packed = gzip.compress(data)[:-3]
    pieces = iter([packed[start : start + size] for start in range(0, len(packed), size)])
    log = ssift.read(pieces, engine=engine)
    assert log.problems["line"].tolist() == [1 + ANSWER.count(b"\n")]


@pytest.mark.parametrize(("magic", "name"), [(b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh9", "bzip2"), (b"\xfd7zXZ\0", "xz")])
def test_other_compressions_are_named_and_a_way_is_shown(magic: bytes, name: str) -> None:
    with pytest.raises(ssift.ReadError, match=rf"compressed with {name}, which is not read; use: \w+"):
        ssift.read(magic + b"....")

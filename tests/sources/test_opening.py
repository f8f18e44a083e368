"""What stands before the first line: byte-order marks, NULs, UTF-16."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator

import pytest

import ssift
from tests.faces.logs import ANSWER, BROKEN

BOM = codecs.BOM_UTF8


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return iter([data[start : start + size] for start in range(0, len(data), size)])


FRONTS = {
    "nothing": b"",
    "a mark": BOM,
    "NULs": b"\0" * 5,
    "a mark, then NULs": BOM + b"\0" * 5,
    "NULs, then a mark": b"\0" * 5 + BOM,
}


@pytest.mark.parametrize("front", FRONTS.values(), ids=FRONTS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 100_000])
def test_the_front_counts_as_blank_and_moves_offsets(engine: str, front: bytes, size: int) -> None:
    log = ssift.read(cut(front + ANSWER + BROKEN, size), engine=engine)
    plain = ssift.read(ANSWER + BROKEN, engine=engine)
    assert log.responses["offset"].tolist() == [len(front)]
    assert log.problems["offset"].tolist() == [len(front) + len(ANSWER)]
    assert log.problems["line"].tolist() == plain.problems["line"].tolist()
    (source,), (other,) = log.sources, plain.sources
    assert source.bytes == len(front) + other.bytes == sum(source.account.values())
    assert source.account["blank"] == len(front) + other.account["blank"]


def test_a_rotated_log_of_many_nuls(engine: str) -> None:
    log = ssift.read(b"\0" * 9_000_000 + ANSWER, engine=engine)
    assert log.responses["offset"].tolist() == [9_000_000]
    assert log.sources[0].framing == "sse"


@pytest.mark.parametrize("front", [b"\0" * 10, BOM, BOM + b"\0"])
def test_nothing_but_a_front_is_blank(engine: str, front: bytes) -> None:
    log = ssift.read(front, engine=engine)
    assert len(log.problems) == 0
    assert log.sources[0].account["blank"] == len(front)


def test_only_one_mark_is_dropped(engine: str) -> None:
    log = ssift.read(BOM + BOM + ANSWER, engine=engine)
    assert log.problems["kind"].to_pylist() == ["not_sse"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("size", [1, 1001, 1 << 20])
def test_utf16_is_read_like_the_same_text_in_utf8(engine: str, encoding: str, size: int) -> None:
    text = "\ufeff" + (ANSWER + BROKEN).decode() + "data: ☃😊\n\n"
    log = ssift.read(cut(text.encode(encoding), size), engine=engine)
    same = ssift.read(text.encode(), engine=engine)
    for table in log.tables:
        assert log[table].to_pydict() == same[table].to_pydict()
    assert log.sources == same.sources


@pytest.mark.parametrize("bad", [b"\x00", b"\x00\xd8a\x00"], ids=["half a unit", "a lone surrogate"])
def test_utf16_that_cannot_be_decoded_is_one_problem_over_the_whole_source(engine: str, bad: bytes) -> None:
    data = codecs.BOM_UTF16_LE + ANSWER.decode().encode("utf-16-le") + bad
    for source in (data, cut(data, 999)):
        log = ssift.read([ANSWER, source], engine=engine)
        assert len(log.responses) == 1
        assert log.problems.to_pydict() == {
            "source": [""], "offset": [0], "length": [len(data)], "line": [1], "kind": ["encoding"],
            "message": ["UTF-16 that cannot be decoded; nothing of it was read"], "response": [None],
        }  # fmt: skip
        assert log.sources[1].account["problem"] == log.sources[1].bytes == len(data)


def test_utf16_inside_gzip(engine: str) -> None:
    packed = gzip.compress(("\ufeff" + ANSWER.decode()).encode("utf-16-le"))
    log = ssift.read(packed, engine=engine)
    assert log.choices["content"].to_pylist() == ["Hi you"]


@pytest.mark.parametrize(
    "body",
    [b"<html>502</html>\n", b"hello\n" * 20_000, b"\x89PNG\r\n\x1a\n\0\0\xff\n", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"],
    ids=["html", "text", "binary", "http"],
)
def test_what_is_no_stream_says_so_once(engine: str, body: bytes) -> None:
    log = ssift.read(body, engine=engine)
    assert log.problems.to_pydict()["kind"] == ["not_sse"]
    assert (log.problems["offset"][0], log.problems["length"][0]) == (0, len(body))
    assert log.sources[0].account["problem"] + log.sources[0].account["blank"] == len(body)

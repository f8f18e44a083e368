"""Event stream, JSON lines or one JSON body: told from the first window."""

from __future__ import annotations

import json

import pytest

import ssift
from ssift.sources.framing import FIRST_WINDOW, framing, is_json
from tests.faces.logs import ANSWER, chunk

LINE = json.dumps(chunk({"content": "a"})).encode() + b"\n"
BODY = json.dumps({"choices": [{"index": 0, "message": {"content": "hi"}}]}, indent=1).encode()


@pytest.mark.parametrize(
    ("window", "found"),
    [
        (ANSWER, "sse"),
        (b"", "sse"),
        (b"\n\n", "sse"),
        (b"<html>", "sse"),
        (b": ping\n\ndata: {}\n\n", "sse"),
        (b'{"a":1}\ndata: {}\n\n', "sse"),
        (b'{"a":1}\rdata\r', "sse"),
        (b'{"a":1}\ndata', "sse"),
        (b'{"a":1}\ndatabase: 1\n', "jsonl"),
        (LINE, "jsonl"),
        (LINE * 3, "jsonl"),
        (b"\n \n" + LINE, "jsonl"),
        (b"  " + LINE, "jsonl"),
        (b"[DONE]\n", "jsonl"),
        (b"[1,2]\n[3]\n", "jsonl"),
        (b'tail of a line"}\n' + LINE, "jsonl"),
        (b"one\ntwo\n" + LINE, "sse"),
        (b": comment\n" + LINE, "jsonl"),
        (b'{"error":{"message":"no"}}', "jsonl"),
        (BODY, "json"),
        (BODY + b"\n\n", "json"),
        (b"\r\n" + BODY.replace(b"\n", b"\r\n"), "json"),
        (BODY + b"\n" + LINE, "jsonl"),
        (b'{"choices": [\n' + LINE * 2, "jsonl"),
        (b'{bad\n{"a":1}\n', "jsonl"),
        (b"[" * 5000 + b"\n" + b"]" * 5000, "json"),
        (b'{"n":\n' + b"9" * 5000 + b"}", "json"),
        (b'{"n":\nNaN, "s": "\xff"}', "json"),
    ],
)
def test_whole_sources(window: bytes, found: str) -> None:
    assert framing(window, whole=True) == found


def test_a_window_that_could_be_the_head_of_a_body_is_left_open() -> None:
    body = json.dumps([{"text": "☃" * 50}] * 2000, indent=1, ensure_ascii=False).encode()
    for end in (FIRST_WINDOW, FIRST_WINDOW + 1, FIRST_WINDOW + 2, FIRST_WINDOW + 40):
        assert framing(body[:end], whole=False) is None
    assert framing((LINE * 1000)[:FIRST_WINDOW], whole=False) == "jsonl"
    assert framing((b'{"choices": [\n' + LINE * 1000)[:FIRST_WINDOW], whole=False) == "jsonl"
    assert framing(b'{"one long line": "' + b"x" * FIRST_WINDOW, whole=False) == "jsonl"


def test_is_json_takes_what_pythons_json_takes() -> None:
    for good in (b"{}", b" [NaN, -Infinity] ", b"1", b'"\xff"', b'{"a":1,"a":2}', b"9" * 6000):
        assert is_json(good)
    for bad in (b"", b"{", b"{}{}", b'"\n"', b"[1,]", b"{'a':1}"):
        assert not is_json(bad)


def test_a_large_body_is_one_event(engine: str) -> None:
    entry = {"token": "a", "logprob": -0.5, "top_logprobs": []}
    body = {"choices": [{"index": 0, "message": {"content": "a" * 2000}, "logprobs": {"content": [entry] * 2000}}]}
    data = b" \n" + json.dumps(body, indent=2).encode()
    assert len(data) > 2 * FIRST_WINDOW
    for source in (data, iter([data[start : start + 5000] for start in range(0, len(data), 5000)])):
        log = ssift.read(source, engine=engine)
        assert log.sources[0].framing == "json"
        assert len(log.tokens) == 2000
        assert len(log.problems) == 0
        assert (log.chunks["offset"][0], log.chunks["length"][0]) == (0, len(data))


def test_a_body_with_a_fault_far_behind_is_read_as_lines(engine: str) -> None:
    data = json.dumps([{"text": "a" * 50}] * 2000, indent=1).encode() + b"\n{}\n"
    log = ssift.read(data, engine=engine)
    assert log.sources[0].framing == "jsonl"
    assert log.problems["kind"][0] == "json"


def test_lines_with_a_broken_first_line(engine: str) -> None:
    log = ssift.read(b'{"choices": [\n' + LINE * 3, engine=engine)
    assert (log.sources[0].framing, len(log.chunks)) == ("jsonl", 3)
    assert log.problems.row(0)["line"] == 1

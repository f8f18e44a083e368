"""What readers of such logs were reported to get wrong: bytes and framing, endings and errors, files.

Each input is read whole and byte by byte, plain and compressed, and gives the same. Containers have their own tests.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import ssift
from tests.faces.logs import DONE, chunk, event
from tests.sources.packing import PACK, SKIPPABLE


def d(delta: dict[str, Any] | None, finish: str | None = None, **more: Any) -> bytes:
    return event(chunk(delta, finish, **more))


def text(letters: str, finish: str | None = None) -> bytes:
    return d({"content": letters}, finish)


def raw(content: str) -> bytes:
    """A chunk as JSON with ``content`` as it stands."""
    return ('{"choices":[{"index":0,"delta":{"content":"%s"}}]}' % content).encode()


USAGE = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}}
ERROR = {"error": {"message": "TimeoutError", "type": "GatewayTimeout", "code": 504}}
END = text("", "stop")

# What is not named is empty: no texts, problems, errors, comments, nothing skipped.
CASES: dict[str, tuple[bytes, dict[str, Any]]] = {
    # ---------------------------------------------------------------------------------------------- bytes and framing
    "a character cut by a packet": (b"data: " + raw("☃") + b"\n\n", {"texts": ["☃"]}),
    "CRLF cut between CR and LF, in an event of two lines": (
        b'data: {"choices":\r\ndata: []}\r\n\r\n', {"texts": [], "events": 1},
    ),
    "all line ends, mixed": (
        b"data: " + raw("a") + b"\r\n\rdata: " + raw("b") + b"\n\r\ndata: " + raw("c") + b"\r\r",
        {"texts": ["abc"], "events": 3},
    ),
    "separators of Unicode are text": (b"data: " + raw("x\u2028y\u2029z\u0085w") + b"\n\n", {"texts": ["x\u2028y\u2029z\u0085w"]}),
    "a byte-order mark": (b"\xef\xbb\xbfdata: " + raw("a") + b"\n\n", {"texts": ["a"]}),
    "comments as signs of life": (
        b": OPENROUTER PROCESSING\n\n:\n\n" + text("a") + b": ping\n\n", {"texts": ["a"], "comments": 3, "events": 1},
    ),
    "a comment wrapped in data": (b"data: : keepalive\n\n" + text("a"), {"texts": ["a"], "skipped": 1, "events": 2}),
    "no blank behind the colon": (b"data:" + raw("a") + b"\n\ndata:[DONE]\n\n", {"texts": ["a"], "done": 1}),
    "blanks around [DONE]": (text("a") + b"data:  \t[DONE] \n\n", {"texts": ["a"], "done": 1}),
    "one JSON over several data lines": (
        b'data: {"choices":[{"index":0,\ndata: "delta":{"content":"a"}}]}\n\n', {"texts": ["a"], "events": 1},
    ),
    "data with nothing in it": (b"data\n\ndata:\n\n" + text("a"), {"texts": ["a"], "skipped": 2, "events": 3}),
    "blocks without data": (
        b"id: 7\n" + text("a") + b": ping\n\nretry: 3000\n\nevent: error\n\n" + text("b"),
        {"texts": ["ab"], "comments": 1, "events": 2},
    ),
    "names that are nearly data": (
        b" data: {}\nData: {}\ndata : {}\n" + text("a"), {"texts": ["a"], "problems": [("not_sse", 0, 29, 1)]},
    ),
    "the last event without its blank line": (text("a") + text("b")[:-1], {"texts": ["ab"], "events": 2}),
    "the last event without its line end": (text("a") + text("b")[:-2], {"texts": ["ab"], "events": 2}),
    "a large event": (b"data: " + raw("x" * 30_000) + b"\n\n", {"texts": ["x" * 30_000]}),
    "invalid UTF-8": (
        b'data: {"choices":[{"index":0,"delta":{"content":"\xe2"}}]}\n\n' + text("b"),
        {"texts": ["\ufffdb"], "problems": [("encoding", 0, 56, 1)], "events": 2},
    ),
    "no blank lines between events": (
        text("a")[:-1] + text("b")[:-1] + DONE[:-1], {"texts": ["ab"], "done": 1, "events": 3},
    ),
    "bytes that Latin-1 has as line ends": (b"data: " + raw("✅") + b"\n\n", {"texts": ["✅"]}),
    "a body that is a JSON error": (
        b'{"error":{"message":"bad key"}}', {"errors": [("bad key", None)], "status": ["errored"]},
    ),
    "a body that is a page": (b"<html>502</html>", {"problems": [("not_sse", 0, 16, 1)], "status": []}),
    "a body that was not streamed": (
        b'{"choices":[{"index":0,"message":{"content":"hi"},"finish_reason":"stop"}]}',
        {"texts": ["hi"], "finish": ["stop"], "status": ["complete"]},
    ),
    "a capture with the sizes of HTTP chunks": (
        b'9\r\ndata: {"a\r\n8\r\n":1}\r\n\r\n\r\n0\r\n\r\n',
        {"problems": [("not_sse", 0, 3, 1), ("json", 3, 11, 2), ("not_sse", 14, 9, 3), ("not_sse", 27, 3, 7)], "events": 1},
    ),
    # -------------------------------------------------------------------------------------------- endings and errors
    "finish_reason but no [DONE]": (text("a", "stop"), {"texts": ["a"], "finish": ["stop"], "status": ["complete"], "done": 0}),
    "neither finish_reason nor [DONE]": (text("a"), {"texts": ["a"], "finish": [None], "status": ["truncated"]}),
    "[DONE] without a blank line": (END + b"data: [DONE]", {"texts": [""], "done": 1, "status": ["complete"]}),
    "[DONE] with blanks behind": (END + b"data: [DONE] \r\n", {"texts": [""], "done": 1}),
    "[DONE] without a blank": (END + b"data:[DONE]\n", {"texts": [""], "done": 1}),
    "usage behind the end": (END + event(USAGE) + DONE, {"texts": [""], "usage": (3, 5, 8), "done": 1}),
    "an error in the stream": (
        text("a") + event(ERROR) + DONE,
        {"texts": ["a"], "errors": [("TimeoutError", "504")], "status": ["errored"], "done": 1},
    ),
    "an error event without an error key": (
        b'event: error\ndata: {"message":"overloaded","code":529}\n\n',
        {"errors": [("overloaded", "529")], "status": ["errored"]},
    ),
    "an error event in plain words": (
        b"event: error\ndata: Too many requests\n\n", {"errors": [("Too many requests", None)], "status": ["errored"]},
    ),
    "an error in plain words that is no error event": (
        text("a") + b"data: error: cuda oom\n\n",
        {"texts": ["a"], "problems": [("json", len(text("a")), 22, 3)], "events": 2},
    ),
    "an object that says error": (
        b'data: {"object":"error","message":"max context","type":"BadRequestError","code":400}\n\n',
        {"errors": [("max context", "400")], "status": ["errored"]},
    ),
    "an error beside a choice": (
        event({**chunk({"content": ""}, "error"), "error": {"code": 502, "message": "provider"}}),
        {"texts": [""], "finish": ["error"], "errors": [("provider", "502")], "status": ["errored"]},
    ),
    "JSON that is no object": (
        b"data: null\n\ndata: 1\n\ndata: []\n\n" + text("a"), {"texts": ["a"], "skipped": 3, "events": 4},
    ),
    "a broken event in the middle": (
        text("a") + b'data: {"choices":[{"del\n\n' + text("b", "stop"),
        {"texts": ["ab"], "problems": [("json", len(text("a")), 24, 3)], "status": ["complete"]},
    ),
    "an error without a code": (
        event({"error": {"message": "x", "code": None}}), {"errors": [("x", None)], "status": ["errored"]},
    ),
    "an error that is a word": (event({"error": "overloaded"}), {"errors": [("overloaded", None)], "status": ["errored"]}),
    # ---------------------------------------------------------------------------------------------------------- files
    "the last JSON line without its end": (
        raw("a") + b"\n" + raw("b"), {"texts": ["ab"], "events": 2},
    ),
    "the last JSON line cut": (
        raw("a") + b"\n" + raw("b")[:30], {"texts": ["a"], "problems": [("truncated", len(raw("a")) + 1, 30, 2)], "events": 1},
    ),
    "separators of Unicode in JSON lines": (raw("x\u2028y") + b"\n", {"texts": ["x\u2028y"]}),
    "a log saved on Windows": (
        (text("a", "stop") + DONE).replace(b"\n", b"\r\n"), {"texts": ["a"], "done": 1, "status": ["complete"]},
    ),
    "a JSON line larger than a window": (raw("y" * 90_000) + b"\n", {"texts": ["y" * 90_000], "events": 1}),
    "a broken JSON line": (
        raw("a") + b"\n{bad\n" + raw("b") + b"\n",
        {"texts": ["ab"], "problems": [("json", len(raw("a")) + 1, 5, 2)], "events": 3},
    ),
    "nothing is kept of one log in the next": (text("a") + DONE + text("b") + DONE, {"texts": ["a", "b"], "done": 2}),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES)
def test_what_was_reported_is_read_right(engine: str, data: bytes, expected: dict[str, Any]) -> None:
    size = 1 if len(data) < 2000 else 1024
    cut = [data[start : start + size] for start in range(0, len(data), size)]
    with_empty = [piece for part in cut for piece in (b"", part)]
    for source in (data, iter(cut), iter(with_empty), PACK["gzip"](data)):
        log = ssift.read(source, engine=engine)
        assert found(log, expected) == {
            "texts": [],
            "problems": [],
            "errors": [],
            "comments": 0,
            "skipped": 0,
            **expected,
        }
        assert sum(log.sources[0].account.values()) == log.sources[0].bytes == len(data)


def found(log: ssift.Log, expected: dict[str, Any]) -> dict[str, Any]:
    """The figures that are always compared, and those that ``expected`` names besides."""
    counts = log.sources[0].counts
    responses = list(log.responses.rows())
    figures: dict[str, Any] = {
        "texts": log.choices["content"].to_pylist(),
        "problems": [(row["kind"], row["offset"], row["length"], row["line"]) for row in log.problems.rows()],
        "errors": [(row["error_message"], row["error_code"]) for row in responses if row["error_message"] is not None],
        "comments": counts.comments,
        "skipped": counts.skipped,
    }
    more = {
        "events": counts.events,
        "done": counts.done,
        "finish": log.choices["finish_reason"].to_pylist(),
        "status": [row["status"] for row in responses],
        "usage": [(row["prompt_tokens"], row["completion_tokens"], row["total_tokens"]) for row in responses][:1],
    }
    figures |= {name: more[name] for name in expected if name in more}
    if "usage" in figures:
        (figures["usage"],) = figures["usage"]
    return figures


def test_schemas_do_not_depend_on_what_comes_late(engine: str) -> None:
    plain = [json.dumps(chunk({"content": "a"})).encode() + b"\n"] * 120
    late = json.dumps(chunk({"content": "b"}, logprobs=[{"token": "b", "logprob": -1}])).encode() + b"\n"
    without = ssift.read(b"".join(plain), engine=engine)
    with_late = ssift.read(b"".join([*plain, late]), engine=engine)
    assert len(with_late.tokens) == 1
    for table in without.tables:
        assert list(without[table]) == list(with_late[table])


def test_members_frames_and_a_skippable_frame(engine: str) -> None:
    first, second = text("a"), text("b", "stop")
    for data in (
        PACK["gzip"](first) + PACK["gzip"](second) + b"\0" * 100,
        PACK["zstd"](first) + PACK["zstd"](second) + SKIPPABLE,
    ):
        log = ssift.read(data, engine=engine)
        assert log.choices["content"].to_pylist() == ["ab"]
        assert len(log.problems) == 0


def test_a_gzip_file_that_is_still_being_written(engine: str) -> None:
    log = ssift.read(PACK["gzip"](text("a") + text("b", "stop"))[:-6], engine=engine)
    assert log.choices["content"].to_pylist() == ["ab"]
    assert log.problems["kind"].to_pylist() == ["compression"]

"""Small streams of every kind for the tests of this folder, and how to cut them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ENVELOPE = {"id": "c1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m"}


def event(**values: Any) -> bytes:
    """A chunk with these keys over those of the envelope."""
    return b"data: %b\n\n" % json.dumps({**ENVELOPE, **values}, ensure_ascii=False).encode()


def delta(said: Any, finish: str | None = None, logprobs: Any = None, index: int = 0, **values: Any) -> bytes:
    choice = {"index": index, "delta": said, "finish_reason": finish, "logprobs": logprobs}
    return event(choices=[choice], **values)


def call(*pieces: dict[str, Any]) -> bytes:
    """A delta of tool calls; ``name`` and ``args`` go into the function."""
    entries = []
    for piece in pieces:
        function = {key: piece[name] for key, name in (("name", "name"), ("arguments", "args")) if name in piece}
        entries.append({**{key: piece[key] for key in ("index", "id", "type") if key in piece}, "function": function})
    return delta({"tool_calls": entries})


def token(text: str, logprob: Any, top: list[tuple[str, float]] = [], own: list[int] | None = None) -> dict[str, Any]:  # noqa: B006
    entries = [{"token": name, "logprob": value, "bytes": None} for name, value in top]
    return {"token": text, "logprob": logprob, "bytes": own, "top_logprobs": entries}


DONE = b"data: [DONE]\n\n"
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}

TEXT = (
    delta({"role": "assistant", "content": ""})
    + delta({"content": "Hé"})
    + delta({"content": "llo ☃"})
    + delta({}, "stop")
    + DONE
)
LOGPROBS = (
    delta({"content": "a"}, None, {"content": [token("a", -0.1, [("a", -0.1), ("b", -2.5)], [97])], "refusal": None})
    + delta({"content": "b"}, "length", {"content": [token("b", 0, [("b", 0)])], "refusal": None}, usage=None)
    + event(choices=[], usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 1}, "cost": 0.5})
    + DONE
)
TOOLS = (
    call({"index": 0, "id": "a", "type": "function", "name": "f", "args": ""})
    + call({"index": 0, "args": '{"x":'})
    + call({"index": 0, "args": "1}"})
    + delta({}, "tool_calls")
    + DONE
)
EXTRAS = (
    delta(
        {"content": "x", "reasoning_content": None, "parts": [{"a": 1}]},
        "eos",
        service_tier="turbo",
        timings={"n": 1.5},
    )
    + delta({"content": "y"}, created=1.5, huge=123456789012345678901234567890)
    + event(choices=[{"index": 0}], usage={"prompt_tokens": "5", "completion_tokens": 1.0, "total_tokens": None})
    + event(choices=[{"index": "0", "delta": "x"}])
    + event(choices=None)
    + b'data: {"type":"ping"}\n\n'
)
MODERATED = event(
    choices=[],
    moderation={
        "input": {
            "type": "moderation_results",
            "model": "mod",
            "results": [
                {
                    "categories": {"hate": False},
                    "category_applied_input_types": {"hate": ["text"]},
                    "category_scores": {"hate": 0.25},
                    "flagged": False,
                    "model": "mod",
                    "type": "moderation_result",
                }
            ],
        },
        "output": {"type": "error", "code": "c", "message": "m"},
    },
)
NUMBERS = (
    b'data: {"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":NaN,'
    b'"top_logprobs":[{"token":"b","logprob":-Infinity}]}]}}],"x":1e400}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\n'
)

SOUND: dict[str, bytes] = {
    "text": TEXT,
    "logprobs": LOGPROBS,
    "tools": TOOLS,
    "extras": EXTRAS,
    "moderated": MODERATED,
    "numbers": NUMBERS,
    "crlf": TEXT.replace(b"\n", b"\r\n"),
    "no done": TEXT.removesuffix(DONE),
    "after done": TEXT + delta({"content": "no"}),
    "unterminated": TEXT.removesuffix(DONE) + delta({"content": "lost"}).rstrip(),
    "comments": b": hi\n\n:\n\n" + TEXT.replace(b"\n\n", b"\n\n: ping\n\n"),
    "several lines": b'data: {"choices":\ndata: []}\n\n' + TEXT,
    "error": delta({"content": "a"}) + b'data: {"error":{"message":"over","code":529,"type":"t","param":"p"}}\n\n',
    "error text": b'data: {"error":"boom"}\n\n',
    "no error": event(choices=[], error=None) + event(choices=[], error={}) + DONE,
    "json": delta({"content": "a"}) + b"data: {oops\n\n" + delta({"content": "b"}),
    "empty": b"",
}
"""Streams that the plain client and this package read alike."""

FAULTY: dict[str, bytes] = {
    "bom": b"\xef\xbb\xbf" + TEXT,
    "invalid utf-8": delta({"content": "a"}) + b'data: {"choices":[{"index":0,"delta":{"content":"\xe2"}}]}\n\n' + TEXT,
    "invalid comment": delta({"content": "a"}) + b": \xff\n\n" + TEXT,
    "blocks after an id": b"id: 7\n" + delta({"content": "a"}) + b": ping\n\nretry: 5\n\n" + DONE,
    "retry": b"retry:  5 \n\n" + TEXT,
    "named": b"event: x\n\n" + TEXT,
    "empty data": b"data\n\ndata:\n\n" + TEXT,
    "heartbeats": b"data: null\n\ndata: 1\n\ndata: []\n\ndata: : keepalive\n\n" + TEXT,
    "error by name": b'event: error\ndata: {"message":"overloaded","code":529}\n\n' + TEXT,
    "blank done": TEXT.replace(b"[DONE]", b" [DONE]"),
    "assistants": b"event: thread.run\n" + TEXT.replace(DONE, b'event: thread.x\ndata: {"error":"\\ud83d"}\n\n') + DONE,
    "vllm error": b'data: {"object":"error","message":"max context","code":400}\n\n' + TEXT,
}
"""Streams in which the client's decoder has faults."""


BODIES: dict[str, bytes] = {
    path.name: path.read_bytes() for path in sorted(Path(os.environ.get("SSIFT_BODIES", os.devnull)).glob("*.sse"))
}
"""Bodies of a folder of one's own (``SSIFT_BODIES``), which the tests of clients read beside the streams above."""


def halves(data: bytes) -> Iterator[list[bytes]]:
    """Every cut in two, and every byte by itself."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    for cut in range(1, len(data)):
        yield [data[:cut], b"", data[cut:]]

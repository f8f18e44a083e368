"""Small logs for the tests of what users see."""

from __future__ import annotations

import json
from typing import Any

DONE = b"data: [DONE]\n\n"


def event(value: Any) -> bytes:
    """One event with ``value`` as JSON."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def chunk(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk with one choice; ``logprobs=`` goes into the choice, everything else beside it."""
    choice = {"index": more.pop("index", 0), "delta": delta or {}, "finish_reason": finish}
    if "logprobs" in more:
        choice["logprobs"] = {"content": more.pop("logprobs")}
    return {"id": "r1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice], **more}


def token(text: str, logprob: float | None, *top: tuple[str, float]) -> dict[str, Any]:
    """An entry of a list of logprobs with its alternatives; ``bytes`` are those of the text."""
    entry: dict[str, Any] = {"token": text, "logprob": logprob, "bytes": list(text.encode())}
    entry["top_logprobs"] = [{"token": word, "logprob": value, "bytes": list(word.encode())} for word, value in top]
    return entry


ANSWER = (
    event(chunk({"role": "assistant", "content": ""}))
    + event(chunk({"content": "Hi"}, logprobs=[token("Hi", -0.5, ("Hi", -0.5), ("Yo", -1.5))]))
    + event(chunk({"content": " you"}, logprobs=[token(" y", -0.25), token("ou", -9999.0, ("é", -0.125))]))
    + event(chunk({}, "stop"))
    + event({"id": "r1", "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}})
    + DONE
)
"""One whole response: 5 chunks, 3 tokens, 3 alternatives, one sentinel."""

BROKEN = b'data: {"choices":[{"index":0,"del\n\n'
CUT = b'data: {"choices":[{"index":0,"delta":{"content":"c'


def answer(identity: str, text: str, **more: Any) -> bytes:
    """A whole response with one token per character, each at logprob -1."""
    events = [event(chunk({"role": "assistant"}, id=identity, **more))]
    events += [
        event(chunk({"content": letter}, id=identity, logprobs=[token(letter, -1.0)], **more)) for letter in text
    ]
    return b"".join([*events, event(chunk({}, "stop", id=identity, **more)), DONE])

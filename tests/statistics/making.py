"""Logs for the tests of figures, made from plain lists of tokens."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import ssift
from tests.faces.logs import DONE, chunk, event

TABLES = ("responses", "choices", "tokens", "top_logprobs", "tool_calls", "chunks")

Token = tuple[str, float | None, Sequence[tuple[str, float | None]]]


def entry(
    word: str, logprob: float | None, tops: Sequence[tuple[str, float | None]] = (), **more: Any
) -> dict[str, Any]:
    """An entry of a list of logprobs."""
    listed = [{"token": name, "logprob": value} for name, value in tops]
    return {"token": word, "logprob": logprob, "top_logprobs": listed, **more}


def events(
    tokens: Sequence[Any], name: str = "r", index: int = 0, finish: str | None = "stop", **more: Any
) -> list[bytes]:
    """The events of one choice, a chunk for each token (Token, or an entry as it is)."""
    found = [event(chunk({"role": "assistant", "content": ""}, id=name, index=index, **more))]
    for token in tokens:
        one = token if isinstance(token, dict) else entry(*token)
        found.append(event(chunk({"content": one["token"]}, id=name, index=index, logprobs=[one], **more)))
    if finish:
        found.append(event(chunk({}, finish, id=name, index=index, **more)))
    return found


def response(tokens: Sequence[Any], name: str = "r", **more: Any) -> bytes:
    """A whole response with one choice."""
    return b"".join(events(tokens, name, **more)) + DONE


def plain(*logprobs: float | None) -> list[Token]:
    """Tokens without alternatives."""
    return [("x", logprob, ()) for logprob in logprobs]


def log(*responses: bytes, engine: str | None = None) -> ssift.Log:
    """A log with all tables, read from these."""
    return ssift.read(b"".join(responses), engine=engine)


def same(a: Any, b: Any) -> bool:
    """Whether two figures of any depth are the same, NaN included."""
    return json.dumps(a, default=str, sort_keys=True) == json.dumps(b, default=str, sort_keys=True)


LN = math.log

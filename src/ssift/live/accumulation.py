"""The chunks of one stream to the whole answer.

Nothing is put together here: the engine that reads logs does it, so that a live answer and its log say the same. What
a stream sent belongs to one response, whatever ids its chunks have (``group="done"``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ssift.errors import StreamError
from ssift.live.chunk import Audio, FinishReason, FunctionCall, Logprobs, Moderation, TokenLogprob, Usage
from ssift.live.nodes import Node
from ssift.log import Log
from ssift.reading import read

__all__ = ["Accumulator", "Answer", "accumulate"]


class Call(Node, one={"function": FunctionCall}):
    """A whole tool call."""

    __slots__ = ()
    id: str
    function: FunctionCall
    type: str


class Message(Node, one={"audio": Audio, "function_call": FunctionCall}, many={"tool_calls": Call}):
    """What the model answered; ``reasoning_content`` is beside the fields of the client when there was any.

    Annotations, audio and ``function_call`` are None: the tables of a log do not have them.
    """

    __slots__ = ()
    content: str | None
    refusal: str | None
    role: str
    annotations: list[Any] | None
    audio: Audio | None
    function_call: FunctionCall | None
    tool_calls: list[Call] | None


class AnswerLogprobs(
    Logprobs, many={"content": TokenLogprob, "refusal": TokenLogprob, "reasoning_content": TokenLogprob}
):
    """The tokens of a choice, by the text they belong to."""

    __slots__ = ()
    content: list[TokenLogprob] | None
    refusal: list[TokenLogprob] | None
    reasoning_content: list[TokenLogprob] | None


class AnswerChoice(Node, one={"message": Message, "logprobs": AnswerLogprobs}):
    """One ``index`` of an answer."""

    __slots__ = ()
    finish_reason: FinishReason | None
    index: int
    logprobs: AnswerLogprobs | None
    message: Message


class Completion(Node, one={"usage": Usage, "moderation": Moderation}, many={"choices": AnswerChoice}):
    """A whole answer with the attributes of openai's ``ChatCompletion``."""

    __slots__ = ()
    id: str
    choices: list[AnswerChoice]
    created: int
    model: str
    object: str
    metadata: dict[str, str] | None
    moderation: Moderation | None
    service_tier: str | None
    system_fingerprint: str | None
    usage: Usage | None


class Answer:
    """A whole answer, or as much of it as came.

    Attributes:
        log: its tables, as ``ssift.read`` gives them: one response.
        completion: the same as an object like openai's ``ChatCompletion``.
        status: ``complete``, ``truncated`` (the stream ended first) or ``errored``; ``empty`` when no chunk came.
        error: what the server said went wrong, None when nothing did.
        done: whether ``[DONE]`` was seen; None when nobody knows, for the chunks came from something that does not say.
            With False, a ``complete`` answer has all its finish reasons, but its stream was cut off behind them.
    """

    def __init__(self, log: Log, done: bool | None) -> None:
        self.log = log
        self.done = done
        found = len(log.responses) > 0
        self.status: str = log.responses["status"][0] if found else "empty"
        self.error: str | None = log.responses["error_message"][0] if found else None
        self.completion = _completion(log)

    @property
    def text(self) -> str:
        """The content of the first choice, ``""`` when there is none."""
        choices = self.completion.choices
        return (choices[0].message.content or "") if choices else ""

    def __repr__(self) -> str:
        return f"<ssift.Answer, {self.status}: {self.text!r}>"


class Accumulator:
    """Takes chunks one by one; :meth:`answer` may be asked at any time."""

    def __init__(self) -> None:
        self._events: list[bytes] = []
        self._done: bool | None = None

    def add(self, chunk: Any) -> None:
        """Take in a chunk.

        Args:
            chunk: one of ssift (as it was sent: its ``raw``), of the openai client, or a JSON text as bytes.

        Raises:
            TypeError: it is none of these.
        """
        self._append(chunk if isinstance(chunk, bytes) else _text_of(chunk), b"data: ")

    def fail(self, error: StreamError) -> None:
        """Take in the error that ended the stream."""
        self._append(error.raw, b"event: error\ndata: " if error.kind == "error" else b"data: ")

    def done(self, seen: bool = True) -> None:
        """The stream ended, with ``[DONE]`` or (``seen=False``) without."""
        self._done = seen
        if seen:
            self._events.append(b"data: [DONE]\n\n")

    def answer(self) -> Answer:
        """All that came so far; the time it takes grows with that."""
        return Answer(read(b"".join(self._events), group="done"), self._done)

    def _append(self, data: bytes, head: bytes) -> None:
        lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\ndata: ")
        self._events.append(b"%b%b\n\n" % (head, lines))


def accumulate(chunks: Iterable[Any]) -> Answer:
    """The whole answer of a stream: what ``ssift.chunks`` yields, or the chunks of an openai client.

    A stream that breaks off, or in which the server sends an error, gives what came before; ``status``, ``error`` and
    ``done`` of the answer say so. (The plain openai client does not tell whether ``[DONE]`` came.) It is put together
    by the rules for logs, as one response, of chunks as they were sent: what was done to one of ssift afterwards does
    not count. Whatever ``chunks`` raises beside StreamError is let through.

    Args:
        chunks: any iterable of :class:`ssift.Chunk`, or of the openai client's ``ChatCompletionChunk``.

    Returns:
        The answer, or as much of it as came.

    Raises:
        TypeError: something among ``chunks`` is no chunk.
    """
    accumulator = Accumulator()
    try:
        for chunk in chunks:
            accumulator.add(chunk)
    except StreamError as error:
        accumulator.fail(error)
    seen = getattr(chunks, "done", None)
    if isinstance(seen, bool):
        accumulator.done(seen)
    return accumulator.answer()


def _text_of(chunk: Any) -> bytes:
    raw = getattr(chunk, "raw", None)
    if isinstance(raw, bytes):
        return raw
    if not hasattr(chunk, "to_json"):
        raise TypeError(f"a chunk is what ssift.chunks or an openai client hands out, not {type(chunk).__name__}")
    try:
        text: str = chunk.to_json(indent=None)
    except ValueError:  # half a surrogate pair, which pydantic does not write
        text = json.dumps(chunk.to_dict())
    return text.encode()


def _completion(log: Log) -> Completion:
    """One object of the rows of one response; nothing is set that was not sent."""
    if not len(log.responses):
        return Completion({"choices": []})
    row = log.responses.row(0)
    values: dict[str, Any] = {
        "id": row["id"],
        "choices": _choices(log),
        "created": row["created"],
        "model": row["model"],
        "object": "chat.completion",
    }
    values |= {name: row[name] for name in ("service_tier", "system_fingerprint") if row[name] is not None}
    usage = {
        name: row[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens") if row[name] is not None
    }
    if row["cached_tokens"] is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": row["cached_tokens"]}
    if row["reasoning_tokens"] is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": row["reasoning_tokens"]}
    return Completion({**values, "usage": usage} if usage else values)


def _choices(log: Log) -> list[dict[str, Any]]:
    found = []
    for number in range(len(log.choices)):
        row = log.choices.row(number)
        message = {"content": row["content"], "refusal": row["refusal"], "role": row["role"] or "assistant"}
        if row["reasoning"] is not None:
            message["reasoning_content"] = row["reasoning"]
        calls = [call for call in map(log.tool_calls.row, range(len(log.tool_calls))) if call["index"] == row["index"]]
        if calls:
            message["tool_calls"] = [_call(call) for call in calls]
        choice = {"finish_reason": row["finish_reason"], "index": row["index"], "message": message}
        logprobs = _logprobs(log, row["index"])
        found.append({**choice, "logprobs": logprobs} if logprobs else choice)
    return found


def _call(row: dict[str, Any]) -> dict[str, Any]:
    function = {"arguments": row["arguments"], "name": row["name"]}
    return {"id": row["id"], "function": function, "type": row["type"] or "function"}


def _logprobs(log: Log, index: int) -> dict[str, list[dict[str, Any]]]:
    lists: dict[str, list[dict[str, Any]]] = {}
    tokens, top = log.tokens, log.top_logprobs
    for number in (tokens["index"] == index).nonzero()[0].tolist():
        row = tokens.row(number)
        entry = _entry(row)
        entry["top_logprobs"] = [
            _entry(top.row(place)) for place in range(row["top_start"], row["top_start"] + row["top_count"])
        ]
        name = "reasoning_content" if row["list"] == "reasoning" else row["list"]
        lists.setdefault(name, []).append(entry)
    return lists


def _entry(row: dict[str, Any]) -> dict[str, Any]:
    own = row["bytes"]
    logprob = row["logprob"]
    missing = logprob is None or logprob != logprob
    return {
        "token": row["token"], "bytes": None if own is None else list(own), "logprob": None if missing else logprob
    }  # fmt: skip

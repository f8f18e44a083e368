"""JSON values to chunks.

Theory. A chunk is one ``chat.completion.chunk``: some words about the response it belongs to (id, model, ...), a list
of ``choices`` with what is new in each, and sometimes the usage. A whole ``chat.completion`` (``message`` in place of
``delta``) and a ``text_completion`` (``text``) are read as chunks too.

1. All or nothing: a field of a wrong type where it matters makes the whole chunk a problem, before it changed anything.
2. Elsewhere a wrong type is as if nothing had been sent; null always is.
3. Only what a wanted table needs is looked at, except for what the grouping needs.
4. The text of a choice comes from ``delta``, ``message`` or ``text``; the content may be a list of typed parts; the
   reasoning has several names, of which the first that says something counts.

This file does not know which response a chunk belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from ssift.contract import M_CHOICE, M_CHOICES, M_CONTENT, M_DELTA, M_INDEX, M_REFUSAL
from ssift.python.calls import Piece, read_pieces
from ssift.python.json_text import INT_MAX, Exact, LookAgain, exact
from ssift.python.logprobs import Alternative, LogprobReader, Token
from ssift.python.values import WrongType, id_of, index_of, integral, utf8

Usage: TypeAlias = "tuple[int | None, int | None, int | None, int | None, int | None]"
"""prompt, completion, total, cached and reasoning tokens."""

ReportedUsage: TypeAlias = "tuple[int, Usage]"
"""A place and the figures there."""

TOP, CHOICE, GROQ = range(3)
"""Where usage is reported; the first place that ever gives a figure is believed."""

OBJECTS = ("chat.completion", "text_completion")


class Delta:
    """What a chunk adds to one choice. Defaults stand on the class: most deltas say little."""

    index: int = 0
    role: str = ""
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    finish_reason: str = ""
    pieces: Sequence[Piece] = ()
    tokens: Sequence[Token] = ()


class Chunk:
    """A chunk, or what an error event says about its response."""

    id: str = ""
    created: int | None = None
    deltas: Sequence[Delta] = ()
    has_text: bool = False  # content, refusal or reasoning
    has_calls: bool = False
    has_role: bool = False
    has_finish: bool = False
    has_error: bool = False
    usage: Sequence[ReportedUsage] = ()
    alternatives: Sequence[Alternative] = ()

    def __init__(self, value: dict[str, Any]) -> None:
        self.value = value

    @property
    def completion_tokens(self) -> int | None:
        """The chunk's own report."""
        if not self.usage:
            return None
        best: dict[int, int] = {place: figures[1] for place, figures in self.usage if figures[1] is not None}
        return best[min(best)] if best else None


def text_bytes(delta: Delta) -> int:
    """Bytes of content, refusal and reasoning that a delta adds, in UTF-8."""
    return sum(len(utf8(text)) for text in (delta.content, delta.refusal, delta.reasoning) if text)


def is_chunk(value: dict[str, Any]) -> bool:
    """Whether an object that is no error is a chunk."""
    choices = value.get("choices", 0)
    if choices is None or type(choices) is list:
        return True
    kind = value.get("object")
    return type(kind) is str and kind.startswith(OBJECTS)


class ChunkReader:
    """Reads chunks for the wanted ``tables``."""

    def __init__(self, tables: frozenset[str]) -> None:
        self.with_texts = "choices" in tables
        self._calls = "tool_calls" in tables
        self.with_tokens = not tables.isdisjoint(("tokens", "top_logprobs", "choices", "chunks"))
        self.with_top = not tables.isdisjoint(("tokens", "top_logprobs"))

    def read_error(self, value: dict[str, Any], data: bytes) -> Chunk:
        """What an error without choices says beside the error: id and usage. It is no chunk, but placed like one."""
        chunk = Chunk(value)
        chunk.id = id_of(value.get("id"))
        try:
            chunk.usage = read_usage(value)
        except LookAgain:
            chunk.usage = read_usage(exact(data.decode()).value)
        return chunk

    def read(self, value: dict[str, Any], data: bytes) -> Chunk:
        """The chunk in ``value``, which was read from ``data``.

        Raises:
            WrongType: a field of the wrong type where it matters.
        """
        try:
            return self._chunk(value, data, None)
        except LookAgain:
            again = exact(data.decode())
            return self._chunk(again.value, None, again)

    def _chunk(self, value: dict[str, Any], data: bytes | None, source: Exact | None) -> Chunk:
        chunk = Chunk(value)
        chunk.id = id_of(value.get("id"))
        created = value.get("created")
        chunk.created = created if type(created) is int and 0 <= created <= INT_MAX else integral(created)
        if value.get("usage") is not None or value.get("x_groq") is not None:
            chunk.usage = read_usage(value)
        choices = value.get("choices")
        if choices is None:
            return chunk
        if type(choices) is not list:
            raise WrongType(M_CHOICES)
        logprobs = None
        chunk.deltas = deltas = []
        for place, choice in enumerate(choices):
            if type(choice) is not dict:
                if choice is None:
                    continue
                raise WrongType(M_CHOICE)
            delta = Delta()
            deltas.append(delta)
            index = choice.get("index")
            delta.index = index if type(index) is int and 0 <= index <= INT_MAX else _index(index, place)
            self.read_delta(choice, delta, chunk, source)
            reason = choice.get("finish_reason")
            if type(reason) is str and reason:
                delta.finish_reason = reason
                chunk.has_finish = True
            if self.with_tokens and (choice.get("logprobs") is not None or "reasoning_logprobs" in choice):
                if logprobs is None:
                    logprobs = LogprobReader(self.with_top, data)
                    chunk.alternatives = logprobs.alternatives
                delta.tokens = logprobs.read(choice)
            usage = choice.get("usage")
            if type(usage) is dict:
                chunk.usage = [*chunk.usage, (CHOICE, figures_of(usage))]
        return chunk

    def read_delta(self, choice: dict[str, Any], delta: Delta, chunk: Chunk, source: Exact | None) -> None:
        """What a choice adds, but for its finish_reason and tokens.

        Raises:
            WrongType: as :meth:`read`.
            LookAgain: the arguments of a call must be found in ``source``.
        """
        said = choice.get("delta")
        if type(said) is not dict:
            said = _other_shape(choice)
        content, role = said.get("content"), said.get("role")
        if type(role) is str and role:
            delta.role = role
            chunk.has_role = True
        if type(content) is str:
            delta.content = content
            if content:
                chunk.has_text = True
            if len(said) == 1 + ("role" in said):  # what most deltas are
                return
        thinking = None
        if content is not None and delta.content is None:
            delta.content, thinking = self._parts(content)
        delta.refusal = self._refusal(said.get("refusal"))
        delta.reasoning = _reasoning(said, thinking)
        if delta.content or delta.refusal or delta.reasoning:
            chunk.has_text = True
        if said.get("tool_calls") is not None:
            self._read_calls(said["tool_calls"], delta, chunk, source)

    def _parts(self, content: Any) -> tuple[str | None, str | None]:
        """Content and thinking of a list of typed parts; thinking is None when there is no such part."""
        if type(content) is not list:
            if self.with_texts:
                raise WrongType(M_CONTENT)
            return None, None
        texts = []
        thoughts = []
        for part in content:
            if type(part) is str:
                texts.append(part)
            elif type(part) is dict and part.get("type") == "text" and type(part.get("text")) is str:
                texts.append(part["text"])
            elif type(part) is dict and part.get("type") == "thinking":
                thought = part.get("thinking")
                if type(thought) is list:
                    thought = "".join(_texts(thought, ("text",)))
                if type(thought) is str:
                    thoughts.append(thought)
        return "".join(texts), "".join(thoughts) if thoughts else None

    def _refusal(self, refusal: Any) -> str | None:
        if refusal is None or type(refusal) is str:
            return refusal
        if self.with_texts:
            raise WrongType(M_REFUSAL)
        return None

    def _read_calls(self, entries: Any, delta: Delta, chunk: Chunk, source: Exact | None) -> None:
        if not self._calls:
            chunk.has_calls |= type(entries) is list and any(type(entry) is dict for entry in entries)
            return
        delta.pieces = [_with_text(piece, source) for piece in read_pieces(entries)]
        if delta.pieces:
            chunk.has_calls = True


def _index(index: Any, place: int) -> int:
    found = index_of(index, place, M_INDEX)
    assert found is not None
    return found


def _other_shape(choice: dict[str, Any]) -> dict[str, Any]:
    """What stands in place of a delta that is no object."""
    if choice.get("delta") is not None:
        raise WrongType(M_DELTA)
    message = choice.get("message")
    if type(message) is dict:
        return message
    if message is not None:
        raise WrongType(M_DELTA)
    return {"content": choice["text"]} if type(choice.get("text")) is str else {}


def _texts(entries: list[Any], keys: tuple[str, ...]) -> list[str]:
    """Of each object the string at the first of ``keys`` that has one."""
    found = []
    for entry in entries:
        if type(entry) is dict:
            found += [entry[key] for key in keys if type(entry.get(key)) is str][:1]
    return found


def _reasoning(said: dict[str, Any], thinking: str | None) -> str | None:
    """The first of its names that says something; empty when one was sent, None when none was."""
    details = said.get("reasoning_details")
    texts = _texts(details, ("text", "summary")) if type(details) is list else []
    detailed = "".join(texts) if texts else None
    candidates = (said.get("reasoning_content"), said.get("reasoning"), detailed, thinking)
    reasoning = None
    for candidate in candidates:
        if type(candidate) is str:
            if candidate:
                return candidate
            reasoning = ""
    return reasoning


def _with_text(piece: Piece, source: Exact | None) -> Piece:
    """Arguments that are an object or a list count as their JSON text, as sent."""
    if type(piece.arguments) not in (dict, list):
        return piece
    if source is None:
        raise LookAgain
    piece.arguments = source.written(piece.arguments)
    return piece


def read_usage(value: dict[str, Any]) -> Sequence[ReportedUsage]:
    """Usage at the top level and under ``x_groq``."""
    usage, groq = value.get("usage"), value.get("x_groq")
    groq = groq.get("usage") if type(groq) is dict else None
    return [(place, figures_of(one)) for place, one in ((TOP, usage), (GROQ, groq)) if type(one) is dict]


def figures_of(usage: dict[str, Any]) -> Usage:
    cached = _detail(usage, "prompt_tokens_details", "cached_tokens")
    if cached is None:
        cached = integral(usage.get("prompt_cache_hit_tokens"))
    return (
        integral(usage.get("prompt_tokens")),
        integral(usage.get("completion_tokens")),
        integral(usage.get("total_tokens")),
        cached,
        _detail(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def _detail(usage: dict[str, Any], details: str, name: str) -> int | None:
    """A figure from the details, else from beside them."""
    inner = usage.get(details)
    figure = integral(inner.get(name)) if type(inner) is dict else None
    return integral(usage.get(name)) if figure is None else figure

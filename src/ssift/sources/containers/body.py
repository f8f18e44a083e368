"""What a container gives: bodies, and what is wrong with it.

A container (a HAR file, a log of records, ...) holds *entries*; what an entry recorded of an answer is its *body*, and
each body is a source of its own. A body that is no stream (an image, a page) is left alone and only counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import orjson

from ssift.contract import Framing, RecordShape
from ssift.engine import part
from ssift.sources.framing import FIRST_WINDOW, framing, has_data_line, is_json

Pieces: TypeAlias = Iterator[memoryview]
"""Decoded bytes of a container; each piece is valid until the next is asked for."""

Mark: TypeAlias = tuple[int, int | None]
"""An offset in a body, and when the bytes from there on arrived (ns), None when that is not known."""


class Text(NamedTuple):
    """``window[start:end]``, and where it stands in its container."""

    window: bytes | bytearray
    start: int
    end: int
    offset: int
    line: int

    def is_blank(self) -> bool:
        return _NOT_BLANK.search(self.window, self.start, self.end) is None


class Piece(NamedTuple):
    """Some bytes of a body, and the marks in them."""

    data: bytes
    marks: Sequence[Mark] = ()


@dataclass
class Body:
    """A body as it is read: pieces in order. ``requested`` is when it was asked for (ns), None when nobody knows."""

    label: str
    framing: Framing
    pieces: Iterable[Piece]
    requested: int | None = None


@dataclass
class Run:
    """Records whose bodies an engine may be able to take out by itself: the lines of a text, or one that begins it.

    Where that one ends, nobody has looked for yet: ``complete`` does, and gives its text. Whoever found the end
    otherwise writes it to ``stop``. Whoever knows how many line ends are in what was read writes that to ``lines``.
    ``item`` takes out the body of a record where the engine does not: its text, its label, and whether it goes on
    inside a line. ``joined``: all bodies are one, which may have begun in an earlier run with the same ``label``; else
    they are called by their numbers, or by the ``label``, if there is one. ``number`` is that of the next record;
    whoever reads counts on. ``by_hand``: whether the next record has to be taken by ``item``.
    """

    text: Text
    complete: Callable[[], Text | None] | None  # None: lines
    number: int
    shape: RecordShape
    item: Callable[[Text, str, bool], Body | Fault | Left]
    joined: bool
    label: str
    by_hand: Callable[[], bool] = lambda: False
    stop: int = -1
    lines: int = -1


@dataclass
class Fault:
    """A ``container`` problem (or one of the ``kind`` given) in the container's own bytes."""

    message: int
    offset: int = 0
    length: int = 0
    line: int = 1
    kind: str = "container"


@dataclass
class Left:
    """An entry whose body is no stream."""


Item: TypeAlias = Body | Run | Fault | Left

_BLOCK = 256 << 10
_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_FIELD = re.compile(rb"(?:data|event|id|retry):")
_CHUNK_KEYS = (b'"choices"', b'"chat.completion', b'"text_completion', b'"error"')


def is_stream(body: bytes) -> bool:
    """Whether a body looks like an event stream, JSON lines of chunks, a completion, or a JSON error."""
    head = body[:FIRST_WINDOW].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"{", b"["):
        return any(key in head for key in _CHUNK_KEYS)
    return has_data_line(head)


def first_line(data: bytes) -> bytes:
    """The first line that is not blank."""
    return data.lstrip().partition(b"\n")[0]


def is_chunk(data: bytes) -> bool:
    """Whether data is a JSON object as a chunk or a completion is, at its top."""
    try:
        found = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return isinstance(found, dict) and "choices" in found


def count_lines(data: bytes | bytearray, start: int, end: int) -> int:
    """Line ends in ``data[start:end]``."""
    return int(part("count_lines", _count_lines)(data, start, end))


def _count_lines(data: bytes | bytearray, start: int, end: int) -> int:
    octets = np.frombuffer(data, np.uint8)
    blocks = range(start, end, _BLOCK)
    return sum(int(np.count_nonzero(octets[at : min(at + _BLOCK, end)] == 0x0A)) for at in blocks)


def begins_line(data: bytes) -> bool:
    """Whether data begins with a field of an event stream: a new line, though the one before has no end."""
    return _FIELD.match(data) is not None


def in_comment(data: bytes | bytearray) -> bool:
    """Whether data stops inside of a comment of an event stream."""
    start = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    return data[start : start + 1] == b":"


def body_of(label: str, data: bytes, marks: Sequence[Mark] = (), requested: int | None = None) -> Body:
    """A body that is held whole, framed by its content."""
    found = framing(data[:FIRST_WINDOW], len(data) <= FIRST_WINDOW)
    if found is None:
        found = "json" if is_json(data) else "jsonl"
    return Body(label, found, (Piece(data, marks),), requested)


def whole(pieces: Pieces) -> bytes:
    """All of a container, for formats that can only be read so."""
    return b"".join(pieces)

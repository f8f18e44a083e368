"""What a container gives: bodies, and what is wrong with it.

A container (a HAR file, a log of records, ...) holds *entries*; what an entry recorded of an answer is its *body*, and
each body is a source of its own. A body that is no stream (an image, a page) is left alone and only counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ssift.contract import Framing, RecordShape
from ssift.sources.framing import FIRST_WINDOW, framing, has_data_line, is_json

Pieces: TypeAlias = Iterator[memoryview]
"""Decoded bytes of a container; each piece is valid until the next is asked for."""

Mark: TypeAlias = tuple[int, int | None]
"""An offset in a body, and when the bytes from there on arrived (ns), None when that is not known."""


class Text(NamedTuple):
    """A record's text, ``window[start:end]`` with readable bytes behind, and where it stands in its container."""

    window: memoryview
    start: int
    end: int
    offset: int
    line: int


class Piece(NamedTuple):
    """Some bytes of a body, and the marks in them."""

    data: bytes
    marks: Sequence[Mark] = ()


@dataclass
class Body:
    """A body as it is read: pieces in order."""

    label: str
    framing: Framing
    pieces: Iterable[Piece]


@dataclass
class Record:
    """A record whose body an engine may be able to take out by itself.

    ``body`` does it where it is not. ``joined``: the record goes on with the body of the one before, if that has the
    same label.
    """

    label: str
    text: Text
    shape: RecordShape
    body: Callable[[], Body | Fault | Left]
    joined: bool = False


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


Item: TypeAlias = Body | Record | Fault | Left

_CHUNK_KEYS = (b'"choices"', b'"chat.completion', b'"text_completion', b'"error"')


def is_stream(body: bytes) -> bool:
    """Whether a body looks like an event stream, JSON lines of chunks, a completion, or a JSON error."""
    head = body[:FIRST_WINDOW].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:1] in (b"{", b"["):
        return any(key in head for key in _CHUNK_KEYS)
    return has_data_line(head)


def body_of(label: str, data: bytes, marks: Sequence[Mark] = ()) -> Body:
    """A body that is held whole, framed by its content."""
    found = framing(data[:FIRST_WINDOW], len(data) <= FIRST_WINDOW)
    if found is None:
        found = "json" if is_json(data) else "jsonl"
    return Body(label, found, (Piece(data, marks),))


def whole(pieces: Pieces) -> bytes:
    """All of a container, for formats that can only be read so."""
    return b"".join(pieces)

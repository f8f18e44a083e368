"""Server-Sent Events of a live stream, to the letter of WHATWG HTML 9.2.6.

Nothing is repaired here: this is the strict mode. A block without ``data`` dispatches nothing, a last block without its
blank line is dropped, and invalid UTF-8 is read as U+FFFD. One thing goes beyond the standard: the stream of a
completion ends with the first ``[DONE]``, and so do the events.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

from ssift.python.json_text import DONE
from ssift.python.lines import Lines

Buffer: TypeAlias = "bytes | bytearray | memoryview"

BOM = b"\xef\xbb\xbf"


class Event(NamedTuple):
    """A dispatched event."""

    event: str
    """Its name; ``"message"`` when none was sent."""
    data: str
    """Its ``data`` lines, joined by LF."""
    id: str
    """The last id seen in the stream so far; ``""`` when there was none."""
    retry: int | None
    """Milliseconds, when this event's block asked for a delay before reconnecting."""


class EventDecoder:
    """Pieces in, events out; :attr:`done` once ``[DONE]`` was among them."""

    def __init__(self) -> None:
        self.done = False
        self._lines = Lines(sys.maxsize, eager=True)
        self._first_line = True
        self._id = ""
        self._clear()

    def _clear(self) -> None:
        self._data: list[str] = []
        self._event = ""
        self._retry: int | None = None

    def feed(self, piece: Any) -> Iterator[Event]:
        """The events that end in ``piece`` (any bytes-like object), none after ``[DONE]``.

        Raises:
            TypeError: the piece is not bytes-like.
        """
        return self._events(_octets(piece))

    def _events(self, piece: bytes) -> Iterator[Event]:
        for text, _ in self._lines.feed(piece):
            if self.done:
                return
            if self._first_line:
                self._first_line = False
                text = text.removeprefix(BOM)
            if text:
                self._field(text)
            else:
                yield from self._dispatch()

    def _field(self, text: bytes) -> None:
        name, _, rest = text.partition(b":")
        value = rest.removeprefix(b" ").decode("utf-8", "replace")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value
        elif name == b"id":
            if "\0" not in value:
                self._id = value
        elif name == b"retry":
            if value.isascii() and value.isdigit():
                self._retry = _milliseconds(value, self._retry)

    def _dispatch(self) -> Iterator[Event]:
        if self._data:
            self.done = len(self._data) == 1 and self._data[0].lstrip(" \t\r\n").startswith(DONE.decode())
            yield Event(self._event or "message", "\n".join(self._data), self._id, self._retry)
        self._clear()


def _milliseconds(digits: str, otherwise: int | None) -> int | None:
    """The number; ``otherwise`` where Python declines to read one so long."""
    try:
        return int(digits)
    except ValueError:
        return otherwise


def events(pieces: Iterable[bytes] | Buffer) -> Iterator[Event]:
    """The events of a live stream, as they are complete.

    Args:
        pieces: the bytes of the stream, cut anywhere, as from ``response.iter_bytes()`` or a file object; or all of
            them in one bytes-like object.

    Yields:
        Each dispatched event, ``[DONE]`` included; nothing is read after that one.

    Raises:
        TypeError: what is given, or one of the pieces, is not bytes.
    """
    if _is_octets(pieces):
        return _events_of([pieces])
    if isinstance(pieces, str) or not isinstance(pieces, Iterable):
        raise _no_bytes("events() reads bytes, or an iterable of bytes", pieces)
    return _events_of(pieces)


def _events_of(pieces: Iterable[Any]) -> Iterator[Event]:
    decoder = EventDecoder()
    for piece in pieces:
        yield from decoder.feed(piece)
        if decoder.done:
            return


def _is_octets(piece: object) -> bool:
    try:
        memoryview(piece)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _octets(piece: Any) -> bytes:
    if not _is_octets(piece):  # bytes(3) would be three NULs
        raise _no_bytes("a piece of a stream is bytes", piece)
    return bytes(piece)


def _no_bytes(expected: str, found: object) -> TypeError:
    way_out = "; encode it, or take the stream as bytes" if isinstance(found, str) else ""
    return TypeError(f"{expected}, not {type(found).__name__}{way_out}")

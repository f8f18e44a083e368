"""Server-Sent Events of a live stream, to the letter of WHATWG HTML 9.2.6.

Nothing is repaired here: this is the strict mode. A block without ``data`` dispatches nothing, a last block without its
blank line is dropped, and invalid UTF-8 is read as U+FFFD. One thing goes beyond the standard: the stream of a
completion ends with the first ``[DONE]``, and so do the events.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ssift.buffers import Buffer
from ssift.engine import part
from ssift.live.frames import Frames
from ssift.live.pieces import octets, pieces_of
from ssift.python.json_text import DONE
from ssift.python.lines import BLANKS


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


_new = tuple.__new__


def ends_stream(data: bytes) -> bool:
    """Whether this is the data of ``[DONE]``: one line that begins so after blanks."""
    return b"\n" not in data and data.lstrip(BLANKS).startswith(DONE)


class PythonEventFeed:
    """Frames made events; the twin of the compiled ``EventFeed`` (ext/live.pxi)."""

    def __init__(self, cls: type[Event]) -> None:
        self.done = False
        self._cls = cls
        self._frames = Frames()

    def feed(self, piece: bytes) -> list[Event]:
        """The events that end in ``piece``, none after ``[DONE]``."""
        events: list[Event] = []
        if self.done:
            return events
        for data, name, last_id, retry in self._frames.feed(piece):
            events.append(_new(self._cls, (name or "message", data.decode("utf-8", "replace"), last_id, retry)))
            if data[:1] != b"{" and ends_stream(data):
                self.done = True
                break
        return events


class EventDecoder:
    """Pieces in, events out, and no input or output of its own; :attr:`done` once ``[DONE]`` was among them."""

    def __init__(self) -> None:
        self._feed = part("EventFeed", PythonEventFeed)(Event)

    @property
    def done(self) -> bool:
        """Whether ``[DONE]`` was among the events; nothing comes after it."""
        done: bool = self._feed.done
        return done

    def feed(self, piece: Any) -> list[Event]:
        """The events that end in ``piece`` (any bytes-like object), none after ``[DONE]``.

        Raises:
            TypeError: the piece is not bytes-like.
        """
        events: list[Event] = self._feed.feed(piece if type(piece) is bytes else octets(piece))
        return events

    def finish(self) -> list[Event]:
        """The end of the stream: a block without its blank line is dropped, so there is nothing more."""
        return []


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
    return _events(pieces_of(pieces, "events()"))


def aevents(pieces: AsyncIterable[bytes]) -> AsyncIterator[Event]:
    """As :func:`events`, for an asynchronous stream, as from ``response.aiter_bytes()``.

    Raises:
        TypeError: what is given is no asynchronous iterable, or one of the pieces is not bytes.
    """
    if not isinstance(pieces, AsyncIterable):
        raise TypeError(
            f"aevents() reads an async iterable of bytes, not {type(pieces).__name__}; for others: events()"
        )
    return _aevents(pieces)


def _events(pieces: Iterable[Any]) -> Iterator[Event]:
    yield from part("Flow", _flow)(pieces, part("EventFeed", PythonEventFeed)(Event), octets)


def _flow(pieces: Iterable[Any], feed: PythonEventFeed, octets: Callable[[Any], bytes]) -> Iterator[Event]:
    """The twin of the compiled ``Flow`` (ext/live.pxi)."""
    for piece in pieces:
        yield from feed.feed(piece if type(piece) is bytes else octets(piece))
        if feed.done:
            return


async def _aevents(pieces: AsyncIterable[Any]) -> AsyncIterator[Event]:
    feed = part("EventFeed", PythonEventFeed)(Event)
    flow = part("Flow", None)
    each = feed.feed if flow is None else flow((), feed, octets).of
    async for piece in pieces:
        for event in each(octets(piece)):
            yield event
        if feed.done:
            return

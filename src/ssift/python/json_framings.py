"""Framings `jsonl` and `json`: a line, or the whole source, is the data of an event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ssift.contract import M_CUT_EVENT, M_EVENT_BYTES, Limits
from ssift.python.events import Account, Event, Found, Problem, is_whole
from ssift.python.lines import BLANKS, Lines


class LineReader:
    """Framing `jsonl`: each line that is not blank is the data of an event. Only LF ends a line."""

    def __init__(self, limits: Limits, offset: int) -> None:
        self.account = Account()
        self.account.bytes_of["blank"] += offset
        self._limit = limits.event_bytes
        self._depth = limits.depth
        self._lines = Lines(limits.event_bytes + 1, only_lf=True)
        self._offset = offset
        self._line = 0

    @property
    def line(self) -> int:
        return self._line + 1

    @property
    def unread(self) -> int:
        return self._offset

    def feed(self, piece: bytes) -> Iterator[Found]:
        for text, size in self._lines.feed(piece):
            yield from self._read(text, size, ended=True)

    def end(self) -> Iterator[Found]:
        text, size, _ = self._lines.end()
        yield from self._read(text, size, ended=False)

    def _read(self, text: bytes, size: int, ended: bool) -> Iterable[Found]:
        offset = self._offset
        self._offset += size
        self._line += 1
        problem = ""
        if not text.strip(BLANKS):
            self.account.bytes_of["blank"] += size
            return ()
        if len(text) > self._limit:
            problem, message = "too_long", M_EVENT_BYTES
        elif not ended and not is_whole(text, 1, self._depth):
            problem, message = "truncated", M_CUT_EVENT
        self.account.events += problem != "truncated"
        if problem:
            self.account.bytes_of["problem"] += size
            return (Problem(problem, offset, size, self._line, message),)
        return (Event(text, offset, size, self._line, size, False, 1),)


class BodyReader:
    """Framing `json`: the whole source is the data of one event."""

    def __init__(self, limits: Limits, offset: int) -> None:
        self.account = Account()
        self.account.bytes_of["blank"] += offset
        self._limit = limits.event_bytes
        self._offset = offset
        self._size = 0
        self._blank = True
        self._pieces: list[bytes] = []

    @property
    def line(self) -> int:
        return 1

    @property
    def unread(self) -> int:
        return self._offset

    def feed(self, piece: bytes) -> Iterator[Found]:
        self._size += len(piece)
        self._blank = self._blank and not piece.strip(BLANKS)
        if self._size <= self._limit:
            self._pieces.append(piece)
        else:
            self._pieces.clear()
        return iter(())

    def end(self) -> Iterator[Found]:
        if self._blank:
            self.account.bytes_of["blank"] += self._size
            return
        self.account.events += 1
        if self._size > self._limit:
            self.account.bytes_of["problem"] += self._size
            yield Problem("too_long", self._offset, self._size, 1, M_EVENT_BYTES)
        else:
            yield Event(b"".join(self._pieces), self._offset, self._size, 1, self._size, False, 1)

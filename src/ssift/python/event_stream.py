"""Framing `sse`: lines to events.

Theory. An event stream is a sequence of blocks, each ended by a blank line (WHATWG HTML 9.2.6). A line of a block is a
field, ``name: value`` with one blank after the colon taken off, or a comment that begins with a colon. Only the
fields ``data``, ``event``, ``id`` and ``retry`` exist; names match to the letter. The ``data`` lines of a block, joined
by LF, are the data of one event; a block without any is no event.

Logs hold more than the standard knows, so reading them adds rules:

1. ``error: ...`` is a line some servers write: an error event by itself, whatever block stands around it.
2. Any other line is a `not_sse` problem, one for each run of adjacent lines. The block around it is read all the same.
3. Loggers lose blank lines. Where the joined data makes no sense but single ``data`` lines do, the block is *split*:
   each ``data`` line is an event, with the field lines before it. That is decided as soon as it is certain (the
   first line stands alone and another one follows), so that a log without any blank line needs no memory.
4. The input may end anywhere. A block without its blank line is read if what is there is whole, else `truncated`.
5. Joined data over the limit is `too_long`; none of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from ssift.contract import M_CUT_EVENT, M_CUT_LINE, M_EVENT_BYTES, M_LINE, Limits
from ssift.python.events import (
    BLANK_LINE,
    BORDER,
    EVENT_LINE,
    LEAD,
    LINES,
    Account,
    Event,
    Found,
    Problem,
    Series,
    Stretch,
    is_whole,
)
from ssift.python.json_text import is_json, stands_alone
from ssift.python.lines import BLANKS, Lines

FIELDS = (b"data", b"event", b"id", b"retry")
LONGEST_PREFIX = 16
"""More than any ``name: `` that matters: a line cut at this and the limit is still seen to be too long."""

_NO_LINE = (b"", 0)


class _Part(NamedTuple):
    """A data line and the field lines before it."""

    value: bytes
    offset: int
    end: int
    line: int
    size: int
    error: bool


class EventReader:
    """A :class:`~ssift.python.events.Reader`; the ``offset`` bytes before the first piece are blank."""

    def __init__(self, limits: Limits, offset: int) -> None:
        self.account = Account()
        self.account.bytes_of["blank"] += offset
        self._limit = limits.event_bytes
        self._depth = limits.depth
        self._lines = Lines(limits.event_bytes + LONGEST_PREFIX)
        self._offset = offset  # of the next line
        self._line = 0  # number of the line at hand
        self._run: Problem | None = None  # adjacent lines that are none of an event stream
        self._idle = True  # neither a block nor a run is open
        self._cut = False  # the line at hand is the last of the source and has no end
        self._clear()

    def _clear(self) -> None:
        """No block is open."""
        self._parts: list[_Part] = []
        self._joined = -1  # bytes of the joined data; every line brings an LF but the first
        self._named_error = False
        self._split = False
        self._lead_seen = False  # the first data line with text does not stand alone
        self._over: _Part | None = None  # place and size of a block over the limit
        self._clear_fields()

    def _clear_fields(self) -> None:
        """No field line since the last data line."""
        self._start = self._start_line = -1
        self._end = 0
        self._size = 0
        self._error = False

    @property
    def line(self) -> int:
        return self._line + 1

    @property
    def unread(self) -> int:
        if self._parts:
            return self._parts[0].offset
        return self._start if self._start >= 0 else self._offset

    # ------------------------------------------------------------------------------------------------- lines

    def feed(self, piece: bytes) -> Iterator[Stretch]:
        start, last = self._first_block(piece), piece.rfind(BORDER)
        if not 0 <= start <= last or b"\r" in piece:
            yield from self._by_line(piece)
            return
        end = last + len(BORDER)
        yield from self._by_line(piece[:start])
        yield from self._by_block(piece[start:end])
        yield from self._by_line(piece[end:])

    def _first_block(self, piece: bytes) -> int:
        """Where in a piece a block begins with a data line for certain; -1 where none does."""
        if self._idle and not self._lines.is_open and piece.startswith(LEAD):
            return 0
        border = piece.find(BORDER + LEAD)
        return border if border < 0 else border + len(BORDER)

    def _by_block(self, piece: bytes) -> Iterator[Stretch]:
        """Most of any log: whole blocks of one data line and a blank one. Others are among them, and read by line."""

        def is_odd(text: bytes) -> bool:
            return b"\n" in text or len(text) > self._limit

        texts = piece[len(LEAD) : -len(BORDER)].split(BORDER + LEAD)
        if piece.count(b"\n") == LINES * len(texts) and max(map(len, texts)) <= self._limit:
            yield self._series(texts)
            return
        for odd, group in groupby(texts, is_odd):
            if odd:
                yield from self._by_line(b"".join([LEAD + text + BORDER for text in group]))
            else:
                yield self._series(list(group))

    def _series(self, texts: list[bytes]) -> Series:
        series = Series(texts, self._offset, self._line + 1)
        count = len(texts)
        self._offset += sum(map(len, texts)) + count * (EVENT_LINE + BLANK_LINE)
        self._line += LINES * count
        self.account.events += count
        self.account.bytes_of["blank"] += count * BLANK_LINE
        return series

    def _by_line(self, piece: bytes) -> Iterator[Found]:
        lines = iter(self._lines.feed(piece))
        for text, size in lines:
            if self._idle and text.startswith(b"data: ") and size <= self._limit:
                # The same where lines end otherwise. Nothing needs to be kept from the one to the other.
                after, after_size = next(lines, _NO_LINE)
                if not after and after_size:
                    yield Event(text[6:], self._offset, size, self._line + 1, size, False, 1)
                    self._offset += size + after_size
                    self._line += 2
                    self.account.events += 1
                    self.account.bytes_of["blank"] += after_size
                    continue
                yield from self._read(text, size)
                if not after_size:
                    return
                text, size = after, after_size
            yield from self._read(text, size)

    def end(self) -> Iterator[Found]:
        text, size, ended = self._lines.end()
        if ended or _belongs(text):
            self._cut = not ended
            yield from self._read(text, size)
        yield from self._end_run()
        if size and not ended and not _belongs(text):
            self.account.bytes_of["problem"] += size
            yield Problem("truncated", self._offset, size, self._line + 1, M_CUT_LINE)
        yield from self._dispatch(ended=False)

    def _read(self, text: bytes, size: int) -> Iterable[Found]:
        """One line: what it makes certain."""
        offset = self._offset
        self._offset += size
        self._line += 1
        self._idle = not text
        if text.startswith(b"data:"):
            found = self._data(text[6:] if text.startswith(b" ", 5) else text[5:], offset, size)
        elif not text:
            self.account.bytes_of["blank"] += size
            found = self._dispatch(ended=True)
        elif text.startswith(b":"):
            self.account.bytes_of["blank"] += size
            self.account.comments += 1
            found = ()
        elif text.startswith(b"error:"):
            found = self._error_line(_value(text), offset, size)
        elif _belongs(text):
            found = self._field(text, offset, size)
        else:
            self._extend_run(offset, size)
            return ()
        return found if self._run is None else [*self._end_run(), *found]

    def _extend_run(self, offset: int, size: int) -> None:
        self.account.bytes_of["problem"] += size
        if self._run is None:
            self._run = Problem("not_sse", offset, size, self._line, M_LINE)
        else:
            self._run = self._run._replace(length=self._run.length + size)

    def _end_run(self) -> Iterable[Found]:
        run, self._run = self._run, None
        return () if run is None else (run,)

    def _error_line(self, value: bytes, offset: int, size: int) -> Iterable[Found]:
        part = _Part(value, offset, offset + size, self._line, size, True)
        if self._cut and len(value) <= self._limit and not is_json(value, self._depth):
            return (self._problem("truncated", part, M_CUT_EVENT),)
        return (self._event_of(part, ended=True),)

    def _field(self, text: bytes, offset: int, size: int) -> Iterable[Found]:
        """A field line other than `data:`; a bare `data` is one with an empty value."""
        if text == b"data":
            return self._data(b"", offset, size)
        if self._start < 0:
            self._start, self._start_line = offset, self._line
        self._end = offset + size
        self._size += size
        if text == b"event" or text.startswith(b"event:"):
            self._error = self._named_error = _value(text) == b"error"
        return ()

    def _data(self, value: bytes, offset: int, size: int) -> Iterable[Found]:
        if self._start < 0:
            part = _Part(value, offset, offset + size, self._line, size, False)
        else:
            part = _Part(value, self._start, offset + size, self._start_line, size + self._size, self._error)
            self._clear_fields()
        if self._split:
            return (self._event_of(part, ended=not self._cut),)
        if self._over is not None:
            self._over = self._over._replace(end=part.end, size=self._over.size + part.size)
            return ()
        self._joined += len(value) + 1
        if self._joined > self._limit:
            return self._overflow(part)
        if self._parts and self._leads(value):
            return self._split_at(part)
        self._parts.append(part)
        return ()

    # ------------------------------------------------------------------------------------------------- blocks

    def _leads(self, value: bytes) -> bool:
        """Whether the first data line with text stands alone and ``value`` is a further one."""
        if self._lead_seen or not value.strip(BLANKS):
            return False
        lead = next((part for part in self._parts if part.value.strip(BLANKS)), None)
        if lead is None:
            return False
        self._lead_seen = True
        return stands_alone(lead.value, self._depth)

    def _split_at(self, part: _Part) -> list[Found]:
        """From here on to the blank line, each data line is an event."""
        found = [self._event_of(earlier, ended=True) for earlier in self._parts]
        self._parts = []
        self._split = True
        return [*found, self._event_of(part, ended=not self._cut)]

    def _overflow(self, part: _Part) -> Iterable[Found]:
        if any(stands_alone(earlier.value, self._depth) for earlier in self._parts):
            return self._split_at(part)
        first = self._parts[0] if self._parts else part
        size = sum(earlier.size for earlier in self._parts) + part.size
        self._over = _Part(b"", first.offset, part.end, first.line, size, False)
        self._parts = []
        return ()

    def _dispatch(self, ended: bool) -> Iterable[Found]:
        """The block ends, at its blank line or with the source."""
        found: Iterable[Found] = ()
        if self._parts:
            found = self._close(ended)
        elif self._over is not None:
            over = self._over._replace(end=max(self._end, self._over.end), size=self._over.size + self._size)
            self.account.events += 1
            found = (self._problem("too_long", over, M_EVENT_BYTES),)
        else:
            self.account.bytes_of["blank"] += self._size
        self._clear()
        return found

    def _close(self, ended: bool) -> Iterable[Found]:
        parts = self._parts
        first, last = parts[0], parts[-1]
        data = first.value if first is last else b"\n".join([part.value for part in parts])
        if first is not last and self._falls_apart(data):
            self.account.bytes_of["blank"] += self._size
            return [self._event_of(part, ended or part is not last) for part in parts]
        size = sum([part.size for part in parts]) + self._size
        whole = _Part(data, first.offset, self._end or last.end, first.line, size, self._named_error)
        return (self._event_of(whole, ended, len(parts)),)

    def _falls_apart(self, data: bytes) -> bool:
        return not is_json(data, self._depth) and any(stands_alone(part.value, self._depth) for part in self._parts)

    def _event_of(self, part: _Part, ended: bool, data_lines: int = 1) -> Found:
        if len(part.value) > self._limit:
            self.account.events += 1
            return self._problem("too_long", part, M_EVENT_BYTES)
        if not ended and not is_whole(part.value, data_lines, self._depth):
            return self._problem("truncated", part, M_CUT_EVENT)
        self.account.events += 1
        return Event(part.value, part.offset, part.end - part.offset, part.line, part.size, part.error, data_lines)

    def _problem(self, kind: str, part: _Part, message: int) -> Problem:
        self.account.bytes_of["problem"] += part.size
        return Problem(kind, part.offset, part.end - part.offset, part.line, message)


def _belongs(text: bytes) -> bool:
    """Whether a line is a field, a comment or an error line."""
    return text.partition(b":")[0] in FIELDS or text.startswith((b":", b"error:"))


def _value(text: bytes) -> bytes:
    return text.partition(b":")[2].removeprefix(b" ")

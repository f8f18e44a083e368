"""Logs that wrap every line: those of containers' standard streams, and lines behind a timestamp.

A line tells its stream, its time, and a text, which may be a part of a line. The texts of a stream, put together, are
a body. One stream is read as it comes; what the others say in between is kept apart, in memory as long as it is little
and in a temporary file then, and is read afterwards, if there is a stream of chunks in it.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from itertools import chain
from typing import NamedTuple

from ssift.contract import M_RECORD_BYTES, Framing
from ssift.sources.containers.body import Body, Fault, Item, Left, Mark, Piece, Pieces, is_stream
from ssift.sources.framing import FIRST_WINDOW
from ssift.sources.source import WINDOW

_IN_MEMORY = 16 << 20
_LONGEST = 64 << 20  # of a line that must be whole to be read
_ENOUGH = 64 << 10  # of a line that need not


class Line(NamedTuple):
    """A wrapped line, or a part of one: the text has its line end where it is the end."""

    stream: str
    ns: int | None
    text: bytes
    requested: int | None = None  # when the stream was asked for


Parse = Callable[[bytes], Line | None]
"""A line without its end to what it wraps; None when it is none."""


class Lined:
    """Reads one such log.

    ``first`` is the stream that is read as it comes, ``message`` the problem of other lines. ``whole``: lines must be
    held whole to be read, and too long ones are a problem. Where the text stands as it is behind what is in front, a
    long line is handed on in parts, and its length is the matter of whoever reads the body.
    """

    def __init__(self, parse: Parse, message: int, first: str, whole: bool) -> None:
        self._parse = parse
        self._message = message
        self._first = first
        self._whole = whole
        self._begun = False  # a part of a line was seen, and more of it comes
        self._part: Line | None = None  # what that is a part of; its text is what stands behind the last part
        self._faults: list[Fault] = []
        self._kept: dict[str, _Kept] = {}
        self._store: _Store | None = None
        self._offset = 0
        self._line = 0

    def read(self, pieces: Pieces) -> Iterator[Item]:
        """The bodies by stream, then the problems."""
        found = self._pieces(pieces)
        try:
            head = next(found, None)
            if head is not None:
                yield Body(self._first, _framing(head.data), chain([head], found))
            for stream, kept in self._kept.items():
                yield kept.body(stream)
            yield from self._faults
        finally:
            if self._store is not None:
                self._store.close()

    def _pieces(self, pieces: Pieces) -> Iterator[Piece]:
        """What the first stream says, window by window."""
        size = 0
        ns: int | None = None
        for window, ended in _windows(pieces, _LONGEST if self._whole else _ENOUGH):
            texts: list[bytes] = []
            marks: list[Mark] = []
            for line in self._lines(window, ended):
                if line.stream != self._first:
                    self._keep(line)
                    continue
                if line.ns != ns:
                    ns = line.ns
                    marks.append((size, ns))
                texts.append(line.text)
                size += len(line.text)
            if texts:
                yield Piece(b"".join(texts), marks)

    def _keep(self, line: Line) -> None:
        if self._store is None:
            self._store = _Store()
        if line.stream not in self._kept:
            self._kept[line.stream] = _Kept(self._store)
        self._kept[line.stream].add(line)

    def _lines(self, window: bytes, ended: bool) -> Iterator[Line]:
        """The lines of a window; of the last one there may be only a part, which is not the end."""
        raws = window.split(b"\n")
        for place, raw in enumerate(raws):
            is_end = ended or place < len(raws) - 1
            size = len(raw) + is_end
            self._line += not self._begun
            line = self._line_of(raw, is_end)
            if line is not None:
                yield line
            elif raw.strip():
                self._fault(size, self._message if is_end and not self._begun else M_RECORD_BYTES)
            self._offset += size
            self._begun = not is_end

    def _line_of(self, raw: bytes, is_end: bool) -> Line | None:
        """What a line, or a part of one, wraps; None when it is nothing that is known."""
        if not self._begun:
            line = self._parse(raw) if is_end or not self._whole else None
            if line is None or is_end:
                self._part = None
                return line
            text = line.text.removesuffix(b"\n")
            self._part = line._replace(text=line.text[len(text) :])
            return line._replace(text=text)
        if self._part is None:
            return None
        return self._part._replace(text=raw + self._part.text if is_end else raw)

    def _fault(self, size: int, message: int) -> None:
        """Adjacent lines are one problem."""
        last = self._faults[-1] if self._faults else None
        if last is not None and last.offset + last.length == self._offset and last.message == message:
            last.length += size
        else:
            self._faults.append(Fault(message, self._offset, size, self._line))


class _Store:
    """What all streams say that wait, one behind the other: in memory as long as it is little, then in a file.

    One for all of them: a recording may have more streams than a process may open files.
    """

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile  # late: few files need one

        self._file = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by close()
        self.size = 0

    def add(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)

    def read(self, at: int, size: int) -> bytes:
        """What stands there; nothing is added afterwards."""
        self._file.seek(at)
        return self._file.read(size)

    def close(self) -> None:
        self._file.close()


class _Kept:
    """The texts of a stream, kept for later."""

    def __init__(self, store: _Store) -> None:
        self._store = store
        self._runs = array("q")  # where in the store its texts stand, and how many bytes; adjacent ones are one
        self._is_stream = False
        self._marks = array("q")  # offset, ns
        self._unknown: set[int] = set()
        self._size = 0
        self._requested: int | None = None

    def add(self, line: Line) -> None:
        if self._requested is None:
            self._requested = line.requested
        self._is_stream = self._is_stream or (line.text.startswith((b"data:", b"{")) and is_stream(line.text))
        if self._runs and self._runs[-2] + self._runs[-1] == self._store.size:
            self._runs[-1] += len(line.text)
        else:
            self._runs.extend((self._store.size, len(line.text)))
        self._store.add(line.text)
        self._marks.extend((self._size, line.ns or 0))
        if line.ns is None:
            self._unknown.add(self._size)
        self._size += len(line.text)

    def body(self, stream: str) -> Body | Left:
        head = next(self._windows(FIRST_WINDOW), b"")
        is_body = self._is_stream or is_stream(head)  # no line by itself, where lines are cut anywhere
        return Body(stream, _framing(head), self._pieces(), self._requested) if is_body else Left()

    def _windows(self, most: int) -> Iterator[bytes]:
        """All texts, in windows of ``most`` bytes."""
        parts: list[bytes] = []
        room = most
        for place in range(0, len(self._runs), 2):
            at, size = self._runs[place], self._runs[place + 1]
            while size:
                parts.append(self._store.read(at, min(size, room)))
                taken = len(parts[-1])
                at, size, room = at + taken, size - taken, room - taken
                if not room:
                    yield b"".join(parts)
                    parts, room = [], most
        if parts:
            yield b"".join(parts)

    def _pieces(self) -> Iterator[Piece]:
        at = place = 0
        for data in self._windows(WINDOW):
            marks: list[Mark] = []
            while place < len(self._marks) and self._marks[place] < at + len(data):
                offset, ns = self._marks[place], self._marks[place + 1]
                marks.append((offset, None if offset in self._unknown else ns))
                place += 2
            at += len(data)
            yield Piece(data, marks)


def _framing(head: bytes) -> Framing:
    return "jsonl" if head.lstrip()[:1] == b"{" else "sse"


def _windows(pieces: Pieces, longest: int) -> Iterator[tuple[bytes, bool]]:
    """Windows of whole lines without the last line end; of a line of more than ``longest`` bytes a part (False)."""
    carry: list[bytes] = []
    size = 0
    for piece in pieces:
        window = bytes(piece)
        end = window.rfind(b"\n")
        if end >= 0:
            yield b"".join([*carry, window[:end]]), True
            carry, size = [], 0
        carry.append(window[end + 1 :])
        size += len(carry[-1])
        if size > longest:
            yield b"".join(carry), False
            carry, size = [], 0
    if any(carry):
        yield b"".join(carry), True

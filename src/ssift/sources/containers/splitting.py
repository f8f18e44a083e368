"""Cuts a log into the texts of its records: one a line, or the elements of one list.

Only what borders are made of is looked at. Memory is bounded by the largest record and a window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from ssift.contract import M_DAMAGED, M_RECORD_BYTES
from ssift.sources.containers.body import Fault, Pieces, Text

LARGEST = 1 << 30
"""Bytes of a record that is still read."""

PAD = bytes(64)
"""What follows a record that stands alone, so that an engine may read beyond its end."""

_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_AFTER = re.compile(rb"[ \t\r\n]*(?:,[ \t\r\n]*\{|\])")
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_SCALAR_END = re.compile(rb"[ \t\r\n,\]]")
_DROP = 8 << 20


def texts(pieces: Pieces) -> Iterator[Text | Fault]:
    """The records of a log: the elements when it begins with ``[``, else the lines."""
    head = bytearray()
    for piece in pieces:
        head += piece
        if lead := _NOT_BLANK.search(head):
            rest = chain([memoryview(bytes(head))], pieces)
            if head[lead.start()] == ord("["):
                return _Elements(rest, lead.start() + 1).texts()
            return _lines(rest)
    return iter(())


def _lines(pieces: Pieces) -> Iterator[Text | Fault]:
    carry: list[bytes] = []  # the line that began in earlier windows
    offset, line, size = 0, 1, 0
    for piece in pieces:
        window = bytes(piece)
        view = memoryview(window)
        at = 0
        while (end := window.find(b"\n", at)) >= 0:
            if size:
                size += end - at
                carry.append(window[at:end])
                yield from _carried(carry, size, offset, line)
            elif _NOT_BLANK.search(window, at, end):
                yield Text(view, at, end, offset, line)
            offset += (size or end - at) + 1
            line += 1
            size = 0
            carry.clear()
            at = end + 1
        size += len(window) - at
        if size <= LARGEST:
            carry.append(window[at:])
        else:
            carry.clear()
    yield from _carried(carry, size, offset, line)


def _carried(carry: list[bytes], size: int, offset: int, line: int) -> Iterator[Text | Fault]:
    if size > LARGEST:
        yield Fault(M_RECORD_BYTES, offset, size, line)
    elif _NOT_BLANK.search(text := b"".join([*carry, PAD]), 0, size):
        yield Text(memoryview(text), 0, size, offset, line)


class _Elements:
    """The elements of one JSON list, of which a part is held."""

    def __init__(self, pieces: Pieces, at: int) -> None:
        self._pieces = pieces
        self._held = bytearray()
        self._offset = 0  # of what is held, in the log
        self._line = 1
        self._at = at

    def texts(self) -> Iterator[Text | Fault]:
        first = True
        while True:
            mark = self._next()
            if mark == b"]":
                self._at += 1
                if self._next():
                    yield self._fault(M_DAMAGED)
                return
            if mark == b"," and not first:
                self._at += 1
                mark = self._next()
            elif not first:
                break
            begin = self._at
            if mark in (b"", b",", b"]", b"}") or (end := self._end(begin)) < 0:
                break
            text = bytes(self._held[begin:end]) + PAD
            yield Text(memoryview(text), 0, end - begin, self._offset + begin, self._line_at(begin))
            self._at = end
            first = False
            self._drop()
        yield self._fault(M_DAMAGED)

    def _fault(self, message: int) -> Fault:
        """What stands from here on to the end."""
        place = Fault(message, self._offset + self._at, len(self._held) - self._at, self._line_at(self._at))
        place.length += sum(map(len, self._pieces))
        return place

    def _line_at(self, at: int) -> int:
        return self._line + self._held.count(b"\n", 0, at)

    def _more(self) -> bool:
        piece = next(self._pieces, None)
        if piece is None:
            return False
        self._held += piece
        return True

    def _drop(self) -> None:
        if self._at > _DROP:
            self._line = self._line_at(self._at)
            self._offset += self._at
            del self._held[: self._at]
            self._at = 0

    def _next(self) -> bytes:
        """The next byte that is not blank, where reading goes on then; empty at the end."""
        while True:
            match = _NOT_BLANK.search(self._held, self._at)
            if match:
                self._at = match.start()
                return match[0]
            self._at = max(self._at, len(self._held))
            if not self._more():
                return b""

    def _end(self, begin: int) -> int:
        """Behind the value at ``begin``; -1 when it does not end, or is too large."""
        if self._held[begin] not in b'{["':
            return self._search(_SCALAR_END, begin)
        if self._held[begin] == ord("{"):
            lead = bytes(self._held[self._held.rfind(b"\n", 0, begin) : begin])  # the whole start where no line ends
            if lead[:1] == b"\n" and not lead.strip():
                end = self._indented(begin, lead + b"}")
                if end >= 0:
                    return end
        return self._balanced(begin)

    def _search(self, pattern: re.Pattern[bytes], at: int) -> int:
        while True:
            match = pattern.search(self._held, at)
            if match:
                return match.start()
            if not self._more():
                return -1

    def _indented(self, begin: int, closing: bytes) -> int:
        """The end of an object laid out with indents: the first brace with its own (strings hold no line ends)."""
        at = begin
        while len(self._held) - begin <= LARGEST:
            found = self._held.find(closing, at)
            if found >= 0:
                end = found + len(closing)
                while not (after := _NOT_BLANK.search(self._held, end)) or after.end() + 1 >= len(self._held):
                    if not self._more():
                        break
                return end if _AFTER.match(self._held, end) else -1
            at = max(begin, len(self._held) - len(closing))
            if not self._more():
                return -1
        return -1

    def _balanced(self, begin: int) -> int:
        """The end of a value by its brackets."""
        at, depth = begin, 0
        while len(self._held) - begin <= LARGEST:
            for match in _TOKEN.finditer(self._held, at):
                mark = match[0][:1]
                if mark == b'"' and not match[1]:  # cut: seen again with what follows
                    break
                at = match.end()
                depth += (mark in b"{[") - (mark in b"}]")
                if depth <= 0:
                    return at
            if not self._more():
                return -1
        return -1

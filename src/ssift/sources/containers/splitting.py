"""Cuts a log into the texts of its records: one a line, or the elements of one list.

Only what borders are made of is looked at. Memory is bounded by the largest record and a window.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ssift.contract import M_DAMAGED, M_RECORD_BYTES
from ssift.sources.containers.body import Fault, Pieces, Text, count_lines

LARGEST = 1 << 30
"""Bytes of a record that is still read."""

PAD = bytes(64)
"""What follows a record that stands alone, so that an engine may read beyond its end."""

_NOT_BLANK = re.compile(rb"[^ \t\r\n]")
_AFTER = re.compile(rb"[ \t\r\n]*(?:,[ \t\r\n]*\{|\])")
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_SCALAR_END = re.compile(rb"[ \t\r\n,\]]")
_OPENS_LINE = re.compile(rb"\{[ \t]*\r?\n")
_MAY_FOLLOW = re.compile(rb"[ \t\r\n]*,?[ \t\r\n]*")


@dataclass
class Stretch:
    """A text of whole lines; or one that begins with an element of a list and reaches as far as is known.

    ``complete``, of an element, gives its own text, None when there is none. Whoever knows where it ends writes that to
    ``stop``, and whoever knows how many line ends are in the lines, or in the element, writes that to ``lines``.
    """

    text: Text
    complete: Callable[[], Text | None] | None = None
    stop: int = -1
    lines: int = -1


def texts(pieces: Pieces) -> Iterator[Stretch | Fault]:
    """The records of a log: the elements when it begins with ``[``, else whole lines."""
    before = 0
    for piece in pieces:
        octets, start, end = _octets(piece)
        lead = _NOT_BLANK.search(octets, start, end)
        if lead is None:
            before += end - start
            continue
        rest = chain([piece], pieces)
        if octets[lead.start()] == ord("["):
            return _Elements(rest, before).texts()
        return _lines(rest, before)
    return iter(())


def single(text: Text) -> Iterator[Text]:
    """The lines of a text that are not blank."""
    window, at, end, offset, line = text
    while at < end:
        stop = window.find(b"\n", at, end)
        stop = end if stop < 0 else stop
        if _NOT_BLANK.search(window, at, stop):
            yield Text(window, at, stop, offset, line)
        offset += stop + 1 - at
        line += 1
        at = stop + 1


def _octets(view: memoryview) -> tuple[bytes | bytearray, int, int]:
    """The bytes that a view shows a part of, without a copy where that can be."""
    whole = view.obj
    if not isinstance(whole, (bytes, bytearray)):
        whole = bytes(view)
        return whole, 0, len(whole)
    if not view:
        return whole, 0, 0
    start = _address(view) - _address(whole)
    return whole, start, start + len(view)


def _address(buffer: object) -> int:
    return int(np.frombuffer(buffer, np.uint8).ctypes.data)  # type: ignore[call-overload]


def _lines(pieces: Pieces, offset: int) -> Iterator[Stretch | Fault]:
    carry: list[bytes] = []  # the line that began in earlier windows
    line, size = 1, 0
    for piece in pieces:
        window, at, end = _octets(piece)
        if size and (first := window.find(b"\n", at, end)) >= 0:
            carry.append(bytes(window[at : first + 1]))
            size += first + 1 - at
            yield from _carried(carry, size, offset, line)
            offset += size
            line += 1
            size = 0
            carry.clear()
            at = first + 1
        last = window.rfind(b"\n", at, end) + 1
        if last > 0:
            found = Stretch(Text(window, at, last, offset, line))
            yield found
            offset += last - at
            line += found.lines if found.lines >= 0 else count_lines(window, at, last)
            at = last
        size += end - at
        if size <= LARGEST:
            carry.append(bytes(window[at:end]))
        else:
            carry.clear()
    if size:
        yield from _carried(carry, size, offset, line)


def _carried(carry: list[bytes], size: int, offset: int, line: int) -> Iterator[Stretch | Fault]:
    if size > LARGEST:
        yield Fault(M_RECORD_BYTES, offset, size, line)
    else:
        yield Stretch(Text(b"".join([*carry, PAD]), 0, size, offset, line))


class _Elements:
    """The elements of one JSON list. What is held is the rest of a window, and what was needed beyond it."""

    def __init__(self, pieces: Pieces, offset: int) -> None:
        self._pieces = pieces
        self._held: bytes | bytearray = b""
        self._at = self._end = 0  # the rest is held[at:end]
        self._base = offset  # what stands at 0, in the log
        self._counted, self._line = 0, 1  # the line at a place
        self._known = (-1, -1)  # where the latest element began that was measured, and its size
        self._laid_out = True  # as far as is known, objects end at a brace with their own indent

    def texts(self) -> Iterator[Stretch | Fault]:
        first = True
        self._next()
        self._at += 1  # the bracket
        while True:
            mark = self._next()
            if mark == b"]":
                self._at += 1
                if self._next():
                    yield self._damage()
                return
            if mark == b"," and not first:
                self._at += 1
                mark = self._next()
            elif not first:
                break
            if mark in (b"", b",", b"]", b"}"):
                break
            element = Stretch(
                Text(self._held, self._at, self._end, self._base + self._at, self._line_here()), self._complete
            )
            yield element
            if element.stop >= 0:
                self._at = self._counted = element.stop
                self._line += element.lines
            elif (size := self._size()) >= 0:
                self._at += size
            else:
                break
            first = False
        yield self._damage()

    def _complete(self) -> Text | None:
        """The element that begins here; None when it does not end, or is too large."""
        size = self._size()
        if size < 0:
            return None
        text = b"".join((memoryview(self._held)[self._at : self._at + size], PAD))
        return Text(text, 0, size, self._base + self._at, self._line_here())

    def _size(self) -> int:
        """Of the element that begins here, looked for once; -1 when it does not end, or is too large."""
        place = self._base + self._at
        if self._known[0] != place:
            self._known = place, self._value()
        return self._known[1]

    def _damage(self) -> Fault:
        """What stands from here on to the end."""
        place = Fault(M_DAMAGED, self._base + self._at, self._end - self._at, self._line_here())
        place.length += sum(map(len, self._pieces))
        return place

    def _line_here(self) -> int:
        self._line += count_lines(self._held, self._counted, self._at)
        self._counted = self._at
        return self._line

    def _more(self) -> bool:
        """Hold more: at least as much again as there is, so that little is copied twice."""
        rest = self._end - self._at
        if rest > LARGEST:
            return False
        self._line_here()
        parts = [self._held[self._at : self._end]] if rest else []
        added = 0
        for piece in self._pieces:
            if not parts:
                self._held, at, self._end = _octets(piece)
                self._base += self._at - at
                self._at = self._counted = at
                return True
            parts.append(bytes(piece))
            added += len(piece)
            if added >= rest:
                break
        if not added:
            return False
        self._base += self._at
        self._held = b"".join(parts)
        self._at = self._counted = 0
        self._end = len(self._held)
        return True

    def _next(self) -> bytes:
        """The next byte that is not blank, where reading goes on then; empty at the end."""
        while True:
            match = _NOT_BLANK.search(self._held, self._at, self._end)
            if match:
                self._at = match.start()
                return match[0]
            self._at = self._end
            if not self._more():
                return b""

    # ------------------------------------------------------------------------------- the size of a value, or -1

    def _value(self) -> int:
        first = self._held[self._at]
        if first not in b'{["':
            return self._scalar()
        if first == ord("{") and self._laid_out and (lead := self._lead()):
            size = self._indented(lead + b"}")
            if size >= 0:
                return size
            self._laid_out = False  # to look for such a brace in vain, again and again, would take too long
        return self._balanced()

    def _lead(self) -> bytes:
        """The line end and the blanks before an object that has line ends in it; empty when there are none."""
        if _OPENS_LINE.match(self._held, self._at, self._end) is None:
            return b""
        start = self._at
        while start and self._held[start - 1] in b" \t":
            start -= 1
        return bytes(self._held[start - 1 : self._at]) if start and self._held[start - 1] == ord("\n") else b""

    def _scalar(self) -> int:
        while True:
            match = _SCALAR_END.search(self._held, self._at, self._end)
            if match:
                return match.start() - self._at
            if not self._more():
                return -1

    def _indented(self, closing: bytes) -> int:
        """An object laid out with indents ends at the first brace with its own (strings hold no line ends)."""
        seen = 0
        while True:
            found = self._held.find(closing, self._at + seen, self._end)
            if found >= 0:
                size = found + len(closing) - self._at
                after = _AFTER.match(self._held, self._at + size, self._end)
                if after is not None:
                    return size
                if _MAY_FOLLOW.fullmatch(self._held, self._at + size, self._end) is None:
                    return -1
            else:
                seen = max(self._end - self._at - len(closing), 0)
            if not self._more():
                return -1

    def _balanced(self) -> int:
        """Any value ends where its brackets say."""
        seen = depth = 0
        while True:
            for match in _TOKEN.finditer(self._held, self._at + seen, self._end):
                mark = match[0][:1]
                if mark == b'"' and not match[1]:  # cut: seen again with what follows
                    break
                seen = match.end() - self._at
                depth += (mark in b"{[") - (mark in b"}]")
                if depth <= 0:
                    return seen
            if not self._more():
                return -1

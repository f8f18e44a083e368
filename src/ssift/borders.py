"""Where a large source can be cut so that its stretches can be read apart: at borders that nothing reaches over.

Theory. An engine that has read up to some place knows which responses are open. What it makes of the rest is the same
as what a new engine makes of it, unless the rest has an event that goes to one of them. So a *border* is a place where

* an event begins behind a blank line, or a line of JSON lines, and with it a response;
* no response has events on both sides. Those that are open and never heard of again, because a client went away, do
  not matter: their rows are the same whether they end here or with the source;
* no problem behind it names a response that began before it;
* a response stands before it, so that the source is a stream for certain, on both sides.

None of this can be told from the bytes around a place: with interleaved responses the chunk that decides may be far
away. The source is read once, with the tables that will be wanted (they decide what is a ``type`` problem, and so no
chunk), and the extents of its responses are laid over each other. Where no border is, the stretch grows.
"""

from __future__ import annotations

import copy
import re
from typing import Any, NamedTuple, cast

import numpy as np

from ssift.contract import Batch, Engine, Framing, Ints, NullableInts
from ssift.sources import Opened, Records, Source
from ssift.sources.line_ends import LineEnds
from ssift.sources.source import WINDOW

_BLANK_LINE = re.compile(rb"(?:\n\r?\n|\n\r|\r\r)\Z")
_TAKE = 64 << 20  # bytes read between two looks at what was found
_MANY = 1 << 20  # extents that wait until they are laid over each other
_KEPT = 8  # places to cut at that are remembered for each ``size`` bytes


class Border(NamedTuple):
    """A place to begin reading at: its offset, and the number of the line there."""

    offset: int
    line: int


class Division(NamedTuple):
    """A source that can be cut: at its ``borders``, the first of which is its beginning; or why it cannot be read."""

    framing: Framing
    borders: list[Border]
    unread: str | None = None


def divide(
    source: Source, size: int, stop: int, engine: Engine, event_bytes: int, form: str | Records | None
) -> Division:
    """Read ``source`` to ``stop`` and find borders ``size`` bytes apart, or more; one alone where it cannot be cut.

    What is written behind ``stop`` meanwhile has no border. ``engine`` must be a new one with the tables that will be
    read, and ``responses``.

    Raises:
        ReadError: the source cannot be read.
    """
    with Opened(source, bytearray(128 << 10), event_bytes, form) as opened:
        framing = opened.framing
        if not opened.plain or opened.container or framing == "json":
            return Division(framing, [Border(0, 1)])
        front = opened.offset
    extents = Extents(size)
    marks = _Marks(front, framing)
    engine.begin(0, framing, front)
    untaken = 0
    for window in source.stretch(bytearray(WINDOW), front, stop):
        for start in range(0, len(window), WINDOW):
            piece = window[start : start + WINDOW]
            engine.feed(piece)
            marks.add(piece, engine.line)
            untaken += len(piece)
        if untaken >= _TAKE:
            extents.add(engine.take())
            untaken = 0
    engine.end()
    extents.add(engine.take())
    places = extents.begins().tolist()
    found = [Border(front, 1)]
    for place in places[1:]:
        if place - found[-1].offset >= size and (framing == "jsonl" or _behind_blank_line(source, place)):
            found.append(Border(place, marks.line(source, place)))
    return Division(framing, found)


def _behind_blank_line(source: Source, place: int) -> bool:
    before = b"".join(source.stretch(bytearray(4), max(0, place - 3), place))
    return _BLANK_LINE.search(before) is not None


class _Marks:
    """How many lines end before some places, of which one is near to any place.

    The engine counts them while it reads. Where a CR can end a line it may be behind with it: from the first one on
    they are counted here.
    """

    def __init__(self, front: int, framing: Framing) -> None:
        self._front = front
        self._returns = framing == "sse"
        self._counted = False
        self._ends = LineEnds(framing)
        self._marks = [copy.copy(self._ends)]

    def add(self, piece: memoryview, line: int) -> None:
        self._counted = self._counted or (self._returns and b"\r" in bytes(piece))
        if self._counted:
            self._ends.feed(piece)
        else:
            self._ends.size += len(piece)
            self._ends.line = line
        self._marks.append(copy.copy(self._ends))

    def line(self, source: Source, place: int) -> int:
        """The number of the line that begins at ``place``; ask for ascending ones."""
        while len(self._marks) > 1 and self._front + self._marks[1].size <= place:
            self._marks.pop(0)
        ends = self._marks[0]
        for window in source.stretch(bytearray(WINDOW), self._front + ends.size, place):
            ends.feed(window)
        return ends.line


class Extents:
    """Stretches of a source that must not be cut, laid over each other; those that only touch stay apart.

    Memory is bounded by the size of the source over ``size``: of the many places to cut at, a few are remembered in
    each ``size`` bytes, and the others are given up.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._new: list[tuple[Ints, Ints]] = []
        self._count = 0
        self._laid = (np.empty(0, np.int64), np.empty(0, np.int64))
        self._reach: dict[int, int] = {}  # how far problems that name an open response make it reach

    def add(self, batch: Batch) -> None:
        """What an engine has found: responses that ended, and problems that name responses."""
        tables: Any = batch.tables
        problems = tables["problems"]
        named = cast(NullableInts, problems["response"])
        rows = np.flatnonzero(named.valid)
        ends = problems["offset"][rows] + problems["length"][rows]
        for response, end in zip(named.values[rows].tolist(), ends.tolist(), strict=True):
            self._reach[response] = max(end, self._reach.get(response, 0))
        numbers = tables["responses"]["response"]
        begins = tables["responses"]["offset"]
        ends = begins + tables["responses"]["length"]
        if self._reach:
            for row, response in enumerate(numbers.tolist()):
                ends[row] = max(ends[row], self._reach.pop(response, 0))
        self._new.append((begins, ends))
        self._count += len(begins)
        if self._count > _MANY:
            self._lay()
            self._thin()

    def begins(self) -> Ints:
        """Where stretches begin, ascending."""
        self._lay()
        return self._laid[0]

    def _lay(self) -> None:
        begins = np.concatenate([self._laid[0], *(begins for begins, _ in self._new)])
        ends = np.concatenate([self._laid[1], *(ends for _, ends in self._new)])
        order = np.argsort(begins, kind="stable")
        begins, ends = begins[order], np.maximum.accumulate(ends[order])
        self._keep(begins, ends, np.append(True, begins[1:] >= ends[:-1])[: len(begins)])
        self._new = []
        self._count = 0

    def _thin(self) -> None:
        begins, ends = self._laid
        places = np.arange(len(begins))
        of = begins // self._size
        first = np.maximum.accumulate(np.where(np.append(True, of[1:] != of[:-1])[: len(of)], places, 0))
        self._keep(begins, ends, places - first < _KEPT)

    def _keep(self, begins: Ints, ends: Ints, kept: Any) -> None:
        """Join each stretch that is not ``kept`` to the one before; ``ends`` ascend."""
        starts = np.flatnonzero(kept)
        self._laid = begins[starts], ends[np.append(starts[1:], len(begins))[: len(starts)] - 1]

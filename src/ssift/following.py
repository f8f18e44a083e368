"""Follows a growing log: :func:`follow` gives a Log of what is new, again and again.

An event that is not whole yet waits in the engine; it is no problem until the file is replaced or following ends.
Adding up all Logs gives what reading the file at the end would give.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from typing import Literal, Self

from ssift.contract import M_SHORTER, PROBLEM_KINDS, Grouping, Limits
from ssift.log import Log, SourceInfo, new_call
from ssift.reading import EngineName, engine_maker, raise_first, stops_at_problem
from ssift.selection import Selection
from ssift.sources.follow import Change, Head, Tail
from ssift.sources.source import WINDOW

_BATCH = 16 << 20  # bytes of a Log at most, while catching up with a large file
_LOOK = 0.1  # seconds between two looks at the file


def follow(
    path: str | os.PathLike[str],
    *,
    interval: float = 1.0,
    tables: Collection[str] | None = None,
    engine: EngineName | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    limits: Limits | None = None,
) -> Following:
    """Read a log from its start and on as it grows, like ``tail -F``: an iterator of Logs that waits for more.

    A Log comes when there is something new, at most one in ``interval`` seconds (more often while catching up), and one
    in any case when the end is reached for the first time. Row numbers count over all Logs. What the file held so far
    is ``log.unfinished``; ``log.sources`` has it once it ends: when it is replaced (rotation; the new file is the next
    source), when it becomes shorter (it is read from its start as the next source, which begins with a ``truncated``
    problem that says so), or when following ends.

    :meth:`Following.stop`, which a signal handler or another thread may call, makes the next Log the last one, as if
    the file ended there.

    Args:
        path: one file of plain text; it must be there.
        interval: seconds between two Logs, at least; 0 gives them as fast as they are asked for.
        tables, engine, group, errors, limits: as for :func:`ssift.read`.

    Raises:
        NotFoundError: no such file.
        ReadError: it cannot be read, or is compressed, UTF-16 or no file.
        ProblemError: the first problem, with ``errors="raise"``.
        EngineError, ValueError: an argument is wrong.
    """
    return Following(os.fspath(path), interval, tables, engine, group, errors, limits)


class Following:
    """The iterator of :func:`follow`; as a context manager it closes the file.

    Attributes:
        over: whether the last Log was given.

    Raises:
        ValueError: ``errors`` or ``interval`` is out of its range.
    """

    def __init__(
        self,
        path: str,
        interval: float,
        tables: Collection[str] | None,
        engine: str | None,
        group: str,
        errors: str,
        limits: Limits | None,
    ) -> None:
        self._raise = stops_at_problem(errors)
        if not interval >= 0:
            raise ValueError(f"interval={interval!r}: seconds, at least 0")
        self._tables = Selection.of(tables).tables
        self._engine_name, make = engine_maker(self._tables, engine, group, limits or Limits())
        self._engine = make()
        self._interval = interval
        self._tail = Tail(path, WINDOW)
        self._head: Head | None = Head(path)  # None once the framing is known and the engine reads
        self._framing = ""
        self._names = {0: path}
        self._call = new_call()
        self._ended: list[SourceInfo] = []
        self._fed = 0  # bytes since the last Log
        self._due: float | None = None  # when the next Log may come; None before the first
        self._news = True
        self._shorter = False  # the source at hand is what became shorter
        self._stopping = False
        self.over = False

    def __iter__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def stop(self) -> None:
        """Make the next Log the last one."""
        self._stopping = True

    def close(self) -> None:
        """Close the file; no Log comes any more."""
        self.over = True
        self._tail.close()

    def __next__(self) -> Log:
        while not self.over:
            if self._stopping:
                return self._last()
            data = self._tail.read()
            if data:
                self._feed(data)
                if self._fed >= _BATCH:
                    return self._take()
            elif self._look() is Change.NONE:
                if self._news and (self._due is None or time.monotonic() >= self._due):
                    return self._take()
                time.sleep(min(_LOOK, self._interval) if self._interval else _LOOK)
        raise StopIteration

    def _feed(self, data: bytes) -> None:
        self._news = True
        self._fed += len(data)
        if self._head is not None:
            self._head.add(data)
            framing = self._head.framing()
            if framing is None:
                return
            self._begin(framing)
        else:
            self._engine.feed(data)
        self._check()

    def _begin(self, framing: str) -> None:
        assert self._head is not None
        self._framing = framing
        self._engine.begin(len(self._names) - 1, framing, self._head.offset)
        if self._shorter:
            self._engine.problem(PROBLEM_KINDS.index("truncated"), 0, 0, 1, M_SHORTER)
            self._shorter = False
        self._engine.feed(self._head.take())
        self._head = None

    def _look(self) -> Change:
        change = self._tail.change()
        if change is not Change.NONE:
            self._end()
            self._names[len(self._names)] = self._tail.path
            self._shorter = change is Change.SHORTER
            self._head = Head(self._tail.path)
        return change

    def _end(self) -> None:
        """The file, as it was, ends."""
        self._news = True
        if self._head is not None:
            self._begin(self._head.last_framing())
        counts = self._engine.end()
        self._ended.append(SourceInfo(self._names[len(self._names) - 1], counts.size, self._framing, None, counts))
        self._check()

    def _take(self) -> Log:
        self._fed, self._news = 0, False
        self._due = time.monotonic() + self._interval
        unfinished = None
        if self._head is None and not self.over:
            counts = self._engine.counts
            unfinished = SourceInfo(self._names[len(self._names) - 1], counts.size, self._framing, None, counts)
        log = Log(
            self._engine.take(), self._tables, self._names, self._ended, self._engine_name, unfinished, call=self._call
        )
        self._ended = []
        return log

    def _last(self) -> Log:
        """The end: what came since the last look, unless a large file is still being caught up with."""
        while self._due is not None and (data := self._tail.read()):
            self._feed(data)
        self._end()
        self.close()
        return self._take()

    def _check(self) -> None:
        if self._raise and self._engine.problem_count:
            raise_first(self._take())

"""Reads sources with an engine: :func:`read` gives one Log, :func:`scan` one after the other in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from ssift.contract import M_COMPRESSION, M_UTF16, PROBLEM_KINDS, Engine, Grouping, Limits, SourceCounts
from ssift.engine import choose
from ssift.errors import ProblemError
from ssift.log import Log, SourceInfo
from ssift.progress import Bar
from ssift.selection import Selection, Where
from ssift.sieve import Sieve
from ssift.sources import Opened, Readable, Source, find
from ssift.sources.finding import WINDOW

EngineName: TypeAlias = Literal["native", "python"]
Progress: TypeAlias = Callable[[int, int | None], object]

_GROUPINGS = ("auto", "id", "done")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def read(
    source: Readable,
    *,
    tables: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    engine: EngineName | None = None,
    threads: int | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    progress: bool | Progress = False,
    limits: Limits | None = None,
) -> Log:
    """Read everything into one :class:`~ssift.log.Log`.

    Args:
        source: a path, a pattern (``logs/*.sse``, ``**`` for any depth), a folder, ``-`` for standard input, a
            binary file object, bytes, an iterator of pieces, or a list of these. gzip is recognised by content.
        tables: the tables wanted, of ``ssift.contract.TABLES``; None is all. ``problems`` is always there. What is
            not wanted costs next to nothing; using it raises TableError.
        columns: columns wanted, as ``"tokens.logprob"``; only their tables are read. With ``tables`` too, a table of
            which no column is named has all.
        where: which responses: ``{"model": "m", "status": ["complete", "truncated"], "finish_reason": "stop"}``, by
            one value or several. Rows of other responses are dropped before they are kept, but for ``problems``.
            ``response`` stays the number in the whole input; the other row numbers count the rows that are kept.
        engine: ``"native"`` or ``"python"``; None follows the environment variable ``SSIFT_ENGINE``.
        threads: how many may be used; sources are read one after the other today, whatever the number.
        group: which chunks belong to one response: ``"auto"`` by id with rules for logs without usable ids,
            ``"id"`` by id alone, ``"done"`` by ``[DONE]`` and source alone.
        errors: ``"collect"`` keeps problems in ``log.problems`` and reads on; ``"raise"`` stops at the first.
        progress: True for a bar on standard error (on a terminal only), or a function called with the stored
            bytes read so far and the bytes in all (None when unknown).
        limits: sizes that are too much; see :class:`ssift.contract.Limits` for the defaults.

    Raises:
        NotFoundError: no such path, no match, or a folder without files.
        ReadError: a source cannot be opened, or reading broke off.
        ProblemError: the first problem, with ``errors="raise"``.
        EngineError: the engine asked for cannot be had.
        ValueError, TypeError: an argument is not one of those above.
    """
    selection = Selection.of(tables, columns, where)
    reader = _Reader(source, selection, bool(where), engine, threads, group, errors, progress, limits)
    (log,) = reader.logs(None)
    return log


def scan(
    source: Readable,
    *,
    batch_size: int | str = "64MB",
    whole_responses: bool = False,
    tables: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    engine: EngineName | None = None,
    threads: int | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    progress: bool | Progress = False,
    limits: Limits | None = None,
) -> Iterator[Log]:
    """Read in batches, each a :class:`~ssift.log.Log`, with memory bounded by the size of a batch.

    A batch holds what was finished after ``batch_size`` more bytes of (decompressed) input: an int, or text such as
    ``"64MB"`` (10**6) or ``"64MiB"`` (2**20). Row numbers count over all batches. A response has its number from its
    first event, and its rows in ``responses``, ``choices`` and ``tool_calls`` are in the batch in which it ends.
    With ``whole_responses``, and with ``where``, all rows of a response are in the batch in which it ends, and the
    row numbers ``chunk``, ``token_row`` and ``top_start`` follow that order; rows of open responses wait in memory.
    There is always at least one batch. The other arguments and the exceptions are those of :func:`read`; sources
    are looked for, and arguments checked, at the call.
    """
    selection = Selection.of(tables, columns, where)
    whole = whole_responses or bool(where)
    reader = _Reader(source, selection, whole, engine, threads, group, errors, progress, limits)
    return reader.logs(parse_size(batch_size))


def parse_size(size: int | str) -> int:
    """Bytes from an int or text: ``"64MB"`` is 64 * 10**6, ``"64MiB"`` 64 * 2**20.

    Raises:
        ValueError: it is no size, or less than 1.
    """
    if isinstance(size, str):
        match = _SIZE.fullmatch(size)
        if match is None:
            raise ValueError(f"{size!r} is not a size; write a number of bytes or text such as '64MB' or '64MiB'")
        number, unit, binary = match.groups()
        size = int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])
    if size < 1:
        raise ValueError(f"a size must be at least 1 byte, not {size}")
    return size


class _Reader:
    """One call: its sources, its engine, and the numbers that run over all batches."""

    def __init__(
        self,
        source: Readable,
        selection: Selection,
        whole_responses: bool,
        engine: str | None,
        threads: int | None,
        group: str,
        errors: str,
        progress: bool | Progress,
        limits: Limits | None,
    ) -> None:
        self._selection = selection
        self._sieve = Sieve(selection.where, selection.tables) if whole_responses else None
        if group not in _GROUPINGS:
            raise ValueError(f"group={group!r}: use one of {', '.join(_GROUPINGS)}")
        if errors not in ("collect", "raise"):
            raise ValueError(f"errors={errors!r}: use collect or raise")
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least 1, or None")
        self._limits = limits or Limits()
        self._engine_name, make = choose(engine)
        tables = selection.read_tables(whole_responses)
        self._engine: Engine = make(
            tables, group, self._limits.event_bytes, self._limits.depth, self._limits.open_responses
        )
        self._raise = errors == "raise"
        self._sources = find(source)
        self._names: list[str] = []
        self._ended: list[SourceInfo] = []
        self._report: Progress | None = Bar() if progress is True else progress or None
        sizes = [found.size for found in self._sources]
        self._total = None if None in sizes else sum(size for size in sizes if size is not None)
        self._done = 0

    def logs(self, batch_bytes: int | None) -> Iterator[Log]:
        """Logs of ``batch_bytes`` of input each, or one of all when that is None."""
        left = batch_bytes
        largest = max(WINDOW if source.size is None else source.size for source in self._sources)
        buffer = bytearray(min(WINDOW, max(largest + 1, 64 << 10)))
        try:
            for number, source in enumerate(self._sources):
                self._names.append(source.name)
                with Opened(source, buffer, self._limits.event_bytes) as opened:
                    lines = _Lines(opened.framing) if opened.compression else None
                    self._engine.begin(number, opened.framing, opened.offset + opened.undecodable)
                    for piece in opened:
                        start = 0
                        while start < len(piece):
                            step = min(WINDOW, len(piece) - start, left or WINDOW)
                            self._feed(piece[start : start + step], opened.taken, lines)
                            start += step
                            if left is not None:
                                left -= step
                                if not left:
                                    yield self._take()
                                    left = batch_bytes
                    self._end(source, opened, lines)
                    self._done += opened.taken
            yield self._take(last=True)
        finally:
            if isinstance(self._report, Bar):
                self._report.clear()

    def _feed(self, piece: memoryview, taken: int, lines: _Lines | None) -> None:
        self._engine.feed(piece)
        if lines is not None:
            lines.feed(piece)
        if self._raise and self._engine.problem_count:
            self._raise_first()
        if self._report is not None:
            self._report(self._done + taken, self._total)

    def _end(self, source: Source, opened: Opened, lines: _Lines | None) -> None:
        if opened.damaged and lines is not None:
            offset = opened.offset + lines.size
            self._engine.problem(PROBLEM_KINDS.index("compression"), offset, 0, lines.line, M_COMPRESSION)
        if opened.undecodable:
            self._engine.problem(PROBLEM_KINDS.index("encoding"), 0, opened.undecodable, 1, M_UTF16)
        counts = self._engine.end()
        if opened.undecodable:  # the engine saw blanks; what could not be decoded is the problem's
            counts = counts._replace(problem_bytes=opened.undecodable, blank_bytes=0)
        self._ended.append(SourceInfo(source.name, _size(counts), opened.framing, opened.compression, counts))
        if self._raise and self._engine.problem_count:
            self._raise_first()

    def _take(self, last: bool = False) -> Log:
        selection = self._selection
        batch = self._engine.take()
        if self._sieve is not None:
            batch = self._sieve.sift(batch, last)
        batch = selection.project(batch)
        log = Log(batch, selection.tables, self._names, self._ended, self._engine_name, selection.schemas)
        self._ended = []
        return log

    def _raise_first(self) -> None:
        first = self._take().problems.row(0)
        raise ProblemError(
            first["source"], first["offset"], first["length"], first["line"], first["kind"], first["message"]
        )


def _size(counts: SourceCounts) -> int:
    return (
        counts.chunk_bytes
        + counts.error_bytes
        + counts.done_bytes
        + counts.skipped_bytes
        + counts.problem_bytes
        + counts.blank_bytes
    )


class _Lines:
    """Counts decoded bytes and line ends, for the place where compressed data broke off."""

    def __init__(self, framing: str) -> None:
        self.size = 0
        self.line = 1
        self._any_end = framing == "sse"
        self._after_return = False

    def feed(self, piece: memoryview) -> None:
        octets: Any = np.frombuffer(piece, np.uint8)
        feeds = octets == 0x0A
        self.size += len(piece)
        self.line += int(np.count_nonzero(feeds))
        if self._any_end:
            returns = octets == 0x0D
            pairs = int(np.count_nonzero(returns[:-1] & feeds[1:])) + (self._after_return and bool(feeds[0]))
            self.line += int(np.count_nonzero(returns)) - pairs
            self._after_return = bool(returns[-1])

"""Reads sources with an engine: :func:`read` gives one Log, :func:`scan` one after the other in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np

from ssift.contract import M_COMPRESSION, M_UTF16, PROBLEM_KINDS, TABLES, Engine, Grouping, Limits, SourceCounts
from ssift.engine import choose
from ssift.errors import ProblemError
from ssift.log import Log, SourceInfo
from ssift.progress import Bar
from ssift.sources import Opened, Readable, Records, Source, find
from ssift.sources.containers import Fault, Format, named
from ssift.sources.finding import WINDOW
from ssift.unpacking import Names, Unpacker

EngineName: TypeAlias = Literal["native", "python"]
Progress: TypeAlias = Callable[[int, int | None], object]

Form: TypeAlias = "str | Records"

_GROUPINGS = ("auto", "id", "done")
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def read(
    source: Readable,
    *,
    tables: Collection[str] | None = None,
    engine: EngineName | None = None,
    threads: int | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    progress: bool | Progress = False,
    limits: Limits | None = None,
    format: Form | None = None,
) -> Log:
    """Read everything into one :class:`~ssift.log.Log`.

    Args:
        source: a path, a pattern (``logs/*.sse``, ``**`` for any depth), a folder, ``-`` for standard input, a
            binary file object, bytes, an iterator of pieces, or a list of these. gzip is recognised by content.
        tables: the tables wanted, of ``ssift.contract.TABLES``; None is all. ``problems`` is always there. What is
            not wanted costs next to nothing; using it raises TableError.
        engine: ``"native"`` or ``"python"``; None follows the environment variable ``SSIFT_ENGINE``.
        threads: how many may be used; sources are read one after the other today, whatever the number.
        group: which chunks belong to one response: ``"auto"`` by id with rules for logs without usable ids,
            ``"id"`` by id alone, ``"done"`` by ``[DONE]`` and source alone.
        errors: ``"collect"`` keeps problems in ``log.problems`` and reads on; ``"raise"`` stops at the first.
        progress: True for a bar on standard error (on a terminal only), or a function called with the stored
            bytes read so far and the bytes in all (None when unknown).
        limits: sizes that are too much; see :class:`ssift.contract.Limits` for the defaults.
        format: how all sources are to be read; None tells it by the content of each. ``"sse"``, ``"jsonl"`` or
            ``"json"``; a container, whose bodies are sources by themselves called ``file#3``: ``"aiperf"``,
            ``"inference-perf"``, ``"helicone"``, ``"batch"``, ``"har"``, ``"vcr"``, ``"mitmproxy"``, ``"docker"``,
            ``"cri"``, ``"timestamped"``; or :class:`ssift.Records`, for any other log of records.

    Raises:
        NotFoundError: no such path, no match, or a folder without files.
        ReadError: a source cannot be opened, or reading broke off.
        ProblemError: the first problem, with ``errors="raise"``.
        EngineError: the engine asked for cannot be had.
        ValueError, TypeError: an argument is not one of those above.
    """
    reader = _Reader(source, tables, engine, threads, group, errors, progress, limits, format)
    (log,) = reader.logs(None)
    return log


def scan(
    source: Readable,
    *,
    batch_size: int | str = "64MB",
    tables: Collection[str] | None = None,
    engine: EngineName | None = None,
    threads: int | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    progress: bool | Progress = False,
    limits: Limits | None = None,
    format: Form | None = None,
) -> Iterator[Log]:
    """Read in batches, each a :class:`~ssift.log.Log`, with memory bounded by the size of a batch.

    A batch holds what was finished after ``batch_size`` more bytes of (decompressed) input: an int, or text such as
    ``"64MB"`` (10**6) or ``"64MiB"`` (2**20). Row numbers count over all batches. A response has its number from its
    first event, and its rows in ``responses``, ``choices`` and ``tool_calls`` are in the batch in which it ends.
    There is always at least one batch. The other arguments and the exceptions are those of :func:`read`; sources
    are looked for, and arguments checked, at the call.
    """
    reader = _Reader(source, tables, engine, threads, group, errors, progress, limits, format)
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
        tables: Collection[str] | None,
        engine: str | None,
        threads: int | None,
        group: str,
        errors: str,
        progress: bool | Progress,
        limits: Limits | None,
        form: Form | None,
    ) -> None:
        self._tables = _wanted(tables)
        if group not in _GROUPINGS:
            raise ValueError(f"group={group!r}: use one of {', '.join(_GROUPINGS)}")
        if errors not in ("collect", "raise"):
            raise ValueError(f"errors={errors!r}: use collect or raise")
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least 1, or None")
        self._limits = limits or Limits()
        self._engine_name, make = choose(engine)
        self._engine: Engine = make(
            self._tables, group, self._limits.event_bytes, self._limits.depth, self._limits.open_responses
        )
        self._raise = errors == "raise"
        self._sources = find(source)
        if form is not None:
            named(form)
        self._form = form
        self._names = Names()
        self._source = -1  # number of the source at hand; the latest one may be a body in it
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
            for source in self._sources:
                number = self._source = self._names.add(source.name)
                with Opened(source, buffer, self._limits.event_bytes, self._form) as opened:
                    if opened.container is not None:
                        for size in self._unpack(opened.container, source, opened, number):
                            if left is not None:
                                left -= size
                                if left <= 0:
                                    yield self._take()
                                    left = batch_bytes
                        continue
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
            yield self._take()
        finally:
            if isinstance(self._report, Bar):
                self._report.clear()

    def _unpack(self, form: Format, source: Source, opened: Opened, number: int) -> Iterator[int]:
        """Read the bodies of a container; after each step the bytes of bodies in it."""
        lines = _Lines("jsonl") if opened.compression else None
        pieces = opened.pieces if lines is None else _watched(opened.pieces, lines)
        unpacker = Unpacker(
            self._engine, form, source.name, opened.compression, number, self._names, self._ended.append
        )
        for size in unpacker.read(pieces):
            self._check(opened.taken)
            yield size
        if opened.damaged and lines is not None:
            unpacker.fault(Fault(M_COMPRESSION, opened.offset + lines.size, 0, lines.line, "compression"))
        unpacker.end()
        self._check(opened.taken)
        self._done += opened.taken

    def _check(self, taken: int) -> None:
        if self._raise and self._engine.problem_count:
            self._raise_first()
        if self._report is not None:
            self._report(self._done + taken, self._total)

    def _feed(self, piece: memoryview, taken: int, lines: _Lines | None) -> None:
        self._engine.feed(piece)
        if lines is not None:
            lines.feed(piece)
        self._check(taken)

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

    def _take(self) -> Log:
        batch = self._engine.take()
        log = Log(batch, self._tables, self._names.by_number, self._ended, self._engine_name)
        self._ended.clear()
        self._names.keep(self._source)
        return log

    def _raise_first(self) -> None:
        first = self._take().problems.row(0)
        raise ProblemError(
            first["source"], first["offset"], first["length"], first["line"], first["kind"], first["message"]
        )


def _wanted(tables: Collection[str] | None) -> frozenset[str]:
    if tables is None:
        return frozenset(TABLES)
    wanted = {tables} if isinstance(tables, str) else set(tables)
    unknown = sorted(wanted.difference(TABLES))
    if unknown:
        raise ValueError(f"tables={unknown[0]!r}: there is no such table; the tables are {', '.join(TABLES)}")
    return frozenset(wanted | {"problems"})


def _size(counts: SourceCounts) -> int:
    return (
        counts.chunk_bytes
        + counts.error_bytes
        + counts.done_bytes
        + counts.skipped_bytes
        + counts.problem_bytes
        + counts.blank_bytes
    )


def _watched(pieces: Iterator[memoryview], lines: _Lines) -> Iterator[memoryview]:
    for piece in pieces:
        lines.feed(piece)
        yield piece


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

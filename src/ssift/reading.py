"""Reads sources with an engine: :func:`read` gives one Log, :func:`scan` one after the other in bounded memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Literal, NoReturn, TypeAlias

from ssift.contract import M_UTF16, PROBLEM_KINDS, Engine, Grouping, Limits
from ssift.engine import choose
from ssift.errors import ProblemError
from ssift.log import Log, SourceInfo
from ssift.progress import Bar
from ssift.selection import Selection, Where
from ssift.sieve import Sieve
from ssift.sources import Opened, Readable, Source, find
from ssift.sources.source import WINDOW

EngineName: TypeAlias = Literal["native", "python"]
Progress: TypeAlias = Callable[[int, int | None], object]

_GROUPINGS = ("auto", "id", "done")
_PROBLEMS = 1 << 17  # in a batch, looked at after each window
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
        source: a path, a pattern (``logs/*.sse``, ``**`` for any depth), a folder, a URL, ``-`` for standard input, a
            binary file object, bytes, an iterator of pieces, or a list of these. gzip, zstd, bzip2, xz and lz4 are
            recognised by content.
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
        ReadError: a source cannot be opened, what reads it is not installed, or reading broke off.
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
    ``"64MB"`` (10**6) or ``"64MiB"`` (2**20); less where there are very many problems, which take more memory than
    the lines they stand for. Row numbers count over all batches. A response has its number from its
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
        self._engine_name, self._engine = make_engine(selection.read_tables(whole_responses), engine, group, limits)
        if errors not in ("collect", "raise"):
            raise ValueError(f"errors={errors!r}: use collect or raise")
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least 1, or None")
        self._limits = limits or Limits()
        self._raise = errors == "raise"
        self._sources = find(source)
        self._names: list[str] = []
        self._ended: list[SourceInfo] = []
        self._report: Progress | None = Bar() if progress is True else progress or None
        sizes = [found.size for found in self._sources]
        self._total = None if None in sizes else sum(size for size in sizes if size is not None)
        self._done = 0
        self._problems_taken = 0

    def logs(self, batch_bytes: int | None) -> Iterator[Log]:
        """Logs of ``batch_bytes`` of input each, or one of all when that is None."""
        left = batch_bytes
        largest = max(WINDOW if source.size is None else source.size for source in self._sources)
        buffer = bytearray(min(WINDOW, max(largest + 1, 64 << 10)))
        try:
            for number, source in enumerate(self._sources):
                self._names.append(source.name)
                with Opened(source, buffer, self._limits.event_bytes) as opened:
                    self._engine.begin(number, opened.framing, opened.offset + opened.undecodable)
                    for piece in opened:
                        start = 0
                        while start < len(piece):
                            step = min(WINDOW, len(piece) - start, left or WINDOW)
                            self._feed(piece[start : start + step], opened.taken)
                            start += step
                            if left is not None:
                                left -= step
                                if not left or self._engine.problem_count - self._problems_taken >= _PROBLEMS:
                                    yield self._take()
                                    left = batch_bytes
                    self._end(source, opened)
                    self._done += opened.taken
            yield self._take(last=True)
        finally:
            if isinstance(self._report, Bar):
                self._report.clear()

    def _feed(self, piece: memoryview, taken: int) -> None:
        self._engine.feed(piece)
        if self._raise and self._engine.problem_count:
            raise_first(self._take())
        if self._report is not None:
            self._report(self._done + taken, self._total)

    def _end(self, source: Source, opened: Opened) -> None:
        if opened.damage is not None:
            offset, line = opened.place_of_end()
            self._engine.problem(PROBLEM_KINDS.index("compression"), offset, 0, line, opened.damage)
        if opened.undecodable:
            self._engine.problem(PROBLEM_KINDS.index("encoding"), 0, opened.undecodable, 1, M_UTF16)
        counts = self._engine.end()
        if opened.undecodable:  # the engine saw blanks; what could not be decoded is the problem's
            counts = counts._replace(problem_bytes=opened.undecodable, blank_bytes=0)
        self._ended.append(SourceInfo(source.name, counts.size, opened.framing, opened.compression, counts))
        if self._raise and self._engine.problem_count:
            raise_first(self._take())

    def _take(self, last: bool = False) -> Log:
        self._problems_taken = self._engine.problem_count
        selection = self._selection
        batch = self._engine.take()
        if self._sieve is not None:
            batch = self._sieve.sift(batch, last)
        log = Log(
            selection.project(batch),
            selection.tables,
            self._names,
            self._ended,
            self._engine_name,
            schemas=selection.schemas,
        )
        self._ended = []
        return log


def raise_first(log: Log) -> NoReturn:
    """Raise the first problem of ``log``."""
    first = log.problems.row(0)
    raise ProblemError(
        first["source"], first["offset"], first["length"], first["line"], first["kind"], first["message"]
    )


def make_engine(tables: frozenset[str], engine: str | None, group: str, limits: Limits | None) -> tuple[str, Engine]:
    """The name of the engine, and a new engine that reads ``tables``.

    Raises:
        EngineError: the engine asked for cannot be had.
        ValueError: an argument is not one of those of :func:`read`.
    """
    if group not in _GROUPINGS:
        raise ValueError(f"group={group!r}: use one of {', '.join(_GROUPINGS)}")
    limits = limits or Limits()
    name, make = choose(engine)
    return name, make(tables, group, limits.event_bytes, limits.depth, limits.open_responses)

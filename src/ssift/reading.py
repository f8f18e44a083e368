"""Reads sources with an engine: :func:`read` gives one Log, :func:`scan` one after the other in bounded memory."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Literal, NoReturn, TypeAlias, cast

from ssift.contract import Engine, Grouping, Limits, PartEngine
from ssift.engine import choose
from ssift.errors import ProblemError
from ssift.log import Log, new_call
from ssift.omission import BEHIND, Omission, Omit, omitted_kinds
from ssift.parallel import Team
from ssift.portions import Portion, SourceReader, merged
from ssift.progress import Bar
from ssift.selection import Selection, Where
from ssift.sieve import Sieve
from ssift.sources import Readable, find

if TYPE_CHECKING:
    from ssift.sources import Records

EngineName: TypeAlias = Literal["native", "python"]
Progress: TypeAlias = Callable[[int, int | None], object]

Form: TypeAlias = "str | Records"

_GROUPINGS = ("auto", "id", "done")
_PART = 4 << 20  # bytes of input below which a part is not worth a thread
_LARGEST_PART = 64 << 20
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
    format: Form | None = None,
    omit: Omit | Collection[Omit] | None = None,
) -> Log:
    """Read everything into one :class:`~ssift.log.Log`; :func:`scan` does it in bounded memory.

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
            A response that names no model has the model ``""``, a choice without a finish_reason has None.
        engine: ``"native"`` or ``"python"``; None follows the environment variable ``SSIFT_ENGINE``.
        threads: how many may read side by side (native engine); None is one for each core. Large event streams are
            divided where a ``[DONE]`` stands; small inputs, and ``errors="raise"``, take one.
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
        omit: entries of logprobs to leave out, one or several of: ``"repeated"``, those that an earlier list of the
            choice had, where all its lists are cumulative; ``"zero_width"``, those with an empty token and no
            bytes, such as end tokens. ``log.omitted`` counts them; ``position``, ``token_count`` and
            ``logprob_sum`` are those of what is left.

    Raises:
        NotFoundError: no such path, no match, or a folder without files.
        ReadError: a source cannot be opened, what reads it is not installed, or reading broke off.
        ProblemError: the first problem, with ``errors="raise"``.
        EngineError: the engine asked for cannot be had.
        ValueError, TypeError: an argument is not one of those above.
    """
    selection = Selection.of(tables, columns, where)
    reader = _Reader(source, selection, bool(where), engine, threads, group, errors, progress, limits, format, omit)
    (log,) = reader.logs(None)
    return log


def scan(
    source: Readable,
    *,
    batch_size: int | str = "32MB",
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
    format: Form | None = None,
    omit: Omit | Collection[Omit] | None = None,
) -> Iterator[Log]:
    """Read in batches, each a :class:`~ssift.log.Log`, with memory bounded by the size of a batch.

    Row numbers count over all batches. A response has its number from its first event, and its rows in ``responses``,
    ``choices`` and ``tool_calls`` are in the batch in which it ends. Sources are looked for, and arguments checked, at
    the call.

    Args:
        batch_size: a batch holds what was finished after so many more bytes of (decompressed) input: an int, or text
            such as ``"64MB"`` (10**6) or ``"64MiB"`` (2**20). Less where there are very many problems, which take
            more memory than the lines they stand for.
        whole_responses: all rows of a response are in the batch in which it ends, as always with ``where`` and
            ``omit``. The row numbers ``chunk``, ``token_row`` and ``top_start`` follow that order; rows of open
            responses wait in memory.
        source, tables, columns, where, engine, threads, group, errors, progress, limits, format, omit: as for
            :func:`read`.

    Returns:
        An iterator of batches, at least one.

    Raises:
        ValueError: ``batch_size`` is no size, or another argument is wrong.
        SsiftError: as :func:`read`, at the call or while reading.
    """
    selection = Selection.of(tables, columns, where)
    whole = whole_responses or bool(where)
    reader = _Reader(source, selection, whole, engine, threads, group, errors, progress, limits, format, omit)
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
    """One call: its sources, its engines, and what is told of them."""

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
        form: Form | None,
        omit: Omit | Collection[Omit] | None,
    ) -> None:
        self._limits = limits or Limits()
        if form is not None:
            from ssift.sources.containers import named

            named(form)
        self._form = form
        self._selection = selection
        kinds = omitted_kinds(omit)
        self._omission = Omission(kinds) if kinds else None
        behind = BEHIND if kinds else frozenset()
        whole = whole_responses or bool(kinds)
        self._sieve = Sieve(selection.where, selection.tables | behind) if whole else None
        tables = selection.read_tables(whole) | behind
        self._engine_name, self._make = engine_maker(tables, engine, group, self._limits)
        self._raise = stops_at_problem(errors)
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least 1, or None for one on each core")
        self._sources = find(source)
        self._threads = threads
        self._call = new_call()
        self._report: Progress | None = Bar() if progress is True else progress or None
        sizes = [found.size for found in self._sources]
        self._total = None if None in sizes else sum(size for size in sizes if size is not None)
        self._done = 0

    def logs(self, batch_bytes: int | None) -> Iterator[Log]:
        """Logs of ``batch_bytes`` of input each, or one of all when that is None."""
        threads = self._useful_threads(batch_bytes)
        try:
            for portion in self._alone(batch_bytes) if threads == 1 else self._together(threads, batch_bytes):
                log = self._log(portion)
                if self._raise and len(log.problems):
                    raise_first(log)
                yield log
        finally:
            if isinstance(self._report, Bar):
                self._report.clear()

    def _useful_threads(self, batch_bytes: int | None) -> int:
        """As many as were asked for, or as there are cores; one where more would not help, or must not read on."""
        if self._threads == 1 or self._engine_name != "native" or self._raise:
            return 1
        if self._total is None or self._total < 2 * _PART or (batch_bytes is not None and batch_bytes < _PART):
            return 1
        return self._threads or cores()

    def _alone(self, batch_bytes: int | None) -> Iterator[Portion]:
        return SourceReader(self._make(), self._limits, self._watch, self._raise, self._form).read(
            self._sources, batch_bytes
        )

    def _together(self, threads: int, batch_bytes: int | None) -> Iterator[Portion]:
        """What several threads read; portions of many small sources are put together."""
        make = cast("Callable[[], PartEngine]", self._make)
        size = min(batch_bytes or _LARGEST_PART, _LARGEST_PART)
        gathered: list[Portion] = []
        for portion in Team(self._sources, threads, make, self._limits, size, self._form):
            self._watch(portion.taken)
            gathered.append(portion)
            if batch_bytes is not None and sum(part.size for part in gathered) > batch_bytes // 2:
                yield merged(gathered)
                gathered = []
        if gathered or batch_bytes is None:
            yield merged(gathered)

    def _watch(self, taken: int) -> None:
        self._done += taken
        if self._report is not None:
            self._report(self._done, self._total)

    def _log(self, portion: Portion) -> Log:
        """What of a portion was asked for."""
        selection = self._selection
        batch, omitted = portion.batch, Counter[str]()
        if self._sieve is not None:
            batch = self._sieve.sift(batch)
        if self._omission is not None:
            batch, omitted = self._omission.apply(batch)
        return Log(
            selection.project(batch),
            selection.tables,
            portion.names,
            portion.ended,
            self._engine_name,
            schemas=selection.schemas,
            call=self._call,
            omitted=omitted,
        )


def stops_at_problem(errors: str) -> bool:
    """What ``errors=`` asks for.

    Raises:
        ValueError: it is neither ``"collect"`` nor ``"raise"``.
    """
    if errors not in ("collect", "raise"):
        raise ValueError(f"errors={errors!r}: use collect or raise")
    return errors == "raise"


def raise_first(log: Log) -> NoReturn:
    """Raise the first problem of ``log``."""
    first = log.problems.row(0)
    raise ProblemError(
        first["source"], first["offset"], first["length"], first["line"], first["kind"], first["message"]
    )


def engine_maker(
    tables: frozenset[str], engine: str | None, group: str, limits: Limits
) -> tuple[str, Callable[[], Engine]]:
    """The name of the engine, and what makes one that reads ``tables``.

    Raises:
        EngineError: the engine asked for cannot be had.
        ValueError: an argument is not one of those of :func:`read`.
    """
    if group not in _GROUPINGS:
        raise ValueError(f"group={group!r}: use one of {', '.join(_GROUPINGS)}")
    name, make = choose(engine)
    return name, lambda: make(tables, group, limits.event_bytes, limits.depth, limits.open_responses)


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

"""Parts of an input for many processes: :func:`partitions` makes them, :func:`read_partition` reads one anywhere.

They are what a cluster needs (Ray, Dask, Spark, Daft), and are small: names of files, places and options.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, TypeAlias, cast

from ssift.borders import Border, Division, divide
from ssift.contract import Engine, Framing, Grouping, Limits
from ssift.errors import ReadError
from ssift.joining import Numbers, renumber
from ssift.log import Log, SourceInfo, new_call
from ssift.portions import Portion, SourceReader, merged
from ssift.reading import EngineName, Form, engine_maker, parse_size, raise_first, stops_at_problem
from ssift.selection import Selection, Where
from ssift.sieve import Sieve
from ssift.sources import Readable, Source, find
from ssift.sources.lenient import Lenient
from ssift.sources.remote import find_remote, is_url
from ssift.sources.source import WINDOW

Map: TypeAlias = Callable[[Callable[["Work"], Division], Iterable["Work"]], Iterable[Division]]
"""``map`` itself, or what does the same elsewhere: ``executor.map`` of a pool."""

SIZE = "128MB"

ROWS = 1 << 40
"""Row numbers in partition n are n * ROWS and up."""


@dataclass(frozen=True)
class Reading:
    """The options of one call of :func:`partitions`, the same for all its partitions; as for ``ssift.read``.

    ``folder`` is where relative paths begin, ``call`` the name of the call (see :class:`ssift.Log`).
    """

    tables: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    where: Where | None = None
    engine: EngineName | None = None
    group: Grouping = "auto"
    errors: Literal["collect", "raise"] = "collect"
    limits: Limits = field(default_factory=Limits)
    format: Form | None = None
    folder: str = ""
    call: str = ""

    def selection(self) -> Selection:
        """What is wanted."""
        return Selection.of(self.tables, self.columns, self.where)

    def engine_maker(self, selection: Selection, *more: str) -> tuple[str, Callable[[], Engine]]:
        """The name of the engine, and what makes one that reads what is wanted, and the tables ``more``."""
        tables = selection.read_tables(bool(self.where)) | set(more)
        return engine_maker(tables, self.engine, self.group, self.limits)


@dataclass(frozen=True)
class Partition:
    """Whole sources, or a stretch of one.

    Attributes:
        number: its place in the list, from 0.
        sources: paths or URLs.
        size: stored bytes.
        start, stop: the stretch, in bytes; ``stop`` is None of whole sources.
        line: number of the line at ``start``.
        framing: of a stretch: how its source is framed.
        first, last: whether the stretch begins its source (``start`` is then behind a byte-order mark), and ends it.
        reading: how it is read.
    """

    number: int
    sources: tuple[str, ...]
    size: int | None
    start: int = 0
    stop: int | None = None
    line: int = 1
    framing: Framing | None = None
    first: bool = True
    last: bool = True
    reading: Reading = field(default_factory=Reading)


@dataclass(frozen=True)
class Work:
    """A source to look through for borders."""

    name: str
    size: int
    reading: Reading


def partitions(
    source: Readable,
    size: int | str = SIZE,
    *,
    tables: Collection[str] | None = None,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    engine: EngineName | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    limits: Limits | None = None,
    format: Form | None = None,
    unread: dict[str, str] | None = None,
    map: Map = map,
) -> list[Partition]:
    """Divide an input into partitions of about ``size`` stored bytes each, to be read by :func:`read_partition`.

    Together they give what one ``ssift.read`` gives: no response is read twice or lost, whatever the size, in
    interleaved and damaged logs too. Plain event streams and JSON lines larger than ``size`` are cut at borders that
    nothing reaches over (:mod:`ssift.borders`); to find them each such file is read once, here or where ``map`` does
    it. A stretch is as long as it must be: responses that interleave without end make one partition. Compressed
    files and containers are never cut. Smaller files share a partition.

    Row numbers (``response``, ``chunk``, ``token_row``, ``top_start``) are unique over all partitions: those in
    partition n begin at ``n * 2**40`` and count from there. They are the same in every run over the same files with
    the same arguments.

    Args:
        source: paths, patterns, folders, URLs, or a list of these: what any machine can open by its name.
        size: an int, or text such as ``"128MB"``.
        unread: a dict, to leave out files that cannot be opened and note them there, name -> what is wrong; without it
            the first raises. What a file holds is never wrong in this sense: that is a problem.
        map: how files are looked through for borders: ``map`` does it here, one after the other;
            ``ProcessPoolExecutor().map`` in processes.
        tables, columns, where, engine, group, errors, limits, format: as for :func:`ssift.read`; they hold for the
            reading.

    Raises:
        TypeError: a source has no name that another process could open.
        SsiftError, ValueError: as :func:`ssift.read`.
    """
    most = parse_size(size)
    stops_at_problem(errors)
    if format is not None:
        from ssift.sources.containers import named

        named(format)
    reading = Reading(
        _tuple(tables),
        _tuple(columns),
        where,
        engine,
        group,
        errors,
        limits or Limits(),
        format,
        os.getcwd(),
        new_call(),
    )
    reading.engine_maker(reading.selection())
    sources = find(source, unread)
    for one in sources:
        if not one.name or not one.repeatable:
            raise TypeError(f"{one.name or 'an object in memory'}: only files and URLs can be divided into partitions")
    large = [one for one in sources if one.ranges and one.size is not None and one.size > most]
    works = (Work(one.name, cast(int, one.size), reading) for one in large)
    divisions = dict(zip(_names(large), map(partial(_division, most, unread is not None), works), strict=True))
    if unread is not None:  # files that went away since they were found
        unread |= {name: division.unread for name, division in divisions.items() if division.unread is not None}
        sources = [one for one in sources if one.name not in unread]
    return list(_numbered(sources, divisions, most, reading))


def _names(sources: Iterable[Source]) -> list[str]:
    return [source.name for source in sources]


def _tuple(names: Collection[str] | None) -> tuple[str, ...] | None:
    return (names,) if isinstance(names, str) else None if names is None else tuple(names)


def _division(size: int, skip: bool, work: Work) -> Division:
    """The borders in one source; with ``skip`` what is wrong with it is told, not raised."""
    _, make = work.reading.engine_maker(work.reading.selection(), "responses")
    limits = work.reading.limits
    try:
        (source,) = _opened((work.name,), work.reading)
        return divide(source, size, work.size, make(), limits.event_bytes, work.reading.format)
    except ReadError as error:
        if not skip:
            raise
        return Division("sse", [], str(error))


def _numbered(
    sources: list[Source], divisions: dict[str, Division], most: int, reading: Reading
) -> Iterator[Partition]:
    number = 0
    small: list[Source] = []

    def together() -> Iterator[Partition]:
        nonlocal number
        if small:
            sizes = [source.size for source in small]
            size = None if None in sizes else sum(cast("list[int]", sizes))
            yield Partition(number, tuple(_names(small)), size, reading=reading)
            number += 1
            small.clear()

    for source in sources:
        division = divisions.get(source.name)
        stretches = [] if division is None else _stretches(division, cast(int, source.size))
        if len(stretches) > 1:
            yield from together()
            for begin, stop in stretches:
                assert division is not None
                yield Partition(
                    number, (source.name,), stop - begin.offset, begin.offset, stop, begin.line, division.framing,
                    begin is division.borders[0], stop == source.size, reading,
                )  # fmt: skip
                number += 1
            continue
        if source.size is None or sum(one.size or 0 for one in small) + source.size > most:
            yield from together()
        small.append(source)
    yield from together()


def _opened(names: Iterable[str], reading: Reading, unread: dict[str, str] | None = None) -> list[Source]:
    """The sources called ``names`` where they were found, in this process; see ``unread`` of :func:`scan_partition`."""
    found = []
    for name in names:
        try:
            (source,) = find_remote(name, exact=True) if is_url(name) else find(os.path.join(reading.folder, name))
        except ReadError as error:
            if unread is None:
                raise
            unread[name] = str(error)
            continue
        source.name = name
        found.append(source if unread is None else Lenient(source, unread))
    return found


def _stretches(division: Division, size: int) -> list[tuple[Border, int]]:
    borders = division.borders
    return list(zip(borders, [*(border.offset for border in borders[1:]), size], strict=True))


def read_partition(partition: Partition) -> Log:
    """Read one partition into a :class:`~ssift.log.Log`. Its row numbers are told at :func:`partitions`.

    Raises:
        ReadError: a source cannot be read, or has become shorter since it was divided.
        ProblemError: the first problem, with ``errors="raise"``.
    """
    (log,) = scan_partition(partition, batch_size=None)
    return log


def scan_partition(
    partition: Partition, *, batch_size: int | str | None = "64MB", unread: dict[str, str] | None = None
) -> Iterator[Log]:
    """Read one partition in batches, as :func:`ssift.scan` does.

    Args:
        partition: one of those of :func:`partitions`.
        batch_size: as for ``ssift.scan``; None reads everything into one.
        unread: a dict, to go on where a file has gone since, or reading it breaks off, and note it there, name -> what
            is wrong; what was read before that counts. Without it the first raises.

    Raises:
        ReadError: a source cannot be read, or has become shorter since it was divided.
        ProblemError: the first problem, with ``errors="raise"``.
    """
    reading = partition.reading
    selection = reading.selection()
    engine, make = reading.engine_maker(selection)
    sieve = Sieve(selection.where, selection.tables) if reading.where else None
    before = partition.number * ROWS
    base = Numbers(0, before, before, before, before)
    size = None if batch_size is None else parse_size(batch_size)
    for portion in _portions(partition, make(), size, unread):
        batch = portion.batch if sieve is None else sieve.sift(portion.batch)
        # The lines of whole sources count from 1 by themselves.
        batch = renumber(batch, base, partition.line - 1)
        log = Log(
            selection.project(batch),
            selection.tables,
            portion.names,
            portion.ended,
            engine,
            schemas=selection.schemas,
            call=reading.call,
        )
        if reading.errors == "raise" and len(log.problems):
            raise_first(log)
        yield log


def _portions(
    partition: Partition, engine: Engine, size: int | None, unread: dict[str, str] | None
) -> Iterator[Portion]:
    reading = partition.reading
    sources = _opened(partition.sources, reading, unread)
    if partition.stop is None or not sources:
        reader = SourceReader(engine, reading.limits, None, reading.errors == "raise", reading.format)
        yield from reader.read(sources, size)
        return
    portions = _stretch(partition, sources[0], partition.stop, engine, size, unread)
    if size is None:
        yield merged(list(portions))
    else:
        yield from portions


def _stretch(
    partition: Partition, source: Source, stop: int, engine: Engine, size: int | None, unread: dict[str, str] | None
) -> Iterator[Portion]:
    """The portions of a stretch of one source."""
    framing = cast(Framing, partition.framing)
    start = partition.start
    (engine.begin if partition.first else engine.resume)(0, framing, start)
    names = {0: source.name}
    left = stop - start
    untaken = 0
    step = min(WINDOW, size or WINDOW)
    for window in source.stretch(bytearray(min(WINDOW, left)), start, stop):
        for at in range(0, len(window), step):
            piece = window[at : at + step]
            engine.feed(piece)
            left -= len(piece)
            untaken += len(piece)
            if size is not None and untaken >= size and left:
                yield Portion(engine.take(), names, [], untaken, untaken)
                untaken = 0
    if left:
        reason = f"{source.name}: the file has become shorter since it was divided; divide it anew"
        if unread is None:
            raise ReadError(reason, source.name, stop - left)
        unread.setdefault(source.name, reason)
    counts = engine.end()
    info = SourceInfo(source.name, counts.size, framing, None, counts, continued=not partition.last)
    yield Portion(engine.take(), names, [info], untaken, untaken)

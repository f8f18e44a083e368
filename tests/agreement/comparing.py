"""Runs an engine over pieces and tells, in words, where two runs differ."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ssift.contract import (
    BYTES_MISSING,
    BYTES_OF_TOKEN,
    BYTES_OWN,
    PROBLEM_KINDS,
    RAW,
    TABLES,
    Batch,
    Engine,
    NullableInts,
    SourceCounts,
)

Rows = dict[str, list[Any]]
"""Column -> values: ints, bytes of strings, None for null; floats as their bits, so that -0.0 is not 0.0."""

EVERYTHING = frozenset(TABLES)
COLUMNS = {table: dict(word.split(":") for word in text.split()) for table, text in RAW.items()}
BY_RESPONSE = ("responses", "choices", "tool_calls")
TYPE_PROBLEM = PROBLEM_KINDS.index("type")


@dataclass(frozen=True)
class Setting:
    """What an engine is asked for."""

    framing: str = "sse"
    tables: frozenset[str] = EVERYTHING
    group: str = "auto"
    event_bytes: int = 64 << 20
    depth: int = 1024
    open_responses: int = 1024
    offset: int = 0
    arrivals: tuple[tuple[int, int | None], ...] = ()
    """(bytes after the offset, time), ascending; told before the piece that has the byte."""


@dataclass
class Reading:
    """What came out, over all batches."""

    tables: dict[str, Rows]
    counts: list[SourceCounts] = field(default_factory=list)

    @property
    def has_type_problem(self) -> bool:
        return TYPE_PROBLEM in self.tables["problems"]["kind"]


def read(
    engine: type[Engine],
    sources: Sequence[bytes],
    setting: Setting,
    cuts: Iterable[int] = (),
    takes: Iterable[int] = (),
) -> Reading:
    """Feed each source cut at ``cuts``; hand over rows after the pieces numbered in ``takes``, and at the end.

    An engine may not look at a piece after ``feed`` returned, nor at rows after ``take``: the piece is
    overwritten at once, the rows are looked at last.
    """
    reader = engine(setting.tables, setting.group, setting.event_bytes, setting.depth, setting.open_responses)
    cut_places, take_places = sorted(cuts), set(takes)
    batches: list[Batch] = []
    counts: list[SourceCounts] = []
    for number, source in enumerate(sources):
        reader.begin(number, setting.framing, setting.offset)
        marks = list(setting.arrivals)
        places = [0, *(min(place, len(source)) for place in cut_places), len(source)]
        for piece_number, (start, stop) in enumerate(itertools.pairwise(places)):
            piece = bytearray(source[start:stop])
            while marks and marks[0][0] < stop:
                place, ns = marks.pop(0)
                if place == start:
                    reader.arrived(ns)
                else:
                    reader.arrived(ns, setting.offset + place)
            reader.feed(piece)
            piece[:] = b"#" * len(piece)
            if piece_number in take_places:
                batches.append(reader.take())
        counts.append(reader.end())
        if -1 in take_places:
            batches.append(reader.take())
    batches.append(reader.take())
    reading = Reading(_joined(batches, setting.tables), counts)
    problems = len(reading.tables["problems"]["kind"])
    assert reader.problem_count == problems, f"problem_count is {reader.problem_count}, there are {problems}"
    for source, count in zip(sources, counts, strict=True):
        account, size = sum(count[:6]), len(source) + setting.offset
        assert account == size, f"the byte account adds up to {account}, the source has {size}: {count}"
    return reading


def _joined(batches: Sequence[Batch], tables: frozenset[str]) -> dict[str, Rows]:
    wanted = {table: list(COLUMNS[table]) for table in TABLES if table in tables or table == "problems"}
    if "tokens" in tables:
        wanted.setdefault("chunks", ["response"])
    if "top_logprobs" in tables:
        wanted.setdefault("tokens", ["top_start"])
    out: dict[str, Rows] = {table: {column: [] for column in columns} for table, columns in wanted.items()}
    next_row: dict[str, int] = {}
    for batch in batches:
        for table, columns in out.items():
            lengths = set()
            for column, values in columns.items():
                raw = batch.tables[table][column]
                kind = COLUMNS[table][column]
                tokens = batch.tables[table].get("token") if kind == "bytes" else None
                new = plain(raw, kind, tokens, f"{table}.{column}")
                lengths.add(len(new))
                values.extend(new)
            assert len(lengths) == 1, f"columns of {table} differ in length: {lengths}"
            if table in batch.first:
                assert batch.totals[table] == lengths.pop(), f"totals of {table}"
        for table, row in batch.first.items():
            assert next_row.setdefault(table, row) == row, f"first of {table} is {row}, not {next_row[table]}"
            next_row[table] += batch.totals[table]
    for table in (*BY_RESPONSE, "problems"):
        if table in out:
            keys = out[table]["response"]
            if table == "problems":
                keys = list(zip(out[table]["source"], out[table]["offset"], strict=True))
            order = sorted(range(len(keys)), key=keys.__getitem__)
            out[table] = {column: [values[row] for row in order] for column, values in out[table].items()}
    return out


def plain(raw: Any, kind: str, tokens: Any, where: str) -> list[Any]:
    """A raw column as a list; what the contract says about its layout is checked on the way."""
    if kind == "float":
        assert raw.dtype == np.float64, where
        return [
            "nan" if np.isnan(value) else bits for value, bits in zip(raw, raw.view(np.int64).tolist(), strict=True)
        ]
    if kind == "int?":
        assert isinstance(raw, NullableInts), where
        assert not np.any(raw.values[raw.valid == 0]), f"{where}: a null row is not 0"
        return [value if ok else None for value, ok in zip(raw.values.tolist(), raw.valid.tolist(), strict=True)]
    if kind in ("int", "code"):
        assert raw.dtype == (np.int64 if kind == "int" else np.uint8), where
        values: list[Any] = raw.tolist()
        return values
    if kind == "bytes":
        own = iter(_rows(raw.offsets, raw.data, where))
        names = iter(_rows(tokens.offsets, tokens.data, where))
        of = {BYTES_MISSING: lambda name: None, BYTES_OF_TOKEN: lambda name: name, BYTES_OWN: lambda name: next(own)}
        found = [of[how](name) for how, name in zip(raw.how.tolist(), names, strict=True)]
        assert next(own, None) is None, f"{where}: more bytes than rows"
        return found
    rows: list[Any] = _rows(raw.offsets, raw.data, where)
    for row in rows:
        row.decode()  # every string is valid UTF-8
    if raw.valid is None:
        return rows
    assert kind == "text?", f"{where} cannot be null"
    assert all(ok or not row for ok, row in zip(raw.valid.tolist(), rows, strict=True)), (
        f"{where}: a null row is not empty"
    )
    return [row if ok else None for ok, row in zip(raw.valid.tolist(), rows, strict=True)]


def _rows(offsets: Any, data: Any, where: str) -> list[bytes]:
    ends, text = offsets.tolist(), data.tobytes()
    assert ends, f"{where}: no offsets"
    assert ends == sorted(ends), f"{where}: offsets fall"
    assert ends[-1] <= len(text), f"{where}: offsets point behind the data"
    return [text[start:stop] for start, stop in itertools.pairwise(ends)]


def difference(left: Reading, right: Reading) -> str | None:
    """The first difference in words, or None."""
    for number, (one, two) in enumerate(zip(left.counts, right.counts, strict=True)):
        for name in SourceCounts._fields:
            if getattr(one, name) != getattr(two, name):
                return (
                    f"counts of source {number}: {name} is {getattr(one, name)} != {getattr(two, name)}\n{one}\n{two}"
                )
    for table in ("problems", *TABLES):
        if table not in left.tables or table not in right.tables:
            continue
        ones, twos = left.tables[table], right.tables[table]
        columns = [column for column in ones if column in twos]
        sizes = len(next(iter(ones.values()))), len(next(iter(twos.values())))
        for row in range(min(sizes)):
            for column in columns:
                one, two = ones[column][row], twos[column][row]
                if one != two:
                    return f"{table}[{row}].{column}: {shown(one, table, column)} != {shown(two, table, column)}\n{_row(ones, row)}\n{_row(twos, row)}"
        if sizes[0] != sizes[1]:
            longer, row = (ones, sizes[1]) if sizes[0] > sizes[1] else (twos, sizes[0])
            return f"{table} has {sizes[0]} != {sizes[1]} rows; the first one more: {_row(longer, row)}"
    return None


def shown(value: Any, table: str, column: str) -> str:
    if COLUMNS[table][column] == "float" and isinstance(value, int):
        return repr(float(np.int64(value).view(np.float64)))
    return repr(value)


def _row(rows: Rows, row: int) -> dict[str, Any]:
    return {column: values[row] for column, values in rows.items()}


def reduce(log: bytes, fails: Callable[[bytes], bool], seconds: float = 15.0) -> bytes:
    """A smaller log that still fails: parts are left out as long as that can be done."""
    deadline = time.monotonic() + seconds
    size = max(len(log) // 2, 1)
    while size and time.monotonic() < deadline:
        place, shrunk = 0, False
        while place < len(log) and time.monotonic() < deadline:
            shorter = log[:place] + log[place + size :]
            if fails(shorter):
                log, shrunk = shorter, True
            else:
                place += size
        if not shrunk or size > 1:
            size //= 2
    return log


def check(
    log: bytes, left: Callable[[bytes], Reading], right: Callable[[bytes], Reading], about: object, shrink: bool = True
) -> None:
    """Fail when two ways of reading ``log`` differ, with the difference in a log made as small as can be."""

    def differ(log: bytes) -> str | None:
        try:
            return difference(left(log), right(log))
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    found = differ(log)
    if found is None:
        return
    if shrink:
        log = reduce(log, lambda shorter: differ(shorter) is not None)
        found = differ(log)
    raise AssertionError(f"{found}\n{about}\nlog = {log!r}")


def narrowed(setting: Setting, tables: Iterable[str]) -> Setting:
    return replace(setting, tables=frozenset(tables))

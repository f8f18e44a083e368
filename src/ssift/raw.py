"""Rows of raw columns: chosen, and put together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ssift.contract import BYTES_OWN, Codes, EntryBytes, Ints, NullableInts, Raw, Text
from ssift.strings import gather

Columns = Mapping[str, Raw]

_RUN = 8
"""Rows that follow each other are copied as slices when there are so many to a run; else one by one."""


def length(raw: Raw) -> int:
    """How many rows a raw column has."""
    if isinstance(raw, Text):
        return len(raw.offsets) - 1
    if isinstance(raw, NullableInts):
        return len(raw.values)
    if isinstance(raw, EntryBytes):
        return len(raw.how)
    return len(raw)


def take(columns: Columns, rows: Ints) -> dict[str, Raw]:
    """The given rows (ascending) of all columns."""
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    if len(starts) * _RUN > len(rows):
        return {name: _take(raw, rows) for name, raw in columns.items()}
    bounds = [*starts.tolist(), len(rows)]
    runs = [(int(rows[start]), int(rows[end - 1]) + 1) for start, end in pairwise(bounds)] or [(0, 0)]
    return {name: _concatenate(_slices(raw, runs)) for name, raw in columns.items()}


def concatenate(parts: Sequence[Columns]) -> dict[str, Raw]:
    """The rows of all parts, one after the other; all have the same columns."""
    return {name: _concatenate([part[name] for part in parts]) for name in parts[0]}


def _take(raw: Raw, rows: Ints) -> Raw:
    if isinstance(raw, Text):
        offsets, data = gather(raw.data, raw.offsets[:-1][rows], np.diff(raw.offsets)[rows])
        return Text(offsets, data, None if raw.valid is None else raw.valid[rows])
    if isinstance(raw, NullableInts):
        return NullableInts(raw.values[rows], raw.valid[rows])
    if isinstance(raw, EntryBytes):
        how = raw.how[rows]
        if len(raw.offsets) == 1:
            return raw._replace(how=how)
        own = (np.cumsum(raw.how == BYTES_OWN) - 1)[rows][how == BYTES_OWN]
        return EntryBytes(how, *gather(raw.data, raw.offsets[:-1][own], np.diff(raw.offsets)[own]))
    return raw[rows]


def _slices(raw: Raw, runs: Sequence[tuple[int, int]]) -> list[Raw]:
    """The rows of each run; offsets of variable-length rows need not begin at 0."""
    if isinstance(raw, Text):
        valid = raw.valid
        return [
            Text(raw.offsets[start : end + 1], raw.data, None if valid is None else valid[start:end])
            for start, end in runs
        ]
    if isinstance(raw, NullableInts):
        return [NullableInts(raw.values[start:end], raw.valid[start:end]) for start, end in runs]
    if isinstance(raw, EntryBytes):
        if len(raw.offsets) == 1:
            return [raw._replace(how=raw.how[start:end]) for start, end in runs]
        own = np.concatenate([np.zeros(1, np.int64), np.cumsum(raw.how == BYTES_OWN)])
        return [EntryBytes(raw.how[start:end], raw.offsets[own[start] : own[end] + 1], raw.data) for start, end in runs]
    return [raw[start:end] for start, end in runs]


def _concatenate(parts: Sequence[Any]) -> Raw:
    first = parts[0]
    if isinstance(first, Text):
        valid = None if first.valid is None else np.concatenate([part.valid for part in parts])
        return Text(*_joined([(part.offsets, part.data) for part in parts]), valid)
    if isinstance(first, NullableInts):
        return NullableInts(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    if isinstance(first, EntryBytes):
        how = np.concatenate([part.how for part in parts])
        return EntryBytes(how, *_joined([(part.offsets, part.data) for part in parts]))
    return np.concatenate(parts)


def _joined(parts: Sequence[tuple[Ints, Codes]]) -> tuple[Ints, Codes]:
    """Variable-length rows one after the other: their offsets, from 0, and their bytes."""
    ends = np.cumsum([0, *(int(offsets[-1] - offsets[0]) for offsets, _ in parts)])
    shifted = [offsets[1:] + (shift - offsets[0]) for (offsets, _), shift in zip(parts, ends, strict=False)]
    data = np.concatenate([data[int(offsets[0]) : int(offsets[-1])] for offsets, data in parts])
    return np.concatenate([np.zeros(1, np.int64), *shifted]), data

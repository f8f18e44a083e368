"""Rows of raw columns: chosen, and put together again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ssift.contract import BYTES_OWN, Codes, EntryBytes, Ints, NullableInts, Raw, Text
from ssift.strings import gather

Columns = Mapping[str, Raw]


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
    return {name: _take(raw, rows) for name, raw in columns.items()}


def concatenate(parts: Sequence[Columns]) -> dict[str, Raw]:
    """The rows of all parts, one after the other; all have the same columns."""
    if len(parts) == 1:
        return dict(parts[0])
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
    """Variable-length rows one after the other; the offsets of each part begin at 0."""
    ends = np.cumsum([0, *(int(offsets[-1]) for offsets, _ in parts)])
    shifted = [offsets[1:] + shift for (offsets, _), shift in zip(parts, ends, strict=False)]
    data = np.concatenate([data[: int(offsets[-1])] for offsets, data in parts])
    return np.concatenate([np.zeros(1, np.int64), *shifted]), data

"""Batches that several engines have read, made one: rows get the numbers they would have had from one engine.

Each engine counts its rows from 0. ``renumber`` moves a batch to where its rows stand in the whole; ``join`` puts
batches one behind the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

from ssift.contract import Batch, EntryBytes, Ints, NullableInts, Raw, Text

RESPONSE_COLUMNS = (
    ("responses", "response"),
    ("choices", "response"),
    ("tool_calls", "response"),
    ("chunks", "response"),
)


@dataclass
class Numbers:
    """How many sources, opened responses and rows of chunks, tokens and top_logprobs stand before a batch."""

    sources: int = 0
    responses: int = 0
    chunks: int = 0
    tokens: int = 0
    top_logprobs: int = 0

    def __add__(self, other: Numbers) -> Numbers:
        return Numbers(*(own + more for own, more in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Numbers) -> Numbers:
        return Numbers(*(own - less for own, less in zip(astuple(self), astuple(other), strict=True)))


def renumber(batch: Batch, by: Numbers, lines: int) -> Batch:
    """The batch with ``by`` rows more before it, and its problems ``lines`` lines further on.

    Columns are changed in place: they belong to this batch alone.
    """
    tables: Any = batch.tables
    for table, column in RESPONSE_COLUMNS:
        if column in tables.get(table, ()):
            tables[table][column] += by.responses
    if "chunk" in tables.get("tokens", ()):
        tables["tokens"]["chunk"] += by.chunks
        tables["tokens"]["top_start"] += by.top_logprobs
    if "source" in tables.get("responses", ()):
        tables["responses"]["source"] += by.sources
    problems = tables["problems"]
    problems["source"] += by.sources
    problems["line"] += lines
    problems["response"].values[problems["response"].valid != 0] += by.responses
    first = {
        "chunks": batch.first["chunks"] + by.chunks,
        "tokens": batch.first["tokens"] + by.tokens,
        "top_logprobs": batch.first["top_logprobs"] + by.top_logprobs,
    }
    return Batch(tables, first, batch.totals)


def join(batches: Sequence[Batch]) -> Batch:
    """Batches that follow each other, as one; there is at least one."""
    if len(batches) == 1:
        return batches[0]
    tables = {
        table: {column: _joined([batch.tables[table][column] for batch in batches]) for column in columns}
        for table, columns in batches[0].tables.items()
    }
    totals = {table: sum(batch.totals[table] for batch in batches) for table in batches[0].totals}
    return Batch(tables, batches[0].first, totals)


def _joined(parts: Sequence[Any]) -> Raw:
    first: Any = parts[0]
    if isinstance(first, Text):
        valid = None if first.valid is None else np.concatenate([part.valid for part in parts])
        return Text(_offsets(parts), np.concatenate([part.data for part in parts]), valid)
    if isinstance(first, EntryBytes):
        data = np.concatenate([part.data for part in parts])
        return EntryBytes(np.concatenate([part.how for part in parts]), _offsets(parts), data)
    if isinstance(first, NullableInts):
        return NullableInts(
            np.concatenate([part.values for part in parts]), np.concatenate([part.valid for part in parts])
        )
    joined: Raw = np.concatenate(parts)
    return joined


def _offsets(parts: Sequence[Any]) -> Ints:
    """Offsets into the joined data: each part's rows begin where the bytes of those before it end."""
    offsets = np.zeros(1 + sum(len(part.offsets) - 1 for part in parts), np.int64)
    row, start = 1, 0
    for part in parts:
        rows = len(part.offsets) - 1
        np.add(part.offsets[1:], start, out=offsets[row : row + rows])
        row += rows
        start += int(part.offsets[-1])
    return offsets

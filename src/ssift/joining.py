"""Batches that several engines have read, made one: rows get the numbers they would have had from one engine.

Each engine counts its rows from 0. ``renumber`` moves a batch to where its rows stand in the whole; ``join`` puts
batches one behind the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ssift.contract import Batch
from ssift.raw import concatenate

RESPONSE_COLUMNS = tuple((table, "response") for table in ("responses", "choices", "tool_calls", "chunks"))


@dataclass
class Numbers:
    """How many rows stand before a batch: responses opened, chunks, tokens and top_logprobs."""

    responses: int = 0
    chunks: int = 0
    tokens: int = 0
    top_logprobs: int = 0

    def __sub__(self, other: Numbers) -> Numbers:
        return Numbers(
            self.responses - other.responses,
            self.chunks - other.chunks,
            self.tokens - other.tokens,
            self.top_logprobs - other.top_logprobs,
        )


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
    problems = tables["problems"]
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
        table: concatenate([batch.tables[table] for batch in batches]) if columns else {}
        for table, columns in batches[0].tables.items()
    }
    totals = {table: sum(batch.totals[table] for batch in batches) for table in batches[0].totals}
    return Batch(tables, batches[0].first, totals)

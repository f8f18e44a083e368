"""Batches that several engines have read, made one: rows get the numbers they would have had from one engine.

Each engine counts its rows from 0. ``renumber`` moves a batch to where its rows stand in the whole; ``join`` puts
batches one behind the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Any

from ssift.contract import Batch
from ssift.raw import concatenate

RESPONSE_COLUMNS = tuple((table, "response") for table in ("responses", "choices", "tool_calls", "chunks"))


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
        table: concatenate([batch.tables[table] for batch in batches]) if columns else {}
        for table, columns in batches[0].tables.items()
    }
    totals = {table: sum(batch.totals[table] for batch in batches) for table in batches[0].totals}
    return Batch(tables, batches[0].first, totals)

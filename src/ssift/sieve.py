"""Responses chosen by what they turned out to be: their model, status or finish_reason.

What a response was is known when it ends, and batches are cut anywhere. So rows of responses that are still open wait
here, and leave with the batch in which their response ends: whole responses go out, or none of them. What waits is
bounded by the responses that are open at the end of a batch.

Numbers: ``response`` stays the number that the response has in the whole input. The row numbers ``chunk``,
``token_row`` and ``top_start`` count the rows that go out, so that they go on pointing at the rows meant. Problems all
go out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from ssift.contract import STATUSES, Batch, Codes, Flags, Ints, Text
from ssift.raw import Columns, concatenate, take
from ssift.strings import Strings

_ENDED = ("responses", "choices", "tool_calls")
"""Tables whose rows come when their response ends."""

_BEHIND = {
    "chunks": {"chunks", "tokens", "top_logprobs"},
    "tokens": {"tokens", "top_logprobs"},
    "top_logprobs": {"top_logprobs"},
}
"""The wanted tables that a table's raw columns are part of."""


class Sieve:
    """Takes the batches of one call in order and gives each back with whole responses that pass alone.

    ``where`` maps fields to the values that let a response pass; all fields must. A response has as many
    finish_reasons as choices: one of them is enough, and without a choice it is None. ``tables`` are those wanted;
    of others no rows go out, and they count 0 in ``totals``.
    """

    def __init__(self, where: Mapping[str, frozenset[str | None]], tables: frozenset[str]) -> None:
        self._where = where
        self._flat = [table for table in ("chunks", "tokens", "top_logprobs") if tables & _BEHIND[table]]
        self._waiting: list[_Rows] = []  # of each batch what is left of it
        self._out = {"chunks": 0, "tokens": 0, "top_logprobs": 0}

    def sift(self, batch: Batch) -> Batch:
        """What goes out with ``batch``. In the last one every response has ended, and nothing waits any more."""
        ended = cast(Ints, batch.tables["responses"]["response"])
        passing = self._passing(batch, ended)
        parts = [*self._waiting, _Rows.of(batch, self._flat)]
        goes = [np.isin(part.response, passing) for part in parts]
        # Of most that wait nothing goes out. The new part stays in any case: it has the columns.
        out = [part.chosen(rows) for part, rows in zip(parts, goes, strict=True) if rows.any() or part is parts[-1]]
        left = [part.chosen(np.isin(part.response, ended, invert=True)) for part in parts]
        self._waiting = [part for part in left if len(part.response)]
        tables = dict(batch.tables)
        for table in _ENDED:
            if tables.get(table):
                response = cast(Ints, tables[table]["response"])
                tables[table] = _kept(tables[table], np.isin(response, passing))
        return self._numbered(_Rows.together(out), tables)

    def _passing(self, batch: Batch, ended: Ints) -> Ints:
        passes = np.ones(len(ended), np.bool_)
        for field, values in self._where.items():
            if field == "finish_reason":
                choices = batch.tables["choices"]
                fits = _among(Strings(*cast(Text, choices[field])), values)
                response = cast(Ints, choices["response"])
                one_fits = np.isin(ended, response[fits])
                passes &= one_fits | ~np.isin(ended, response) if None in values else one_fits
            elif field == "status":
                codes = [code for code, status in enumerate(STATUSES) if status in values]
                passes &= np.isin(cast(Codes, batch.tables["responses"]["status"]), codes)
            else:
                passes &= _among(Strings(*cast(Text, batch.tables["responses"][field])), values)
        return ended[passes]

    def _numbered(self, rows: _Rows, tables: dict[str, Columns]) -> Batch:
        """The rows as a batch whose numbers go on from those that went out before."""
        first = dict(self._out)
        totals = {"chunks": len(rows.response), "tokens": len(rows.chunk), "top_logprobs": int(rows.counts.sum())}
        self._out = {table: first[table] + totals[table] for table in first}
        tables["chunks"] = rows.chunks
        tables["tokens"] = rows.tokens
        tables["top_logprobs"] = rows.tops
        if rows.tokens:
            starts = np.cumsum(rows.counts) - rows.counts + first["top_logprobs"]
            tables["tokens"] = {**rows.tokens, "chunk": rows.chunk + first["chunks"], "top_start": starts}
        return Batch(tables, first, totals)


class Splitter:
    """Divides batches of whole responses by what a ``field`` of the responses holds, each part with its own numbers."""

    def __init__(self, field: str, tables: frozenset[str]) -> None:
        self._field = field
        self._tables = tables
        self._sieves: dict[str | None, Sieve] = {}

    def split(self, batch: Batch) -> dict[str | None, Batch]:
        """The parts of one batch by value, those that have responses in it."""
        raw = batch.tables["responses"][self._field]
        column = Strings(*raw) if isinstance(raw, Text) else Strings.of(STATUSES).take(cast(Codes, raw))
        values = dict.fromkeys(column)
        for value in values:
            if value not in self._sieves:
                self._sieves[value] = Sieve({self._field: frozenset([value])}, self._tables)
        return {value: self._sieves[value].sift(batch) for value in values}


@dataclass(frozen=True)
class _Rows:
    """Chunks, their tokens, and their alternatives, numbered among themselves."""

    chunks: Columns
    tokens: Columns
    tops: Columns
    chunk: Ints  # of each token: its row of chunks
    counts: Ints  # of each token: its alternatives

    @property
    def response(self) -> Ints:
        return cast(Ints, self.chunks["response"]) if self.chunks else np.empty(0, np.int64)

    @classmethod
    def of(cls, batch: Batch, wanted: Collection[str]) -> _Rows:
        flat = ("chunks", "tokens", "top_logprobs")
        chunks, tokens, tops = (batch.tables[table] if table in wanted else {} for table in flat)
        if not tokens:
            nothing = np.empty(0, np.int64)
            return cls(chunks, {}, {}, nothing, nothing)
        starts = cast(Ints, tokens["top_start"])
        end = batch.first["top_logprobs"] + batch.totals["top_logprobs"]
        chunk = cast(Ints, tokens["chunk"]) - batch.first["chunks"]
        return cls(chunks, tokens, tops, chunk, np.diff(starts, append=np.int64(end)))

    @classmethod
    def together(cls, parts: list[_Rows]) -> _Rows:
        if len(parts) == 1:
            return parts[0]
        shifts = np.cumsum([0, *(len(part.response) for part in parts)])
        return cls(
            concatenate([part.chunks for part in parts]),
            concatenate([part.tokens for part in parts]),
            concatenate([part.tops for part in parts]),
            np.concatenate([part.chunk + shift for part, shift in zip(parts, shifts, strict=False)]),
            np.concatenate([part.counts for part in parts]),
        )

    def chosen(self, of_chunk: Flags) -> _Rows:
        """The rows of the chunks chosen."""
        if of_chunk.all():
            return self
        of_token = of_chunk[self.chunk]
        tops = self.tops and _kept(self.tops, np.repeat(of_token, self.counts))
        chunk = (np.cumsum(of_chunk) - 1)[self.chunk[of_token]]
        return _Rows(_kept(self.chunks, of_chunk), _kept(self.tokens, of_token), tops, chunk, self.counts[of_token])


def _kept(columns: Columns, mask: Flags) -> Columns:
    return columns if mask.all() else take(columns, np.flatnonzero(mask))


def _among(column: Strings, values: frozenset[str | None]) -> Flags:
    return np.fromiter((row in values for row in column), np.bool_, len(column))

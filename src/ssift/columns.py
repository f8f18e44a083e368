"""Finishes columns: raw columns of a batch (:mod:`ssift.contract`) become the columns of the public tables.

Most are handed on as they are; the rest is derived here, vectorised, when it is first asked for. What a reader
of a column gets depends on its declared type and never on the data:

=========  ===========================================================================================
int        numpy int64; nullable: a numpy masked array of int64
float      numpy float64, the engine's own buffer; missing is NaN
bool       numpy bool
str        :class:`ssift.strings.Strings`
binary     :class:`ssift.strings.Binaries`
=========  ===========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ssift.arrow.values import read_only
from ssift.contract import (
    BYTES_MISSING,
    BYTES_OF_TOKEN,
    BYTES_OWN,
    MESSAGES,
    PROBLEM_KINDS,
    STATUSES,
    TOKEN_LISTS,
    Batch,
    Codes,
    EntryBytes,
    Flags,
    Ints,
    NullableInts,
    Raw,
    Text,
)
from ssift.raw import length
from ssift.strings import Binaries, Strings, gather

_BY_RESPONSE = ("responses", "choices", "chunks", "tool_calls")


class Finisher:
    """The columns of one batch, built on demand. ``names`` are the sources by number."""

    def __init__(self, batch: Batch, names: Mapping[int, str]) -> None:
        self.batch = batch
        self._names = names

    def rows(self, table: str) -> int:
        """How many rows ``table`` has in this batch."""
        if table in self.batch.totals:
            return self.batch.totals[table]
        column = next(iter(self.batch.tables[table].values()))
        return length(column)

    @cached_property
    def responses(self) -> range:
        """Numbers from the lowest to the highest response in this batch; from 0 when nothing came before it."""
        found = [self.batch.tables.get(table, {}).get("response") for table in _BY_RESPONSE]
        numbers = [column for column in found if isinstance(column, np.ndarray) and len(column)]
        stop = max((int(column.max()) + 1 for column in numbers), default=0)
        start = min((int(column.min()) for column in numbers), default=0) if any(self.batch.first.values()) else 0
        return range(start, stop)

    def column(self, table: str, name: str) -> Any:
        """Column ``name`` of ``table``, by the rules at the head of this file."""
        derive = _DERIVED.get((table, name))
        if derive is not None:
            return derive(self)
        raw = self.batch.tables[table][name]
        if isinstance(raw, Text):
            return Strings(*raw)
        if isinstance(raw, NullableInts):
            return np.ma.MaskedArray(read_only(raw.values), mask=read_only(raw.valid == 0))
        return raw

    def _raw(self, table: str, name: str) -> Raw:
        return self.batch.tables[table][name]

    def _ints(self, table: str, name: str) -> Ints:
        return cast(Ints, self._raw(table, name))

    # ------------------------------------------------------------------------------------------- derived columns

    def done(self) -> Flags:
        return cast(Codes, self._raw("responses", "done")).view(np.bool_)

    def chunk(self) -> Ints:
        return self._count_from_first("chunks")

    def token_response(self) -> Ints:
        chunk = self._ints("tokens", "chunk") - self.batch.first["chunks"]
        return self._ints("chunks", "response")[chunk]

    def token_runs(self) -> tuple[Ints, Ints]:
        """Where runs of tokens of one response begin, and the end of the last; and the response of each run.

        Told by the chunks: theirs are few to look at next to the tokens, which stand in the order of chunks.
        """
        response, chunk = self._ints("chunks", "response"), self._ints("tokens", "chunk")
        starts = np.concatenate([[0], np.flatnonzero(response[1:] != response[:-1]) + 1])
        borders = np.append(np.searchsorted(chunk, starts + self.batch.first["chunks"]), len(chunk))
        some = np.flatnonzero(borders[1:] > borders[:-1])  # runs of chunks that have tokens
        numbers = response[starts[some]]
        begins = np.concatenate([[True], numbers[1:] != numbers[:-1]]) if len(some) else np.zeros(0, np.bool_)
        return np.append(borders[some[begins]], len(chunk)), numbers[begins]

    def top_count(self) -> Ints:
        start = self._ints("tokens", "top_start")
        end = self.batch.first["top_logprobs"] + self.batch.totals["top_logprobs"]
        return np.diff(start, append=np.int64(end))

    def token_row(self) -> Ints:
        return np.repeat(self._count_from_first("tokens"), self.top_count())

    def top_rank(self) -> Ints:
        start = self._ints("tokens", "top_start")
        return self._count_from_first("top_logprobs") - np.repeat(start, self.top_count())

    def _count_from_first(self, table: str) -> Ints:
        first = self.batch.first[table]
        return np.arange(first, first + self.batch.totals[table], dtype=np.int64)

    def codes(self, table: str, name: str, words: Sequence[str]) -> Strings:
        """A column of codes or numbers as the words they stand for."""
        codes = cast("npt.NDArray[np.integer[Any]]", self._raw(table, name))
        return _column_of(words).take(codes)

    def names(self, table: str) -> Strings:
        numbers, places = np.unique(self._ints(table, "source"), return_inverse=True)
        return Strings.of([self._names[number] for number in numbers.tolist()]).take(places)

    def entry_bytes(self, table: str) -> Binaries:
        """``bytes`` of entries; where all equal their tokens the buffers are the tokens' own."""
        token = cast(Text, self._raw(table, "token"))
        how, own_offsets, own = cast(EntryBytes, self._raw(table, "bytes"))
        if len(own_offsets) > 1:
            return _merge(how, token, own_offsets, own)
        if not np.any(how != BYTES_MISSING):  # nothing to show: do not keep the tokens alive
            return Binaries(np.zeros(len(how) + 1, np.int64), np.empty(0, np.uint8), np.zeros(len(how), np.uint8))
        return Binaries(token.offsets, token.data, (how == BYTES_OF_TOKEN).view(np.uint8))


@cache
def _column_of(words: Sequence[str]) -> Strings:
    return Strings.of(words)


def _merge(how: Codes, token: Text, own_offsets: Ints, own: Codes) -> Binaries:
    """``bytes`` of entries of which some have bytes of their own: theirs, and copies of those of the tokens."""
    is_own = how == BYTES_OWN
    starts = np.where(how == BYTES_OF_TOKEN, token.offsets[:-1], 0)
    lengths = np.where(how == BYTES_OF_TOKEN, np.diff(token.offsets), 0)
    starts[is_own] = own_offsets[:-1] + len(token.data)
    lengths[is_own] = np.diff(own_offsets)
    offsets, data = gather(np.concatenate([token.data, own]), starts, lengths)
    return Binaries(offsets, data, (how != BYTES_MISSING).view(np.uint8))


_DERIVED: Mapping[tuple[str, str], Callable[[Finisher], Any]] = {
    ("responses", "source"): lambda of: of.names("responses"),
    ("responses", "status"): lambda of: of.codes("responses", "status", STATUSES),
    ("responses", "done"): Finisher.done,
    ("chunks", "chunk"): Finisher.chunk,
    ("tokens", "response"): Finisher.token_response,
    ("tokens", "list"): lambda of: of.codes("tokens", "list", TOKEN_LISTS),
    ("tokens", "bytes"): lambda of: of.entry_bytes("tokens"),
    ("tokens", "top_count"): Finisher.top_count,
    ("top_logprobs", "token_row"): Finisher.token_row,
    ("top_logprobs", "rank"): Finisher.top_rank,
    ("top_logprobs", "bytes"): lambda of: of.entry_bytes("top_logprobs"),
    ("problems", "source"): lambda of: of.names("problems"),
    ("problems", "kind"): lambda of: of.codes("problems", "kind", PROBLEM_KINDS),
    ("problems", "message"): lambda of: of.codes("problems", "message", MESSAGES),
}

"""Entries of logprobs that stand for no token of their own, left out when that is asked for.

=============  =====================================================================================================
``repeated``   Lists are cumulative on some servers: each repeats all earlier entries of the choice. Where every list
               of a choice begins with the whole list before it (same tokens, same logprobs), each entry stays where it
               came first. Other choices keep all. Lists that repeat nothing are taken for cumulative where
               they happen to begin alike: of ``!`` and ``!``, both without a logprob, one stays.
``zero_width`` An entry whose token is empty, and whose bytes are empty or were not sent, such as an end token.
=============  =====================================================================================================

A choice can be judged only when all of its lists are there, so batches come from a sieve, with whole responses. What
counts entries is counted anew: ``position``, ``token_count`` and ``logprob_sum``, and the row numbers of tokens and
alternatives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal, TypeAlias, cast, get_args

import numpy as np

from ssift.contract import BYTES_OWN, Batch, EntryBytes, Flags, Floats, Ints, Text
from ssift.python.responses import Sum
from ssift.raw import Columns, take
from ssift.strings import Strings, same_rows

Omit: TypeAlias = Literal["repeated", "zero_width"]

OMITTABLE: tuple[str, ...] = get_args(Omit)

BEHIND = frozenset({"chunks", "tokens"})
"""Tables that must be read to know which entries these are."""


def omitted_kinds(omit: Omit | Collection[Omit] | None) -> frozenset[str]:
    """What ``omit=`` asks for; None is nothing, as ``()``.

    Raises:
        ValueError: it names something else.
    """
    kinds = frozenset([omit] if isinstance(omit, str) else omit or ())
    unknown = kinds.difference(OMITTABLE)
    if unknown:
        raise ValueError(f"omit={min(map(str, unknown))!r}: entries can be left out that are {', '.join(OMITTABLE)}")
    return kinds


class Omission:
    """Takes the batches of one call in order, whole responses each, and gives them back without some entries."""

    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = kinds
        self._out = {"tokens": 0, "top_logprobs": 0}

    def apply(self, batch: Batch) -> tuple[Batch, Counter[str]]:
        """The batch, and how many entries of each kind it lost."""
        tokens = batch.tables["tokens"]
        lists = _Lists(batch)
        left_out: Counter[str] = Counter(dict.fromkeys(sorted(self._kinds), 0))
        keep = np.ones(len(lists.group), np.bool_)
        for kind in sorted(self._kinds):
            of_kind = keep & (lists.repeated() if kind == "repeated" else _zero_width(tokens))
            left_out[kind] = int(np.count_nonzero(of_kind))
            keep &= ~of_kind
        return self._without(batch, lists, keep), left_out

    def _without(self, batch: Batch, lists: _Lists, keep: Flags) -> Batch:
        rows = np.flatnonzero(keep)
        tables = dict(batch.tables)
        tokens = dict(take(batch.tables["tokens"], rows))
        end = batch.first["top_logprobs"] + batch.totals["top_logprobs"]
        counts = np.diff(cast(Ints, batch.tables["tokens"]["top_start"]), append=np.int64(end))
        if tables.get("top_logprobs"):
            tables["top_logprobs"] = take(tables["top_logprobs"], np.flatnonzero(np.repeat(keep, counts)))
        first = {**batch.first, **self._out}
        counts = counts[rows]
        totals = {**batch.totals, "tokens": len(rows), "top_logprobs": int(counts.sum())}
        tokens["top_start"] = np.cumsum(counts) - counts + first["top_logprobs"]
        if len(rows) < len(keep):
            tokens["position"] = lists.positions(keep)
            if "token_count" in tables["chunks"]:
                of_chunks = np.bincount(lists.chunk[rows], minlength=batch.totals["chunks"]).astype(np.int64)
                tables["chunks"] = {**tables["chunks"], "token_count": of_chunks}
            if len(cast(Ints, tables.get("choices", {}).get("response", ()))):  # where they were read
                tables["choices"] = _counted(tables["choices"], lists, keep)
        tables["tokens"] = tokens
        self._out = {table: first[table] + totals[table] for table in self._out}
        return Batch(tables, first, totals)


class _Lists:
    """The entries of a batch list by list.

    ``order`` puts the rows of each list of each choice together, as sent; ``group`` numbers these lists in that order.
    What one chunk sent of a list is a *piece* of it.
    """

    def __init__(self, batch: Batch) -> None:
        tokens = batch.tables["tokens"]
        self.chunk = cast(Ints, tokens["chunk"]) - batch.first["chunks"]
        self.response = cast(Ints, batch.tables["chunks"]["response"])[self.chunk]
        self.index = cast(Ints, tokens["index"])
        self.logprob = cast(Floats, tokens["logprob"])
        self._token = Strings(*cast(Text, tokens["token"]))
        keys = (tokens["list"], self.index, self.response)
        self.order = np.lexsort(cast("tuple[Ints, ...]", keys))
        n = len(self.order)
        self._begins = np.ones(n, np.bool_)  # of lists
        if n:
            self._begins[1:] = np.any([np.diff(cast(Ints, key)[self.order]) != 0 for key in keys], axis=0)
        self.group = np.cumsum(self._begins) - 1

    def positions(self, keep: Flags) -> Ints:
        """The place of each kept entry in its list, in the order of rows."""
        kept = keep[self.order]
        before: Ints = np.cumsum(kept) - kept
        found = np.empty(len(keep), np.int64)
        found[self.order] = before - before[self._begins][self.group]
        return found[keep]

    def repeated(self) -> Flags:
        """Which entries an earlier piece of their list had, of lists that are cumulative throughout."""
        found = np.zeros(len(self.order), np.bool_)
        if not len(found):
            return found
        starts_piece = self._begins.copy()
        starts_piece[1:] |= np.diff(self.chunk[self.order]) != 0
        starts = np.flatnonzero(starts_piece)
        lengths = np.diff(starts, append=len(found))
        goes_on = np.zeros(len(starts), np.bool_)  # another piece of the same list follows
        goes_on[:-1] = ~self._begins[starts[1:]]
        fits = goes_on & (lengths <= np.append(lengths[1:], 0))
        of_piece = np.repeat(np.arange(len(starts)), lengths)
        mine = np.flatnonzero(fits[of_piece])
        twin = mine + lengths[of_piece[mine]]  # pieces follow each other: so many entries on is the same place
        a, b = self.order[mine], self.order[twin]
        x, y = self.logprob[a], self.logprob[b]
        same = same_rows(self._token, a, self._token, b) & ((x == y) | (np.isnan(x) & np.isnan(y)))
        fits[of_piece[mine[~same]]] = False
        cumulative = np.ones(self.group[-1] + 1, np.bool_)
        cumulative[self.group[starts[goes_on & ~fits]]] = False
        had = np.concatenate([[0], np.where(goes_on, lengths, 0)[:-1]])  # entries of the piece before, of the same list
        place = np.arange(len(found)) - starts[of_piece]
        found[self.order] = (place < had[of_piece]) & cumulative[self.group]
        return found


def _zero_width(tokens: Columns) -> Flags:
    """Bytes that are written out differ from those of the token: of an empty one they are not empty."""
    how = cast(EntryBytes, tokens["bytes"]).how
    found: Flags = (np.diff(cast(Text, tokens["token"]).offsets) == 0) & (how != BYTES_OWN)
    return found


def _counted(choices: Columns, lists: _Lists, keep: Flags) -> Columns:
    """The choices with ``token_count`` and ``logprob_sum`` of the entries that are kept."""
    place = {
        name: row
        for row, name in enumerate(
            zip(cast(Ints, choices["response"]).tolist(), cast(Ints, choices["index"]).tolist(), strict=True)
        )
    }
    names = zip(lists.response.tolist(), lists.index.tolist(), strict=True)
    owner = np.fromiter((place[name] for name in names), np.int64, len(keep))
    count = np.bincount(owner[keep], minlength=len(place)).astype(np.int64)
    total = cast(Floats, choices["logprob_sum"]).copy()
    sums = {row: Sum() for row in np.unique(owner[~keep]).tolist()}
    changed = np.isin(owner, list(sums)) & keep
    for row, logprob in zip(owner[changed].tolist(), lists.logprob[changed].tolist(), strict=True):
        sums[row].add(logprob)
    for row, found in sums.items():
        total[row] = found.value()
    return {**choices, "token_count": count, "logprob_sum": total}

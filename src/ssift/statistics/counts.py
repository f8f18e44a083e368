"""Counts of words (statuses, finish reasons, models) and sums of reported usage."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ssift.contract import Ints
from ssift.strings import Strings
from ssift.table import Table

USAGE = ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens")


def tally(words: Strings) -> Counter[str]:
    """How often each word is in the column; null counts as ``""``, the word for "never sent"."""
    if words.is_uniform():
        return Counter({words[0] or "": len(words)})
    found = Counter(words.to_pylist())
    nulls = found.pop(None, 0)
    counts: Counter[str] = Counter({word: count for word, count in found.items() if word is not None})
    if nulls:
        counts[""] += nulls
    return counts


def by_frequency(counts: Counter[str]) -> dict[str, int]:
    """The counts, largest first, equal ones by word, so that the order does not depend on how parts were merged."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def beyond_usage(responses: Table, choices: Table) -> int:
    """How many responses list more tokens than the ``completion_tokens`` they report.

    Lists that are cumulative do so, or that hold an end token which the server does not count.
    """
    if not len(responses):
        return 0
    reported: Any = responses["completion_tokens"]
    if not np.ma.count(reported):
        return 0
    owner = np.searchsorted(responses["response"], choices["response"])
    listed = np.bincount(owner, weights=choices["token_count"], minlength=len(responses))
    return int(np.count_nonzero(np.ma.filled(listed > reported, False)))


class Usage:
    """Sums of the usage that responses report, each over the responses that report it; ``a + b`` merges.

    Attributes:
        responses: responses that report at least one figure.
        sums: figure -> sum; None when no response reports it, which is not 0.
    """

    __slots__ = ("responses", "sums")

    def __init__(self) -> None:
        self.responses = 0
        self.sums: dict[str, int | None] = dict.fromkeys(USAGE)

    def add(self, responses: Table) -> None:
        """Add the usage columns of a table of responses."""
        if not len(responses):
            return
        reported = np.zeros(len(responses), np.bool_)
        for figure in USAGE:
            column: Any = responses[figure]
            present = ~np.ma.getmaskarray(column)
            reported |= present
            if present.any():
                self.sums[figure] = (self.sums[figure] or 0) + _sum(column.data[present])
        self.responses += int(np.count_nonzero(reported))

    def to_dict(self) -> dict[str, int | None]:
        """``responses`` and the five sums."""
        return {"responses": self.responses, **self.sums}

    def __add__(self, other: Usage) -> Usage:
        merged = Usage()
        merged.responses = self.responses + other.responses
        for figure in USAGE:
            parts = [part for part in (self.sums[figure], other.sums[figure]) if part is not None]
            merged.sums[figure] = sum(parts) if parts else None
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Usage) and (self.responses, self.sums) == (other.responses, other.sums)

    __hash__ = None  # type: ignore[assignment]


def _sum(values: Ints) -> int:
    """The exact sum, also where it is beyond 64 bits."""
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())

"""The tokens of the least certain answers, kept while a log is scanned.

Which answers these are is known at the end only, and then the log may be gone (standard input), packed, or a body
inside of a container. So the tokens of those that are the least certain *so far* are kept, some hundred of each, and
given up when others take their place: bounded, whatever the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ssift.log import Log
from ssift.printable import shortened
from ssift.statistics import LeastCertain
from ssift.strings import Strings

ANSWERS = 20
"""Answers on a page."""

TOKENS = 400
"""Tokens shown of an answer, from its first."""

ALTERNATIVES = 8
"""Alternatives shown of a token, as sent: the likeliest first."""

LONGEST = 100
"""Characters shown of a token."""


class Token(NamedTuple):
    """A token with its first alternatives; a logprob that is missing is NaN."""

    text: str
    logprob: float
    list: str
    alternatives: tuple[tuple[str, float], ...]


class Passage(NamedTuple):
    """The beginning of one answer, and how many tokens it has in all (each list counted)."""

    choice: LeastCertain
    tokens: list[Token]
    total: int


class Passages:
    """Keeps the tokens of the least certain answers; for batches of whole responses."""

    def __init__(self) -> None:
        self._kept: dict[tuple[object, ...], Passage] = {}

    def add(self, log: Log, least: Sequence[LeastCertain]) -> None:
        """Look at a batch; ``least`` are the least certain choices of all batches up to this one."""
        # Of a file that was named twice both answers have one place, and one passage.
        self._kept = {
            choice.place(): self._kept.get(choice.place()) or _passage(log, choice) for choice in least[:ANSWERS]
        }

    def __iter__(self) -> Iterator[Passage]:
        """The passages, least certain first."""
        return iter(self._kept.values())

    def __len__(self) -> int:
        return len(self._kept)


def _passage(log: Log, choice: LeastCertain) -> Passage:
    """The tokens of a choice that ended in this batch."""
    responses, tokens = log.responses, log.tokens
    places = np.flatnonzero((responses["offset"] == choice.offset) & (responses["length"] == choice.length))
    row = next(row for row in places.tolist() if _names(responses["source"], responses["id"], row, choice))
    rows = np.flatnonzero((tokens["response"] == responses["response"][row]) & (tokens["index"] == choice.index))
    shown = rows[:TOKENS]
    words, lists = tokens["token"].take(shown), tokens["list"].take(shown)
    starts = tokens["top_start"][shown] - log.first["top_logprobs"]
    counts = np.minimum(tokens["top_count"][shown], ALTERNATIVES)
    columns = (words, tokens["logprob"][shown].tolist(), lists, starts.tolist(), counts.tolist())
    return Passage(
        choice,
        [
            Token(shortened(word, LONGEST), logprob, name, _alternatives(log, start, count))
            for word, logprob, name, start, count in zip(*columns, strict=True)
        ],
        len(rows),
    )


def _names(sources: Strings, ids: Strings, row: int, choice: LeastCertain) -> bool:
    return sources[row] == choice.source and ids[row] == choice.id


def _alternatives(log: Log, start: int, count: int) -> tuple[tuple[str, float], ...]:
    listed = log.top_logprobs
    words = (shortened(word, LONGEST) for word in listed["token"][start : start + count])
    return tuple(zip(words, listed["logprob"][start : start + count].tolist(), strict=True))

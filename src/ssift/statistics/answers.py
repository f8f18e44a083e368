"""Figures of many whole responses, which merge: what a corpus, a model or a finish reason has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ssift.contract import Floats, Ints
from ssift.statistics.choices import How, bits_per_byte, over, perplexity_of, profile_of
from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import PART, SLOTS, UNITS, Kernel, slot_starts
from ssift.statistics.logprobs import exp
from ssift.statistics.whole import Answers

LEAST = 50
"""How many of the least certain choices are kept."""

OF_CHOICES = {
    "min_logprob": "least",
    "surprise_p95": "surprise_p95",
    "surprise_tail_mean": "surprise_tail",
    "mean_entropy": "entropy",
    "mean_confidence": "confidence",
    "lowest_group_confidence": "lowest",
    "bottom_group_confidence": "bottom",
    "tail_confidence": "tail",
}
"""Figures of choices of which a distribution is kept, and their names in a profile."""


@dataclass(frozen=True)
class LeastCertain:
    """One choice with a low mean logprob; source, offset and length say where its response can be read again."""

    mean_logprob: float
    source: str
    offset: int
    length: int
    index: int
    id: str
    model: str
    finish_reason: str
    tokens: int
    perplexity: float
    min_logprob: float
    lowest_group_confidence: float

    def place(self) -> tuple[float, str, int, int, int, str]:
        """What the order goes by: equal logprobs by where they stand."""
        return self.mean_logprob, self.source, self.offset, self.length, self.index, self.id


class AnswerFigures:
    """Distributions over responses and choices; ``a + b`` merges, to the last bit the same whatever the split.

    Attributes:
        responses, choices, tokens: how many there are.
        mean_logprob: Distribution over responses that have one (S / T over the tokens of all choices).
        perplexity: Distribution over responses of exp(-S / T).
        of_choices: Distributions by the names in ``OF_CHOICES``, and ``longest_low_run``, ``bits_per_byte``.
        least: up to ``LEAST`` choices with the lowest mean logprob, lowest first.
    """

    def __init__(self, how: How) -> None:
        self.how = how
        self.responses = 0
        self.choices = 0
        self.tokens = 0
        self.mean_logprob = Distribution()
        self.perplexity = Distribution()
        self.of_choices = {name: Distribution() for name in (*OF_CHOICES, "longest_low_run", "bits_per_byte")}
        self.least: list[LeastCertain] = []
        self._places: Ints = np.zeros((6, SLOTS), np.int64)

    def add(self, answers: Answers, by: Kernel, keep_least: bool = True) -> None:
        """Add whole responses; the first three columns are logprob, entropy and confidence."""
        n = len(answers.response)
        if not n:
            return
        profile = profile_of(answers, self.how, by)
        self.responses += n
        self.choices += len(answers.owner)
        self.tokens += int(answers.offsets[-1])
        count = np.bincount(answers.owner, weights=profile.values, minlength=n)
        total = np.zeros(n)
        some = profile.values > 0
        np.add.at(total, answers.owner[some], profile.sum[some])
        mean = over(total, count)
        self.mean_logprob.add(mean, by)
        self.perplexity.add(perplexity_of(mean), by)
        for name, source in OF_CHOICES.items():
            self.of_choices[name].add(getattr(profile, source), by)
        runs = np.where(some, profile.low_run, np.nan)
        self.of_choices["longest_low_run"].add(runs, by)
        self.of_choices["bits_per_byte"].add(bits_per_byte(profile.sum, answers.text_bytes), by)
        self._places += profile.places
        if keep_least:
            self._keep(answers, profile.values, profile.sum, profile.least, profile.lowest)

    def _keep(self, answers: Answers, count: Ints, total: Floats, least: Floats, lowest: Floats) -> None:
        mean = over(total, count)
        limit = self.least[-1].mean_logprob if len(self.least) == LEAST else math.inf
        places = np.flatnonzero(mean <= limit)
        if len(places) > LEAST:
            highest = np.partition(mean[places], LEAST - 1)[LEAST - 1]
            tied = np.flatnonzero(mean == highest)
            places = np.concatenate([places[mean[places] < highest], _first_of_each(answers, tied)])
        if not len(places):
            return
        owner = answers.owner[places]
        words = [column.take(owner) for column in (answers.source, answers.id, answers.model)]
        numbers = [column[owner] for column in (answers.offset, answers.length)]
        columns = (mean, answers.index, count, perplexity_of(mean), least, lowest)
        rows = zip(
            *(column.to_pylist() for column in (*words, answers.finish_reason.take(places))),
            *(column.tolist() for column in (*numbers, *(column[places] for column in columns))),
            strict=True,
        )
        new = [
            LeastCertain(
                mean, source or "", offset, length, index, name or "", model or "", reason or "", tokens, perplexity,
                least, lowest,
            )
            for source, name, model, reason, offset, length, mean, index, tokens, perplexity, least, lowest in rows
        ]  # fmt: skip
        self.least = _lowest([*self.least, *new])

    @property
    def perplexity_geometric(self) -> float:
        """exp(-mean of the responses' mean logprobs): the geometric mean of their perplexities."""
        return exp(-self.mean_logprob.mean)

    def by_position(self) -> list[dict[str, Any]]:
        """Means by place in the choice, the first token of each being 0: 16 places of one position, then eight to the
        octave.

        Each a dict: start and end (positions, half open), tokens (with a logprob), mean_logprob, listed (tokens with
        a confidence), mean_confidence. Values are rounded to 2**-36, and those of 1,024 nats or more left out.
        """
        count, low, high, listed, listed_low, listed_high = self._places.tolist()
        starts = slot_starts(SLOTS + 1).tolist()
        return [
            {
                "start": starts[slot],
                "end": starts[slot + 1],
                "tokens": count[slot],
                "mean_logprob": _mean(low[slot], high[slot], count[slot]),
                "listed": listed[slot],
                "mean_confidence": _mean(listed_low[slot], listed_high[slot], listed[slot]),
            }
            for slot in range(SLOTS)
            if count[slot] or listed[slot]
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything by name but ``least`` and :meth:`by_position`."""
        return {
            "mean_logprob": self.mean_logprob.to_dict(),
            "perplexity": self.perplexity.to_dict(),
            **{name: found.to_dict() for name, found in self.of_choices.items()},
        }

    def __add__(self, other: AnswerFigures) -> AnswerFigures:
        merged = AnswerFigures(self.how)
        for name in ("responses", "choices", "tokens", "mean_logprob", "perplexity"):
            setattr(merged, name, getattr(self, name) + getattr(other, name))
        merged.of_choices = {name: found + other.of_choices[name] for name, found in self.of_choices.items()}
        merged.least = _lowest([*self.least, *other.least])
        merged._places = self._places + other._places
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnswerFigures) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[object, ...]:
        return (
            self.how, self.responses, self.choices, self.tokens, self.mean_logprob, self.perplexity, self.of_choices,
            str(self.least), self._places.tolist(),
        )  # fmt: skip


def _first_of_each(answers: Answers, choices: Ints) -> Ints:
    """Of many choices the first ``LEAST`` of each source: of equal ones no others can be among the least."""
    if answers.source.is_uniform():
        return choices[:LEAST]
    source = answers.source.dictionary_encode().codes[answers.owner[choices]]
    order = np.argsort(source, kind="stable")
    first = np.searchsorted(source[order], source[order])
    return choices[order[np.arange(len(order)) - first < LEAST]]


def _lowest(found: list[LeastCertain]) -> list[LeastCertain]:
    return sorted(found, key=LeastCertain.place)[:LEAST]


def _mean(low: int, high: int, count: int) -> float:
    """The mean at a place from the halves of its sum; NaN for none."""
    return ((high << PART) + low) / (int(UNITS) * count) if count else math.nan

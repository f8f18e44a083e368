"""Figures of token logprobs, in nats.

With l the logprob of a token and T the number of tokens with a value:

=============  ======================  =========================================================================
sum            S = Σ l                 exact, rounded once
mean           S / T                   NaN when T = 0
perplexity     exp(-S / T)             weighted by token over everything; NaN when T = 0, infinite beyond 1.8e308
p01 ... p99    quantiles of l          from a sketch: within 1/257 of the order statistics
=============  ======================  =========================================================================

Values at or below -9999 are no probabilities: servers write them for "not among the top alternatives". They are
kept apart as *sentinels* and left out unless asked for. Missing values (null, NaN) are counted and never figure.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from ssift.contract import Floats
from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import SENTINEL, Kernel, kernel

Sentinels = Literal["exclude", "include"]


class Logprobs:
    """Token logprobs of a corpus: values, sentinels and missing ones, each apart; ``a + b`` merges.

    Attributes:
        values: Distribution of the values above the sentinel.
        sentinels: Distribution of those at or below it, minus infinity included.
        missing: tokens without a value.
        positive: values above 0, which rounding on a server can give; they are kept as sent.
    """

    __slots__ = ("missing", "positive", "sentinels", "values")

    def __init__(self) -> None:
        self.values = Distribution()
        self.sentinels = Distribution()
        self.missing = 0
        self.positive = 0

    def add(self, logprobs: Floats, by: Kernel | None = None) -> None:
        """Add the logprobs of tokens: float64, shape (n,), NaN where missing. ``by`` makes the pass over them."""
        by = by or kernel()
        values = np.ascontiguousarray(logprobs, np.float64)
        tally = by.tally(values, SENTINEL)
        self.values.take(tally._replace(missing=0))
        self.missing += tally.missing
        self.positive += tally.positive
        if tally.apart:
            self.sentinels.add(values[values <= SENTINEL], by)

    def distribution(self, sentinels: Sentinels = "exclude") -> Distribution:
        """The values, with the sentinels among them or without."""
        return self.values + self.sentinels if sentinels == "include" else self.values

    def perplexity(self, sentinels: Sentinels = "exclude") -> float:
        """exp of minus the mean logprob: weighted by token over everything that was added."""
        return exp(-self.distribution(sentinels).mean)

    def to_dict(self, sentinels: Sentinels = "exclude") -> dict[str, Any]:
        """The figures by name; undefined ones are NaN."""
        chosen = self.distribution(sentinels)
        return {
            "count": chosen.count,
            "missing": self.missing,
            "sentinel": self.sentinels.count,
            "positive": self.positive,
            "sum": chosen.sum,
            "mean": chosen.mean,
            "min": chosen.min,
            "max": chosen.max,
            **chosen.quantiles(),
        }

    def __add__(self, other: Logprobs) -> Logprobs:
        merged = Logprobs()
        merged.values = self.values + other.values
        merged.sentinels = self.sentinels + other.sentinels
        merged.missing = self.missing + other.missing
        merged.positive = self.positive + other.positive
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Logprobs) and (self.values, self.sentinels, self.missing, self.positive) == (
            other.values,
            other.sentinels,
            other.missing,
            other.positive,
        )

    __hash__ = None  # type: ignore[assignment]


def exp(power: float) -> float:
    """``math.exp`` that is infinite where the result is too large, instead of an exception."""
    try:
        return math.exp(power)
    except OverflowError:
        return math.inf

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
from ssift.statistics.quantiles import Sketch
from ssift.statistics.sums import ExactSum

SENTINEL = -9999.0
"""A logprob at or below this is a mark of the server, not a value."""

Sentinels = Literal["exclude", "include"]
QUANTILES = {"p01": 0.01, "p05": 0.05, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p95": 0.95, "p99": 0.99}


class Distribution:
    """Count, exact sum, extremes and quantiles of values that are not NaN; ``a + b`` merges.

    Attributes:
        count: number of values.
        min, max: smallest and largest, NaN when there are none.
        sketch: the :class:`~ssift.statistics.Sketch` behind the quantiles.
    """

    __slots__ = ("_sum", "count", "max", "min", "sketch")

    def __init__(self) -> None:
        self.count = 0
        self.min = math.nan
        self.max = math.nan
        self.sketch = Sketch()
        self._sum = ExactSum()

    def add(self, values: Floats) -> None:
        """Add all ``values``: float64, shape (n,), no NaN."""
        if not len(values):
            return
        self.count += len(values)
        self.min = float(np.fmin(self.min, values.min()))
        self.max = float(np.fmax(self.max, values.max()))
        self._sum.add(values)
        self.sketch.add(values)

    @property
    def sum(self) -> float:
        """Sum of the values, NaN when there are none."""
        return float(self._sum) if self.count else math.nan

    @property
    def mean(self) -> float:
        """Sum over count, NaN when there are none."""
        return self._sum.over(self.count)

    def quantiles(self) -> dict[str, float]:
        """The quantiles named in ``QUANTILES``, never outside of [min, max]; NaN when there are no values."""
        found = self.sketch.quantiles(list(QUANTILES.values()))
        return {
            name: min(max(value, self.min), self.max) if self.count else math.nan
            for name, value in zip(QUANTILES, found, strict=True)
        }

    def __add__(self, other: Distribution) -> Distribution:
        merged = Distribution()
        merged.count = self.count + other.count
        merged.min = float(np.fmin(self.min, other.min))
        merged.max = float(np.fmax(self.max, other.max))
        merged.sketch = self.sketch + other.sketch
        merged._sum = self._sum + other._sum
        return merged

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Distribution)
            and (self.count, self._sum, self.sketch) == (other.count, other._sum, other.sketch)
            and (not self.count or (self.min, self.max) == (other.min, other.max))
        )

    __hash__ = None  # type: ignore[assignment]


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

    def add(self, logprobs: Floats) -> None:
        """Add the logprobs of tokens: float64, shape (n,), NaN where missing."""
        proper = logprobs > SENTINEL  # false for NaN
        count = int(np.count_nonzero(proper))
        if count == len(logprobs):
            self.values.add(logprobs)
        else:
            sentinels = logprobs[logprobs <= SENTINEL]
            self.values.add(logprobs[proper])
            self.sentinels.add(sentinels)
            self.missing += len(logprobs) - count - len(sentinels)
        self.positive += int(np.count_nonzero(logprobs > 0))

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

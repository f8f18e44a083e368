"""Count, exact sum, extremes and quantiles of a column: what all summaries are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ssift.contract import Floats
from ssift.statistics.kernel import Kernel, Tally, kernel
from ssift.statistics.quantiles import Sketch
from ssift.statistics.sums import ExactSum

QUANTILES = {"p01": 0.01, "p05": 0.05, "p25": 0.25, "p50": 0.50, "p75": 0.75, "p95": 0.95, "p99": 0.99}

_FEW = 2048  # columns shorter than this are gathered before they are tallied


class Distribution:
    """Count, exact sum, extremes and quantiles of the values that are not NaN; ``a + b`` merges.

    All that is kept adds up without rounding, so the figures are the same to the last bit however the values were
    split and in whatever order the parts were merged.
    """

    __slots__ = ("_count", "_few", "_few_count", "_max", "_min", "_missing", "_sketch", "_sum")

    def __init__(self) -> None:
        self._count = 0
        self._missing = 0
        self._min = math.nan
        self._max = math.nan
        self._sketch = Sketch()
        self._sum = ExactSum()
        self._few: list[Floats] = []  # short columns that wait, and their length in all
        self._few_count = 0

    def add(self, values: Floats, by: Kernel | None = None) -> None:
        """Add ``values``: float64, shape (n,); NaN is counted as missing. ``by`` makes the pass over them."""
        if not len(values):
            return
        if len(values) < _FEW:
            self._few.append(np.array(values, np.float64))
            self._few_count += len(values)
            if self._few_count >= _FEW:
                self._settle(by)
        else:
            self.take((by or kernel()).tally(np.ascontiguousarray(values, np.float64), -math.inf))

    def take(self, tally: Tally) -> None:
        """Add what a kernel has tallied."""
        self._count += tally.values
        self._missing += tally.missing
        self._min = float(np.fmin(self._min, tally.least))
        self._max = float(np.fmax(self._max, tally.most))
        self._sum.add_units(tally.units, tally.plus_infinities, tally.minus_infinities)
        self._sketch.add_counts(tally.zeros, tally.keys)

    def _settle(self, by: Kernel | None = None) -> Distribution:
        if self._few:
            few = np.concatenate(self._few)
            self._few, self._few_count = [], 0
            self.take((by or kernel()).tally(few, -math.inf))
        return self

    @property
    def count(self) -> int:
        """Number of values."""
        return self._settle()._count

    @property
    def missing(self) -> int:
        """Number of NaN that were added: places where the figure is not defined."""
        return self._settle()._missing

    @property
    def min(self) -> float:
        """Smallest value, NaN when there is none."""
        return self._settle()._min

    @property
    def max(self) -> float:
        """Largest value, NaN when there is none."""
        return self._settle()._max

    @property
    def sum(self) -> float:
        """Sum of the values, exact and rounded once; NaN when there are none."""
        return float(self._settle()._sum) if self._count else math.nan

    @property
    def mean(self) -> float:
        """Sum over count, rounded once; NaN when there are none."""
        return self._settle()._sum.over(self._count)

    @property
    def sketch(self) -> Sketch:
        """The :class:`~ssift.statistics.Sketch` behind the quantiles."""
        return self._settle()._sketch

    def quantile(self, share: float) -> float:
        """The quantile at ``share`` (0 to 1), never outside of [min, max]; NaN when there are no values."""
        return self._within(self.sketch.quantile(share))

    def quantiles(self) -> dict[str, float]:
        """The quantiles named in ``QUANTILES``."""
        found = self.sketch.quantiles(list(QUANTILES.values()))
        return {name: self._within(value) for name, value in zip(QUANTILES, found, strict=True)}

    def _within(self, value: float) -> float:
        return min(max(value, self._min), self._max) if self._count else math.nan

    def histogram(self, edges: Floats) -> list[int]:
        """Values in each of the bins between ``edges`` (ascending, half open, the last one closed).

        A bucket of the sketch counts where the value shown for it falls, so a value may count in the bin next to its
        own when it is within :data:`~ssift.statistics.RELATIVE_ERROR` of the edge. What is outside counts nowhere.
        """
        values, counts = self.sketch.buckets()
        values = np.clip(values, self._min, self._max) if self._count else values
        found: list[int] = np.histogram(values, edges, weights=counts)[0].astype(np.int64).tolist()
        return found

    def to_dict(self) -> dict[str, Any]:
        """count, missing, sum, mean, min, max and the quantiles."""
        return {
            "count": self.count,
            "missing": self.missing,
            "sum": self.sum,
            "mean": self.mean,
            "min": self.min,
            "max": self.max,
            **self.quantiles(),
        }

    def __add__(self, other: Distribution) -> Distribution:
        self._settle()
        other._settle()
        merged = Distribution()
        merged._count = self._count + other._count
        merged._missing = self._missing + other._missing
        merged._min = float(np.fmin(self._min, other._min))
        merged._max = float(np.fmax(self._max, other._max))
        merged._sketch = self._sketch + other._sketch
        merged._sum = self._sum + other._sum
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Distribution) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[object, ...]:
        self._settle()
        extremes = (self._min, self._max) if self._count else ()
        return self._count, self._missing, self._sum, self._sketch, extremes

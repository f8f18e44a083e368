"""A mergeable sketch of a distribution, for quantiles with a bounded relative error.

After DDSketch (Masson, Rim, Lee: "DDSketch: a fast and fully-mergeable quantile sketch with relative-error
guarantees", VLDB 2019), with its logarithm interpolated linearly inside each power of two: a bucket holds the
doubles of one sign that agree in the exponent and the first seven bits of the fraction, 128 buckets to the octave.
The bucket of a value is a shift of its bits, so it is exact, the same on every machine, and cheap.

A bucket from a to b is shown as 2ab/(a + b), which is within (b - a)/(b + a) <= 1/257 of every value in it. Zero has
a bucket of its own (shared with magnitudes below 2**-1029), and so have the two infinities. No bucket is ever
collapsed, so merging is addition: associative, and the same whatever the split.
"""

from __future__ import annotations

import math

import numpy as np

from ssift.contract import Floats, Ints

RELATIVE_ERROR = 1 / 257
"""Each order statistic of a normal double is found within this share of its true value."""

_SHIFT = 45  # bits of the fraction that a bucket does not tell apart
_SIGN = 1 << (63 - _SHIFT)  # keys below it are of positive values, those from it on of negative ones
_NO_COUNTS: Ints = np.zeros(0, np.int64)


def bucketed(values: Floats) -> tuple[int, list[tuple[int, Ints]]]:
    """How many values (float64, shape (n,), no NaN) fall into each bucket.

    Returns:
        The count of the bucket of zero; and of the others a run for each sign that occurs: number of its first bucket,
        counts of this and the following ones.
    """
    keys = (np.ascontiguousarray(values).view(np.uint64) >> np.uint64(_SHIFT)).view(np.int64)
    is_zero = (keys & (_SIGN - 1)) == 0
    keys = keys[~is_zero]
    runs = []
    for part in (keys[keys < _SIGN], keys[keys >= _SIGN]):
        if len(part):
            first = int(part.min())
            runs.append((first, np.bincount(part - first).astype(np.int64)))
    return int(np.count_nonzero(is_zero)), runs


class _Run:
    """Counts of consecutive buckets, as wide as what was added."""

    __slots__ = ("counts", "first")

    def __init__(self) -> None:
        self.first = 0
        self.counts = _NO_COUNTS

    def add(self, first: int, counts: Ints) -> None:
        if not len(self.counts):
            self.first, self.counts = first, counts.copy()
            return
        start = min(self.first, first)
        end = max(self.first + len(self.counts), first + len(counts))
        if end - start != len(self.counts):
            wider = np.zeros(end - start, np.int64)
            wider[self.first - start :][: len(self.counts)] = self.counts
            self.first, self.counts = start, wider
        self.counts[first - start :][: len(counts)] += counts


class Sketch:
    """Counts of values by bucket. NaN is not for adding."""

    __slots__ = ("_runs", "_zeros")

    def __init__(self) -> None:
        self._zeros = 0
        self._runs = (_Run(), _Run())  # of positive values and of negative ones

    def add(self, values: Floats) -> None:
        """Count all ``values``: float64, shape (n,), no NaN."""
        self.add_counts(*bucketed(values))

    def add_counts(self, zeros: int, runs: list[tuple[int, Ints]]) -> None:
        """Add what :func:`bucketed` has counted."""
        self._zeros += zeros
        for first, counts in runs:
            self._runs[first >= _SIGN].add(first, counts)

    @property
    def count(self) -> int:
        """How many values were added."""
        return self._zeros + sum(int(run.counts.sum()) for run in self._runs)

    def __add__(self, other: Sketch) -> Sketch:
        merged = Sketch()
        merged._zeros = self._zeros + other._zeros
        for run, *parts in zip(merged._runs, self._runs, other._runs, strict=True):
            for part in parts:
                if len(part.counts):
                    run.add(part.first, part.counts)
        return merged

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sketch):
            return NotImplemented
        return all(np.array_equal(mine, its) for mine, its in zip(self.buckets(), other.buckets(), strict=True))

    __hash__ = None  # type: ignore[assignment]

    def buckets(self) -> tuple[Floats, Ints]:
        """What is in the sketch in ascending order: the value shown for each bucket, and its count."""
        plus, minus = (np.flatnonzero(run.counts) for run in self._runs)
        zero = [0] if self._zeros else []
        keys = np.concatenate([minus[::-1] + self._runs[1].first, zero, plus + self._runs[0].first]).astype(np.int64)
        counts = np.concatenate(
            [self._runs[1].counts[minus][::-1], [self._zeros] * len(zero), self._runs[0].counts[plus]]
        ).astype(np.int64)
        return _values(keys), counts

    def quantile(self, share: float) -> float:
        """The quantile at ``share`` (0 to 1) by numpy's default rule: linear between the two nearest ranks.

        Each of the two is within :data:`RELATIVE_ERROR` of the true order statistic. NaN for an empty sketch, and
        between two infinities of different sign.

        Raises:
            ValueError: ``share`` is not from 0 to 1.
        """
        return self.quantiles([share])[0]

    def quantiles(self, shares: list[float]) -> list[float]:
        """:meth:`quantile` of several shares at once."""
        for share in shares:
            if not 0 <= share <= 1:
                raise ValueError(f"a quantile at {share}: use a share from 0 to 1")
        if not self.count:
            return [math.nan] * len(shares)
        values, counts = self.buckets()
        ends = np.cumsum(counts)
        found = []
        for share in shares:
            place = share * (int(ends[-1]) - 1)
            below = math.floor(place)
            above = min(below + 1, int(ends[-1]) - 1)
            low = float(values[np.searchsorted(ends, below, "right")])
            high = float(values[np.searchsorted(ends, above, "right")])
            between = place - below
            if low == high or between == 0:
                found.append(low)
            elif math.isinf(low) or math.isinf(high):
                found.append(low * (1 - between) + high * between)
            else:
                found.append(low + (high - low) * between)
        return found


def _values(keys: Ints) -> Floats:
    """The value shown for each bucket, 2ab/(a + b) written so that it does not overflow."""
    sizes = keys % _SIGN
    starts = (sizes << _SHIFT).view(np.float64)
    ends = ((sizes + 1) << _SHIFT).view(np.float64)
    with np.errstate(all="ignore"):
        middles = starts + (ends - starts) / (1 + ends / starts)
        # The end of the last finite bucket is no double: the bucket is 1/255 of its start wide. Infinity stays.
        middles = np.where(np.isfinite(ends), middles, starts * (1 + 1 / 511))
    return np.where(keys >= _SIGN, -middles, middles) + 0.0  # no negative zero

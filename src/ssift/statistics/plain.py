"""The kernel in numpy and plain Python: the passes of ext/figures.pxd and ext/alternatives.pxd, operation by operation.

Where the order of additions decides about the last bit, it is the order of the compiled twin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ssift.contract import Codes, Flags, Floats, Ints
from ssift.statistics.kernel import ASKED, BELOW, PART, PLACED, SLOTS, UNITS, UNLISTED, Listed, Profile, Tally
from ssift.statistics.quantiles import bucketed
from ssift.statistics.sums import ExactSum
from ssift.strings import Strings, same_rows

_PER_OCTAVE = 1.4426950408889634
_OCTAVE_HIGH = 0.6931471803691238  # ln 2 to 33 bits, and the rest
_OCTAVE_LOW = 1.9082149292705877e-10
_ROUNDER = 1.5 * 2.0**52  # adding it rounds to an integer
_SMALLEST = -708.0
_REPLACEMENT = b"\xef\xbf\xbd"


def exp(values: Floats) -> Floats:
    """exp for probabilities, within one unit of the last place: 1 from 0 on, 0 below -708; of NaN 1.

    2**k exp(r) with k = round(x / ln 2), and exp(r) by its Taylor series to the 13th power, odd and even powers apart.
    """
    y = np.where(values < 0, values, 0.0)
    y = np.where(y > _SMALLEST, y, _SMALLEST)
    t = y * _PER_OCTAVE + _ROUNDER
    k = t - _ROUNDER
    r = (y - k * _OCTAVE_HIGH) - k * _OCTAVE_LOW
    s = r * r
    even = _horner(s, (1 / 2, 1 / 24, 1 / 720, 1 / 40320, 1 / 3628800, 1 / 479001600))
    odd = _horner(s, (1 / 6, 1 / 120, 1 / 5040, 1 / 362880, 1 / 39916800, 1 / 6227020800))
    p = 1.0 + (r + s * (even + r * odd))
    power = ((t.view(np.int64) + 1023) << 52).view(np.float64)
    return np.where(values < _SMALLEST, 0.0, p * power)


def _horner(s: Floats, factors: Sequence[float]) -> Floats:
    found = np.full(len(s), factors[-1])
    for factor in reversed(factors[:-1]):
        found = factor + s * found
    return found


def kept(values: Floats, floor: float) -> Flags:
    """Which values are there and above ``floor``; a floor of minus infinity keeps all."""
    return ~np.isnan(values) if floor == -math.inf else values > floor


# ------------------------------------------------------------------------------------------------ alternatives


def listed(
    logprob: Floats,
    token: Strings,
    starts: Ints,
    first: int,
    top_logprob: Floats,
    top_token: Strings,
    floor: float,
    lean: bool = False,
) -> Listed:
    """:meth:`ssift.statistics.kernel.Kernel.listed`; nothing is left out when it may be."""
    n = len(logprob)
    begin = starts - first
    counts = np.diff(begin, append=np.int64(len(top_logprob)))
    row = np.repeat(np.arange(n), counts)
    sampled = _is_sampled(logprob, token, top_logprob, top_token, row)
    probability = exp(top_logprob)
    usable = kept(top_logprob, floor)
    entries, above = np.zeros(n, np.int64), np.zeros(n, np.int64)
    found: Flags = np.zeros(n, np.bool_)
    total, mass, entropy = np.zeros(n), np.zeros(n), np.zeros(n)
    best, best_p = np.full(n, -np.inf), np.zeros(n)
    second, second_p = np.full(n, -np.inf), np.zeros(n)
    for rank in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > rank)
        top = begin[rows] + rank
        same = sampled[top] & (top_logprob[top] == logprob[rows])
        again = same & found[rows]
        found[rows[same]] = True
        rows, top = rows[~again], top[~again]
        above[rows] += top_logprob[top] > logprob[rows]
        valid = usable[top]
        rows, top = rows[valid], top[valid]
        x, p = top_logprob[top], probability[top]
        entries[rows] += 1
        with np.errstate(over="ignore", invalid="ignore"):  # infinities of both signs, sums beyond the range
            total[rows] = total[rows] + x
        mass[rows] = mass[rows] + p
        share = np.zeros(len(p))
        np.multiply(p, np.minimum(x, 0.0), out=share, where=p > 0)
        entropy[rows] = entropy[rows] - share
        leads = (entries[rows] == 1) | (x > best[rows])
        follows = ~leads & ((entries[rows] == 2) | (x > second[rows]))
        lead, follow = rows[leads], rows[follows]
        second[lead], second_p[lead] = best[lead], best_p[lead]
        best[lead], best_p[lead] = x[leads], p[leads]
        second[follow], second_p[follow] = x[follows], p[follows]
    found[row[sampled]] = True
    for values, least in ((mass, 1), (entropy, 1), (best, 1), (second, 2)):
        values[entries < least] = np.nan
    seat = np.where(above > 0, ASKED | BELOW, ASKED) | np.where(found, 0, UNLISTED)
    code: Codes = np.where((entries > 0) & ~np.isnan(logprob), seat, 0).astype(np.uint8)
    confidence = np.divide(-total, entries, out=np.full(n, np.nan), where=entries > 0)
    margin = np.where(entries > 1, best_p - second_p, np.nan)
    return Listed(entries, above, code, confidence, mass, entropy, best, second, margin)


def _is_sampled(logprob: Floats, token: Strings, top_logprob: Floats, top_token: Strings, row: Ints) -> Flags:
    """Which alternatives are the sampled token: its text, and where that has a U+FFFD its logprob."""
    same = same_rows(token, row, top_token, np.arange(len(row)))
    unsure = np.array([_REPLACEMENT in text.encode() for text in token if text is not None], np.bool_)
    found: Flags = same & (~unsure[row] | (top_logprob == logprob[row]))
    return found


# -------------------------------------------------------------------------------------------------- one column


def tally(values: Floats, floor: float) -> Tally:
    """:meth:`ssift.statistics.kernel.Kernel.tally`."""
    chosen = values[kept(values, floor)]
    missing = int(np.count_nonzero(np.isnan(values)))
    zeros, keys = bucketed(chosen)
    total = ExactSum()
    total.add(chosen)
    return Tally(
        len(chosen),
        len(values) - missing - len(chosen),
        missing,
        int(np.count_nonzero(chosen > 0)),
        total.plus_infinities,
        total.minus_infinities,
        float(chosen.min()) + 0.0 if len(chosen) else math.nan,  # never -0.0
        float(chosen.max()) + 0.0 if len(chosen) else math.nan,
        total.units,
        zeros,
        keys,
    )


# ----------------------------------------------------------------------------------------------------- choices


def profile(
    offsets: Ints,
    logprob: Floats,
    entropy: Floats,
    confidence: Floats,
    window: int,
    share: float,
    floor: float,
    limit: float,
) -> Profile:
    """:meth:`ssift.statistics.kernel.Kernel.profile`."""
    rows = []
    places = np.zeros((6, SLOTS), np.int64)
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        own, bits, peaks = logprob[start:end], entropy[start:end], confidence[start:end]
        values = own[kept(own, floor)]
        listed_here = ~np.isnan(peaks)
        slots = slots_of(end - start)
        _place(values, slots[kept(own, floor)], places[:3])
        _place(peaks[listed_here], slots[listed_here], places[3:])
        missing = int(np.count_nonzero(np.isnan(own)))
        p95, tail = surprises((-values).tolist())
        rows.append(
            (
                len(values),
                missing,
                len(own) - missing - len(values),
                int(np.count_nonzero(values > 0)),
                *longest_run(own < limit),
                int(np.count_nonzero(listed_here)),
                neumaier(values.tolist()) if len(values) else math.nan,
                float(values.min()) + 0.0 if len(values) else math.nan,
                p95,
                tail,
                over(neumaier(bits[listed_here].tolist()), int(np.count_nonzero(listed_here))),
                *groups(peaks[listed_here].tolist(), window, share),
            )
        )
    columns = list(zip(*rows, strict=True)) or [()] * 16
    counts: list[Any] = [np.array(column, np.int64) for column in columns[:7]]
    figures: list[Any] = [np.array(column, np.float64) for column in columns[7:]]
    return Profile._make([*counts, *figures, places])


def slots_of(n: int) -> Ints:
    """The place of positions 0 to n - 1, int64, shape (n,)."""
    position = np.arange(n, dtype=np.int64)
    octave = np.frexp(np.maximum(position, 16))[1] - 1
    coarse = 16 + (octave - 4) * 8 + ((position >> (octave - 3)) & 7)
    return np.where(position < 16, position, coarse).astype(np.int64)


def _place(values: Floats, slots: Ints, into: Ints) -> None:
    fits = np.abs(values) < PLACED
    units = ((values[fits] * UNITS + _ROUNDER) - _ROUNDER).astype(np.int64)
    sums = np.zeros(SLOTS, np.int64)
    np.add.at(sums, slots[fits], units)
    np.add.at(into[0], slots[fits], 1)
    into[1] += sums & ((1 << PART) - 1)
    into[2] += sums >> PART


def longest_run(low: Flags) -> tuple[int, int]:
    """Length and start of the longest run of True, the first of equal ones; (0, -1) when there is none."""
    edges = np.flatnonzero(np.diff(low, prepend=False, append=False))
    starts, lengths = edges[::2], edges[1::2] - edges[::2]
    if not len(starts):
        return 0, -1
    longest = int(np.argmax(lengths))
    return int(lengths[longest]), int(starts[longest])


def neumaier(values: Sequence[float]) -> float:
    """The compensated sum in the order given; 0 for none."""
    total = Compensated()
    for value in values:
        total.add(value)
    return float(total)


def over(total: float, count: int) -> float:
    """total / count, NaN when the count is 0."""
    return total / count if count else math.nan


def surprises(values: Sequence[float]) -> tuple[float, float]:
    """95th percentile (linear between ranks) and mean of the top tenth; NaN for no values."""
    k = len(values)
    if not k:
        return math.nan, math.nan
    top = sorted(values, reverse=True)
    at = 0.95 * (k - 1)
    below = k - 1 - int(at)
    low, high = top[below], top[max(below - 1, 0)]
    p95 = low if low == high else low + (high - low) * (at - int(at))
    tail = (k + 9) // 10
    return p95, neumaier(top[:tail]) / tail


def groups(values: Sequence[float], window: int, share: float) -> tuple[float, float, float, float]:
    """Mean, lowest group, mean of the lowest groups, last group: means of ``window`` values in a row."""
    n = len(values)
    if not n:
        return (math.nan,) * 4
    mean = neumaier(values) / n
    if n <= window:
        return (mean,) * 4
    total = Compensated()
    infinite = [0, 0]  # plus, minus: counted apart from the sum, which could not lose them again
    means = []
    for i, value in enumerate(values):
        if math.isfinite(value):
            total.add(value)
        else:
            infinite[value < 0] += 1
        if i + 1 < window:
            continue
        if i >= window:
            gone = values[i - window]
            if math.isfinite(gone):
                total.add(-gone)
            else:
                infinite[gone < 0] -= 1
        if any(infinite):
            means.append(math.nan if all(infinite) else math.inf if infinite[0] else -math.inf)
        else:
            means.append(float(total) / window)
    lowest = sorted(math.inf if math.isnan(group) else group for group in means)[: max(int(share * len(means)), 1)]
    return mean, lowest[0], neumaier(lowest) / len(lowest), means[-1]


class Compensated:
    """A sum after Neumaier, with the rounding errors kept beside it."""

    __slots__ = ("rest", "value")

    def __init__(self) -> None:
        self.value = 0.0
        self.rest = 0.0

    def add(self, x: float) -> None:
        """Add one value."""
        t = self.value + x
        if abs(self.value) >= abs(x):
            self.rest += (self.value - t) + x
        else:
            self.rest += (x - t) + self.value
        self.value = t

    def __float__(self) -> float:
        return self.value + self.rest if math.isfinite(self.value) else self.value

"""Sums of float64 without rounding until the end.

Every finite double is an integer times 2**-1074, so a sum of doubles is an integer too, and integers add in any
order to the same result. The one rounding is the last step, to the nearest double, as ``math.fsum`` does it.

Two ways lead to the integer, both by blocks and both exact:

* Values of ordinary size are cut into three parts, each a multiple of a power of two so coarse that the sum of a
  whole block of such parts stays below 2**53 of them, where float64 adds integers exactly. The cut is the addition
  and subtraction of a constant (Rump, Ogita, Oishi: "Accurate floating-point summation", 2008).
* All others are gathered by exponent: for values with one exponent the 53-bit significands are summed in two halves
  whose sums stay below 2**53.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from ssift.contract import Floats

_UNIT_BITS = 1074
_UNIT = 1 << _UNIT_BITS
_BLOCK = 1 << 15  # values at a time, 2**20 at most; the temporaries of a block fit into a cache

_ORDINARY = float(1 << 14)  # |value| up to this: a part is below 2**33 of its grid, a block of them below 2**48
_GRIDS = (-18, -51, -84)  # each part is a multiple of 2**grid; the rest is below half of that

_HALF = 27  # bits: halves of 2**20 significands sum to less than 2**47
_LOW = np.int64((1 << _HALF) - 1)
_FRACTION = np.int64((1 << 52) - 1)
_HIDDEN = np.int64(1 << 52)


class ExactSum:
    """The exact sum of the values added; ``float()`` rounds it once. NaN is not for adding.

    Attributes:
        units: the sum of the finite values, in multiples of 2**-1074.
        plus_infinities, minus_infinities: how many were added.
    """

    __slots__ = ("minus_infinities", "plus_infinities", "units")

    def __init__(self) -> None:
        self.units = 0
        self.minus_infinities = 0
        self.plus_infinities = 0

    def add(self, values: Floats) -> None:
        """Add all ``values``: float64, shape (n,), no NaN."""
        for start in range(0, len(values), _BLOCK):
            block = np.ascontiguousarray(values[start : start + _BLOCK])
            if block.min() >= -_ORDINARY and block.max() <= _ORDINARY:
                block = self._add_ordinary(block)
            if len(block):
                self._add_by_exponent(block)

    def add_units(self, units: int, plus_infinities: int = 0, minus_infinities: int = 0) -> None:
        """Add a sum that is known in multiples of 2**-1074, and as many infinities."""
        self.units += units
        self.plus_infinities += plus_infinities
        self.minus_infinities += minus_infinities

    def _add_ordinary(self, values: Floats) -> Floats:
        """Add all but what is finer than the finest grid, which is handed back."""
        for grid in _GRIDS:
            shift = 1.5 * 2.0 ** (52 + grid)  # a double next to it is a multiple of 2**grid
            parts = (values + shift) - shift
            values = values - parts
            self.units += int(float(parts.sum()) * 2.0**-grid) << (_UNIT_BITS + grid)
        rest: Floats = values[values != 0]
        return rest

    def _add_by_exponent(self, values: Floats) -> None:
        bits = values.view(np.int64)
        exponents = (bits >> 52) & 0x7FF
        infinite = exponents == 0x7FF
        if infinite.any():
            plus = int(np.count_nonzero(values == math.inf))
            self.plus_infinities += plus
            self.minus_infinities += int(np.count_nonzero(infinite)) - plus
            values, bits, exponents = values[~infinite], bits[~infinite], exponents[~infinite]
        significands = bits & _FRACTION
        significands[exponents > 0] |= _HIDDEN  # zeros and subnormals have no hidden bit, and the exponent of 1
        np.maximum(exponents, 1, out=exponents)
        np.negative(significands, out=significands, where=bits < 0)
        lows = np.bincount(exponents, weights=significands & _LOW)
        highs = np.bincount(exponents, weights=significands >> _HALF)
        for exponent in np.flatnonzero((lows != 0) | (highs != 0)).tolist():
            total = (int(highs[exponent]) << _HALF) + int(lows[exponent])
            self.units += total << (exponent - 1)

    def __add__(self, other: ExactSum) -> ExactSum:
        merged = ExactSum()
        merged.units = self.units + other.units
        merged.minus_infinities = self.minus_infinities + other.minus_infinities
        merged.plus_infinities = self.plus_infinities + other.plus_infinities
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSum) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[int, int, int]:
        return self.units, self.minus_infinities, self.plus_infinities

    def __float__(self) -> float:
        """The nearest double; infinite beyond the range or with an infinity added, NaN with both infinities."""
        if self.plus_infinities or self.minus_infinities:
            if self.plus_infinities and self.minus_infinities:
                return math.nan
            return math.inf if self.plus_infinities else -math.inf
        return _ratio(self.units, _UNIT)

    def over(self, count: int) -> float:
        """The sum divided by ``count``, rounded once; NaN when ``count`` is 0."""
        if count == 0:
            return math.nan
        if self.plus_infinities or self.minus_infinities:
            return float(self)
        return _ratio(self.units, _UNIT * count)


def exact_sum(values: Iterable[float]) -> float:
    """``math.fsum``, and infinite or NaN where that raises: beyond the range, or with both infinities."""
    given = np.fromiter(values, np.float64)
    try:
        return math.fsum(given)
    except (OverflowError, ValueError):
        total = ExactSum()
        total.add(given)
        return float(total)


def _ratio(above: int, below: int) -> float:
    """The quotient of two integers, which Python rounds once and correctly; infinite where it is too large."""
    try:
        return above / below
    except OverflowError:
        return math.inf if above > 0 else -math.inf

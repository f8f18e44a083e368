"""Axes: where a value stands between the ends, and which values are written beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ssift.contract import Floats


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, linear or logarithmic. What is outside stands at the end.

    On a ``whole`` axis are counts and positions: none of its ticks has a fraction.
    """

    low: float
    high: float
    label: str
    logarithmic: bool = False
    whole: bool = False

    def place(self, value: float) -> float:
        """0 at ``low``, 1 at ``high``."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def edges(self, bins: int) -> Floats:
        """The ends of ``bins`` bins of equal width on the axis, float64, shape (bins + 1,)."""
        if self.logarithmic:
            return np.geomspace(self.low, self.high, bins + 1)
        return np.linspace(self.low, self.high, bins + 1)

    def ticks(self, most: int) -> list[float]:
        """Round values on the axis, about ``most`` of them and seldom more."""
        if self.logarithmic and self.high / self.low > 4:
            return self._decades(most)
        least = (self.high - self.low) / most
        step = _round_step(max(least, 1.0) if self.whole else least)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [float(f"{step * number:.12g}") for number in range(first, last + 1)]

    def _decades(self, most: int) -> list[float]:
        """Powers of ten, and where there is room twos and fives between them; else every second power, ..."""
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for leads in ((1, 2, 5), (1, 3), (1,)):
            all_of_them = (float(f"{lead}e{power}") for power in powers for lead in leads)
            found = [value for value in all_of_them if self.low <= value <= self.high]
            if len(found) <= most:
                break
        return found[:: math.ceil(len(found) / most)]


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, ... times a power of ten that is no less."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(lead * power for lead in (1, 2, 5, 10) if lead * power >= least * (1 - 1e-9))


def counts_axis(largest: int, logarithmic: bool = False) -> Axis:
    """An axis for counts up to ``largest``; a logarithmic one begins below 1, so that a single one is seen."""
    if logarithmic:
        return Axis(0.5, max(largest, 2) * 1.3, "", True)
    step = _round_step(max(largest, 4) / 4)
    return Axis(0, step * math.ceil(max(largest, 1) / step), "", whole=True)

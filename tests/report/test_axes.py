"""Scales, ticks, and how figures and shares are written."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.report.axes import Axis, counts_axis
from ssift.report.charts import tick
from ssift.report.markup import figure, percent
from ssift.report.shades import SHADES, probability, shade


@pytest.mark.parametrize(
    ("axis", "most", "ticks"),
    [
        (Axis(-12, 0, ""), 12, [float(value) for value in range(-12, 1)]),
        (Axis(-0.9, -0.3, ""), 5, [-0.8, -0.6, -0.4]),
        (Axis(1, 1000, "", True), 12, [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]),
        (Axis(0.004, 0.3, "", True), 4, [0.01, 0.03, 0.1, 0.3]),
        (Axis(1.6, 2.5, "", True), 5, [1.6, 1.8, 2.0, 2.2, 2.4]),
        (counts_axis(1), 5, [0, 1]),
        (counts_axis(3), 5, [0, 1, 2, 3]),
        (Axis(1, 2, "", True, whole=True), 12, [1, 2]),
        (Axis(1, 4, "", True, whole=True), 12, [1, 2, 3, 4]),
        (counts_axis(1234), 5, [0, 500, 1000, 1500]),
    ],
)
def test_ticks_are_round(axis: Axis, most: int, ticks: list[float]) -> None:
    assert axis.ticks(most) == ticks


@given(st.floats(1e-9, 1e9), st.floats(1.001, 1e12), st.integers(4, 14), st.booleans())
def test_ticks_are_on_the_axis_and_not_too_many(low: float, ratio: float, most: int, logarithmic: bool) -> None:
    axis = Axis(low, low * ratio, "", logarithmic)
    ticks = axis.ticks(most)
    assert len(ticks) <= most + 1
    assert ticks == sorted(set(ticks))
    assert all(-1e-6 <= (tick - axis.low) / (axis.high - axis.low) <= 1 + 1e-6 for tick in ticks)


def test_places_on_an_axis() -> None:
    assert [Axis(-2, 2, "").place(value) for value in (-9, -2, 0, 2, math.inf)] == [0, 0, 0.5, 1, 1]
    assert Axis(1, 100, "", True).place(10) == pytest.approx(0.5)
    assert Axis(1, 100, "", True).edges(2).tolist() == pytest.approx([1, 10, 100])


def test_figures_are_written_for_people() -> None:
    written = [figure(value) for value in (1234, -5, 0.0, 5.7, -0.000012345, 1e7, 1234.0, math.nan, math.inf, None)]
    assert written == ["1,234", "−5", "0", "5.700", "−1.234 × 10⁻⁵", "1.000 × 10⁷", "1,234", "–", "∞", "–"]
    assert [percent(share) for share in (0.0, 0.0001, 0.1234, 0.9999, 1.0, math.nan)] == [
        "0.0%",
        "&lt;0.1%",
        "12.3%",
        "&gt;99.9%",
        "100.0%",
        "–",
    ]
    assert [tick(value) for value in (0.25, 1000, 20000, 3e6, -12)] == ["0.25", "1,000", "20k", "3M", "−12"]


def test_a_shade_for_each_probability() -> None:
    bounds = [math.log(each.least) if each.least else -math.inf for each in SHADES]
    assert [shade(bound + 1e-12).name for bound in bounds[:-1]] == ["s0", "s1", "s2", "s3", "s4"]
    assert [shade(bound - 1e-12).name for bound in bounds[:-1]] == ["s1", "s2", "s3", "s4", "s5"]
    assert shade(-math.inf) is SHADES[-1]
    assert shade(0.5) is SHADES[0]
    assert shade(math.nan) is None
    assert probability(0.5) == 1.0

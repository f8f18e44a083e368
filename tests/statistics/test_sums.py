"""Sums are exact until the one rounding at the end."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.statistics import ExactSum
from ssift.statistics.sums import exact_sum

finite = st.floats(allow_nan=False, allow_infinity=False)
logprobs = st.floats(-20, 0) | st.sampled_from([0.0, -0.0, -9999.0, -1e-30, 5e-324, 1e-7])


def total(values: object) -> ExactSum:
    found = ExactSum()
    found.add(np.array(values, np.float64))
    return found


def nearest(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


@given(st.lists(finite | logprobs, max_size=60))
def test_the_sum_is_the_nearest_double_to_the_exact_one(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction(0))
    assert float(total(values)) == nearest(exact)
    if values:
        assert total(values).over(len(values)) == nearest(exact / len(values))


@given(st.lists(st.floats(allow_nan=False) | logprobs, max_size=60), st.data())
def test_any_split_gives_the_same(values: list[float], data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=4)))
    parts = [total(values[start:end]) for start, end in zip([0, *places], [*places, len(values)], strict=True)]
    merged = ExactSum()
    for part in data.draw(st.permutations(parts)):
        merged = merged + part
    assert merged == total(values)


def test_a_hundred_thousand_tenths() -> None:
    values = np.full(100_000, -0.1)
    assert abs(float(total(values)) + 10_000) < 1e-9
    assert float(total(values)) == math.fsum(values)


@pytest.mark.parametrize("scale", [1.0, 1e-12, 1e6, 1e300, 1e-310])
def test_many_values_over_several_blocks(scale: float) -> None:
    values = np.random.default_rng(1).normal(size=100_001) ** 5 * scale
    assert float(total(values)) == math.fsum(values)
    assert float(total(values[::-2])) == math.fsum(values[::-2])


def test_infinities() -> None:
    assert float(total([1.0, math.inf])) == math.inf
    assert total([1.0, -math.inf]).over(2) == -math.inf
    assert math.isnan(float(total([math.inf, -math.inf])))
    assert float(total([1e308] * 3)) == math.inf
    assert float(total([-1e308] * 3)) == -math.inf
    assert total([1e308] * 3).over(3) == 1e308


def test_sums_that_fsum_does_not_have() -> None:
    assert exact_sum([0.1] * 10) == 1.0
    assert exact_sum([1e308, 1e308]) == math.inf
    assert exact_sum([1e308, 1e308, -1e308]) == 1e308
    assert math.isnan(exact_sum([math.inf, -math.inf]))
    assert exact_sum([]) == 0.0


def test_nothing() -> None:
    assert float(ExactSum()) == 0.0
    assert math.isnan(ExactSum().over(0))

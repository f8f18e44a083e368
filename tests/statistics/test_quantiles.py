"""The sketch keeps its promise: quantiles within RELATIVE_ERROR, and merging changes nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssift.statistics import RELATIVE_ERROR, Sketch
from tests.need import need_module

SHARES = [0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0]
TINY = 2.0**-1022  # below it a double has fewer bits, and a bucket is no longer narrow

values = st.lists(
    st.floats(-20, 1) | st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, -9999.0, 1e-7]),
    min_size=1,
    max_size=80,
)


def sketch(data: object) -> Sketch:
    found = Sketch()
    found.add(np.array(data, np.float64))
    return found


@given(values)
def test_order_statistics_are_within_the_bound(data: list[float]) -> None:
    found = sketch(data)
    assert found.count == len(data)
    for true, shown in zip(sorted(data), np.repeat(*found.buckets()).tolist(), strict=True):
        if math.isinf(true):
            assert shown == true
        elif abs(true) < TINY:
            assert abs(shown) < 2 * TINY
        else:
            assert abs(shown - true) <= RELATIVE_ERROR * abs(true) * (1 + 1e-15)


DISTRIBUTIONS = {
    "certain": lambda r: -r.exponential(1e-4, 20_001),
    "typical": lambda r: -(r.exponential(1.0, 20_001) ** 3),
    "uniform": lambda r: -r.uniform(0, 25, 20_001),
    "with zeros": lambda r: np.minimum(0, 1 - r.exponential(1.0, 20_001)),
    "both signs": lambda r: r.normal(size=20_001),
}


@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_quantiles_are_those_of_numpy_within_the_bound(draw) -> None:
    data = draw(np.random.default_rng(3))
    found = sketch(data).quantiles(SHARES)
    for share, shown in zip(SHARES, found, strict=True):
        assert shown == pytest.approx(np.quantile(data, share), rel=RELATIVE_ERROR * 1.01, abs=1e-300), share


def test_interpolation_is_that_of_numpy() -> None:
    data = [-8.0, -4.0, -2.0, -1.0]
    assert sketch(data).quantile(0.5) == pytest.approx(-3.0, rel=RELATIVE_ERROR)
    assert sketch(data).quantile(1 / 6) == pytest.approx(-6.0, rel=RELATIVE_ERROR)


@settings(max_examples=40)
@given(values, values, values)
def test_merging_is_associative_and_equals_the_whole(a: list[float], b: list[float], c: list[float]) -> None:
    left = (sketch(a) + sketch(b)) + sketch(c)
    right = sketch(c) + (sketch(b) + sketch(a))
    assert left == right == sketch(a + b + c)
    for found in (left, right):
        np.testing.assert_array_equal(found.quantiles(SHARES), sketch(a + b + c).quantiles(SHARES))


def test_merging_leaves_the_parts_alone() -> None:
    one, other = sketch([-1.0]), sketch([-2.0, 3.0])
    _ = one + other
    assert (one, other) == (sketch([-1.0]), sketch([-2.0, 3.0]))
    merged = Sketch() + one
    merged.add(np.array([-1.0]))
    assert one.count == 1


def test_an_empty_sketch_has_no_quantiles() -> None:
    assert math.isnan(Sketch().quantile(0.5))


@pytest.mark.parametrize("share", [-0.1, 1.5, math.nan])
@pytest.mark.parametrize("data", [[], [-1.0, -2.0]])
def test_a_share_that_is_none(share: float, data: list[float]) -> None:
    with pytest.raises(ValueError, match="a share from 0 to 1"):
        sketch(data).quantile(share)
    assert Sketch() == sketch([])
    assert sketch([]).count == 0


def test_infinities_and_extremes() -> None:
    found = sketch([-math.inf, -1.7e308, 0.0, 1.7e308, math.inf])
    assert found.quantile(0.0) == -math.inf
    assert found.quantile(1.0) == math.inf
    assert found.quantile(0.5) == 0.0
    assert found.quantile(0.25) == pytest.approx(-1.7e308, rel=RELATIVE_ERROR)


@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
def test_as_good_as_a_released_sketch(draw) -> None:
    """DDSketch with the same promise: both are within it of the order statistic, so within twice of each other."""
    ddsketch = need_module("ddsketch")
    data = draw(np.random.default_rng(11))
    other = ddsketch.DDSketch(RELATIVE_ERROR)
    for value in data.tolist():
        other.add(value)
    values, counts = sketch(data).buckets()
    ranks = np.sort(data)
    for share in SHARES[1:-1]:
        rank = int(share * (len(data) - 1))
        mine = float(values[np.searchsorted(np.cumsum(counts), rank, "right")])
        assert mine == pytest.approx(ranks[rank], rel=RELATIVE_ERROR * (1 + 1e-9), abs=1e-300)
        assert mine == pytest.approx(other.get_quantile_value(share), rel=2.02 * RELATIVE_ERROR, abs=1e-300), share

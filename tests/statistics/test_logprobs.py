"""Known answers: means, perplexity, sentinels, missing values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssift.statistics import Logprobs

NAN = math.nan


def of(*values: float) -> Logprobs:
    found = Logprobs()
    found.add(np.array(values, np.float64))
    return found


def test_perplexity_is_exp_of_minus_the_mean() -> None:
    assert of(-0.5, -1.5).perplexity() == pytest.approx(math.e, rel=1e-15)


def test_perplexity_is_weighted_by_token() -> None:
    both = of(*[-2.0] * 4) + of(*[-1.0] * 16)
    assert both.perplexity() == pytest.approx(math.exp(24 / 20), rel=1e-15)


def test_perplexity_that_is_too_large_is_infinite() -> None:
    assert of(-800.0).perplexity() == math.inf


def test_nothing_is_undefined_and_not_zero() -> None:
    for nothing in (of(), of(NAN, NAN), of(-9999.0)):
        figures = nothing.to_dict()
        assert figures["count"] == 0
        for name in ("sum", "mean", "min", "max", "p01", "p50", "p99"):
            assert math.isnan(figures[name]), name
        assert math.isnan(nothing.perplexity())


def test_sentinels_are_apart_unless_asked_for() -> None:
    found = of(-0.1, -9999.0, -0.3, -math.inf)
    assert found.to_dict()["sentinel"] == 2
    assert found.to_dict()["mean"] == pytest.approx(-0.2)
    assert found.to_dict()["min"] == -0.3
    included = of(-0.1, -9999.0, -0.3).to_dict("include")
    assert (included["count"], included["sentinel"], included["min"]) == (3, 1, -9999.0)
    assert included["mean"] == pytest.approx(-9999.4 / 3)
    assert found.perplexity("include") == math.inf
    assert of(-9998.999).to_dict()["sentinel"] == 0


def test_missing_values_are_counted_and_left_out() -> None:
    found = of(NAN, -0.5, NAN).to_dict()
    assert (found["count"], found["missing"], found["mean"]) == (1, 2, -0.5)


def test_positive_values_are_kept_as_sent_and_counted() -> None:
    found = of(1.1920929e-07, 0.03125, 0.0, -0.0).to_dict()
    assert (found["count"], found["positive"], found["max"]) == (4, 2, 0.03125)


def test_quantiles_never_leave_the_range() -> None:
    figures = of(*[-0.123456] * 5).to_dict()
    assert {figures[name] for name in ("min", "p01", "p50", "p99", "max")} == {-0.123456}


values = st.lists(st.floats(-30, 1) | st.sampled_from([NAN, -9999.0, 0.0, -math.inf]), max_size=40)


@settings(max_examples=60)
@given(values, values, values)
def test_merging_is_associative_and_equals_the_whole(a: list[float], b: list[float], c: list[float]) -> None:
    left, right, whole = (of(*a) + of(*b)) + of(*c), of(*a) + (of(*b) + of(*c)), of(*a, *b, *c)
    assert left == right == whole
    for sentinels in ("exclude", "include"):
        assert str(left.to_dict(sentinels)) == str(right.to_dict(sentinels)) == str(whole.to_dict(sentinels))

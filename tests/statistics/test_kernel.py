"""The two kernels are one: the same numbers to the last bit. And exp is what it says."""

from __future__ import annotations

import math
from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssift.statistics import plain
from ssift.statistics.kernel import ASKED, BELOW, SENTINEL, SLOTS, UNLISTED, kernel, slot_starts
from ssift.strings import Strings

logprobs = st.floats(-30, 0) | st.sampled_from(
    [0.0, -0.0, 0.03, 1e-7, -1e-7, -9999.0, -9998.9, -708.0, -709.0, -745.2, math.nan, -math.inf, math.inf, -5e-324]
)
texts = st.sampled_from(["a", "b", "", "ab", "\ufffd", "x\ufffd", " the", "long " * 20])
rows = st.lists(st.tuples(texts, logprobs, st.lists(st.tuples(texts, logprobs), max_size=5)), max_size=12)
floors = st.sampled_from([SENTINEL, -math.inf])

both = pytest.mark.usefixtures("both_engines")


def assert_same(native: object, python: object) -> None:
    for name, one, other in zip(python._fields, native, python, strict=True):
        if isinstance(other, np.ndarray):
            assert one.dtype == other.dtype, name
            np.testing.assert_array_equal(np.asarray(one), other, err_msg=name)
        else:
            assert str(one) == str(other), name


def listed(rows, floor, by, **more):
    starts = np.concatenate([[0], np.cumsum([len(tops) for *_, tops in rows])])[:-1].astype(np.int64)
    tops = [top for *_, tops in rows for top in tops]
    return by.listed(
        np.array([value for _, value, _ in rows], np.float64),
        Strings.of([text for text, *_ in rows]),
        starts + 7,
        7,
        np.array([value for _, value in tops], np.float64),
        Strings.of([text for text, _ in tops]),
        floor,
        **more,
    )


@both
@settings(max_examples=150)
@given(rows, floors)
def test_lists(rows, floor) -> None:
    with np.errstate(all="ignore"):
        assert_same(listed(rows, floor, kernel("native")), listed(rows, floor, plain))


@both
@given(st.lists(st.tuples(texts, logprobs, st.tuples(texts, logprobs), st.booleans()), max_size=40), floors)
def test_lists_of_one(rows, floor) -> None:
    """Most of them the token itself."""
    rows = [(text, value, [(text, value) if own else top]) for text, value, top, own in rows]
    with np.errstate(all="ignore"):
        assert_same(listed(rows, floor, kernel("native")), listed(rows, floor, plain))


@both
@given(st.lists(rows, min_size=1, max_size=3))
def test_lean_lists_have_the_same_figures_and_memory_that_is_used_again(parts) -> None:
    for rows in parts:
        lean, full = listed(rows, SENTINEL, kernel("native"), lean=True), listed(rows, SENTINEL, kernel("native"))
        for name in ("seat", "confidence", "mass", "entropy", "margin"):
            np.testing.assert_array_equal(getattr(lean, name), getattr(full, name))


@both
def test_lists_longer_than_a_block_of_probabilities() -> None:
    values = -np.random.default_rng(1).exponential(5.0, 5000)
    rows = [
        ("a", -0.5, [("b", value) for value in values]),
        ("c", values[0], [("c", value) for value in values[:3000]]),
    ]
    rows += [("d", -1.0, [("d", -1.0), ("e", -2.0)])] * 3000
    assert_same(listed(rows, SENTINEL, kernel("native")), listed(rows, SENTINEL, plain))


@both
@settings(max_examples=150)
@given(st.lists(st.floats() | logprobs, max_size=50), floors)
def test_columns(values: list[float], floor: float) -> None:
    column = np.array(values, np.float64)
    assert_same(kernel("native").tally(column, floor), plain.tally(column, floor))
    assert_same(kernel("native").tally(column, floor), plain.tally(column, floor))  # nothing is left behind


@both
def test_columns_longer_than_a_slice() -> None:
    column = -(np.random.default_rng(3).exponential(1.0, 1_200_000) ** 3)
    column[::1000] = 0.0
    tally = kernel("native").tally(column, SENTINEL)
    assert_same(tally, plain.tally(column, SENTINEL))
    assert tally.units / 2**1074 == math.fsum(column)


@both
@settings(max_examples=100)
@given(
    st.lists(st.lists(st.tuples(logprobs, st.floats(0, 20) | st.sampled_from([math.nan, math.inf, -math.inf])), max_size=40), max_size=6),
    st.integers(1, 12), st.sampled_from([0.1, 0.5]), floors, st.floats(-3, 0),
)  # fmt: skip
def test_choices(choices, window, share, floor, limit) -> None:
    offsets = np.concatenate([[0], np.cumsum([len(choice) for choice in choices])]).astype(np.int64)
    pairs = [pair for choice in choices for pair in choice]
    logprob = np.array([value for value, _ in pairs], np.float64)
    confidence = np.array([value for _, value in pairs], np.float64)
    arguments = (offsets, logprob, confidence / 3, confidence, window, share, floor, limit)
    with np.errstate(all="ignore"):
        assert_same(kernel("native").profile(*arguments), plain.profile(*arguments))


@both
def test_long_choices() -> None:
    generator = np.random.default_rng(5)
    logprob = -(generator.exponential(1.0, 30_000) ** 2)
    offsets = np.array([0, 9000, 9001, 30_000], np.int64)
    arguments = (offsets, logprob, logprob**2, -logprob * 2, 2048, 0.1, SENTINEL, -0.7)
    assert_same(kernel("native").profile(*arguments), plain.profile(*arguments))


def test_exp_is_within_one_unit_of_the_last_place() -> None:
    generator = np.random.default_rng(7)
    values = np.concatenate(
        [-generator.exponential(2.0, 20_000), -generator.uniform(0, 708, 20_000), [-708.0, -1e-300]]
    )
    ulps = np.abs(plain.exp(values) - [math.exp(value) for value in values]) / np.spacing(plain.exp(values))
    assert ulps.max() <= 1.0
    context = Context(prec=40)
    for value in values[::800].tolist():
        true = context.exp(Decimal(value))
        assert abs(Decimal(float(plain.exp(np.array([value]))[0])) / true - 1) < Decimal("2.3e-16")


def test_exp_of_the_ends() -> None:
    ends = np.array([0.0, -0.0, 0.1, math.inf, -708.1, -9999.0, -math.inf])
    assert plain.exp(ends).tolist() == [1, 1, 1, 1, 0, 0, 0]


def test_a_sum_by_exponent_is_that_of_fsum(engine: str) -> None:
    values = np.random.default_rng(2).normal(size=10_001) ** 9
    tally = kernel(engine).tally(values, -math.inf)
    assert tally.units / 2**1074 == math.fsum(values)
    assert (tally.values, tally.least, tally.most) == (10_001, values.min(), values.max())


def test_places_of_positions() -> None:
    starts = slot_starts(SLOTS + 1)
    for slot, position in ((0, 0), (15, 15), (16, 16), (17, 18), (24, 32), (32, 64)):
        assert starts[slot] == position
    positions = np.arange(5000)
    np.testing.assert_array_equal(plain.slots_of(5000), np.searchsorted(starts, positions, "right") - 1)


def test_codes_of_seats_are_bits() -> None:
    assert (ASKED, BELOW, UNLISTED) == (1, 2, 4)

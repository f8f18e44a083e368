"""Two logs side by side, against scipy, numpy and plain loops."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssift
from ssift.statistics.comparison import kl_bounds, permutation_test, token_figures
from ssift.statistics.matching import Tops
from tests.faces.logs import DONE
from tests.need import need_module
from tests.statistics.making import LN, entry, events, log, plain, response


def words(text: str, *logprobs: float) -> list:
    return [(word, value, [(word, value)]) for word, value in zip(text, logprobs, strict=True)]


# --------------------------------------------------------------------------------------------------- formulas


def test_figures_of_aligned_tokens() -> None:
    generator = np.random.default_rng(3)
    a, b = -generator.exponential(1.0, 500), -generator.exponential(1.2, 500)
    found = token_figures(a, b, cap=1.5)
    r = b - a
    w = np.exp(r)
    expected = {
        "compared": 500, "delta_p": (np.exp(b) - np.exp(a)).mean(), "rms_delta_p": np.sqrt(((np.exp(b) - np.exp(a)) ** 2).mean()),
        "ln_perplexity_ratio": np.log(np.exp(-b.mean()) / np.exp(-a.mean())), "k1": (-r).mean(), "k2": (r**2 / 2).mean(),
        "k3": (w - r - 1).mean(), "tis_weight": np.minimum(w, 1.5).mean(), "truncated_rate": (w > 1.5).mean(),
        "ess": w.sum() ** 2 / (w**2).sum(), "ess_rate": w.sum() ** 2 / (w**2).sum() / 500,
    }  # fmt: skip
    assert found == pytest.approx(expected, rel=1e-12)


def test_equal_logs_differ_by_nothing() -> None:
    found = token_figures(np.array([-0.5, -1.0]), np.array([-0.5, -1.0]))
    assert (found["k1"], found["k3"], found["delta_p"], found["tis_weight"], found["ess"]) == (0, 0, 0, 1, 2)


def test_sentinels_and_missing_take_no_part() -> None:
    a, b = np.array([-0.5, -9999.0, math.nan, -1.0]), np.array([-0.75, -1.0, -1.0, -math.inf])
    assert token_figures(a, b)["compared"] == 1
    assert math.isnan(token_figures(a[1:], b[1:])["k3"])


def test_large_ratios_do_not_overflow_the_sample_size() -> None:
    assert token_figures(np.array([-700.0, -1.0]), np.array([-0.1, -1.0]))["ess"] == pytest.approx(1.0)


def test_sample_size_of_weights_beyond_the_range_of_doubles() -> None:
    assert token_figures(np.array([-1000.0, -0.1]), np.array([-0.1, -0.1]))["ess"] == pytest.approx(1.0)
    vanishing = token_figures(np.array([-0.1, -0.1]), np.array([-900.1, -900.1]))
    assert (vanishing["tis_weight"], vanishing["ess"]) == (0.0, pytest.approx(2.0))


def tops(*places: dict[int, float]) -> Tops:
    rows = [(place, word, LN(p)) for place, listed in enumerate(places) for word, p in sorted(listed.items())]
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    return Tops(np.array(columns[0], np.int64), np.array(columns[1], np.int64), np.array(columns[2], np.float64))


def test_kl_by_hand() -> None:
    forth, back = kl_bounds(tops({1: 0.5, 2: 0.3, 3: 0.1}), tops({1: 0.4, 2: 0.2, 9: 0.3}), 1)
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.2, 0.4])  # 1, 2, and the rest
    assert forth[0] == pytest.approx((p * np.log(p / q)).sum(), rel=1e-12)
    assert back[0] == pytest.approx((q * np.log(q / p)).sum(), rel=1e-12)


def test_kl_without_a_common_token_is_not_known() -> None:
    forth, _ = kl_bounds(tops({1: 0.5}, {1: 0.5}), tops({2: 0.5}, {1: 0.5}), 3)
    assert np.isnan(forth).tolist() == [True, False, True]
    assert forth[1] == 0


def test_a_rest_that_rounding_ate_does_not_make_kl_infinite() -> None:
    forth, back = kl_bounds(tops({1: 0.7, 2: 0.3000001}), tops({1: 0.6, 2: 0.3}), 1)
    assert forth[0] == pytest.approx(0.7 * LN(0.7 / 0.6), abs=1e-6)  # the rest of b stays a bin, that of a adds 0
    assert 0 <= back[0] < 0.05


def test_a_certain_token_that_is_less_certain_in_b_counts_in_full() -> None:
    certain = Tops(np.array([0, 0]), np.array([1, 2]), np.array([0.0, -25.0]))  # as float32 servers write it
    almost = Tops(np.array([0, 0]), np.array([1, 2]), np.array([-1e-9, -25.0]))
    other = tops({1: 0.7, 2: 0.2})
    forth, back = kl_bounds(certain, other, 1)
    assert forth[0] == pytest.approx(LN(1 / 0.7), rel=1e-6)
    assert forth[0] == pytest.approx(kl_bounds(almost, other, 1)[0][0], rel=1e-6)
    assert kl_bounds(other, certain, 1)[1][0] == forth[0]
    assert math.isfinite(back[0])


def test_kl_of_a_logprob_that_has_no_probability_in_a_double_is_finite() -> None:
    clamped = Tops(np.array([0, 0]), np.array([1, 2]), np.array([LN(0.5), -1000.0]))
    forth, back = kl_bounds(tops({1: 0.4, 2: 0.4}), clamped, 1)
    assert forth[0] == pytest.approx(0.4 * LN(0.8) + 0.4 * (LN(0.4) + 1000) + 0.2 * LN(0.4), rel=1e-12)
    assert back[0] == pytest.approx(0.5 * LN(1.25) + 0.5 * LN(2.5), rel=1e-12)


@settings(max_examples=100)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12))
def test_kl_is_a_lower_bound(seed: int, k: int, other: int) -> None:
    entropy = need_module("scipy.stats").entropy
    generator = np.random.default_rng(seed)
    p, q = generator.dirichlet(np.ones(12)), generator.dirichlet(np.ones(12))
    best_p, best_q = np.argsort(-p)[:k], np.argsort(-q)[:other]
    forth, back = kl_bounds(tops({int(w): p[w] for w in best_p}), tops({int(w): q[w] for w in best_q}), 1)
    if set(best_p) & set(best_q):
        assert 0 <= forth[0] <= entropy(p, q) + 1e-12
        assert 0 <= back[0] <= entropy(q, p) + 1e-12


def test_the_permutation_test_is_that_of_scipy() -> None:
    stats = need_module("scipy.stats")
    difference = np.random.default_rng(4).normal(0.3, 1.0, 9)
    exact = permutation_test(difference)
    theirs = stats.permutation_test(
        (difference,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert exact.exact
    assert exact.p_value == pytest.approx(theirs.pvalue, rel=1e-12)
    many = np.random.default_rng(5).normal(0.1, 1.0, 200)
    drawn = permutation_test(many, seed=1)
    assert drawn == permutation_test(many, seed=1)
    assert drawn.p_value == pytest.approx(stats.ttest_1samp(many, 0).pvalue, abs=0.02)


def test_p_values_at_the_ends() -> None:
    assert permutation_test(np.array([0.0, 0.0])).p_value == 1.0
    assert permutation_test(np.full(10, 0.1)).p_value == 2 / 2**10
    assert permutation_test(np.full(100, 0.1)).p_value == 1 / 10_001
    assert math.isnan(permutation_test(np.array([math.nan])).p_value)


@pytest.mark.parametrize("difference", [[-0.5, -0.1, 0.6], [0.1, -0.1, 0.2, -0.4, 0.6, -0.4], [0.1, 0.2, -0.3] * 7])
def test_differences_that_cancel_out_but_for_rounding(difference: list[float]) -> None:
    assert permutation_test(np.array(difference)).p_value == 1.0


# ------------------------------------------------------------------------------------------------------- logs


def test_tokens_are_the_same_up_to_the_first_that_differs(engine: str) -> None:
    a = (
        response(words("abcd", -1, -1, -1, -1), "x")
        + response(words("ab", -1, -1), "y")
        + response(words("q", -1), "z")
    )
    b = (
        response(words("abXd", -2, -2, -2, -2), "x")
        + response(words("abc", -1, -1, -1), "y")
        + response(words("r", -1), "z")
    )
    found = ssift.compare(a, b, engine=engine)
    assert (found.counts["pairs"], found.counts["aligned"], found.counts["diverging"]) == (3, 4, 2)
    assert found.same_token_rate == 4 / 6
    assert found.ln_perplexity_ratio == pytest.approx(0.5)
    assert found.pairs["aligned"].tolist() == [2, 2, 0]
    assert found.pairs["diverges"].tolist() == [True, False, True]
    assert found.pairs["token_a"] == ["c", None, "q"]
    assert found.pairs["token_b"] == ["X", None, "r"]
    assert found.divergence.to_dict()["mean"] == 1.0
    assert found.figures["listed"] == 6  # the places where pairs part count for lists
    assert found.same_top == 4 / 6


def test_the_same_log_twice(engine: str) -> None:
    data = response(words("abc", -1, -2, -0.5), "x")
    found = ssift.compare(data, data, engine=engine)
    assert (found.counts["identical"], found.same_token_rate, found.kl_ab, found.test.p_value) == (1, 1, 0, 1)
    assert json.loads(found.to_json())["first_divergence"]["mean"] is None


def test_pairs_by_id_whatever_the_order(engine: str) -> None:
    a = response(plain(-1.0), "x") + response(plain(-2.0), "y") + response(plain(-9.0), "only")
    b = response(plain(-2.5), "y") + response(plain(-1.5), "x")
    found = ssift.compare(a, b, engine=engine)
    assert (found.counts["matched_by"], found.counts["unmatched_a"], found.counts["unmatched_b"]) == ("id", 1, 0)
    assert found.pairs["id"] == ["x", "y"]
    assert found.pairs["difference"].tolist() == [-0.5, -0.5]


def test_pairs_by_order_when_no_id_is_shared(engine: str) -> None:
    found = ssift.compare(
        response(plain(-1.0), "a") + response(plain(-2.0), "b"), response(plain(-1.5), "c"), engine=engine
    )
    assert (found.counts["matched_by"], found.counts["pairs"], found.counts["unmatched_a"]) == ("order", 1, 1)


def test_a_response_without_choices_shifts_no_order(engine: str) -> None:
    failed = b'data: {"error": {"message": "overloaded"}}\n\n'
    a = response(plain(-1.0), "a") + response(plain(-2.0), "b")
    b = failed + DONE + response(plain(-2.5), "c")
    found = ssift.compare(a, b, engine=engine)
    assert (found.pairs["response_a"].tolist(), found.pairs["response_b"].tolist()) == ([1], [1])
    assert (found.counts["unmatched_a"], found.counts["unmatched_b"]) == (1, 0)


def test_pairs_by_a_key(engine: str) -> None:
    a = response(plain(-1.0), "a1") + response(plain(-2.0), "a2") + response(plain(-3.0), "a3")
    b = response(plain(-2.5), "b2") + response(plain(-1.25), "b1")
    keys = {"a1": "hello", "a2": "bye", "b1": "hello", "b2": "bye"}
    found = ssift.compare(a, b, match=keys, engine=engine)
    assert found.counts["matched_by"] == "key"
    assert found.pairs["difference"].tolist() == [-0.25, -0.5]
    assert found.counts["unmatched_a"] == 1


def test_equal_keys_are_paired_in_order() -> None:
    twice = response(plain(-1.0), "x") + response(plain(-2.0), "x")
    found = ssift.compare(twice, twice, match="id")
    assert found.pairs["difference"].tolist() == [0.0, 0.0]


def test_choices_are_paired_by_index(engine: str) -> None:
    a = b"".join(events(plain(-1.0), index=0) + events(plain(-2.0), index=1)) + DONE
    b = b"".join(events(plain(-2.5), index=1) + events(plain(-1.5), index=2)) + DONE
    found = ssift.compare(a, b, engine=engine)
    assert (found.pairs["index"].tolist(), found.pairs["difference"].tolist()) == ([1], [-0.5])
    assert (found.counts["unmatched_a"], found.counts["unmatched_b"]) == (1, 1)


def test_tokens_are_their_bytes(engine: str) -> None:
    a = response([entry("\ufffd", -1.0, bytes=[240, 159]), entry("\ufffd", -1.0, bytes=[152, 138])])
    b = response([entry("\ufffd", -1.0, bytes=[240, 159]), entry("\ufffd", -1.0, bytes=[152, 139])])
    assert ssift.compare(a, b, engine=engine).pairs["aligned"].tolist() == [1]
    mixed = response([entry("ab", -1.0, bytes=[97, 98])])
    assert ssift.compare(mixed, response([entry("ab", -1.0)]), engine=engine).counts["identical"] == 1


def test_nothing_to_compare(engine: str) -> None:
    found = ssift.compare(b"", response(plain(-1.0)), engine=engine)
    assert (found.counts["pairs"], found.counts["unmatched_b"]) == (0, 1)
    assert math.isnan(found.same_token_rate)
    assert math.isnan(found.kl_ab)
    assert len(found.pairs) == 0
    assert repr(found).startswith("<ssift.Comparison: 0 pairs")


def test_logprobs_beyond_all_reason_end_in_no_exception() -> None:
    values = (1e308, -1e308, math.inf, -math.inf, 1e300, -0.5)
    pairs = [(values, values), (values, values[::-1])]
    logs = [
        log(*(response(words("ab", one, two), str(n)) for n, (one, two) in enumerate(zip(*both, strict=True))))
        for both in pairs
    ]
    found = ssift.compare(*logs)
    json.loads(found.to_json())
    assert math.isnan(found.test.p_value)


def test_a_batch_that_cuts_a_response_is_refused(engine: str) -> None:
    data = b"".join(response(plain(*[-1.0] * 20), str(n)) for n in range(3))
    cut = list(ssift.scan(data, batch_size=2000, engine=engine))
    with pytest.raises(ssift.TableError, match="whole_responses=True"):
        ssift.compare(cut[0], data)
    whole = [len(ssift.compare(one, data).pairs) for one in ssift.scan(data, batch_size=2000, whole_responses=True)]
    assert sum(whole) == 3


def test_arguments_out_of_range() -> None:
    for wrong in ({"cap": 0}, {"flips": 0}, {"seed": -1}, {"match": "size"}):
        with pytest.raises(ValueError):
            ssift.compare(b"", b"", **wrong)
    with pytest.raises(AttributeError, match="no figure 'kl'"):
        _ = ssift.compare(b"", b"").kl

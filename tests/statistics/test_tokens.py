"""Known answers for the figures of tokens, by hand or by a plain loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import entropy

import ssift
from ssift.statistics import tokens
from tests.statistics.making import LN, entry, log, response

NAN = math.nan


def figures(*rows, engine: str | None = None, **options) -> list[dict]:
    return list(tokens(log(response(rows), engine=engine), **options).rows())


def of(logprob: float | None, *tops: tuple[str, float | None], engine: str | None = None, **options) -> dict:
    return figures(("z", logprob, tops), engine=engine, **options)[0]


def test_entropy_says_what_it_covers(engine: str) -> None:
    found = of(LN(0.5), ("z", LN(0.5)), ("b", LN(0.3)), engine=engine)
    assert found["covered_mass"] == pytest.approx(0.8, rel=1e-15)
    assert found["entropy_lower"] == pytest.approx(0.7078, abs=5e-5)
    assert found["entropy_renormalized"] == pytest.approx(0.6616, abs=5e-5)
    assert found["entropy_renormalized"] == pytest.approx(entropy([0.5, 0.3]), rel=1e-14)


@pytest.mark.parametrize("logprob", [-0.1, -0.3, -1.7, -12.3])
def test_the_entropy_of_one_alternative_alone_is_never_below_zero(logprob: float) -> None:
    assert 0 <= of(logprob, ("z", logprob))["entropy_renormalized"] < 1e-15


def test_entropy_is_in_nats() -> None:
    assert of(LN(0.5), ("z", LN(0.5)), ("b", LN(0.5)))["entropy_lower"] == pytest.approx(math.log(2), rel=1e-15)


def test_the_upper_bound_spreads_the_rest_evenly() -> None:
    found = of(LN(0.5), ("z", LN(0.5)), ("b", LN(0.3)), vocabulary=102)
    assert found["entropy_upper"] == pytest.approx(entropy([0.5, 0.3] + [0.2 / 100] * 100), rel=1e-14)
    assert math.isnan(tokens(log(response([("z", -1.0, [("z", -1.0)])])))["entropy_upper"][0])
    assert of(0.0, ("z", 0.0), vocabulary=5)["entropy_upper"] == 0
    with pytest.raises(ValueError, match="vocabulary"):
        of(-1.0, ("z", -1.0), ("b", -2.0), vocabulary=1)


def test_margins_are_of_the_two_best_in_any_order() -> None:
    found = of(-9.0, ("a", LN(0.2)), ("b", LN(0.7)), ("c", LN(0.05)))
    assert found["margin"] == pytest.approx(0.5, rel=1e-14)
    assert found["margin_log"] == pytest.approx(LN(3.5), rel=1e-14)


def test_rank_counts_what_is_above(engine: str) -> None:
    """The sampled token need not be among its alternatives."""
    found = of(-7.2, ("a", -0.1), ("b", -2.5), engine=engine)
    assert (found["rank"], found["listed"]) == (3, False)
    found = of(-2.5, ("a", -0.1), ("z", -2.5), engine=engine)
    assert (found["rank"], found["listed"]) == (2, True)
    assert of(-0.1, ("z", -0.1), ("b", -0.1))["rank"] == 1  # a tie is no one above


def test_the_sampled_token_counts_once(engine: str) -> None:
    """Servers list it twice, or add it to the alternatives asked for."""
    twice = of(LN(0.2), ("z", LN(0.2)), ("z", LN(0.2)), ("a", LN(0.6)), engine=engine)
    once = of(LN(0.2), ("z", LN(0.2)), ("a", LN(0.6)), engine=engine)
    assert {**twice, "entries": 2} == once
    assert of(LN(0.2), ("b", LN(0.2)), ("c", LN(0.2)))["covered_mass"] == pytest.approx(0.4)  # others may be alike


def test_parts_of_characters_are_told_apart_by_their_logprob(engine: str) -> None:
    parts = [
        ("\ufffd", -0.5, [("\ufffd", -0.3), ("\ufffd", -0.5), ("\ufffd", -4.0)]),
        ("\ufffd", -6.0, [("\ufffd", -0.3)]),
    ]
    found = figures(*parts, engine=engine)
    assert [row["listed"] for row in found] == [True, False]
    assert found[0]["entries"] == 3


def test_alternatives_without_a_value(engine: str) -> None:
    """Missing ones, -9999 and -inf are no probabilities."""
    found = of(-0.5, ("z", -0.5), ("b", None), ("c", -9999.0), ("d", -math.inf), engine=engine)
    assert (found["entries"], found["confidence"]) == (1, 0.5)
    assert found["covered_mass"] == pytest.approx(math.exp(-0.5))
    assert found["margin"] is None
    included = of(-0.5, ("z", -0.5), ("c", -9999.0), engine=engine, sentinels="include")
    assert (included["entries"], included["confidence"]) == (2, 9999.5 / 2)
    assert included["entropy_lower"] == pytest.approx(0.5 * math.exp(-0.5))
    minus = of(-0.5, ("z", -0.5), ("d", -math.inf), engine=engine, sentinels="include")
    assert (minus["entries"], minus["confidence"], minus["entropy_lower"]) == (2, math.inf, found["entropy_lower"])


def test_probabilities_are_at_most_one(engine: str) -> None:
    """Rounding on a server gives logprobs a little above 0."""
    found = of(0.03125, ("z", 0.03125), engine=engine)
    assert (found["logprob"], found["probability"], found["covered_mass"]) == (0.03125, 1.0, 1.0)
    assert found["entropy_lower"] == 0.0


def test_without_alternatives_nothing_is_said(engine: str) -> None:
    for found in figures(
        ("a", -0.1, ()), entry("b", -0.1, top_logprobs=None), ("c", -1.0, [("d", None)]), engine=engine
    ):
        for name in ("entropy_lower", "entropy_renormalized", "covered_mass", "margin", "confidence", "rank"):
            assert found[name] is None, name
        assert found["listed"] is False


def test_a_missing_logprob_has_no_probability_but_its_alternatives_count(engine: str) -> None:
    found = of(None, ("a", LN(0.5)), engine=engine)
    assert (found["logprob"], found["probability"], found["rank"]) == (None, None, None)
    assert found["covered_mass"] == pytest.approx(0.5)


def test_confidence_is_minus_the_mean() -> None:
    """It grows with the peak."""
    peaked, flat = of(-0.1, ("z", -0.1), ("b", -7.0), ("c", -8.0)), of(-1.1, ("z", -1.1), ("b", -1.1), ("c", -1.1))
    assert peaked["confidence"] == pytest.approx(15.1 / 3)
    assert flat["confidence"] == pytest.approx(1.1)


def test_a_plain_loop_gives_the_same(engine: str) -> None:
    generator = np.random.default_rng(3)
    rows = []
    for number in range(200):
        tops = [(f"w{place}", float(value)) for place, value in enumerate(np.log(generator.dirichlet(np.ones(7)))[:5])]
        rows.append((tops[number % 5][0], tops[number % 5][1], tops))
    for row, found in zip(rows, figures(*rows, engine=engine), strict=True):
        values = np.array([value for _, value in row[2]])
        p = np.exp(values)
        assert found["entropy_lower"] == pytest.approx(-(p * values).sum(), rel=1e-13)
        assert found["covered_mass"] == pytest.approx(p.sum(), rel=1e-13)
        assert found["confidence"] == pytest.approx(-values.mean(), rel=1e-13)
        assert found["rank"] == 1 + (values > row[1]).sum()
        best = sorted(values)[::-1]
        assert found["margin"] == pytest.approx(math.exp(best[0]) - math.exp(best[1]), rel=1e-12)


def test_batches_give_the_rows_of_the_whole(engine: str) -> None:
    data = response([("a", -0.5, [("a", -0.5), ("b", -1.0)])] * 9) * 3
    whole = list(tokens(ssift.read(data, engine=engine)).rows())
    parts = [row for batch in ssift.scan(data, batch_size=500, engine=engine) for row in tokens(batch).rows()]
    assert parts == whole


def test_the_tables_that_are_needed_are_named() -> None:
    with pytest.raises(ssift.TableError, match="top_logprobs was not read"):
        tokens(ssift.read(response([("a", -1.0, ())]), tables=("tokens",)))
    with pytest.raises(ValueError, match="sentinels"):
        of(-1.0, sentinels="some")

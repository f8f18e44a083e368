"""Known answers for choices and responses, against plain numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ssift.statistics import choices, responses, runs, tokens
from tests.faces.logs import DONE
from tests.statistics.making import events, log, plain, response


def drawn(n: int, seed: int = 1) -> tuple[list, np.ndarray, np.ndarray]:
    """Tokens with two alternatives, their logprobs and their confidences."""
    generator = np.random.default_rng(seed)
    logprob = -(generator.exponential(0.8, n) ** 2)
    other = -generator.exponential(4.0, n) - 0.1
    rows = [("a", float(own), [("a", float(own)), ("b", float(top))]) for own, top in zip(logprob, other, strict=True)]
    return rows, logprob, -(logprob + other) / 2


def test_figures_of_a_choice(engine: str) -> None:
    rows, logprob, confidence = drawn(137)
    found = choices(log(response(rows), engine=engine), low=-0.5).row(0)
    assert found["logprob_sum"] == pytest.approx(math.fsum(logprob), rel=1e-15)
    assert found["mean_logprob"] == pytest.approx(logprob.mean(), rel=1e-14)
    assert found["nll"] == -found["mean_logprob"]
    assert found["perplexity"] == pytest.approx(math.exp(-logprob.mean()), rel=1e-13)
    assert found["min_logprob"] == logprob.min()
    assert found["surprise_p95"] == pytest.approx(np.quantile(-logprob, 0.95), rel=1e-14)
    assert found["surprise_tail_mean"] == pytest.approx(np.sort(-logprob)[-math.ceil(13.7) :].mean(), rel=1e-14)
    assert found["mean_confidence"] == pytest.approx(confidence.mean(), rel=1e-14)
    assert found["bits_per_byte"] == pytest.approx(-logprob.sum() / (137 * math.log(2)), rel=1e-14)
    assert (found["tokens"], found["count"], found["missing"], found["text_bytes"]) == (137, 137, 0, 137)
    longest = max(len(run) for run in "".join("x" if value < -0.5 else " " for value in logprob).split())
    assert found["longest_low_run"] == longest


@pytest.mark.parametrize("n", [1, 9, 10, 11, 20, 21])
def test_the_tail_is_the_upper_tenth_rounded_up(n: int, engine: str) -> None:
    rows, logprob, _ = drawn(n, seed=n)
    found = choices(log(response(rows), engine=engine)).row(0)
    assert found["surprise_tail_mean"] == pytest.approx(np.sort(-logprob)[-math.ceil(n / 10) :].mean(), rel=1e-14)
    assert found["surprise_p95"] == pytest.approx(np.quantile(-logprob, 0.95), rel=1e-14)


@pytest.mark.parametrize(("n", "window"), [(50, 7), (50, 1), (50, 49), (50, 50), (50, 51), (1, 1), (30, 11)])
def test_groups_of_confidence(n: int, window: int, engine: str) -> None:
    rows, _, confidence = drawn(n)
    found = choices(log(response(rows), engine=engine), window=window).row(0)
    full = n >= window
    groups = np.convolve(confidence, np.ones(window) / window, "valid") if full else np.array([confidence.mean()])
    assert found["lowest_group_confidence"] == pytest.approx(groups.min(), rel=1e-13)
    bottom = np.sort(groups)[: max(1, int(0.1 * len(groups)))]
    assert found["bottom_group_confidence"] == pytest.approx(bottom.mean(), rel=1e-13)
    assert found["tail_confidence"] == pytest.approx(confidence[-window:].mean(), rel=1e-13)


def test_tokens_without_a_confidence_are_passed_over(engine: str) -> None:
    rows, _, confidence = drawn(20)
    rows[5:5] = plain(-1.0, -2.0, None)
    found = choices(log(response(rows), engine=engine), window=4).row(0)
    groups = np.convolve(confidence, np.ones(4) / 4, "valid")
    assert found["lowest_group_confidence"] == pytest.approx(groups.min(), rel=1e-13)
    assert (found["count"], found["missing"]) == (22, 1)


def test_an_infinite_confidence_is_in_its_groups_alone(engine: str) -> None:
    rows, _, confidence = drawn(12)
    rows[4] = ("a", -1.0, [("a", -1.0), ("b", -math.inf)])
    confidence[4] = math.inf
    found = choices(log(response(rows), engine=engine), window=3, sentinels="include").row(0)
    groups = [math.fsum(confidence[start : start + 3]) / 3 for start in range(10)]
    assert [math.isinf(group) for group in groups] == [False] * 2 + [True] * 3 + [False] * 5
    assert found["lowest_group_confidence"] == pytest.approx(min(groups), rel=1e-13)
    assert found["bottom_group_confidence"] == pytest.approx(min(groups), rel=1e-13)
    assert found["tail_confidence"] == pytest.approx(groups[-1], rel=1e-13)
    assert found["mean_confidence"] == math.inf


def test_sentinels_and_missing_values_are_apart(engine: str) -> None:
    data = log(response(plain(-0.5, None, -9999.0, -1.5, 0.03125)), engine=engine)
    found = choices(data).row(0)
    assert (found["tokens"], found["count"], found["missing"], found["sentinels"], found["positive"]) == (5, 3, 1, 1, 1)
    assert found["logprob_sum"] == -1.96875
    included = choices(data, sentinels="include").row(0)
    assert (included["count"], included["sentinels"], included["min_logprob"]) == (4, 0, -9999.0)
    assert included["perplexity"] == math.inf


def test_what_is_not_defined_is_missing(engine: str) -> None:
    """An answer without logprobs has no perplexity of 1."""
    found = choices(log(response([]), response(plain(None), "s"), engine=engine))
    for row in found.rows():
        for name in ("logprob_sum", "mean_logprob", "perplexity", "min_logprob", "surprise_p95", "mean_confidence"):
            assert row[name] is None, name
        assert row["longest_low_run"] == 0
        assert row["low_run_start"] is None


def test_sums_do_not_drift(engine: str) -> None:
    found = choices(log(response(plain(*[-0.1] * 5000)), engine=engine)).row(0)
    assert found["logprob_sum"] == pytest.approx(math.fsum([-0.1] * 5000), rel=1e-15)


def test_choices_come_as_in_the_log(engine: str) -> None:
    a, b = events(plain(-1.0, -2.0), index=1), events(plain(-3.0), index=0, finish="length")
    mixed = b"".join(one for pair in zip(a, [*b, b""], strict=True) for one in pair) + DONE
    found = choices(log(mixed, response(plain(-5.0), "s"), engine=engine))
    assert found["response"].tolist() == [0, 0, 1]
    assert found["index"].tolist() == [0, 1, 0]
    assert found["logprob_sum"].tolist() == [-3.0, -3.0, -5.0]
    assert found["finish_reason"] == ["length", "stop", "stop"]


def test_responses_take_their_choices_together(engine: str) -> None:
    both = b"".join(events(plain(-1.0, -2.0), index=0) + events(plain(-3.0), index=1)) + DONE
    found = responses(log(both, response(plain(-0.5), "s", model="n"), engine=engine))
    assert found["choices"].tolist() == [2, 1]
    assert found["mean_logprob"].tolist() == [-2.0, -0.5]
    assert found["perplexity"].tolist() == [pytest.approx(math.exp(2)), pytest.approx(math.exp(0.5))]
    assert found["id"] == ["r", "s"]
    assert found["model"] == ["m", "n"]


def test_rows_give_the_totals_again(engine: str) -> None:
    data = log(*(response(plain(*(-0.1 * k for k in range(1, n))), f"r{n}") for n in range(2, 9)), engine=engine)
    found = choices(data)
    total = math.exp(-math.fsum(found["logprob_sum"]) / found["count"].sum())
    values = data.tokens["logprob"]
    assert total == pytest.approx(math.exp(-values.mean()), rel=1e-14)


def test_runs_of_low_tokens(engine: str) -> None:
    data = log(response(plain(-1.0, -2.0, -0.1, -3.0, None, -1.0)), response(plain(-4.0, -0.2), "s"), engine=engine)
    found = runs(data, below=-0.5)
    assert [tuple(row.values()) for row in found.rows()] == [
        (0, 0, 0, 2, -1.5), (0, 0, 3, 1, -3.0), (0, 0, 5, 1, -1.0), (1, 0, 0, 1, -4.0),
    ]  # fmt: skip
    assert runs(data, below=-0.5, least=2)["tokens"].tolist() == [2]
    first = choices(data, low=-0.5)
    assert first["longest_low_run"].tolist() == [2, 1]
    assert first["low_run_start"].tolist() == [0, 0]
    assert len(runs(data, by="confidence")) == 0
    with pytest.raises(ValueError, match="by="):
        runs(data, by="surprise")


def test_sentinels_are_low_but_in_no_mean_of_a_run(engine: str) -> None:
    data = log(response(plain(-1.0, -9999.0, -3.0, -0.1, -9999.0)), engine=engine)
    found = runs(data, below=-0.5)
    assert found["tokens"].tolist() == [3, 1]
    np.testing.assert_equal(found["mean"], [-2.0, math.nan])
    assert runs(data, below=-0.5, sentinels="include")["mean"].tolist() == [-10003.0 / 3, -9999.0]


def test_a_run_whose_sum_is_beyond_the_range(engine: str) -> None:
    found = runs(log(response(plain(-1e308, -1e308)), engine=engine), sentinels="include")
    assert found["mean"].tolist() == [-math.inf]


def test_parameters_out_of_range() -> None:
    data = log(response(plain(-1.0)))
    for wrong in ({"window": 0}, {"window": 2.5}, {"low": math.nan}, {"sentinels": "x"}):
        with pytest.raises(ValueError):
            choices(data, **wrong)


def test_certain_tokens_have_no_figure_of_minus_zero(engine: str) -> None:
    one = log(response([("a", 0.0, [("a", 0.0)]), ("b", 0.0, [("b", 0.0)])]), engine=engine)
    for row in (choices(one).row(0), responses(one).row(0), *tokens(one).rows()):
        assert [name for name, value in row.items() if str(value) == "-0.0"] == []


def test_an_empty_log(engine: str) -> None:
    assert len(choices(log(b"", engine=engine))) == len(responses(log(b"", engine=engine))) == 0
    assert len(runs(log(b"", engine=engine))) == 0

"""Figures over many responses: the three perplexities, positions, the least certain."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ssift
from ssift.statistics import Summary, summarize
from ssift.statistics.answers import LEAST
from tests.statistics.making import plain, response


def test_three_perplexities_by_name(engine: str) -> None:
    """A has 4 tokens and the sum -8, B 16 tokens and the sum -16."""
    found = summarize(response(plain(*[-2.0] * 4)) + response(plain(*[-1.0] * 16), "s"), engine=engine).to_dict()
    assert found["perplexity"] == pytest.approx(math.exp(24 / 20), rel=1e-15)
    assert found["perplexity_geometric"] == pytest.approx(math.exp((2 + 1) / 2), rel=1e-15)
    assert found["perplexity_response_mean"] == pytest.approx((math.exp(2) + math.exp(1)) / 2, rel=1e-15)


def test_answers_without_a_value_take_no_part(engine: str) -> None:
    data = response([]) + response(plain(None), "s") + response(plain(-1.0), "t") + response(plain(-800.0), "u")
    found = summarize(data, engine=engine).to_dict()
    assert (found["answers"]["perplexity"]["count"], found["answers"]["perplexity"]["missing"]) == (2, 2)
    assert found["perplexity_response_mean"] == math.inf
    assert math.isnan(summarize(response([]), engine=engine).to_dict()["perplexity_geometric"])


def test_means_by_position(engine: str) -> None:
    lengths = [3, 20, 70, 1]
    generator = np.random.default_rng(4)
    values = [-generator.exponential(1.0, n) for n in lengths]
    data = b"".join(
        response([("a", float(value), [("a", float(value)), ("b", -5.0)]) for value in one], f"r{place}")
        for place, one in enumerate(values)
    )
    found = summarize(data, engine=engine).by_position()
    assert [row["start"] for row in found[:18]] == [*range(16), 16, 18]
    assert sum(row["tokens"] for row in found) == sum(lengths)
    for row in found:
        inside = np.concatenate([one[row["start"] : row["end"]] for one in values])
        assert row["tokens"] == row["listed"] == len(inside)
        assert row["mean_logprob"] == pytest.approx(inside.mean(), abs=1e-11)
        assert row["mean_confidence"] == pytest.approx((5 - inside).mean() / 2, abs=1e-11)


def test_the_least_certain_come_first(engine: str) -> None:
    generator = np.random.default_rng(9)
    values = -generator.exponential(1.0, 120)
    data = b"".join(response(plain(float(value)), f"r{place}") for place, value in enumerate(values))
    found = summarize(data, engine=engine).least
    order = np.argsort(values, kind="stable")[:LEAST]
    assert [one.id for one in found] == [f"r{place}" for place in order]
    first = found[0]
    assert data[first.offset : first.offset + first.length].startswith(b"data: ")
    assert f'"{first.id}"'.encode() in data[first.offset : first.offset + first.length]
    assert first.perplexity == pytest.approx(math.exp(-values.min()))


def test_of_equally_uncertain_ones_the_first_by_place(tmp_path: Path, engine: str) -> None:
    """More of them than are kept, in several sources: the same ones whatever the split."""
    for name, count in (("b.sse", 80), ("a.sse", 30), ("c.sse", 70)):
        data = b"".join(response(plain(-3.0 if place == 7 else -2.0), f"{name}{place}") for place in range(count))
        (tmp_path / name).write_bytes(data)
    found = summarize(tmp_path, engine=engine).least
    expected = [f"{name}7" for name in ("a.sse", "b.sse", "c.sse")]
    expected += [f"a.sse{place}" for place in range(30) if place != 7]
    expected += [f"b.sse{place}" for place in range(20) if place != 7][: LEAST - len(expected)]
    assert [one.id for one in found] == expected
    parts = Summary()
    for log in ssift.scan(tmp_path, engine=engine, batch_size=3000):
        parts.add(log)
    assert str(parts.least) == str(found)  # NaN among them


def test_shares_of_tokens_off_the_top(engine: str) -> None:
    rows = [
        ("a", -0.1, [("a", -0.1), ("b", -3.0)]), ("b", -3.0, [("a", -0.1), ("b", -3.0)]),
        ("c", -9.0, [("a", -0.1), ("b", -3.0)]), ("d", -1.0, []), ("e", None, [("e", -1.0)]),
    ]  # fmt: skip
    found = summarize(response(rows), engine=engine).to_dict()
    assert found["off_top1_rate"] == 2 / 3
    assert found["off_topk_rate"] == 1 / 3
    assert (found["entropy_lower"]["count"], found["entropy_lower"]["missing"]) == (4, 1)


def test_a_histogram_of_logprobs(engine: str) -> None:
    values = -np.random.default_rng(2).uniform(0, 8, 2000)
    found = summarize(response(plain(*values.tolist())), engine=engine).logprobs.values
    edges = np.arange(-8.0, 0.5, 0.5)
    exact = np.histogram(values, edges)[0]
    assert sum(found.histogram(edges)) == 2000
    assert np.abs(np.array(found.histogram(edges)) - exact).max() <= 0.004 * 2000

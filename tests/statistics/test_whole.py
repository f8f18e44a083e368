"""Responses cut into batches come together again, whatever the batches and the order in which they are merged."""

from __future__ import annotations

import copy
import pickle
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssift
from ssift.statistics import Summary, summarize
from ssift.statistics.summary import Group
from tests.faces.logs import DONE
from tests.statistics.making import TABLES, events, plain, response

TOPS = [("a", -0.5), ("b", -1.25)]


def interleaved() -> bytes:
    """Three responses in turn, one of them with two choices, one without tokens."""
    streams = [
        events([("a", -0.25 * k, TOPS) for k in range(1, 12)], "one", model="x"),
        events([("a", -1.0 / k, TOPS) for k in range(1, 9)], "two", model="y")
        + events(plain(-3.0, -9999.0, None), "two", index=1, finish="length", model="y"),
        events([], "three", model="z"),
    ]
    mixed = []
    while any(streams):
        mixed += [stream.pop(0) for stream in streams if stream]
    return b"".join(mixed) + DONE * 3


DATA = interleaved() + response([("c", -0.75, TOPS), ("d", -2.0, ())], "four", model="x") + interleaved()


def batches(size: int, engine: str | None = None) -> list[ssift.Log]:
    return list(ssift.scan(DATA, batch_size=size, tables=TABLES, engine=engine))


@pytest.mark.parametrize("by", [None, "model", "finish_reason", "source"])
@pytest.mark.parametrize("size", [150, 700, 3000, 10**6])
def test_batches_in_order(size: int, by: str | None, engine: str) -> None:
    summary = Summary(by=by)
    for batch in batches(size, engine):
        summary.add(batch)
    whole = summarize(DATA, by=by, engine=engine)
    assert summary.waiting == 0
    assert summary == whole
    assert summary.to_json() == whole.to_json()


@pytest.mark.parametrize("figures", [ssift.statistics.choices, ssift.statistics.responses, ssift.statistics.runs])
def test_figures_of_a_batch_say_what_they_leave_out(figures, engine: str) -> None:
    with pytest.warns(UserWarning, match=r"2 responses reach over .* whole_responses=True") as told:
        figures(batches(3000, engine)[0])
    assert told[0].filename == __file__
    for batch in ssift.scan(DATA, batch_size=3000, tables=TABLES, engine=engine, whole_responses=True):
        figures(batch)  # nothing to warn of


@settings(max_examples=12)
@given(st.integers(500, 4000), st.randoms(use_true_random=False), st.sampled_from(["model", "finish_reason"]))
def test_parts_merged_in_any_order_are_the_whole(size: int, random, by: str) -> None:
    parts = [summarize(batch, by=by) for batch in batches(size)]
    random.shuffle(parts)
    while len(parts) > 1:  # a tree of any shape
        place = random.randrange(len(parts) - 1)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    whole = summarize(DATA, by=by)
    assert parts[0] == whole
    assert parts[0].to_json() == whole.to_json()
    assert parts[0].by_position() == whole.by_position()
    assert str(parts[0].least) == str(whole.least)  # NaN is not equal to itself


def test_what_is_open_waits_and_is_said() -> None:
    parts = [summarize(batch) for batch in batches(600)]
    first = parts[0] + parts[1]
    assert first.waiting > 0
    assert first.answers.responses == 0
    assert first.tokens.logprobs.values.count > 0  # tokens count at once
    assert sum(part.waiting for part in parts) > sum(parts).waiting == 0


def test_merging_leaves_what_waits_in_the_parts() -> None:
    parts = [summarize(batch) for batch in batches(600)]
    before = [part.waiting for part in parts]
    assert sum(parts) == reduce(lambda a, b: b + a, parts)
    assert [part.waiting for part in parts] == before


def test_equal_numbers_of_two_calls_are_not_mixed() -> None:
    first, second = batches(600)[:3], batches(600)[3:]
    mixed = sum(map(summarize, [*first, *second]))
    assert mixed.waiting > 0


@pytest.mark.parametrize("make", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_summaries_travel(make) -> None:
    parts = [make(summarize(batch, by="model")) for batch in batches(600)]
    assert sum(parts) == summarize(DATA, by="model")


def test_groups_are_the_summaries_of_their_parts(engine: str) -> None:
    one, two = response([("a", -0.5, TOPS)] * 5, "p", model="x"), response([("b", -2.0, TOPS)] * 3, "q", model="y")
    both = summarize(one + two, by="model", engine=engine)
    assert set(both.groups) == {"x", "y"}
    for label, data in (("x", one), ("y", two)):
        alone = summarize(data, engine=engine)
        assert both.groups[label].tokens == alone.tokens
        assert both.groups[label].to_dict()["perplexity"] == alone.perplexity
        assert both.groups[label].answers.mean_logprob == alone.answers.mean_logprob
    assert both.groups["x"].tokens + both.groups["y"].tokens == both.tokens


def test_groups_by_label() -> None:
    labels = {"one": "hard", "two": "easy", "three": "easy"}
    found = summarize(DATA, by=labels)
    assert {name: group.answers.responses for name, group in found.groups.items()} == {"hard": 2, "easy": 4, "": 1}
    assert found.to_dict()["groups"]["easy"]["choices"] == 6


def test_choices_of_a_response_may_be_in_two_groups() -> None:
    found = summarize(DATA, by="finish_reason")
    assert found.groups["length"].answers.responses == 2
    assert found.groups["length"].tokens.logprobs.to_dict()["sentinel"] == 2
    assert found.groups["stop"].answers.choices == 7


def test_groups_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="by="):
        summarize(DATA, by="colour")
    with pytest.raises(ValueError, match="differ in by="):
        _ = summarize(DATA, by="model") + summarize(DATA)
    with pytest.raises(ValueError, match="differ in by="):
        _ = summarize(DATA, window=10) + summarize(DATA)


def test_an_empty_group_has_no_figures() -> None:
    figures = Group(summarize(b"").answers.how).to_dict()
    assert (figures["responses"], figures["logprob"]["count"]) == (0, 0)
    assert np.isnan(figures["perplexity_geometric"])

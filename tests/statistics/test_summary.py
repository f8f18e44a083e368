"""Summaries: their keys, their figures, and that they merge."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssift
from ssift.statistics.counts import Usage, tally
from ssift.strings import Strings
from tests.faces.logs import ANSWER, BROKEN, CUT, DONE, answer, chunk, event, token

KEYS = {
    "sources", "bytes", "events", "skipped", "comments", "chunks", "responses", "choices", "tokens", "top_logprobs",
    "tool_calls", "problems", "status", "finish_reason", "model", "usage", "logprob", "perplexity", "engine",
}  # fmt: skip
FIGURES = {
    "count", "missing", "sentinel", "sum", "mean", "min", "max", "p01", "p05", "p25", "p50", "p75", "p95", "p99",
}  # fmt: skip

ERROR = event({"error": {"message": "overloaded", "code": 529}})
CALL = event(
    chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}, "tool_calls", id="t")
)
LOGS = [
    ANSWER,
    ANSWER + BROKEN,
    CUT,
    ERROR,
    CALL + DONE,
    b": ping\n\ndata: null\n\n" + answer("r2", "abc", model="n"),
    b"",
]


def test_the_figures_of_one_log(engine: str) -> None:
    figures = ssift.summarize([ANSWER + BROKEN, b": a\n: b\n\ndata: 1\n\n" + CALL + DONE], engine=engine).to_dict()
    assert set(figures) >= KEYS
    assert set(figures["logprob"]) >= FIGURES
    expected = {
        "sources": 2, "events": 10, "skipped": 1, "comments": 2, "done": 2, "errors": 0, "chunks": 6, "responses": 2,
        "choices": 2, "tokens": 3, "top_logprobs": 3, "tool_calls": 1, "problems": 1, "engine": engine,
        "status": {"complete": 2, "truncated": 0, "errored": 0}, "finish_reason": {"stop": 1, "tool_calls": 1},
        "model": {"m": 2}, "problem_kind": {"json": 1},
        "usage": {"responses": 1, "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5,
                  "cached_tokens": None, "reasoning_tokens": None},
    }  # fmt: skip
    assert {name: figures[name] for name in expected} == expected
    assert figures["bytes"] == sum(figures["bytes_by_class"].values())
    assert (figures["logprob"]["count"], figures["logprob"]["sentinel"], figures["logprob"]["sum"]) == (2, 1, -0.75)
    assert figures["perplexity"] == math.exp(0.375)


def test_json_has_null_where_python_has_nan(engine: str) -> None:
    found = json.loads(ssift.summarize(b"", engine=engine).to_json())
    assert set(found) >= KEYS
    assert found["perplexity"] is found["logprob"]["mean"] is found["usage"]["prompt_tokens"] is None
    assert (found["sources"], found["tokens"], found["status"]["complete"]) == (1, 0, 0)


def test_a_hundred_thousand_tokens(engine: str) -> None:
    tokens = [token("a", -0.1)] * 1000
    source = event(chunk({"content": "a"}, logprobs=tokens)) * 100
    figures = ssift.summarize(source, engine=engine).to_dict()
    assert figures["logprob"]["count"] == 100_000
    assert abs(figures["logprob"]["sum"] + 10_000) < 1e-9
    assert figures["perplexity"] == pytest.approx(math.exp(0.1), rel=1e-15)


def test_a_log_in_memory_or_in_batches_gives_the_same(engine: str) -> None:
    whole = ssift.summarize(LOGS, engine=engine)
    assert ssift.summarize(ssift.read(LOGS, engine=engine)) == whole
    batches = ssift.scan(LOGS, engine=engine, batch_size=100)
    assert sum(map(ssift.summarize, batches)) == whole


@settings(max_examples=30)
@given(st.permutations(range(len(LOGS))), st.integers(0, len(LOGS)), st.integers(0, len(LOGS)))
def test_merging_is_associative_and_commutative(order: list[int], first: int, second: int) -> None:
    parts = [ssift.summarize(LOGS[place]) for place in order]
    start, end = sorted((first, second))
    a, b, c = (sum(part, ssift.Summary()) for part in (parts[:start], parts[start:end], parts[end:]))
    whole = ssift.summarize(LOGS)
    for merged in ((a + b) + c, a + (b + c), c + b + a):
        assert merged == whole
        assert merged.to_json() == whole.to_json()


def test_merging_leaves_the_parts_alone() -> None:
    one, other = ssift.summarize(ANSWER), ssift.summarize(ERROR)
    before = one.to_json(), other.to_json()
    _ = one + other
    assert (one.to_json(), other.to_json()) == before


def test_sentinels_may_be_included(engine: str) -> None:
    summary = ssift.summarize(ANSWER, engine=engine, sentinels="include")
    assert summary.to_dict()["logprob"]["count"] == 3
    assert summary.perplexity == math.inf
    assert json.loads(summary.to_json())["perplexity"] is None
    with pytest.raises(ValueError, match="sentinels"):
        ssift.summarize(ANSWER, sentinels="some")
    with pytest.raises(ValueError, match="leaves sentinels out"):
        _ = summary + ssift.summarize(ANSWER)
    with pytest.raises(TypeError):
        _ = summary + 1


def test_a_log_without_the_tables_needed_says_which() -> None:
    with pytest.raises(ssift.TableError, match="was not read"):
        ssift.summarize(ssift.read(ANSWER, tables=("tokens",)))


def test_usage_beyond_64_bits_and_nothing_reported() -> None:
    large = event({"id": "a", "choices": [], "usage": {"prompt_tokens": 2**63 - 1}})
    usage = ssift.summarize([large, large, ANSWER]).usage
    assert usage.sums["prompt_tokens"] == 2 * (2**63 - 1) + 3
    assert usage.sums["reasoning_tokens"] is None
    assert (usage + Usage()) == usage


def test_tally_counts_null_as_never_sent() -> None:
    assert tally(Strings.of(["a", None, "a", ""])) == {"a": 2, "": 2}


def test_repr_is_one_line() -> None:
    assert repr(ssift.summarize(ANSWER)).startswith("<ssift.Summary: sources 1, responses 1, chunks 5, tokens 3, p")


def test_engines_are_named(engine: str) -> None:
    summary = ssift.summarize(ANSWER, engine=engine)
    assert summary.engine == engine
    assert (summary + summary).engine == engine
    assert ssift.Summary().engine == ""


def test_the_table_of_tokens_is_not_touched() -> None:
    log = ssift.read(ANSWER)
    before = log.tokens["logprob"].copy()
    ssift.summarize(log)
    assert np.array_equal(log.tokens["logprob"], before)


def test_a_response_without_choices_is_in_no_group_however_the_log_is_split(engine: str) -> None:
    failed = event({"error": {"message": "overloaded"}})
    whole = ssift.summarize([ANSWER + failed], by="model", engine=engine)
    parts = [ssift.summarize(part, by="model", engine=engine) for part in (ANSWER, failed)]
    assert whole.groups == sum(parts, ssift.Summary(by="model")).groups
    assert whole.groups["m"].to_dict()["responses"] == 1

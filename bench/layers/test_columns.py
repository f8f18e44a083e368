"""Rows that are read, in the hands of the user: handed over by the engine, looked at, decoded. Bytes are those of the
log, so that the speed can be held against that of reading."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import pytest
from layers.conftest import ROUNDS, Timed
from layers.reading import SIZES, made, new_engine

import ssift

LOOKS: dict[str, Callable[[ssift.Log], Any]] = {
    "logprobs": lambda log: log.tokens["logprob"].sum(),
    "token_lengths": lambda log: log.tokens["token"].lengths().sum(),
    "token_strings": lambda log: log.tokens["token"].to_pylist(),
    "token_bytes": lambda log: log.tokens["bytes"].to_pylist(),
    "rows_of_alternatives": lambda log: log.top_logprobs["token_row"].sum(),
    "texts_of_choices": lambda log: log.choices["content"].to_pylist(),
}


def fresh(data: bytes) -> ssift.Log:
    """A log whose derived columns nobody has asked for yet."""
    return ssift.read(data, threads=1)


@pytest.mark.parametrize("look", LOOKS)
def test_columns(benchmark: Any, look: str) -> None:
    data, expected = made("openai", SIZES[ssift.engine()])
    log = fresh(data)
    assert (len(log.tokens), len(log.top_logprobs)) == (expected.tokens, expected.top_logprobs)
    assert math.fsum(log.tokens["logprob"]) == expected.logprob_sum
    assert sum(len(text.encode()) for text in log.choices["content"].to_pylist()) == expected.content_bytes
    benchmark.group = "columns"
    benchmark.extra_info["bytes"] = len(data)
    gc.collect()
    benchmark.pedantic(LOOKS[look], setup=lambda: ((fresh(data),), {}), rounds=ROUNDS, warmup_rounds=1)


def test_handed_over(engine: str, benchmark: Any) -> None:
    data, expected = made("openai", SIZES[engine])
    reader = new_engine(engine)

    def fed() -> tuple[tuple[Any, ...], dict[str, Any]]:
        reader.begin(0, "sse")
        reader.feed(data)
        reader.end()
        return (), {}

    fed()
    assert len(reader.take().tables["tokens"]["logprob"]) == expected.tokens
    benchmark.group = "columns"
    benchmark.extra_info["bytes"] = len(data)
    benchmark.pedantic(reader.take, setup=fed, rounds=ROUNDS, warmup_rounds=1)


@pytest.mark.parametrize("what", ["scan", "summarize"])
def test_through_the_public_calls(engine: str, what: str, timed: Timed) -> None:
    data, expected = made("openai", SIZES[engine])
    summary = ssift.summarize(data, engine=engine, sentinels="include")  # type: ignore[arg-type]
    assert (summary.counts["tokens"], summary.counts["problems"]) == (expected.tokens, 0)
    assert summary.to_dict()["logprob"]["sum"] == expected.logprob_sum

    def scan() -> None:
        for _ in ssift.scan(data, engine=engine, threads=1):  # type: ignore[arg-type]
            pass

    timed(len(data), scan if what == "scan" else lambda: ssift.summarize(data, engine=engine, threads=1))  # type: ignore[arg-type]

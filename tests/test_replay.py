"""Replay logs have known answers; both engines find them."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import fsum
from pathlib import Path
from typing import Any

import pytest
import replay

import ssift

SIZE = 300_000


def figures(log: ssift.Log) -> dict[str, Any]:
    """What a log holds, under the names of the known answers."""
    counts = log.sources[0].counts

    def tally(values: list[str | None]) -> dict[str, int]:
        return {value: values.count(value) for value in set(values) if value}

    def total(column: str) -> int:
        return int(log.responses[column].sum()) if log.responses[column].count() else 0

    return {
        "bytes": log.sources[0].bytes,
        "events": counts.events,
        "chunks": len(log.chunks),
        "done": counts.done,
        "comments": counts.comments,
        "responses": len(log.responses),
        "choices": len(log.choices),
        "tokens": len(log.tokens),
        "top_logprobs": len(log.top_logprobs),
        "tool_calls": len(log.tool_calls),
        "content_bytes": int(log.choices["content"].lengths().sum()),
        "reasoning_bytes": int(log.choices["reasoning"].lengths().sum()),
        "prompt_tokens": total("prompt_tokens"),
        "completion_tokens": total("completion_tokens"),
        "logprob_sum": fsum(log.tokens["logprob"]),
        "top_logprob_sum": fsum(log.top_logprobs["logprob"]),
        "finish_reason": tally(log.choices["finish_reason"].to_pylist()),
        "model": tally(log.responses["model"].to_pylist()),
    }


@pytest.mark.parametrize("alternatives", [None, 0, 3])
@pytest.mark.parametrize("style", replay.STYLES)
def test_known_answers(engine: Any, style: str, alternatives: int | None) -> None:
    data, expected = replay.make(style, SIZE, 11, alternatives)
    log = ssift.read(data, engine=engine)
    assert log.problems.to_pydict()["message"] == []
    known = asdict(expected)
    assert figures(log) == {name: known[name] for name in figures(log)}
    assert set(log.responses["status"].to_pylist()) == {"complete"}


@pytest.mark.parametrize("style", replay.STYLES)
def test_a_seed_gives_the_same_file(tmp_path: Path, style: str) -> None:
    data, expected = replay.make(style, SIZE, 5)
    written = replay.write(tmp_path / "log.sse", style, SIZE, 5)
    assert (tmp_path / "log.sse").read_bytes() == data
    assert written == expected
    assert json.loads(replay.beside(tmp_path / "log.sse").read_text()) == asdict(expected)
    assert replay.make(style, SIZE, 6)[0] != data


@pytest.mark.parametrize("style", ["openai", "vllm", "minimal"])
def test_hardly_anything_repeats(style: str) -> None:
    log = ssift.read(replay.make(style, 4_000_000, 1)[0])
    assert len(set(log.tokens["logprob"].tolist())) > 0.4 * min(len(log.tokens), 2_500)
    assert len(set(log.tokens["token"].to_pylist())) > 700
    assert len(set(log.responses["id"].to_pylist())) == len(log.responses)

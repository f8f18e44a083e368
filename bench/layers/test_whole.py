"""All layers of an engine together: each style of replay logs, and a log that the engine meets for the first time."""

from __future__ import annotations

import math

import pytest
import replay
from layers.conftest import Timed
from layers.reading import SIZES, Reading, made, new_engine, read
from shapes import STYLES


def check(reading: Reading, expected: replay.Expected) -> None:
    """The reading is that of the known answers."""
    batch = reading.batch
    assert (reading.counts.chunks, reading.counts.problems) == (expected.chunks, 0)
    for table, count, total in (
        ("tokens", expected.tokens, expected.logprob_sum),
        ("top_logprobs", expected.top_logprobs, expected.top_logprob_sum),
    ):
        assert len(batch.tables[table]["logprob"]) == count
        assert math.fsum(batch.tables[table]["logprob"]) == total  # type: ignore[arg-type]
    assert reading.text_bytes("choices", "content") == expected.content_bytes


@pytest.mark.parametrize("style", STYLES)
def test_whole(engine: str, style: str, timed: Timed) -> None:
    data, expected = made(style, SIZES[engine])
    reader = new_engine(engine)
    check(read(reader, data), expected)
    timed(len(data), lambda: read(reader, data))


@pytest.mark.parametrize("style", ["openai", "dialects"])
def test_new_engine(engine: str, style: str, timed: Timed) -> None:
    data, expected = made(style, SIZES[engine])
    check(read(new_engine(engine), data), expected)
    timed(len(data), lambda: read(new_engine(engine), data))

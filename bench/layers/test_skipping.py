"""What nobody asked for: unknown fields, arrays of bytes, tables that are left out."""

from __future__ import annotations

import json

import pytest
from layers.conftest import Timed
from layers.reading import ALL, SIZES, log_of, made, new_engine, read, repeated

UNKNOWN = {
    "strings": ["a title with some words"] * 40,
    "numbers": [0.125, 17, -2.5e-9] * 60,
    "objects": [{"url": "https://example.org/", "rank": 1, "seen": None, "tags": ["a", "b"]}] * 12,
    "depth": json.loads("[" * 200 + "]" * 200),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_unknown_fields(engine: str, kind: str, timed: Timed) -> None:
    value = json.dumps(UNKNOWN[kind], separators=(",", ":")).encode()

    def chunk(number: int) -> bytes:
        return b'{"id":"a","extra%d":%b,"choices":[{"index":0,"delta":{"content":"a"}}]}' % (number % 3, value)

    chunks, times = repeated(chunk, SIZES[engine])
    data, reader = log_of(chunks, times), new_engine(engine)
    reading = read(reader, data)
    assert (reading.counts.chunks, reading.counts.problems) == (len(chunks) * times, 0)
    assert reading.text_bytes("choices", "content") == len(chunks) * times
    timed(len(data), lambda: read(reader, data))


@pytest.mark.parametrize("tables", ["all", "tokens", "choices", "responses", "none"])
def test_tables_left_out(engine: str, tables: str, timed: Timed) -> None:
    data, expected = made("openai", SIZES[engine])
    wanted = {"all": ALL, "none": frozenset[str]()}.get(tables, frozenset([tables]))
    reader = new_engine(engine, wanted)
    reading = read(reader, data)
    assert (reading.counts.chunks, reading.counts.problems) == (expected.chunks, 0)
    if "tokens" in wanted:
        assert reading.batch.totals["tokens"] == expected.tokens
    if "choices" in wanted:
        assert reading.text_bytes("choices", "content") == expected.content_bytes
    timed(len(data), lambda: read(reader, data))

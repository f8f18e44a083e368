"""Parts of a source read by several engines, and joined: the same rows as from one."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ssift.contract import TABLES, Batch, EntryBytes, NullableInts, Text
from ssift.joining import Numbers, join, renumber
from tests.agreement.logs import MAKERS
from tests.need import need

DONE = b"data: [DONE]\n\n"

try:
    from ssift._native import NativeEngine
except ImportError:
    NativeEngine = None  # type: ignore[assignment,misc]


def values(raw: Any) -> list[Any]:
    if isinstance(raw, (Text, EntryBytes, NullableInts)):
        return [None if part is None else part.tolist() for part in raw]
    return np.nan_to_num(raw, nan=7.5).tolist()


def rows(batch: Batch) -> dict[tuple[str, str], list[Any]]:
    return {(table, name): values(raw) for table, columns in batch.tables.items() for name, raw in columns.items()}


def engine() -> Any:
    return need(NativeEngine, "the native engine")(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)


def in_parts(data: bytes, cuts: list[int]) -> Batch:
    """Read each part with an engine of its own while parts are settled; go on with the same one where they are not."""
    batches = []
    reader, numbers, lines = engine(), Numbers(), 0
    reader.begin(0, "sse")
    for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        reader.feed(data[start:end])
        if end < len(data) and reader.settled:
            read_lines, responses = reader.line - 1, reader.response_count
            reader.end()
            batch = reader.take()
            batches.append(renumber(batch, numbers, lines))
            lines += read_lines
            numbers = Numbers(
                0,
                numbers.responses + responses, *(numbers_of(numbers, name) + batch.totals[name] for name in batch.totals)
            )
            reader = engine()
            reader.resume(0, "sse", end)
    reader.end()
    batches.append(renumber(reader.take(), numbers, lines))
    return join(batches)


def numbers_of(numbers: Numbers, table: str) -> int:
    return int(getattr(numbers, table))


def whole(data: bytes) -> Batch:
    reader = engine()
    reader.begin(0, "sse")
    reader.feed(data)
    reader.end()
    return reader.take()


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(1, 5), st.booleans())
def test_parts_at_any_place(random: Random, count: int, at_done: bool) -> None:
    pieces = [MAKERS[random.choice(("sse", "regular"))](random) for _ in range(count)]
    text = DONE.join(pieces)
    if at_done:
        cuts = [cut for cut in range(len(text)) if text.endswith(DONE, 0, cut) and random.randint(0, 1)]
    else:
        cuts = sorted(random.randint(0, len(text)) for _ in range(4))
    got, expected = in_parts(text, cuts), whole(text)
    assert rows(got) == rows(expected)
    assert (got.first, got.totals) == (expected.first, expected.totals)

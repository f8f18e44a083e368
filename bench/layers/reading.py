"""Logs that lay weight on one layer, and how they are read: straight through an engine, in windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import replay

from ssift.contract import TABLES, Batch, Limits, SourceCounts
from ssift.engine import choose
from ssift.sources.source import WINDOW

SIZES = {"native": 8_000_000, "python": 300_000}
"""Bytes of a log for each engine: some milliseconds, some tens of milliseconds."""

ALL = frozenset(TABLES)
_LIMITS = Limits()
_DISTINCT = 2000  # chunks made one by one; a log repeats them


@dataclass
class Reading:
    """What one pass over a log gave."""

    counts: SourceCounts
    batch: Batch

    def text_bytes(self, table: str, column: str) -> int:
        """Bytes of all strings of a raw column."""
        return int(self.batch.tables[table][column].offsets[-1])  # type: ignore[union-attr]


def new_engine(name: str, tables: Iterable[str] = ALL) -> Any:
    """An engine that has read nothing."""
    return choose(name)[1](frozenset(tables), "auto", _LIMITS.event_bytes, _LIMITS.depth, _LIMITS.open_responses)


def read(engine: Any, data: bytes, framing: str = "sse", step: int = WINDOW) -> Reading:
    """One pass over a log, in pieces of ``step`` bytes."""
    whole = memoryview(data)
    engine.begin(0, framing)
    for start in range(0, len(whole), step):
        engine.feed(whole[start : start + step])
    return Reading(engine.end(), engine.take())


def repeated(chunk: Callable[[int], bytes], size: int) -> tuple[list[bytes], int]:
    """Chunks as JSON, made by number, and how often all of them go into a log of about ``size`` bytes."""
    chunks: list[bytes] = []
    made = 0
    while len(chunks) < _DISTINCT and made < size:
        chunks.append(chunk(len(chunks)))
        made += len(chunks[-1])
    return chunks, max(1, size // made)


def log_of(chunks: list[bytes], times: int) -> bytes:
    """An event stream of chunks, over and over."""
    return b"".join(b"data: %b\n\n" % chunk for chunk in chunks) * times


def made(style: str, size: int) -> tuple[bytes, replay.Expected]:
    """A replay log."""
    return replay.make(style, size, seed=5)

"""Bytes straight through an engine, and its raw columns as plain rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, TypeAlias

import numpy as np

from ssift.contract import (
    BYTES_MISSING,
    BYTES_OF_TOKEN,
    PROBLEM_KINDS,
    STATUSES,
    TABLES,
    TOKEN_LISTS,
    Batch,
    EntryBytes,
    NullableInts,
    SourceCounts,
    Text,
)

ALL = frozenset(TABLES)
CUTS = 16
"""So many ways of cutting an input in two are tried, beside single bytes."""

Row: TypeAlias = dict[str, Any]


@dataclass
class Reading:
    """What an engine made of its input: rows by table, counts of the last source, all batches' ``first``/``totals``."""

    tables: dict[str, list[Row]]
    counts: SourceCounts
    borders: list[tuple[dict[str, int], dict[str, int]]]

    def __getattr__(self, table: str) -> list[Row]:
        return self.tables[table]

    @property
    def response(self) -> Row:
        [row] = self.tables["responses"]
        return row

    @property
    def choice(self) -> Row:
        [row] = self.tables["choices"]
        return row

    @property
    def text(self) -> str:
        return self.choice["content"]

    @property
    def problem(self) -> Row:
        [row] = self.tables["problems"]
        return row

    def kinds(self) -> list[str]:
        return [row["kind"] for row in self.tables["problems"]]

    def ids(self) -> list[str]:
        return [row["id"] for row in self.tables["responses"]]

    def contents(self) -> list[str | None]:
        return [row["content"] for row in self.tables["choices"]]

    def statuses(self) -> list[str]:
        return [row["status"] for row in self.tables["responses"]]

    def calls(self) -> list[tuple[str, str]]:
        return [(row["name"], row["arguments"]) for row in self.tables["tool_calls"]]

    def logprobs(self) -> list[tuple[str, float | None]]:
        return [(row["token"], row["logprob"]) for row in self.tables["tokens"]]


def feed(
    engine: Callable[..., Any],
    pieces: Iterable[bytes],
    *,
    framing: str = "sse",
    tables: Iterable[str] = ALL,
    group: str = "auto",
    event_bytes: int = 64 << 20,
    depth: int = 1024,
    open_responses: int = 1024,
    offset: int = 0,
    source: int = 0,
    take_between: bool = False,
    found_above: Sequence[tuple[int, int, int, int, int]] = (),
    arrivals: Sequence[tuple[int, int | None]] = (),
) -> Reading:
    """Pieces through a new engine; ``take_between`` takes a batch after each piece, ``arrivals`` are places and
    times, told ahead."""
    reader = engine(frozenset(tables), group, event_bytes, depth, open_responses)
    reader.begin(source, framing, offset)
    for place, ns in arrivals:
        reader.arrived(ns, place)
    batches = []
    for piece in pieces:
        reader.feed(piece)
        if take_between:
            batches.append(reader.take())
    for problem in found_above:
        reader.problem(*problem)
    counts = reader.end()
    batches.append(reader.take())
    reading = Reading({}, counts, [(dict(batch.first), dict(batch.totals)) for batch in batches])
    for batch in batches:
        for table, rows in rows_of(batch).items():
            reading.tables.setdefault(table, []).extend(rows)
    assert reader.problem_count == len(reading.problems) == counts.problems
    return reading


def read(engine: Callable[..., Any], data: bytes, **settings: Any) -> Reading:
    """``data`` whole; and checked: its bytes are accounted for, and no cut of it makes a difference."""
    whole = feed(engine, [data], **settings)
    assert sum(whole.counts[:6]) == len(data) + settings.get("offset", 0)
    if len(data) <= 20_000:
        single = feed(engine, [data[at : at + 1] for at in range(len(data))], **settings)
        assert single.counts == whole.counts
        assert single.tables == whole.tables
        for cut in range(0, len(data), len(data) // CUTS + 1):
            halves = feed(engine, [data[:cut], b"", data[cut:]], **settings)
            assert halves.counts == whole.counts, cut
            assert halves.tables == whole.tables, cut
    return whole


# ----------------------------------------------------------------------------------------------- columns to rows


def rows_of(batch: Batch) -> dict[str, list[Row]]:
    """Every table as a list of rows; missing is None, codes are words, alternatives hang under their token."""
    tables = {name: _rows({column: _values(raw, columns) for column, raw in columns.items()})
              for name, columns in batch.tables.items()}
    for row in tables.get("responses", []):
        row["done"] = bool(row["done"])
        row["status"] = STATUSES[row["status"]]
    for row in tables.get("tokens", []):
        row["list"] = TOKEN_LISTS[row["list"]]
    for row in tables["problems"]:
        row["kind"] = PROBLEM_KINDS[row["kind"]]
    if "top_logprobs" in tables:
        _hang(tables["tokens"], tables["top_logprobs"], batch.first["top_logprobs"])
    return tables


def _values(raw: Any, columns: Any) -> list[Any]:
    if isinstance(raw, Text):
        return _strings(raw)
    if isinstance(raw, NullableInts):
        return [value if valid else None for value, valid in zip(raw.values.tolist(), raw.valid.tolist(), strict=True)]
    if isinstance(raw, EntryBytes):
        return _own_bytes(raw, _strings(columns["token"]))
    assert raw.dtype in (np.int64, np.float64, np.uint8)
    return [None if value != value else value for value in raw.tolist()]


def _strings(text: Text) -> list[str | None]:
    data, offsets = text.data.tobytes(), text.offsets.tolist()
    strings: list[str | None] = [
        data[start:end].decode("utf-8", "strict") for start, end in zip(offsets, offsets[1:], strict=False)
    ]
    if text.valid is None:
        return strings
    return [string if valid else None for string, valid in zip(strings, text.valid.tolist(), strict=True)]


def _own_bytes(raw: EntryBytes, tokens: list[str | None]) -> list[bytes | None]:
    data, offsets = raw.data.tobytes(), raw.offsets.tolist()
    own = iter([data[start:end] for start, end in zip(offsets, offsets[1:], strict=False)])
    found = []
    for how, token in zip(raw.how.tolist(), tokens, strict=True):
        if how == BYTES_MISSING:
            found.append(None)
        elif how == BYTES_OF_TOKEN:
            found.append((token or "").encode())
        else:
            found.append(next(own))
    assert next(own, None) is None
    return found


def _rows(columns: dict[str, list[Any]]) -> list[Row]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _hang(tokens: list[Row], alternatives: list[Row], first: int) -> None:
    starts = [row["top_start"] - first for row in tokens]
    for row, start, end in zip(tokens, starts, [*starts, len(alternatives)][1:], strict=True):
        row["top"] = [(entry["token"], entry["logprob"]) for entry in alternatives[start:end]]
        row["top_bytes"] = [entry["bytes"] for entry in alternatives[start:end]]


# ------------------------------------------------------------------------------------------------- small inputs

DONE = b"data: [DONE]\n\n"


def event(value: Any, name: str = "") -> bytes:
    """One event with JSON data; a str is data as it is."""
    data = value if isinstance(value, str) else json.dumps(value)
    return (f"event: {name}\n" if name else "").encode() + b"data: " + data.encode() + b"\n\n"


def delta(
    added: Any = None, finish: Any = None, logprobs: Any = None, index: int = 0, id: str = "", **more: Any
) -> bytes:
    """An event with one choice; ``more`` are further keys of the chunk."""
    choice: Row = {"index": index, "delta": {} if added is None else added, "finish_reason": finish}
    choice["logprobs"] = logprobs
    return event({**({"id": id} if id else {}), "choices": [choice], **more})


def text(content: str, finish: Any = None, **more: Any) -> bytes:
    return delta({"content": content}, finish, **more)


def opening(id: str = "", **more: Any) -> bytes:
    """A first chunk as most servers send it."""
    return delta({"role": "assistant", "content": ""}, id=id, **more)


def call_pieces(*pieces: Row, finish: Any = None) -> bytes:
    return delta({"tool_calls": list(pieces)}, finish)


def piece(index: Any = None, id: Any = None, name: Any = None, args: Any = None, **more: Any) -> Row:
    """An entry of ``tool_calls``; what is None is left out."""
    function = {key: value for key, value in (("name", name), ("arguments", args)) if value is not None}
    entry = {"index": index, "id": id, "type": "function", "function": function}
    return {key: value for key, value in entry.items() if value is not None} | more


def token(text: str, logprob: Any, own: Any = None, top: Iterable[Sequence[Any]] | None = None) -> Row:
    """An entry of a list of logprobs; ``top`` as (token, logprob[, bytes])."""
    entry = {"token": text, "logprob": logprob, "bytes": own}
    if top is not None:
        entry["top_logprobs"] = [
            dict(zip(("token", "logprob", "bytes"), alternative, strict=False)) for alternative in top
        ]
    return entry


def usage(prompt: Any = None, completion: Any = None, total: Any = None, **more: Any) -> Row:
    figures = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    return {key: value for key, value in figures.items() if value is not None} | more


def missing(value: Any) -> bool:
    return value is None or isnan(value)

"""Derived columns, vectorised, against the same in plain loops over generated batches."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from ssift.contract import (
    BYTES_MISSING,
    BYTES_OF_TOKEN,
    BYTES_OWN,
    RAW,
    SCHEMA,
    TABLES,
    Batch,
    EntryBytes,
    NullableInts,
    Text,
)
from ssift.log import Log
from ssift.strings import Binaries, Strings


def text(values: list[str]) -> Text:
    column = Strings.of(values)
    return Text(column.offsets, column.data)


def entry_bytes(how: list[int], own: list[bytes]) -> EntryBytes:
    offsets = np.cumsum([0, *map(len, own)]).astype(np.int64)
    return EntryBytes(np.array(how, np.uint8), offsets, np.frombuffer(b"".join(own), np.uint8))


def ints(values: Any) -> np.ndarray:
    return np.array(values, np.int64)


def batch_of_tokens(random: Random, ways: list[int]) -> tuple[Batch, dict[str, list[Any]]]:
    """A batch somewhere in the middle of a call, and the plain rows that its columns must give."""
    first = {name: random.randrange(1000) for name in ("chunks", "tokens", "top_logprobs")}
    responses = sorted(random.randrange(50) for _ in range(random.randrange(1, 6)))
    plain: dict[str, list[Any]] = {name: [] for name in ("response", "bytes", "top_count", "token_row", "rank")}
    words, chunk, starts, how, own = [], [], [], [], []
    alternatives = 0
    for number, response in enumerate(responses):
        for _ in range(random.randrange(4)):
            word, way, count = random.choice(["", "a", "☃", "word"]), random.choice(ways), random.randrange(4)
            plain["token_row"] += [first["tokens"] + len(words)] * count
            plain["rank"] += range(count)
            plain["top_count"].append(count)
            plain["response"].append(response)
            words.append(word)
            chunk.append(first["chunks"] + number)
            starts.append(first["top_logprobs"] + alternatives)
            how.append(way)
            if way == BYTES_OWN:
                own.append(bytes(random.randrange(256) for _ in range(random.randrange(3))))
            plain["bytes"].append(
                {BYTES_MISSING: None, BYTES_OF_TOKEN: word.encode()}.get(way, own[-1] if own else b"")
            )
            alternatives += count
    tables = {
        "chunks": {"response": ints(responses)},
        "tokens": {
            "chunk": ints(chunk),
            "token": text(words),
            "bytes": entry_bytes(how, own),
            "top_start": ints(starts),
            "list": np.array([random.randrange(3) for _ in words], np.uint8),
            "logprob": np.zeros(len(words)),
        },
        "top_logprobs": {"logprob": np.zeros(alternatives)},
        "problems": {"source": ints([])},
    }
    totals = {"chunks": len(responses), "tokens": len(words), "top_logprobs": alternatives}
    return Batch(tables, first, totals), plain


def log_of(batch: Batch) -> Log:
    return Log(batch, frozenset(TABLES), ["a", "b"], [], "python")


@pytest.mark.parametrize("seed", range(60))
def test_derived_columns_equal_plain_loops(seed: int) -> None:
    random = Random(seed)
    ways = random.choice([[BYTES_OF_TOKEN], [BYTES_MISSING], [BYTES_MISSING, BYTES_OF_TOKEN], [0, 1, 2], [BYTES_OWN]])
    batch, plain = batch_of_tokens(random, ways)
    log = log_of(batch)
    assert log.tokens["response"].tolist() == plain["response"]
    assert log.tokens["top_count"].tolist() == plain["top_count"]
    assert log.tokens["bytes"].to_pylist() == plain["bytes"]
    assert log.top_logprobs["token_row"].tolist() == plain["token_row"]
    assert log.top_logprobs["rank"].tolist() == plain["rank"]
    first = batch.first["chunks"]
    assert log.chunks["chunk"].tolist() == list(range(first, first + batch.totals["chunks"]))
    for column in (log.tokens["response"], log.tokens["top_count"], log.top_logprobs["rank"]):
        assert column.dtype == np.int64


def test_bytes_that_are_those_of_the_tokens_are_no_copy() -> None:
    batch, _ = batch_of_tokens(Random(4), [BYTES_OF_TOKEN])
    log = log_of(batch)
    assert log.tokens["bytes"].data.ctypes.data == log.tokens["token"].data.ctypes.data
    assert log.tokens["bytes"].offsets is log.tokens["token"].offsets


def test_columns_are_the_buffers_of_the_engine() -> None:
    batch, _ = batch_of_tokens(Random(4), [BYTES_OF_TOKEN])
    raw = batch.tables["tokens"]["logprob"]
    assert isinstance(raw, np.ndarray)
    assert log_of(batch).tokens["logprob"].ctypes.data == raw.ctypes.data
    values, valid = ints([1, 0]), np.array([1, 0], np.uint8)
    column = log_of(Batch({"chunks": {"completion_tokens": NullableInts(values, valid)}}, {}, {"chunks": 2})).chunks[
        "completion_tokens"
    ]
    assert np.shares_memory(column.data, values)
    assert column.tolist() == [1, None]


def empty(kind: str) -> Any:
    nothing = np.zeros(0, np.uint8)
    plain = {"int": np.int64, "float": np.float64, "code": np.uint8}
    if kind in plain:
        return np.zeros(0, plain[kind])
    return {
        "int?": NullableInts(ints([]), nothing),
        "text": Text(ints([0]), nothing),
        "text?": Text(ints([0]), nothing, nothing),
        "bytes": EntryBytes(nothing, ints([0]), nothing),
    }[kind]


TYPES = {"int": np.int64, "float": np.float64, "bool": np.bool_}


@pytest.mark.parametrize("table", TABLES)
def test_an_empty_log_has_the_declared_types(table: str) -> None:
    raw = {name: {word.split(":")[0]: empty(word.split(":")[1]) for word in RAW[name].split()} for name in TABLES}
    nothing = {"chunks": 0, "tokens": 0, "top_logprobs": 0}
    log = Log(Batch(raw, nothing, nothing), frozenset(TABLES), [], [], "python")
    assert len(log[table]) == 0
    check_types(log, table)


def check_types(log: Log, table: str) -> None:
    for column in SCHEMA[table]:
        values = log[table][column.name]
        assert len(values) == len(log[table])
        if column.type in TYPES:
            assert values.dtype == TYPES[column.type], column
            assert isinstance(values, np.ma.MaskedArray) == (column.nullable and column.type == "int"), column
        else:
            assert type(values) is {"str": Strings, "binary": Binaries}[column.type], column
            if not column.nullable:
                assert values.valid is None, column

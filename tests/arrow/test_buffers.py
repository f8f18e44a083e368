"""What is handed over are the engine's own buffers; offsets have 64 bits; what a consumer asks for is kept to."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import ssift
from ssift.contract import TABLES, Batch, EntryBytes, Text
from ssift.log import Log
from ssift.strings import Binaries, Strings
from tests.arrow.mixed import interleaved

TEN_MILLION = 10_000_000


def address(buffer: pa.Buffer | None) -> int:
    assert buffer is not None
    return int(buffer.address)


def tokens_of(rows: int) -> Log:
    """A log of ``rows`` tokens as an engine would hand it over, of one response."""
    words = np.tile(np.frombuffer(b"token", np.uint8), rows)
    offsets = np.arange(rows + 1, dtype=np.int64) * 5
    zeros = np.zeros(rows, np.int64)
    tokens = {
        "index": zeros, "position": np.arange(rows, dtype=np.int64), "chunk": zeros, "list": np.zeros(rows, np.uint8),
        "token": Text(offsets, words), "logprob": -np.random.default_rng(0).random(rows), "top_start": zeros,
        "bytes": EntryBytes(np.ones(rows, np.uint8), np.zeros(1, np.int64), np.empty(0, np.uint8)),
    }  # fmt: skip
    totals = {"chunks": 1, "tokens": rows, "top_logprobs": 0}
    raw = {"chunks": {"response": np.zeros(1, np.int64)}, "tokens": tokens}
    return Log(Batch(raw, dict.fromkeys(totals, 0), totals), frozenset({"tokens"}), [""], [], "python")


def test_ten_million_tokens_reach_polars_without_a_copy() -> None:
    log = tokens_of(TEN_MILLION)
    tokens = log.tokens
    frame = pl.DataFrame(tokens)
    assert frame.shape == (TEN_MILLION, 10)
    assert frame.n_chunks() == 1
    for name in ("response", "index", "position", "chunk", "logprob", "top_start", "top_count"):
        assert frame[name].to_numpy(allow_copy=False).ctypes.data == tokens[name].ctypes.data, name
    assert frame["logprob"].sum() == pytest.approx(float(tokens["logprob"].sum()))
    # polars keeps strings as views of 16 bytes, which it makes itself; what is handed to it is shared:
    values, offsets = tokens["token"].data.ctypes.data, tokens["token"].offsets.ctypes.data
    _, offset_buffer, value_buffer = pa.array(tokens["token"]).buffers()
    assert (address(offset_buffer), address(value_buffer)) == (offsets, values)


@pytest.mark.parametrize("table", ["tokens", "top_logprobs", "chunks", "responses"])
def test_values_in_pyarrow_are_the_columns_themselves(engine: str, table: str) -> None:
    rows = ssift.read(interleaved(5, 40), engine=engine)[table]
    batch = pa.record_batch(rows)
    for column in rows.schema:
        values, buffers = rows[column.name], batch[column.name].buffers()
        if column.type == "bool":
            continue  # one bit a row there, a byte here
        if isinstance(values, Strings | Binaries):
            assert address(buffers[1]) == values.offsets.ctypes.data, column
            assert not len(values.data) or address(buffers[2]) == values.data.ctypes.data, column
        else:
            assert address(buffers[1]) == np.asarray(values).ctypes.data, column


def test_slices_share_too(engine: str) -> None:
    logprobs = ssift.read(interleaved(3, 20), engine=engine).tokens[4:9]
    batch = pa.record_batch(logprobs)
    assert address(batch["logprob"].buffers()[1]) == logprobs["logprob"].ctypes.data
    assert batch.to_pydict() == logprobs.to_pydict()
    every_other = ssift.read(interleaved(3, 20), engine=engine).tokens[::2]
    assert pa.record_batch(every_other).to_pydict() == every_other.to_pydict()


def test_nan_is_null_beside_the_same_buffer(log: ssift.Log) -> None:
    column = pa.record_batch(log.tokens)["logprob"]
    assert column.null_count == int(np.isnan(log.tokens["logprob"]).sum()) == 1
    assert address(column.buffers()[1]) == log.tokens["logprob"].ctypes.data


# ------------------------------------------------------------------------------------------------ beyond 32 bits

BIG = (1 << 31) + 11


@pytest.fixture(scope="module")
def vast() -> np.ndarray[Any, Any]:
    """Zeros that take no memory until they are touched; the last bytes are."""
    data = np.zeros(BIG, np.uint8)
    data[-5:] = np.frombuffer(b"tail!", np.uint8)
    return data


def test_string_bytes_beyond_31_bits(vast: np.ndarray[Any, Any]) -> None:
    column = Strings(np.array([0, 0, BIG - 5, BIG], np.int64), vast)
    array = pa.array(column)
    assert array.type == pa.large_string()
    assert array[2].as_py() == column[2] == "tail!"
    assert array.offset == 0
    assert np.frombuffer(array.buffers()[1], np.int64).tolist() == [0, 0, BIG - 5, BIG]
    assert pa.array(column[2:]).to_pylist() == ["tail!"]


def test_small_offsets_are_given_only_where_they_suffice(vast: np.ndarray[Any, Any]) -> None:
    column = Strings(np.array([0, BIG - 5, BIG], np.int64), vast)
    schema, _ = column.__arrow_c_array__(pa.string().__arrow_c_schema__())
    assert pa.DataType._import_from_c_capsule(schema) == pa.large_string()
    schema, _ = column[:0].__arrow_c_array__(pa.string().__arrow_c_schema__())
    assert pa.DataType._import_from_c_capsule(schema) == pa.string()


def test_alternatives_beyond_31_bits() -> None:
    rows = 2
    first = 1 << 40
    tokens = {
        "index": np.zeros(rows, np.int64), "position": np.zeros(rows, np.int64), "chunk": np.zeros(rows, np.int64),
        "list": np.zeros(rows, np.uint8), "token": Text(np.zeros(rows + 1, np.int64), np.empty(0, np.uint8)),
        "bytes": EntryBytes(np.zeros(rows, np.uint8), np.zeros(1, np.int64), np.empty(0, np.uint8)),
        "logprob": np.zeros(rows), "top_start": np.array([first, first + BIG], np.int64),
    }  # fmt: skip
    totals = {"chunks": 1, "tokens": rows, "top_logprobs": BIG + 3}
    batch = Batch(
        {"chunks": {"response": np.zeros(1, np.int64)}, "tokens": tokens},
        {"chunks": 0, "tokens": 1 << 33, "top_logprobs": first},
        totals,
    )
    log = Log(batch, frozenset({"tokens"}), [""], [], "python")
    table = pa.table(log.tokens)
    assert table["top_start"].to_pylist() == [first, first + BIG]
    assert table["top_count"].to_pylist() == [BIG, 3]
    assert log.first["tokens"] == 1 << 33


def test_lists_have_64_bit_offsets() -> None:
    nested = pa.table(ssift.read(b"").tokens.nested())
    assert pa.types.is_large_list(nested.schema.field("top_logprobs").type)


# --------------------------------------------------------------------------------------------- requested schemas


def test_a_request_for_other_offsets_is_met(log: ssift.Log) -> None:
    token = log.tokens["token"]
    assert pa.array(token, pa.string()).type == pa.string()
    assert pa.array(token, pa.string()).to_pylist() == token.to_pylist()
    names = log.tokens.column_names
    small = pa.schema([pa.table(log.tokens).schema.field(name) for name in names])
    small = small.set(5, pa.field("token", pa.string(), False)).set(6, pa.field("bytes", pa.binary()))
    schema, array = log.tokens.__arrow_c_array__(small.__arrow_c_schema__())
    batch = pa.RecordBatch._import_from_c_capsule(schema, array)
    assert batch.schema.types[5:7] == [pa.string(), pa.binary()]
    assert batch.to_pydict() == log.tokens.to_pydict()
    stream = log.tokens.__arrow_c_stream__(small.__arrow_c_schema__())
    reader = pa.RecordBatchReader._import_from_c_capsule(stream)
    assert reader.schema.types[5:7] == [pa.string(), pa.binary()]


def test_a_request_for_another_type_gets_ours(log: ssift.Log) -> None:
    schema, _ = log.tokens["token"].__arrow_c_array__(pa.int8().__arrow_c_schema__())
    assert pa.DataType._import_from_c_capsule(schema) == pa.large_string()


def test_a_request_for_other_columns_is_refused(log: ssift.Log) -> None:
    with pytest.raises(ValueError, match=r"requested schema has the columns \['x'\]"):
        log.tokens.__arrow_c_array__(pa.schema([("x", pa.int8())]).__arrow_c_schema__())


# ------------------------------------------------------------------------------------------------------ read-only


def arrays_of(column: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays that a column gives to whoever asks."""
    if isinstance(column, np.ma.MaskedArray):
        return [column.data, np.ma.getmaskarray(column)]
    if isinstance(column, np.ndarray):
        return [column]
    named = (getattr(column, name, None) for name in ("offsets", "data", "valid", "codes"))
    return [array for array in named if array is not None]


@pytest.mark.parametrize("table", TABLES)
def test_nobody_can_write_to_what_others_share(log: ssift.Log, table: str) -> None:
    rows = log[table]
    tables = [rows, rows[1:], rows[::-1], rows.take(np.arange(len(rows))), pickle.loads(pickle.dumps(rows))]
    for one in tables:
        for name in one:
            for array in arrays_of(one[name]):
                assert not array.flags.writeable, name
    assert all(not array.flags.writeable for array in arrays_of(log.tokens.nested()["top_logprobs"]))
    assert all(not array.flags.writeable for array in arrays_of(log.tokens["list"].dictionary_encode()))
    for groups in (log.tokens.by_response("logprob"), log.tokens.by_choice("logprob")):
        assert all(not array.flags.writeable for array in (*groups, *groups.keys.values()))


def test_writing_is_an_error_and_changes_nothing(log: ssift.Log) -> None:
    frame, before = pl.DataFrame(log.responses), log.responses.to_pydict()
    masked = log.responses["created"]
    assert isinstance(masked, np.ma.MaskedArray)
    for value in (5, np.ma.masked):
        with pytest.raises(ValueError, match="read-only"):
            masked[0] = value
    with pytest.raises(ValueError, match="read-only"):
        log.responses["model"].offsets[-1] = 1 << 40
    with pytest.raises(ValueError, match="read-only"):
        log.tokens["logprob"][0] = 0.0
    assert log.responses.to_pydict() == before == frame.to_dict(as_series=False)


def test_arrays_that_a_column_is_made_of_stay_their_owners() -> None:
    offsets, data = np.array([0, 1], np.int64), np.frombuffer(b"x", np.uint8).copy()
    column = Strings(offsets, data)
    assert offsets.flags.writeable
    assert data.flags.writeable
    assert not column.offsets.flags.writeable
    assert column.data.ctypes.data == data.ctypes.data

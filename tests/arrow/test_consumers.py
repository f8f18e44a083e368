"""Every table in the libraries that people have: the same cells, the declared types."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import nanoarrow
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ssift
from ssift.contract import SCHEMA, TABLES

PYARROW = {
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "str": pa.large_string(),
    "binary": pa.large_binary(),
}
POLARS = {"int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean, "str": pl.String, "binary": pl.Binary}


def same(found: dict[str, list[Any]], table: ssift.Table) -> bool:
    """Whether all cells are those of the table; NaN of a column that is not nullable is NaN everywhere."""
    expected = table.to_pydict()
    for column in table.schema:
        if column.type == "float" and not column.nullable:
            expected[column.name] = [math.nan if value is None else value for value in expected[column.name]]
    return repr(found) == repr(expected)


def same_cells(found: list[Any], expected: list[Any]) -> bool:
    """Equal, NaN too."""
    return repr(found) == repr(expected)


@pytest.mark.parametrize("name", TABLES)
def test_pyarrow(log: ssift.Log, name: str) -> None:
    table = pa.table(log[name])
    table.validate(full=True)
    assert table.schema == pa.schema([pa.field(c.name, PYARROW[c.type], c.nullable) for c in SCHEMA[name]])
    assert same(table.to_pydict(), log[name])
    struct = pa.array(log[name])
    struct.validate(full=True)
    assert same_cells(struct.to_pylist(), table.to_pylist())
    assert pa.record_batch(log[name]).schema == table.schema
    assert pa.RecordBatchReader.from_stream(log[name]).schema == table.schema
    assert pa.schema(log[name]) == table.schema


@pytest.mark.parametrize("name", TABLES)
def test_polars(log: ssift.Log, name: str) -> None:
    frame = pl.DataFrame(log[name])
    assert dict(frame.schema) == {column.name: POLARS[column.type] for column in SCHEMA[name]}
    assert same(frame.to_dict(as_series=False), log[name])


@pytest.mark.parametrize("name", TABLES)
def test_pandas(log: ssift.Log, name: str) -> None:
    frame = pd.DataFrame.from_arrow(log[name])
    assert list(frame.columns) == [column.name for column in SCHEMA[name]]
    for column in SCHEMA[name]:
        cells = [None if value is None or value is pd.NA or value != value else value for value in frame[column.name]]
        assert cells == log[name].to_pydict()[column.name], column


@pytest.mark.parametrize("name", TABLES)
def test_duckdb(log: ssift.Log, name: str) -> None:
    connection = duckdb.connect()
    connection.register("rows", log[name])
    for _ in range(2):  # a view of a table can be read again
        cursor = connection.execute("select * from rows")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
        found = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        assert same(found, log[name])


def test_duckdb_finds_a_table_by_the_name_of_its_variable(log: ssift.Log) -> None:
    tokens, responses = log.tokens, log.responses
    assert len(tokens) > len(responses) > 1
    query = "select model, count(*) from tokens join responses using (response) group by 1 order by 1"
    assert duckdb.sql(query).fetchall() == [("m", 6), ("other/m=1", 3)]


@pytest.mark.parametrize("name", TABLES)
def test_nanoarrow(log: ssift.Log, name: str) -> None:
    rows = list(nanoarrow.ArrayStream(log[name]).read_all().to_pylist())
    columns = {column.name: [row[column.name] for row in rows] for column in SCHEMA[name]}
    assert same(columns, log[name])
    array = nanoarrow.array(log[name])  # one array of structs
    assert array.n_children == len(SCHEMA[name])
    for column, values in zip(SCHEMA[name], array.iter_children(), strict=True):
        assert values.schema.name == column.name
        assert values.schema.nullable == column.nullable
        assert same_cells(values.to_pylist(), columns[column.name])


def test_nanoarrow_sees_the_buffers_of_the_engine(log: ssift.Log) -> None:
    array = nanoarrow.array(log.tokens)
    names = log.tokens.column_names
    logprob, token = array.child(names.index("logprob")), array.child(names.index("token"))
    assert np.frombuffer(logprob.buffer(1)).ctypes.data == log.tokens["logprob"].ctypes.data
    assert np.frombuffer(token.buffer(1), np.int64).ctypes.data == log.tokens["token"].offsets.ctypes.data
    assert np.frombuffer(token.buffer(2), np.uint8).ctypes.data == log.tokens["token"].data.ctypes.data
    nested = nanoarrow.array(log.tokens.nested()).to_pylist()
    assert [row["top_logprobs"] for row in nested] == log.tokens.nested()["top_logprobs"].to_pylist()


def test_columns_of_strings_by_themselves(log: ssift.Log) -> None:
    token, own = log.tokens["token"], log.tokens["bytes"]
    assert pl.Series(token).to_list() == pa.array(token).to_pylist() == token.to_pylist()
    assert pl.Series(own).to_list() == pa.chunked_array(own).to_pylist() == own.to_pylist()
    assert pl.Series(own[2:5]).to_list() == own.to_pylist()[2:5]
    assert nanoarrow.array(token).to_pylist() == token.to_pylist()


def test_a_whole_log_is_one_row_of_tables(log: ssift.Log) -> None:
    whole = pa.table(log)
    whole.validate(full=True)
    assert whole.num_rows == 1
    assert whole.column_names == list(log.tables)
    assert whole["tokens"][0].as_py() == pa.table(log.tokens).to_pylist()
    frame = pl.DataFrame(log).select("top_logprobs").explode("top_logprobs").unnest("top_logprobs")
    assert same(frame.to_dict(as_series=False), log.top_logprobs)


def test_alternatives_nested_under_their_tokens(log: ssift.Log) -> None:
    nested = log.tokens.nested()
    assert nested.column_names[-2:] == ("logprob", "top_logprobs")
    table = pa.table(nested)
    table.validate(full=True)
    alternative = pa.struct(
        [pa.field("token", pa.large_string(), False), ("logprob", pa.float64()), ("bytes", pa.large_binary())]
    )
    assert table.schema.field("top_logprobs").type == pa.large_list(pa.field("item", alternative, False))
    rows = [
        [
            {name: row[name] for name in ("token", "logprob", "bytes")}
            for row in log.top_logprobs.rows()
            if row["token_row"] == place
        ]
        for place in range(len(log.tokens))
    ]
    assert table["top_logprobs"].to_pylist() == rows == nested["top_logprobs"].to_pylist()
    assert pl.DataFrame(nested)["top_logprobs"].to_list() == rows
    assert list(nested["top_logprobs"]) == rows
    assert nested["top_logprobs"][0] == rows[0]
    for cut in (slice(1, 4), slice(None, None, -1), slice(None, None, 2), slice(5, 2)):
        assert pa.table(log.tokens[cut].nested())["top_logprobs"].to_pylist() == rows[cut]
        assert pa.table(nested[cut])["top_logprobs"].to_pylist() == rows[cut]


def test_nesting_needs_both_tables(engine: str) -> None:
    with pytest.raises(ssift.TableError, match="top_logprobs was not read"):
        ssift.read(b"", engine=engine, tables=("tokens",)).tokens.nested()


def test_types_are_declared_whatever_is_in_the_log(engine: str) -> None:
    from tests.arrow.mixed import LOG

    nothing = ssift.read(b"", engine=engine)
    full = ssift.read(LOG, engine=engine)
    for name in TABLES:
        assert pa.table(nothing[name]).schema == pa.table(full[name]).schema
        assert pa.table(nothing[name]).num_rows == 0
        assert pl.DataFrame(nothing[name]).schema == pl.DataFrame(full[name]).schema
    assert pa.table(nothing.tokens.nested()).schema == pa.table(full.tokens.nested()).schema
    assert pa.table(nothing).schema == pa.table(full).schema


def test_dictionaries(log: ssift.Log) -> None:
    token = log.tokens["token"]
    encoded = token.dictionary_encode()
    assert len(encoded.words) == len(set(token.to_pylist()))
    array = pa.array(encoded)
    assert array.type == pa.dictionary(pa.int32(), pa.large_string())
    assert array.to_pylist() == token.to_pylist() == encoded.decode().to_pylist()
    assert pl.Series(encoded).dtype == pl.Categorical
    nullable = log.choices["content"].dictionary_encode()
    assert pa.array(nullable).to_pylist() == log.choices["content"].to_pylist() == nullable.decode().to_pylist()
    own = log.tokens["bytes"].dictionary_encode()
    assert pa.array(own).to_pylist() == log.tokens["bytes"].to_pylist() == own.decode().to_pylist()

"""columns= and where=: the rows and columns that were asked for, exactly, however the input is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ssift
from ssift.contract import SCHEMA, TABLES
from ssift.selection import Selection
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import ANSWER, answer

DATA = interleaved(11, 24) + LOG
WHERES: list[dict[str, Any]] = [
    {"model": "m1"},
    {"model": ["m0", "m", ""]},
    {"status": "truncated"},
    {"status": ["complete", "errored"], "model": ["m0", "m1", "other/m=1"]},
    {"finish_reason": "stop"},
    {"finish_reason": [None, "tool_calls"]},
    {"model": "nobody"},
    {"model": []},
]


def passing(log: ssift.Log, where: dict[str, Any]) -> set[int]:
    """The numbers of the responses that pass, in plain loops."""
    numbers = set()
    for row in log.responses.rows():
        reasons = [choice["finish_reason"] for choice in log.choices.rows() if choice["response"] == row["response"]]
        fields = {"model": [row["model"]], "status": [row["status"]], "finish_reason": reasons or [None]}
        wanted = {name: [value] if value is None or isinstance(value, str) else value for name, value in where.items()}
        if all(set(fields[name]) & set(values) for name, values in wanted.items()):
            numbers.add(row["response"])
    return numbers


def rows_of(log: ssift.Log, table: str, numbers: set[int]) -> list[dict[str, Any]]:
    """Rows of these responses without the numbers that are counted anew; tokens with their alternatives."""
    rows = log.tokens.nested() if table == "tokens" else log[table]
    return [
        {name: value for name, value in row.items() if name not in ("chunk", "logprob_sum")}
        for row in rows.rows()
        if row["response"] in numbers
    ]


@pytest.mark.parametrize("where", WHERES, ids=repr)
def test_read_keeps_the_responses_that_pass(engine: str, where: dict[str, Any]) -> None:
    full, log = ssift.read(DATA, engine=engine), ssift.read(DATA, engine=engine, where=where)
    numbers = passing(full, where)
    assert len(numbers) < len(full.responses)
    for table in ("responses", "choices", "chunks", "tokens", "tool_calls"):
        assert rows_of(log, table, numbers) == list(rows_of(full, table, numbers)), table
        assert len(log[table]) == len(rows_of(full, table, numbers))
    assert log.problems.to_pydict() == full.problems.to_pydict()
    check_numbers([log])


@pytest.mark.parametrize("where", WHERES, ids=repr)
@pytest.mark.parametrize("batch", [700, 5000, 10**9])
def test_scan_hands_out_whole_responses(engine: str, where: dict[str, Any], batch: int) -> None:
    full = ssift.read(DATA, engine=engine)
    logs = list(ssift.scan(DATA, engine=engine, where=where, batch_size=batch))
    numbers = passing(full, where)
    assert (len(logs) > 1) == (batch < len(DATA))
    for table in ("responses", "choices", "chunks", "tokens", "tool_calls"):
        found = [row for log in logs for row in rows_of(log, table, numbers)]
        assert sorted(map(repr, found)) == sorted(map(repr, rows_of(full, table, numbers))), table
        for log in logs:
            assert set(log[table]["response"].tolist()) <= set(log.responses["response"].tolist())
    check_numbers(logs)
    assert sum(len(log.problems) for log in logs) == len(full.problems)
    assert [source for log in logs for source in log.sources] == list(full.sources)


def check_numbers(logs: list[ssift.Log]) -> None:
    """Row numbers go on from batch to batch and point at the rows meant."""
    ends = {"chunks": 0, "tokens": 0, "top_logprobs": 0}
    for log in logs:
        assert log.first == ends
        ends = {table: log.first[table] + log.totals[table] for table in ends}
        assert log.totals == {table: len(log[table]) for table in ends}
        chunk = log.tokens["chunk"] - log.first["chunks"]
        assert np.array_equal(log.chunks["response"][chunk], log.tokens["response"])
        assert log.chunks["chunk"].tolist() == list(range(log.first["chunks"], ends["chunks"]))
        token_row = log.top_logprobs["token_row"] - log.first["tokens"]
        start = log.tokens["top_start"][token_row] + log.top_logprobs["rank"]
        assert start.tolist() == list(range(log.first["top_logprobs"], ends["top_logprobs"]))


def test_whole_responses_without_a_filter(engine: str) -> None:
    full = ssift.read(DATA, engine=engine)
    logs = list(ssift.scan(DATA, engine=engine, whole_responses=True, batch_size=900))
    everything = set(full.responses["response"].tolist())
    for table in ("responses", "choices", "chunks", "tokens", "tool_calls"):
        found = [row for log in logs for row in rows_of(log, table, everything)]
        assert sorted(map(repr, found)) == sorted(map(repr, rows_of(full, table, everything)))
    check_numbers(logs)


@pytest.mark.parametrize("table", TABLES)
def test_where_with_one_table(engine: str, table: str) -> None:
    where = {"finish_reason": "stop", "model": ["m", "m0"]}
    alone = ssift.read(DATA, engine=engine, where=where, tables=(table,))
    assert alone.tables == tuple(name for name in TABLES if name in (table, "problems"))
    assert repr(alone[table].to_pydict()) == repr(ssift.read(DATA, engine=engine, where=where)[table].to_pydict())


# ------------------------------------------------------------------------------------------------------- columns


@pytest.mark.parametrize("table", TABLES)
def test_each_column_alone_is_the_same(engine: str, table: str) -> None:
    full = ssift.read(DATA, engine=engine)
    for column in SCHEMA[table]:
        log = ssift.read(DATA, engine=engine, columns=f"{table}.{column.name}")
        assert log.tables == tuple(name for name in TABLES if name in (table, "problems"))
        if table != "problems":
            assert log[table].column_names == (column.name,)
        found = log[table].select(column.name).to_pydict()
        assert repr(found) == repr(full[table].select(column.name).to_pydict())


def test_columns_of_several_tables(engine: str) -> None:
    log = ssift.read(ANSWER, engine=engine, columns=["tokens.logprob", "responses.model", "tokens.token"])
    assert log.tables == ("responses", "tokens", "problems")
    assert log.tokens.column_names == ("token", "logprob")
    with pytest.raises(ssift.TableError, match="tokens has no column 'chunk'; it has token, logprob"):
        log.tokens["chunk"]
    with pytest.raises(ssift.TableError, match="choices was not read"):
        log.choices  # noqa: B018


def test_columns_beside_tables(engine: str) -> None:
    log = ssift.read(ANSWER, engine=engine, tables=("tokens", "choices"), columns=["tokens.logprob"])
    assert log.tokens.column_names == ("logprob",)
    assert log.choices.schema == SCHEMA["choices"]


def test_what_is_not_asked_for_is_let_go(engine: str) -> None:
    log = ssift.read(DATA, engine=engine, columns=["tokens.logprob"])
    kept = {name for name, raw in log._finisher.batch.tables["tokens"].items() if raw is not None}
    assert kept == {"logprob", "chunk", "top_start"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": ["logprob"]}, r"columns='logprob': write table\.column"),
        ({"columns": ["tokens.prob"]}, "tokens has no such column; it has response, "),
        ({"columns": ["tokens.token"], "tables": ["choices"]}, "tokens is not in tables="),
        ({"where": {"id": "x"}}, "where='id': responses are chosen by model, status, finish_reason"),
        ({"where": {"status": "done"}}, "a status is one of complete, truncated, errored"),
        ({"where": {"model": None}}, "model is never null; '' finds the responses that name none"),
        ({"where": {"model": ["m", None]}}, "model is never null"),
        ({"where": {"finish_reason": ""}}, "finish_reason is never ''; None finds the responses without one"),
        ({"columns": []}, r"columns=\[\]: name a column, or leave columns= out"),
        ({"tables": ["token"]}, "there is no table 'token'; the tables are responses, "),
    ],
)
def test_wrong_names_are_told_with_the_right_ones(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Selection.of(**arguments)
    with pytest.raises(ValueError, match=message):
        ssift.read(ANSWER, **arguments)
    with pytest.raises(ValueError, match=message):
        ssift.scan(ANSWER, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"where": "model=m"}, r"where='model=m': write \{field: value\}"),
        ({"where": ["model"]}, r"write \{field: value\}"),
        ({"where": {"model": 5}}, r"where=\{'model': 5\}: give a string, or a list of strings"),
        ({"where": {"model": ["m", 5]}}, "5 is not a string"),
        ({"where": {"status": b"complete"}}, "give a string, or a list of strings"),
        ({"columns": 5}, "columns=5: give a string"),
        ({"columns": [5]}, "5 is not a string"),
        ({"columns": [None]}, "None is not a string"),
        ({"tables": 5}, "tables=5: give a string"),
        ({"tables": [5]}, "5 is not a string"),
    ],
)
def test_wrong_types_are_told(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        ssift.read(ANSWER, **arguments)
    with pytest.raises(TypeError, match=message):
        ssift.scan(ANSWER, **arguments)


def test_a_response_without_a_model_has_the_empty_string(engine: str) -> None:
    data = b"".join(answer(name, "x", model=model) for name, model in [("a", None), ("b", ""), ("c", "m")])
    assert ssift.read(data, engine=engine).responses["model"].to_pylist() == ["", "", "m"]
    assert ssift.read(data, engine=engine, where={"model": ""}).responses["id"].to_pylist() == ["a", "b"]


def test_one_column_of_a_stream_may_be_a_string() -> None:
    stream = ssift.TableStream(ANSWER, columns="token")
    assert [column.name for column in stream.schema] == ["token"]
    with pytest.raises(ValueError, match="name a column"):
        ssift.TableStream(ANSWER, columns=[])

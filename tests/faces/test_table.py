"""Tables and logs as users meet them."""

from __future__ import annotations

import numpy as np
import pytest

import ssift
from ssift.contract import SCHEMA, TABLES
from tests.faces.logs import ANSWER, BROKEN, answer, chunk, event, token
from tests.faces.test_columns import check_types


@pytest.fixture
def log(engine: str) -> ssift.Log:
    return ssift.read(ANSWER + BROKEN, engine=engine)


def test_every_table_has_its_columns_and_types(log: ssift.Log) -> None:
    for table in TABLES:
        assert log[table].column_names == tuple(column.name for column in SCHEMA[table])
        assert log[table].schema == SCHEMA[table]
        check_types(log, table)


def test_an_empty_source_has_the_same_columns_and_types(engine: str) -> None:
    log = ssift.read(b"", engine=engine)
    for table in TABLES:
        assert len(log[table]) == 0
        check_types(log, table)


def test_the_values_of_one_answer(log: ssift.Log) -> None:
    assert log.responses.row(0) == {
        "response": 0, "source": "", "offset": 0, "length": len(ANSWER) - 1, "id": "r1",
        "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": None,
        "service_tier": None, "chunk_count": 5, "done": True, "status": "complete", "error_message": None,
        "error_code": None, "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5, "cached_tokens": None,
        "reasoning_tokens": None, "started_ns": None, "ended_ns": None, "requested_ns": None,
    }  # fmt: skip
    assert log.choices.row(0) == {
        "response": 0, "index": 0, "role": "assistant", "content": "Hi you", "refusal": None, "reasoning": None,
        "finish_reason": "stop", "token_count": 3, "logprob_sum": -9999.75,
    }  # fmt: skip
    assert log.tokens.to_pydict() == {
        "response": [0, 0, 0], "index": [0, 0, 0], "position": [0, 1, 2], "chunk": [1, 2, 2],
        "list": ["content"] * 3, "token": ["Hi", " y", "ou"], "bytes": [b"Hi", b" y", b"ou"],
        "logprob": [-0.5, -0.25, -9999.0], "top_start": [0, 2, 2], "top_count": [2, 0, 1],
    }  # fmt: skip
    assert log.top_logprobs.to_pydict() == {
        "token_row": [0, 0, 2], "rank": [0, 1, 0], "token": ["Hi", "Yo", "é"],
        "bytes": [b"Hi", b"Yo", "é".encode()], "logprob": [-0.5, -1.5, -0.125],
    }  # fmt: skip
    assert log.problems.row(0) == {
        "source": "", "offset": len(ANSWER), "length": len(BROKEN) - 1, "line": 13, "kind": "json",
        "message": "the data is not valid JSON", "response": None,
    }  # fmt: skip


def test_rows_and_slices(log: ssift.Log) -> None:
    tokens = log.tokens
    assert len(tokens) == 3
    assert tokens.row(-1)["token"] == "ou"
    with pytest.raises(IndexError):
        tokens.row(3)
    part = tokens[1:]
    assert len(part) == 2
    assert part["token"].to_pylist() == [" y", "ou"]
    assert np.shares_memory(part["logprob"], tokens["logprob"])
    assert part.row(0) == tokens.row(1)
    assert list(tokens.rows()) == [tokens.row(row) for row in range(3)]
    assert [row["token"] for row in tokens[::-2].rows()] == ["ou", "Hi"]


def test_a_table_is_like_a_mapping_of_columns(log: ssift.Log) -> None:
    assert list(log.tool_calls) == list(log.tool_calls.keys()) == list(log.tool_calls.columns)
    assert "name" in log.tool_calls
    assert dict(log.tokens)["logprob"] is log.tokens["logprob"]
    assert log.tokens is log.tokens


def test_wrong_names_are_told_with_the_right_ones(log: ssift.Log) -> None:
    with pytest.raises(ssift.TableError, match=r"tokens has no column 'logprobs'; it has response, .* logprob,"):
        log.tokens["logprobs"]
    with pytest.raises(ssift.TableError, match=r"no table 'token'; the tables are responses"):
        log["token"]
    with pytest.raises(TypeError, match=r"use \.row\(0\)"):
        log.tokens[0]


def test_a_table_that_was_not_asked_for_says_so(engine: str) -> None:
    log = ssift.read(ANSWER, engine=engine, tables=("tokens",))
    assert log.tables == ("tokens", "problems")
    with pytest.raises(ssift.TableError, match="responses was not read: name it in tables="):
        log.responses  # noqa: B018
    assert log.tokens["response"].tolist() == [0, 0, 0]
    assert log.tokens["top_count"].tolist() == [2, 0, 1]
    assert log.totals == {"chunks": 5, "tokens": 3, "top_logprobs": 3}


@pytest.mark.parametrize("table", [table for table in TABLES if table != "problems"])
def test_each_table_alone_is_the_same(engine: str, table: str) -> None:
    source = ANSWER + answer("r2", "xyz")
    alone = ssift.read(source, engine=engine, tables=(table,))
    assert alone[table].to_pydict() == ssift.read(source, engine=engine)[table].to_pydict()


def test_missing_values_are_nan_in_numpy_and_none_in_python(engine: str) -> None:
    log = ssift.read(event(chunk(logprobs=[token("a", None), token("b", -1.0)])), engine=engine)
    assert np.isnan(log.tokens["logprob"]).tolist() == [True, False]
    assert log.tokens.to_pydict()["logprob"] == [None, -1.0]


def test_columns_and_rows_can_be_chosen(log: ssift.Log) -> None:
    some = log.tokens.select("logprob", "token")
    assert some.column_names == ("logprob", "token")
    assert some["logprob"] is log.tokens["logprob"]
    assert some.row(1) == {"logprob": -0.25, "token": " y"}
    with pytest.raises(ssift.TableError, match="tokens has no column 'nothing'"):
        some.select("nothing")
    rows = np.array([2, 0, 2])
    for table in (log.tokens, log.tokens.nested(), log.responses):
        taken = table.take(rows % len(table))
        assert list(taken.rows()) == [table.row(row) for row in rows % len(table)]
    assert log.tokens.take(rows).nested()["top_logprobs"][1] == log.tokens.nested()["top_logprobs"][0]


def test_a_preview_for_notebooks(engine: str) -> None:
    log = ssift.read(event(chunk({"content": "<b>&\x1b[31m"}, logprobs=[token("<i>", None)] * 20)), engine=engine)
    shown = log.choices._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b&gt;&amp;\\x1b[31m" in shown
    shown = log.tokens._repr_html_()
    assert shown.count("<tr>") == 9  # names, and 8 rows
    assert "20 rows × 10 columns" in shown
    assert "&quot;&lt;i&gt;&quot;" in shown
    assert "<th>logprob<br><small>float?</small></th>" in shown
    assert "0 rows" in ssift.read(b"", engine=engine).tokens._repr_html_()


def test_a_preview_is_aligned_and_cannot_steer_a_terminal(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    log = ssift.read(event(chunk({"content": "\x1b[31m" + "long " * 20})) * 12, engine=engine)
    shown = repr(log.chunks)
    assert shown.splitlines()[0] == "chunks: 12 rows x 9 columns"
    assert "…" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())
    assert "\x1b" not in repr(log.choices)
    assert r'"\x1b[31mlong' in repr(log.choices)
    assert repr(log.tokens).startswith("tokens: 0 rows x 10 columns (response:int, ")
    assert "responses 1, choices 1, chunks 12" in repr(log)

"""Logs, tables and columns are pickled and copied, looked at before or not."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import ssift
from ssift.contract import TABLES
from ssift.strings import Strings
from tests.faces.logs import ANSWER, BROKEN, answer

COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.fixture(params=COPIES)
def copied(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return COPIES[request.param]


@pytest.fixture(params=["untouched", "looked at"])
def log(request: pytest.FixtureRequest, engine: str) -> ssift.Log:
    log = ssift.read([ANSWER + BROKEN, answer("r2", "é")], engine=engine)
    if request.param == "looked at":
        for table in TABLES:
            log[table].to_pydict()
    return log


def test_a_log(log: ssift.Log, copied: Callable[[Any], Any]) -> None:
    again = copied(log)
    for table in TABLES:
        assert again[table].to_pydict() == log[table].to_pydict()
    assert (again.sources, again.tables, again.engine, again.first) == (log.sources, log.tables, log.engine, log.first)
    assert repr(again) == repr(log)


@pytest.mark.parametrize("table", TABLES)
def test_a_table_and_a_slice_of_it(log: ssift.Log, copied: Callable[[Any], Any], table: str) -> None:
    for rows in (log[table], log[table][1:3], log[table][::-1][:2]):
        again = copied(rows)
        assert again.to_pydict() == rows.to_pydict()
        assert (again.name, again.schema, len(again), repr(again)) == (table, rows.schema, len(rows), repr(rows))
        with pytest.raises(ssift.TableError, match="has no column"):
            again["nothing"]


def test_a_table_whose_log_was_narrowed(engine: str, copied: Callable[[Any], Any]) -> None:
    log = ssift.read(ANSWER, tables=("tokens",), engine=engine)
    assert copied(log.tokens)["token"] == ["Hi", " y", "ou"]
    with pytest.raises(ssift.TableError):
        copied(log)["choices"]


def test_a_slice_of_strings_takes_its_own_bytes_along_only(copied: Callable[[Any], Any]) -> None:
    column = Strings.of(["a" * 10_000, "b", None, "é"])[1:]
    again = copied(column)
    assert again == column == ["b", None, "é"]
    assert len(pickle.dumps(column)) < 1_000

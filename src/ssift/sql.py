"""The tables of a log in DuckDB: :func:`connect` gives a connection in which they are views.

    import ssift.sql

    connection = ssift.sql.connect("logs/")
    connection.sql("select model, avg(logprob) from tokens join responses using (response) group by 1")

A view reads the log each time a query names it, in batches, and only its own table. ``tokens`` has one column more
here, ``token_row``, so that ``tokens join top_logprobs using (token_row)`` works. A cursor of the connection, for
another thread or for pandas and SQLAlchemy, has the views too. Needs DuckDB
(``pip install 'ssift[sql]'``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ssift.contract import SCHEMA, TABLES, Column
from ssift.extras import need
from ssift.reading import read
from ssift.sources import Readable
from ssift.streaming import TableStream
from ssift.table import Table

_TOKEN_ROW = Column("token_row", "int")

VIEWS: dict[str, tuple[Column, ...]] = {**SCHEMA, "tokens": (*SCHEMA["tokens"], _TOKEN_ROW)}
"""The columns of each view: those of the tables, and ``token_row`` in ``tokens``."""


def connect(source: Readable, *, closed: bool = True, **reading: Any) -> Any:
    """A DuckDB connection, in memory, with a view for each table of ``source``.

    Args:
        source: what ``ssift.read`` reads, and can be read again: each query does.
        closed: queries reach the views alone: no files, no network, no Python variables, no change of that. False
            leaves DuckDB as it is.
        **reading: ``engine``, ``threads``, ``group``, ``errors``, ``progress``, ``limits`` of ``ssift.read``.

    Raises:
        MissingError: DuckDB is not installed.
    """
    views: dict[str, object] = {table: TableStream(source, table, **reading) for table in TABLES if table != "tokens"}
    return _connection({**views, "tokens": _Tokens(source, "tokens", **reading)}, closed)


def connect_once(source: Readable, query: str, **reading: Any) -> Any:
    """As :func:`connect`, for a source that can be read once, such as standard input.

    Args:
        source: what ``ssift.read`` reads.
        query: tables whose names are words of it are read into memory, the others not at all.
        **reading: as for :func:`connect`.

    Raises:
        MissingError: DuckDB is not installed.
        SsiftError: whatever ``ssift.read`` raises.
    """
    words = set(re.findall(r"\w+", query.lower()))
    log = read(source, tables=[table for table in TABLES if table in words], **reading)
    views = {table: log[table] for table in log.tables}
    if "tokens" in views:
        views["tokens"] = _numbered(log.tokens, 0)
    return _connection(views, closed=True)


class _Tokens(TableStream):
    """Tokens with their row numbers."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.schema = VIEWS["tokens"]

    def tables(self) -> Iterator[Table]:
        first = 0
        for table in super().tables():
            yield _numbered(table, first)
            first += len(table)


def _numbered(table: Table, first: int) -> Table:
    numbers = np.arange(first, first + len(table), dtype=np.int64)
    schema = (*table.schema, _TOKEN_ROW)
    return Table(table.name, schema, len(table), lambda name: numbers if name == _TOKEN_ROW.name else table[name])


@cache
def _connection_class(duckdb: Any) -> Any:
    """DuckDB's connection, but for its cursors. Views are a matter of each cursor there, and a new one has none."""

    class Connection(duckdb.DuckDBPyConnection):  # type: ignore[misc]
        __slots__ = ()

        def cursor(self) -> Any:
            """Another connection to the same tables."""
            return _with(_views[self], super().cursor(), Connection)

        duplicate = cursor

    return Connection


_views: WeakKeyDictionary[Any, Mapping[str, object]] = WeakKeyDictionary()


def _with(views: Mapping[str, object], connection: Any, kind: Any) -> Any:
    """The connection with ``views``, as one of ``kind``: DuckDB makes connections, its class cannot be called."""
    for table, rows in views.items():
        connection.register(table, rows)
    connection.__class__ = kind
    _views[connection] = views
    return connection


def _connection(views: Mapping[str, object], closed: bool) -> Any:
    duckdb = need("duckdb", "sql")
    connection = duckdb.connect(":memory:", config={"python_enable_replacements": not closed})
    connection = _with(views, connection, _connection_class(duckdb))
    if closed:
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    return connection

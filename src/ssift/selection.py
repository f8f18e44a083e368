"""What is asked for: tables, columns of them, and responses. Checked once, at the call.

Engines know whole tables only, so ``columns`` narrows in two ways: tables of which nothing is wanted are not read,
and raw columns from which nothing wanted is made are let go with each batch. ``where`` is for :mod:`ssift.sieve`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ssift.contract import SCHEMA, STATUSES, TABLES, Batch, Column

Where: TypeAlias = Mapping[str, "str | Collection[str | None] | None"]

FIELDS = {"model": "responses", "status": "responses", "finish_reason": "choices"}
"""What responses can be chosen by, and the table that holds it."""

_MADE_OF: dict[str, tuple[str, ...]] = {
    "chunks.chunk": (),
    "tokens.response": ("tokens.chunk", "chunks.response"),
    "tokens.bytes": ("tokens.token", "tokens.bytes"),
    "tokens.top_count": ("tokens.top_start",),
    "top_logprobs.token_row": ("tokens.top_start",),
    "top_logprobs.rank": ("tokens.top_start",),
    "top_logprobs.bytes": ("top_logprobs.token", "top_logprobs.bytes"),
}
"""The raw columns behind a public one, where these are not just the one of the same name."""


@dataclass(frozen=True)
class Selection:
    """What one call wants.

    Attributes:
        schemas: table -> its columns, for the tables wanted, ``problems`` among them.
        where: field -> the values that let a response pass; empty when all do.
    """

    schemas: Mapping[str, tuple[Column, ...]]
    where: Mapping[str, frozenset[str | None]]

    @classmethod
    def of(
        cls,
        tables: Collection[str] | None = None,
        columns: Collection[str] | None = None,
        where: Where | None = None,
    ) -> Selection:
        """Check and combine the arguments of ``ssift.read``.

        Raises:
            ValueError: there is no such table, column or field, a column is of a table that is not in ``tables``,
                ``columns`` is empty, or ``where`` asks for null where a field has none.
            TypeError: an argument is not of names.
        """
        named = {} if columns is None else _named(columns)
        wanted = _tables(tables, named)
        for table in named:
            if table not in wanted:
                raise ValueError(f"columns={table}.{min(named[table])!s}: {table} is not in tables=")
        schemas = {
            table: tuple(column for column in SCHEMA[table] if column.name in named.get(table, (column.name,)))
            for table in TABLES
            if table in wanted
        }
        if where is not None and not isinstance(where, Mapping):
            raise TypeError(f"where={where!r}: write {{field: value}} or {{field: [value, ...]}}")
        return cls(schemas, {field: _values(field, values) for field, values in (where or {}).items()})

    @property
    def tables(self) -> frozenset[str]:
        """The tables wanted."""
        return frozenset(self.schemas)

    def read_tables(self, whole_responses: bool) -> frozenset[str]:
        """The tables that an engine must read: those wanted, and those that say which responses pass and end."""
        deciding = {FIELDS[field] for field in self.where} | ({"responses"} if whole_responses else set())
        return self.tables | deciding

    def project(self, batch: Batch) -> Batch:
        """``batch`` without the raw columns that nothing wanted is made of."""
        kept = self._raw_columns()
        tables = {
            table: {name: raw for name, raw in columns.items() if f"{table}.{name}" in kept}
            for table, columns in batch.tables.items()
        }
        return batch._replace(tables=tables)

    def _raw_columns(self) -> set[str]:
        names = [f"{table}.{column.name}" for table, schema in self.schemas.items() for column in schema]
        kept = {raw for name in names for raw in _MADE_OF.get(name, (name,))}
        if "tokens" in self.schemas:  # what says how many alternatives a token has, and which response it is of
            kept |= {*_MADE_OF["tokens.response"], *_MADE_OF["tokens.top_count"]}
        return kept


def no_such_table(name: str) -> str:
    """What to say of a table that does not exist."""
    return f"there is no table {name!r}; the tables are {', '.join(TABLES)}"


def _tables(tables: Collection[str] | None, named: Mapping[str, set[str]]) -> frozenset[str]:
    if tables is None:
        return frozenset(named or TABLES) | {"problems"}
    wanted = set(_names("tables", tables))
    unknown = sorted(wanted.difference(TABLES))
    if unknown:
        raise ValueError(f"tables=: {no_such_table(unknown[0])}")
    return frozenset(wanted | {"problems"})


def _named(columns: Collection[str]) -> dict[str, set[str]]:
    """``"tokens.logprob"``, ... by table."""
    names = _names("columns", columns)
    if not names:
        raise ValueError("columns=[]: name a column, or leave columns= out to have all; tables=[] reads no table")
    named: dict[str, set[str]] = {}
    for name in names:
        table, _, column = name.partition(".")
        if table not in SCHEMA:
            raise ValueError(f"columns={name!r}: write table.column; {no_such_table(table)}")
        if column not in (known := [column.name for column in SCHEMA[table]]):
            raise ValueError(f"columns={name!r}: {table} has no such column; it has {', '.join(known)}")
        named.setdefault(table, set()).add(column)
    return named


def _values(field: str, values: str | Collection[str | None] | None) -> frozenset[str | None]:
    if field not in FIELDS:
        raise ValueError(f"where={field!r}: responses are chosen by {', '.join(FIELDS)}")
    asked = f"where={{{field!r}: {values!r}}}"
    chosen: frozenset[str | None] = frozenset(_objects(asked, [None] if values is None else values, str | None))
    if field == "status" and not chosen <= set(STATUSES):
        raise ValueError(f"{asked}: a status is one of {', '.join(STATUSES)}")
    nothing = unset(field)
    if None in chosen and nothing is not None:
        raise ValueError(f"{asked}: {field} is never null; '' finds the responses that name none")
    if "" in chosen and nothing is None:
        raise ValueError(f"{asked}: {field} is never ''; None finds the responses without one")
    return chosen


def unset(field: str) -> str | None:
    """What a field of FIELDS holds where nothing was sent: None if its column is nullable, else the empty string."""
    (column,) = (column for column in SCHEMA[FIELDS[field]] if column.name == field)
    return None if column.nullable else ""


def _names(argument: str, given: object) -> list[str]:
    return _objects(f"{argument}={given!r}", given, str)


def _objects(asked: str, given: object, kind: Any) -> list[Any]:
    """One string, or several objects of a kind, as a list."""
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise TypeError(f"{asked}: give a string, or a list of strings")
    objects = list(given)
    for one in objects:
        if not isinstance(one, kind):
            raise TypeError(f"{asked}: {one!r} is not a string")
    return objects

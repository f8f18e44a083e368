"""A table: named columns of equal length, built when they are first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from ssift import preview
from ssift.arrow import Array, ArrowColumn, Field, array_of, read_only, struct_array, struct_field
from ssift.contract import Column
from ssift.errors import TableError, row_at
from ssift.groups import Groups, by_choice, by_response
from ssift.lists import Lists
from ssift.strings import Ragged


class Table(ArrowColumn):
    """Rows of a log as columns: ``table["logprob"]`` is an array, ``table[:5]`` its first five rows as a Table.

    ``len(table)`` counts rows; iterating gives column names, as a dict does. What a column is follows from its
    type in :attr:`schema`: ``int`` numpy int64 (a masked array when nullable), ``float`` numpy float64 (NaN =
    missing), ``bool`` numpy bool, ``str`` :class:`~ssift.strings.Strings`, ``binary``
    :class:`~ssift.strings.Binaries`. Columns are built once and kept; float columns and most integer columns are
    the buffers the engine wrote. They are read-only, since libraries that got them share them; ``.copy()`` is yours.

    It speaks the Arrow PyCapsule protocol, as a struct and as a stream of one batch: ``polars.DataFrame(table)``,
    ``pyarrow.table(table)``, ``pandas.DataFrame.from_arrow(table)``, ``duckdb.sql("from table")``. Columns that the
    engine wrote go over as its buffers, without a copy; strings are large_utf8, NaN in a nullable column is null.

    Attributes:
        name: ``"tokens"``, ``"responses"``, ...
        schema: tuple of :class:`ssift.contract.Column` (name, type, nullable); the same for every log.
    """

    # build(name) makes a column, when it is asked for; responses are the numbers of the groups of by_response()

    __slots__ = ("_build", "_columns", "_responses", "_rows", "name", "schema")

    def __init__(
        self,
        name: str,
        schema: tuple[Column, ...],
        rows: int,
        build: Callable[[str], Any],
        responses: range = range(0),
    ) -> None:
        self.name = name
        self.schema = schema
        self._rows = rows
        self._build = build
        self._responses = responses
        self._columns: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: its own columns, all of them."""
        columns = {name: self[name] for name in self}
        return _built, (type(self), self.name, self.schema, self._rows, self._responses, columns)

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(column.name for column in self.schema)

    @property
    def columns(self) -> tuple[str, ...]:
        """The same as :attr:`column_names`."""
        return self.column_names

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self.column_names)

    def __contains__(self, name: object) -> bool:
        for column in self.schema:  # noqa: SIM110 - a loop is quicker, and this is asked for every column that is built
            if column.name == name:
                return True
        return False

    def keys(self) -> tuple[str, ...]:
        """Names of the columns, so that ``dict(table)`` works."""
        return self.column_names

    def _no_column(self, name: str) -> TableError:
        return TableError(f"{self.name} has no column {name!r}; it has {', '.join(self.column_names)}")

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Self: ...

    def __getitem__(self, key: str | slice) -> Any:
        """A column by name, or the rows of a slice as a Table that shares the buffers.

        Raises:
            TableError: there is no such column.
        """
        if isinstance(key, slice):
            return self._like(len(range(self._rows)[key]), lambda name: self[name][key])
        if not isinstance(key, str):
            raise TypeError(
                f"a table is indexed by the name of a column or a slice of rows, not {type(key).__name__}; "
                f"use .row({key!r}) for one row"
            )
        found = self._columns.get(key)
        if found is None:
            if key not in self:
                raise self._no_column(key)
            found = self._columns[key] = _finished(self._build(key))
        return found

    def _like(self, rows: int, build: Callable[[str], Any]) -> Self:
        """A table of the same kind with other rows."""
        return type(self)(self.name, self.schema, rows, build, self._responses)

    def select(self, *names: str) -> Table:
        """The columns called ``names``, in that order.

        Raises:
            TableError: there is no such column.
        """
        by_name = {column.name: column for column in self.schema}
        for name in names:
            if name not in by_name:
                raise self._no_column(name)
        return Table(self.name, tuple(by_name[name] for name in names), self._rows, self.__getitem__, self._responses)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """The given rows (non-negative, any order, repeats allowed); copies."""

        def build(name: str) -> Any:
            values = self[name]
            return values.take(rows) if isinstance(values, Ragged | Lists) else values[rows]

        return self._like(len(rows), build)

    def by_response(self, column: str) -> Groups:
        """``values, offsets`` of a column, gathered by response, in the order of rows.

        Group i is response i; in a batch of a scan the first group is the lowest response in it (see ``.keys``).
        Responses without rows are there, empty.

        Raises:
            TableError: there is no such column, or none called ``response``.
        """
        return by_response(self[column], self["response"], self._responses)

    def by_choice(self, column: str) -> Groups:
        """``values, offsets`` of a column, gathered by (response, index); only choices that have rows here.

        Raises:
            TableError: there is no such column, or none called ``response`` or ``index``.
        """
        return by_choice(self[column], self["response"], self["index"])

    def row(self, index: int) -> dict[str, Any]:
        """One row as a dict of Python objects, None where null or missing.

        Raises:
            IndexError: there is no such row.
        """
        row = row_at(index, self._rows, self.name)
        return {name: values[0] for name, values in self[row : row + 1].to_pydict().items()}

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows as dicts, one after the other."""
        for start in range(0, self._rows, 1024):
            columns = self[start : start + 1024].to_pydict()
            for values in zip(*columns.values(), strict=True):
                yield dict(zip(columns, values, strict=True))

    def to_pydict(self) -> dict[str, list[Any]]:
        """Columns as lists of Python objects: int, float, bool, str, bytes, and None where null or missing."""
        return {name: _objects(self[name]) for name in self.column_names}

    def arrow_field(self) -> Field:
        return struct_field("", self.schema)

    def arrow_array(self) -> Array:
        return struct_array(self._rows, [array_of(self[column.name], column.nullable) for column in self.schema])

    def __repr__(self) -> str:
        return preview.text(self.name, self.schema, self._rows, self._cell)

    def _repr_html_(self) -> str:
        return preview.html(self.name, self.schema, self._rows, self._cell)

    def _cell(self, name: str, row: int) -> object:
        return _objects(self[name][row : row + 1])[0]


class TokenTable(Table):
    """The table of tokens, which can hold its alternatives under each token.

    ``alternatives`` is their table, None when it was not read; ``first`` the row number of its row 0. A copy or a
    pickle holds the columns of tokens alone.
    """

    __slots__ = ("_alternatives", "_first")

    def __init__(self, *parts: Any, alternatives: Table | None = None, first: int = 0) -> None:
        super().__init__(*parts)
        self._alternatives = alternatives
        self._first = first

    def _like(self, rows: int, build: Callable[[str], Any]) -> Self:
        parts = (self.name, self.schema, rows, build, self._responses)
        return type(self)(*parts, alternatives=self._alternatives, first=self._first)

    def nested(self) -> Table:
        """Tokens with ``top_logprobs``, a list of (token, logprob, bytes), in place of ``top_start`` and ``top_count``.

        Alternatives keep their order. The lists share the buffers of the table of alternatives.

        Raises:
            TableError: ``top_logprobs`` was not read, or this is a copy.
        """
        if self._alternatives is None:
            raise TableError(
                "top_logprobs was not read: name it in tables=, or leave tables= out to read all; "
                "a copy of a table of tokens has none either, copy the log"
            )
        items = self._alternatives.select("token", "logprob", "bytes")
        lists = Column("top_logprobs", "list", False, items.schema)
        schema = (*(column for column in self.schema if column.name not in ("top_start", "top_count")), lists)

        def build(name: str) -> Any:
            if name == lists.name:
                return Lists.of(self["top_start"] - self._first, self["top_count"], items)
            return self[name]

        return Table(self.name, schema, self._rows, build, self._responses)


def _built(
    kind: type[Table],
    name: str,
    schema: tuple[Column, ...],
    rows: int,
    responses: range,
    columns: dict[str, Any],
) -> Table:
    table = kind(name, schema, rows, columns.__getitem__, responses)
    table._columns.update({name: _finished(values) for name, values in columns.items()})
    return table


def _finished(values: Any) -> Any:
    return values if isinstance(values, ArrowColumn) else read_only(values)


def _objects(values: Any) -> list[Any]:
    if isinstance(values, Ragged | Lists):
        return values.to_pylist()
    objects: list[Any] = values.tolist()
    if isinstance(values, np.ma.MaskedArray) or values.dtype.kind != "f":
        return objects
    return [None if value != value else value for value in objects]  # NaN is the one value unequal to itself

"""A table: named columns of equal length, built when they are first looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from shutil import get_terminal_size
from typing import Any, overload

import numpy as np

from ssift.contract import Column
from ssift.errors import TableError
from ssift.printable import printable, shortened
from ssift.strings import Ragged

_SHOWN_ROWS = 8
_SHOWN_WIDTH = 24


class Table:
    """Rows of a log as columns: ``table["logprob"]`` is an array, ``table[:5]`` its first five rows as a Table.

    ``len(table)`` counts rows; iterating gives column names, as a dict does. What a column is follows from its
    type in :attr:`schema`: ``int`` numpy int64 (a masked array when nullable), ``float`` numpy float64 (NaN =
    missing), ``bool`` numpy bool, ``str`` :class:`~ssift.strings.Strings`, ``binary``
    :class:`~ssift.strings.Binaries`. Columns are built once and kept; float columns and most integer columns are
    the buffers the engine wrote.

    Attributes:
        name: ``"tokens"``, ``"responses"``, ...
        schema: tuple of :class:`ssift.contract.Column` (name, type, nullable); the same for every log.
    """

    __slots__ = ("_build", "_columns", "_rows", "name", "schema")

    def __init__(self, name: str, schema: tuple[Column, ...], rows: int, build: Callable[[str], Any]) -> None:
        self.name = name
        self.schema = schema
        self._rows = rows
        self._build = build
        self._columns: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: its own columns, all of them."""
        return _built, (self.name, self.schema, self._rows, {name: self[name] for name in self})

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
        return name in self.column_names

    def keys(self) -> tuple[str, ...]:
        """Names of the columns, so that ``dict(table)`` works."""
        return self.column_names

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...

    def __getitem__(self, key: str | slice) -> Any:
        """A column by name, or the rows of a slice as a Table that shares the buffers.

        Raises:
            TableError: there is no such column.
        """
        if isinstance(key, slice):
            return Table(self.name, self.schema, len(range(self._rows)[key]), lambda name: self[name][key])
        if not isinstance(key, str):
            raise TypeError(
                f"a table is indexed by the name of a column or a slice of rows, not {type(key).__name__}; "
                f"use .row({key!r}) for one row"
            )
        if key not in self._columns:
            if key not in self.column_names:
                raise TableError(f"{self.name} has no column {key!r}; it has {', '.join(self.column_names)}")
            self._columns[key] = self._build(key)
        return self._columns[key]

    def row(self, index: int) -> dict[str, Any]:
        """One row as a dict of Python objects, None where null or missing."""
        row = range(self._rows)[index]
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

    def __repr__(self) -> str:
        names = [f"{column.name}{'?' * column.nullable}:{column.type}" for column in self.schema]
        title = f"{self.name}: {self._rows:,} {'row' if self._rows == 1 else 'rows'} x {len(self.schema)} columns"
        if not self._rows:
            return f"{title} ({', '.join(names)})"
        if self._rows <= _SHOWN_ROWS:
            numbers: list[int | None] = list(range(self._rows))
        else:
            numbers = [*range(_SHOWN_ROWS - 3), None, self._rows - 2, self._rows - 1]
        blocks = [_block(["", *("…" if number is None else str(number) for number in numbers)], right=True)]
        room = get_terminal_size((120, 24)).columns - len(blocks[0][0])
        for position, column in enumerate(self.schema):
            values = self[column.name]
            cells = ["…" if number is None else _cell(values, number) for number in numbers]
            block = _block([names[position], *cells], right=column.type in ("int", "float"))
            left = len(self.schema) - position
            if room < len(block[0]) + 2 + (len(f"  +{left} more") if left > 1 else 0):
                blocks.append([f"+{left} more", *[""] * len(numbers)])
                break
            room -= len(block[0]) + 2
            blocks.append(block)
        return "\n".join([title, *("  ".join(line).rstrip() for line in zip(*blocks, strict=True))])


def _built(name: str, schema: tuple[Column, ...], rows: int, columns: dict[str, Any]) -> Table:
    table = Table(name, schema, rows, columns.__getitem__)
    table._columns.update(columns)
    return table


def _objects(values: Any) -> list[Any]:
    if isinstance(values, Ragged):
        return values.to_pylist()
    objects: list[Any] = values.tolist()
    if isinstance(values, np.ma.MaskedArray) or values.dtype.kind != "f":
        return objects
    return [None if value != value else value for value in objects]  # NaN is the one value unequal to itself


def _cell(values: Any, row: int) -> str:
    (value,) = _objects(values[row : row + 1])
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return shortened(f'"{printable(value)}"', _SHOWN_WIDTH)
    return shortened(str(value), _SHOWN_WIDTH)


def _block(cells: Sequence[str], right: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.rjust(width) if right else cell.ljust(width) for cell in cells]

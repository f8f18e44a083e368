"""Results of queries: a table for people; CSV, JSON, Parquet and Arrow for programs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, TextIO

from ssift.cli.terminal import Terminal
from ssift.errors import SsiftError
from ssift.printable import json_escaped, printable, shortened

_AT_ONCE = 1000  # rows fetched, and measured for the width of columns
_SHOWN = 40  # rows on a terminal
_WIDTH = 60  # characters of a cell on a terminal


def execute(connection: Any, query: str) -> Any:
    """Run a query; what DuckDB makes of an interrupt is KeyboardInterrupt again."""
    try:
        return connection.execute(query)
    except RuntimeError as error:
        if "interrupt" in str(error).lower():
            raise KeyboardInterrupt from error
        raise


def table(result: Any, terminal: Terminal) -> None:
    """Rows in columns. A terminal gets the first rows, and cells cut to a width; a pipe gets everything."""
    names = _names(result)
    most = _SHOWN if terminal.interactive else None
    shown = 0
    for rows in _blocks(result):
        part = rows if most is None else rows[: most - shown]
        for line in _aligned(names, part, terminal, with_names=not shown):
            terminal.line(line)
        shown += len(part)
        if len(part) < len(rows) or shown == most:
            more = len(rows) - len(part) + sum(map(len, _blocks(result)))
            if more:
                terminal.line(terminal.style(f"{more:,} more rows; --to csv or -o FILE gives them all", "dim"))
            return
    if names and not shown:
        terminal.line(f"{'  '.join(map(printable, names))}\n(no rows)")


def text(result: Any, to: str, file: TextIO, formulas: bool = False) -> None:
    """Write all rows to ``file`` as ``csv``, ``json`` (one object with ``columns`` and ``rows``) or ``jsonl``."""
    if to == "csv":
        _csv(result, file, formulas)
    else:
        _json(result, file, lines=to == "jsonl")


def arrow(rows: Any, to: str, file: BinaryIO) -> None:
    """Write a pyarrow RecordBatchReader to ``file`` as ``parquet`` or ``ipc``.

    Raises:
        SsiftError: a column has a type that Parquet does not know.
    """
    from pyarrow import ipc, parquet

    if to == "parquet":
        _check_parquet(rows.schema)
        writer = parquet.ParquetWriter(file, rows.schema, compression="zstd")
    else:
        writer = ipc.new_file(file, rows.schema)
    with writer:
        for batch in rows:
            writer.write_batch(batch)


def _check_parquet(schema: Any) -> None:
    """Try the type of each column by itself: pyarrow does not say which it was."""
    import pyarrow as pa
    from pyarrow import parquet

    for column in schema:
        try:
            parquet.ParquetWriter(io.BytesIO(), pa.schema([column])).close()
        except pa.ArrowNotImplementedError as error:
            raise SsiftError(
                f"Parquet has no type for the column {column.name}, which is {column.type}: cast it in the query, "
                f'as in "{column.name}"::varchar, or write arrow, csv, json or jsonl'
            ) from error


def _names(result: Any) -> list[str]:
    """Names of the columns; where two are alike the second has a number."""
    names: list[str] = []
    for name, *_ in result.description or ():
        number = 1
        unique = name
        while unique in names:
            unique = f"{name}_{number}"
            number += 1
        names.append(unique)
    return names


def _blocks(result: Any) -> Iterator[list[Sequence[Any]]]:
    while result.description and (rows := result.fetchmany(_AT_ONCE)):
        yield rows


# -------------------------------------------------------------------------------------------------------- people


def _aligned(
    names: Sequence[str], rows: Sequence[Sequence[Any]], terminal: Terminal, with_names: bool
) -> Iterator[str]:
    columns = []
    for position, name in enumerate(names):
        values = [row[position] for row in rows]
        right = all(value is None or isinstance(value, int | float) for value in values)
        cells = [printable(name), *map(_cell, values)]
        if terminal.interactive:
            cells = [shortened(cell, _WIDTH) for cell in cells]
        width = max(map(len, cells))
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    lines = ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
    if with_names:
        yield terminal.style(lines[0], "bold")
    yield from lines[1:]


def _cell(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return repr(value)
    return printable(str(value))


# ------------------------------------------------------------------------------------------------------ programs


def _csv(result: Any, file: TextIO, formulas: bool) -> None:
    from ssift.exporting.cells import FORMULA

    guarded = None if formulas else re.compile(FORMULA)
    file.write(",".join(_csv_cell(name, guarded) for name in _names(result)) + "\n")
    for rows in _blocks(result):
        file.write("".join(",".join(_csv_cell(value, guarded) for value in row) + "\n" for row in rows))


def _csv_cell(value: Any, guarded: re.Pattern[str] | None) -> str:
    """Null is nothing, text is quoted; a text that ``guarded`` finds to be a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    text = _dumps(value) if isinstance(value, bytes | list | dict | tuple) else str(value)
    if guarded is not None and guarded.match(text):
        text = f"'{text}"
    return '"' + text.replace('"', '""') + '"'


def _json(result: Any, file: TextIO, lines: bool) -> None:
    names = _names(result)
    if not lines:
        file.write(f'{{"columns": {_dumps(names)}, "rows": [')
    between = "" if lines else "\n "
    for rows in _blocks(result):
        for row in rows:
            file.write(between + _dumps(dict(zip(names, row, strict=True))) + ("\n" if lines else ""))
            between = "" if lines else ",\n "
    if not lines:
        file.write("]}\n")


def _dumps(value: Any) -> str:
    import orjson

    return json_escaped(orjson.dumps(_plain(value), default=str).decode())


def _plain(value: Any) -> Any:
    """A value of a cell as JSON has it; integers beyond 64 bits as text."""
    from ssift.exporting.cells import json_value

    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    return json_value(value)

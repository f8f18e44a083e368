"""What a table shows of itself: its first and last rows, aligned, in text or HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from shutil import get_terminal_size

from ssift.contract import Column
from ssift.printable import printable, shortened

ROWS = 8
CELL_WIDTH = 24

Cell = Callable[[str, int], object]
"""The Python object in a column (by name) and row (by number), None where null or missing."""


def text(name: str, schema: Sequence[Column], rows: int, cell: Cell) -> str:
    """Rows in columns, as many columns as the terminal is wide for."""
    heads = [_head(column) for column in schema]
    title = f"{name}: {rows:,} {'row' if rows == 1 else 'rows'} x {len(schema)} columns"
    if not rows:
        return f"{title} ({', '.join(heads)})"
    numbers = _shown(rows)
    blocks = [_block(["", *("…" if number is None else str(number) for number in numbers)], right=True)]
    room = get_terminal_size((120, 24)).columns - len(blocks[0][0])
    for position, column in enumerate(schema):
        cells = ["…" if number is None else _words(cell(column.name, number)) for number in numbers]
        block = _block([heads[position], *cells], right=column.type in ("int", "float"))
        left = len(schema) - position
        if room < len(block[0]) + 2 + (len(f"  +{left} more") if left > 1 else 0):
            blocks.append([f"+{left} more", *[""] * len(numbers)])
            break
        room -= len(block[0]) + 2
        blocks.append(block)
    return "\n".join([title, *("  ".join(line).rstrip() for line in zip(*blocks, strict=True))])


def html(name: str, schema: Sequence[Column], rows: int, cell: Cell) -> str:
    """The same as a table for notebooks, all columns."""
    from html import escape

    heads = "".join(f"<th>{escape(column.name)}<br><small>{_kind(column)}</small></th>" for column in schema)
    body = []
    for number in _shown(rows):
        cells = ["…" if number is None else escape(_words(cell(column.name, number))) for column in schema]
        body.append(f"<tr><th>{'…' if number is None else number}</th><td>{'</td><td>'.join(cells)}</td></tr>")
    return (
        f"<div><table><thead><tr><th></th>{heads}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        f"<p>{escape(name)}: {rows:,} {'row' if rows == 1 else 'rows'} × {len(schema)} columns</p></div>"
    )


def _shown(rows: int) -> list[int | None]:
    """Numbers of the rows shown; None stands for those left out."""
    if rows <= ROWS:
        return list(range(rows))
    return [*range(ROWS - 3), None, rows - 2, rows - 1]


def _kind(column: Column) -> str:
    return f"{column.type}{'?' * column.nullable}"


def _head(column: Column) -> str:
    return f"{column.name}{'?' * column.nullable}:{column.type}"


def _words(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return shortened(f'"{printable(value)}"', CELL_WIDTH)
    return shortened(printable(str(value)), CELL_WIDTH)


def _block(cells: Sequence[str], right: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.rjust(width) if right else cell.ljust(width) for cell in cells]

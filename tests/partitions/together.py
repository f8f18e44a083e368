"""What several partitions hold, as rows with the numbers that one reading would have given them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import ssift
from ssift.contract import SCHEMA, TABLES
from ssift.partitioning import ROWS

NUMBERS = {"response": "responses", "chunk": "chunks", "token_row": "tokens", "top_start": "top_logprobs"}
"""Columns of row numbers, and the table whose rows they count."""

Rows = dict[str, list[tuple[Any, ...]]]


def rows(logs: Iterable[ssift.Log]) -> Rows:
    """All rows of a reading, NaN made comparable; those sorted whose order is that in which responses end."""
    found: Rows = {table: [] for table in TABLES}
    for log in logs:
        for table in log.tables:
            found[table] += zip(*(_plain(log[table][name]) for name in log[table].columns), strict=True)
    for table in ("responses", "choices", "tool_calls", "problems"):
        found[table].sort(key=repr)
    return found


def together(partitions: Iterable[ssift.Partition], batch_size: int | None = None) -> Rows:
    """The rows of all partitions, numbered from 0 over all of them, where the table that a number counts is there."""
    found: Rows = {table: [] for table in TABLES}
    counts = dict.fromkeys(NUMBERS.values(), 0)
    for partition in partitions:
        logs = list(ssift.scan_partition(partition, batch_size=batch_size))
        base = {column: partition.number * ROWS - counts[table] for column, table in NUMBERS.items()}
        for table, lines in rows(logs).items():
            names = [column.name for column in SCHEMA[table]]
            found[table] += [
                tuple(_less(value, base.get(name, 0)) for name, value in zip(names, line, strict=True))
                for line in lines
            ]
        for table in counts:
            counts[table] += sum(len(log[table]) for log in logs if table in log.tables)
    for table in ("responses", "choices", "tool_calls", "problems"):
        found[table].sort(key=repr)
    return found


def _less(value: Any, base: int) -> Any:
    return value - base if base and value is not None else value


def _plain(column: Any) -> list[Any]:
    if isinstance(column, np.ndarray) and column.dtype.kind == "f":
        return np.nan_to_num(column, nan=7.5).tolist()
    return list(column.tolist() if isinstance(column, np.ndarray) else column)

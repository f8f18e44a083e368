"""A Datasource for Ray Data: a read task for each partition, whose blocks are Arrow tables."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ssift.contract import SCHEMA
from ssift.extras import need
from ssift.partitioning import SIZE, Partition, scan_partition
from ssift.ray.tasks import Unreadable, cluster, divided, warn
from ssift.selection import Where, no_such_table
from ssift.sources import Readable
from ssift.streaming import TableStream

BATCH = "32MB"
"""Decoded input behind a block."""

SHARES = {
    "responses": 0.005, "choices": 0.02, "chunks": 0.15, "tokens": 0.2, "top_logprobs": 0.5, "tool_calls": 0.01,
    "problems": 0.001,
}  # fmt: skip
"""Bytes of a table for each byte of a log, roughly: Ray plans with it."""


def read(
    source: Readable,
    table: str = "tokens",
    *,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    size: int | str = SIZE,
    unreadable: Unreadable = "raise",
    concurrency: int | None = None,
    **reading: Any,
) -> Any:
    """A ``ray.data.Dataset`` of one table.

    ``select_columns`` and ``limit`` go down into the reading: columns that are not asked for are not built, and a
    task stops when it has rows enough. Row numbers are those of :func:`ssift.partitions`: unique over the dataset,
    the same in every run. Ray gives blocks as they are ready: sort by row numbers, or set ``preserve_order`` of its
    execution options, where the order of rows matters.

    Args:
        source: paths, patterns, folders, URLs, or a list of these; each worker must see them under the same names.
        table: which table.
        columns: names of its columns; None is all.
        where: which responses, as for ``ssift.read``.
        size: stored bytes of a partition, each read by one task; see ``ssift.partitions``.
        unreadable: ``"raise"`` at the first file that cannot be opened or breaks off while it is read, or ``"skip"``:
            what can be read of it counts; those found here are told in an UnreadWarning, those that a task finds in
            the log ``ssift`` of its worker.
        concurrency: how many tasks may run at a time.
        **reading: ``engine``, ``group``, ``errors``, ``limits``, ``format`` of ``ssift.read``.

    Raises:
        MissingError: Ray is not installed.
        SsiftError, ValueError: as ``ssift.read``.
    """
    data = need("ray.data", "ray")
    found = datasource(source, table, columns=columns, where=where, size=size, unreadable=unreadable, **reading)
    cluster()
    return data.read_datasource(found, concurrency=concurrency)


def datasource(
    source: Readable,
    table: str = "tokens",
    *,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    size: int | str = SIZE,
    unreadable: Unreadable = "raise",
    **reading: Any,
) -> Any:
    """The ``ray.data.Datasource`` behind :func:`read`, for ``ray.data.read_datasource`` and its further options.

    Args:
        source, table, columns, where, size, unreadable, **reading: as for :func:`read`.

    Raises:
        MissingError: Ray is not installed.
        ValueError: there is no such table or column.
        SsiftError: as ``ssift.read``.
    """
    if table not in SCHEMA:
        raise ValueError(no_such_table(table))
    names = (columns,) if isinstance(columns, str) else columns
    named = None if names is None else tuple(f"{table}.{column}" for column in names)
    unread: dict[str, str] = {}
    parts = divided(source, unreadable, unread, size=size, tables=(table,), columns=named, where=where, **reading)
    warn(unread)
    return _datasource_class()(parts, table, None if names is None else list(names), unreadable)


def _datasource_class() -> type[Any]:
    """The class; its base is there when Ray is."""
    data = need("ray.data", "ray")
    block = need("ray.data.block", "ray")
    tasks = need("ray.data.datasource", "ray")
    pa = need("pyarrow", "ray")

    class Logs(data.Datasource):  # type: ignore[misc, name-defined]
        """One table of logs."""

        def __init__(
            self, parts: list[Partition], table: str, columns: list[str] | None, unreadable: Unreadable
        ) -> None:
            super().__init__()
            self._projection_map = None if columns is None else {name: name for name in columns}
            self._parts = parts or [Partition(0, (), 0)]
            self._table = table
            self._unreadable = unreadable

        def get_name(self) -> str:
            return f"ssift {self._table}"

        def supports_projection_pushdown(self) -> bool:
            return True

        def estimate_inmemory_data_size(self) -> int | None:
            return sum(self._size(part) for part in self._parts)

        def get_read_tasks(
            self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None
        ) -> list[Any]:
            columns = self._get_data_columns()
            if columns == []:  # only their number is asked for, and a block without columns has none
                columns = [SCHEMA[self._table][0].name]
            schema = pa.schema(TableStream(b"", self._table, columns=columns))
            if columns is not None:
                schema = pa.schema([schema.field(name) for name in columns])
            blocks = partial(_blocks, self._table, columns, per_task_row_limit, self._unreadable)
            return [
                tasks.ReadTask(
                    partial(blocks, part),
                    block.BlockMetadata(
                        num_rows=None, size_bytes=self._size(part), input_files=part.sources, exec_stats=None
                    ),
                    schema=schema,
                    per_task_row_limit=per_task_row_limit,
                )
                for part in self._parts
            ]

        def _size(self, part: Partition) -> int:
            """Of the columns that are read, each taken for as large as the others."""
            columns = self._get_data_columns()
            share = 1.0 if columns is None else max(len(columns), 1) / len(SCHEMA[self._table])
            return int((part.size or 0) * SHARES[self._table] * share)

    return Logs


def _blocks(
    table: str, columns: list[str] | None, limit: int | None, unreadable: Unreadable, part: Partition
) -> Iterator[Any]:
    """The blocks of one partition: its rows of ``table``, or the first ``limit``.

    There is one even where there are no rows: Ray would put one without columns in its place.
    """
    import pyarrow as pa

    unread: dict[str, str] = {}
    named = None if columns is None else tuple(f"{table}.{column}" for column in columns)
    narrowed = replace(part, reading=replace(part.reading, columns=named))
    left = limit
    begun = False
    for log in scan_partition(narrowed, batch_size=BATCH, unread=unread if unreadable == "skip" else None):
        if len(log[table]) or not begun:
            begun = True
            rows = pa.table(log[table])[:left]
            yield rows if columns is None else rows.select(columns)
            left = None if left is None else left - len(rows)
            if left == 0:
                break
    for reason in unread.values():
        logging.getLogger("ssift").error("not read: %s", reason)

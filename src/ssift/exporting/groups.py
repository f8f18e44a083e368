"""Batches of rows -> groups of a fair size, in the order of the table."""

from __future__ import annotations

from typing import Any

from ssift.exporting.writers import Writer

ROWS = 1 << 20
BYTES = 16 << 20
"""A group is written when it has so many rows, or so many bytes in memory."""

_ENDED = ("responses", "choices", "tool_calls")
"""Tables whose rows come as responses end; the others are in order as they come."""


class Groups:
    """Gathers the record batches of a table and hands them to its writer, a group at a time."""

    def __init__(self, table: str, schema: Any, writer: Writer) -> None:
        self._ended = table in _ENDED and "response" in schema.names
        self._schema = schema
        self._writer = writer
        self._waiting: list[Any] = []
        self._rows = 0
        self.bytes = 0

    def add(self, batch: Any) -> None:
        """Take over a record batch. Rows that wait are copied: the buffers of the engine are larger than their rows."""
        import pyarrow as pa

        if not batch.num_rows:
            return
        self._rows += batch.num_rows
        self.bytes += batch.nbytes
        if self.bytes >= BYTES or self._rows >= ROWS:
            self._waiting.append(batch)
            self.flush()
        else:
            self._waiting.append(batch.copy_to(pa.default_cpu_memory_manager()))

    def flush(self) -> None:
        """Write what waits."""
        import pyarrow as pa

        if not self._waiting:
            return
        table = pa.Table.from_batches(self._waiting)
        self._waiting, self._rows, self.bytes = [], 0, 0
        self._writer.write(table.sort_by("response") if self._ended else table)

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        self.flush()
        self._writer.close()

    def abort(self) -> None:
        """Close the writer without the rows that wait."""
        self._waiting = []
        self._writer.close()

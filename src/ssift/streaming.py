"""A table of a log as a stream of batches for other libraries, read when they read it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ssift.arrow import Array, schema_capsule, stream_capsule, struct_field
from ssift.contract import SCHEMA, Column
from ssift.reading import scan
from ssift.selection import Selection, Where, no_such_table
from ssift.sources import Readable
from ssift.table import Table


class TableStream:
    """One table of ``source`` that speaks the Arrow PyCapsule protocol as a stream; memory is bounded by a batch.

    ``pyarrow.RecordBatchReader.from_stream(stream)`` or ``duckdb.sql("from stream")`` read it, any number of times:
    each reading starts anew, so ``source`` must be one that can be read again.

    Args:
        source: what ``ssift.read`` reads.
        table: which table.
        columns: names of its columns, in the order of the schema; None is all.
        where: which responses, as for ``ssift.read``.
        batch_size: see ``ssift.scan``.
        **reading: ``engine``, ``threads``, ``group``, ``errors``, ``progress``, ``limits`` of ``ssift.read``.

    Attributes:
        schema: the columns.

    Raises:
        ValueError: there is no such table or column.
    """

    def __init__(
        self,
        source: Readable,
        table: str = "tokens",
        *,
        columns: Collection[str] | None = None,
        where: Where | None = None,
        batch_size: int | str = "16MB",
        **reading: Any,
    ) -> None:
        if table not in SCHEMA:
            raise ValueError(no_such_table(table))
        names = [columns] if isinstance(columns, str) else columns
        named = None if names is None else [f"{table}.{column}" for column in names]
        self.schema: tuple[Column, ...] = Selection.of((table,), named, where).schemas[table]
        self._table = table
        self._source = source
        self._options: dict[str, Any] = {
            "tables": (table,), "columns": named, "where": where, "batch_size": batch_size, **reading
        }  # fmt: skip

    def __arrow_c_schema__(self) -> object:
        return schema_capsule(struct_field("", self.schema))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return stream_capsule(struct_field("", self.schema), self._arrays(), requested_schema)

    def tables(self) -> Iterator[Table]:
        """The table of each batch that has rows of it."""
        for log in scan(self._source, **self._options):
            if len(log[self._table]):
                yield log[self._table]

    def _arrays(self) -> Iterator[Array]:
        for table in self.tables():
            yield table.arrow_array()

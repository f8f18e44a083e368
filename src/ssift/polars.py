"""polars over logs: :func:`scan` gives a LazyFrame that reads only what its query needs, in bounded memory.

    import polars as pl
    import ssift.polars

    tokens = ssift.polars.scan("logs/", table="tokens")
    tokens.filter(pl.col("logprob") < -5).select("response", "token").head(20).collect()

Columns, row filters and row limits go down into the reading: columns that are not asked for are not built, rows are
filtered batch by batch, and reading stops when there are enough. Needs polars (``pip install 'ssift[polars]'``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ssift.contract import Column
from ssift.extras import need
from ssift.selection import Where
from ssift.sources import Readable
from ssift.streaming import TableStream


def scan(
    source: Readable,
    table: str = "tokens",
    *,
    where: Where | None = None,
    batch_size: int | str = "32MB",
    **reading: Any,
) -> Any:
    """A ``polars.LazyFrame`` of one table.

    Each ``collect`` reads ``source`` anew, so it must be one that can be read again.

    Args:
        source: what ``ssift.read`` reads.
        table: which table.
        where: which responses, as for ``ssift.read``.
        batch_size: see ``ssift.scan``.
        **reading: ``engine``, ``threads``, ``group``, ``errors``, ``progress``, ``limits`` of ``ssift.read``.

    Raises:
        MissingError: polars is not installed.
        ValueError: there is no such table.
    """
    pl = need("polars", "polars")
    plugins = need("polars.io.plugins", "polars")
    options = {"where": where, "batch_size": batch_size, **reading}
    schema = TableStream(source, table, **options).schema

    def frames(columns: list[str] | None, predicate: Any, rows: int | None, _: int | None) -> Iterator[Any]:
        wanted = None if columns is None else columns or [schema[0].name]  # no column at all: their number counts
        stream = TableStream(source, table, columns=wanted, **options)
        for batch in stream.tables():
            frame = pl.DataFrame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            if rows is not None:
                frame = frame.head(rows)
                rows -= len(frame)
            yield frame if columns is None else frame.select(columns)
            if rows == 0:
                return

    return plugins.register_io_source(frames, schema=_schema(pl, schema), is_pure=True)


def _schema(pl: Any, columns: tuple[Column, ...]) -> dict[str, Any]:
    types = {"int": pl.Int64, "float": pl.Float64, "bool": pl.Boolean, "str": pl.String, "binary": pl.Binary}
    return {column.name: types[column.type] for column in columns}

"""One class a format: it opens on a binary file, takes rows of one table, and closes."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Protocol

from ssift.contract import Column
from ssift.exporting.cells import json_line, plain

ENDINGS = {
    "parquet": ("parquet", "pq"),
    "ipc": ("arrow", "ipc", "feather"),
    "csv": ("csv",),
    "jsonl": ("jsonl", "ndjson"),
}
FORMATS = tuple(ENDINGS)

_SORTED_BY = {
    "responses": ("response",),
    "choices": ("response",),
    "chunks": ("chunk",),
    "tokens": ("chunk",),
    "top_logprobs": ("token_row", "rank"),
    "tool_calls": ("response",),
}
"""The order of rows in each row group."""


def format_of(path: str | os.PathLike[str]) -> str | None:
    """The format that the ending of a name stands for, or None."""
    ending = os.fspath(path).rpartition(".")[2].lower()
    return next((name for name, endings in ENDINGS.items() if ending in endings), None)


class Writer(Protocol):
    """Writes the rows of one table to an open file."""

    def write(self, rows: Any) -> None:
        """Append a pyarrow Table."""

    def close(self) -> None:
        """Write what stands at the end of a file. The file itself stays open."""


class ParquetWriter:
    """zstd; words once in a dictionary; integers, which mostly ascend, as differences; one row group a call."""

    def __init__(self, file: BinaryIO, table: str, columns: tuple[Column, ...], schema: Any, compression: str) -> None:
        from pyarrow import parquet

        names = [column.name for column in columns]
        by = _SORTED_BY.get(table, ())
        order = [parquet.SortingColumn(names.index(name)) for name in by] if set(by) <= set(names) else []
        encodings = {"int": "DELTA_BINARY_PACKED", "float": "BYTE_STREAM_SPLIT"}
        self._writer = parquet.ParquetWriter(
            file,
            schema,
            compression=compression,
            compression_level=1 if compression == "zstd" else None,
            use_dictionary=[column.name for column in columns if column.type in ("str", "binary")],
            column_encoding={column.name: encodings[column.type] for column in columns if column.type in encodings},
            sorting_columns=order or None,
            write_page_index=True,
        )

    def write(self, rows: Any) -> None:
        self._writer.write_table(rows, row_group_size=rows.num_rows)

    def close(self) -> None:
        self._writer.close()


class IpcWriter:
    """The Arrow file format; what is not compressed can be mapped into memory."""

    def __init__(self, file: BinaryIO, schema: Any, compression: str) -> None:
        from pyarrow import ipc

        options = ipc.IpcWriteOptions(compression=None if compression == "none" else compression)
        self._writer = ipc.new_file(file, schema, options=options)

    def write(self, rows: Any) -> None:
        self._writer.write_table(rows)

    def close(self) -> None:
        self._writer.close()


class CsvWriter:
    """RFC 4180 with a line of names; null is an empty cell, the empty string is quoted."""

    def __init__(self, file: BinaryIO, schema: Any, formulas: bool) -> None:
        import pyarrow as pa
        from pyarrow import csv

        text = [pa.field(name, _csv_type(kind)) for name, kind in zip(schema.names, schema.types, strict=True)]
        self._formulas = formulas
        self._writer = csv.CSVWriter(file, pa.schema(text))

    def write(self, rows: Any) -> None:
        self._writer.write_table(plain(rows, self._formulas))

    def close(self) -> None:
        self._writer.close()


class JsonLinesWriter:
    """One object a line; null is null."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, rows: Any) -> None:
        for part in rows.to_batches(max_chunksize=4096):
            self._file.write(b"".join(map(json_line, part.to_pylist())))

    def close(self) -> None:
        """Nothing stands at the end."""


def _csv_type(kind: Any) -> Any:
    import pyarrow as pa

    return pa.large_string() if pa.types.is_large_binary(kind) else kind


def open_writer(
    kind: str,
    file: BinaryIO,
    table: str,
    columns: tuple[Column, ...],
    schema: Any,
    compression: str | None,
    formulas: bool,
) -> Writer:
    """A writer of format ``kind``, an entry of FORMATS. ``schema`` is the pyarrow schema with its metadata."""
    if kind == "parquet":
        return ParquetWriter(file, table, columns, schema, compression or "zstd")
    if kind == "ipc":
        return IpcWriter(file, schema, compression or "none")
    if kind == "csv":
        return CsvWriter(file, schema, formulas)
    return JsonLinesWriter(file)

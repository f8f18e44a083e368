"""What a call of :func:`ssift.export` comes to: checked before anything is read."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, BinaryIO

from ssift.contract import Column
from ssift.exporting.writers import ENDINGS, FORMATS, Writer, format_of, open_writer
from ssift.selection import Selection, Where
from ssift.sources import Readable

PARTITIONS = ("model", "status")
"""What a folder can be partitioned by."""

COMPRESSIONS = ("zstd", "none")

Out = str | os.PathLike[str] | BinaryIO


@dataclass(frozen=True)
class Plan:
    """One export.

    Attributes:
        format: an entry of FORMATS.
        is_folder: whether ``out`` is to be a folder.
        schemas: table -> columns, of the tables that are written.
        reading: the ``tables``, ``columns`` and ``where`` to read with; more than is written where that needs it.
        partition_by: see PARTITIONS, or None.
    """

    format: str
    is_folder: bool
    schemas: Mapping[str, tuple[Column, ...]]
    reading: Mapping[str, Any]
    partition_by: str | None
    compression: str | None
    formulas: bool
    metadata: Mapping[str, str]

    @classmethod
    def of(
        cls,
        source: Readable,
        out: Out,
        tables: Collection[str] | None,
        to: str | None,
        partition_by: str | None,
        columns: Collection[str] | None,
        where: Where | None,
        compression: str | None,
        formulas: bool,
    ) -> Plan:
        """Check and combine the arguments of :func:`ssift.export`.

        Raises:
            ValueError: an argument is wrong, or two do not go together.
        """
        kind, is_folder = place_of(out, to, partition_by)
        if tables is None and columns is None and not is_folder:
            tables = ("tokens",)
        selection = Selection.of(tables, columns, where)
        schemas = _written(selection, tables, columns)
        if not is_folder and len(schemas) != 1:
            raise ValueError(f"a file holds one table, not {', '.join(schemas)}; name one, or give a folder")
        if compression is not None and (compression not in COMPRESSIONS or kind not in ("parquet", "ipc")):
            raise ValueError(f"compression={compression!r}: use {' or '.join(COMPRESSIONS)}, with parquet or ipc")
        if formulas and kind != "csv":
            raise ValueError(f"formulas=True goes with csv, not {kind}")
        reading: dict[str, Any] = {"tables": tables, "columns": columns, "where": where}
        if partition_by is not None:
            reading |= _with_responses(schemas, columns, partition_by)
            schemas = {**schemas}
            if "responses" in schemas:  # the name of the folder holds it
                schemas["responses"] = tuple(column for column in schemas["responses"] if column.name != partition_by)
        return cls(kind, is_folder, schemas, reading, partition_by, compression, formulas, _metadata(source))

    @property
    def ending(self) -> str:
        """The ending of the names of files."""
        return ENDINGS[self.format][0]

    def writer(self, table: str, file: BinaryIO, schema: Any) -> Writer:
        """A writer for the rows of ``table``; ``schema`` is that of pyarrow, with metadata."""
        return open_writer(self.format, file, table, self.schemas[table], schema, self.compression, self.formulas)

    def schema(self, table: str, value: str | None = None) -> Any:
        """The pyarrow schema of a table, with metadata; in partitions the ``value`` of the responses too."""
        import pyarrow as pa

        from ssift.arrow import schema_capsule, struct_field

        schema = pa.schema(_Capsule(schema_capsule(struct_field("", self.schemas[table]))))
        of = {} if value is None else {f"ssift.{self.partition_by}": value}
        return schema.with_metadata({**self.metadata, "ssift.table": table, **of})


@dataclass(frozen=True)
class _Capsule:
    """A schema as pyarrow takes it."""

    capsule: object

    def __arrow_c_schema__(self) -> object:
        return self.capsule


def place_of(out: Out, to: str | None, partition_by: str | None) -> tuple[str, bool]:
    """The format, an entry of FORMATS, and whether ``out`` is to be a folder.

    Raises:
        ValueError: ``to`` or ``partition_by`` is no such thing, or does not go with ``out``.
    """
    if to is not None and to not in FORMATS:
        raise ValueError(f"to={to!r}: use one of {', '.join(FORMATS)}")
    if partition_by is not None and partition_by not in PARTITIONS:
        raise ValueError(f"partition_by={partition_by!r}: use one of {', '.join(PARTITIONS)}")
    if not isinstance(out, str | os.PathLike):
        if partition_by is not None:
            raise ValueError("partition_by= writes many files: give a folder, not an open file")
        if to is None:
            raise ValueError(f"to=: an open file has no ending that tells the format; use one of {', '.join(FORMATS)}")
        return to, False
    name = os.fspath(out)
    has_ending = bool(os.path.splitext(name)[1]) and not name.endswith(os.sep)
    is_file = name == "-" or (os.path.exists(name) and not os.path.isdir(name))  # standard output, a device, a pipe
    if partition_by is not None or os.path.isdir(name) or not (has_ending or is_file):
        if not os.path.isdir(name) and format_of(name) is not None:
            raise ValueError(f"partition_by= needs a folder, and {name} is the name of a file")
        return to or "parquet", True
    kind = to or format_of(name)
    if kind is None:
        known = ", ".join(f".{ending}" for endings in ENDINGS.values() for ending in endings)
        raise ValueError(f"{name}: its ending is none of {known}; say the format, or end a folder with {os.sep}")
    return kind, False


def _written(
    selection: Selection, tables: Collection[str] | None, columns: Collection[str] | None
) -> dict[str, tuple[Column, ...]]:
    """The tables that are written. Problems are read with all others; they are written when asked for."""
    if tables is None and columns is None:
        return dict(selection.schemas)
    named = {tables} if isinstance(tables, str) else set(tables or ())
    named |= {name.partition(".")[0] for name in ([columns] if isinstance(columns, str) else columns or ())}
    return {table: schema for table, schema in selection.schemas.items() if table in named}


def _with_responses(
    schemas: Mapping[str, tuple[Column, ...]], columns: Collection[str] | None, partition_by: str
) -> dict[str, Any]:
    """What must be read so that rows can be divided by a field of their response."""
    tables = {*schemas, "responses"} | ({"tokens"} if "top_logprobs" in schemas else set())
    if columns is None:
        return {"tables": tables}
    names = [f"{table}.{column.name}" for table, schema in schemas.items() for column in schema]
    names += ["responses.response", f"responses.{partition_by}", "chunks.response", "tokens.response"]
    names += [f"{table}.response" for table in ("choices", "tool_calls")]
    tables |= {"chunks"} if tables & {"chunks", "tokens"} else set()
    return {"tables": tables, "columns": [name for name in names if name.partition(".")[0] in tables]}


def _metadata(source: Readable) -> dict[str, str]:
    return {"ssift.version": version("ssift"), "ssift.source": json.dumps(_names(source), ensure_ascii=False)}


def _names(source: Any) -> list[str]:
    """What was given, in words: paths and patterns as they are, the names of open files, nothing of bytes."""
    if isinstance(source, str | os.PathLike):
        return [os.fspath(source)]
    if isinstance(source, list | tuple):
        return [name for item in source for name in _names(item)]
    name = getattr(source, "name", "")
    return [name if isinstance(name, str) else ""]

"""The call: reads in batches, and writes one while the next is read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ssift.contract import TABLES
from ssift.destination import whole_file, whole_folder
from ssift.exporting.partitions import VALUES
from ssift.exporting.plan import PARTITIONS, Out, Plan
from ssift.exporting.sinks import FileSink, FolderSink, PartitionSink, Sink
from ssift.exporting.writers import format_of
from ssift.extras import need
from ssift.log import Log
from ssift.reading import scan
from ssift.selection import Where
from ssift.sources import Readable

_BATCH = "8MB"


@dataclass(frozen=True)
class Exported:
    """What was written.

    Attributes:
        rows: table -> rows.
        files: paths of the files; none when an open file was given.
        problems: places of the input that could not be read, whether or not they were written.
    """

    rows: dict[str, int]
    files: list[str]
    problems: int


def export(
    source: Readable,
    out: Out,
    *,
    tables: Collection[str] | None = None,
    to: Literal["parquet", "ipc", "csv", "jsonl"] | None = None,
    partition_by: Literal["model", "status"] | None = None,
    columns: Collection[str] | None = None,
    where: Where | None = None,
    compression: Literal["zstd", "none"] | None = None,
    formulas: bool = False,
    overwrite: bool = False,
    **reading: Any,
) -> Exported:
    """Read ``source`` and write tables as files that other programs read, in bounded memory.

    Rows are in the order of reading, so that row n of ``tokens`` is the one that ``token_row`` n means; responses,
    choices and tool calls are sorted by response within each group of rows. Parquet and Arrow files carry
    ``ssift.version``, ``ssift.table`` and ``ssift.source`` (JSON) in the metadata of their schema. Needs pyarrow
    (``pip install 'ssift[arrow]'``).

    Args:
        source: what ``ssift.read`` reads.
        out: a file, by its ending (.parquet, .arrow, .csv, .jsonl), a folder, or an open binary file. A file or
            folder appears when everything is written, or not at all.
        tables: the tables. Into a file goes one, ``tokens`` unless named; into a folder all, each into a file.
        to: the format; by default that of the ending, and ``parquet`` in a folder.
        partition_by: ``model`` or ``status``: the folder has ``tokens/model=gpt/part-0.parquet`` and so on (Hive), each
            with the responses of one value. Row numbers count the rows of a file; ``response`` stays. Responses that
            name no model are under ``__HIVE_DEFAULT_PARTITION__``. A name too long for a folder is cut and ends in
            ``@`` and a hash; ``partitions.json`` has the whole, and so has the metadata ``ssift.model``.
        columns, where: as for ``ssift.read``.
        compression: of Parquet (default ``zstd``) or Arrow files (default ``none``: these can be mapped into memory).
        formulas: leave cells of CSV that a spreadsheet would run as a formula as they are; by default they get an
            apostrophe before them.
        overwrite: replace a folder that an earlier export wrote. A file is always replaced.
        **reading: ``engine``, ``threads``, ``group``, ``errors``, ``progress``, ``limits`` of ``ssift.read``.

    Raises:
        OutputError: the output is no place to write to, or there is no room.
        MissingError: pyarrow is not installed.
        ValueError: an argument is wrong, or two do not go together.
        SsiftError: whatever ``ssift.read`` raises.
    """
    plan = Plan.of(source, out, tables, to, partition_by, columns, where, compression, formulas)
    need("pyarrow", "arrow")
    logs = scan(source, batch_size=_BATCH, whole_responses=partition_by is not None, **plan.reading, **reading)
    sink, files = _write(logs, plan, out, overwrite)
    return Exported(sink.rows, files, sink.problems)


def _write(logs: Iterator[Log], plan: Plan, out: Any, overwrite: bool) -> tuple[Sink, list[str]]:
    """Write everything to its place; the sink, and the paths of the files."""
    if not isinstance(out, str | os.PathLike):
        sink: Sink = FileSink(plan, out)
        _pour(logs, sink)
        return sink, []
    if not plan.is_folder:
        with whole_file(out) as file:
            sink = FileSink(plan, file)
            _pour(logs, sink)
        return sink, [os.fspath(out)]
    with whole_folder(out, is_export if overwrite else is_empty) as folder:
        sink = PartitionSink(plan, folder) if plan.partition_by else FolderSink(plan, folder)
        _pour(logs, sink)
    return sink, [os.fspath(Path(out) / path.relative_to(folder)) for path in sink.paths]


def _pour(logs: Iterator[Log], sink: Sink) -> None:
    """Write each batch while the next is read: both leave the interpreter to others most of the time."""
    try:
        with ThreadPoolExecutor(1, "ssift-export") as writing:
            written: Future[None] | None = None
            for log in logs:
                if written is not None:
                    written.result()
                written = writing.submit(sink.add, log)
                del log
            if written is not None:
                written.result()
        sink.close()
    except BaseException:
        sink.abort()
        raise


def is_empty(folder: Path) -> bool:
    """Whether nothing is in a folder."""
    return not any(folder.iterdir())


def is_export(folder: Path) -> bool:
    """Whether every file in a folder has a place and a name that an export gives."""
    return all(_is_ours(path.relative_to(folder).parts) for path in folder.rglob("*") if not path.is_dir())


def _is_ours(names: tuple[str, ...]) -> bool:
    """``tokens.parquet``, ``tokens/part-00000.parquet``, or ``tokens/model=m/part-0.parquet``."""
    if len(names) == 2:
        return names[0] in TABLES and names[1].startswith("part-") and format_of(names[1]) is not None
    if len(names) == 3:
        table, value, file = names
        return table in TABLES and value.partition("=")[0] in PARTITIONS and file.startswith("part-0.")
    (name,) = names if len(names) == 1 else ("",)
    return name == VALUES or (name.partition(".")[0] in TABLES and format_of(name) is not None)

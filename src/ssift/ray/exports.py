"""Tables as files, a part for each partition, written where the partition is read."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from ssift.destination import OutputError, whole_folder
from ssift.exporting import Exported
from ssift.exporting.call import is_empty, is_export
from ssift.exporting.plan import Plan
from ssift.exporting.sinks import FolderSink
from ssift.extras import need
from ssift.partitioning import SIZE, Partition, scan_partition
from ssift.ray.tasks import Told, Unreadable, cluster, divided, original, run, warn
from ssift.reading import Progress
from ssift.selection import Where
from ssift.sources import Readable

_BATCH = "8MB"


@dataclass(frozen=True)
class _Written:
    rows: dict[str, int]
    files: list[str]
    problems: int
    unread: dict[str, str]


def export(
    source: Readable,
    out: str | os.PathLike[str],
    *,
    tables: Collection[str] | None = None,
    to: Literal["parquet", "ipc"] = "parquet",
    columns: Collection[str] | None = None,
    where: Where | None = None,
    compression: Literal["zstd", "none"] | None = None,
    overwrite: bool = False,
    size: int | str = SIZE,
    unreadable: Unreadable = "raise",
    progress: bool | Progress = False,
    **reading: Any,
) -> Exported:
    """Write tables as ``out/tokens/part-00000.parquet`` and so on: a folder for each table, a file for each partition.

    The folder appears when everything is written, or not at all. It must be one that all workers share. Rows of a file
    are in the order of reading, and row numbers are those of :func:`ssift.partitions`.

    Args:
        source: paths, patterns, folders, URLs, or a list of these; each worker must see them under the same names.
        out: the folder.
        tables, columns, where, compression, overwrite: as for ``ssift.export``.
        to: the format of the files.
        size: stored bytes of a partition; see ``ssift.partitions``.
        unreadable, progress, **reading: as for :func:`ssift.ray.summarize`.

    Raises:
        MissingError: Ray or pyarrow is not installed.
        OutputError: ``out`` is no place to write to, or a worker does not see it.
        SsiftError, ValueError: as ``ssift.export``.
    """
    if to not in ("parquet", "ipc"):
        raise ValueError(f"to={to!r}: use parquet or ipc")
    out = os.path.abspath(os.fspath(out))
    plan = Plan.of(source, os.path.join(out, ""), tables, to, None, columns, where, compression, False)
    need("ray", "ray")
    need("pyarrow", "arrow")
    unread: dict[str, str] = {}
    parts = divided(source, unreadable, unread, size=size, **plan.reading, **reading)
    told = Told(parts, progress)
    ray = cluster()
    with whole_folder(out, is_export if overwrite else is_empty) as folder:
        for table in plan.schemas:
            (folder / table).mkdir()
        try:
            written = original(ray.get, run(partial(_write, plan, folder, unreadable == "skip"), parts, told))
        finally:
            told.clear()
        for left in folder.glob(".*"):  # of workers that are gone
            shutil.rmtree(left)
    for part in written:
        unread |= part.unread
    warn(unread)
    return Exported(
        {table: sum(part.rows[table] for part in written) for table in plan.schemas},
        [os.path.join(out, file) for part in written for file in part.files],
        sum(part.problems for part in written),
    )


def _write(plan: Plan, folder: Path, skip: bool, part: Partition) -> _Written:
    """Write one partition; when it was begun before and its worker is gone, anew."""
    if not folder.is_dir():
        raise OutputError(f"{folder} is not seen by the worker on {socket.gethostname()}: give a folder that all share")
    unread: dict[str, str] = {}
    here = folder / f".{part.number}-{uuid4().hex}"
    here.mkdir()
    try:
        sink = FolderSink(plan, here)
        try:
            for log in scan_partition(part, batch_size=_BATCH, unread=unread if skip else None):
                sink.add(log)
            sink.close()
        except BaseException:
            sink.abort()
            raise
        files = []
        for table in plan.schemas:
            name = f"part-{part.number:05}.{plan.ending}"
            os.replace(here / f"{table}.{plan.ending}", folder / table / name)
            files.append(os.path.join(table, name))
    finally:
        shutil.rmtree(here, ignore_errors=True)
    return _Written(sink.rows, files, sink.problems, unread)

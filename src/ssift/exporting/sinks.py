"""Where rows go: one file, a folder with a file for each table, or one with a folder for each value of a field."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ssift.exporting.groups import Groups
from ssift.exporting.partitions import VALUES, folder_name, is_marked
from ssift.exporting.plan import Plan
from ssift.log import Log
from ssift.sieve import Splitter
from ssift.table import Table

WAITING = 48 << 20
"""Bytes of rows that may wait to be written, over all files."""


class Sink:
    """Takes the batches of a scan. It owns the files that it opens."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._open: dict[Any, Groups] = {}
        self._files: list[BinaryIO] = []
        self._problems = "problems" in plan.schemas
        self.rows = dict.fromkeys(plan.schemas, 0)
        self.paths: list[Path] = []
        self.problems = 0

    def add(self, log: Log) -> None:
        """Write a batch, or keep it for a larger group."""
        self.problems += len(log.problems)
        self._add(log)
        waiting = sum(groups.bytes for groups in self._open.values())
        while waiting > WAITING:
            largest = max(self._open.values(), key=lambda groups: groups.bytes)
            waiting -= largest.bytes
            largest.flush()

    def _add(self, log: Log) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Write what waits, and the ends of all files."""
        for groups in self._open.values():
            groups.close()
        for file in self._files:
            file.flush()
            os.fsync(file.fileno())
            file.close()

    def abort(self) -> None:
        """Let go of all files; they are of no use."""
        for groups in self._open.values():
            with suppress(Exception):
                groups.abort()
        for file in self._files:
            file.close()

    def _begin(self, key: Any, table: str, file: BinaryIO, value: str | None = None) -> Groups:
        schema = self._plan.schema(table, value)
        self._open[key] = groups = Groups(table, schema, self._plan.writer(table, file, schema))
        return groups

    def _create(self, key: Any, table: str, path: Path, value: str | None = None) -> Groups:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._files.append(path.open("xb"))
        self.paths.append(path)
        return self._begin(key, table, self._files[-1], value)

    def _write(self, groups: Groups, table: Table) -> None:
        import pyarrow as pa

        if len(table):
            columns = self._plan.schemas[table.name]
            self.rows[table.name] += len(table)
            groups.add(pa.record_batch(table.select(*(column.name for column in columns))))


class FileSink(Sink):
    """The one table of the plan, into an open file."""

    def __init__(self, plan: Plan, file: BinaryIO) -> None:
        super().__init__(plan)
        (self._table,) = plan.schemas
        self._groups = self._begin(self._table, self._table, file)

    def _add(self, log: Log) -> None:
        self._write(self._groups, log[self._table])


class FolderSink(Sink):
    """A file for each table; a table without rows has one too."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        super().__init__(plan)
        for table in plan.schemas:
            self._create(table, table, folder / f"{table}.{plan.ending}")

    def _add(self, log: Log) -> None:
        for table, groups in self._open.items():
            self._write(groups, log[table])


class PartitionSink(Sink):
    """``table/field=value/part-0.parquet``, as Hive names them. Problems belong to no response and have one file."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        super().__init__(plan)
        assert plan.partition_by is not None
        self._field = plan.partition_by
        self._folder = folder
        self._marked: dict[str, str] = {}
        self._splitter = Splitter(self._field, frozenset(plan.reading["tables"]))
        if self._problems:
            self._create("problems", "problems", folder / f"problems.{plan.ending}")

    def _add(self, log: Log) -> None:
        if self._problems:
            self._write(self._open["problems"], log.problems)
        for value, part in log.split(self._splitter).items():
            for table in self._plan.schemas:
                if table != "problems" and len(part[table]):
                    self._write(self._groups(table, value), part[table])

    def close(self) -> None:
        super().close()
        if self._marked:
            self.paths.append(self._folder / VALUES)
            self.paths[-1].write_bytes(orjson.dumps(self._marked, option=orjson.OPT_INDENT_2))

    def _groups(self, table: str, value: str | None) -> Groups:
        key = table, value
        if key in self._open:
            return self._open[key]
        value = value or ""
        name = folder_name(self._field, value)
        if is_marked(name):
            self._marked[name] = value
        return self._create(key, table, self._folder / table / name / f"part-0.{self._plan.ending}", value)

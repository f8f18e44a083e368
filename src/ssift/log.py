"""What reading gives: a :class:`Log` of tables, and a :class:`SourceInfo` for each source."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np

from ssift.arrow import Array, ArrowColumn, Field, struct_array
from ssift.columns import Finisher
from ssift.contract import LINE_CLASSES, SCHEMA, TABLES, Batch, Column, Ints, SourceCounts
from ssift.errors import TableError
from ssift.selection import no_such_table
from ssift.sieve import Splitter
from ssift.table import Table, TokenTable


@dataclass(frozen=True)
class SourceInfo:
    """What one source was and held.

    Attributes:
        name: path as found, ``""`` for bytes, ``-`` for standard input.
        bytes: its size after decompression (and, from UTF-16, as UTF-8). Offsets count in these bytes.
        framing: ``"sse"``, ``"jsonl"`` or ``"json"``; ``"container"`` of a file that holds bodies, which stand before
            it, each as a source by itself called ``file#3``.
        compression: ``"gzip"`` or None.
        counts: events, chunks, skipped, comments, done, errors, problems, and the bytes of each class of lines.
            Those of a container are its own problems alone, and it has no bytes besides its bodies.
        container: the format of the container, of this source or around it; None for a plain source.
        bodies: of a container: how many were read.
        left: of a container: how many entries were left alone, being no streams.
        continued: whether this is a stretch of the source that does not end it: ``bytes`` and ``counts`` are those of
            the stretch. Only from a partition (:func:`ssift.partitions`).
    """

    name: str
    bytes: int
    framing: str
    compression: str | None
    counts: SourceCounts
    container: str | None = None
    bodies: int = 0
    left: int = 0
    continued: bool = False

    @property
    def account(self) -> dict[str, int]:
        """Bytes by what became of them: chunk, error, done, skipped, problem, blank. They add up to ``bytes``."""
        return {kind: getattr(self.counts, f"{kind}_bytes") for kind in LINE_CLASSES}


def new_call() -> str:
    """A name for one call that reads, which no other has."""
    return os.urandom(8).hex()


class Log(ArrowColumn):
    """The tables of a log, or of one batch of it. ``ssift.read`` and ``ssift.scan`` make these.

    ``log.responses``, ``log.choices``, ``log.chunks``, ``log.tokens``, ``log.top_logprobs``, ``log.tool_calls``
    and ``log.problems`` are Tables, also reached as ``log["tokens"]``. Row numbers (``response``, ``chunk``,
    ``token_row``, ``top_start``) count from 0 over the whole call; :attr:`first` turns them into places in a batch.

    Every table speaks the Arrow PyCapsule protocol, and so does the log: as one row with a column for each table, a
    list of its rows. So a whole log goes over at once, and nothing is copied.

    Attributes:
        tables: names of the tables that were read.
        sources: the sources that ended in this log; over all batches of a scan, each source once.
        unfinished: the source that is still growing, with what it held so far; only from :func:`ssift.follow`.
        engine: the engine that read it, ``"native"`` or ``"python"``.
        first: row number of row 0 of ``chunks``, ``tokens`` and ``top_logprobs``; all 0 from ``read``.
        totals: rows of ``chunks``, ``tokens`` and ``top_logprobs``, also where the table was not kept; with ``where``
            and ``whole_responses`` 0 there.
        call: names the call that read it, the same for all batches of a scan and for nothing else: row numbers of
            logs with equal names count the same rows.
        omitted: how many entries of logprobs were left out, by kind, with ``omit=``.
    """

    def __init__(
        self,
        batch: Batch,
        tables: frozenset[str],
        names: Mapping[int, str],
        sources: Sequence[SourceInfo],
        engine: str,
        unfinished: SourceInfo | None = None,
        schemas: Mapping[str, tuple[Column, ...]] = SCHEMA,
        call: str = "",
        omitted: Mapping[str, int] | None = None,
    ) -> None:
        self.tables: tuple[str, ...] = tuple(table for table in TABLES if table in tables)
        self.sources: tuple[SourceInfo, ...] = tuple(sources)
        self.unfinished: SourceInfo | None = unfinished
        self.engine = engine
        self.call = call
        self.omitted: Mapping[str, int] = omitted or {}
        self.first: Mapping[str, int] = dict(batch.first)
        self.totals: Mapping[str, int] = dict(batch.totals)
        self._names = names
        self._schemas = schemas
        self._finisher = Finisher(batch, names)
        self._tables: dict[str, Table] = {}

    def split(self, splitter: Splitter) -> dict[str | None, Log]:
        """This log by the value of a field of its responses, each part numbered on its own.

        For batches of whole responses; all of one call go through the same ``splitter``.
        """
        return {
            value: Log(part, frozenset(self.tables), self._names, self.sources, self.engine, schemas=self._schemas)
            for value, part in splitter.split(self._finisher.batch).items()
        }

    def __getitem__(self, name: str) -> Table:
        """The table called ``name``.

        Raises:
            TableError: no such table, or it was left out by ``tables=``.
        """
        if name not in self._tables:
            if name not in TABLES:
                raise TableError(no_such_table(name))
            if name not in self.tables:
                raise TableError(f"{name} was not read: name it in tables=, or leave tables= out to read all")
            self._tables[name] = self._table(name)
        return self._tables[name]

    def _table(self, name: str) -> Table:
        # Tables know the finisher and never the log: there is no cycle, and memory goes with its last user.
        if name != "tokens":
            return Table(*self._parts(name))
        alternatives = Table(*self._parts("top_logprobs")) if "top_logprobs" in self.tables else None
        return TokenTable(*self._parts(name), alternatives=alternatives, first=self.first["top_logprobs"])

    def _parts(self, name: str) -> tuple[Any, ...]:
        finisher = self._finisher
        return name, self._schemas[name], finisher.rows(name), partial(finisher.column, name), finisher.responses

    def token_runs(self) -> tuple[Ints, Ints]:
        """Where runs of tokens of one response begin in ``tokens``, and the end of the last; the response of each."""
        if "tokens" not in self.tables:
            self["tokens"]  # says what is wrong
        return self._finisher.token_runs()

    def __getstate__(self) -> dict[str, Any]:
        """For pickle and copy: what the engine wrote; tables are built from it again."""
        return {**self.__dict__, "_tables": {}}

    @property
    def responses(self) -> Table:
        """One row per response."""
        return self["responses"]

    @property
    def choices(self) -> Table:
        """One row per response and index."""
        return self["choices"]

    @property
    def chunks(self) -> Table:
        """One row per chunk."""
        return self["chunks"]

    @property
    def tokens(self) -> TokenTable:
        """One row per entry of a list of logprobs."""
        return cast(TokenTable, self["tokens"])

    @property
    def top_logprobs(self) -> Table:
        """One row per alternative of a token; ``token_row`` is the row of its token."""
        return self["top_logprobs"]

    @property
    def tool_calls(self) -> Table:
        """One row per tool call."""
        return self["tool_calls"]

    @property
    def problems(self) -> Table:
        """One row per place that could not be read as it should. Always there."""
        return self["problems"]

    def arrow_field(self) -> Field:
        tables = [(name, self[name].arrow_field()) for name in self.tables]
        lists = (Field(name, "+L", False, (Field("item", row.format, False, row.children),)) for name, row in tables)
        return Field("", "+s", False, tuple(lists))

    def arrow_array(self) -> Array:
        children = []
        for name in self.tables:
            ends = np.array([0, len(self[name])], np.int64)
            children.append(Array(1, (None, ends), 0, (self[name].arrow_array(),)))
        return struct_array(1, children)

    def __repr__(self) -> str:
        rows = ", ".join(f"{table} {len(self[table]):,}" for table in self.tables)
        sources = f"{len(self.sources):,} {'source' if len(self.sources) == 1 else 'sources'}"
        return f"<ssift.Log of {sources} by the {self.engine} engine: {rows}>"

"""What reading gives: a :class:`Log` of tables, and a :class:`SourceInfo` for each source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ssift.columns import Finisher
from ssift.contract import LINE_CLASSES, SCHEMA, TABLES, Batch, SourceCounts
from ssift.errors import TableError
from ssift.table import Table


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
    """

    name: str
    bytes: int
    framing: str
    compression: str | None
    counts: SourceCounts
    container: str | None = None
    bodies: int = 0
    left: int = 0

    @property
    def account(self) -> dict[str, int]:
        """Bytes by what became of them: chunk, error, done, skipped, problem, blank. They add up to ``bytes``."""
        return {kind: getattr(self.counts, f"{kind}_bytes") for kind in LINE_CLASSES}


class Log:
    """The tables of a log, or of one batch of it. ``ssift.read`` and ``ssift.scan`` make these.

    ``log.responses``, ``log.choices``, ``log.chunks``, ``log.tokens``, ``log.top_logprobs``, ``log.tool_calls``
    and ``log.problems`` are Tables, also reached as ``log["tokens"]``. Row numbers (``response``, ``chunk``,
    ``token_row``, ``top_start``) count from 0 over the whole call; :attr:`first` turns them into places in a batch.

    Attributes:
        tables: names of the tables that were read.
        sources: the sources that ended in this log; over all batches of a scan, each source once.
        unfinished: the source that is still growing, with what it held so far; only from :func:`ssift.follow`.
        engine: the engine that read it, ``"native"`` or ``"python"``.
        first: row number of row 0 of ``chunks``, ``tokens`` and ``top_logprobs``; all 0 from ``read``.
        totals: rows of ``chunks``, ``tokens`` and ``top_logprobs``, also where the table was not kept.
    """

    def __init__(
        self,
        batch: Batch,
        tables: frozenset[str],
        names: Mapping[int, str],
        sources: Sequence[SourceInfo],
        engine: str,
        unfinished: SourceInfo | None = None,
    ) -> None:
        self.tables: tuple[str, ...] = tuple(table for table in TABLES if table in tables)
        self.sources: tuple[SourceInfo, ...] = tuple(sources)
        self.unfinished: SourceInfo | None = unfinished
        self.engine = engine
        self.first: Mapping[str, int] = dict(batch.first)
        self.totals: Mapping[str, int] = dict(batch.totals)
        self._finisher = Finisher(batch, names)
        self._tables: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        """The table called ``name``.

        Raises:
            TableError: no such table, or it was left out by ``tables=``.
        """
        if name not in self._tables:
            if name not in TABLES:
                raise TableError(f"there is no table {name!r}; the tables are {', '.join(TABLES)}")
            if name not in self.tables:
                raise TableError(f"{name} was not read: name it in tables=, or leave tables= out to read all")
            finisher = self._finisher
            self._tables[name] = Table(name, SCHEMA[name], finisher.rows(name), partial(finisher.column, name))
        return self._tables[name]

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
    def tokens(self) -> Table:
        """One row per entry of a list of logprobs."""
        return self["tokens"]

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

    def __repr__(self) -> str:
        rows = ", ".join(f"{table} {len(self[table]):,}" for table in self.tables)
        sources = f"{len(self.sources):,} {'source' if len(self.sources) == 1 else 'sources'}"
        return f"<ssift.Log of {sources} by the {self.engine} engine: {rows}>"

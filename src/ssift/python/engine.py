"""The Python engine: from pieces of a source to finished rows.

What an event is, is decided here, in this order: an error by name; nothing but blanks; ``[DONE]``; a wrapped comment;
nested too deep; not JSON; no object; an error by content; a chunk; something else. What is no chunk, error or
``[DONE]`` is skipped.

Problems are rows like any other. Those of lines that are no fields wait until it is certain that the source is a
stream at all; a source that is none has one problem over its whole length instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any

from ssift.contract import (
    HELD_PROBLEMS,
    LINE_CLASSES,
    M_CUT_LINE,
    M_DEPTH,
    M_JSON,
    M_NAMELESS,
    M_SOURCE,
    M_UTF8,
    PROBLEM_KINDS,
    TABLES,
    Batch,
    Limits,
    RecordShape,
    SourceCounts,
)
from ssift.python.arrivals import Arrivals
from ssift.python.calls import Place
from ssift.python.chunks import ChunkReader, is_chunk
from ssift.python.columns import Rows
from ssift.python.event_stream import EventReader
from ssift.python.events import BLANK_LINE, EVENT_LINE, LINES, Event, Problem, Reader, Series, Stretch
from ssift.python.failures import Failure, failure_of, is_failure
from ssift.python.flat import FLAT, FlatRows
from ssift.python.grouping import GROUPINGS
from ssift.python.json_framings import BodyReader, LineReader
from ssift.python.json_text import DONE, NotJson, clean_utf8, loads, too_deep
from ssift.python.lines import BLANKS
from ssift.python.plain import PlainReader
from ssift.python.responses import Response, Row
from ssift.python.values import WrongType

READERS: dict[str, Callable[[Limits, int], Reader]] = {"sse": EventReader, "jsonl": LineReader, "json": BodyReader}
KIND = {kind: code for code, kind in enumerate(PROBLEM_KINDS)}
WINDOW = 1 << 18
"""Bytes read at a time, so that the lines of a large piece never exist all at once."""


class PythonEngine:
    """:class:`ssift.contract.Engine` in plain Python."""

    name = "python"

    def __init__(self, tables: frozenset[str], group: str, event_bytes: int, depth: int, open_responses: int) -> None:
        self._limits = Limits(event_bytes, depth, open_responses)
        self._depth = depth
        self._group = group
        self._tables = tables
        self._with_texts = "choices" in tables
        self._with_calls = "tool_calls" in tables
        self._chunk_reader = ChunkReader(tables)
        self._rows = {table: Rows(table) for table in _kept(tables)}
        self._ended: dict[str, list[Row]] = {"responses": [], "choices": [], "tool_calls": [], "problems": []}
        self._flat = FlatRows(self._rows)
        self._plain = PlainReader(self._chunk_reader, self._flat, depth)
        self._taken = dict.fromkeys(FLAT, 0)
        self._next_response = 0
        self.problem_count = 0

    # ------------------------------------------------------------------------------------------------ the protocol

    def begin(self, source: int, framing: str, offset: int = 0) -> None:
        self._source = source
        self._reader = READERS[framing](self._limits, offset)
        self._account = self._reader.account
        self._grouping = GROUPINGS[self._group](self._limits.open_responses, self._open, self._end)
        self._place: Place = (0, 0, 0)
        self._arrivals = Arrivals()
        self._arrival: int | None = None  # of the event at hand
        self._requested: int | None = None
        self._size = offset
        self._skipped = self._dones = self._errors = 0
        self._chunks_before, self._problems_before = self._flat.chunks, self.problem_count
        self._is_stream = False  # a chunk, error, `[DONE]` or problem other than a line that is no field was seen
        self._held: list[Row] = []

    def resume(self, source: int, framing: str, offset: int) -> None:
        self.begin(source, framing, offset)
        self._account.bytes_of["blank"] = 0
        self._is_stream = True

    def feed(self, piece: Any) -> None:
        view = memoryview(piece).cast("B")
        self._size += len(view)
        for start in range(0, len(view), WINDOW):
            self._read(self._reader.feed(bytes(view[start : start + WINDOW])))

    def arrived(self, ns: int | None, offset: int = -1) -> None:
        if offset < 0:
            offset = self._size
        elif offset < self._size:
            raise ValueError(f"bytes from {offset} on were fed already")
        self._arrivals.mark(offset, ns, self._reader.unread)

    def requested(self, ns: int | None) -> None:
        self._requested = ns

    def records(
        self, source: int, text: Any, start: int, end: int, shape: RecordShape, lines: bool
    ) -> tuple[int, list[SourceCounts], int]:
        return start, [], 0

    def problem(self, kind: int, offset: int, length: int, line: int, message: int) -> None:
        self._add_problem(Problem(PROBLEM_KINDS[kind], offset, length, line, message))

    def end(self) -> SourceCounts:
        self._read(self._reader.end())
        self._grouping.end()
        sizes = self._account.bytes_of
        if not self._is_stream and self._size > sizes["blank"]:
            self._held = []
            self._write_problem((self._source, 0, self._size, 1, KIND["not_sse"], M_SOURCE, None))
        return self.counts

    @property
    def counts(self) -> SourceCounts:
        return SourceCounts(
            **{f"{name}_bytes": self._account.bytes_of[name] for name in LINE_CLASSES},
            events=self._account.events,
            chunks=self._flat.chunks - self._chunks_before,
            skipped=self._skipped,
            comments=self._account.comments,
            done=self._dones,
            errors=self._errors,
            problems=self.problem_count - self._problems_before,
        )

    @property
    def line(self) -> int:
        return self._reader.line

    def take(self) -> Batch:
        for table, rows in self._ended.items():
            if table in self._rows:
                self._rows[table].extend(sorted(rows, key=_ORDER[table]))
            rows.clear()
        first = self._taken
        so_far = (self._flat.chunks, self._flat.tokens, self._flat.alternatives)
        self._taken = dict(zip(FLAT, so_far, strict=True))
        totals = {table: self._taken[table] - first[table] for table in FLAT}
        return Batch({table: rows.take() for table, rows in self._rows.items()}, first, totals)

    # ------------------------------------------------------------------------------------------------------ events

    def _read(self, found: Iterable[Stretch]) -> None:
        for item in found:
            if isinstance(item, Series):
                self._read_series(item)
            elif isinstance(item, Problem):
                self._add_problem(item)
            else:
                self._read_event(item)

    def _read_event(self, event: Event) -> None:
        self._place = (event.offset, event.length, event.line)
        if self._arrivals:
            self._arrival = self._arrivals.at(event.offset + event.length - 1)
        self._account.bytes_of[self._event(event)] += event.size

    def _read_series(self, series: Series) -> None:
        """Where an event went on with the response of the one before it, others are likely to do so the plain way."""
        texts, offset, line = series
        at = 0
        while at < len(texts):
            latest = self._grouping.latest
            size = len(texts[at]) + EVENT_LINE
            self._read_event(Event(texts[at], offset, size, line, size, False, 1))
            at += 1
            offset += size + BLANK_LINE
            line += LINES
            if latest is not None and latest is self._grouping.latest:
                count, size = self._plain.read(texts, at, offset, line, self._grouping, self._arrivals)
                at += count
                offset += size + count * BLANK_LINE
                line += LINES * count
                self._account.bytes_of["chunk"] += size

    def _event(self, event: Event) -> str:
        """Read an event; the class of its lines."""
        if event.error:
            return self._named_error(event.data)
        data = event.data
        kind = None if data.startswith(b"{") else _kind_of_text(data, event.data_lines)
        if kind is None and len(data) > self._depth and too_deep(data, self._depth):
            return self._fail("too_long", M_DEPTH)
        if not data.isascii():
            data = self._clean(data)
        if kind == "done":
            return self._done()
        if kind == "skipped":
            return self._skip()
        try:
            value = loads(data)
        except NotJson:
            return self._fail("json", M_JSON)
        if type(value) is not dict:
            return self._skip()
        if is_failure(value):
            return self._error(value, data)
        return self._chunk(value, data, None) if is_chunk(value) else self._skip()

    def _skip(self) -> str:
        self._skipped += 1
        return "skipped"

    def _clean(self, data: bytes) -> bytes:
        """Valid UTF-8; what was not is a problem, and the event is read."""
        clean = clean_utf8(data)
        if clean is not data:
            self._fail("encoding", M_UTF8)
        return clean

    def _done(self) -> str:
        self._now_certain()
        self._dones += 1
        response = self._grouping.done()
        if response is not None:
            response.touch(self._place, self._arrival)
            self._grouping.after_done(response)
        return "done"

    def _chunk(self, value: dict[str, Any], data: bytes, failure: Failure | None) -> str:
        try:
            chunk = self._chunk_reader.read(value, data)
        except WrongType as wrong:
            return self._fail("type", wrong.message)
        self._now_certain()
        chunk.has_error = failure is not None
        response = self._grouping.place(chunk)
        response.touch(self._place, self._arrival)
        response.add(chunk, self._place, self._with_texts)
        offset, length, _ = self._place
        self._flat.write(chunk, response, offset, length, self._arrival)
        if failure is not None:
            self._errors += 1
            response.add_error(failure)
        return "chunk"

    def _named_error(self, data: bytes) -> str:
        """The data of an error by name may be anything."""
        data = self._clean(data)
        try:
            value = None if too_deep(data, self._depth) else loads(data)
        except NotJson:
            value = None
        return self._error(value, data)

    def _error(self, value: Any, data: bytes) -> str:
        failure = failure_of(value, data.decode())
        if type(value) is not dict:
            value = {}
        elif type(value.get("choices")) is list and value["choices"]:
            return self._chunk(value, data, failure)
        self._now_certain()
        self._errors += 1
        told = self._chunk_reader.read_error(value, data)
        response = self._grouping.place_error(told)
        response.touch(self._place, self._arrival)
        response.add_error(failure)
        response.add_names(told)
        return "error"

    # -------------------------------------------------------------------------------------------------------- rows

    def _open(self) -> Response:
        response = Response(self._next_response, self._source, self._place[0], self._requested)
        self._next_response += 1
        return response

    def _end(self, response: Response) -> None:
        if "responses" in self._rows:
            self._ended["responses"].append(response.row())
        if self._with_texts:
            self._ended["choices"] += response.choice_rows()
        if self._with_calls:
            self._ended["tool_calls"] += response.call_rows()
            for offset, length, line in response.nameless():
                row = (self._source, offset, length, line, KIND["type"], M_NAMELESS, response.number)
                self._write_problem(row)

    # ---------------------------------------------------------------------------------------------------- problems

    def _fail(self, kind: str, message: int) -> str:
        """A problem of the event at hand."""
        self._add_problem(Problem(kind, *self._place, message))
        return "problem"

    def _add_problem(self, problem: Problem) -> None:
        latest = self._grouping.latest
        kind, offset, length, line, message = problem
        response = None if latest is None else latest.number
        row = (self._source, offset, length, line, KIND[kind], message, response)
        if kind != "not_sse" and message != M_CUT_LINE:
            self._now_certain()
        if self._is_stream:
            self._write_problem(row)
        else:
            self._held.append(row)
            if len(self._held) >= HELD_PROBLEMS:
                self._now_certain()

    def _now_certain(self) -> None:
        """The source is a stream, if a bad one."""
        if self._is_stream:
            return
        self._is_stream = True
        for row in self._held:
            self._write_problem(row)
        self._held.clear()

    def _write_problem(self, row: Row) -> None:
        self._ended["problems"].append(row)
        self.problem_count += 1


_ORDER: dict[str, Any] = {
    "responses": itemgetter(0),
    "choices": itemgetter(0),
    "tool_calls": itemgetter(0),
    "problems": itemgetter(0, 1),
}


def _kept(tables: frozenset[str]) -> list[str]:
    """Raw tables that the wanted public ones are made of."""
    kept = {*tables, "problems"}
    if "top_logprobs" in kept:
        kept.add("tokens")
    if "tokens" in kept:
        kept.add("chunks")
    return [table for table in TABLES if table in kept]


def _kind_of_text(data: bytes, data_lines: int) -> str | None:
    """The class of data that is known without a look at its JSON."""
    text = data.lstrip(BLANKS)
    if not text or text.startswith(b":"):
        return "skipped"
    return "done" if text.startswith(DONE) and data_lines == 1 else None

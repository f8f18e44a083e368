"""Logs of records: JSON objects, one a line or all in one list, that hold chunks or whole bodies.

Chunks are objects, or strings that hold one; a body is rebuilt from them as an event stream, ``data: <chunk>`` and a
blank line each, and offsets count in that. Records are read one at a time: memory is bounded by the largest.

The engine may take a body out of a record by itself, at its own speed; :func:`rebuild` says what has to come out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ssift.contract import M_NO_TIME, M_RECORD, Path, RecordShape
from ssift.sources.containers.body import (
    Body,
    Fault,
    Item,
    Left,
    Mark,
    Piece,
    Pieces,
    Run,
    Text,
    begins_line,
    body_of,
    in_comment,
)
from ssift.sources.containers.spans import EACH, Finder, Span, first, parse, string, value
from ssift.sources.containers.splitting import single, texts
from ssift.sources.containers.texts import utf8
from ssift.sources.containers.times import SECOND, nanoseconds

_LINE_END = re.compile(r"\r\n|\r|\n")
_DATA = re.compile(r'[ \t\r\n]*[{["]')
PATHS = 5  # of a shape
_FIRST_RECORDS = 1000  # that are looked at for a time
_UNITS = {"_ns": 1, "_us": 10**3, "_ms": 10**6, "_s": SECOND}


@dataclass(frozen=True)
class Records:
    """How a log of records is read: ``ssift.read("log.jsonl", format=ssift.Records("events[].chunk"))``.

    Paths are keys joined by dots, ``[]`` for each element of a list.

    Attributes:
        chunks: where the chunks are: objects, strings that hold one, or text of an event stream. With ``[]`` in the
            path each record is a body of its own (``answer[]`` is ``answer`` itself where that is no list); without,
            the records of a log are one body, piece by piece.
        times: where their arrivals are: numbers, or ISO 8601 text. A chunk has the time with which it shares most
            places, so that ``a[].time`` holds for all of ``a[].chunks[].text``, and ``times[]`` goes with ``chunks[]``.
        id: where the name of a body is; without ``[]`` in ``chunks``, a new name begins a new body.
        request: where it says when the answer was asked for, in the form, with the unit and by the clock of ``times``.
        unit: nanoseconds of a number in ``times`` and ``request``; None tells it by the name (``_ns``, ``_us``,
            ``_ms``, ``_s``) and else by the size.

    Raises:
        ValueError: something is no path, or the names of ``times`` and ``request`` tell different units.
    """

    chunks: str
    times: str = ""
    id: str = ""
    unit: int | None = None
    request: str = ""

    def __post_init__(self) -> None:
        if not self.chunks:
            raise ValueError("the path to the chunks is missing")
        for path in (self.chunks, self.times, self.id, self.request):
            if path:
                parse(path)
        if (
            self.unit is None
            and self.times
            and self.request
            and _unit_by_name(self.times) != _unit_by_name(self.request)
        ):
            raise ValueError(f"{self.times} and {self.request} have different units by their names")


class RecordFormat:
    """Where records of one kind of log keep what; the first of ``shapes`` that finds something counts.

    ``timed``: that there are no times is a problem. The first records are looked at for that.
    """

    def __init__(self, shapes: Sequence[RecordShape], id: Path = (), joined: bool = False, timed: bool = False) -> None:
        self._shapes = shapes
        self._joined = joined
        self._paths: list[Path] = [path for shape in shapes for path in shape.paths]
        self._paths += [("error",)]
        self._used = [number for number, path in enumerate(self._paths) if path]
        of_chunks = range(0, len(self._paths) - 1, PATHS)
        chunks = [place for place, number in enumerate(self._used) if number in of_chunks]
        self._finder = Finder([self._paths[number] for number in self._used], loose=chunks)
        self._id = id
        self._wants_time = timed  # and has seen none yet
        self._untimed = 0  # bodies without a time until then

    def read(self, pieces: Pieces) -> Iterator[Item]:
        """The bodies of a log, in runs."""
        number = 1
        for found in texts(pieces):
            if isinstance(found, Fault):
                yield found
                number += 1
                continue
            text, complete = found.text, found.complete
            if complete is None and self._id:
                for one in single(text):
                    yield self._run(one, None, number, self._name(one) or str(number))
                    number += 1
                continue
            label = "1" if self._joined else ""
            if self._id:
                label = self._name(text) or str(number)
            run = self._run(text, complete, number, label)
            yield run
            number = run.number
            found.stop, found.lines = run.stop, run.lines
        if self._wants_time and self._untimed:
            yield Fault(M_NO_TIME)

    def _run(self, text: Text, complete: Callable[[], Text | None] | None, number: int, label: str) -> Run:
        return Run(text, complete, number, self._shapes[0], self._body, self._joined, label, self._looks_for_time)

    def _looks_for_time(self) -> bool:
        return self._wants_time and self._untimed < _FIRST_RECORDS

    def _name(self, text: Text) -> str:
        try:
            found = first(_decoded(text), self._id)
        except ValueError:
            return ""
        return str(found) if isinstance(found, (str, int)) and not isinstance(found, bool) else ""

    def _body(self, record: Text, label: str, in_line: bool) -> Body | Fault | Left:
        text = _decoded(record)
        try:
            spans, end = self._finder.find(text)
            if text[end:].strip(" \t\r\n"):
                raise ValueError("more than one value")
        except ValueError:
            return Fault(M_RECORD, record.offset, record.end - record.start, record.line)
        by_path: dict[int, list[Span]] = {number: [] for number in range(len(self._paths))}
        for span in spans:
            by_path[self._used[span.path]].append(span)
        whole = b""  # a text whose chunks are not where this shape looks for them
        for number, shape in enumerate(self._shapes):
            chunks, times, names, texts, requests = (by_path[PATHS * number + which] for which in range(PATHS))
            requested = next((nanoseconds(_plain(text, span), shape.unit) for span in requests), None)
            piece = rebuild(text, shape, chunks, times, names, texts, in_line)
            if piece.data and (chunks or not shape.text):
                self._wants_time = self._wants_time and all(ns is None for _, ns in piece.marks)
                self._untimed += self._wants_time
                return body_of(label, piece.data, piece.marks, requested)
            whole = whole or piece.data
        if whole:
            return body_of(label, whole, (), requested)
        for span in by_path[len(self._paths) - 1]:
            if text[span.start] in '{"':
                return body_of(label, b'data: {"error": %b}\n\n' % utf8(_flat(text[span.start : span.end])))
        return Left()


def _decoded(text: Text) -> str:
    return text.window[text.start : text.end].decode("utf-8", "surrogateescape")


def record_format(records: Records) -> RecordFormat:
    """The format that ``records`` describes."""
    chunks = parse(records.chunks)
    times = parse(records.times) if records.times else ()
    request = parse(records.request) if records.request else ()
    unit = _unit_by_name(records.times or records.request) if records.unit is None else records.unit
    shape = RecordShape(chunks, times, request=request, unit=unit)
    return RecordFormat([shape], parse(records.id) if records.id else (), EACH not in chunks, bool(times))


def _unit_by_name(path: str) -> int:
    """Nanoseconds of a number there, 0 where the name does not tell."""
    return next((unit for ending, unit in _UNITS.items() if path.rstrip("[]").endswith(ending)), 0)


# ------------------------------------------------------------------------------------------------------ a body


def rebuild(
    text: str,
    shape: RecordShape,
    chunks: Sequence[Span],
    times: Sequence[Span],
    names: Sequence[Span],
    texts: Sequence[Span],
    in_line: bool = False,
) -> Piece:
    """The body in a record, whose text is ``text``, as an event stream; empty when there is none.

    ``in_line``: it goes on with one that stopped inside a line.
    """
    when = {span.places: nanoseconds(_plain(text, span), shape.unit) for span in times}
    for span in texts:
        found = _string(text, span)
        if found is not None and not _DATA.match(found):
            return Piece(utf8(found), marks_in(found, [(_string(text, chunk), _time(when, chunk)) for chunk in chunks]))
        if found is not None or text[span.start] == "{":
            return Piece(message_lines("data", found or _flat(text[span.start : span.end])) + b"\n")
    field = {span.places: _plain(text, span) for span in names}
    out = bytearray()
    marks: list[Mark] = []
    for _, group in groupby(chunks, key=lambda span: span.places[:-1] if shape.names else span):
        start = len(out)
        for span in group:
            ns = _time(when, span)
            if shape.times and (not marks or marks[-1][1] != ns):
                marks.append((len(out), ns))
            name = field.get(span.places, "data")
            _append(out, text, span, name if isinstance(name, str) else "data", bool(shape.names), in_line)
        if shape.names and len(out) > start:
            out += b"\n"
    return Piece(bytes(out), marks)


def _append(out: bytearray, text: str, span: Span, name: str, named: bool, in_line: bool) -> None:
    """One chunk, or piece of text, to a body; ``in_line``: what stood before the body stopped inside a line."""
    found = _string(text, span)
    if found is None:
        if text[span.start] != "{":
            return
        found = _flat(text[span.start : span.end])
        if out and out[-1] not in b"\r\n":
            out += b"\n"  # an object begins a line for certain
        in_line = False
    in_line = out[-1] not in b"\r\n" if out else in_line
    if in_line and out and _DATA.match(found) and in_comment(out):  # which was recorded without its line end
        out += b"\n"
        in_line = False
    if named:
        out += message_lines("" if name == "comment" else name, found)
    elif _DATA.match(found) and not in_line:  # what goes on inside a line is text
        out += message_lines("data", found) + b"\n"
    else:
        data = utf8(found)
        if in_line and out and begins_line(data):
            out += b"\n"  # lines were recorded without their ends
        out += data


def marks_in(body: str, chunks: Sequence[tuple[str | None, int | None]]) -> list[Mark]:
    """Where in a body the chunks stand whose times are known; what stands between has none."""
    marks: list[Mark] = []
    at = size = 0
    for chunk, ns in chunks:
        found = -1 if chunk is None else body.find(f"data: {chunk}\n", at)
        if found < 0 or chunk is None:
            continue
        if marks and found > at:
            marks.append((size, None))
        size += len(utf8(body[at:found]))
        marks.append((size, ns))
        end = found + len(chunk) + 7
        size += len(utf8(body[found:end]))
        at = end
        if body.startswith("\n", at):
            at += 1
            size += 1
    if marks:
        marks.append((size, None))
    return marks


def _time(when: dict[tuple[int, ...], int | None], chunk: Span) -> int | None:
    """The time that shares most places with a chunk."""
    for shared in range(len(chunk.places), -1, -1):
        if chunk.places[:shared] in when:
            return when[chunk.places[:shared]]
    return None


def _string(text: str, span: Span) -> str | None:
    """The string of a span, None when it is something else."""
    return string(text, span.start + 1)[0] if text[span.start] == '"' else None


def _plain(text: str, span: Span) -> object:
    try:
        return value(text, span)
    except ValueError:  # a number of more digits than Python reads
        return None


def message_lines(field: str, data: str) -> bytes:
    """Data as lines of a field."""
    name = utf8(_LINE_END.sub(" ", field))
    return b"".join(b"%b: %b\n" % (name, utf8(line)) for line in _LINE_END.split(data))


def _flat(text: str) -> str:
    """An object on one line: outside of strings, which hold none, line ends are blanks."""
    return text.replace("\n", " ").replace("\r", " ")

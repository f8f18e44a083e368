"""``ssift check``: every problem of the logs, with its place and an excerpt; exit status 1 when there are any."""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ssift.cli.arguments import command, reading
from ssift.cli.status import FOUND
from ssift.cli.terminal import Terminal
from ssift.printable import json_text, printable
from ssift.progress import Bar, size

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands
    from ssift.cli.excerpts import Excerpts
    from ssift.log import Log

_SHOWN = 120  # characters of an excerpt
_AROUND = 60  # of these before the place where a parser stopped
_PARSED = 1 << 20  # bytes of an event that are read again to ask the parser where it stopped
_LINE_END = re.compile(rb"\r\n|\r|\n")


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "check",
        "every problem with its place and an excerpt",
        "Reads everything and prints each problem with source, line, kind, message, offset and an excerpt. "
        "Exit status 1 when there are any. Standard input is copied into a temporary file while it is read.",
        run,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Read, and print problems as they come."""
    from ssift.cli.excerpts import CopiedSource, Excerpts
    from ssift.reading import scan
    from ssift.sources import find

    sources = [source if source.repeatable else CopiedSource(source) for source in find(arguments.paths)]
    bar = None if arguments.no_progress else Bar()
    output = (_Json if arguments.json else _Lines)(Terminal(progress=bar))
    options = reading(arguments)
    with Excerpts(sources, options["format"]) as excerpts:
        for log in scan(sources, progress=bar or False, **options):
            output.count(log)
            for row in log.problems.rows():
                arguments.status = FOUND  # stands even when the reader of the output leaves now
                output.problem(explain(row, excerpts))
    output.end()
    return int(arguments.status)


class Problem(NamedTuple):
    """A row of ``log.problems``, and what its bytes say."""

    row: dict[str, Any]
    excerpt: str  # safe to print
    fault: str | None  # what Python's JSON parser stopped at
    caret: int | None  # and where, in the excerpt


def explain(row: dict[str, Any], excerpts: Excerpts) -> Problem:
    """Look at the bytes of a problem; ask Python what it stops at in data that is no JSON or no UTF-8."""
    data = excerpts.at(row["source"], row["offset"], min(row["length"], _PARSED))
    found = None
    if row["kind"] in ("json", "truncated") and len(data) == row["length"]:
        found = _not_json(_payload(data).decode("utf-8", "replace"))
    elif row["kind"] == "encoding":
        found = _not_utf8(_payload(data), cut=len(data) < row["length"])
    if found is not None:
        text, position, fault = found
        excerpt, caret = _window(text, position)
        return Problem(row, excerpt, fault, caret)
    return Problem(row, _window(data[: 8 * _SHOWN].decode("utf-8", "replace").rstrip("\r\n"), 0)[0], None, None)


def _not_json(text: str) -> tuple[str, int, str] | None:
    """``text``, where in it the parser stopped, and why."""
    try:
        json.loads(text, parse_int=float)
    except json.JSONDecodeError as error:
        return text, error.pos, f"{error.msg.removesuffix(' at')} at character {error.pos + 1} of the data"
    except RecursionError:
        pass
    return None


def _not_utf8(data: bytes, cut: bool) -> tuple[str, int, str] | None:
    """The text around the first bad byte, where in it that is, and why; the end of what was ``cut`` says nothing."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if cut and error.end == len(data):
            return None
        before = data[max(error.start - 8 * _SHOWN, 0) : error.start].decode("utf-8", "ignore")
        after = data[error.start : error.start + 8 * _SHOWN].decode("utf-8", "replace")
        fault = f"{error.reason} (0x{data[error.start]:02x}) at byte {error.start + 1} of the data"
        return before + after, len(before), fault
    return None


def _payload(data: bytes) -> bytes:
    """The joined data of an event, or the line of JSON lines."""
    fields = [line[5:].removeprefix(b" ") for line in _LINE_END.split(data) if line.startswith(b"data:")]
    return b"\n".join(fields) if fields else data.rstrip(b"\r\n")


def _window(text: str, position: int) -> tuple[str, int]:
    """The part of ``text`` around ``position``, safe to print, and where the position is in it."""
    start = max(position - _AROUND, 0)
    before = ("…" if start else "") + printable(text[start:position])
    after = printable(text[position : start + _SHOWN]) + ("…" if len(text) > start + _SHOWN else "")
    return before + after, len(before)


class _Lines:
    """Problems for people, in the form compilers use: ``source:line: kind: message``."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._kinds: Counter[str] = Counter()
        self._sources = self._bytes = self._events = 0

    def count(self, log: Log) -> None:
        self._sources += sum(source.framing != "container" for source in log.sources)
        self._bytes += sum(source.bytes for source in log.sources)
        self._events += sum(source.counts.events for source in log.sources)

    def problem(self, problem: Problem) -> None:
        row, terminal = problem.row, self._terminal
        self._kinds[row["kind"]] += 1
        place = f"{printable(row['source']) or '(bytes)'}:{row['line']}"
        kind = terminal.style(row["kind"], "red", "bold")
        terminal.line(f"{terminal.style(place, 'bold')}: {kind}: {row['message']}")
        where = f"offset {row['offset']:,}, {row['length']:,} bytes"
        if row["response"] is not None:
            where += f", response {row['response']:,}"
        terminal.line(terminal.style(f"    {where}", "dim"))
        if problem.excerpt:
            terminal.line(f"    {problem.excerpt}")
        if problem.fault is not None and problem.caret is not None:
            terminal.line(f"    {' ' * problem.caret}{terminal.style('^ ' + problem.fault, 'yellow')}")

    def end(self) -> None:
        total = sum(self._kinds.values())
        sources = f"{self._sources:,} {'source' if self._sources == 1 else 'sources'}"
        if total:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in self._kinds.most_common())
            found = self._terminal.style(f"{total:,} {'problem' if total == 1 else 'problems'}", "red", "bold")
            self._terminal.line(f"{found} in {sources}: {kinds}")
        else:
            found = self._terminal.style("no problems", "green", "bold")
            self._terminal.line(f"{found} in {sources}, {size(self._bytes)}, {self._events:,} events")


class _Json(_Lines):
    """One JSON object, written as it grows."""

    def problem(self, problem: Problem) -> None:
        self._terminal.write(",\n " if self._kinds else '{"problems": [\n ')
        self._kinds[problem.row["kind"]] += 1
        shown = {**problem.row, "excerpt": problem.excerpt, "fault": problem.fault}
        self._terminal.write(json_text(shown))

    def end(self) -> None:
        rest = {
            "count": sum(self._kinds.values()),
            "kinds": dict(self._kinds),
            "sources": self._sources,
            "bytes": self._bytes,
            "events": self._events,
        }
        self._terminal.write("\n], " if self._kinds else '{"problems": [], ')
        self._terminal.line(json_text(rest)[1:])

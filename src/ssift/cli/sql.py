"""``ssift sql``: the tables of a log in SQL, by DuckDB; without a query line by line."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from ssift.cli import results
from ssift.cli.arguments import command, reading
from ssift.cli.status import OK, UNREADABLE
from ssift.cli.terminal import Terminal
from ssift.errors import NotFoundError, SsiftError
from ssift.extras import need
from ssift.printable import printable
from ssift.progress import Bar

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands

_FORMATS = ("table", "csv", "json", "jsonl", "parquet", "ipc")
_COMMENT = r"--[^\n]*(\n|$)|/\*.*?\*/"
_QUERY = re.compile(
    rf"(\s|{_COMMENT})*(\(|(with|select|from|describe|desc|show|summarize|explain|pivot|unpivot|values|table)([\s(]|--|/\*))",
    re.IGNORECASE | re.DOTALL,
)


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "sql",
        "tables in SQL, by DuckDB",
        "Runs QUERY over the tables responses, choices, chunks, tokens, top_logprobs, tool_calls and problems of all "
        "PATHs. Only tables that the query names are read, in batches. Without a query, statements are read line by "
        "line. Queries reach these tables alone: no other files, no network.",
        run,
    )
    parser.usage = "ssift sql [options] [QUERY] PATH [PATH ...]"
    parser.add_argument("-o", "--output", metavar="FILE", help="write the result (.parquet, .arrow, .csv, .jsonl)")
    parser.add_argument("--to", choices=_FORMATS, help="the format; default: by the ending of FILE, else a table")
    parser.add_argument(
        "--formulas", action="store_true", help="into CSV: leave cells that a spreadsheet would run as a formula"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object with columns and rows, nothing else")


def run(arguments: argparse.Namespace) -> int:
    """One query, or a conversation."""
    from ssift.cli.output import Output
    from ssift.sources import find
    from ssift.sql import connect, connect_once

    query, paths = _split(arguments.paths)
    try:
        sources = find(paths)
    except NotFoundError as error:
        if query is None and " " in paths[0]:
            raise SsiftError(f"{error} (and no query: those begin with select, from, with, ...)") from error
        raise
    bar = None if arguments.no_progress else Bar()
    options = {"progress": bar or False, **reading(arguments)}
    again = all(source.repeatable for source in sources)
    duckdb = need("duckdb", "sql")
    if query is None:
        _check_conversation(arguments, again)
        from ssift.cli.repl import Repl

        return Repl(connect(sources, **options), duckdb.Error, Terminal(progress=bar)).run()
    to = _format(arguments)
    output = None if arguments.output is None else Output(arguments.output, paths, sources)
    try:
        connection = connect(sources, **options) if again else connect_once(sources, query, **options)
        if output is None:
            _show(results.execute(connection, query), to, Terminal(progress=bar), arguments)
        else:
            with output.open() as file:
                _write(connection, query, to, file, arguments)
    except duckdb.Error as error:
        message = printable(str(error), keep="\n")  # it shows the place in the query, on a line of its own
        print(f"ssift: {message}", file=sys.stderr)
        return UNREADABLE
    return OK


def _check_conversation(arguments: argparse.Namespace, again: bool) -> None:
    if arguments.output or arguments.json or arguments.to:
        raise SsiftError("--output, --to and --json are for a query: ssift sql QUERY PATH")
    if not again:
        raise SsiftError("standard input can be read once: give the query on the command line")


def _format(arguments: argparse.Namespace) -> str:
    from ssift.exporting import format_of

    if arguments.json:
        return "json"
    if arguments.to:
        to: str = arguments.to
        if to == "table" and arguments.output:
            raise SsiftError("--to table is for people; into a file goes csv, json, jsonl, parquet or ipc")
        if to in ("parquet", "ipc") and not arguments.output:
            raise SsiftError(f"--to {to} needs -o FILE")
        return to
    if not arguments.output:
        return "table"
    by_ending = "json" if arguments.output.endswith(".json") else format_of(arguments.output)
    if by_ending is None:
        raise SsiftError(f"{arguments.output}: say the format with --to")
    return by_ending


def _show(result: Any, to: str, terminal: Terminal, arguments: argparse.Namespace) -> None:
    if to == "table":
        results.table(result, terminal)
    else:
        results.text(result, to, sys.stdout, arguments.formulas)


def _write(connection: Any, query: str, to: str, file: BinaryIO, arguments: argparse.Namespace) -> None:
    if to in ("parquet", "ipc"):
        rows = need("pyarrow", "arrow").RecordBatchReader.from_stream(connection.sql(query))
        results.arrow(rows, to, file)
    else:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        results.text(results.execute(connection, query), to, text, arguments.formulas)
        text.detach()


def _split(given: list[str]) -> tuple[str | None, list[str]]:
    """The query, if the first argument is one, and the paths."""
    first, rest = given[0], given[1:]
    if os.path.exists(first) or not _QUERY.match(first + " "):
        return None, given
    if not rest:
        raise SsiftError("a query, but no path: ssift sql QUERY PATH")
    return first, rest

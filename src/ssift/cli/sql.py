"""``ssift sql``: the tables of a log in SQL, by DuckDB; without a query line by line."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from typing import TYPE_CHECKING, Any

from ssift.cli import results
from ssift.cli.arguments import command, reading
from ssift.cli.terminal import Terminal
from ssift.destination import whole_file
from ssift.errors import SsiftError
from ssift.extras import need

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands

_FORMATS = ("table", "csv", "json", "jsonl", "parquet", "ipc")
_QUERY = re.compile(
    r"\s*(\(|(with|select|from|describe|desc|show|summarize|explain|pivot|unpivot|values|table)[\s(])", re.IGNORECASE
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
    query, paths = _split(arguments.paths)
    options = reading(arguments)
    duckdb = need("duckdb", "sql")
    from ssift.sql import connect, connect_once

    if query is None:
        if arguments.output or arguments.json or arguments.to:
            raise SsiftError("--output, --to and --json are for a query: ssift sql QUERY PATH")
        if "-" in paths:
            raise SsiftError("standard input can be read once: give the query on the command line")
        from ssift.cli.repl import Repl

        return Repl(connect(paths, **options), duckdb.Error).run()
    to = _format(arguments)
    try:
        connection = connect_once(paths, query, **options) if "-" in paths else connect(paths, **options)
        _answer(connection, query, to, arguments)
    except duckdb.Error as error:
        raise SsiftError(str(error)) from error
    return 0


def _format(arguments: argparse.Namespace) -> str:
    if arguments.json:
        return "json"
    if arguments.to or not arguments.output:
        return arguments.to or "table"
    from ssift.exporting import format_of

    return format_of(arguments.output) or ("json" if arguments.output.endswith(".json") else "csv")


def _answer(connection: Any, query: str, to: str, arguments: argparse.Namespace) -> None:
    """Run the query, and write what it gives."""
    if to in ("parquet", "ipc"):
        if not arguments.output:
            raise SsiftError(f"--to {to} needs a file: -o FILE")
        rows = need("pyarrow", "arrow").RecordBatchReader.from_stream(connection.sql(query))
        with whole_file(arguments.output) as file:
            results.arrow(rows, to, file)
        return
    result = connection.execute(query)
    if arguments.output:
        with whole_file(arguments.output) as file:
            text = io.TextIOWrapper(file, "utf-8", newline="\n")
            results.text(result, to, text, arguments.formulas)
            text.detach()
    elif to == "table":
        results.table(result, Terminal())
    else:
        results.text(result, to, sys.stdout, arguments.formulas)


def _split(given: list[str]) -> tuple[str | None, list[str]]:
    """The query, if the first argument is one, and the paths."""
    first, rest = given[0], given[1:]
    if os.path.exists(first) or not _QUERY.match(first + " "):
        return None, given
    if not rest:
        raise SsiftError("a query, but no path: ssift sql QUERY PATH")
    return first, rest

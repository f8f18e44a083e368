"""``ssift export``: tables as Parquet, Arrow, CSV or JSON lines."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from ssift.cli import clustered
from ssift.cli.arguments import command, reading
from ssift.cli.status import OK
from ssift.cli.terminal import Terminal
from ssift.errors import SsiftError
from ssift.printable import printable
from ssift.progress import Bar

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands
    from ssift.exporting import Exported

_FORMATS = ("parquet", "ipc", "csv", "jsonl")


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "export",
        "tables as Parquet, Arrow, CSV or JSON lines",
        "Writes tables for other programs, in bounded memory. OUT is a file (.parquet, .arrow, .csv, .jsonl), which "
        "gets one table, or a folder, which gets a file for each. It appears when all is written, or not at all.",
        run,
    )
    writing = parser.add_argument_group("writing")
    writing.add_argument("-o", "--output", required=True, metavar="OUT", help="a file by its ending, a folder, or -")
    writing.add_argument("--to", choices=_FORMATS, help="the format; default: by the ending, parquet in a folder")
    writing.add_argument(
        "--table",
        action="append",
        metavar="NAME",
        help="a table, again for more; default: tokens into a file, all into a folder",
    )
    writing.add_argument(
        "--column", action="append", metavar="TABLE.NAME", help="a column, again for more; default: all of the tables"
    )
    writing.add_argument(
        "--where",
        action="append",
        metavar="FIELD=VALUE",
        help="only responses with this model, status or finish_reason; the same field again: or, another field: and",
    )
    writing.add_argument(
        "--partition-by", choices=("model", "status"), help="a folder with a folder for each value, as Hive names them"
    )
    writing.add_argument("--compression", choices=("zstd", "none"), help="default: zstd for parquet, none for ipc")
    writing.add_argument(
        "--formulas",
        action="store_true",
        help="into CSV: leave cells that a spreadsheet would run as a formula; default: an apostrophe before them",
    )
    writing.add_argument("--overwrite", action="store_true", help="replace a folder that an earlier export wrote")
    clustered.add_to(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object with what was written, nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Read and write."""
    from ssift.exporting import place_of

    bar = None if arguments.no_progress else Bar()
    try:
        kind, is_folder = place_of(arguments.output, arguments.to, arguments.partition_by)
        if arguments.ray is not None:
            return _on_ray(arguments, kind, is_folder)
        done = (_folder if is_folder else _file)(arguments, kind, bar)
    except ValueError as error:  # arguments that do not go together
        raise SsiftError(str(error)) from error
    if arguments.output != "-":
        _tell(done, Terminal(progress=bar), arguments)
    _tell_problems(done)
    return OK


def _on_ray(arguments: argparse.Namespace, kind: str, is_folder: bool) -> int:
    from ssift.ray import export

    if not is_folder or arguments.partition_by or kind not in ("parquet", "ipc"):
        raise SsiftError("--ray writes parts of Parquet or Arrow files: give a folder, and leave --partition-by out")
    _check_folder(arguments)
    done, status = clustered.run(
        arguments,
        export,
        arguments.paths,
        arguments.output,
        tables=arguments.table,
        to=kind,
        columns=arguments.column,
        where=_where(arguments.where),
        compression=arguments.compression,
        overwrite=arguments.overwrite,
    )
    _tell(done, Terminal(), arguments)
    _tell_problems(done)
    return status


def _tell_problems(done: Exported) -> None:
    if done.problems:
        places = "place" if done.problems == 1 else "places"
        print(f"ssift: {done.problems:,} {places} could not be read; ssift check shows them", file=sys.stderr)


def _file(arguments: argparse.Namespace, kind: str, bar: Bar | None) -> Exported:
    from ssift.cli.output import Output
    from ssift.sources import find

    output = Output(arguments.output, arguments.paths, find(arguments.paths))
    with output.open() as file:
        return _export(arguments, file, kind, bar)


def _folder(arguments: argparse.Namespace, kind: str, bar: Bar | None) -> Exported:
    _check_folder(arguments)
    return _export(arguments, arguments.output, kind, bar)


def _check_folder(arguments: argparse.Namespace) -> None:
    from ssift.sources.reach import reaches

    for path in arguments.paths:
        if reaches(path, os.path.join(arguments.output, "tokens")):
            raise SsiftError(f"cannot write {arguments.output}: {path} is read, and would hold it from then on")


def _export(arguments: argparse.Namespace, out: Any, kind: Any, bar: Bar | None) -> Exported:
    from ssift.exporting import export

    return export(
        arguments.paths,
        out,
        tables=arguments.table,
        to=kind,
        partition_by=arguments.partition_by,
        columns=arguments.column,
        where=_where(arguments.where),
        compression=arguments.compression,
        formulas=arguments.formulas,
        overwrite=arguments.overwrite,
        progress=bar or False,
        **reading(arguments),
    )


def _where(texts: list[str] | None) -> dict[str, list[str | None]] | None:
    """``["model=a", "model=b"]`` as ``{"model": ["a", "b"]}``; nothing after ``=`` is a field that was not sent."""
    from ssift.selection import FIELDS, unset

    where: dict[str, list[str | None]] = {}
    for text in texts or ():
        field, equals, value = text.partition("=")
        if not equals:
            raise SsiftError(f"--where {text}: write FIELD=VALUE")
        where.setdefault(field, []).append(value or (unset(field) if field in FIELDS else ""))
    return where or None


def _tell(done: Exported, terminal: Terminal, arguments: argparse.Namespace) -> None:
    if arguments.json:
        import orjson

        files = done.files or [arguments.output]
        facts: dict[str, Any] = {"rows": done.rows, "files": files, "problems": done.problems}
        terminal.line(orjson.dumps(facts).decode())
        return
    terminal.rows((table, f"{rows:,}", "") for table, rows in done.rows.items())
    terminal.line(f"{printable(arguments.output)} written")

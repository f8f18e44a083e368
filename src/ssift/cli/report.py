"""``ssift report``: one page of HTML with the figures in pictures; it needs no network and no other file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ssift.cli.arguments import command, reading
from ssift.cli.terminal import Terminal
from ssift.printable import printable
from ssift.progress import Bar

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands

_PROBLEMS = 200  # rows on the page; the count is always that of all


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "report",
        "one self-contained HTML page with charts",
        "Writes one HTML page with the figures of 'ssift stats' in tables and charts, and the first problems. The page "
        "needs no network, and replaces the file only when it is complete.",
        run,
    )
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="the page, for example report.html; - is standard output"
    )
    parser.add_argument(
        "--sentinels", choices=("exclude", "include"), default="exclude", help="as for ssift stats; default: exclude"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, then write the page."""
    from ssift.cli.output import Output
    from ssift.cli.page import page
    from ssift.reading import scan
    from ssift.sources import find
    from ssift.statistics import Summary
    from ssift.statistics.summary import TABLES

    sources = find(arguments.paths)
    output = Output(arguments.output, arguments.paths, sources)
    bar = None if arguments.no_progress else Bar()
    summary = Summary(arguments.sentinels)
    problems: list[dict[str, Any]] = []
    for log in scan(sources, tables=TABLES, progress=bar or False, **reading(arguments)):
        summary.add(log)
        if len(problems) < _PROBLEMS:
            problems += list(log.problems[: _PROBLEMS - len(problems)].rows())
    with output.open() as file:
        file.write(page(summary, problems, arguments.paths).encode())
    if not output.standard:
        Terminal(progress=bar).line(f"{printable(output.path)} written")
    return 0

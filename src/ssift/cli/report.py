"""``ssift report``: one page of HTML with the figures in pictures; it needs no network and no other file."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ssift.cli.arguments import command, reading
from ssift.cli.status import OK
from ssift.cli.terminal import Terminal
from ssift.printable import printable
from ssift.progress import Bar

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "report",
        "one self-contained HTML page with charts",
        "Writes one HTML page: the figures of 'ssift stats' in tables and charts, the first problems, and the answers "
        "the model was least sure of, token by token. The page needs no network, and replaces the file only when it is "
        "complete.",
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
    from ssift.reading import scan
    from ssift.report import TABLES, Gathering, page
    from ssift.sources import find
    from ssift.statistics.summary import BATCH

    sources = find(arguments.paths)
    output = Output(arguments.output, arguments.paths, sources)
    bar = None if arguments.no_progress else Bar()
    gathered = Gathering(arguments.sentinels)
    for log in scan(
        sources, batch_size=BATCH, whole_responses=True, tables=TABLES, progress=bar or False, **reading(arguments)
    ):
        gathered.add(log)
    with output.open() as file:
        file.write(page(gathered, arguments.paths).encode())
    if not output.standard:
        Terminal(progress=bar).line(f"{printable(output.path)} written")
    return OK

"""The command ``ssift``; one file per command.

Exit status: 0 fine, 1 problems found (``check``), 2 usage or unreadable input, 130 interrupted. A closed pipe, as in
``ssift text log.sse | head``, ends it quietly.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

import ssift
from ssift.cli import check, export, report, sql, stats, text

COMMANDS = (stats, check, text, export, report, sql)

OK, FOUND, UNREADABLE, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (``sys.argv`` by default) and give its exit status."""
    _settle_streams()
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_output()
        return int(arguments.status)
    except KeyboardInterrupt:
        print("ssift: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (ssift.SsiftError, OSError) as error:
        print(f"ssift: {error}", file=sys.stderr)
        return UNREADABLE
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ssift",
        description="Reads logged streams of OpenAI-compatible chat completions.",
        epilog="ssift COMMAND --help explains a command. Exit status: 0 fine, 1 problems found (check), "
        "2 usage or unreadable input, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"ssift {ssift.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def _settle_streams() -> None:
    """Text that is piped is UTF-8 as it stands; a terminal that lacks a character shows an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _forget_output() -> None:
    """Nobody reads any more: what is still in the buffer must not raise when the interpreter ends."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

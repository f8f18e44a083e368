"""The command ``ssift``; one file per command.

Exit status: see ``status``. A closed pipe, as in ``ssift text log.sse | head``, ends the command quietly.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, TextIO

import ssift
from ssift.cli.status import INTERRUPTED, OK, UNREADABLE
from ssift.cli.terminal import WHEN, Terminal
from ssift.printable import printable, shortened

COMMANDS = ("stats", "check", "text", "export", "report", "compare", "sql", "replay")
"""Modules of this package, each with ``add_to``; the one that is named is imported, for help all of them."""

LONGEST_REASON = 4000
"""Characters of a reason that are shown: some quote what was read."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (``sys.argv`` by default) and give its exit status."""
    _settle_streams()
    if sys.stdout is None:
        return _fail("standard output is closed; use > /dev/null to see nothing")
    arguments = argparse.Namespace(status=OK)
    try:
        _parse(argv, arguments)
        status: int = arguments.run(arguments)
        Terminal().flush()
    except BrokenPipeError:
        _give_up(sys.stdout)
        return int(arguments.status)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except MemoryError:
        return _fail("not enough memory; fewer --threads and a smaller --event-bytes take less")
    except (ssift.SsiftError, OSError) as error:
        return _fail(str(error))
    return status


def _parse(argv: Sequence[str] | None, arguments: argparse.Namespace) -> None:
    words = _spelled_out(sys.argv[1:] if argv is None else argv)
    try:
        _parser(words[0] if words else "").parse_args(words, arguments)
    except SystemExit:
        Terminal().flush()
        _complete(sys.stderr)
        raise


def _spelled_out(argv: Sequence[str]) -> list[str]:
    """``--color`` alone means auto, ``--ray`` alone no address; argparse would take the path behind it for a value."""
    end = argv.index("--") if "--" in argv else len(argv)
    alone = {"--color": "--color=auto", "--ray": "--ray="}
    words: list[str] = []
    for place, word in enumerate(argv):
        if word in WHEN and place < end and argv[place - 1 : place] == ["--color"]:
            words[-1] = f"--color={word}"
        else:
            words.append(alone.get(word, word) if place < end else word)
    return words


class _Parser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: Any = None) -> None:
        """Help and the version are output as any other: where they cannot be written that is said."""
        if file is sys.stdout:
            Terminal().write(message)
        else:
            super()._print_message(printable(message, keep="\n"), file)


def _parser(command: str) -> argparse.ArgumentParser:
    """What reads the command line that begins with ``command``."""
    parser = _Parser(
        prog="ssift",
        description="Reads logged streams of OpenAI-compatible chat completions.",
        epilog="ssift COMMAND --help explains a command. Exit status: 0 fine, 1 problems found (check) or a limit "
        "passed (compare), 2 usage or unreadable input, 130 interrupted.",
    )
    parser.add_argument("--version", action="version", version=f"ssift {ssift.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, prog="ssift")
    for name in (command,) if command in COMMANDS else COMMANDS:
        import_module(f"ssift.cli.{name}").add_to(commands)
    return parser


def _settle_streams() -> None:
    """Text that is piped is UTF-8 as it stands; a terminal that lacks a character shows an escape, not an error.

    Messages need somewhere to go: where standard error is closed, print() would put them on standard output.
    """
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for as long as the program runs
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _fail(reason: str, status: int = UNREADABLE) -> int:
    """Say why, if that can be said; the status stands in any case."""
    with suppress(OSError):
        print(f"ssift: {shortened(printable(reason), LONGEST_REASON)}", file=sys.stderr)
    _complete(sys.stderr)
    _complete(sys.stdout)
    return status


def _complete(stream: TextIO | None) -> None:
    """Write what is still in the buffer, or give it up."""
    try:
        if stream is not None:
            stream.flush()
    except OSError:
        _give_up(stream)


def _give_up(stream: TextIO | None) -> None:
    """What is still in the buffer must not raise when the interpreter ends."""
    if stream is not None:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

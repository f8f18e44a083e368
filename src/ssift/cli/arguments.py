"""Arguments that the commands share, and what they mean for reading."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssift.cli.status import OK
from ssift.errors import SsiftError

if TYPE_CHECKING:
    from ssift.sources import Records

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FORMATS = (
    "sse", "jsonl", "json", "records", "aiperf", "inference-perf", "helicone", "batch", "har", "vcr", "mitmproxy",
    "docker", "cri", "timestamped", "recording",
)  # fmt: skip
"""Names for ``--format``; a test holds them equal to what ``ssift.sources.containers`` knows."""

Run = Callable[[argparse.Namespace], int]


def command(commands: Commands, name: str, short: str, long: str, run: Run) -> argparse.ArgumentParser:
    """A parser for one command with the arguments on what is read and how."""
    parser = commands.add_parser(name, help=short, description=long)
    parser.set_defaults(run=run, status=OK)  # status: what stands when the output is closed early
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="file (plain, gzip, zstd, bzip2, xz or lz4), folder (with all below it), quoted pattern, URL, or - for "
        "standard input",
    )
    reading = parser.add_argument_group("reading")
    reading.add_argument(
        "--group",
        choices=("auto", "id", "done"),
        default="auto",
        help="which chunks form a response: by id with rules for logs without usable ids (auto), by id alone, "
        "or by [DONE] alone; default: auto",
    )
    reading.add_argument(
        "--format",
        choices=FORMATS,
        metavar="NAME",
        help=f"how the input is to be read, where its content does not tell: {', '.join(FORMATS)}",
    )
    reading.add_argument(
        "--chunk-path",
        metavar="PATH",
        help="for any log of JSON records: where the chunks are, such as 'events[].data' (without [], the records "
        "of a file are one body)",
    )
    reading.add_argument("--time-path", metavar="PATH", help="where their arrival times are")
    reading.add_argument("--request-path", metavar="PATH", help="where the time of the request is")
    reading.add_argument("--id-path", metavar="PATH", help="where the name of a body is")
    reading.add_argument(
        "--omit",
        action="append",
        choices=("repeated", "zero_width"),
        default=[],
        help="leave entries of logprobs out: those that repeat an earlier list of a choice whose lists are cumulative "
        "(repeated), those with an empty token, such as end tokens (zero_width); may be given again",
    )
    reading.add_argument("--engine", choices=("native", "python"), help="default: SSIFT_ENGINE, else the best there is")
    reading.add_argument("--threads", type=positive, metavar="N", help="how many threads may be used")
    reading.add_argument("--event-bytes", type=_size, metavar="SIZE", help="largest event; default: 64MiB")
    reading.add_argument(
        "--max-ratio",
        type=positive,
        metavar="N",
        help="how many bytes each byte of a compressed file may expand to, once there are more than 16 MiB; "
        "default: 1000",
    )
    reading.add_argument("--no-progress", action="store_true", help="no progress bar, not even on a terminal")
    return parser


def reading(arguments: argparse.Namespace) -> dict[str, Any]:
    """The keyword arguments for ``scan`` and ``summarize``, all but ``progress``."""
    from ssift.contract import Limits

    form = arguments.format
    others = (arguments.time_path, arguments.id_path, arguments.request_path)
    if arguments.chunk_path is not None:
        form = _records(arguments)
    elif form == "records" or any(path is not None for path in others):
        raise SsiftError("--chunk-path is missing: it says where in a record the chunks are")
    given = {"event_bytes": arguments.event_bytes, "max_ratio": arguments.max_ratio}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    return {
        "group": arguments.group,
        "engine": arguments.engine,
        "threads": arguments.threads,
        "limits": limits,
        "format": form,
        "omit": arguments.omit,
    }


def _records(arguments: argparse.Namespace) -> Records:
    from ssift.sources import Records

    if arguments.format not in (None, "records"):
        raise SsiftError(f"--chunk-path goes with --format records, not {arguments.format}")
    try:
        return Records(
            arguments.chunk_path,
            arguments.time_path or "",
            arguments.id_path or "",
            request=arguments.request_path or "",
        )
    except ValueError as error:
        raise SsiftError(str(error)) from error


def named_number(text: str) -> tuple[str, float]:
    """``NAME=NUMBER``."""
    name, equals, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not name or not equals or math.isnan(value):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=NUMBER")
    return name.replace("-", "_"), value


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def word_or_keys(option: str, given: str, words: tuple[str, ...]) -> Any:
    """One of ``words`` as it is, else what a CSV file of this name gives each id of a response.

    Raises:
        SsiftError: it is neither.
    """
    if given in words:
        return given
    if not os.path.exists(given):
        raise SsiftError(
            f"{option} {given}: there is no such file; use {', '.join(words)}, or a CSV file, its first column ids of "
            "responses"
        )
    from ssift.statistics.labels import read_keys

    return read_keys(given)


def _size(text: str) -> int:
    from ssift.contract import Limits
    from ssift.reading import parse_size

    try:
        return Limits(event_bytes=parse_size(text)).event_bytes
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error

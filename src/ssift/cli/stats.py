"""``ssift stats``: what a log holds, how it ended, and the figures of its logprobs."""

from __future__ import annotations

import argparse
import math
import signal
from typing import TYPE_CHECKING, Any, NoReturn

from ssift.cli import clustered
from ssift.cli.arguments import command, named_number, positive, reading, word_or_keys
from ssift.cli.figures import show
from ssift.cli.status import OK
from ssift.cli.terminal import Terminal
from ssift.errors import SsiftError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ssift.cli.arguments import Commands
    from ssift.cli.output import Output
    from ssift.sources import Source
    from ssift.statistics import Calibration
    from ssift.statistics.calibration import Scores


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "stats",
        "counts, endings, usage, logprob figures, perplexity",
        "Shows what the logs hold: counts, how responses ended, reported usage, logprob figures and perplexity.",
        run,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output, nothing else")
    parser.add_argument(
        "--sentinels",
        choices=("exclude", "include"),
        default="exclude",
        help="logprobs at or below -9999 mean 'not in the top': leave them out of the figures (default) or not",
    )
    parser.add_argument(
        "--follow",
        action="store_true",
        help="read one growing file on and on, through rotation, until Ctrl-C; figures are redrawn on a terminal, with "
        "--json there is one object a line, and into a pipe or file only the last figures are written",
    )
    parser.add_argument(
        "--interval", type=_seconds, default=1.0, metavar="SECONDS", help="between two figures of --follow; default: 1"
    )
    clustered.add_to(parser)
    parser.add_argument(
        "--by",
        metavar="HOW",
        help="the figures of each group, too: model, source, finish_reason, or a CSV file that gives each id of a "
        "response a label",
    )
    parser.add_argument(
        "--window", type=positive, default=2048, metavar="N", help="tokens in a group of confidence; default: 2048"
    )
    labels = parser.add_argument_group("calibration")
    labels.add_argument("--labels", metavar="FILE", help="CSV or Parquet: id of a response, and whether it was right")
    labels.add_argument(
        "--score",
        choices=(
            "mean_probability",
            "joint_probability",
            "min_probability",
            "mean_confidence",
            "lowest_group_confidence",
        ),
        default="mean_probability",
        help="what is held against the labels; default: mean_probability",
    )
    labels.add_argument("--diagram", metavar="FILE", help="write the reliability diagram, an SVG")
    times = parser.add_argument_group("latency")
    times.add_argument("--latency", action="store_true", help="times, where arrivals were logged")
    times.add_argument(
        "--limit",
        action="append",
        type=named_number,
        default=[],
        metavar="NAME=SECONDS",
        help="count the responses that keep it (ttft_any_chunk, ttft_first_content, ttft_first_token, itl, tpot, "
        "e2e); may be given again; implies --latency",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read once, then print."""
    from ssift.reading import scan
    from ssift.sources import find
    from ssift.statistics import Latency, Summary
    from ssift.statistics.summary import BATCH, TABLES

    groups = arguments.by
    if groups is not None:
        arguments.by = word_or_keys("--by", groups, ("model", "source", "finish_reason"))
    if arguments.follow:
        follow(arguments)
    if arguments.ray is not None:
        return on_ray(arguments)
    if arguments.diagram and not arguments.labels:
        raise SsiftError("--diagram shows how labels and scores agree: name a file with --labels")
    summary = Summary(arguments.sentinels, by=arguments.by, window=arguments.window)
    try:
        latency = Latency(dict(arguments.limit)) if arguments.latency or arguments.limit else None
        scores = _scores(arguments) if arguments.labels else None
    except ValueError as error:
        raise SsiftError(str(error)) from error
    sources = find(arguments.paths)
    diagram = _output(arguments, sources, groups if groups != arguments.by else None) if arguments.diagram else None
    tables = TABLES if latency is None else (*TABLES, "chunks")
    parts = [part for part in (summary, latency, scores) if part is not None]
    for log in scan(
        sources,
        batch_size=BATCH,
        tables=tables,
        progress=not arguments.no_progress,
        **reading(arguments),
    ):
        for part in parts:
            part.add(log)
    figures = summary.to_dict()
    if latency is not None:
        figures["latency"] = latency.to_dict()
    if scores is not None:
        calibration = scores.calibration()
        figures["calibration"] = calibration.to_dict()
        if diagram is not None:
            picture = _diagram(calibration)
            with diagram.open() as file:
                file.write(picture.encode())
    _print(figures, arguments.json)
    return OK


def on_ray(arguments: argparse.Namespace) -> int:
    """Read on a cluster, then print."""
    from ssift.ray import summarize

    if arguments.labels or arguments.diagram or arguments.latency or arguments.limit:
        raise SsiftError("--ray shows no calibration and no latency; leave --labels, --latency and --limit out")
    summary, status = clustered.run(
        arguments,
        summarize,
        arguments.paths,
        by=arguments.by,
        sentinels=arguments.sentinels,
        window=arguments.window,
    )
    _print(summary.to_dict(), arguments.json)
    return status


def _print(figures: dict[str, Any], as_json: bool) -> None:
    terminal = Terminal()
    if as_json:
        from ssift.statistics.output import figures_json

        terminal.line(figures_json(figures))
    else:
        show(figures, terminal)


def _scores(arguments: argparse.Namespace) -> Scores:
    from ssift.statistics.calibration import Scores

    return Scores(arguments.labels, arguments.score, arguments.sentinels)


def _output(arguments: argparse.Namespace, sources: Sequence[Source], groups: str | None) -> Output:
    from ssift.cli.output import Output
    from ssift.sources import find

    others = [path for path in (arguments.labels, groups) if path is not None]  # files that would be lost too
    return Output(arguments.diagram, arguments.paths, [*sources, *find(others)])


def follow(arguments: argparse.Namespace) -> NoReturn:
    """Show figures again and again until interrupted, and then the last ones."""
    from ssift import following
    from ssift.cli.running import Running
    from ssift.statistics import Summary
    from ssift.statistics.summary import TABLES

    if arguments.ray is not None:
        raise SsiftError("--follow reads one growing file, here; leave --ray out")
    if arguments.labels or arguments.latency or arguments.limit:
        raise SsiftError("--follow shows no calibration and no latency; leave --labels, --latency and --limit out")
    if len(arguments.paths) != 1:
        raise SsiftError(f"--follow takes one file, not {len(arguments.paths)}")
    options = reading(arguments)
    if options.pop("format") is not None:
        raise SsiftError("--follow tells by the content what it follows; leave --format and --chunk-path out")
    if options.pop("omit"):
        raise SsiftError("--follow leaves no entries out; leave --omit out")
    del options["threads"]
    summary = Summary(arguments.sentinels, by=arguments.by, window=arguments.window)
    running = Running(Terminal(), arguments.json, show)
    with following.follow(arguments.paths[0], interval=arguments.interval, tables=TABLES, **options) as logs:
        interrupted_by = signal.signal(signal.SIGINT, lambda *_: logs.stop())
        try:
            for log in logs:
                summary.add(log)
                running.draw(summary.so_far(log), last=log.unfinished is None and logs.over)
        finally:
            signal.signal(signal.SIGINT, interrupted_by)
    raise KeyboardInterrupt


def _diagram(calibration: Calibration) -> str:
    try:
        return calibration.diagram()
    except ValueError as error:
        raise SsiftError(str(error)) from error


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 on")
    return seconds

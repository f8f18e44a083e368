"""``ssift stats``: what a log holds, how it ended, and the figures of its logprobs."""

from __future__ import annotations

import argparse
import math
import signal
from typing import TYPE_CHECKING, Any, NoReturn

from ssift.cli.arguments import command, reading
from ssift.cli.terminal import Terminal
from ssift.progress import size

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands


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


def run(arguments: argparse.Namespace) -> int:
    """Read, then print."""
    from ssift.statistics import summarize

    if arguments.follow:
        follow(arguments)
    summary = summarize(
        arguments.paths,
        progress=not arguments.no_progress,
        sentinels=arguments.sentinels,
        **reading(arguments),
    )
    terminal = Terminal()
    if arguments.json:
        terminal.line(summary.to_json())
    else:
        show(summary.to_dict(), terminal)
    return 0


def follow(arguments: argparse.Namespace) -> NoReturn:
    """Show figures again and again until interrupted, and then the last ones."""
    from ssift import following
    from ssift.cli.running import Running
    from ssift.errors import ReadError
    from ssift.statistics import Summary
    from ssift.statistics.summary import TABLES

    if len(arguments.paths) != 1:
        raise ReadError("--follow takes one file")
    options = reading(arguments)
    del options["threads"]
    summary = Summary(arguments.sentinels)
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


def show(figures: dict[str, Any], terminal: Terminal) -> None:
    """Print a summary for people."""
    sources = f"{figures['sources']:,} {'source' if figures['sources'] == 1 else 'sources'}"
    if figures["containers"]:
        sources += f" in {figures['containers']:,} {'container' if figures['containers'] == 1 else 'containers'}"
        if figures["left_alone"]:
            sources += f" ({figures['left_alone']:,} other entries left alone)"
    title = terminal.style(f"{sources}, {size(figures['bytes'])}", "bold")
    terminal.line(f"{title}, read by the {figures['engine']} engine")
    _show_contents(figures, terminal)
    for heading, key in (("Status", "status"), ("Finish reason of choices", "finish_reason"), ("Model", "model")):
        if any(figures[key].values()):
            terminal.heading(heading)
            terminal.shares(figures[key])
    _show_usage(figures, terminal)
    _show_logprobs(figures, terminal)


def _show_contents(figures: dict[str, Any], terminal: Terminal) -> None:
    terminal.heading("Contents")
    events = f"{figures['done']:,} [DONE], {figures['skipped']:,} skipped, {figures['errors']:,} errors"
    problems = ", ".join(f"{kind} {count:,}" for kind, count in figures["problem_kind"].items())
    terminal.rows(
        [
            ("events", f"{figures['events']:,}", events),
            ("comment lines", f"{figures['comments']:,}", ""),
            ("chunks", f"{figures['chunks']:,}", ""),
            ("tokens", f"{figures['tokens']:,}", f"entries of logprobs, with {figures['top_logprobs']:,} alternatives"),
            ("responses", f"{figures['responses']:,}", ""),
            ("choices", f"{figures['choices']:,}", ""),
            ("tool calls", f"{figures['tool_calls']:,}", ""),
            ("problems", f"{figures['problems']:,}", f"{problems}; ssift check shows them" if problems else ""),
        ]
    )


def _show_usage(figures: dict[str, Any], terminal: Terminal) -> None:
    usage = figures["usage"]
    terminal.heading("Tokens, counted three ways")
    reported = f"usage reported by {usage['responses']:,} of {figures['responses']:,} responses"
    terminal.rows(
        [
            ("chunks", f"{figures['chunks']:,}", "a chunk may hold several tokens or none"),
            ("logprob entries", f"{figures['tokens']:,}", "with a logprob or without"),
            ("completion_tokens", _count(usage["completion_tokens"]), reported),
        ]
    )
    terminal.heading("Usage")
    terminal.rows([(name, _count(usage[name]), "") for name in usage if name != "responses"])


def _show_logprobs(figures: dict[str, Any], terminal: Terminal) -> None:
    logprob = figures["logprob"]
    terminal.heading("Logprobs of tokens, in nats")
    apart = f"{logprob['missing']:,} missing, {logprob['sentinel']:,} sentinels (-9999 or less)"
    terminal.rows(
        [
            ("values", f"{logprob['count']:,}", f"{apart}, {logprob['positive']:,} above zero"),
            ("sum", number(logprob["sum"]), ""),
            ("mean", number(logprob["mean"]), ""),
            ("perplexity", number(figures["perplexity"]), "exp(-mean), weighted by token"),
        ]
    )
    if logprob["count"]:
        names = ["min", "p01", "p05", "p25", "p50", "p75", "p95", "p99", "max"]
        cells = [(name, number(logprob[name], 4)) for name in names]
        widths = [max(len(name), len(value)) for name, value in cells]
        terminal.line()
        for line in zip(*cells, strict=True):
            terminal.line("  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def number(value: float, digits: int = 6) -> str:
    """A figure for people; undefined ones are a dash."""
    return "-" if math.isnan(value) else f"{value:,.{digits}g}"


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError("must be a number of seconds")
    return seconds


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"

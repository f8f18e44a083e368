"""``ssift stats``: what a log holds, how it ended, and the figures of its logprobs."""

from __future__ import annotations

import argparse
import math
import signal
from typing import TYPE_CHECKING, Any, NoReturn

from ssift.cli import clustered
from ssift.cli.arguments import command, named_number, positive, reading
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
    parser.add_argument("--by", choices=("model", "source", "finish_reason"), help="the figures of each, too")
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
    diagram = _output(arguments, sources) if arguments.diagram else None
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


def _output(arguments: argparse.Namespace, sources: Sequence[Source]) -> Output:
    from ssift.cli.output import Output

    return Output(arguments.diagram, arguments.paths, sources)


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


<<<<<<< HEAD
=======
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
    _show_alternatives(figures, terminal)
    _show_answers(figures, terminal)
    if "groups" in figures:
        _show_groups(figures["groups"], terminal)
    if "calibration" in figures:
        _show_calibration(figures["calibration"], terminal)
    if "latency" in figures:
        _show_latency(figures["latency"], terminal)


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
        _show_columns(["min", "p01", "p05", "p25", "p50", "p75", "p95", "p99", "max"], [logprob], terminal)


def _show_alternatives(figures: dict[str, Any], terminal: Terminal) -> None:
    entropy = figures["entropy_lower"]
    if not entropy["count"]:
        return
    terminal.heading("Alternatives of tokens, means in nats")
    covered = f"over what is listed, {figures['covered_mass']['mean']:.2%} of the probability: a lower bound"
    terminal.rows(
        [
            ("tokens with alternatives", f"{entropy['count']:,}", ""),
            ("entropy", number(entropy["mean"]), covered),
            ("confidence", number(figures["confidence"]["mean"]), "-mean of listed logprobs; larger is more peaked"),
            ("margin", number(figures["margin"]["mean"]), "p of the best minus p of the second"),
            ("not the top one", share(figures["off_top1_rate"]), "an alternative is above the token"),
            ("not listed", share(figures["off_topk_rate"]), "the token is not among its alternatives"),
        ]
    )


def _show_answers(figures: dict[str, Any], terminal: Terminal) -> None:
    answers = figures["answers"]
    if not answers["perplexity"]["count"]:
        return
    terminal.heading("Responses and choices")
    geometric = f"geometric mean {number(figures['perplexity_geometric'])}"
    rows = [("perplexity", answers["perplexity"], f"mean of responses; {geometric}")]
    for label, key, remark in (
        ("mean logprob", "mean_logprob", "of responses"),
        ("surprise tail", "surprise_tail_mean", "mean of the least likely tenth of a choice, as -logprob"),
        ("lowest group confidence", "lowest_group_confidence", "of choices"),
        ("longest low run", "longest_low_run", "tokens in a row below even odds"),
        ("bits per byte", "bits_per_byte", "of choices"),
    ):
        rows.append((label, answers[key], remark))
    shown = [(label, number(found["mean"], 4), remark) for label, found, remark in rows if found["count"]]
    terminal.rows([("", "mean", ""), *shown])


def _show_groups(groups: dict[str, Any], terminal: Terminal) -> None:
    terminal.heading("Groups")
    table = [["", "responses", "tokens", "mean", "perplexity", "entropy", "confidence", "not top"]]
    for label, group in groups.items():
        table.append(
            [
                shortened(printable(label) or "(never sent)", 40),
                f"{group['responses']:,}",
                f"{group['tokens']:,}",
                number(group["logprob"]["mean"], 4),
                number(group["perplexity"], 4),
                number(group["entropy_lower"]["mean"], 4),
                number(group["confidence"]["mean"], 4),
                share(group["off_top1_rate"]),
            ]
        )
    _show_table(table, terminal)


def _show_calibration(found: dict[str, Any], terminal: Terminal) -> None:
    terminal.heading(f"Calibration of {found['score']}")
    apart = f"{found['unlabelled']:,} answers without a label, {found['unused']:,} labels without an answer"
    terminal.rows(
        [
            ("answers", f"{found['count']:,}", apart + _undefined(found["undefined"])),
            ("accuracy", number(found["accuracy"], 4), ""),
            ("mean score", number(found["mean_score"], 4), ""),
            ("ECE", number(found["ece"], 4), "20 equal bins"),
            ("Brier", number(found["brier"], 4), ""),
            ("AUROC", number(found["auroc"], 4), ""),
            ("AURC", number(found["aurc"], 4), "area under risk and coverage: smaller is better"),
        ]
    )


def _undefined(count: int) -> str:
    return f", {count:,} without a score" if count else ""


def _show_latency(found: dict[str, Any], terminal: Terminal) -> None:
    terminal.heading(f"Latency in seconds, of {found['timed']:,} of {found['responses']:,} responses")
    if not found["timed"]:
        terminal.line("  no times were logged")
        return
    if found["requested"] < found["timed"]:
        unknown = found["timed"] - found["requested"]
        terminal.line(f"  of {unknown:,} the log does not tell when they were asked for: no ttft, e2e and speed")
    if found["backwards"]:
        terminal.line(f"  {found['backwards']:,} with times that run backwards: those give no figure")
    names = ["ttft_any_chunk", "ttft_first_content", "ttft_first_token", "itl", "tpot", "e2e", "tokens_per_second"]
    columns = ["count", "mean", "min", "p50", "p95", "p99", "max"]
    table = [["", *columns]]
    for name in names:
        figures = found[name]
        table.append([name, f"{figures['count']:,}", *(number(figures[column], 4) for column in columns[1:])])
    _show_table(table, terminal)
    if found["limits"]:
        limits = ", ".join(f"{name} {limit:g} s" for name, limit in found["limits"].items())
        judged = f"of {found['judged']:,} responses keep {limits}"
        rate = "" if math.isnan(found["goodput_per_second"]) else f"; {found['goodput_per_second']:.4g} a second"
        terminal.rows([("goodput", share(found["goodput"]), judged + rate)])


def _show_columns(names: list[str], rows: list[dict[str, float]], terminal: Terminal) -> None:
    terminal.line()
    _show_table([names, *([number(row[name], 4) for name in names] for row in rows)], terminal, right=True)


def _show_table(rows: list[list[str]], terminal: Terminal, right: bool = False) -> None:
    """Cells in columns: figures to the right, the first column to the left where it has words."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if right or place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        terminal.line("  " + "  ".join(cells).rstrip())


def share(rate: float) -> str:
    """A share for people; an undefined one is a dash."""
    return "-" if math.isnan(rate) else f"{rate:.2%}"


>>>>>>> fe54d23efcbc5ace2325b8392572bad61f293794
def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 on")
    return seconds

"""The figures of a summary for people: rows under headings, as ``ssift stats`` prints them."""

from __future__ import annotations

import math
from typing import Any

from ssift.cli.terminal import Terminal
from ssift.printable import number, printable, shortened
from ssift.progress import size


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
    if figures["beyond_usage"]:
        many = figures["beyond_usage"]
        lists = "1 response lists" if many == 1 else f"{many:,} responses list"
        terminal.line(
            f"  {lists} more tokens than are reported: lists may be cumulative (--omit repeated), or hold end tokens "
            "(--omit zero_width)"
        )
    if any(figures["omitted"].values()):
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in figures["omitted"].items())
        terminal.line(f"  entries left out: {kinds}")
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
                shortened(printable(label) or "(none)", 40),
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
    if found["e2e"]["count"] and not found["tokens_per_second"]["count"]:
        terminal.line("  no response tells how many tokens it has, by usage or logprobs: no tpot and speed")
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


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"

"""The page of ``ssift report``: one HTML document with its style inside and no script."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ssift import __version__
from ssift.cli.charts import Bin, band, bars, histogram, safe
from ssift.cli.stats import number
from ssift.progress import size
from ssift.statistics import Sketch, Summary
from ssift.statistics.distribution import QUANTILES

_LOWEST, _STEP = -12.0, 0.25  # the axis of the histogram, in nats
_BANDS = (
    ("99.9 % or more", 0.999),
    ("99 to 99.9 %", 0.99),
    ("90 to 99 %", 0.9),
    ("50 to 90 %", 0.5),
    ("10 to 50 %", 0.1),
    ("1 to 10 %", 0.01),
    ("0.1 to 1 %", 0.001),
    ("less than 0.1 %", 0.0),
)
_STATUS_LOOK = {"complete": "good", "truncated": "warn", "errored": "bad"}
_LINE_LOOK = {"chunk": "c1", "error": "bad", "done": "good", "skipped": "c3", "problem": "warn", "blank": "c4"}


def page(summary: Summary, problems: Sequence[dict[str, Any]], paths: Sequence[str]) -> str:
    """The document. ``problems`` are the first rows of the table of problems."""
    figures = summary.to_dict()
    read = f"{figures['sources']:,} {'source' if figures['sources'] == 1 else 'sources'}, {size(figures['bytes'])}"
    sections = [
        _cards(figures),
        _section("How responses ended", _endings(figures)),
        _section("Logprobs of tokens", _logprobs(summary, figures)),
        _section("Models", bars(figures["model"])),
        _section("Tokens, counted three ways", _three_ways(figures)),
        _section("Every byte of the sources", band(figures["bytes_by_class"], _LINE_LOOK)),
        _section("Problems", _problems(figures, problems)),
        _section("All figures", _all(figures)),
    ]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>ssift report: {safe(", ".join(paths))}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>ssift report</h1>
<p>{safe(", ".join(paths))}</p>
<p class="quiet">{read}; read by the {safe(figures["engine"])} engine of ssift {safe(__version__)}</p></header>
<main>
{"".join(sections)}
</main>
</body>
</html>
"""


def _section(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>\n"


def _cards(figures: dict[str, Any]) -> str:
    cards = [
        ("responses", f"{figures['responses']:,}", ""),
        ("chunks", f"{figures['chunks']:,}", ""),
        ("tokens", f"{figures['tokens']:,}", ""),
        ("perplexity", number(figures["perplexity"], 4), ""),
        ("mean logprob", number(figures["logprob"]["mean"], 4), ""),
        ("problems", f"{figures['problems']:,}", "alarm" if figures["problems"] else ""),
    ]
    return (
        '<div class="cards">'
        + "".join(f'<div class="card {look}"><b>{value}</b><span>{name}</span></div>' for name, value, look in cards)
        + "</div>\n"
    )


def _endings(figures: dict[str, Any]) -> str:
    return f"{band(figures['status'], _STATUS_LOOK)}<h3>Finish reason of choices</h3>{bars(figures['finish_reason'])}"


def _logprobs(summary: Summary, figures: dict[str, Any]) -> str:
    logprob = figures["logprob"]
    if not logprob["count"]:
        return f'<p class="none">No token has a logprob ({logprob["missing"]:,} missing).</p>'
    sketch = summary.logprobs.distribution(summary.sentinels).sketch
    marks = {"mean": logprob["mean"], "p05": logprob["p05"]}
    names = ("min", *QUANTILES, "max")
    heads = "".join(f"<th>{name}</th>" for name in names)
    quantiles = "".join(f'<td class="n">{number(logprob[name], 4)}</td>' for name in names)
    apart = f"{logprob['missing']:,} missing, {logprob['sentinel']:,} sentinels (−9999 or less, {summary.sentinels}d)"
    return (
        '<p class="quiet">Number of tokens by logprob in nats, on a logarithmic scale.</p>'
        f"{histogram(_bins(sketch), marks, 'logprob')}"
        "<h3>Probability of the token</h3>"
        f"{bars(_by_probability(sketch), most=len(_BANDS))}"
        "<h3>Quantiles</h3>"
        f'<div class="wide"><table class="figures"><thead><tr>{heads}</tr></thead>'
        f"<tbody><tr>{quantiles}</tr></tbody></table></div>"
        f'<p class="quiet">{logprob["count"]:,} values; {apart}, {logprob["positive"]:,} above zero. '
        "Quantiles are within 1/257 of the true order statistics.</p>"
    )


def _bins(sketch: Sketch) -> list[Bin]:
    """Counts by logprob in steps of a quarter nat; the first bin takes all below, the last all from -0.25 up."""
    values, counts = sketch.buckets()
    number_of_bins = round(-_LOWEST / _STEP)
    places = np.clip(np.ceil(values / _STEP) - 1 + number_of_bins, 0, number_of_bins - 1).astype(np.int64)
    totals = np.bincount(places, weights=counts, minlength=number_of_bins)
    return [
        Bin(_LOWEST + _STEP * place, _LOWEST + _STEP * (place + 1), int(count)) for place, count in enumerate(totals)
    ]


def _by_probability(sketch: Sketch) -> dict[str, int]:
    values, counts = sketch.buckets()
    probabilities = np.exp(np.minimum(values, 0.0))
    found: dict[str, int] = {}
    left = np.ones(len(values), np.bool_)
    for name, least in _BANDS:
        here = left & (probabilities >= least)
        found[name] = int(counts[here].sum())
        left &= ~here
    return found


def _three_ways(figures: dict[str, Any]) -> str:
    usage = figures["usage"]
    ways = {"chunks": figures["chunks"], "logprob entries": figures["tokens"]}
    if usage["completion_tokens"] is not None:
        ways["usage: completion_tokens"] = usage["completion_tokens"]
    largest = max(*ways.values(), 1)
    rows = "".join(
        f'<tr><th scope="row">{safe(name)}</th><td class="track"><span class="bar" style="width:'
        f'{100 * count / largest:.2f}%"></span></td><td class="n">{count:,}</td></tr>'
        for name, count in ways.items()
    )
    return (
        f'<table class="bars"><tbody>{rows}</tbody></table><p class="quiet">A chunk may hold several tokens or none. '
        f"{usage['responses']:,} of {figures['responses']:,} responses report usage.</p>"
    )


def _problems(figures: dict[str, Any], problems: Sequence[dict[str, Any]]) -> str:
    if not figures["problems"]:
        return '<p class="none">none</p>'
    rows = "".join(
        f'<tr><td>{safe(row["source"])}</td><td class="n">{row["line"]:,}</td><td class="n">{row["offset"]:,}</td>'
        f'<td><span class="kind">{safe(row["kind"])}</span></td><td>{safe(row["message"])}</td></tr>'
        for row in problems
    )
    more = figures["problems"] - len(problems)
    rest = f'<p class="quiet">{more:,} more; <code>ssift check</code> shows all, with excerpts.</p>' if more > 0 else ""
    heads = "".join(f"<th>{name}</th>" for name in ("source", "line", "offset", "kind", "message"))
    return (
        f'{bars(figures["problem_kind"])}<div class="wide"><table class="figures left"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{rest}"
    )


def _all(figures: dict[str, Any]) -> str:
    rows = list(_named(figures))
    body = "".join(
        f'<tr><th scope="row">{safe(name)}</th><td class="n">{_figure(value)}</td></tr>' for name, value in rows
    )
    return (
        f"<details><summary>Show the table</summary><table class='figures all'><tbody>{body}</tbody></table></details>"
    )


def _named(figures: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """All figures with the names that lead to them."""
    for name, value in figures.items():
        full = f"{path}{name or '(never sent)'}"
        if isinstance(value, dict):
            yield from _named(value, f"{full} · ")
        else:
            yield full, value


def _figure(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "undefined"
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:,}" if isinstance(value, int) else safe(str(value))


_STYLE = """
:root { color-scheme: light dark; --page:#f6f7f9; --card:#fff; --text:#1b2430; --quiet:#5d6a7a; --line:#dfe4ea;
  --track:#edf0f4; --accent:#2f6fde; --good:#2e9e6b; --warn:#d9932b; --bad:#cf4444; --c3:#8e6fc9; --c4:#a7b1be; }
@media (prefers-color-scheme: dark) { :root { --page:#12161c; --card:#1a2029; --text:#e3e8ef; --quiet:#95a2b3;
  --line:#2b3440; --track:#242c37; --accent:#5c95f5; --good:#45b983; --warn:#e0a544; --bad:#e46a6a; --c3:#a78be0;
  --c4:#5b6777; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
header, main { max-width: 860px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 32px; }
h1 { font-size: 26px; margin: 0; letter-spacing: -0.02em; }
header p { margin: 4px 0 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 14px; }
h3 { font-size: 14px; margin: 22px 0 8px; color: var(--quiet); font-weight: 600; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px;
  margin: 16px 0; }
.quiet, .share, .none { color: var(--quiet); }
.quiet { font-size: 13px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 12px; margin: 22px 0 16px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.card b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; letter-spacing: -0.01em; }
.card span { color: var(--quiet); font-size: 13px; }
.card.alarm b { color: var(--bad); }
table { border-collapse: collapse; width: 100%; }
th { font-weight: 400; text-align: left; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars th { width: 32%; max-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  padding: 3px 12px 3px 0; }
.bars .n { width: 1%; padding-left: 14px; }
.track { padding: 0; }
.track .bar { display: block; height: 14px; min-width: 2px; border-radius: 3px; background: var(--accent); }
.band { display: flex; height: 22px; border-radius: 5px; overflow: hidden; gap: 2px; background: var(--track); }
.band span { min-width: 2px; background: var(--accent); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 10px 0 0; padding: 0; }
.dot { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 7px;
  background: var(--accent); }
.good, .band .good, .dot.good { background: var(--good); }
.warn, .band .warn, .dot.warn { background: var(--warn); }
.bad, .band .bad, .dot.bad { background: var(--bad); }
.c3, .band .c3, .dot.c3 { background: var(--c3); }
.c4, .band .c4, .dot.c4 { background: var(--c4); }
svg { display: block; width: 100%; height: auto; font-size: 11px; }
svg text { fill: var(--quiet); font-family: inherit; }
svg .grid { stroke: var(--line); }
svg .fill { fill: var(--accent); }
svg .fill:hover { opacity: 0.7; }
svg line.mark { stroke: var(--bad); stroke-dasharray: 3 3; }
svg text.mark { fill: var(--bad); }
.wide { overflow-x: auto; }
.figures th, .figures td { padding: 5px 10px; border-bottom: 1px solid var(--line); text-align: right; }
.figures.left th, .figures.left td { text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.figures.left .n { text-align: right; }
.figures thead th { color: var(--quiet); font-size: 13px; }
.figures.all th { text-align: left; overflow-wrap: anywhere; }
.kind { background: var(--track); border-radius: 4px; padding: 1px 6px; font-size: 13px; white-space: nowrap; }
summary { cursor: pointer; color: var(--quiet); }
code { font-size: 13px; }
@media print { body { background: none; } section, .card { break-inside: avoid; } }
"""

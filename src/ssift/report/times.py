"""When answers came: first token, gaps, whole answers, speed. Only where a log has times."""

from __future__ import annotations

from ssift.report.certainty import spread
from ssift.report.charts import histogram
from ssift.report.markup import figure, section, table
from ssift.statistics import Latency

_SHOWN = {
    "ttft_first_token": ("Time to the first token", "seconds", "responses"),
    "itl": ("Gaps between tokens", "seconds", "gaps"),
    "e2e": ("Whole response", "seconds", "responses"),
    "tokens_per_second": ("Speed", "tokens per second", "responses"),
}
_ROWS = ("ttft_any_chunk", "ttft_first_content", "ttft_first_token", "itl", "tpot", "e2e", "tokens_per_second")
_COLUMNS = ("count", "mean", "min", "p50", "p95", "p99", "max")


def times(latency: Latency, responses: int) -> str:
    """Histograms and a table; nothing at all for a log without times."""
    if not latency.timed:
        return ""
    found = {**latency.figures, "itl": latency.itl}
    charts = []
    for name, (title, unit, counted) in _SHOWN.items():
        axis = spread(found[name], unit)
        if axis is not None:
            marks = {"median": found[name].quantile(0.5), "p95": found[name].quantile(0.95)}
            drawn = histogram(found[name], axis, 32, counted, marks, ticks=6)
            charts.append(f"<div><h3>{title}</h3>{drawn}</div>")
    rows = [
        (f"<code>{name}</code>", *(figure(values[column]) for column in _COLUMNS))
        for name, values in ((name, found[name].to_dict()) for name in _ROWS)
    ]
    return section(
        "times",
        "Latency",
        f'<div class="pairs">{"".join(charts)}</div>{table(("seconds", *_COLUMNS), rows)}',
        f"{latency.timed:,} of {responses:,} responses have times, {latency.requested:,} that of the request. Seconds "
        "from there; <code>itl</code> are gaps between chunks with tokens, <code>tpot</code> the mean time of a token "
        "after the first, and <code>tokens_per_second</code> is no time but a rate.",
    )

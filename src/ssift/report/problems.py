"""What could not be read as it should."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ssift.report.bars import bars
from ssift.report.markup import figure, nothing, safe, section, table


def problems(figures: dict[str, Any], first: Sequence[dict[str, Any]]) -> str:
    """Counts by kind, and the first ones with their places."""
    if not figures["problems"]:
        return section("problems", "Problems", nothing("None: everything was read."))
    rows = (
        (
            safe(row["source"]),
            f'<span class="kind">{safe(row["kind"])}</span>',
            safe(row["message"]),
            figure(row["line"]),
            figure(row["offset"]),
        )
        for row in first
    )
    more = figures["problems"] - len(first)
    rest = f'<p class="quiet">{more:,} more; <code>ssift check</code> shows all, with excerpts.</p>' if more > 0 else ""
    return section(
        "problems",
        "Problems",
        bars(figures["problem_kind"]) + table(("source", "kind", "message", "line", "offset"), rows, words=3) + rest,
        "Places that could not be read as they should; reading went on behind each.",
    )

"""The reliability diagram as SVG: what was right against what was expected, and how many answers are behind it."""

from __future__ import annotations

from html import escape

from ssift.table import Table

_SIZE, _LEFT, _TOP, _BELOW = 360, 52, 28, 118
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}.ideal{stroke:#888;stroke-dasharray:4 3}"
    ".bar{fill:#3b6ea5}.gap{fill:#d9534f;fill-opacity:.35}.count{fill:#9db7d1}"
)


def reliability_diagram(bins: Table, title: str) -> str:
    """An SVG document from a table of bins (start, end, count, accuracy, mean_score)."""
    width, height = _LEFT + _SIZE + 16, _TOP + _SIZE + _BELOW

    def x(value: float) -> float:
        return _LEFT + _SIZE * value

    def y(value: float) -> float:
        return _TOP + _SIZE * (1 - value)

    parts = [f'<text x="{_LEFT}" y="18">{escape(title)}</text>']
    for tick in range(6):
        value = tick / 5
        parts.append(f'<line class="grid" x1="{x(0)}" x2="{x(1)}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
        parts.append(f'<text x="{x(value):.1f}" y="{y(0) + 16:.1f}" text-anchor="middle">{value:g}</text>')
    largest = max(1, int(bins["count"].max(initial=0)))
    floor = height - 24
    for row in bins.rows():
        if not row["count"]:
            continue
        left, wide = x(row["start"]) + 1, x(row["end"]) - x(row["start"]) - 2
        told = (
            f"<title>{row['start']:g} to {row['end']:g}: {row['count']:,} answers, {row['accuracy']:.1%} right, "
            f"mean score {row['mean_score']:.3f}</title>"
        )
        low, high = sorted((row["accuracy"], row["mean_score"]))
        parts.append(_rectangle("bar", left, y(row["accuracy"]), wide, y(0), told))
        parts.append(_rectangle("gap", left, y(high), wide, y(low), told))
        parts.append(_rectangle("count", left, floor - 56 * row["count"] / largest, wide, floor, told))
    parts.append(f'<line class="ideal" x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}"/>')
    parts.append(
        f'<text x="{x(0.5)}" y="{y(0) + 34}" text-anchor="middle">score (bars: share right; red: the gap)</text>'
    )
    parts.append(f'<text x="{x(0.5)}" y="{height - 6}" text-anchor="middle">answers in each bin</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="Reliability diagram"><style>{_STYLE}</style>{"".join(parts)}</svg>\n'
    )


def _rectangle(kind: str, left: float, top: float, wide: float, bottom: float, told: str) -> str:
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{max(bottom - top, 0):.1f}">'
        f"{told}</rect>"
    )

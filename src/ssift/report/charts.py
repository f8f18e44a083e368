"""Charts as plain SVG: a histogram, and a line over steps.

Places across are percentages and those upwards are pixels, so a chart is as wide as the page while its words keep
their size. Colours come from ``page.css``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from ssift.report.axes import Axis, counts_axis
from ssift.report.markup import figure
from ssift.statistics import Distribution

HEIGHT = 168  # pixels of the plot; above it the marks are named, below it is the axis
_TOP, _BELOW = 30, 44
_NEAR = 0.35  # of the width: names of marks may take so much


class Step(NamedTuple):
    """A piece of a line: a value that holds from ``start`` to ``end``; ``faint`` when little is behind it."""

    start: float
    end: float
    value: float
    told: str
    faint: bool = False


def histogram(
    found: Distribution,
    across: Axis,
    bins: int,
    unit: str,
    marks: Mapping[str, float] | None = None,
    logarithmic: bool = False,
    ticks: int = 12,
) -> str:
    """How many values are where on an axis; the first bin and the last one hold what is outside, too.

    ``unit`` names what is counted, on a ``logarithmic`` scale or a plain one; ``marks`` are values to point at, by
    name; across there are about so many ``ticks``.
    """
    edges = across.edges(bins)
    values, counts = found.sketch.buckets()
    values = np.clip(values, found.min, found.max)
    places = np.clip(np.searchsorted(edges, values, "right") - 1, 0, bins - 1)
    totals = np.bincount(places, weights=counts, minlength=bins).astype(np.int64).tolist()
    upwards = counts_axis(max(totals), logarithmic)
    outside = found.min < edges[0], found.max > edges[-1]
    drawn = []
    for number, (start, end, count) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), totals, strict=True)):
        if not count:
            continue
        beyond = "below" if number == 0 and outside[0] else "above" if number == bins - 1 and outside[1] else ""
        drawn.append(_bar(across, start, end, _y(upwards, count), _range(start, end, beyond, count, unit)))
    name = f"{unit} by {across.label}"
    return _chart("".join(drawn) + _marks(across, marks or {}), across, upwards, name, unit, ticks)


def line(steps: Sequence[Step], across: Axis, upwards: Axis) -> str:
    """A value over an axis, as a line of steps."""
    drawn, before = [], None
    for step in steps:
        y = f"{_y(upwards, step.value):.1f}"
        start, end = _x(across, step.start), _x(across, step.end)
        look = "line faint" if step.faint else "line"
        if before is not None:
            drawn.append(f'<line class="{look}" x1="{start}" x2="{start}" y1="{before}" y2="{y}"/>')
        drawn.append(
            f'<g class="step"><rect class="reach" x="{start}" y="{_TOP}" width="{_wide(across, step.start, step.end)}" '
            f'height="{HEIGHT}"/><line class="{look}" x1="{start}" x2="{end}" y1="{y}" y2="{y}"/>'
            f"<title>{escape(step.told)}</title></g>"
        )
        before = y
    return _chart("".join(drawn), across, upwards, f"{upwards.label} by {across.label}", upwards.label, look="plain")


def _chart(drawn: str, across: Axis, upwards: Axis, name: str, unit: str, ticks: int = 12, look: str = "") -> str:
    scale = " (log scale)" if upwards.logarithmic else ""
    return (
        f'<figure class="chart {look}"><figcaption>{escape(unit)}{scale}</figcaption>'
        f'<svg width="100%" height="{_TOP + HEIGHT + _BELOW}" role="img" aria-label="{escape(name)}">'
        f"{_grid(upwards)}{drawn}{_below(across, ticks)}</svg></figure>"
    )


def _x(axis: Axis, value: float) -> str:
    return f"{100 * axis.place(value):.2f}%"


def _wide(axis: Axis, start: float, end: float) -> str:
    return f"{100 * (axis.place(end) - axis.place(start)):.2f}%"


def _y(axis: Axis, value: float) -> float:
    return _TOP + HEIGHT * (1 - axis.place(value))


def _bar(across: Axis, start: float, end: float, top: float, told: str) -> str:
    top = min(top, _TOP + HEIGHT - 1.5)
    return (
        f'<rect class="bin" x="{_x(across, start)}" y="{top:.1f}" width="{_wide(across, start, end)}" '
        f'height="{_TOP + HEIGHT - top:.1f}"><title>{escape(told)}</title></rect>'
    )


def _range(start: float, end: float, beyond: str, count: int, unit: str) -> str:
    low, high = figure(start, 3), figure(end, 3)
    where = f"less than {high}" if beyond == "below" else f"{low} or more" if beyond == "above" else f"{low} to {high}"
    return f"{where}: {count:,} {unit}"


def _grid(axis: Axis) -> str:
    ticks = [value for value in axis.ticks(5) if not axis.logarithmic or value >= 1]
    return "".join(
        f'<line class="grid" x1="0" x2="100%" y1="{_y(axis, value):.1f}" y2="{_y(axis, value):.1f}"/>'
        f'<text x="-8" y="{_y(axis, value) + 4:.1f}" text-anchor="end">{tick(value)}</text>'
        for value in ticks
    )


def _below(axis: Axis, ticks: int) -> str:
    base = _TOP + HEIGHT
    drawn = [f'<line class="axis" x1="0" x2="100%" y1="{base}" y2="{base}"/>']
    for number, value in enumerate(axis.ticks(ticks)):
        # Every second one is left out where the window is narrow.
        look, x = "minor" if number % 2 else "major", _x(axis, value)
        drawn.append(
            f'<g class="{look}"><line class="axis" x1="{x}" x2="{x}" y1="{base}" y2="{base + 4}"/>'
            f'<text x="{x}" y="{base + 18}" text-anchor="middle">{tick(value)}</text></g>'
        )
    return f'{"".join(drawn)}<text x="50%" y="{base + 38}" text-anchor="middle">{escape(axis.label)}</text>'


def _marks(across: Axis, marks: Mapping[str, float]) -> str:
    """Dashed lines with names above: on the outer side where there is room, a line lower where two would meet."""
    drawn = []
    taken: list[tuple[str, float]] = []
    places = {name: across.place(value) for name, value in marks.items() if math.isfinite(value)}
    for name, place in places.items():
        side = "end" if place > 0.75 or (place > 0.25 and place == min(places.values())) else "start"
        meets = any(side == other and abs(place - there) < _NEAR for other, there in taken)
        taken.append((side, place))
        row = 24 if meets else 10
        x = f"{100 * place:.2f}%"
        drawn.append(
            f'<line class="mark" x1="{x}" x2="{x}" y1="{row - 8}" y2="{_TOP + HEIGHT}"/><text class="mark" x="{x}" '
            f'dx="{-5 if side == "end" else 5}" y="{row}" text-anchor="{side}">{escape(name)} '
            f"{figure(marks[name], 3)}</text>"
        )
    return "".join(drawn)


def tick(value: float) -> str:
    """A value beside an axis: 0.25, 10, 5,000, 20k, 3M."""
    if abs(value) >= 10_000:
        for unit, worth in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
            if abs(value) >= worth:
                return f"{value / worth:g}{unit}".replace("-", "−")
    return f"{value:,.10g}".replace("-", "−")

"""Charts as inline SVG and HTML: bars with shares, a stacked band, a histogram. Colours come from the page's CSS."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from ssift.printable import printable


class Bin(NamedTuple):
    """One bar of a histogram: from ``start`` to ``end`` on the axis, and how many tokens are in it."""

    start: float
    end: float
    tokens: int


def safe(text: str) -> str:
    """Text of a log for a page: control characters as escapes, markup as text."""
    return escape(printable(text), quote=True)


def bars(counts: Mapping[str, int], most: int = 12, classes: Mapping[str, str] | None = None) -> str:
    """A row with label, bar, count and share for each word; ``most`` of them, the rest in one row."""
    total = sum(counts.values())
    if not total:
        return '<p class="none">none</p>'
    shown = list(counts.items())[:most]
    rest = total - sum(count for _, count in shown)
    if rest:
        shown.append((f"{len(counts) - most:,} more", rest))
    largest = max(count for _, count in shown) or 1
    rows = []
    for word, count in shown:
        label = safe(word) or '<i class="none">never sent</i>'
        look = (classes or {}).get(word, "")
        rows.append(
            f'<tr><th scope="row" title="{safe(word)}">{label}</th>'
            f'<td class="track"><span class="bar {look}" style="width:{100 * count / largest:.2f}%"></span></td>'
            f'<td class="n">{count:,}</td><td class="n share">{count / total:.1%}</td></tr>'
        )
    return f'<table class="bars"><tbody>{"".join(rows)}</tbody></table>'


def band(parts: Mapping[str, int], classes: Mapping[str, str]) -> str:
    """One band divided by share, with a legend."""
    total = sum(parts.values())
    if not total:
        return '<p class="none">none</p>'
    present = {name: count for name, count in parts.items() if count}
    pieces = "".join(
        f'<span class="{classes.get(name, "")}" style="flex-grow:{count}" title="{safe(name)}: {count:,}"></span>'
        for name, count in present.items()
    )
    legend = "".join(
        f'<li><span class="dot {classes.get(name, "")}"></span>{safe(name)} <b>{count:,}</b> '
        f'<span class="share">{count / total:.1%}</span></li>'
        for name, count in parts.items()
    )
    return f'<div class="band" role="img">{pieces}</div><ul class="legend">{legend}</ul>'


def histogram(bins: Sequence[Bin], marks: Mapping[str, float], label: str) -> str:
    """Bars over a linear axis, heights on a logarithmic one, and dashed lines at ``marks``."""
    width, height, left, bottom, top = 720, 260, 46, 34, 22
    low, high = bins[0].start, bins[-1].end
    decades = max(math.ceil(math.log10(max(max(each.tokens for each in bins), 1) + 1)), 1)

    def x(value: float) -> float:
        return left + (width - left - 8) * (min(max(value, low), high) - low) / (high - low)

    def y(count: float) -> float:
        # Half a decade below 1, so that a single token is seen.
        share = (math.log10(count) + 0.5) / (decades + 0.5) if count else 0.0
        return height - bottom - (height - bottom - top) * share

    drawn = []
    for decade in range(decades + 1):
        line = y(10**decade)
        drawn.append(f'<line class="grid" x1="{left}" x2="{width - 8}" y1="{line:.1f}" y2="{line:.1f}"/>')
        drawn.append(f'<text x="{left - 6}" y="{line + 4:.1f}" text-anchor="end">{_power(decade)}</text>')
    for each in bins:
        if each.tokens:
            start, end, edge = x(each.start) + 0.5, x(each.end) - 0.5, y(each.tokens)
            drawn.append(
                f'<rect class="fill" x="{start:.1f}" y="{edge:.1f}" width="{max(end - start, 1):.1f}" '
                f'height="{height - bottom - edge:.1f}" rx="1.5"><title>{_range(each, low)}: '
                f"{each.tokens:,} tokens</title></rect>"
            )
    for tick in range(math.ceil(low), math.floor(high) + 1):
        text = ("≤ " if tick == low else "") + str(tick).replace("-", "−")
        drawn.append(f'<text x="{x(tick):.1f}" y="{height - bottom + 16}" text-anchor="middle">{text}</text>')
    for place, (name, value) in enumerate(sorted(marks.items(), key=lambda mark: mark[1])):
        if math.isfinite(value):
            drawn.append(
                f'<line class="mark" x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top - 6}" y2="{height - bottom}"/>'
                f'<text class="mark" x="{x(value) - 4:.1f}" y="{top + 2 + 13 * place}" text-anchor="end">'
                f"{escape(name)} {value:.4g}</text>"
            )
    drawn.append(f'<text x="{(left + width) / 2}" y="{height - 4}" text-anchor="middle">{escape(label)}</text>')
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">{"".join(drawn)}</svg>'


def _power(decade: int) -> str:
    return f"{10**decade:,}" if decade < 4 else f"10{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(digit)] for digit in str(decade))}"


def _range(each: Bin, low: float) -> str:
    return f"{each.end:g} or less" if each.start == low else f"{each.start:g} to {each.end:g}"

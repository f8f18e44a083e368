"""Words with their counts: a bar for each, or one band divided among them."""

from __future__ import annotations

from collections.abc import Mapping

from ssift.report.markup import nothing, percent, safe


def bars(counts: Mapping[str, int], most: int = 12, looks: Mapping[str, str] | None = None, shares: bool = True) -> str:
    """A row with label, bar, count and share for each word; ``most`` of them, the rest in one row.

    ``looks`` are classes of bars; without ``shares`` the counts are of different things, which add up to nothing.
    """
    whole = sum(counts.values())
    if not whole:
        return nothing()
    shown = list(counts.items())[:most]
    rest = whole - sum(count for _, count in shown)
    if rest:
        shown.append((f"{len(counts) - most:,} more", rest))
    share = '<td class="n share">{}</td>' if shares else ""
    largest = max(count for _, count in shown)
    rows = "".join(
        f'<tr><th scope="row" title="{safe(word)}">{safe(word) or "<i>never sent</i>"}</th>'
        f'<td class="track"><span class="bar {(looks or {}).get(word, "")}" style="width:{100 * count / largest:.2f}%">'
        f'</span></td><td class="n">{count:,}</td>{share.format(percent(count / whole))}</tr>'
        for word, count in shown
    )
    return f'<table class="bars"><tbody>{rows}</tbody></table>'


def band(parts: Mapping[str, int], looks: Mapping[str, str]) -> str:
    """One band divided by share, with a legend."""
    total = sum(parts.values())
    if not total:
        return nothing()
    present = {name: count for name, count in parts.items() if count}
    pieces = "".join(
        f'<span class="{looks.get(name, "")}" style="flex-grow:{count}" title="{safe(name)}: {count:,}"></span>'
        for name, count in present.items()
    )
    legend = "".join(
        f'<li><span class="dot {looks.get(name, "")}"></span>{safe(name)} <b>{count:,}</b> '
        f'<span class="share">{percent(count / total)}</span></li>'
        for name, count in present.items()
    )
    return f'<div class="band" role="presentation">{pieces}</div><ul class="legend">{legend}</ul>'

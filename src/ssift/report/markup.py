"""HTML: text of a log made safe, figures for people, and the few elements that sections are made of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from ssift.printable import printable, shortened

LONGEST = 200
"""Characters of a word of a log (a model, a message) that a page shows."""

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def safe(text: str, longest: int = LONGEST) -> str:
    """Text of a log for a page, also inside of attributes: cut, control characters as escapes, markup as text."""
    return escape(printable(shortened(text, longest)), quote=True)


def figure(value: float | int | None, digits: int = 4) -> str:
    """A figure for people: a whole one in full, others to some digits, a dash for what is not defined."""
    if value is None or math.isnan(value):
        return "–"
    if isinstance(value, int) or value == 0:
        return f"{value:,.0f}".replace("-", "−")
    written, _, power = f"{value:#,.{digits}g}".partition("e")
    written = written.removesuffix(".").replace("-", "−").replace("inf", "∞")
    return f"{written} × 10{superscript(int(power))}" if power else written


def superscript(number: int) -> str:
    """A whole number, raised."""
    return str(number).translate(_RAISED)


def percent(share: float) -> str:
    """A share of 1; a dash when it is not defined."""
    if 0 < share < 0.0005:
        return "&lt;0.1%"
    if 0.9995 <= share < 1:
        return "&gt;99.9%"
    return "–" if math.isnan(share) else f"{share:.1%}"


def section(name: str, title: str, body: str, lead: str = "") -> str:
    """A part of the page under its own heading; ``lead`` is a sentence or two that say how to read it."""
    said = f'<p class="lead">{lead}</p>' if lead else ""
    return f'<section id="{name}"><h2>{title}</h2>{said}{body}</section>\n'


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table of finished HTML; the first ``words`` columns are words, the others figures."""
    kinds = ["w" if place < words else "n" for place in range(len(heads))]
    head = "".join(f'<th class="{kind}" scope="col">{text}</th>' for kind, text in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>" + "".join(f'<td class="{kind}">{cell}</td>' for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def nothing(text: str = "none") -> str:
    """Said in place of a picture."""
    return f'<p class="none">{text}</p>'

"""Colours for the probability of a token: on the page (by class, see ``page.css``) and in a terminal.

A likely token has no colour, so what is coloured is what to look at. The steps go from pale yellow to red and differ in
lightness too, for eyes that do not tell red from green.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ssift.statistics import SENTINEL


class Shade(NamedTuple):
    """A range of probabilities: from ``least`` up to the range above.

    ``rgb`` is the background in a terminal with all colours, ``indexed`` that of the 256 colours; the text on them
    is black. Both are None for likely tokens.
    """

    name: str
    label: str
    least: float
    rgb: tuple[int, int, int] | None
    indexed: int | None


SHADES = (
    Shade("s0", "90% or more", 0.9, None, None),
    Shade("s1", "50 to 90%", 0.5, (253, 240, 200), 230),
    Shade("s2", "10 to 50%", 0.1, (250, 214, 143), 222),
    Shade("s3", "1 to 10%", 0.01, (244, 172, 104), 215),
    Shade("s4", "0.1 to 1%", 0.001, (236, 128, 92), 209),
    Shade("s5", "less than 0.1%", 0.0, (222, 92, 84), 203),
)

NOT_TOP = "not in the top"
"""What a sentinel says: the server listed the best tokens only, and this was none of them."""


def probability(logprob: float) -> float:
    """exp(logprob), at most 1: a server's rounding can make a logprob a little positive. NaN stays."""
    return logprob if math.isnan(logprob) else math.exp(min(logprob, 0.0))


def shade(logprob: float) -> Shade | None:
    """The colour of a token, None when its logprob is missing. A sentinel has the last one."""
    if math.isnan(logprob):
        return None
    value = probability(logprob)
    return next(each for each in SHADES if value >= each.least)


def is_sentinel(logprob: float) -> bool:
    """Whether it is no logprob but says that the token was not in the top."""
    return logprob <= SENTINEL


def sgr(found: Shade, truecolour: bool) -> str:
    """The numbers that a terminal takes for a colour (ECMA-48 SGR); empty for likely tokens."""
    if found.rgb is None or found.indexed is None:
        return ""
    if truecolour:
        return "38;2;20;20;20;48;2;{};{};{}".format(*found.rgb)
    return f"38;5;16;48;5;{found.indexed}"

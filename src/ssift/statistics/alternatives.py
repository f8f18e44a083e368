"""Figures of many tokens, which merge: their logprobs, and what their alternatives say."""

from __future__ import annotations

from typing import Any

import numpy as np

from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import ASKED, BELOW, UNLISTED, Kernel
from ssift.statistics.logprobs import Logprobs, Sentinels
from ssift.statistics.tokens import TokenColumns

DISTRIBUTIONS = {
    "entropy_lower": "entropy",
    "covered_mass": "covered_mass",
    "confidence": "confidence",
    "margin": "margin",
}
"""Figures of which a distribution is kept, and their columns."""


class Share:
    """How many of those that can be asked say yes."""

    __slots__ = ("asked", "yes")

    def __init__(self, yes: int = 0, asked: int = 0) -> None:
        self.yes = yes
        self.asked = asked

    def add(self, yes: int, asked: int) -> None:
        """Count some more."""
        self.yes += yes
        self.asked += asked

    @property
    def rate(self) -> float:
        """yes / asked, NaN when none can be asked."""
        return self.yes / self.asked if self.asked else float("nan")

    def __add__(self, other: Share) -> Share:
        return Share(self.yes + other.yes, self.asked + other.asked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Share) and (self.yes, self.asked) == (other.yes, other.asked)

    __hash__ = None  # type: ignore[assignment]


class TokenFigures:
    """Figures of tokens; ``a + b`` merges, to the last bit the same whatever the split.

    Attributes:
        logprobs: :class:`~ssift.statistics.Logprobs`.
        entropy_lower, covered_mass, confidence, margin: Distributions over the tokens that have them; see
            :mod:`ssift.statistics.tokens`. Their ``missing`` counts the tokens that have none.
        off_top1: share of tokens with an alternative above them, of those with alternatives.
        off_topk: share of tokens that are not among their alternatives.
    """

    def __init__(self) -> None:
        self.logprobs = Logprobs()
        self.entropy_lower = Distribution()
        self.covered_mass = Distribution()
        self.confidence = Distribution()
        self.margin = Distribution()
        self.off_top1 = Share()
        self.off_topk = Share()

    def add(self, columns: TokenColumns, by: Kernel) -> None:
        """Add the columns of some tokens."""
        self.logprobs.add(columns.logprob, by)
        for name, column in DISTRIBUTIONS.items():
            getattr(self, name).add(getattr(columns, column), by)
        asked, below, unlisted = (int(np.count_nonzero(columns.seat & bit)) for bit in (ASKED, BELOW, UNLISTED))
        self.off_top1.add(below, asked)
        self.off_topk.add(unlisted, asked)

    def to_dict(self, sentinels: Sentinels = "exclude") -> dict[str, Any]:
        """logprob, perplexity, the distributions and the two rates by name."""
        return {
            "logprob": self.logprobs.to_dict(sentinels),
            "perplexity": self.logprobs.perplexity(sentinels),
            **{name: getattr(self, name).to_dict() for name in DISTRIBUTIONS},
            "off_top1_rate": self.off_top1.rate,
            "off_topk_rate": self.off_topk.rate,
        }

    def __add__(self, other: TokenFigures) -> TokenFigures:
        merged = TokenFigures()
        for name, mine in vars(self).items():
            setattr(merged, name, mine + getattr(other, name))
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenFigures) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

"""Figures of each token, from its logprob and its alternatives.

With l the logprob of the token, p = exp(l), and the sums over the k listed alternatives that have a value:

====================  ==========================================================================================
probability           min(p, 1): a server's rounding can make l a little positive
entropy_lower         H = -Σ p ln p, a lower bound of the entropy of the whole distribution
covered_mass          M = Σ p; how much of the distribution is listed, so how far the bound can be off
entropy_renormalized  ln M + H / M: as if there was nothing but what is listed
entropy_upper         H + m ln((V - k) / m) with m = 1 - M: what is not listed spread evenly over V - k tokens
margin, margin_log    p₁ - p₂, l₁ - l₂ of the two best listed
rank                  1 + number of listed alternatives above the token
confidence            C = -(1/k) Σ l, after Fu et al., "Deep Think with Confidence", 2025: larger is more peaked
====================  ==========================================================================================

All in nats. The sampled token counts once where a server lists it twice. Alternatives without a value, and sentinels
unless they are included, count for nothing but the rank. Without alternatives all of these are NaN, the rank null.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ssift.contract import Codes, Floats
from ssift.log import Log
from ssift.statistics import plain
from ssift.statistics.kernel import ASKED, UNLISTED, Kernel, Listed, floor_of, kernel
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.tables import table
from ssift.table import Table

TABLES = ("tokens", "top_logprobs")
"""The tables of a log that these figures are made from."""


class TokenColumns(NamedTuple):
    """What summaries and choices are made from, each of shape (tokens,); NaN where a figure is not defined."""

    logprob: Floats
    entropy: Floats
    confidence: Floats
    covered_mass: Floats
    margin: Floats
    seat: Codes  # ASKED, BELOW, UNLISTED of the kernel


def listed_of(log: Log, floor: float, by: Kernel, lean: bool = False) -> Listed:
    """The alternatives of each token of a log; ``lean`` as in :meth:`ssift.statistics.kernel.Kernel.listed`."""
    tokens, tops = log.tokens, log.top_logprobs
    return by.listed(
        tokens["logprob"], tokens["token"], tokens["top_start"], log.first["top_logprobs"], tops["logprob"],
        tops["token"], floor, lean,
    )  # fmt: skip


def columns_of(log: Log, floor: float, by: Kernel) -> TokenColumns:
    """The columns of all tokens of a log, good until the next call with the same kernel."""
    listed = listed_of(log, floor, by, lean=True)
    return TokenColumns(
        log.tokens["logprob"], listed.entropy, listed.confidence, listed.mass, listed.margin, listed.seat
    )


def tokens(log: Log, *, sentinels: Sentinels = "exclude", vocabulary: int | None = None) -> Table:
    """Figures of each token; see :mod:`ssift.statistics.tokens` for the formulas.

    Args:
        log: a log, or a batch of one, with the tables ``tokens`` and ``top_logprobs``.
        sentinels: ``"exclude"`` leaves alternatives at or below -9999 out, ``"include"`` keeps them.
        vocabulary: V, the number of tokens the model knows; ``entropy_upper`` needs it and is NaN without.

    Returns:
        One row per token: response, index, position (int64), logprob, probability, surprise (-l), entries (int64: k),
        entropy_lower, entropy_renormalized, entropy_upper, covered_mass, margin, margin_log, confidence (float64),
        rank (int64, nullable) and listed (bool: the token is among its alternatives).

    Raises:
        TableError: one of the two tables was not read.
        ValueError: an unknown ``sentinels``, or a vocabulary smaller than a list of alternatives.
    """
    floor = floor_of(sentinels)
    by = kernel(log.engine)
    listed = listed_of(log, floor, by)
    logprob = log.tokens["logprob"]
    mass, lower = listed.mass, listed.entropy
    if vocabulary is not None and vocabulary < listed.entries.max(initial=0):
        raise ValueError(
            f"vocabulary={vocabulary}: a token lists {listed.entries.max()}; give how many tokens the model knows"
        )
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        renormalized = np.maximum(np.log(mass) + lower / mass, 0.0)  # rounding takes that of one alternative below
        upper = np.full(len(lower), np.nan) if vocabulary is None else _upper(lower, mass, listed, vocabulary)
        margin_log = listed.best - listed.second
    probability = np.where(np.isnan(logprob), np.nan, plain.exp(logprob))
    return table(
        "token_figures",
        response=log.tokens["response"],
        index=log.tokens["index"],
        position=log.tokens["position"],
        logprob=logprob,
        probability=probability,
        surprise=0.0 - logprob,  # of 0 it is 0, not -0
        entries=listed.entries,
        entropy_lower=lower,
        entropy_renormalized=renormalized,
        entropy_upper=upper,
        covered_mass=mass,
        margin=listed.margin,
        margin_log=margin_log,
        confidence=listed.confidence + 0.0,
        rank=np.ma.MaskedArray(listed.above + 1, mask=(listed.seat & ASKED) == 0),
        listed=(listed.seat & (ASKED | UNLISTED)) == ASKED,
    )


def _upper(lower: Floats, mass: Floats, listed: Listed, vocabulary: int) -> Floats:
    rest = np.maximum(1.0 - mass, 0.0)
    spread = rest * np.log((vocabulary - listed.entries) / rest)
    found: Floats = lower + np.where((rest > 0) & (vocabulary > listed.entries), spread, 0.0)
    return found

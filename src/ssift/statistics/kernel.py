"""The three passes over columns that all figures rest on, and the choice of who makes them.

A *kernel* is compiled (``ssift._native.Figures``) where the log was read by the native engine and plain numpy
(:mod:`ssift.statistics.plain`) elsewhere. The two give the same numbers to the last bit; what is built on them is
written once. Floats are float64, integers int64; n is the number of tokens, c of choices.

A *floor* is a logprob at or below which a value is set apart (see :data:`SENTINEL`); minus infinity keeps all.
"""

from __future__ import annotations

import math
import threading
from typing import NamedTuple, Protocol, cast

import numpy as np

from ssift.contract import Codes, Floats, Ints
from ssift.engine import choose
from ssift.strings import Strings

SENTINEL = -9999.0
"""A logprob at or below this is a mark of the server ("not in the top"), not a value."""

SLOTS = 256
"""Places on the axis of positions: 0 to 15 each, then eight to the octave. See :func:`slot_starts`."""

UNITS = 2.0**36
"""Sums by place are of multiples of 1 / UNITS."""

PART = 27
"""Sums by place are kept in two halves: so many low bits, and what is above them."""

PLACED = 1024.0
"""Values of this size or larger do not take part in sums by place."""

ASKED, BELOW, UNLISTED = 1, 2, 4
"""Where a token sits among its alternatives: it has a logprob and alternatives; one of them is above it; it is none."""


class Listed(NamedTuple):
    """Figures of the alternatives of each token, each array of shape (n,); floats are NaN where there is none.

    The sampled token counts once where a server lists it twice; missing alternatives and those not above the floor
    count for nothing but ``above``.
    """

    entries: Ints  # alternatives with a value
    above: Ints  # alternatives with a logprob above the sampled token's
    seat: Codes  # ASKED, BELOW, UNLISTED
    confidence: Floats  # minus the mean of their logprobs
    mass: Floats  # sum of their probabilities
    entropy: Floats  # -sum of p ln p
    best: Floats  # the highest logprob, and the second
    second: Floats
    margin: Floats  # the difference of their probabilities


class Tally(NamedTuple):
    """Everything about a column that adds up."""

    values: int  # above the floor; of these:
    apart: int  # values at or below it
    missing: int  # NaN
    positive: int
    plus_infinities: int
    minus_infinities: int
    least: float  # NaN when there are none
    most: float
    units: int  # the exact sum of the finite ones, in multiples of 2**-1074
    zeros: int  # values in the sketch's bucket of zero
    keys: list[tuple[int, Ints]]  # runs of its other buckets of the sketch: number of the first, counts


class Profile(NamedTuple):
    """Figures of choices, each array of shape (c,); ``places`` has shape (6, SLOTS)."""

    values: Ints  # tokens with a value above the floor
    missing: Ints
    sentinels: Ints
    positive: Ints
    low_run: Ints  # longest run of tokens with a logprob below the limit
    low_start: Ints  # which token of the choice begins it; -1 when there is none
    listed: Ints  # tokens with a confidence
    sum: Floats  # compensated (Neumaier)
    least: Floats
    surprise_p95: Floats
    surprise_tail: Floats  # mean of the ceil(0.1 T) largest surprises
    entropy: Floats  # mean over listed tokens
    confidence: Floats  # mean over listed tokens
    lowest: Floats  # groups of confidence after DeepConf
    bottom: Floats
    tail: Floats
    places: Ints  # count, low and high half (see PART) of sums by place: of logprobs, then of confidences


class Kernel(Protocol):
    """See the module."""

    def listed(
        self, logprob: Floats, token: Strings, starts: Ints, first: int, top_logprob: Floats, top_token: Strings,
        floor: float, lean: bool = False,
    ) -> Listed:  # fmt: skip
        """Alternatives of each token: those of token i begin at row ``starts[i] - first``.

        With ``lean`` entries, above, best and second are not made (they may be empty), and the arrays may be memory of
        the kernel, good until the next call.
        """

    def tally(self, values: Floats, floor: float) -> Tally:
        """What a column adds to a distribution."""

    def profile(
        self, offsets: Ints, logprob: Floats, entropy: Floats, confidence: Floats, window: int, share: float,
        floor: float, limit: float,
    ) -> Profile:  # fmt: skip
        """Figures of choices: the tokens of choice i are rows ``offsets[i]`` to ``offsets[i + 1]``."""


class _Compiled:
    """The native functions, with names on what they give."""

    def __init__(self) -> None:
        from ssift._native import Figures

        self._figures = Figures()

    def listed(
        self, logprob: Floats, token: Strings, starts: Ints, first: int, top_logprob: Floats, top_token: Strings,
        floor: float, lean: bool = False,
    ) -> Listed:  # fmt: skip
        return Listed(*self._figures.listed(logprob, token, starts, first, top_logprob, top_token, floor, lean))

    def tally(self, values: Floats, floor: float) -> Tally:
        return Tally(*self._figures.tally(values, floor))

    def profile(
        self, offsets: Ints, logprob: Floats, entropy: Floats, confidence: Floats, window: int, share: float,
        floor: float, limit: float,
    ) -> Profile:  # fmt: skip
        return Profile(*self._figures.profile(offsets, logprob, entropy, confidence, window, share, floor, limit))


_of_thread = threading.local()


def kernel(engine: str | None = None) -> Kernel:
    """The kernel that goes with an engine (None: the one in use). It belongs to the calling thread."""
    name = choose(engine)[0]
    found = getattr(_of_thread, name, None)
    if found is None:
        if name == "native":
            found = _Compiled()
        else:
            from ssift.statistics import plain

            found = plain
        setattr(_of_thread, name, found)
    return cast(Kernel, found)


def slot_starts(slots: int = SLOTS) -> Ints:
    """The first position of each place, shape (slots,); the last position of a place is before the next one's."""
    fine = np.arange(min(slots, 16))
    rest = np.arange(max(slots - 16, 0))
    return np.concatenate([fine, (8 + rest % 8) << (1 + rest // 8)]).astype(np.int64)


def floor_of(sentinels: str) -> float:
    """The floor that goes with ``sentinels="exclude"`` or ``"include"``.

    Raises:
        ValueError: it is neither.
    """
    if sentinels not in ("exclude", "include"):
        raise ValueError(f"sentinels={sentinels!r}: use exclude or include")
    return SENTINEL if sentinels == "exclude" else -math.inf

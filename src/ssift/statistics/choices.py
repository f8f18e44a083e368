"""Figures of whole choices and responses.

With l the logprobs of the T tokens of a choice that have a value, S their sum, C their confidences:

=======================  =======================================================================================
mean_logprob, nll        S / T, -S / T
perplexity               exp(-S / T)
min_logprob              the least l
surprise_p95             95th percentile of -l, linear between ranks
surprise_tail_mean       mean of the ceil(0.1 T) largest -l
mean_entropy             mean of the tokens' entropy_lower
mean_confidence          mean of C
lowest_group_confidence  least of the groups: means of C over ``window`` tokens in a row, moved by one
bottom_group_confidence  mean of the lowest tenth of the groups (rounded down, at least one)
tail_confidence          the last group
longest_low_run          most tokens in a row with l < ``low``
bits_per_byte            -S / (B ln 2), B = bytes of content, refusal and reasoning
=======================  =======================================================================================

Groups after Fu et al., "Deep Think with Confidence", 2025, as their code has them: full windows only, and one group
of all tokens when there are no more than a window. Tokens without alternatives have no confidence and are passed over.
S is compensated (Neumaier). A figure that is not defined is NaN.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ssift.contract import Floats, Ints
from ssift.log import Log
from ssift.statistics.kernel import Kernel, Profile, floor_of, kernel
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.sums import exact_sum
from ssift.statistics.tables import table
from ssift.statistics.tokens import columns_of
from ssift.statistics.whole import Answers, Whole
from ssift.strings import Strings
from ssift.table import Table

WINDOW = 2048
"""Tokens in a group of confidence."""

BOTTOM = 0.1
"""Share of the groups that are the bottom."""

LOW = math.log(0.5)
"""A logprob below this is low: the token had less than even odds."""

TABLES = ("responses", "choices", "tokens", "top_logprobs")
"""The tables of a log that these figures are made from."""


class How(NamedTuple):
    """What figures of choices depend on."""

    sentinels: Sentinels = "exclude"
    window: int = WINDOW
    low: float = LOW

    def check(self) -> How:
        """Itself.

        Raises:
            ValueError: a parameter is out of its range.
        """
        floor_of(self.sentinels)
        window: object = self.window
        if not isinstance(window, int | np.integer) or window < 1:
            raise ValueError(f"window={self.window!r}: a whole number of tokens, at least 1")
        if math.isnan(self.low):
            raise ValueError(f"low={self.low}: a logprob in nats")
        return self


def profile_of(answers: Answers, how: How, by: Kernel, offsets: Ints | None = None) -> Profile:
    """The kernel's figures of each choice, or of other runs of the same tokens."""
    logprob, entropy, confidence = (np.ascontiguousarray(column) for column in answers.columns[:3])
    return by.profile(
        np.ascontiguousarray(answers.offsets if offsets is None else offsets, np.int64), logprob, entropy, confidence,
        how.window, BOTTOM, floor_of(how.sentinels), how.low,
    )  # fmt: skip


def over(above: npt.NDArray[np.number], below: npt.NDArray[np.number]) -> Floats:
    """The quotient, NaN where ``below`` is 0."""
    found: Floats = np.divide(above, below, out=np.full(len(below), np.nan), where=below != 0)
    return found


def perplexity_of(mean: Floats) -> Floats:
    """exp(-mean logprob), infinite where it is too large, NaN where there is no mean."""
    with np.errstate(over="ignore"):
        found: Floats = np.exp(-mean)
    return found


def bits_per_byte(total: Floats, text_bytes: Ints) -> Floats:
    """-S / (B ln 2), NaN where there is no text."""
    return 0.0 - over(total, text_bytes) / math.log(2)


def _of_tokens(found: Profile) -> dict[str, Any]:
    """The columns that tables of choices and of responses have in common."""
    mean = over(found.sum, found.values)
    return {
        "count": found.values,
        "missing": found.missing,
        "sentinels": found.sentinels,
        "positive": found.positive,
        "logprob_sum": found.sum,
        "mean_logprob": mean,
        "nll": 0.0 - mean,  # of 0 it is 0, not -0
        "perplexity": perplexity_of(mean),
        "min_logprob": found.least,
        "surprise_p95": found.surprise_p95 + 0.0,
        "surprise_tail_mean": found.surprise_tail,
        "mean_entropy": found.entropy,
        "mean_confidence": found.confidence,
    }


def choices(log: Log, *, sentinels: Sentinels = "exclude", window: int = WINDOW, low: float = LOW) -> Table:
    """Figures of each choice; see :mod:`ssift.statistics.choices` for the formulas.

    Args:
        log: a log with the tables ``responses``, ``choices``, ``tokens`` and ``top_logprobs``. Of a batch, the choices
            are those of responses that are whole in it, with a UserWarning if others are not: scan with
            ``whole_responses=True``.
        sentinels: ``"exclude"`` leaves logprobs at or below -9999 out, ``"include"`` keeps them.
        window: tokens in a group of confidence.
        low: a logprob below this, in nats, is low.

    Returns:
        One row per choice, as in ``log.choices``: response, index, finish_reason (str), tokens, count (with a value),
        missing, sentinels (left out, so 0 with ``"include"``), positive (int64), logprob_sum, mean_logprob,
        nll, perplexity, min_logprob, surprise_p95, surprise_tail_mean, mean_entropy, mean_confidence,
        lowest_group_confidence, bottom_group_confidence, tail_confidence (float64), longest_low_run,
        low_run_start (int64; which token begins it, null for none), text_bytes (int64), bits_per_byte
        (float64).

    Raises:
        TableError: one of these tables was not read.
        ValueError: a parameter is out of its range.
    """
    how = How(sentinels, window, low).check()
    answers = whole_of(log, how)
    found = profile_of(answers, how, kernel(log.engine))
    return table(
        "choice_figures",
        response=answers.response[answers.owner],
        index=answers.index,
        finish_reason=_never_null(answers.finish_reason),
        tokens=np.diff(answers.offsets),
        **_of_tokens(found),
        lowest_group_confidence=found.lowest,
        bottom_group_confidence=found.bottom,
        tail_confidence=found.tail,
        longest_low_run=found.low_run,
        low_run_start=np.ma.MaskedArray(found.low_start, mask=found.low_start < 0),
        text_bytes=answers.text_bytes,
        bits_per_byte=bits_per_byte(found.sum, answers.text_bytes),
    )


def _never_null(words: Strings) -> Strings:
    """The column with ``""`` where it is null."""
    return Strings(words.offsets, words.data)


def responses(log: Log, *, sentinels: Sentinels = "exclude", window: int = WINDOW, low: float = LOW) -> Table:
    """Figures of each response over the tokens of all its choices; ``lowest_group_confidence`` is that of its choices.

    Args:
        log, sentinels, window, low: as for :func:`choices`.

    Returns:
        One row per response: response, source, offset, length, id, model, choices, tokens, count, missing, sentinels,
        positive, logprob_sum, mean_logprob, nll, perplexity, min_logprob, surprise_p95, surprise_tail_mean,
        mean_entropy, mean_confidence, lowest_group_confidence, text_bytes, bits_per_byte.
    """
    how = How(sentinels, window, low).check()
    return response_table(whole_of(log, how), how, kernel(log.engine))


def response_table(answers: Answers, how: How, by: Kernel) -> Table:
    """The table of :func:`responses` from whole responses."""
    n = len(answers.response)
    borders = np.searchsorted(answers.owner, np.arange(n + 1))
    found = profile_of(answers, how, by, answers.offsets[borders])
    lowest = np.full(n, np.nan)
    np.fmin.at(lowest, answers.owner, profile_of(answers, how, by).lowest)
    text_bytes = np.zeros(n, np.int64)
    np.add.at(text_bytes, answers.owner, answers.text_bytes)
    return table(
        "response_figures",
        response=answers.response,
        source=answers.source,
        offset=answers.offset,
        length=answers.length,
        id=answers.id,
        model=answers.model,
        choices=np.diff(borders),
        tokens=np.diff(answers.offsets[borders]),
        **_of_tokens(found),
        lowest_group_confidence=lowest,
        text_bytes=text_bytes,
        bits_per_byte=bits_per_byte(found.sum, text_bytes),
    )


def runs(
    log: Log, *, below: float = LOW, least: int = 1, by: str = "logprob", sentinels: Sentinels = "exclude"
) -> Table:
    """Runs of low confidence: tokens in a row, of one choice, that are all below a limit.

    Args:
        log: as for :func:`choices`.
        below: the limit, in nats; a token takes part when its figure is smaller.
        least: runs of fewer tokens are left out.
        by: ``"logprob"``, or ``"confidence"`` for that of :mod:`ssift.statistics.tokens`. A token without the figure
            ends a run.
        sentinels: a logprob at or below -9999 is low either way; ``"exclude"`` leaves it out of ``mean``, and out of
            confidence.

    Returns:
        One row per run: response, index, start (which token of the choice, from 0, over all its lists), tokens
        (int64), mean (float64, of the figure; NaN for a run of sentinels alone).

    Raises:
        ValueError: an unknown ``by`` or ``sentinels``.
    """
    if by not in ("logprob", "confidence"):
        raise ValueError(f"by={by!r}: use logprob or confidence")
    answers = whole_of(log, How(sentinels))
    values = answers.columns[0 if by == "logprob" else 2]
    counts = values > floor_of(sentinels) if by == "logprob" and sentinels == "exclude" else ~np.isnan(values)
    low = np.concatenate([values < below, [False]])
    first = np.zeros(len(low), np.bool_)
    first[answers.offsets[:-1]] = True  # a choice begins: what was before does not go on
    before = np.concatenate([[False], low[:-1]]) & ~first
    after = np.concatenate([low[1:] & ~first[1:], [False]])
    starts, ends = np.flatnonzero(low & ~before), np.flatnonzero(low & ~after) + 1
    long = ends - starts >= least
    starts, ends = starts[long], ends[long]
    choice = np.searchsorted(answers.offsets, starts, "right") - 1
    parts = [values[start:end][counts[start:end]] for start, end in zip(starts, ends, strict=True)]
    totals = np.array([exact_sum(part) for part in parts], np.float64)
    return table(
        "runs",
        response=answers.response[answers.owner[choice]],
        index=answers.index[choice],
        start=starts - answers.offsets[choice],
        tokens=ends - starts,
        mean=over(totals, np.array([len(part) for part in parts], np.int64)),
    )


def whole_of(log: Log, how: How) -> Answers:
    """The whole responses of a log, with the columns logprob, entropy and confidence; a warning if there are others."""
    whole = Whole()
    answers = next(whole.add(log, columns_of(log, floor_of(how.sentinels), kernel(log.engine))[:3]))
    if whole.waiting:
        reach = "response reaches" if whole.waiting == 1 else "responses reach"
        warnings.warn(
            f"{whole.waiting:,} {reach} over the ends of this batch, left out of its figures: "
            "ssift.scan(..., whole_responses=True) keeps each in one batch",
            stacklevel=3,
        )
    return answers

"""When answers came, where arrival times were logged. All in seconds.

With t the arrival of a chunk, t₀ when the answer was asked for, and *token chunks* those of a response that list a
token. Where none does they are those in which a running count of completion_tokens rises; where nothing is counted
along, those with text; and where there is no text (tool calls), those with a choice.

=====================  ==========================================================================================
ttft_any_chunk         t - t₀ of the first chunk whatever it holds, such as a role
ttft_first_content     of the first chunk with text: content, refusal or reasoning
ttft_first_token       of the first token chunk
itl                    gaps between one token chunk and the next; a chunk may hold several tokens
tpot                   (last - first token chunk) / (n - 1), n = reported completion_tokens, else logprob entries
e2e                    end of the response - t₀; without a logged end, of its last chunk
tokens_per_second      n / e2e
goodput                share of responses that keep every limit that was given; an errored one keeps none
=====================  ==========================================================================================

A figure whose times were not logged is NaN. Many logs tell arrivals and no t₀ (see docs/formats.md): these have itl and
tpot alone. So is a figure NaN that would be less than 0 because a clock was set back: responses with such times
are counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ssift.contract import Flags, Floats, Ints
from ssift.log import Log
from ssift.statistics.choices import over
from ssift.statistics.distribution import Distribution
from ssift.statistics.tables import table
from ssift.table import Table

TABLES = ("responses", "chunks")
"""The tables of a log that times are read from."""

FIGURES = ("ttft_any_chunk", "ttft_first_content", "ttft_first_token", "tpot", "e2e", "tokens_per_second")
"""Figures of responses."""

LIMITS = ("ttft_any_chunk", "ttft_first_content", "ttft_first_token", "tpot", "e2e", "itl")
"""Figures that may be limited for goodput; itl is the longest gap of a response."""

NONE = np.iinfo(np.int64).min
"""Stands for a time that is not known."""

_NS = 1e-9


class _Arrivals(NamedTuple):
    """Chunks with their times, in the order of arrival."""

    response: Ints
    time: Ints  # ns; NONE where there is none
    choices: Ints
    text: Ints  # bytes
    listed: Ints  # tokens
    reported: Ints  # completion_tokens so far, 0 where it is not said

    def where(self, rows: Flags) -> _Arrivals:
        return _Arrivals._make(column[rows] for column in self)

    def then(self, other: _Arrivals) -> _Arrivals:
        return _Arrivals._make(map(np.concatenate, zip(self, other, strict=True)))


def _arrivals(log: Log) -> _Arrivals:
    chunks = log.chunks
    return _Arrivals(
        chunks["response"],
        np.ma.filled(chunks["arrival_ns"], NONE),
        chunks["choice_count"],
        chunks["text_bytes"],
        chunks["token_count"],
        np.ma.filled(chunks["completion_tokens"], 0),
    )


def _token_chunks(arrivals: _Arrivals, owner: Ints, responses: int) -> Flags:
    """Which chunks are token chunks, of whole responses; ``owner`` numbers the responses from 0."""
    rises = _rises(arrivals.reported, owner)
    at_least = ((arrivals.listed > 0, 1), (rises, 2), (arrivals.text > 0, 1), (arrivals.choices > 0, 0))
    found = np.zeros(len(owner), np.bool_)
    undecided = np.ones(responses, np.bool_)
    for sign, least in at_least:
        decided = undecided & (np.bincount(owner[sign], minlength=responses) >= least)
        found |= sign & decided[owner]
        undecided &= ~decided
    return found


def _rises(reported: Ints, owner: Ints) -> Flags:
    """Where a count is above all that its response reported before. One count at the end of an answer is a rise too."""
    order = np.argsort(owner, kind="stable")
    counts = np.clip(reported[order], 0, (1 << 32) - 1) + (owner[order] << 32)  # so that no response reaches the next
    highest = np.maximum.accumulate(counts)
    before = np.concatenate([[-1], highest[:-1]])
    found = np.zeros(len(owner), np.bool_)
    found[order] = counts > np.maximum(before, owner[order] << 32)
    return found


class Latency:
    """Distributions of the times of responses, in seconds; ``add`` batches of a scan in order, ``a + b`` merges.

    Args:
        limits: for goodput: names of ``LIMITS`` and the seconds they may take; ``itl`` limits the longest gap.

    Attributes:
        responses: responses that ended; ``timed``: those with at least one arrival; ``requested``: those of which t₀ is
            known; ``backwards``: those of which some time lies before one that it follows.
        figures: name -> Distribution over responses (``FIGURES``); ``itl``: over all gaps.
        limits: the limits given; ``good``: responses that keep all of them, of those ``judged``: where each limited
            figure is known, and all that errored. These are never good: an error comes fast, or at no known time.
        started, ended: first time and last arrival, seconds, NaN when unknown.

    Raises:
        ValueError: a limit of an unknown name, or one that is below 0 or NaN.
    """

    def __init__(self, limits: Mapping[str, float] | None = None) -> None:
        self.limits = dict(limits or {})
        unknown = sorted(self.limits.keys() - set(LIMITS))
        if unknown:
            raise ValueError(f"limit {unknown[0]!r}: use {', '.join(LIMITS)}")
        for name, seconds in self.limits.items():
            if not seconds >= 0:
                raise ValueError(f"limit {name}={seconds}: seconds, from 0 on")
        self.responses = 0
        self.timed = 0
        self.requested = 0
        self.backwards = 0
        self.judged = 0
        self.good = 0
        self.figures = {name: Distribution() for name in FIGURES}
        self.itl = Distribution()
        self.started = math.nan
        self.ended = math.nan
        self._open: _Arrivals | None = None

    def add(self, log: Log) -> None:
        """Add a log, or the next batch of a scan, with the tables in ``ssift.statistics.latency.TABLES``."""
        arrivals = _arrivals(log)
        if self._open is not None:
            arrivals = self._open.then(arrivals)
        ended = np.isin(arrivals.response, log.responses["response"])
        self._open = None if ended.all() else arrivals.where(~ended)
        found, gaps = _of_responses(log, arrivals.where(ended))
        timed = ~np.isnan(found["ended"])
        self.responses += len(timed)
        self.timed += int(np.count_nonzero(timed))
        self.requested += int(np.count_nonzero(found["requested"]))
        self.backwards += int(np.count_nonzero(found["backwards"]))
        for name in FIGURES:
            self.figures[name].add(found[name])
        self.itl.add(gaps)
        self.started = float(np.fmin(self.started, np.fmin.reduce(found["started"], initial=math.nan)))
        self.ended = float(np.fmax(self.ended, np.fmax.reduce(found["ended"], initial=math.nan)))
        if self.limits:
            values = np.array([found["itl_max" if name == "itl" else name] for name in self.limits])
            limits = np.array(list(self.limits.values()))[:, None]
            known = ~np.isnan(values).any(axis=0)
            errored = np.array([status == "errored" for status in log.responses["status"]], np.bool_)
            self.judged += int(np.count_nonzero(known | errored))
            self.good += int(np.count_nonzero((values <= limits).all(axis=0) & known & ~errored))

    @property
    def goodput(self) -> float:
        """Share of judged responses that keep all limits, NaN without limits, such responses, or any time."""
        return self.good / self.judged if self.limits and self.judged and self.timed else math.nan

    @property
    def goodput_per_second(self) -> float:
        """Good responses per second from the first start to the last end; NaN where these are not known."""
        seconds = self.ended - self.started
        return self.good / seconds if self.limits and seconds > 0 else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Counts, distributions and goodput by name."""
        return {
            "responses": self.responses,
            "timed": self.timed,
            "requested": self.requested,
            "backwards": self.backwards,
            **{name: found.to_dict() for name, found in self.figures.items()},
            "itl": self.itl.to_dict(),
            "limits": self.limits,
            "judged": self.judged,
            "goodput": self.goodput,
            "goodput_per_second": self.goodput_per_second,
        }

    def __add__(self, other: Latency) -> Latency:
        if self.limits != other.limits:
            raise ValueError("the limits differ; make both the same way")
        if self._open is not None or other._open is not None:
            raise ValueError("a response is still open: add all batches of a scan before merging")
        merged = Latency(self.limits)
        for name in ("responses", "timed", "requested", "backwards", "judged", "good"):
            setattr(merged, name, getattr(self, name) + getattr(other, name))
        merged.figures = {name: found + other.figures[name] for name, found in self.figures.items()}
        merged.itl = self.itl + other.itl
        merged.started = float(np.fmin(self.started, other.started))
        merged.ended = float(np.fmax(self.ended, other.ended))
        return merged


def latency(log: Log) -> Table:
    """Times of each response, in seconds; see :mod:`ssift.statistics.latency`.

    Args:
        log: a log with the tables ``responses`` and ``chunks``; of a batch, chunks of a response that are
            in another one are not known.

    Returns:
        One row per response: response (int64), id, model (str), tokens (int64: n, null where not known), the six
        ``FIGURES``, itl_mean, itl_max (float64).
    """
    found = _of_responses(log, _arrivals(log))[0]
    n = found["tokens"]
    return table(
        "latency",
        response=log.responses["response"],
        id=log.responses["id"],
        model=log.responses["model"],
        tokens=np.ma.MaskedArray(np.nan_to_num(n).astype(np.int64), mask=np.isnan(n)),
        **{name: found[name] for name in (*FIGURES, "itl_mean", "itl_max")},
    )


def goodput(log: Log, **limits: float) -> float:
    """Share of responses that keep all limits, of those whose times are known or that errored; NaN without times.

    Args:
        log: as for :func:`latency`.
        **limits: seconds, by the names of ``LIMITS``: ``goodput(log, ttft_first_token=0.5, itl=0.1)``.

    Raises:
        ValueError: a limit of an unknown name, or one that is below 0 or NaN.
    """
    found = Latency(limits)
    found.add(log)
    return found.goodput


def _of_responses(log: Log, arrivals: _Arrivals) -> tuple[dict[str, Any], Floats]:
    """Figures by name, each of shape (responses,), and all gaps."""
    responses = log.responses
    numbers = responses["response"]
    n = len(numbers)
    asked, started, ended = (np.ma.filled(responses[f"{name}_ns"], NONE) for name in ("requested", "started", "ended"))
    owner = np.searchsorted(numbers, arrivals.response)
    there = arrivals.time != NONE
    is_token = _token_chunks(arrivals, owner, n) & there

    def at_end(rows: Flags, first: bool) -> Ints:
        """The time of the first or last of some chunks of each response."""
        chosen = np.flatnonzero(rows)
        found = np.full(n, NONE)
        found[owner[chosen[::-1] if first else chosen]] = arrivals.time[chosen[::-1] if first else chosen]
        return found

    first_token, last_token = at_end(is_token, True), at_end(is_token, False)
    ended = np.where(ended == NONE, at_end(there, False), ended)
    listed = np.bincount(owner, weights=arrivals.listed, minlength=n)
    reported = responses["completion_tokens"]
    tokens = np.where(np.ma.getmaskarray(reported), np.where(listed > 0, listed, np.nan), reported.data)
    rows = np.flatnonzero(is_token)
    rows = rows[np.argsort(owner[rows], kind="stable")]
    follows = np.diff(owner[rows]) == 0
    gaps = np.diff(arrivals.time[rows])[follows] * _NS
    of = owner[rows][1:][follows]
    backwards = np.bincount(of[gaps < 0], minlength=n) > 0
    gaps, of = gaps[gaps >= 0], of[gaps >= 0]
    count = np.bincount(of, minlength=n)
    longest = np.full(n, -np.inf)
    np.maximum.at(longest, of, gaps)
    times = {
        "ttft_any_chunk": _seconds(at_end(there, True), asked),
        "ttft_first_content": _seconds(at_end(there & (arrivals.text > 0), True), asked),
        "ttft_first_token": _seconds(first_token, asked),
        "tpot": over(_seconds(last_token, first_token), np.where(tokens > 1, tokens - 1, 0)),
        "e2e": _seconds(ended, asked),
    }
    for name, values in times.items():
        backwards |= values < 0
        times[name] = np.where(values < 0, np.nan, values)
    e2e = times["e2e"]
    return {
        **times,
        "tokens_per_second": over(tokens, np.where(e2e > 0, e2e, 0)),
        "tokens": tokens,
        "itl_mean": over(np.bincount(of, weights=gaps, minlength=n), count),
        "itl_max": np.where(count > 0, longest, np.nan),
        "backwards": backwards,
        "requested": asked != NONE,
        "started": np.fmin(_absolute(asked), _absolute(started)),
        "ended": _absolute(ended),
    }, gaps


def _absolute(times: Ints) -> Floats:
    """Seconds of the log's clock, NaN where there is no time."""
    found: Floats = np.where(times == NONE, np.nan, times * _NS)
    return found


def _seconds(end: Ints, start: Ints) -> Floats:
    """The difference in seconds, NaN where one is not known."""
    known = (end != NONE) & (start != NONE)
    found: Floats = np.where(known, np.where(known, end - np.where(known, start, 0), 0) * _NS, np.nan)
    return found

"""When answers came, where arrival times were logged. All in seconds.

With t the arrival of a chunk, t₀ the start of the request, and *token chunks* those that carry output:

=====================  ==========================================================================================
ttft_any_chunk         t - t₀ of the first chunk whatever it holds, such as a role
ttft_first_content     of the first chunk with text of the answer or of its reasoning
ttft_first_token       of the first chunk that lists a token, reports one in its usage, or else has text
itl                    gaps between one token chunk and the next; a chunk may hold several tokens
tpot                   (last - first token chunk) / (n - 1), n = reported completion_tokens, else logprob entries
e2e                    end of the response - t₀; without a logged end, of its last chunk
tokens_per_second      n / e2e
goodput                share of responses that keep every limit that was given
=====================  ==========================================================================================

A figure whose times were not logged is NaN. Text is what the column ``text_bytes`` of chunks counts, where a log has
one, else what tokens list: without it and without logprobs first_content is not known, and token chunks are all that
have a choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ssift.contract import Floats, Ints
from ssift.log import Log
from ssift.statistics.choices import over
from ssift.statistics.distribution import Distribution
from ssift.statistics.tables import table
from ssift.table import Table

TABLES = ("responses", "chunks", "tokens")
"""The tables of a log that times are read from."""

FIGURES = ("ttft_any_chunk", "ttft_first_content", "ttft_first_token", "tpot", "e2e", "tokens_per_second")
"""Figures of responses."""

LIMITS = ("ttft_any_chunk", "ttft_first_content", "ttft_first_token", "tpot", "e2e", "itl")
"""Figures that may be limited for goodput; itl is the longest gap of a response."""

_NS = 1e-9


class _Arrivals(NamedTuple):
    """Chunks with their times, in the order of arrival."""

    response: Ints
    time: Ints  # ns; NONE where there is none
    has_text: npt.NDArray[np.bool_]
    has_token: npt.NDArray[np.bool_]
    listed: Ints  # tokens listed

    def where(self, rows: npt.NDArray[np.bool_]) -> _Arrivals:
        return _Arrivals(
            self.response[rows], self.time[rows], self.has_text[rows], self.has_token[rows], self.listed[rows]
        )

    def then(self, other: _Arrivals) -> _Arrivals:
        return _Arrivals(
            np.concatenate([self.response, other.response]),
            np.concatenate([self.time, other.time]),
            np.concatenate([self.has_text, other.has_text]),
            np.concatenate([self.has_token, other.has_token]),
            np.concatenate([self.listed, other.listed]),
        )


NONE = np.iinfo(np.int64).min


def _arrivals(log: Log) -> _Arrivals:
    chunks, tokens = log.chunks, log.tokens
    n = len(chunks)
    listed = chunks["token_count"] > 0
    reported = np.ma.filled(chunks["completion_tokens"], 0) > 0
    if "text_bytes" in chunks:
        has_text = np.ma.filled(chunks["text_bytes"], 0) > 0
    else:
        has_text = np.zeros(n, np.bool_)
        has_text[tokens["chunk"][tokens["token"].lengths() > 0] - log.first["chunks"]] = True
    fallback = has_text if "text_bytes" in chunks else (chunks["choice_count"] > 0)
    silent = ~np.isin(chunks["response"], chunks["response"][listed | reported])
    return _Arrivals(
        chunks["response"],
        np.ma.filled(chunks["arrival_ns"], NONE),
        has_text,
        np.where(silent, fallback, listed | reported),
        chunks["token_count"],
    )


class Latency:
    """Distributions of the times of responses, in seconds; ``add`` batches of a scan in order, ``a + b`` merges.

    Args:
        limits: for goodput: names of ``LIMITS`` and the seconds they may take; ``itl`` limits the longest gap.

    Attributes:
        responses: responses that ended; ``timed``: those with at least one time.
        figures: name -> Distribution over responses (``FIGURES``); ``itl``: over all gaps.
        limits: the limits given; ``good``: responses that keep all of them, of those ``judged``: where each limited
            figure is known.
        started, ended: first start and last end, seconds, NaN when unknown.

    Raises:
        ValueError: a limit of an unknown name.
    """

    def __init__(self, limits: Mapping[str, float] | None = None) -> None:
        self.limits = dict(limits or {})
        unknown = sorted(self.limits.keys() - set(LIMITS))
        if unknown:
            raise ValueError(f"limit {unknown[0]!r}: use {', '.join(LIMITS)}")
        self.responses = 0
        self.timed = 0
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
        longest = found.pop("itl_max")
        timed = ~np.isnan(found["started"]) | ~np.isnan(found["ended"])
        self.responses += len(timed)
        self.timed += int(np.count_nonzero(timed))
        for name in FIGURES:
            self.figures[name].add(found[name])
        self.itl.add(gaps)
        self.started = float(np.fmin(self.started, np.fmin.reduce(found["started"], initial=math.nan)))
        self.ended = float(np.fmax(self.ended, np.fmax.reduce(found["ended"], initial=math.nan)))
        if self.limits:
            values = np.array([longest if name == "itl" else found[name] for name in self.limits])
            limits = np.array(list(self.limits.values()))[:, None]
            known = ~np.isnan(values).any(axis=0)
            self.judged += int(np.count_nonzero(known))
            self.good += int(np.count_nonzero((values <= limits).all(axis=0) & known))

    @property
    def goodput(self) -> float:
        """Share of judged responses that keep all limits, NaN without limits or without such responses."""
        return self.good / self.judged if self.limits and self.judged else math.nan

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
        for name in ("responses", "timed", "judged", "good"):
            setattr(merged, name, getattr(self, name) + getattr(other, name))
        merged.figures = {name: found + other.figures[name] for name, found in self.figures.items()}
        merged.itl = self.itl + other.itl
        merged.started = float(np.fmin(self.started, other.started))
        merged.ended = float(np.fmax(self.ended, other.ended))
        return merged


def latency(log: Log) -> Table:
    """Times of each response, in seconds; see :mod:`ssift.statistics.latency`.

    Args:
        log: a log with the tables ``responses``, ``chunks`` and ``tokens``; of a batch, chunks of a response that are
            in another one are not known.

    Returns:
        One row per response: response (int64), id, model (str), tokens (int64: n, null where not known), the six
        ``FIGURES``, itl_mean, itl_max (float64).
    """
    found, gaps = _of_responses(log, _arrivals(log))
    del gaps
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
    """Share of responses that keep all limits, of those whose times are known; NaN when there are none.

    Args:
        log: as for :func:`latency`.
        **limits: seconds, by the names of ``LIMITS``: ``goodput(log, ttft_first_token=0.5, itl=0.1)``.

    Raises:
        ValueError: a limit of an unknown name.
    """
    found = Latency(limits)
    found.add(log)
    return found.goodput


def _of_responses(log: Log, arrivals: _Arrivals) -> tuple[dict[str, Floats], Floats]:
    """Figures by name, each of shape (responses,), and all gaps."""
    responses = log.responses
    numbers = responses["response"]
    n = len(numbers)
    started, ended = (np.ma.filled(responses[name], NONE) for name in ("started_ns", "ended_ns"))
    there = arrivals.time != NONE
    owner = np.searchsorted(numbers, arrivals.response)

    def extreme(rows: npt.NDArray[np.bool_], first: bool) -> Ints:
        limit = np.iinfo(np.int64).max if first else NONE
        found = np.full(n, limit, np.int64)
        (np.minimum if first else np.maximum).at(found, owner[rows], arrivals.time[rows])
        return np.where(found == limit, NONE, found)

    first_token, last_token = (extreme(there & arrivals.has_token, first) for first in (True, False))
    ended = np.where(ended == NONE, extreme(there, False), ended)
    listed = np.bincount(owner, weights=arrivals.listed, minlength=n)
    reported = responses["completion_tokens"]
    tokens = np.where(np.ma.getmaskarray(reported), np.where(listed > 0, listed, np.nan), reported.data)
    e2e = _seconds(ended, started)
    rows = np.flatnonzero(there & arrivals.has_token)
    rows = rows[np.lexsort((rows, owner[rows]))]
    follows = np.diff(owner[rows]) == 0
    gaps = np.diff(arrivals.time[rows])[follows] * _NS
    of = owner[rows][1:][follows]
    count = np.bincount(of, minlength=n)
    longest = np.full(n, -np.inf)
    np.maximum.at(longest, of, gaps)
    return {
        "ttft_any_chunk": _seconds(extreme(there, True), started),
        "ttft_first_content": _seconds(extreme(there & arrivals.has_text, True), started),
        "ttft_first_token": _seconds(first_token, started),
        "tpot": over(_seconds(last_token, first_token), np.where(tokens > 1, tokens - 1, 0)),
        "e2e": e2e,
        "tokens_per_second": over(tokens, np.where(e2e > 0, e2e, 0)),
        "tokens": tokens,
        "itl_mean": over(np.bincount(of, weights=gaps, minlength=n), count),
        "itl_max": np.where(count > 0, longest, np.nan),
        "started": np.where(started == NONE, np.nan, started * _NS),
        "ended": np.where(ended == NONE, np.nan, ended * _NS),
    }, gaps


def _seconds(end: Ints, start: Ints) -> Floats:
    """The difference in seconds, NaN where one is not known."""
    known = (end != NONE) & (start != NONE)
    found: Floats = np.where(known, np.where(known, end - np.where(known, start, 0), 0) * _NS, np.nan)
    return found

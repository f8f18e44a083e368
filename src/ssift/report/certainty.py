"""Logprobs of tokens, confidence by position, perplexity of responses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ssift.report.axes import Axis
from ssift.report.bars import bars
from ssift.report.charts import Step, histogram, line
from ssift.report.markup import figure, nothing, section, table
from ssift.report.shades import SHADES
from ssift.statistics import RELATIVE_ERROR, Distribution, Sketch, Summary
from ssift.statistics.distribution import QUANTILES

_LOGPROBS = Axis(-12.0, 0.0, "logprob of the token, nats")
_FEW = 30  # tokens: a mean of fewer is drawn faint


def logprobs(summary: Summary, figures: dict[str, Any]) -> str:
    """The histogram of all tokens, their probabilities in ranges, their quantiles."""
    logprob = figures["logprob"]
    found = summary.logprobs.distribution(summary.sentinels)
    if not found.count:
        return section("logprobs", "Logprobs", nothing(f"No token has a logprob ({logprob['missing']:,} missing)."))
    names = ("min", *QUANTILES, "max")
    marks = {"p05": logprob["p05"], "mean": logprob["mean"]}
    counted = f"{logprob['count']:,} {'value' if logprob['count'] == 1 else 'values'}"
    apart = f"{logprob['missing']:,} missing, {logprob['sentinel']:,} sentinels (−9999 or less, {summary.sentinels}d)"
    looks = {shade.label: shade.name for shade in SHADES}
    return section(
        "logprobs",
        "Logprobs",
        histogram(found, _LOGPROBS, 48, "tokens", marks, logarithmic=True)
        + f"<h3>Probability of the token</h3>{bars(_by_probability(found.sketch), looks=looks)}"
        f"<h3>Quantiles of the logprob, nats</h3>{table(names, [[figure(logprob[name]) for name in names]], words=0)}"
        f'<p class="quiet">{counted}; {apart}, {logprob["positive"]:,} above zero. Quantiles are '
        f"within 1/{1 / RELATIVE_ERROR:.0f} of the order statistics.</p>",
    )


def _by_probability(sketch: Sketch) -> dict[str, int]:
    values, counts = sketch.buckets()
    probabilities = np.exp(np.minimum(values, 0.0))
    borders = np.array([shade.least for shade in SHADES[-2::-1]])  # ascending, without the lowest, which is 0
    places = len(SHADES) - 1 - np.searchsorted(borders, probabilities, "right")
    totals = np.bincount(places, weights=counts, minlength=len(SHADES)).astype(np.int64).tolist()
    return {shade.label: total for shade, total in zip(SHADES, totals, strict=True)}


def positions(summary: Summary) -> str:
    """How sure the model is at the beginning of an answer and further on."""
    places = summary.by_position()
    drawn = [
        _by_place(places, "mean_logprob", "tokens", "mean logprob, nats"),
        _by_place(places, "mean_confidence", "listed", "mean confidence, nats"),
    ]
    return section(
        "positions",
        "Certainty along the answer",
        "".join(drawn) or nothing("No token has a logprob."),
        "Means over all answers by position of the token. Confidence is minus the mean logprob of the listed "
        f"alternatives: larger is more certain. Faint where fewer than {_FEW} tokens are behind it.",
    )


def _by_place(places: list[dict[str, Any]], name: str, count: str, label: str) -> str:
    here = [place for place in places if place[count]]
    values = [place[name] for place in here]
    if not here or not all(map(math.isfinite, values)):
        return ""
    low, high = min(values), max(values)
    room = max((high - low) * 0.08, 0.01)
    upwards = Axis(low - room, min(high + room, 0.0) if high <= 0 and low < 0 else high + room, label)
    across = Axis(1, here[-1]["end"] + 1, "position of the token, the first being 1", True, whole=True)
    steps = [
        Step(
            place["start"] + 1,
            place["end"] + 1,
            place[name],
            f"{_place(place)}: {label.removesuffix(', nats')} {figure(place[name])}, {place[count]:,} tokens",
            place[count] < _FEW,
        )
        for place in here
    ]
    return line(steps, across, upwards)


def _place(place: dict[str, Any]) -> str:
    first, last = place["start"] + 1, place["end"]
    return f"token {first:,}" if first == last else f"tokens {first:,} to {last:,}"


def perplexities(summary: Summary, figures: dict[str, Any]) -> str:
    """The histogram of responses by perplexity."""
    found = summary.answers.perplexity
    if not found.count:
        return section("perplexity", "Perplexity of responses", nothing("No response has a logprob."))
    axis = spread(found, "perplexity of the response")
    whole = figures["answers"]["perplexity"]
    marks = {"median": whole["p50"], "p95": whole["p95"]}
    names = ("min", *QUANTILES, "max")
    return section(
        "perplexity",
        "Perplexity of responses",
        (histogram(found, axis, 40, "responses", marks) if axis else nothing("No response has one that can be drawn."))
        + table(names, [[figure(whole[name]) for name in names]], words=0),
        "exp(−mean logprob) of each response: how many tokens the model was torn between, on average. "
        f"Mean of responses {figure(figures['perplexity_response_mean'])}, geometric mean "
        f"{figure(figures['perplexity_geometric'])}, weighted by token {figure(figures['perplexity'])}.",
    )


def spread(found: Distribution, label: str) -> Axis | None:
    """A logarithmic axis over nearly all values above zero; the farthest half per cent at either end is beyond.

    None when none is above zero and finite; what is near the ends of float64 is as good as zero or infinite.
    """
    values, counts = found.sketch.buckets()
    above = (values > 1e-300) & (values < 1e300)
    if not above.any():
        return None
    ends = np.cumsum(counts[above])
    low, high = (float(values[above][np.searchsorted(ends, share * ends[-1])]) for share in (0.005, 0.995))
    if high / low < 1.5:  # nearly one value: room on both sides
        middle = math.sqrt(low) * math.sqrt(high)
        low, high = middle / 1.25, middle * 1.25
    return Axis(low / 1.02, high * 1.02, label, logarithmic=True)

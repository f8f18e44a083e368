"""Whether confidence was right: figures that need to know which answers were.

A *score* says how sure an answer looks, a *label* whether it was right. With n labelled answers, scores s and labels
y in {0, 1}:

=============  =================================================================================================
ece            Σ_b (n_b / n) |mean y - mean s| over 20 equal bins of [0, 1], [0, 0.05) to [0.95, 1] (Naeini 2015;
               Guo et al. 2017)
brier          mean (s - y)² (Brier 1950)
auroc          chance that a right answer scores above a wrong one, ties counting half (Mann-Whitney)
risk_coverage  for each coverage c = k / n, the share of wrong ones among the k with the highest scores; equal
               scores enter together (El-Yaniv & Wiener 2010)
aurc           its mean over k, ties at their expected risk (Geifman et al. 2019)
=============  =================================================================================================

ece and brier ask for scores that are probabilities and are NaN for others; auroc and aurc only use their order.
"""

from __future__ import annotations

import math
from itertools import compress
from typing import Any, Literal, TypeAlias

import numpy as np

from ssift.contract import Flags, Floats, Ints
from ssift.log import Log
from ssift.reading import scan
from ssift.sources import Readable
from ssift.statistics.choices import TABLES, How, over, response_table
from ssift.statistics.diagram import reliability_diagram
from ssift.statistics.kernel import floor_of, kernel
from ssift.statistics.labels import Labels, read_labels
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.sums import exact_sum
from ssift.statistics.tables import table
from ssift.statistics.tokens import columns_of
from ssift.statistics.whole import Whole
from ssift.table import Table

BINS = 20
"""Bins of [0, 1] for ECE and the reliability diagram."""

Score: TypeAlias = Literal[
    "mean_probability", "joint_probability", "min_probability", "mean_confidence", "lowest_group_confidence"
]

_PROBABILITIES = {
    "mean_probability": "mean_logprob",  # exp(S / T)
    "joint_probability": "logprob_sum",  # exp(S)
    "min_probability": "min_logprob",
}
SCORES = (*_PROBABILITIES, "mean_confidence", "lowest_group_confidence")


# --------------------------------------------------------------------------------------------------- formulas
# Scores are float64, labels bool, both of shape (n,); no score is NaN.


def bins_of(scores: Floats, bins: int = BINS) -> Ints:
    """The bin of each score; 1 belongs to the last."""
    found: Ints = np.minimum((scores * bins).astype(np.int64), bins - 1)
    return found


def ece(scores: Floats, right: Flags, bins: int = BINS) -> float:
    """Expected calibration error, 0 to 1; NaN without answers or where a score is no probability."""
    if not len(scores) or not _are_probabilities(scores):
        return math.nan
    place = bins_of(scores, bins)
    gaps = np.bincount(place, weights=right, minlength=bins) - np.bincount(place, weights=scores, minlength=bins)
    return float(np.abs(gaps).sum() / len(scores))


def brier(scores: Floats, right: Flags) -> float:
    """Brier score, 0 (best) to 1; NaN without answers or where a score is no probability."""
    if not len(scores) or not _are_probabilities(scores):
        return math.nan
    return math.fsum((scores - right) ** 2) / len(scores)


def auroc(scores: Floats, right: Flags) -> float:
    """Area under the ROC curve, 0.5 for scores that say nothing; NaN unless there are right and wrong answers."""
    positive = int(np.count_nonzero(right))
    negative = len(right) - positive
    if not positive or not negative:
        return math.nan
    _, place, count = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]  # ties share the mean of their ranks
    return (float(ranks[right].sum()) - positive * (positive + 1) / 2) / (positive * negative)


def risk_coverage(scores: Floats, right: Flags) -> tuple[Floats, Floats]:
    """Coverage (ascending, ends at 1) and the risk at it, one point for each score that occurs, from the highest."""
    values, count = np.unique(-scores, return_counts=True)
    order = np.argsort(-scores, kind="stable")
    wrong = np.cumsum(~right[order])
    answered = np.cumsum(count)
    if not len(values):
        return np.zeros(0), np.zeros(0)
    return answered / len(scores), wrong[answered - 1] / answered


def aurc(scores: Floats, right: Flags) -> float:
    """Mean risk over all coverages; NaN without answers. Within a tie the risk is that of a random order."""
    if not len(scores):
        return math.nan
    _, place, count = np.unique(-scores, return_inverse=True, return_counts=True)
    share_wrong = np.bincount(place, weights=~right) / count
    expected_wrong = np.cumsum(np.repeat(share_wrong, count))
    return float(np.mean(expected_wrong / np.arange(1, len(scores) + 1)))


def _are_probabilities(scores: Floats) -> bool:
    return bool(np.all((scores >= 0) & (scores <= 1)))


# ----------------------------------------------------------------------------------------------------- answers


class Calibration:
    """How scores and labels go together.

    Attributes:
        score: what the scores are.
        scores, right: float64 and bool, shape (count,); NaN scores are left out and counted in ``undefined``.
        count: answers with a label and a score.
        unlabelled: answers without a label; ``unused``: labels without an answer; ``undefined``: labelled answers
            without a score.
        probabilities: whether the scores are probabilities; by their values when it is not said.
    """

    def __init__(
        self,
        scores: Floats,
        right: Flags,
        *,
        score: str = "",
        unlabelled: int = 0,
        unused: int = 0,
        probabilities: bool | None = None,
    ) -> None:
        there = ~np.isnan(scores)
        self.score = score
        self.scores = scores[there]
        self.right = np.asarray(right, np.bool_)[there]
        self.count = len(self.scores)
        self.undefined = len(scores) - self.count
        self.unlabelled = unlabelled
        self.unused = unused
        self.probabilities = _are_probabilities(self.scores) if probabilities is None else probabilities

    @property
    def accuracy(self) -> float:
        """Share of right answers, NaN when there are none."""
        return float(np.mean(self.right)) if self.count else math.nan

    @property
    def mean_score(self) -> float:
        """Mean score, NaN when there are none."""
        return exact_sum(self.scores) / self.count if self.count else math.nan

    @property
    def ece(self) -> float:
        """See :func:`ece`."""
        return ece(self.scores, self.right) if self.probabilities else math.nan

    @property
    def brier(self) -> float:
        """See :func:`brier`."""
        return brier(self.scores, self.right) if self.probabilities else math.nan

    @property
    def auroc(self) -> float:
        """See :func:`auroc`."""
        return auroc(self.scores, self.right)

    @property
    def aurc(self) -> float:
        """See :func:`aurc`."""
        return aurc(self.scores, self.right)

    def reliability(self, bins: int = BINS) -> Table:
        """The reliability diagram as a table: one row per bin with start, end, count, accuracy and mean_score.

        Raises:
            ValueError: the scores are no probabilities.
        """
        if not self.probabilities:
            raise ValueError(f"{self.score} is no probability: a reliability diagram needs scores from 0 to 1")
        place = bins_of(self.scores, bins)
        count = np.bincount(place, minlength=bins)
        edges = np.arange(bins + 1) / bins
        return table(
            "reliability",
            start=edges[:-1],
            end=edges[1:],
            count=count.astype(np.int64),
            accuracy=over(np.bincount(place, weights=self.right, minlength=bins), count),
            mean_score=over(np.bincount(place, weights=self.scores, minlength=bins), count),
        )

    def risk_coverage(self) -> Table:
        """The risk-coverage curve as a table: coverage and risk, float64, a row for each score that occurs."""
        coverage, risk = risk_coverage(self.scores, self.right)
        return table("risk_coverage", coverage=coverage, risk=risk)

    def diagram(self) -> str:
        """The reliability diagram as an SVG document."""
        return reliability_diagram(self.reliability(), f"ECE {self.ece:.4f}, {self.count:,} answers")

    def to_dict(self) -> dict[str, Any]:
        """Counts and figures by name."""
        names = ("score", "count", "unlabelled", "unused", "undefined", "accuracy", "mean_score")
        return {name: getattr(self, name) for name in (*names, "ece", "brier", "auroc", "aurc")}

    def __repr__(self) -> str:
        return (
            f"<ssift.Calibration of {self.count:,} answers by {self.score}: ECE {self.ece:.4g}, AUROC {self.auroc:.4g}>"
        )


class Scores:
    """Collects the scores of labelled answers, batch after batch.

    Args:
        labels: as for :func:`calibrate`.
        score, sentinels: as for :func:`calibrate`.
    """

    def __init__(self, labels: Labels, score: Score = "mean_probability", sentinels: Sentinels = "exclude") -> None:
        if score not in SCORES:
            raise ValueError(f"score={score!r}: use one of {', '.join(SCORES)}")
        self._how = How(sentinels).check()
        self._labels = read_labels(labels)
        self._score = score
        self._found: list[tuple[str, float]] = []
        self._unlabelled = 0
        self._whole = Whole()

    def add(self, log: Log) -> None:
        """Add a log, or a batch of a scan, with responses, choices, tokens and top_logprobs."""
        by = kernel(log.engine)
        columns = columns_of(log, floor_of(self._how.sentinels), by)[:3]
        for answers in self._whole.add(log, columns):
            figures = response_table(answers, self._how, by)
            values = figures[_PROBABILITIES.get(self._score, self._score)]
            if self._score in _PROBABILITIES:
                values = np.minimum(np.exp(values), 1.0)
            names = [name or "" for name in answers.id]
            labelled = [name in self._labels for name in names]
            self._unlabelled += labelled.count(False)
            self._found += compress(zip(names, values.tolist(), strict=True), labelled)

    def calibration(self) -> Calibration:
        """Scores and labels of all that was added."""
        values = np.array([value for _, value in self._found], np.float64)
        right = np.array([self._labels[name] for name, _ in self._found], np.bool_)
        unused = len(self._labels.keys() - {name for name, _ in self._found})
        return Calibration(
            values,
            right,
            score=self._score,
            unlabelled=self._unlabelled,
            unused=unused,
            probabilities=self._score in _PROBABILITIES,
        )


def calibrate(
    source: Readable | Log,
    labels: Labels,
    *,
    score: Score = "mean_probability",
    sentinels: Sentinels = "exclude",
    **reading: Any,
) -> Calibration:
    """Hold the confidence of answers against labels.

    Args:
        source: as in :func:`ssift.read`, or a Log with responses, choices, tokens and top_logprobs.
        labels: a mapping from ids of responses to right (true, 1) or wrong, or a file that :func:`read_labels` reads.
        score: ``"mean_probability"`` exp(S / T), ``"joint_probability"`` exp(S), ``"min_probability"`` (of the least
            likely token), or ``"mean_confidence"``, ``"lowest_group_confidence"``, which are no probabilities. Over the
            tokens of all choices of a response.
        sentinels: whether logprobs at or below -9999 are left out.
        reading: further arguments for :func:`ssift.scan`.

    Raises:
        ValueError: an unknown score, or a label that is neither right nor wrong.
        ReadError: the file of labels cannot be read.
        MissingError: it is a Parquet file and pyarrow is not installed.
    """
    found = Scores(labels, score, sentinels)
    for log in (source,) if isinstance(source, Log) else scan(source, tables=TABLES, **reading):
        found.add(log)
    return found.calibration()

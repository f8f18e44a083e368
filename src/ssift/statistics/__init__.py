"""Figures over the columns of a log; one file per family, and :class:`Summary`, which merges them.

From the bottom up: ``kernel`` makes the three passes over columns (compiled, or in ``plain``), ``sums`` adds exactly,
``quantiles`` sketches, ``distribution`` joins the two. ``tokens`` and ``choices`` give tables of figures, ``whole``
puts the tokens of a response together over batches, ``logprobs``, ``alternatives`` and ``answers`` keep what merges,
and ``summary`` keeps all of it. ``spans`` and ``fields`` find places in the text, ``calibration`` asks whether
confidence was right, ``comparison`` holds two logs side by side, ``latency`` reads times.
"""

from ssift.statistics.alternatives import TokenFigures
from ssift.statistics.answers import AnswerFigures, LeastCertain
from ssift.statistics.choices import choices, responses, runs
from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import SENTINEL
from ssift.statistics.logprobs import Logprobs
from ssift.statistics.quantiles import RELATIVE_ERROR, Sketch
from ssift.statistics.summary import Summary, summarize
from ssift.statistics.sums import ExactSum
from ssift.statistics.tokens import tokens

__all__ = [
    "RELATIVE_ERROR",
    "SENTINEL",
    "AnswerFigures",
    "Distribution",
    "ExactSum",
    "LeastCertain",
    "Logprobs",
    "Sketch",
    "Summary",
    "TokenFigures",
    "choices",
    "responses",
    "runs",
    "summarize",
    "tokens",
]

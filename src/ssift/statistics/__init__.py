"""Figures over the columns of a log; one file per family, and :class:`Summary`, which merges them.

From the bottom up: ``kernel`` makes the three passes over columns (compiled, or in ``plain``), ``sums`` adds exactly,
``quantiles`` sketches, ``distribution`` joins the two. ``tokens`` and ``choices`` give tables of figures, ``whole``
puts the tokens of a response together over batches, ``logprobs``, ``alternatives`` and ``answers`` keep what merges,
and ``summary`` keeps all of it. ``spans`` and ``fields`` find places in the text, ``calibration`` asks whether
confidence was right, ``comparison`` holds two logs side by side, ``latency`` reads times.
"""

from ssift.statistics.alternatives import TokenFigures
from ssift.statistics.answers import AnswerFigures, LeastCertain
from ssift.statistics.calibration import Calibration, calibrate, read_labels
from ssift.statistics.choices import choices, responses, runs
from ssift.statistics.comparison import Comparison, compare
from ssift.statistics.distribution import Distribution
from ssift.statistics.fields import fields
from ssift.statistics.kernel import SENTINEL
from ssift.statistics.latency import Latency, goodput, latency
from ssift.statistics.logprobs import Logprobs
from ssift.statistics.quantiles import RELATIVE_ERROR, Sketch
from ssift.statistics.spans import SpanFigures, span, spans
from ssift.statistics.summary import Summary, summarize
from ssift.statistics.sums import ExactSum
from ssift.statistics.tokens import tokens

__all__ = [
    "RELATIVE_ERROR",
    "SENTINEL",
    "AnswerFigures",
    "Calibration",
    "Comparison",
    "Distribution",
    "ExactSum",
    "Latency",
    "LeastCertain",
    "Logprobs",
    "Sketch",
    "SpanFigures",
    "Summary",
    "TokenFigures",
    "calibrate",
    "choices",
    "compare",
    "fields",
    "goodput",
    "latency",
    "read_labels",
    "responses",
    "runs",
    "span",
    "spans",
    "summarize",
    "tokens",
]

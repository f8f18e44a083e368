"""Figures over the columns of a log; one file per family, and :class:`Summary`, which merges them.

From the bottom up: ``kernel`` makes the three passes over columns (compiled, or in ``plain``), ``sums`` adds exactly,
``quantiles`` sketches, ``distribution`` joins the two. ``tokens`` and ``choices`` give tables of figures, ``whole``
puts the tokens of a response together over batches, ``logprobs``, ``alternatives`` and ``answers`` keep what merges,
and ``summary`` keeps all of it. ``places`` and ``json_fields`` find places in the text, ``calibration`` asks whether
confidence was right by ``labels``, ``comparison`` holds two logs side by side, ``latency`` reads times.

What a summary does not need is imported when first used, save where a module has the name of its function.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ssift.statistics.alternatives import TokenFigures
from ssift.statistics.answers import AnswerFigures, LeastCertain
from ssift.statistics.choices import choices, responses, runs
from ssift.statistics.distribution import Distribution
from ssift.statistics.kernel import SENTINEL
from ssift.statistics.latency import Latency, goodput, latency
from ssift.statistics.logprobs import Logprobs
from ssift.statistics.quantiles import RELATIVE_ERROR, Sketch
from ssift.statistics.summary import Summary, summarize
from ssift.statistics.sums import ExactSum
from ssift.statistics.tokens import tokens

if TYPE_CHECKING:
    from ssift.statistics.calibration import Calibration, calibrate
    from ssift.statistics.comparison import Comparison, compare
    from ssift.statistics.json_fields import fields
    from ssift.statistics.labels import read_labels
    from ssift.statistics.places import SpanFigures, span, spans

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

_LATE = {
    "Calibration": "calibration",
    "Comparison": "comparison",
    "SpanFigures": "places",
    "calibrate": "calibration",
    "compare": "comparison",
    "fields": "json_fields",
    "read_labels": "labels",
    "span": "places",
    "spans": "places",
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

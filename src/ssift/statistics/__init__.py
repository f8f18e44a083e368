"""Figures over the columns of a log; one file per family, and :class:`Summary`, which merges them.

``sums`` adds exactly, ``quantiles`` sketches distributions, ``logprobs`` applies both to token logprobs, ``counts``
tallies words and usage. All of it merges: the figures of two parts are the figures of the whole, to the last bit,
whatever the split.
"""

from ssift.statistics.logprobs import SENTINEL, Distribution, Logprobs
from ssift.statistics.quantiles import RELATIVE_ERROR, Sketch
from ssift.statistics.summary import Summary, summarize
from ssift.statistics.sums import ExactSum

__all__ = [
    "RELATIVE_ERROR",
    "SENTINEL",
    "Distribution",
    "ExactSum",
    "Logprobs",
    "Sketch",
    "Summary",
    "summarize",
]

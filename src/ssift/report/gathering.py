"""What a page is made of, gathered from the batches of a scan in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ssift.log import Log
from ssift.report.passages import Passages
from ssift.statistics import Latency, Summary
from ssift.statistics import summary as summaries
from ssift.statistics.logprobs import Sentinels

TABLES = (*summaries.TABLES, "chunks")
"""The tables a page is made from."""

PROBLEMS = 100
"""Problems on a page; the count is always that of all."""


class Gathering:
    """Add the batches of one scan of ``TABLES`` with ``whole_responses=True``, in order.

    Attributes:
        summary: figures, by model too.
        latency: times, of responses that have any.
        problems: the first rows of the table of problems.
        passages: the tokens of the least certain answers.
    """

    def __init__(self, sentinels: Sentinels = "exclude") -> None:
        self.summary = Summary(sentinels, by="model")
        self.latency = Latency()
        self.problems: list[dict[str, Any]] = []
        self.passages = Passages()

    def add(self, log: Log) -> None:
        """Add a batch."""
        self.summary.add(log)
        if _has_times(log):
            self.latency.add(log)
        if len(self.problems) < PROBLEMS:
            self.problems += log.problems[: PROBLEMS - len(self.problems)].rows()
        self.passages.add(log, self.summary.least)


def _has_times(log: Log) -> bool:
    """Most logs have none, and need not be searched for any."""
    times = (log.responses["started_ns"], log.responses["ended_ns"], log.chunks["arrival_ns"])
    return any(np.ma.count(column) for column in times)

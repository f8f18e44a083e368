"""How sure a model is, while it answers: DeepConf online (Fu et al., "Deep Think with Confidence", 2025).

The confidence of a token is C = -(1/k) Σ l over its k listed alternatives, in nats; that of a group is the mean over
``window`` tokens in a row. An answer whose group falls below a threshold is not worth finishing. The threshold comes
from a few whole answers to the same question: see :func:`threshold`. The figures are those of
:mod:`ssift.statistics.choices`, which has them for logs.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from ssift.statistics.choices import WINDOW
from ssift.statistics.kernel import floor_of
from ssift.statistics.logprobs import Sentinels


class RunningConfidence:
    """The confidence of one choice, chunk by chunk.

    ::

        confidence = ssift.RunningConfidence(threshold=14.2)
        for chunk in stream:
            if confidence.add(chunk):
                stream.close()
                break

    Args:
        threshold: nats; the answer should stop when a whole group is below it. None: never.
        window: tokens in a group.
        index: which choice.
        sentinels: ``"exclude"`` leaves alternatives of -9999 and less out.

    Attributes:
        tokens: how many had a confidence; those without alternatives are passed over.
        group: confidence of the last group (of all tokens while there are fewer than ``window``); NaN without any.
        lowest: the least of the groups so far, each of ``window`` tokens (of all when there are no more); NaN without.
        stopped: a whole group was below the threshold.

    Raises:
        ValueError: ``window`` is below 1, or ``sentinels`` unknown.
    """

    def __init__(
        self,
        threshold: float | None = None,
        *,
        window: int = WINDOW,
        index: int = 0,
        sentinels: Sentinels = "exclude",
    ) -> None:
        if window < 1:
            raise ValueError(f"window={window}: at least 1 token")
        self._threshold = -math.inf if threshold is None else threshold
        self._floor = floor_of(sentinels)
        self._index = index
        self._window: deque[float] = deque(maxlen=window)
        self._size = window
        self._least = math.nan
        self.tokens = 0
        self.stopped = False

    def __repr__(self) -> str:
        state = "stopped" if self.stopped else "going on"
        groups = f"group {self.group:.4g}, lowest {self.lowest:.4g}"
        return f"<ssift.RunningConfidence, {state}: {self.tokens:,} tokens, {groups}>"

    def add(self, chunk: Any) -> bool:
        """Take in a chunk (of ssift, or of the openai client).

        Returns:
            Whether the answer should be stopped.
        """
        for choice in _having("logprobs", chunk.choices):
            logprobs = choice.logprobs
            if choice.index == self._index and hasattr(logprobs, "content"):
                for token in _having("top_logprobs", logprobs.content):
                    self._add(self._confidence(token))
        return self.stopped

    @property
    def group(self) -> float:
        """Confidence of the last group, in nats; NaN without any."""
        return math.fsum(self._window) / len(self._window) if self._window else math.nan

    @property
    def lowest(self) -> float:
        """The least of the groups so far, in nats; NaN without any."""
        return self._least if self.tokens >= self._size else self.group

    def _add(self, confidence: float) -> None:
        if math.isnan(confidence):
            return
        self.tokens += 1
        self._window.append(confidence)
        if self.tokens < self._size:
            return
        group = self.group
        if not group >= self._least:  # also the first
            self._least = group
        self.stopped = self.stopped or group < self._threshold

    def _confidence(self, token: Any) -> float:
        """-(1/k) Σ l; the sampled token counts once, though some servers list it twice."""
        values = []
        found = False
        for entry in _having("logprob", token.top_logprobs):
            if entry.token == token.token and entry.logprob == token.logprob:
                if found:
                    continue
                found = True
            if type(entry.logprob) in (int, float) and entry.logprob > self._floor:
                values.append(float(entry.logprob))
        return -sum(values) / len(values) if values else math.nan


def _having(name: str, found: Any) -> list[Any]:
    """The objects of a list that have this attribute; a server may have sent anything in its place."""
    return [one for one in found if hasattr(one, name)] if isinstance(found, list) else []


def threshold(lowest: Iterable[float], keep: float = 0.1) -> float:
    """The threshold that a share ``keep`` of warm-up answers would have passed.

    Args:
        lowest: the lowest group confidence of each answer of the warm-up; NaN is passed over.
        keep: 0.1 is DeepConf-low, 0.9 DeepConf-high.

    Returns:
        The percentile 100 (1 - keep) of ``lowest``, in nats, linear between ranks.

    Raises:
        ValueError: no answer has a confidence, or ``keep`` is not from 0 to 1.
    """
    if not 0 <= keep <= 1:
        raise ValueError(f"keep={keep}: a share from 0 to 1")
    values = np.array([value for value in lowest if not math.isnan(value)], np.float64)
    if not len(values):
        raise ValueError("no answer of the warm-up has a confidence: were top_logprobs asked for?")
    return float(np.percentile(values, 100 * (1 - keep)))

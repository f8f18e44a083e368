"""The summary of a log: what it holds, how it ended, and the figures of its logprobs."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Literal

from ssift.contract import LINE_CLASSES, STATUSES, Grouping, Limits
from ssift.log import Log, SourceInfo
from ssift.printable import json_text
from ssift.reading import EngineName, Form, Progress, scan
from ssift.sources import Readable
from ssift.statistics.counts import Usage, by_frequency, tally
from ssift.statistics.logprobs import Logprobs, Sentinels

TABLES = ("responses", "choices", "tokens", "tool_calls")
"""The tables a summary is made from; of the others the number of rows is enough."""

_COUNTS = (
    "sources", "containers", "left_alone",
    "bytes", "events", "skipped", "comments", "done", "errors", "chunks", "responses", "choices", "tokens",
    "top_logprobs", "tool_calls", "problems",
)  # fmt: skip


class Summary:
    """Counts and logprob figures of a log. ``a + b`` is the summary of both, the same whatever the split.

    ``chunks``, ``tokens`` (entries of lists of logprobs) and ``usage["completion_tokens"]`` are three figures: a
    chunk may hold several tokens or none, and a server may count tokens that it lists nowhere.

    Attributes:
        counts: Counter of sources (of containers: their bodies), containers, entries left alone in them, bytes,
            events, skipped, comments, done, errors, chunks, responses, choices, tokens, top_logprobs, tool_calls,
            problems.
        account: Counter of bytes by class of line; they add up to ``counts["bytes"]``.
        status, finish_reason, model, problem_kind: Counters of words; ``""`` is "never sent".
        usage: :class:`~ssift.statistics.counts.Usage`.
        logprobs: :class:`~ssift.statistics.Logprobs`.
        sentinels: whether figures leave out logprobs at or below -9999 (``"exclude"``) or not (``"include"``).
    """

    def __init__(self, sentinels: Sentinels = "exclude") -> None:
        if sentinels not in ("exclude", "include"):
            raise ValueError(f"sentinels={sentinels!r}: use exclude or include")
        self.sentinels = sentinels
        self.counts: Counter[str] = Counter()
        self.account: Counter[str] = Counter()
        self.status: Counter[str] = Counter()
        self.finish_reason: Counter[str] = Counter()
        self.model: Counter[str] = Counter()
        self.problem_kind: Counter[str] = Counter()
        self.usage = Usage()
        self.logprobs = Logprobs()
        self._engines: frozenset[str] = frozenset()

    def add(self, log: Log) -> None:
        """Add a log or a batch of one. It must hold the tables in ``ssift.statistics.summary.TABLES``.

        Raises:
            TableError: one of these tables was not read.
        """
        for source in log.sources:
            self._add_source(source)
        for name in ("responses", "choices", "tool_calls", "problems"):
            self.counts[name] += len(log[name])
        for name in ("chunks", "tokens", "top_logprobs"):
            self.counts[name] += log.totals[name]
        self.status.update(tally(log.responses["status"]))
        self.model.update(tally(log.responses["model"]))
        self.finish_reason.update(tally(log.choices["finish_reason"]))
        self.problem_kind.update(tally(log.problems["kind"]))
        self.usage.add(log.responses)
        self.logprobs.add(log.tokens["logprob"])
        self._engines |= {log.engine}

    def so_far(self, log: Log) -> Summary:
        """This summary and what the unfinished source of ``log`` has held so far; see :func:`ssift.follow`."""
        running = self + Summary(self.sentinels)
        if log.unfinished is not None:
            running._add_source(log.unfinished)
        return running

    def _add_source(self, source: SourceInfo) -> None:
        if source.framing == "container":
            self.counts["containers"] += 1
            self.counts["left_alone"] += source.left
            return
        self.counts["sources"] += 1
        self.counts["bytes"] += source.bytes
        for name in ("events", "skipped", "comments", "done", "errors"):
            self.counts[name] += getattr(source.counts, name)
        self.account.update(source.account)

    @property
    def perplexity(self) -> float:
        """exp(-mean logprob) over all tokens with a value; NaN when there are none."""
        return self.logprobs.perplexity(self.sentinels)

    @property
    def engine(self) -> str:
        """The engine that read it; several are joined by ``+``."""
        return "+".join(sorted(self._engines))

    def __add__(self, other: Summary) -> Summary:
        if not isinstance(other, Summary):
            return NotImplemented
        if self.sentinels != other.sentinels:
            raise ValueError("one summary leaves sentinels out and the other does not; make both the same way")
        merged = Summary(self.sentinels)
        for name in ("counts", "account", "status", "finish_reason", "model", "problem_kind"):
            counts: Counter[str] = getattr(merged, name)
            counts.update(getattr(self, name))
            counts.update(getattr(other, name))
        merged.usage = self.usage + other.usage
        merged.logprobs = self.logprobs + other.logprobs
        merged._engines = self._engines | other._engines
        return merged

    def __radd__(self, other: object) -> Summary:
        """So that ``sum(summaries)`` works, which begins with 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[object, ...]:
        return (
            self.sentinels, self.counts, self.account, self.status, self.finish_reason, self.model,
            self.problem_kind, self.usage, self.logprobs, self._engines,
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """All figures by name; undefined ones are NaN, usage that nobody reported None."""
        return {
            **{name: self.counts[name] for name in _COUNTS},
            "bytes_by_class": {name: self.account[name] for name in LINE_CLASSES},
            "problem_kind": by_frequency(self.problem_kind),
            "status": {name: self.status[name] for name in STATUSES},
            "finish_reason": by_frequency(self.finish_reason),
            "model": by_frequency(self.model),
            "usage": self.usage.to_dict(),
            "logprob": self.logprobs.to_dict(self.sentinels),
            "perplexity": self.perplexity,
            "engine": self.engine,
        }

    def to_json(self, indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON; JSON has no NaN and no infinity, so they are null there."""
        return json_text(_finite(self.to_dict()), indent)

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<ssift.Summary: sources {counts['sources']:,}, responses {counts['responses']:,}, "
            f"chunks {counts['chunks']:,}, tokens {counts['tokens']:,}, problems {counts['problems']:,}, "
            f"perplexity {self.perplexity:.6g}>"
        )


def summarize(
    source: Readable | Log,
    *,
    engine: EngineName | None = None,
    threads: int | None = None,
    group: Grouping = "auto",
    errors: Literal["collect", "raise"] = "collect",
    progress: bool | Progress = False,
    limits: Limits | None = None,
    format: Form | None = None,
    sentinels: Sentinels = "exclude",
) -> Summary:
    """Summarise sources in bounded memory, or a Log that was read before.

    Args:
        source: as in :func:`ssift.read`, or a Log (then the arguments on reading have no meaning).
        sentinels: ``"exclude"`` leaves logprobs at or below -9999 out of the figures, ``"include"`` keeps them.

    The other arguments and the exceptions are those of :func:`ssift.read`.
    """
    summary = Summary(sentinels)
    if isinstance(source, Log):
        summary.add(source)
        return summary
    for log in scan(
        source,
        batch_size="16MiB",
        tables=TABLES,
        engine=engine,
        threads=threads,
        group=group,
        errors=errors,
        progress=progress,
        limits=limits,
        format=format,
    ):
        summary.add(log)
    return summary


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value

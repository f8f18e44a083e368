"""The summary of a log: what it holds, how it ended, and the figures of its logprobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from ssift.contract import LINE_CLASSES, STATUSES, Grouping, Limits
from ssift.log import Log, SourceInfo
from ssift.omission import Omit
from ssift.reading import EngineName, Form, Progress, scan
from ssift.sources import Readable
from ssift.statistics.alternatives import TokenFigures
from ssift.statistics.answers import AnswerFigures, LeastCertain
from ssift.statistics.choices import LOW, WINDOW, How
from ssift.statistics.counts import Usage, beyond_usage, by_frequency, tally
from ssift.statistics.kernel import Kernel, floor_of, kernel
from ssift.statistics.logprobs import Logprobs, Sentinels
from ssift.statistics.output import figures_json
from ssift.statistics.tokens import TokenColumns, columns_of
from ssift.statistics.whole import Answers, Whole, choices_where

By: TypeAlias = Literal["model", "source", "finish_reason"] | Mapping[str, str]
"""What responses are grouped by: one of their words, or a label for each id."""

BATCH = "64MB"
"""Input in a batch: what is done once a batch is then little next to what is done for each token."""

TABLES = ("responses", "choices", "tokens", "top_logprobs", "tool_calls")
"""The tables a summary is made from; of the others the number of rows is enough."""

_COUNTS = (
    "sources", "containers", "left_alone",
    "bytes", "events", "skipped", "comments", "done", "errors", "chunks", "responses", "choices", "tokens",
    "top_logprobs", "tool_calls", "problems", "beyond_usage",
)  # fmt: skip

AS_SENT = "as sent: a log does not say whether logprobs are from before or after temperature and top-p"
"""Said beside the figures, since no figure is corrected for sampling."""


class Group:
    """The figures of one label of ``by``: ``tokens`` (TokenFigures) and ``answers`` (AnswerFigures)."""

    def __init__(self, how: How) -> None:
        self.tokens = TokenFigures()
        self.answers = AnswerFigures(how)

    def add(self, answers: Answers, by: Kernel) -> None:
        """Add whole responses; their columns are TokenColumns."""
        self.tokens.add(TokenColumns(*answers.columns), by)
        self.answers.add(answers, by)

    def to_dict(self) -> dict[str, Any]:
        """Counts and figures by name."""
        answers = self.answers
        return {
            "responses": answers.responses,
            "choices": answers.choices,
            "tokens": answers.tokens,
            **_figures(self.tokens, answers),
        }

    def __add__(self, other: Group) -> Group:
        merged = Group(self.answers.how)
        merged.tokens = self.tokens + other.tokens
        merged.answers = self.answers + other.answers
        return merged

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Group) and (self.tokens, self.answers) == (other.tokens, other.answers)

    __hash__ = None  # type: ignore[assignment]


class Summary:
    """Counts and figures of a log. ``a + b`` is the summary of both, the same to the last bit whatever the split.

    ``chunks``, ``tokens`` (entries of lists of logprobs) and ``usage["completion_tokens"]`` are three figures: a
    chunk may hold several tokens or none, and a server may count tokens that it lists nowhere.

    Figures of tokens take in every token at once. Figures of responses and groups need whole responses: of a batch of
    a scan, tokens of responses that end in another batch wait until that one is added, or merged. In all it is the
    tokens of open responses that are kept, and counts.

    Args:
        sentinels, by, window, low: as for :func:`summarize`.

    Attributes:
        counts: Counter of sources (of containers: their bodies), containers, entries left alone in them, bytes,
            events, skipped, comments, done, errors, chunks, responses, choices, tokens, top_logprobs, tool_calls,
            problems; and beyond_usage: responses that list more tokens than the completion_tokens they report.
        account: Counter of bytes by class of line; they add up to ``counts["bytes"]``.
        status, finish_reason, model, problem_kind: Counters of words; ``""`` is "never sent".
        usage: :class:`~ssift.statistics.counts.Usage`.
        omitted: Counter of the entries of logprobs that ``omit=`` left out, by kind.
        tokens: :class:`~ssift.statistics.TokenFigures` over all tokens.
        answers: :class:`~ssift.statistics.AnswerFigures` over all whole responses.
        groups: label -> :class:`Group`, with ``by``; sorted by label in :meth:`to_dict`.
        sentinels: whether figures leave out logprobs at or below -9999 (``"exclude"``) or not (``"include"``).
        by: what responses are grouped by, or None.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(
        self, sentinels: Sentinels = "exclude", *, by: By | None = None, window: int = WINDOW, low: float = LOW
    ) -> None:
        if isinstance(by, str) and by not in ("model", "source", "finish_reason"):
            raise ValueError(f"by={by!r}: use model, source, finish_reason, or a mapping from ids to labels")
        self._how = How(sentinels, window, low).check()
        self.sentinels = sentinels
        self.by = by
        self.counts: Counter[str] = Counter()
        self.account: Counter[str] = Counter()
        self.status: Counter[str] = Counter()
        self.finish_reason: Counter[str] = Counter()
        self.model: Counter[str] = Counter()
        self.problem_kind: Counter[str] = Counter()
        self.omitted: Counter[str] = Counter()
        self.usage = Usage()
        self.tokens = TokenFigures()
        self.answers = AnswerFigures(self._how)
        self.groups: dict[str, Group] = {}
        self._whole = Whole()
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
        self.counts["beyond_usage"] += beyond_usage(log.responses, log.choices)
        self.omitted.update(log.omitted)
        self._engines |= {log.engine}
        by = kernel(log.engine)
        columns = columns_of(log, floor_of(self.sentinels), by)
        self.tokens.add(columns, by)
        for answers in self._whole.add(log, columns[:3] if self.by is None else columns):
            self._take(answers, by)

    def _take(self, answers: Answers, by: Kernel) -> None:
        self.answers.add(answers, by)
        if self.by is not None:
            labels = self._labels(answers)
            # A response without choices is in no group, whatever else is in its batch.
            every = len(np.unique(answers.owner)) == len(answers.response)
            for label in set(labels):
                group = self.groups.setdefault(label, Group(self._how))
                chosen = np.array([one == label for one in labels], np.bool_)
                group.add(answers if every and chosen.all() else choices_where(answers, chosen), by)

    def _labels(self, answers: Answers) -> list[str]:
        """The label of each choice."""
        if self.by == "finish_reason":
            return [word or "" for word in answers.finish_reason]
        if isinstance(self.by, Mapping):
            of_responses = [str(self.by.get(name or "", "")) for name in answers.id]
        else:
            of_responses = [word or "" for word in (answers.model if self.by == "model" else answers.source)]
        return [of_responses[owner] for owner in answers.owner.tolist()]

    @property
    def logprobs(self) -> Logprobs:
        """Logprobs of all tokens: values, sentinels, missing ones."""
        return self.tokens.logprobs

    @property
    def waiting(self) -> int:
        """Responses of which a part was added and a part was not: they are in no figure of responses yet."""
        return self._whole.waiting

    @property
    def least(self) -> list[LeastCertain]:
        """The choices with the lowest mean logprob, lowest first; up to 50."""
        return self.answers.least

    def by_position(self) -> list[dict[str, Any]]:
        """Mean logprob and mean confidence by place in the choice: see AnswerFigures.by_position."""
        return self.answers.by_position()

    def so_far(self, log: Log) -> Summary:
        """This summary and what the unfinished source of ``log`` has held so far; see :func:`ssift.follow`."""
        running = self + Summary(self.sentinels, by=self.by, window=self._how.window, low=self._how.low)
        if log.unfinished is not None:
            running._add_source(log.unfinished)
        return running

    def _add_source(self, source: SourceInfo) -> None:
        if source.framing == "container":
            self.counts["containers"] += 1
            self.counts["left_alone"] += source.left
            return
        self.counts["sources"] += not source.continued
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
        if (self.by, self._how) != (other.by, other._how):
            raise ValueError("the summaries differ in by=, window= or low=; make both the same way")
        merged = Summary(self.sentinels, by=self.by, window=self._how.window, low=self._how.low)
        for name in ("counts", "account", "status", "finish_reason", "model", "problem_kind", "omitted"):
            counts: Counter[str] = getattr(merged, name)
            counts.update(getattr(self, name))
            counts.update(getattr(other, name))
        merged.usage = self.usage + other.usage
        merged.tokens = self.tokens + other.tokens
        merged.answers = self.answers + other.answers
        empty = Group(self._how)
        for label in self.groups.keys() | other.groups.keys():
            merged.groups[label] = self.groups.get(label, empty) + other.groups.get(label, empty)
        merged._engines = self._engines | other._engines
        merged._whole = self._whole.copy()
        by = kernel()
        for answers in merged._whole.merge(other._whole):
            merged._take(answers, by)
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
            self.problem_kind, self.omitted, self.usage, self.tokens, self.answers, self.groups, self.by, self._whole,
            self._engines,
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
            "omitted": dict(sorted(self.omitted.items())),
            "values": AS_SENT,
            **_figures(self.tokens, self.answers),
            **(
                {}
                if self.by is None
                else {"groups": {name: self.groups[name].to_dict() for name in sorted(self.groups)}}
            ),
            "engine": self.engine,
        }

    def to_json(self, indent: int | None = None) -> str:
        """:meth:`to_dict` as JSON; JSON has no NaN and no infinity, so they are null there."""
        return figures_json(self.to_dict(), indent)

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<ssift.Summary: sources {counts['sources']:,}, responses {counts['responses']:,}, "
            f"chunks {counts['chunks']:,}, tokens {counts['tokens']:,}, problems {counts['problems']:,}, "
            f"perplexity {self.perplexity:.6g}>"
        )


def _figures(tokens: TokenFigures, answers: AnswerFigures) -> dict[str, Any]:
    return {
        **tokens.to_dict(answers.how.sentinels),
        "perplexity_response_mean": answers.perplexity.mean,
        "perplexity_geometric": answers.perplexity_geometric,
        "answers": answers.to_dict(),
    }


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
    omit: Omit | Collection[Omit] | None = None,
    sentinels: Sentinels = "exclude",
    by: By | None = None,
    window: int = WINDOW,
    low: float = LOW,
) -> Summary:
    """Summarise sources in bounded memory, or a Log that was read before.

    Args:
        source: as in :func:`ssift.read`, or a Log (then the arguments on reading have no meaning).
        sentinels: ``"exclude"`` leaves logprobs at or below -9999 out of the figures, ``"include"`` keeps them.
        by: also summarise by ``"model"``, ``"source"`` or ``"finish_reason"`` (of choices), or by a mapping from ids of
            responses to labels; ids that it lacks have the label ``""``.
        window: tokens in a group of confidence.
        low: a logprob below this, in nats, is low; for the longest low runs.
        engine, threads, group, errors, progress, limits, format, omit: as for :func:`ssift.read`.

    Raises:
        ValueError: an argument is out of its range.
        SsiftError: as :func:`ssift.read`.
    """
    summary = Summary(sentinels, by=by, window=window, low=low)
    if isinstance(source, Log):
        summary.add(source)
        return summary
    for log in scan(
        source,
        batch_size=BATCH,
        tables=TABLES,
        engine=engine,
        threads=threads,
        group=group,
        errors=errors,
        progress=progress,
        limits=limits,
        format=format,
        omit=omit,
    ):
        summary.add(log)
    return summary

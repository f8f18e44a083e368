"""Chunks of one response, put together.

1. Texts are appended as sent. What says who or what (id, model, role, ...) is the first that is not empty;
   finish_reason is the last that is not.
2. Usage is taken figure by figure: the last one at the best place that ever reported it.
3. A response is finished when it has choices and all have a finish_reason, or when it has an error. At its end it is
   `errored` if an error came, else `complete` if it was finished or `[DONE]` came, else `truncated`.
4. A surrogate pair may be cut between two deltas: texts are joined first and cleaned last (when they become columns).
5. logprob_sum is compensated (Neumaier), in the order of the rows, so that both engines find the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import Any, TypeAlias

from ssift.contract import STATUSES
from ssift.python.calls import Calls, Place
from ssift.python.chunks import Chunk, Delta, ReportedUsage
from ssift.python.failures import Failure
from ssift.python.logprobs import Token
from ssift.python.values import text_of

COMPLETE, TRUNCATED, ERRORED = range(len(STATUSES))
NAMES = ("id", "object", "model", "system_fingerprint", "service_tier")
USAGE_PLACES, FIGURES = 3, 5

Row: TypeAlias = "tuple[Any, ...]"
"""A row of a raw table, in the order of ``contract.RAW``."""


class Text:
    """A text that grows; None until something was sent, be it empty."""

    def __init__(self) -> None:
        self.parts: list[str] | None = None

    def add(self, part: str) -> None:
        if self.parts is None:
            self.parts = []
        if part:
            self.parts.append(part)

    def whole(self) -> str | None:
        return None if self.parts is None else "".join(self.parts)


class Sum:
    """A compensated sum of the values that are there."""

    def __init__(self) -> None:
        self._sum = self._lost = 0.0
        self._any = False

    def add(self, value: float) -> None:
        if value != value:
            return
        before = self._sum
        after = before + value
        if abs(before) >= abs(value):
            self._lost += (before - after) + value
        else:
            self._lost += (value - after) + before
        self._sum = after
        self._any = True

    def value(self) -> float:
        if not self._any:
            return nan
        return self._sum + self._lost if isfinite(self._sum) else self._sum


class Choice:
    """One index of a response."""

    def __init__(self) -> None:
        self.role = ""
        self.finish_reason = ""
        self.content, self.refusal, self.reasoning = Text(), Text(), Text()
        self.calls = Calls()
        self.positions = [0, 0, 0]  # tokens so far, by list
        self.logprob_sum = Sum()

    def add(self, delta: Delta, place: Place, texts: bool) -> None:
        """A delta, but for its finish_reason and tokens; ``texts`` says whether its texts are wanted."""
        if delta.role and not self.role:
            self.role = delta.role
        if texts:
            if delta.content is not None:
                self.content.add(delta.content)
            if delta.refusal is not None:
                self.refusal.add(delta.refusal)
            if delta.reasoning is not None:
                self.reasoning.add(delta.reasoning)
        for piece in delta.pieces:
            self.calls.add(piece, place)

    def place_tokens(self, index: int, tokens: Sequence[Token], chunk: int, top: int) -> list[Row]:
        """Rows of tokens: they go on where the choice stood, their alternatives from row ``top`` on."""
        rows: list[Row] = []
        positions = self.positions
        for list_code, token, own, logprob, count in tokens:
            rows.append((index, positions[list_code], chunk, list_code, token, own, logprob, top))
            positions[list_code] += 1
            top += count
            self.logprob_sum.add(logprob)
        return rows


class Response:
    """A response as far as it came."""

    def __init__(self, number: int, source: int, offset: int, requested: int | None = None) -> None:
        self.number = number
        self.source = source
        self.offset = offset
        self.end = offset
        self.requested = requested
        self.started: int | None = None
        self.ended: int | None = None
        self.ids: set[str] = set()
        self.choices: dict[int, Choice] = {}
        self.chunk_count = 0
        self.done = False
        self.finished = False
        self.error: Failure | None = None
        self.had_role = self.had_text = self.had_usage = False
        self._unfinished = 0  # choices without a finish_reason
        self._names: dict[str, str] = {}
        self._lacking: list[str] = list(NAMES)
        self._created: int | None = None
        self._usage: list[list[int | None]] = [[None] * FIGURES for _ in range(USAGE_PLACES)]

    # --------------------------------------------------------------------------------------------- what comes in

    def touch(self, place: Place, arrival: int | None) -> None:
        """An event of this response, and when it arrived."""
        offset, length, _ = place
        self.end = offset + length
        self.ended = arrival
        if offset == self.offset:
            self.started = arrival

    def add(self, chunk: Chunk, place: Place, texts: bool) -> None:
        """A chunk, but for its tokens; ``texts`` says whether its texts are wanted."""
        self.chunk_count += 1
        if self.is_lacking:
            self._describe(chunk)
        for delta in chunk.deltas:
            choice = self.choices.get(delta.index)
            if choice is None:
                choice = self.choices[delta.index] = Choice()
                self._unfinished += 1
            if delta.finish_reason:
                self._unfinished -= not choice.finish_reason
                choice.finish_reason = delta.finish_reason
            choice.add(delta, place, texts)
        if chunk.has_role:
            self.had_role = True
        if chunk.has_text or chunk.has_calls:
            self.had_text = True
        if chunk.usage:
            self._add_usage(chunk.usage)
        self.finished = self.error is not None or (not self._unfinished and bool(self.choices))

    def add_error(self, failure: Failure) -> None:
        """The first one stays."""
        self.error = self.error or failure
        self.finished = True

    def add_names(self, chunk: Chunk) -> None:
        """What an error without choices says beside the error."""
        self._name("id", chunk.value)
        self._name("model", chunk.value)
        self._add_usage(chunk.usage)

    def go_on(self, count: int, end: int, arrival: int | None, has_text: bool, usage: Sequence[ReportedUsage]) -> None:
        """So many chunks, the last of which ends at ``end``, and that neither name nor finish anything."""
        self.chunk_count += count
        self.end = end
        self.ended = arrival
        self.had_text = self.had_text or has_text
        self._add_usage(usage)

    @property
    def is_lacking(self) -> bool:
        """Whether there is a name or a time of creation that no chunk gave so far."""
        return bool(self._lacking) or not self._created

    def lacks(self, value: dict[str, Any]) -> bool:
        """Whether a chunk may give what :attr:`is_lacking`."""
        if any(map(value.get, self._lacking)):
            return True
        return not self._created and value.get("created") != self._created

    def _name(self, name: str, value: dict[str, Any]) -> None:
        said = text_of(value.get(name))
        if said and name in self._lacking:
            self._names[name] = said
            self._lacking.remove(name)

    def _describe(self, chunk: Chunk) -> None:
        for name in list(self._lacking):
            self._name(name, chunk.value)
        if not self._created and chunk.created is not None:
            self._created = chunk.created

    def _add_usage(self, usage: Sequence[ReportedUsage]) -> None:
        for place, figures in usage:
            self.had_usage = True
            known = self._usage[place]
            for which, figure in enumerate(figures):
                if figure is not None:
                    known[which] = figure

    # -------------------------------------------------------------------------------------------- what comes out

    @property
    def had_finish(self) -> bool:
        return len(self.choices) > self._unfinished

    @property
    def status(self) -> int:
        if self.error is not None:
            return ERRORED
        return COMPLETE if self.done or self.finished else TRUNCATED

    def usage(self) -> list[int | None]:
        """Each figure from the best place that has it."""
        by_figure = zip(*self._usage, strict=True)
        return [next((figure for figure in places if figure is not None), None) for places in by_figure]

    def row(self) -> Row:
        """Row of `responses`."""
        names = self._names
        return (
            *(self.number, self.source, self.offset, self.end - self.offset),
            *(names.get("id", ""), names.get("object", ""), self._created, names.get("model", "")),
            *(names.get("system_fingerprint"), names.get("service_tier")),
            *(self.chunk_count, self.done, self.status),
            *(self.error or (None, None)),
            *self.usage(),
            *(self.started, self.ended, self.requested),
        )

    def choice_rows(self) -> list[Row]:
        """Rows of `choices`, by index."""
        return [
            (
                *(self.number, index, choice.role or None),
                *(choice.content.whole(), choice.refusal.whole(), choice.reasoning.whole()),
                *(choice.finish_reason or None, sum(choice.positions), choice.logprob_sum.value()),
            )
            for index, choice in sorted(self.choices.items())
        ]

    def call_rows(self) -> list[Row]:
        """Rows of `tool_calls`, by index and call; those without a name are none."""
        rows: list[Row] = []
        for index, choice in sorted(self.choices.items()):
            named = (call for call in choice.calls.calls if call.name)
            for order, call in enumerate(named):
                rows.append((self.number, index, order, call.id, call.type, call.name, "".join(call.arguments)))
        return rows

    def nameless(self) -> list[Place]:
        """Where calls began that never found a name."""
        choices = [choice for _, choice in sorted(self.choices.items())]
        return [call.place for choice in choices for call in choice.calls.calls if not call.name]

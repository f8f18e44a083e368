"""Puts the tokens of responses together again that a scan has cut into batches.

A batch of :func:`ssift.scan` ends where it ends: a response may have tokens in several. Figures of a whole response
need all of them, so what is not whole yet waits here. A response is *whole* when its rows in ``responses`` and
``choices`` have come and as many tokens as its choices count; in which order the parts came does not matter, so two
of these merge, whatever each has seen. Responses of a batch that are whole at once, nearly all, never wait.

What waits is one float64 a column for each token of a response that is open, which is less than the engine itself
keeps of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ssift.contract import Flags, Ints
from ssift.log import Log
from ssift.strings import Strings

Columns: TypeAlias = tuple[npt.NDArray[Any], ...]
Name: TypeAlias = tuple[str, int]  # of a response: the call that read it, its number there


@dataclass(frozen=True)
class Answers:
    """Whole responses, and the columns of their tokens, choice by choice.

    The tokens of choice c are rows ``offsets[c]`` to ``offsets[c + 1]`` of every column, as sent.
    """

    response: Ints  # a row for each response, as are the next five
    source: Strings
    offset: Ints
    length: Ints
    id: Strings
    model: Strings
    owner: Ints  # a row for each choice, as are the next three: which row of response it belongs to
    index: Ints
    finish_reason: Strings  # null where none was sent
    text_bytes: Ints  # of content, refusal and reasoning
    offsets: Ints
    columns: Columns


@dataclass
class _Waiting:
    """A response in parts: rows that came so far, and pieces as (first row, index of choices, columns)."""

    rows: Answers | None = None
    expected: int = -1
    pieces: list[tuple[int, Ints, Columns]] = field(default_factory=list)

    def is_whole(self) -> bool:
        return self.rows is not None and sum(len(piece[1]) for piece in self.pieces) == self.expected


class Whole:
    """Takes batches, gives whole responses; ``a.merge(b)`` gives those that become whole by merging."""

    def __init__(self) -> None:
        self._waiting: dict[Name, _Waiting] = {}

    @property
    def waiting(self) -> int:
        """Responses of which something is missing still."""
        return len(self._waiting)

    def add(self, log: Log, columns: Columns) -> Iterator[Answers]:
        """Add a batch with the columns of its tokens (in the order of ``log.tokens``).

        First come the responses that are whole in this batch, of which there may be none, then each that became so.
        """
        index = log.tokens["index"]
        borders, numbers = log.token_runs()
        order: Ints | None = None
        if np.any(numbers[1:] < numbers[:-1]):
            tokens = np.repeat(numbers, np.diff(borders))
            order = np.argsort(tokens, kind="stable")
            tokens, index = tokens[order], index[order]
            columns = tuple(column[order] for column in columns)
            borders = np.concatenate([[0], np.flatnonzero(tokens[1:] != tokens[:-1]) + 1, [len(tokens)]])
            numbers = tokens[borders[:-1]]
        answers, expected = _rows(log)
        lengths = np.diff(borders)
        place = np.searchsorted(answers.response, numbers)
        is_here = np.zeros(len(numbers), np.bool_)
        inside = place < len(answers.response)
        is_here[inside] = answers.response[place[inside]] == numbers[inside]
        is_here[is_here] = lengths[is_here] == expected[place[is_here]]
        whole = expected == 0
        whole[place[is_here]] = True
        touched: list[Name] = []
        for row in np.flatnonzero(~whole).tolist():
            name = log.call, int(answers.response[row])
            found = self._waiting.setdefault(name, _Waiting())
            found.rows, found.expected = _taken(answers, np.array([row])), int(expected[row])
            touched.append(name)
        for piece in np.flatnonzero(~is_here).tolist():
            name = log.call, int(numbers[piece])
            part = slice(int(borders[piece]), int(borders[piece + 1]))
            first = log.first["tokens"] + int(part.start if order is None else order[part.start])
            kept = index[part].copy(), tuple(column[part].copy() for column in columns)
            self._waiting.setdefault(name, _Waiting()).pieces.append((first, *kept))
            touched.append(name)
        if not whole.all():
            answers = _taken(answers, np.flatnonzero(whole))
        if not is_here.all():
            keep = _tokens_of(is_here, borders)
            index, columns = index[keep], tuple(column[keep] for column in columns)
        yield _by_choice(answers, index, columns)
        yield from self._released(touched)

    def merge(self, other: Whole) -> Iterator[Answers]:
        """Take over what waits in ``other``, which is not changed."""
        for name, found in other._waiting.items():
            mine = self._waiting.setdefault(name, _Waiting())
            if found.rows is not None:
                mine.rows, mine.expected = found.rows, found.expected
            mine.pieces = [*mine.pieces, *found.pieces]
        yield from self._released(list(other._waiting))

    def _released(self, names: Sequence[Name]) -> Iterator[Answers]:
        for name in sorted(set(names)):
            found = self._waiting[name]
            if found.rows is not None and found.is_whole():
                del self._waiting[name]
                pieces = sorted(found.pieces, key=lambda piece: piece[0])
                index = np.concatenate([piece[1] for piece in pieces])
                columns = tuple(map(np.concatenate, zip(*(piece[2] for piece in pieces), strict=True)))
                yield _by_choice(found.rows, index, columns)

    def copy(self) -> Whole:
        """Another one in the same state."""
        new = Whole()
        for name, found in self._waiting.items():
            new._waiting[name] = _Waiting(found.rows, found.expected, list(found.pieces))
        return new

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Whole) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> dict[Name, tuple[int, list[int]]]:
        return {
            name: (found.expected, sorted(row for first, index, _ in found.pieces for row in (first, len(index))))
            for name, found in self._waiting.items()
        }


def _tokens_of(runs: Flags, borders: Ints) -> Any:
    """An index for the tokens of some runs: a slice, which copies nothing, when these stand together."""
    chosen = np.flatnonzero(runs)
    if not len(chosen):
        return slice(0, 0)
    if chosen[-1] - chosen[0] == len(chosen) - 1:
        return slice(int(borders[chosen[0]]), int(borders[chosen[-1] + 1]))
    return np.repeat(runs, np.diff(borders))


def _rows(log: Log) -> tuple[Answers, Ints]:
    """The responses that ended in a batch, without tokens, and how many tokens each has."""
    responses, choices = log.responses, log.choices
    number = responses["response"]
    owner = np.searchsorted(number, choices["response"])
    count = choices["token_count"]
    sizes = sum((choices[text].lengths() for text in ("content", "refusal", "reasoning")), np.zeros(len(owner), int))
    offsets = np.concatenate([[0], np.cumsum(count)])
    expected = np.bincount(owner, weights=count, minlength=len(number)).astype(np.int64)
    return Answers(
        number, responses["source"], responses["offset"], responses["length"], responses["id"], responses["model"],
        owner, choices["index"], choices["finish_reason"], sizes, offsets, (),
    ), expected  # fmt: skip


def _taken(answers: Answers, rows: Ints) -> Answers:
    """Some responses of many, with their choices, without tokens."""
    new = np.full(len(answers.response), -1)
    new[rows] = np.arange(len(rows))
    choices = np.flatnonzero(new[answers.owner] >= 0)
    count = np.diff(answers.offsets)[choices]
    return Answers(
        answers.response[rows],
        answers.source.take(rows),
        answers.offset[rows],
        answers.length[rows],
        answers.id.take(rows),
        answers.model.take(rows),
        new[answers.owner[choices]],
        answers.index[choices],
        answers.finish_reason.take(choices),
        answers.text_bytes[choices],
        np.concatenate([[0], np.cumsum(count)]),
        (),
    )


def choices_where(answers: Answers, chosen: Flags) -> Answers:
    """The answers with some of their choices only, and the responses that have any of these."""
    owner = answers.owner[chosen]
    kept = np.unique(owner)
    count = np.diff(answers.offsets)[chosen]
    keep = np.repeat(chosen, np.diff(answers.offsets))
    return Answers(
        answers.response[kept], answers.source.take(kept), answers.offset[kept], answers.length[kept],
        answers.id.take(kept), answers.model.take(kept), np.searchsorted(kept, owner), answers.index[chosen],
        answers.finish_reason.take(np.flatnonzero(chosen)), answers.text_bytes[chosen],
        np.concatenate([[0], np.cumsum(count)]), tuple(column[keep] for column in answers.columns),
    )  # fmt: skip


def _by_choice(answers: Answers, index: Ints, columns: Columns) -> Answers:
    """The answers with the columns of their tokens, which come by response and as sent."""
    count = np.diff(answers.offsets)
    one_each = not answers.index.any()  # the usual: there is choice 0 alone, of which all tokens are then
    if not one_each and not np.array_equal(index, np.repeat(answers.index, count)):
        response = np.repeat(answers.owner, count)  # tokens of one response stand together, so this is theirs too
        order = np.lexsort((index, response))
        columns = tuple(column[order] for column in columns)
    return replace(answers, columns=columns)

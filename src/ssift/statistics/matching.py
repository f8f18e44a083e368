"""Which response of one log answers to which of another, and how far their tokens are the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from ssift.contract import Flags, Floats, Ints
from ssift.errors import TableError
from ssift.log import Log
from ssift.strings import Strings

Match: TypeAlias = Literal["auto", "id", "order"] | Mapping[str, str]


@dataclass(frozen=True)
class Side:
    """One of two logs, choice by choice.

    The tokens of choice c are rows ``offsets[c]`` to ``offsets[c + 1]`` of ``logprob`` and ``word`` and of ``row``,
    which says where they stand in the log.
    """

    log: Log
    response: Ints  # a row for each choice, as are the next two
    index: Ints
    id: list[str]
    offsets: Ints
    row: Ints
    logprob: Floats
    word: Ints  # equal numbers, equal bytes; over both logs


class Pairs(NamedTuple):
    """Choices that are held side by side: rows of two sides, and what could not be paired."""

    a: Ints
    b: Ints
    matched_by: str
    unmatched_a: int
    unmatched_b: int


class Words:
    """Numbers for the bytes of tokens, the same for the same bytes."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def of(self, entries: Any) -> Ints:
        """The number of each token or alternative of a table: of its bytes, else of the UTF-8 of its text."""
        numbers = self._numbers
        texts = entries["token"]
        raw = entries["bytes"]
        found = [numbers.setdefault(text.encode(), len(numbers)) for text in texts]
        own = np.flatnonzero(raw.valid) if raw.valid is not None else np.arange(len(texts))
        if len(own) and (raw.offsets is not texts.offsets or raw.data is not texts.data):
            for place, value in zip(own.tolist(), raw.take(own), strict=True):
                found[place] = numbers.setdefault(value, len(numbers))
        return np.array(found, np.int64)


def side(log: Log, words: Words) -> Side:
    """A log choice by choice.

    Raises:
        TableError: the log is a batch, and tokens of a response are in another one.
    """
    choices, tokens = log.choices, log.tokens
    order = np.lexsort((tokens["index"], tokens["response"]))
    for name in ("response", "index"):
        if not np.array_equal(tokens[name][order], np.repeat(choices[name], choices["token_count"])):
            raise TableError(
                "responses reach over the ends of this batch: ssift.scan(..., whole_responses=True) keeps each in one"
            )
    numbers = log.responses["response"]
    owner = np.searchsorted(numbers, choices["response"])
    ids = log.responses["id"].to_pylist()
    return Side(
        log,
        choices["response"],
        choices["index"],
        [ids[row] for row in owner.tolist()],
        np.concatenate([[0], np.cumsum(choices["token_count"])]),
        order,
        tokens["logprob"][order],
        words.of(tokens)[order],
    )


# ---------------------------------------------------------------------------------------------------- pairing


def pair(a: Side, b: Side, match: Match) -> Pairs:
    """The choices that belong together; choices of paired responses are paired by index.

    ``"id"``: responses with the same id, the first with the first where an id comes again. ``"order"``: the first
    response with the first. A mapping gives each id a key, such as its prompt: responses with the same key are paired
    in order. ``"auto"``: by id when the logs share one, else by order.

    Raises:
        ValueError: an unknown ``match``.
    """
    if isinstance(match, str) and match not in ("auto", "id", "order"):
        raise ValueError(f"match={match!r}: use auto, id, order, or a mapping from ids to keys")
    if match == "auto":
        shared = {name for name in a.id if name} & {name for name in b.id if name}
        match = "id" if shared else "order"
    keys_a, keys_b = _keys(a, match), _keys(b, match)
    where = {key: row for row, key in enumerate(keys_b) if key is not None}
    rows = [(row, where[key]) for row, key in enumerate(keys_a) if key in where]
    found = np.array(rows, np.int64).reshape(-1, 2)
    by = match if isinstance(match, str) else "key"
    return Pairs(found[:, 0], found[:, 1], by, len(keys_a) - len(rows), len(keys_b) - len(rows))


def _keys(one: Side, match: Match) -> list[tuple[Any, int, int] | None]:
    """What each choice is found by: a key, which response with that key, the index of the choice."""
    if match == "order":  # a response without a choice, such as one that errored, has its place too
        ranks = np.searchsorted(one.log.responses["response"], one.response)
        return [("", rank, index) for rank, index in zip(ranks.tolist(), one.index.tolist(), strict=True)]
    seen: Counter[Any] = Counter()
    place: dict[int, tuple[Any, int] | None] = {}
    for response, name in zip(one.response.tolist(), one.id, strict=True):
        if response not in place:
            key = name if match == "id" else match.get(name)  # type: ignore[union-attr]
            if key is None or (match == "id" and not key):
                place[response] = None
            else:
                place[response] = key, seen[key]
                seen[key] += 1
    of_choices = zip(one.response.tolist(), one.index.tolist(), strict=True)
    return [None if place[response] is None else (*place[response], index) for response, index in of_choices]  # type: ignore[misc]


# -------------------------------------------------------------------------------------------------- alignment


class Aligned(NamedTuple):
    """The tokens of pairs up to the first that differs.

    Attributes:
        pair: which pair each aligned token is of, shape (aligned,); ``a`` and ``b`` its place in the sides.
        length: how many tokens of each pair are the same, shape (pairs,).
        differs: whether both go on after these, with different tokens.
    """

    pair: Ints
    a: Ints
    b: Ints
    length: Ints
    differs: Flags


def align(a: Side, b: Side, pairs: Pairs) -> Aligned:
    """Hold the tokens of each pair side by side, up to the first difference: after it the contexts are not the same."""
    starts_a, starts_b = a.offsets[:-1][pairs.a], b.offsets[:-1][pairs.b]
    shorter = np.minimum(np.diff(a.offsets)[pairs.a], np.diff(b.offsets)[pairs.b])
    number, step = _ragged(shorter)
    same = a.word[starts_a[number] + step] == b.word[starts_b[number] + step]
    length = shorter.copy()
    different = np.flatnonzero(~same)
    first = different[np.unique(number[different], return_index=True)[1]]
    length[number[first]] = step[first]
    number, step = _ragged(length)
    return Aligned(number, starts_a[number] + step, starts_b[number] + step, length, length < shorter)


def _ragged(lengths: Ints) -> tuple[Ints, Ints]:
    """For runs of the given lengths: which run each row is of, and which row of the run."""
    number = np.repeat(np.arange(len(lengths)), lengths)
    return number, np.arange(len(number)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


# ------------------------------------------------------------------------------------------------ alternatives


class Tops(NamedTuple):
    """The alternatives of some places: ``place`` (ascending), word and logprob of each, one row per word."""

    place: Ints
    word: Ints
    logprob: Floats


def tops_of(one: Side, words: Ints, rows: Ints, floor: float) -> Tops:
    """The alternatives above ``floor`` of the tokens ``rows`` of a side; ``words`` are the log's alternatives'."""
    log = one.log
    start = log.tokens["top_start"][one.row[rows]] - log.first["top_logprobs"]
    count = log.tokens["top_count"][one.row[rows]]
    place, step = _ragged(count)
    top = start[place] + step
    logprob = log.top_logprobs["logprob"][top]
    kept = logprob > floor
    place, word, logprob = place[kept], words[top[kept]], logprob[kept]
    order = np.lexsort((-logprob, word, place))  # of a word that is listed twice the highest stays
    place, word, logprob = place[order], word[order], logprob[order]
    first = np.ones(len(place), np.bool_)
    first[1:] = (np.diff(place) != 0) | (np.diff(word) != 0)
    return Tops(place[first], word[first], logprob[first])


def texts(one: Side, rows: Ints) -> Strings:
    """The token texts of some places of a side."""
    found: Strings = one.log.tokens["token"].take(one.row[rows])
    return found

"""Where tokens stand in the text: ranges of bytes and characters, and the figures of a range.

The tokens of a list (content, refusal, reasoning), joined by their ``bytes`` (where a server sent none, by the UTF-8
of their text), are held against the text of the choice:

==========  ======================================================================================================
exact       they are the text: every token has its range
prefix      they begin with the whole text and go on: tokens after its end (an end token, a stop string that was
            cut off) have no range
differs     they are not the text; nothing is guessed, and no token has a range. So it is when text was stripped or
            rewritten, tokens were not logged, or bytes that cut a character are missing
==========  ======================================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from ssift.contract import TOKEN_LISTS, Flags, Floats, Ints
from ssift.errors import TableError
from ssift.log import Log
from ssift.statistics.kernel import floor_of
from ssift.statistics.logprobs import Sentinels, exp
from ssift.statistics.partial import PartialTokens, decoder_of
from ssift.statistics.plain import kept
from ssift.statistics.sums import exact_sum
from ssift.statistics.tables import table
from ssift.strings import Strings
from ssift.table import Table

ListName: TypeAlias = Literal["content", "refusal", "reasoning"]

TABLES = ("choices", "tokens")
"""The tables of a log that these figures are made from."""


class Located(NamedTuple):
    """The tokens of one list of one choice and their places in its text."""

    choice: int  # row in log.choices
    rows: Ints  # rows in log.tokens, by position
    text: bytes  # the choice's text, UTF-8
    fit: str  # exact, prefix, differs
    starts: Ints  # bytes; -1 where a token has no range
    ends: Ints
    placed: int  # tokens that have one: these come first


@dataclass(frozen=True)
class SpanFigures:
    """Figures of the tokens that touch a range of a text.

    Attributes:
        first, last: positions of the first and the last of them; None when there is none.
        tokens: how many; ``count`` of them have a logprob.
        logprob_sum, mean_logprob, min_logprob, perplexity: over these, NaN when there are none.
    """

    first: int | None
    last: int | None
    tokens: int
    count: int
    logprob_sum: float
    mean_logprob: float
    min_logprob: float
    perplexity: float


def located(
    log: Log, name: ListName = "content", only: tuple[int, int] | None = None, partial: PartialTokens | None = None
) -> Iterator[Located]:
    """The tokens of list ``name`` of each choice that has any, in the order of ``log.choices``.

    A choice of a batch whose tokens are partly in another one is left out. ``only`` is the response and index of the
    one choice that is wanted: no others are sorted or joined. ``partial`` is how tokens without ``bytes`` are written.

    Raises:
        TableError: one of the tables was not read.
        ValueError: no such list, or no such way of writing.
    """
    decoded = decoder_of(partial)
    if name not in TOKEN_LISTS:
        raise ValueError(f"list={name!r}: use one of {', '.join(TOKEN_LISTS)}")
    tokens, choices = log.tokens, log.choices
    response, index, position = tokens["response"], tokens["index"], tokens["position"]
    in_list = _is_of(tokens["list"], name)
    if only is None:
        rows_of_choices = np.arange(len(choices))
        order = np.lexsort((position, index, response))
    else:
        rows_of_choices = np.flatnonzero((choices["response"] == only[0]) & (choices["index"] == only[1]))
        order = np.flatnonzero((response == only[0]) & (index == only[1]))
        order = order[np.argsort(position[order], kind="stable")]
    keys = np.stack([response[order], index[order]])
    borders = np.flatnonzero(np.any(np.diff(keys, axis=1) != 0, axis=0)) + 1
    runs = (
        dict(zip(map(tuple, keys[:, [0, *borders]].T.tolist()), np.split(order, borders), strict=True))
        if len(order)
        else {}
    )
    texts, words = choices[name], tokens["token"]
    own = tokens["bytes"]
    names = zip(
        rows_of_choices.tolist(),
        *(choices[column][rows_of_choices].tolist() for column in ("response", "index", "token_count")),
        strict=True,
    )
    for choice, of_response, of_index, count in names:
        rows = runs.get((of_response, of_index))
        if rows is None or len(rows) != count:
            continue
        rows = rows[in_list[rows]]
        if not len(rows):
            continue
        pieces = [
            decoded(word or "") if raw is None else raw
            for raw, word in zip(own.take(rows), words.take(rows), strict=True)
        ]
        yield _fitted(choice, rows, (texts[choice] or "").encode(), pieces)


def _is_of(column: Strings, name: str) -> Flags:
    """Which rows are ``name``, one of TOKEN_LISTS: no two of these agree in both length and first letter."""
    found: Flags = np.equal(column.lengths(), len(name))
    found[found] = column.data[column.offsets[:-1][found]] == ord(name[0])
    return found


def _fitted(choice: int, rows: Ints, text: bytes, pieces: list[bytes]) -> Located:
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    starts = ends - np.array([len(piece) for piece in pieces], np.int64)
    joined = b"".join(pieces)
    fit = "exact" if joined == text else "prefix" if joined.startswith(text) else "differs"
    if fit != "exact":
        outside = (ends > len(text)) | (fit == "differs")
        starts, ends = np.where(outside, -1, starts), np.where(outside, -1, ends)
    return Located(choice, rows, text, fit, starts, ends, int(np.count_nonzero(starts >= 0)))


def characters(text: bytes, offsets: Ints, ends: bool = False) -> Ints:
    """Offsets of characters from offsets of bytes: that of the character a byte belongs to.

    With ``ends`` they are ends of ranges: inside of a character it is the end of that character.
    """
    begins = (np.frombuffer(text, np.uint8) & 0xC0) != 0x80
    before = np.concatenate([[0], np.cumsum(begins)])  # characters that begin before a byte
    inside = np.concatenate([~begins, [False]])[offsets]
    found: Ints = before[offsets] - (inside & (not ends))
    return found


def spans(log: Log, list: ListName = "content", *, partial: PartialTokens | None = None) -> Table:
    """Ranges of the tokens of one list in the text of their choice; see :mod:`ssift.statistics.places`.

    A token whose bytes begin or end inside of a character has in its range of characters the whole character, so the
    ranges of two such tokens overlap. Ranges are half open and count in content, refusal or reasoning.

    Args:
        log: a log with the tables ``choices`` and ``tokens``.
        list: which list of tokens, and which text.
        partial: how this server writes tokens that are parts of characters when it sends no ``bytes``: ``"openai"``
            (``bytes:\\xf0``), ``"backslash"`` (``\\xf0``) or ``"byte_fallback"`` (``<0xF0>``). None guesses nothing.

    Returns:
        One row per token of that list, by choice and position: response, index, position, token_row (row number in
        ``log.tokens``, as ``top_logprobs.token_row`` counts), fit (str), start_byte, end_byte, start_character,
        end_character (int64, null where there is no range), logprob (float64).

    Raises:
        TableError: one of the tables was not read.
        ValueError: no such ``list`` or ``partial``.
    """
    found = [*located(log, list, partial=partial)]
    rows = _joined([one.rows for one in found])
    starts, ends = _joined([one.starts for one in found]), _joined([one.ends for one in found])
    first = _joined([_where(one.starts, characters(one.text, one.starts)) for one in found])
    last = _joined([_where(one.starts, np.maximum(characters(one.text, one.ends, True), 0)) for one in found])
    tokens, missing = log.tokens, starts < 0
    return table(
        "spans",
        response=tokens["response"][rows],
        index=tokens["index"][rows],
        position=tokens["position"][rows],
        token_row=rows + log.first["tokens"],
        fit=Strings.of([one.fit for one in found for _ in one.rows]),
        start_byte=np.ma.MaskedArray(starts, mask=missing),
        end_byte=np.ma.MaskedArray(ends, mask=missing),
        start_character=np.ma.MaskedArray(first, mask=missing),
        end_character=np.ma.MaskedArray(last, mask=missing),
        logprob=tokens["logprob"][rows],
    )


def _joined(parts: list[Ints]) -> Ints:
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _where(starts: Ints, values: Ints) -> Ints:
    found: Ints = np.where(starts < 0, -1, values)
    return found


def span(
    log: Log,
    response: int,
    start: int,
    end: int,
    *,
    index: int = 0,
    list: ListName = "content",
    unit: Literal["character", "byte"] = "character",
    sentinels: Sentinels = "exclude",
    partial: PartialTokens | None = None,
) -> SpanFigures:
    """Figures of the tokens that touch ``text[start:end]`` of one choice.

    Args:
        log: a log with the tables ``choices`` and ``tokens``.
        response, index: the choice.
        start, end: a half-open range of its text.
        list: content, refusal or reasoning.
        unit: whether the range counts in characters or in bytes of UTF-8.
        sentinels: whether logprobs at or below -9999 are left out.
        partial: as for :func:`spans`.

    Raises:
        TableError: the log has no such choice, or its tokens are not its text (see :func:`spans`).
        ValueError: the range is empty or not inside of the text, or an argument is not one of those above.
    """
    floor = floor_of(sentinels)
    if unit not in ("character", "byte"):
        raise ValueError(f"unit={unit!r}: use character or byte")
    for one in located(log, list, (response, index), partial):
        if one.fit == "differs":
            raise TableError(f"the tokens of response {response}, choice {index} are not its {list}: no place is known")
        size = len(one.text) if unit == "byte" else len(one.text.decode())
        if not 0 <= start < end <= size:
            raise ValueError(f"{start}:{end} is no range in a text of {size} {unit}s")
        if unit == "character":
            text = one.text.decode()
            start, end = len(text[:start].encode()), len(text[:end].encode())
        touched = touching(one, start, end)
        return figures_of(log.tokens["position"][one.rows], log.tokens["logprob"][one.rows], touched, floor)
    raise TableError(f"there is no response {response} with a choice {index} that has {list} tokens")


def touching(one: Located, start: int, end: int) -> Ints:
    """Which tokens have a byte in a range of bytes."""
    starts, ends = one.starts[: one.placed], one.ends[: one.placed]
    touched = np.arange(np.searchsorted(ends, start, "right"), np.searchsorted(starts, end, "left"))
    return touched[ends[touched] > starts[touched]]


def figures_of(position: Ints, logprob: Floats, touched: Ints, floor: float) -> SpanFigures:
    """The figures of some tokens."""
    values = logprob[touched]
    values = values[kept(values, floor)]
    total = exact_sum(values) if len(values) else math.nan
    mean = total / len(values) if len(values) else math.nan
    return SpanFigures(
        int(position[touched[0]]) if len(touched) else None,
        int(position[touched[-1]]) if len(touched) else None,
        len(touched),
        len(values),
        total,
        mean,
        float(values.min()) if len(values) else math.nan,
        exp(-mean),
    )

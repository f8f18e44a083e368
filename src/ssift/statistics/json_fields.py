"""How sure a model was of each field of an answer that is JSON.

The answer may stand in a Markdown fence, and it may be cut: what was said up to there counts, and the last value is
marked. Where the text is no JSON any more reading stops, and what was found stays.
"""

from __future__ import annotations

from dataclasses import astuple

import numpy as np

from ssift.contract import Ints
from ssift.log import Log
from ssift.statistics.json_places import Value, values
from ssift.statistics.kernel import floor_of
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.partial import PartialTokens
from ssift.statistics.places import figures_of, located, touching
from ssift.statistics.tables import table
from ssift.strings import Strings
from ssift.table import Table


def fields(
    log: Log, *, containers: bool = False, sentinels: Sentinels = "exclude", partial: PartialTokens | None = None
) -> Table:
    """Figures of each field of the answers that are JSON, over the tokens that say its value.

    The tokens of a value are those with a byte in it; of a string, between its quotes (an empty one: the quotes). A
    token may belong to two values, or to a value and the signs around it.

    Args:
        log: a log with the tables ``choices`` and ``tokens``.
        containers: also objects and arrays, over all that is in them.
        sentinels: whether logprobs at or below -9999 are left out.
        partial: as for :func:`ssift.statistics.spans`.

    Returns:
        One row per value, by choice and place: response, index (int64), path (str, ``$.a[0].b``; a key that is no name
        is written as ``$["a b"]``), kind (str: string, number, boolean, null, object, array), text (str, as in the
        answer), whole (bool: False when the answer ends inside of it), answer (str: how the JSON ends: whole, cut,
        broken), fit (str: whether the tokens are the text, see :func:`ssift.statistics.spans`; where it differs there
        are no figures), start_character, end_character (int64), tokens, count (int64), logprob_sum, mean_logprob,
        min_logprob, perplexity (float64). Answers that are no JSON have no row.

    Raises:
        TableError: one of the tables was not read.
        ValueError: an unknown ``sentinels`` or ``partial``.
    """
    floor = floor_of(sentinels)
    tokens, choices = log.tokens, log.choices
    rows = []
    for one in located(log, partial=partial):
        text = one.text.decode()
        answer, found = values(text)
        position, logprob = tokens["position"][one.rows], tokens["logprob"][one.rows]
        place = _byte_places(text)
        for value in found:
            if not containers and value.kind in ("object", "array"):
                continue
            start, end = _inside(value)
            touched = touching(one, int(place[start]), int(place[end]))
            rows.append(
                (
                    int(choices["response"][one.choice]),
                    int(choices["index"][one.choice]),
                    value.path,
                    value.kind,
                    text[value.start : value.end],
                    value.whole,
                    answer,
                    one.fit,
                    value.start,
                    value.end,
                    *astuple(figures_of(position, logprob, touched, floor))[2:],
                )
            )
    columns = iter(list(zip(*rows, strict=True)) or [()] * 16)

    def ints() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array(next(columns), np.int64)

    def floats() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array(next(columns), np.float64)

    def strings() -> Strings:
        return Strings.of(next(columns))

    return table(
        "fields",
        response=ints(),
        index=ints(),
        path=strings(),
        kind=strings(),
        text=strings(),
        whole=np.array(next(columns), np.bool_),
        answer=strings(),
        fit=strings(),
        start_character=ints(),
        end_character=ints(),
        tokens=ints(),
        count=ints(),
        logprob_sum=floats(),
        mean_logprob=floats(),
        min_logprob=floats(),
        perplexity=floats(),
    )


def _inside(value: Value) -> tuple[int, int]:
    """The range whose tokens say a value."""
    if value.kind != "string":
        return value.start, value.end
    start, end = value.start + 1, value.end - 1 if value.whole else value.end
    return (start, end) if end > start else (value.start, value.end)


def _byte_places(text: str) -> Ints:
    """The offset of each character in bytes, and of the end: int64, shape (characters + 1,)."""
    octets = np.frombuffer(text.encode() + b"\0", np.uint8)
    return np.flatnonzero((octets & 0xC0) != 0x80)

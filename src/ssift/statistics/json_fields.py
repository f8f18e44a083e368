"""How sure a model was of each field of an answer that is JSON.

The answer is read with its places, so that a value can be found in the tokens. It may stand in a Markdown fence, and
it may be cut: what was said up to there counts, and the last value is marked. This is no validator: where the text
is no JSON any more reading stops, and what was found stays.
"""

from __future__ import annotations

import json
import re
from dataclasses import astuple
from typing import NamedTuple

import numpy as np

from ssift.contract import Ints
from ssift.log import Log
from ssift.statistics.kernel import floor_of
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.places import figures_of, located, touching
from ssift.statistics.tables import table
from ssift.strings import Strings
from ssift.table import Table

_FENCE = re.compile(r"```[^\n`]*\n(?=\s*[\[{])")
_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*', re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_BEGUN = re.compile(r"[-+.\w]*")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Value(NamedTuple):
    """A value in a JSON text: its path, kind, and place in characters, quotes and brackets included."""

    path: str
    kind: str  # object, array, string, number, boolean, null
    start: int
    end: int
    whole: bool  # False: the text ends inside of it


class _Cut(Exception):
    """The text ends where more was to come."""


class _Broken(Exception):
    """The text is no JSON from here on."""


def values(text: str) -> tuple[str, list[Value]]:
    """The values of a JSON object or array in ``text``, in the order in which they begin, and how it ends.

    Returns:
        ``"whole"``, ``"cut"`` (the text ends first), ``"broken"`` (it is no JSON from some place on) or ``"none"`` (it
        does not begin as an object or array does, in a fence or not), and the values.
    """
    fence = _FENCE.search(text)
    start = fence.end() if fence else 0
    start = _blank(text, start)
    if text[start : start + 1] not in ("{", "["):
        return "none", []
    reader = _Reader(text, start)
    try:
        reader.read()
    except _Cut:
        return "cut", reader.found()
    except _Broken:
        return "broken", reader.found()
    return "whole", reader.found()


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


class _Reader:
    """Reads one object or array without recursion: ``_open`` holds the containers around the place."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._at = start
        self._found: list[list[object]] = []
        self._open: list[tuple[int, str, str]] = []  # which of _found, its closing bracket, its path

    def found(self) -> list[Value]:
        return [Value(*row) for row in self._found]  # type: ignore[arg-type]

    def read(self) -> None:
        self._value("$")
        counts = [0]
        while self._open:
            number, closing, path = self._open[-1]
            del counts[len(self._open) :]
            if len(counts) < len(self._open):
                counts.append(0)
            self._at = _blank(self._text, self._at)
            here = self._peek()
            if here == closing:
                self._at += 1
                self._open.pop()
                self._found[number][3:] = [self._at, True]
                continue
            if counts[-1]:
                self._take(",")
            count = counts[-1]
            counts[-1] += 1
            self._value(f"{path}[{count}]" if closing == "]" else path + self._key())

    def _peek(self) -> str:
        if self._at >= len(self._text):
            raise _Cut
        return self._text[self._at]

    def _take(self, sign: str) -> None:
        self._at = _blank(self._text, self._at)
        if self._peek() != sign:
            raise _Broken
        self._at += 1
        self._at = _blank(self._text, self._at)

    def _key(self) -> str:
        if self._peek() != '"':
            raise _Broken
        start = self._at
        self._string()
        try:
            key = json.loads(self._text[start : self._at], strict=False)
        except ValueError:
            raise _Broken from None
        self._take(":")
        return f".{key}" if _NAME.fullmatch(key) else f"[{json.dumps(key, ensure_ascii=False)}]"

    def _string(self) -> None:
        match = _STRING.match(self._text, self._at)
        end = match.end() if match else self._at
        if self._text[end : end + 1] != '"':
            self._at = len(self._text)
            raise _Cut
        self._at = end + 1

    def _value(self, path: str) -> None:
        self._at = _blank(self._text, self._at)
        sign, start = self._peek(), self._at
        row: list[object] = [path, "string", start, len(self._text), False]
        if sign in "{[":
            row[1] = "object" if sign == "{" else "array"
            self._open.append((len(self._found), "}" if sign == "{" else "]", path))
            self._found.append(row)
            self._at += 1
        elif sign == '"':
            self._found.append(row)
            self._string()
            row[3:] = [self._at, True]
        else:
            self._scalar(row)

    def _scalar(self, row: list[object]) -> None:
        match, begun = _SCALAR.match(self._text, self._at), _BEGUN.match(self._text, self._at)
        word = begun.group() if begun else ""
        kinds = {"t": "boolean", "f": "boolean", "n": "null"}
        row[1] = kinds.get(word[:1], "number")
        ends = self._at + len(word) == len(self._text)
        if match and match.group() == word:
            self._at += len(word)
            row[3:] = [self._at, not (ends and row[1] == "number")]  # a number at the end may go on
            self._found.append(row)
        elif ends and word:
            self._found.append(row)
            raise _Cut
        else:
            raise _Broken


def fields(log: Log, *, containers: bool = False, sentinels: Sentinels = "exclude") -> Table:
    """Figures of each field of the answers that are JSON, over the tokens that say its value.

    The tokens of a value are those with a byte in it; of a string, between its quotes (an empty one: the quotes). A
    token may belong to two values, or to a value and the signs around it.

    Args:
        log: a log with the tables ``choices`` and ``tokens``.
        containers: also objects and arrays, over all that is in them.
        sentinels: whether logprobs at or below -9999 are left out.

    Returns:
        One row per value, by choice and place: response, index (int64), path (str, ``$.a[0].b``; a key that is no name
        is written as ``$["a b"]``), kind (str: string, number, boolean, null, object, array), text (str, as in the
        answer), whole (bool: False when the answer ends inside of it), answer (str: how the JSON ends: whole, cut,
        broken), fit (str: whether the tokens are the text, see :func:`ssift.statistics.spans`; where it differs there
        are no figures), start_character, end_character (int64), tokens, count (int64), logprob_sum, mean_logprob,
        min_logprob, perplexity (float64). Answers that are no JSON have no row.

    Raises:
        TableError: one of the tables was not read.
    """
    floor = floor_of(sentinels)
    tokens, choices = log.tokens, log.choices
    rows = []
    for one in located(log):
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

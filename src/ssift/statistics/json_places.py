"""A JSON text read with the place of each value, as far as it goes: this is no validator."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

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

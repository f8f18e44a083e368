"""JSON text to Python values.

Theory. What counts as JSON here is what ``json.loads`` of the standard library takes: RFC 8259, and NaN, Infinity and
-Infinity beside it. A value is a dict, list, str, int, float, bool or None; of equal keys the last one wins.

1. :func:`loads` asks orjson first, which is many times faster. It refuses what it calls invalid: NaN, lone
   surrogates, numbers beyond float64. Then json decides. Where json would run out of stack, :func:`exact` decides.
   The answer never depends on who gave it.
2. Integers that may fit int64 are ints; longer ones may be floats, `inf` beyond float64.
3. Three things are lost on the quick way: the sign of the integer ``-0``; whether -2^63 was an integer just below it,
   that fits no int64; where in the text a value stood. Who needs them raises :class:`LookAgain`, and :func:`exact`
   reads once more: it is slow, does not recurse and loses nothing.
4. Nesting is counted before anything is parsed, so that no text can exhaust the stack.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import orjson

from ssift.python.lines import BLANKS

Container: TypeAlias = "dict[str, Any] | list[Any]"

DONE = b"[DONE]"
INT_MIN, INT_MAX = -(1 << 63), (1 << 63) - 1
MINUS_ZERO = re.compile(rb"-0(?![.eE0-9])")

_TOKEN = re.compile(
    r"[ \t\r\n]*(?:"
    r"(?P<mark>[\[\]{},:])|(?P<quote>\")|"
    r"(?P<number>-?(?:0|[1-9][0-9]*)(?P<fraction>(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?))|"
    r"(?P<word>true|false|null)|(?P<symbol>NaN|-?Infinity)|(?P<end>\Z))"
)
_WORDS = {"true": True, "false": False, "null": None}
_CLOSER = {dict: "}", list: "]"}
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_STEP = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


class NotJson(ValueError):
    """The text is not JSON: what is wrong, and at which character."""


class LookAgain(Exception):
    """The quick reading lost something that matters here."""


def loads(data: bytes) -> Any:
    """The value of ``data``, which is valid UTF-8.

    Raises:
        NotJson: it is none.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return loads_text(data.decode())


def loads_text(text: str) -> Any:
    """As :func:`loads`, for characters (lone surrogates may be among them)."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return exact(text).value
    except json.JSONDecodeError as error:
        raise _not_json(error.msg, error.pos) from None


def _not_json(wrong: str, at: int) -> NotJson:
    return NotJson(f"{wrong.removesuffix(' at')} at character {at + 1}")


def integer(text: str) -> int | float:
    """The value of an integer literal. ``-0`` is a float, for there is no such int."""
    if text == "-0":
        return -0.0
    return int(text) if len(text) <= 20 else float(text)


def fraction(text: str) -> int | float:
    """The value of another number. -2^63 is an int, so that no doubt is left about it."""
    value = float(text)
    return INT_MIN if value == INT_MIN else value


_DECODER = json.JSONDecoder(parse_int=integer)


def too_deep(data: bytes, limit: int) -> bool:
    """Whether brackets outside strings, in valid JSON or not, open more than ``limit`` levels."""
    if len(data) <= limit or data.count(b"{") + data.count(b"[") <= limit:
        return False
    levels = accumulate(_STEP[bracket] for bracket in _BRACKET.findall(_STRING.sub(b"", data)))
    return max(levels, default=0) > limit


def is_json(data: bytes, limit: int) -> bool:
    """Whether ``data``, invalid UTF-8 replaced, is JSON nested no deeper than ``limit``."""
    return _value_or_none(data, limit) is not None


def stands_alone(data: bytes, limit: int) -> bool:
    """Whether a line of data means something by itself: a whole JSON object, ``[DONE]``, or a wrapped comment."""
    data = data.lstrip(BLANKS)
    if data.startswith(b"{"):
        return is_json(data, limit)
    return data.startswith((DONE, b":"))


def _value_or_none(data: bytes, limit: int) -> tuple[Any] | None:
    if too_deep(data, limit):
        return None
    try:
        return (loads(clean_utf8(data)),)
    except NotJson:
        return None


def clean_utf8(data: bytes) -> bytes:
    """``data`` with U+FFFD for each maximal subpart that is not UTF-8; the same object when there is none."""
    if data.isascii():
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode()
    return data


class Exact(NamedTuple):
    """A value, and for each object and list in it, by ``id``, the text it was written as."""

    value: Any
    text: str
    spans: dict[int, tuple[int, int]]

    def written(self, container: Container) -> str:
        """The text of an object or list in the value, as sent."""
        start, end = self.spans[id(container)]
        return self.text[start:end]


class Number(str):
    """A number in its own spelling."""

    __slots__ = ()


def exact(text: str, number: Callable[[str], Any] | None = None) -> Exact:
    """Read without recursion and keep places; ``number`` makes the value of a number (NaN and Infinity included).

    Raises:
        NotJson: the text is not JSON.
    """
    return _ExactReader(text, number).read()


class _ExactReader:
    """One pass over the tokens, with a stack of the containers that are open."""

    def __init__(self, text: str, number: Callable[[str], Any] | None) -> None:
        self._text = text
        self._at = 0
        self._integer = number or integer
        self._float = number or fraction
        self._spans: dict[int, tuple[int, int]] = {}

    def read(self) -> Exact:
        top: list[Any] = []
        stack: list[tuple[Container, int]] = [(top, 0)]  # each with its start
        keys = [""]  # for each: the key under which the next value goes
        while True:
            start, value = self._value()
            container = stack[-1][0]
            if isinstance(container, dict):
                container[keys[-1]] = value
            else:
                container.append(value)
            if isinstance(value, dict | list):
                stack.append((value, start))
                keys.append("")
                if not self._skips(_CLOSER[type(value)]):
                    if isinstance(value, dict):
                        keys[-1] = self._key()
                    continue
                self._close(stack, keys)
            while not self._more(stack[-1][0], len(stack) == 1):  # a value ended, perhaps some that hold it
                if len(stack) == 1:
                    return Exact(top[0], self._text, self._spans)
                self._close(stack, keys)
            if isinstance(stack[-1][0], dict):
                keys[-1] = self._key()

    def _close(self, stack: list[tuple[Container, int]], keys: list[str]) -> None:
        container, start = stack.pop()
        keys.pop()
        self._spans[id(container)] = start, self._at

    def _next(self) -> tuple[str, str, int]:
        """Kind, text and start of the next token; the reading place is behind it."""
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.lastgroup is None:
            raise self._wrong(self._at)
        kind = match.lastgroup
        self._at = match.end()
        return ("integer" if kind == "number" and not match["fraction"] else kind), match[kind], match.start(kind)

    def _value(self) -> tuple[int, Any]:
        """Start and value; of a container only its beginning."""
        kind, text, start = self._next()
        if kind == "quote":
            return start, self._string(start)
        if kind == "integer":
            return start, self._integer(text)
        if kind in ("number", "symbol"):
            return start, self._float(text)
        if kind == "word":
            return start, _WORDS[text]
        if text == "{":
            return start, {}
        if text == "[":
            return start, []
        raise self._wrong(start)

    def _string(self, start: int) -> str:
        try:
            value, self._at = _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            raise _not_json(error.msg, error.pos) from None
        assert isinstance(value, str)
        return value

    def _key(self) -> str:
        kind, _, start = self._next()
        if kind != "quote":
            raise self._wrong(start)
        key = self._string(start)
        _, mark, start = self._next()
        if mark != ":":
            raise self._wrong(start)
        return key

    def _skips(self, mark: str) -> bool:
        """Pass over ``mark`` if it comes next."""
        before = self._at
        if self._next()[1] == mark:
            return True
        self._at = before
        return False

    def _more(self, container: Container, outermost: bool) -> bool:
        """After a value: True for a comma; False when ``container`` (or, outermost, the text) ends here."""
        kind, text, start = self._next()
        if text == "," and not outermost:
            return True
        if kind == "end" if outermost else text == _CLOSER[type(container)]:
            return False
        raise self._wrong(start)

    def _wrong(self, at: int) -> NotJson:
        return _not_json("Something else was expected", at)

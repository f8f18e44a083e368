"""Values in a JSON text, and where they stand in it.

A *path* says where: keys joined by dots, ``[]`` for each element of a list: ``responses[].packets[].value``. ``[]``
on a value that is no list takes the value itself; a key that is not there gives nothing. A key with a dot or a bracket
in it cannot be named.
"""

from __future__ import annotations

import json
import json.decoder
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ssift.contract import Path

_BLANKS = re.compile(r"[ \t\r\n]*")
_MARKS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\]]', re.DOTALL)
_STEP = re.compile(r"([^.\[\]]+)|(\[\])")
string: Callable[[str, int], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
"""The JSON string whose first character is at a place, and the place behind its closing quote."""

_EXACT = json.JSONDecoder()
_DECODER = json.JSONDecoder(parse_int=float)  # digits without end are legal JSON; int() refuses them

EACH = None
"""The step ``[]``."""


def parse(path: str) -> Path:
    """The steps of a path.

    Raises:
        ValueError: it is none.
    """
    if path.split(".")[0] in ("$", "$[]"):
        raise ValueError(f"{path!r} is not a path; it begins in the record itself: leave out the $")
    steps: list[str | None] = []
    for part in path.split("."):
        matches = list(_STEP.finditer(part))
        if not matches or "".join(match[0] for match in matches) != part or (matches[0][1] is None and steps):
            raise ValueError(f"{path!r} is not a path; write keys joined by dots, [] for each of a list: a.b[].c")
        if any(match[1] is not None for match in matches[1:]):
            raise ValueError(f"{path!r} is not a path; a dot is missing behind []")
        steps += [match[1] for match in matches]
    return tuple(steps)


class Span(NamedTuple):
    """A value at one of the paths asked for, ``text[start:end]``, and its indices at the ``[]`` of the path."""

    path: int
    places: tuple[int, ...]
    start: int
    end: int


class _Node:
    """Paths with common beginnings, as a tree; ``loose``: an object there ends where its brackets say."""

    def __init__(self) -> None:
        self.loose = False
        self.ends: list[int] = []
        self.below: dict[str | None, _Node] = {}


class Finder:
    """Finds the values at some paths, in one pass.

    Objects at the paths numbered in ``loose`` are not checked: they end where their brackets do.
    """

    def __init__(self, paths: Sequence[Path], loose: Sequence[int] = ()) -> None:
        self._root = _Node()
        for number, path in enumerate(paths):
            node = self._root
            for step in path:
                node = node.below.setdefault(step, _Node())
            node.ends.append(number)
            node.loose = node.loose or number in loose

    def find(self, text: str, start: int = 0) -> tuple[list[Span], int]:
        """The values in the JSON value at ``start``, and where that ends.

        Raises:
            ValueError: it is not valid JSON, or nested too deep for Python.
        """
        try:
            return self._visit(text, _skip(text, start), self._root, ())
        except (RecursionError, IndexError) as error:
            raise ValueError("nested too deep" if isinstance(error, RecursionError) else "cut short") from error

    def elements(self, text: str, start: int) -> Iterator[tuple[list[Span], int, int]]:
        """Of each element of the list at ``start``: the values in it, where it begins and where it ends.

        Raises:
            ValueError: it is not valid JSON from there on.
        """
        try:
            yield from self._elements(text, _skip(text, start), self._root, ())
        except (RecursionError, IndexError) as error:
            raise ValueError("nested too deep" if isinstance(error, RecursionError) else "cut short") from error

    def _visit(self, text: str, start: int, node: _Node, places: tuple[int, ...]) -> tuple[list[Span], int]:
        found: list[Span] = []
        at = start
        each = node.below.get(EACH)
        if text[at] == "[" and each is not None:
            at = _skip(text, at + 1)
            for spans, _, end in self._elements(text, start, each, places):
                found += spans
                at = _skip(text, end)
            at += 1
        elif text[at] == "{" and len(node.below) > (each is not None):
            found, at = self._object(text, at, node, places)
        elif text[at] == "{" and (
            node.loose or (each is not None and each.loose)
        ):  # which stands for itself, see below
            at = _object_end(text, at)
        else:
            at = end_of(text, at)
        if each is not None and text[start] != "[":  # a value that is no list stands for itself
            found += self._visit(text, start, each, (*places, 0))[0]
        return [*(Span(path, places, start, at) for path in node.ends), *found], at

    def _object(self, text: str, at: int, node: _Node, places: tuple[int, ...]) -> tuple[list[Span], int]:
        members: dict[str, list[Span]] = {}  # of a key that comes twice the last counts
        at = _skip(text, at + 1)
        first = True
        while text[at] != "}":
            if not first:
                at = _skip(text, _expect(text, at, ","))
            first = False
            key, at = string(text, _expect(text, at, '"'))
            at = _skip(text, _expect(text, _skip(text, at), ":"))
            below = node.below.get(key)
            if below is None:
                members[key], at = [], end_of(text, at)
            else:
                members[key], at = self._visit(text, at, below, places)
            at = _skip(text, at)
        return [span for spans in members.values() for span in spans], at + 1

    def _elements(
        self, text: str, start: int, node: _Node, places: tuple[int, ...]
    ) -> Iterator[tuple[list[Span], int, int]]:
        at = _skip(text, _expect(text, start, "["))
        place = 0
        while text[at] != "]":
            if place:
                at = _skip(text, _expect(text, at, ","))
            begin = at
            found, at = self._visit(text, at, node, (*places, place))
            yield found, begin, at
            at = _skip(text, at)
            place += 1


def first(text: str, path: Path) -> Any:
    """The first value at a path, without a look at what follows it; None where there is none.

    Raises:
        ValueError: what stands before it is not valid JSON.
    """
    try:
        at = _skip(text, 0)
        for step in path:
            if step is EACH:
                at = _skip(text, at + 1) if text[at] == "[" else at
            else:
                at = _member(text, at, step)
            if at < 0:
                return None
        return _EXACT.raw_decode(text, at)[0] if text[at] != "]" else None
    except (RecursionError, IndexError) as error:
        raise ValueError("cut short, or nested too deep") from error


def _member(text: str, at: int, name: str) -> int:
    """Where the value of a member begins; -1 when there is none."""
    if text[at] != "{":
        return -1
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = string(text, _expect(text, at, '"'))
        at = _skip(text, _expect(text, _skip(text, at), ":"))
        if key == name:
            return at
        at = _skip(text, end_of(text, at))
        if text[at] == ",":
            at = _skip(text, at + 1)
    return -1


def end_of(text: str, at: int) -> int:
    """Behind the JSON value at ``at``."""
    return _DECODER.raw_decode(text, at)[1]


def _object_end(text: str, at: int) -> int:
    depth = 0
    for match in _MARKS.finditer(text, at):
        depth += (match[0] in "{[") - (match[0] in "]}")
        if depth <= 0:
            return match.end()
    raise json.JSONDecodeError("the brackets are not closed", text, at)


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    assert match is not None
    return match.end()


def _expect(text: str, at: int, mark: str) -> int:
    if text[at] != mark:
        raise json.JSONDecodeError(f"Expecting {mark!r}", text, at)
    return at + 1


def value(text: str, span: Span) -> Any:
    """The value of a span."""
    return json.loads(text[span.start : span.end])

"""What nodes are made of: a dict that a parser made, and descriptors that look into it.

A *cell* is the dict and, for a whole chunk, the text it was parsed from. A *field* is one name of it: reading it looks
into the dict, and a dict that stands there becomes a cell itself, in place, when it is first asked for. So a cell costs
one small object, and what nobody looks at costs nothing.

These run for every attribute of every chunk, so there are two of each, with one behaviour: those here and compiled ones
(ext/nodes.pxi), in use where the native engine is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ssift.engine import part

Values: TypeAlias = "dict[str, Any]"
Inner: TypeAlias = "type[Cell] | Callable[[Values], type[Cell]] | None"
"""The class of a cell inside, or what chooses it by its values; None for plain values."""


class PythonCell:
    """A dict of values, seen through its fields."""

    __slots__ = ("_raw", "_values")


_values: Callable[[Any], Values] = PythonCell.__dict__["_values"].__get__
_set_values: Callable[[Any, Values], None] = PythonCell.__dict__["_values"].__set__
_set_raw: Callable[[Any, Any], None] = PythonCell.__dict__["_raw"].__set__


class PythonMaker:
    """Makes an object of a class of cells of what a parser found; what is no dict stays as it is."""

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls

    def __call__(self, values: Any, raw: bytes | None = None) -> Any:
        if type(values) is not dict:
            return values
        cell = object.__new__(self._cls)
        _set_values(cell, values)
        _set_raw(cell, raw)
        return cell


class PythonField:
    """One name of a cell: a plain value, a float, a cell inside, or a list of them."""

    def __init__(self, name: str, inner: Inner, many: bool, real: bool) -> None:
        self._name = name
        self._inner = inner
        self._many = many
        self._real = real

    def __get__(self, cell: Any, owner: Any = None) -> Any:
        if cell is None:
            return self
        values = _values(cell)
        value = values.get(self._name)
        if self._inner is not None:
            if self._many:
                return self._nodes(value) if type(value) is list else value
            if type(value) is dict:
                value = values[self._name] = self._node(value)
            return value
        return real_of(value) if self._real and type(value) is int else value

    def __set__(self, cell: Any, value: Any) -> None:
        _values(cell)[self._name] = value

    def _node(self, values: Values) -> Any:
        inner: Any = self._inner
        cell = object.__new__(inner if isinstance(inner, type) else inner(values))
        _set_values(cell, values)
        return cell

    def _nodes(self, values: list[Any]) -> list[Any]:
        for place, value in enumerate(values):
            if type(value) is dict:
                values[place] = self._node(value)
        return values


def real_of(value: int) -> float:
    """An integer as a float; one that is too large as an infinity."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


Cell: Any = part("Cell", PythonCell)
Field: Any = part("Field", PythonField)
Maker: Any = part("Maker", PythonMaker)

"""Arrow types and arrays as plain values: what :mod:`ssift.arrow.capsules` writes into C structures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy.typing as npt

from ssift.contract import Column

Buffer: TypeAlias = "npt.NDArray[Any] | None"

FORMATS = {"int": "l", "float": "g", "bool": "b", "str": "U", "binary": "Z", "list": "+L"}
"""Column types as Arrow formats: int64, float64, bool, large_utf8, large_binary, large_list."""

SMALLER = {"U": "u", "Z": "z", "+L": "+l"}
"""Formats with 64-bit offsets, and the same with 32 bits."""


@dataclass(frozen=True)
class Field:
    """A type with a name. ``format`` is that of the C data interface; ``dictionary`` the type of the words."""

    name: str
    format: str
    nullable: bool = False
    children: tuple[Field, ...] = ()
    dictionary: Field | None = None


@dataclass(frozen=True)
class Array:
    """Values of a type: its buffers in Arrow's order, the bitmap of what is valid (None: all) first.

    The arrays must be contiguous; they are handed on as they are.
    """

    length: int
    buffers: Sequence[Buffer]
    nulls: int = 0
    children: Sequence[Array] = field(default_factory=tuple)
    dictionary: Array | None = None


def field_of(column: Column) -> Field:
    """The Arrow type of a column, by its declaration alone."""
    if column.type == "list":
        item = struct_field("item", column.fields)
        return Field(column.name, FORMATS["list"], column.nullable, (item,))
    return Field(column.name, FORMATS[column.type], column.nullable)


def struct_field(name: str, columns: Sequence[Column]) -> Field:
    """A struct of columns: a table."""
    return Field(name, "+s", False, tuple(field_of(column) for column in columns))


def struct_array(length: int, children: Sequence[Array]) -> Array:
    """The rows of a table."""
    return Array(length, (None,), 0, children)

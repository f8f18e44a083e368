"""A column of lists: rows of another table, gathered under each row of this one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol, Self, overload

import numpy as np
import numpy.typing as npt

from ssift.arrow import Array, ArrowColumn, Field, read_only
from ssift.contract import Ints
from ssift.errors import row_at


class Items(Protocol):
    """The table that the lists are rows of."""

    def __getitem__(self, rows: slice) -> Any: ...
    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Any:
        """The given rows."""

    def arrow_field(self) -> Field:
        """The struct that its rows are."""

    def arrow_array(self) -> Array:
        """Its rows."""


class Lists(ArrowColumn, Sequence[list[dict[str, Any]]]):
    """Row i is the list of the rows ``offsets[i]`` to ``offsets[i + 1]`` of ``items``, each a dict.

    Attributes:
        offsets: int64, shape (rows + 1,), read-only; need not begin at 0.
        items: a Table.
    """

    __slots__ = ("items", "offsets")

    def __init__(self, offsets: Ints, items: Items) -> None:
        self.offsets: Ints = read_only(offsets)
        self.items = items

    @classmethod
    def of(cls, starts: Ints, counts: Ints, items: Items) -> Self:
        """Row i is ``counts[i]`` rows of ``items`` from ``starts[i]`` on; shares them where they follow each other."""
        offsets = np.zeros(len(starts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        shift = starts - offsets[:-1]
        if len(starts) == 0 or bool((shift == shift[0]).all()):
            return cls(offsets + (shift[0] if len(starts) else 0), items)
        return cls(offsets, items.take(np.arange(offsets[-1]) + np.repeat(shift, counts)))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Any:
        """One list, or the rows of a slice as a column of lists."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step, dtype=np.int64))
            return type(self)(self.offsets[start : max(start, stop) + 1], self.items)
        row = row_at(index, len(self), type(self).__name__)
        return list(self.items[self.offsets[row] : self.offsets[row + 1]].rows())

    def __iter__(self) -> Iterator[list[dict[str, Any]]]:
        for start in range(0, len(self), 1024):
            yield from self[start : start + 1024].to_pylist()

    def to_pylist(self) -> list[list[dict[str, Any]]]:
        """All rows as a list of lists of dicts."""
        first = int(self.offsets[0])
        rows = list(self.items[first : int(self.offsets[-1])].rows())
        ends = (self.offsets - first).tolist()
        return [rows[start:end] for start, end in pairwise(ends)]

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """The given rows as a new column."""
        return type(self).of(self.offsets[:-1][rows], np.diff(self.offsets)[rows], self.items)

    def arrow_field(self) -> Field:
        item = self.items.arrow_field()
        return Field("", "+L", False, (Field("item", item.format, False, item.children),))

    def arrow_array(self) -> Array:
        return Array(len(self), (None, self.offsets), 0, (self.items.arrow_array(),))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(len={len(self)}, items={self.offsets[-1] - self.offsets[0]})"

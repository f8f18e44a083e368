"""Columns of variable length: :class:`Strings` and :class:`Binaries`, and :class:`Encoded`, numbers of their words.

The former are views of two buffers in Arrow's large layout: row ``i`` is ``data[offsets[i]:offsets[i + 1]]``. Nothing
is decoded until it is asked for, slices share the buffers, and a log with ten million tokens holds three arrays
instead of ten million objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from ssift.arrow import Array, ArrowColumn, Field, bitmap, read_only
from ssift.contract import Codes, Flags, Ints
from ssift.errors import row_at

Item = TypeVar("Item", str, bytes)

_GATHERED_AT_ONCE = 1 << 20  # bytes; bounds the index array of gather() to eight times this
_ENCODED_AT_ONCE = 1 << 16  # rows; bounds the Python objects of dictionary_encode()


class Ragged(ArrowColumn, Sequence["Item | None"], Generic[Item]):
    """What :class:`Strings` and :class:`Binaries` share.

    ``polars.Series(column)``, ``pyarrow.array(column)`` and others take the buffers as they are (large_utf8 or
    large_binary). The arrays cannot be written to.

    Attributes:
        offsets: int64, shape (rows + 1,); need not begin at 0.
        data: uint8, the bytes of all rows.
        valid: uint8, shape (rows,), 0 where the row is null; None when the column has no nulls.
    """

    __slots__ = ("data", "offsets", "valid")

    _FORMAT: ClassVar[str]

    def __init__(self, offsets: Ints, data: Codes, valid: Codes | None = None) -> None:
        self.offsets: Ints = read_only(offsets)
        self.data: Codes = read_only(data)
        self.valid: Codes | None = None if valid is None else read_only(valid)

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: of shared buffers only the rows' own part."""
        first, last = int(self.offsets[0]), int(self.offsets[-1])
        return type(self), (self.offsets - first, self.data[first:last], self.valid)

    @staticmethod
    def _decode(raw: bytes) -> Item:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Item | None: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: int | slice) -> Any:
        """Row ``index`` (None where null), or the rows of a slice as a column of the same kind."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step, dtype=np.int64))
            stop = max(start, stop)
            valid = None if self.valid is None else self.valid[start:stop]
            return type(self)(self.offsets[start : stop + 1], self.data, valid)
        row = row_at(index, len(self), type(self).__name__)
        if self.valid is not None and not self.valid[row]:
            return None
        return self._decode(self.data[self.offsets[row] : self.offsets[row + 1]].tobytes())

    def __iter__(self) -> Iterator[Item | None]:
        for start in range(0, len(self), 4096):
            yield from self[start : start + 4096].to_pylist()

    def to_pylist(self) -> list[Item | None]:
        """All rows as a list of Python objects, None where null."""
        first = int(self.offsets[0])
        raw = self.data[first : int(self.offsets[-1])].tobytes()
        ends = (self.offsets - first).tolist()
        rows: list[Item | None] = self._cut(raw, ends)
        if self.valid is not None:
            for row in np.flatnonzero(self.valid == 0).tolist():
                rows[row] = None
        return rows

    def _cut(self, raw: bytes, ends: list[int]) -> list[Any]:
        raise NotImplementedError

    def to_numpy(self, dtype: Any = None) -> npt.NDArray[Any]:
        """All rows as a numpy array, shape (rows,): of objects with None where null, or of ``dtype``.

        For strings that numpy holds itself name ``numpy.dtypes.StringDType()``, with ``na_object=None`` where the
        column has nulls.

        Raises:
            ValueError: nulls, and a StringDType that has no ``na_object`` (numpy would write ``"None"``).
        """
        rows = np.empty(len(self), dtype=object)
        rows[:] = self.to_pylist()
        if isinstance(dtype, np.dtypes.StringDType) and not hasattr(dtype, "na_object") and self._nulls().any():
            raise ValueError("None among the rows: use numpy.dtypes.StringDType(na_object=None)")
        return rows if dtype is None else rows.astype(dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a numpy array of these rows is always a copy; use .offsets and .data for the buffers")
        return self.to_numpy(dtype)

    def dictionary_encode(self) -> Encoded:
        """Each different row once, in order of first appearance, and for every row the number of its word.

        Raises:
            OverflowError: more than 2**31 - 1 different rows.
        """
        numbers: dict[Any, int] = {}
        codes = np.zeros(len(self), np.int32)
        for start in range(0, len(self), _ENCODED_AT_ONCE):
            part = self[start : start + _ENCODED_AT_ONCE].to_pylist()
            if None in part:
                codes[start : start + len(part)] = [
                    0 if row is None else numbers.setdefault(row, len(numbers)) for row in part
                ]
            else:
                codes[start : start + len(part)] = [numbers.setdefault(row, len(numbers)) for row in part]
        words: Any = type(self)._of_items(list(numbers))
        return Encoded(codes, words, self.valid)

    @classmethod
    def _of_items(cls, rows: Sequence[Any]) -> Self:
        raise NotImplementedError

    def arrow_field(self) -> Field:
        return Field("", self._FORMAT, self.valid is not None)

    def arrow_array(self) -> Array:
        bits, nulls = bitmap(self.valid)
        return Array(len(self), (bits, self.offsets, self.data), nulls)

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Self:
        """The given rows (non-negative, any order, repeats allowed) as a new column."""
        valid = None if self.valid is None else self.valid[rows]
        if len(rows) and rows[0] == rows[-1] and (rows == rows[0]).all():  # one row, over and over
            word = self.data[self.offsets[rows[0]] : self.offsets[rows[0] + 1]]
            return type(self)(np.arange(len(rows) + 1) * np.int64(len(word)), np.tile(word, len(rows)), valid)
        lengths = self.lengths()[rows]
        offsets, data = gather(self.data, self.offsets[:-1][rows], lengths)
        return type(self)(offsets, data, valid)

    def is_uniform(self) -> bool:
        """Whether there are rows, none is null, and all are the same; told by their bytes."""
        rows, first, last = len(self), int(self.offsets[0]), int(self.offsets[-1])
        if not rows or (self.valid is not None and not self.valid.all()):
            return False
        size = (last - first) // rows
        if (np.diff(self.offsets) != size).any():
            return False
        words = self.data[first:last].reshape(rows, size)
        return bool((words == words[0]).all())

    def lengths(self) -> Ints:
        """Bytes of each row, int64, shape (rows,); 0 where null."""
        lengths = np.diff(self.offsets)
        if self.valid is not None:
            lengths[self.valid == 0] = 0
        return lengths

    def __eq__(self, other: object) -> bool:
        """Whether all rows are equal, nulls included; ``other`` may be a list or tuple too."""
        if isinstance(other, (list, tuple)):
            return len(other) == len(self) and self.to_pylist() == list(other)
        if type(other) is not type(self):
            return NotImplemented
        return self._same(other)

    __hash__ = None  # type: ignore[assignment]

    def _same(self, other: Any) -> bool:
        if len(self) != len(other) or not np.array_equal(self._nulls(), other._nulls()):
            return False
        if not np.array_equal(self.lengths(), other.lengths()):
            return False
        return np.array_equal(self._packed(), other._packed())

    def _nulls(self) -> Flags:
        return np.zeros(len(self), np.bool_) if self.valid is None else np.equal(self.valid, 0)

    def _packed(self) -> Codes:
        """The bytes of all rows that are not null, one after the other."""
        spread = self.data[int(self.offsets[0]) : int(self.offsets[-1])]
        lengths = self.lengths()
        return spread if len(spread) == lengths.sum() else gather(self.data, self.offsets[:-1], lengths)[1]

    def __repr__(self) -> str:
        shown = ", ".join(repr(row) for row in self[:8].to_pylist())
        more = ", …" if len(self) > 8 else ""
        return f"{type(self).__name__}([{shown}{more}], len={len(self)})"


class Strings(Ragged[str]):
    """A column of ``str``; ``data`` is valid UTF-8. Indexing decodes, nulls are None."""

    __slots__ = ()

    _FORMAT = "U"

    @staticmethod
    def _decode(raw: bytes) -> str:
        return raw.decode()

    def _cut(self, raw: bytes, ends: list[int]) -> list[Any]:
        if raw.isascii():  # one decoding, and offsets of bytes are offsets of characters
            text = raw.decode("ascii")
            return [text[start:end] for start, end in pairwise(ends)]
        return [raw[start:end].decode() for start, end in pairwise(ends)]

    @classmethod
    def of(cls, rows: Sequence[str | None], nullable: bool = False) -> Strings:
        """A column of the given rows; ``nullable`` gives it a ``valid`` buffer even when no row is None.

        What UTF-8 cannot hold (a name of a file that is no UTF-8) becomes an escape such as ``\\udce9``.
        """
        raw = [b"" if row is None else row.encode("utf-8", "backslashreplace") for row in rows]
        valid = None
        if nullable or None in rows:
            valid = np.array([row is not None for row in rows], np.uint8)
        return cls(*joined(raw), valid)

    @classmethod
    def _of_items(cls, rows: Sequence[Any]) -> Strings:
        return cls.of(rows)


class Binaries(Ragged[bytes]):
    """A column of ``bytes``; nulls are None."""

    __slots__ = ()

    _FORMAT = "Z"

    @staticmethod
    def _decode(raw: bytes) -> bytes:
        return raw

    def _cut(self, raw: bytes, ends: list[int]) -> list[Any]:
        return [raw[start:end] for start, end in pairwise(ends)]

    @classmethod
    def _of_items(cls, rows: Sequence[Any]) -> Binaries:
        return cls(*joined(rows))


@dataclass(frozen=True, eq=False)
class Encoded(ArrowColumn):
    """A column as numbers of words, Arrow's dictionary type: polars makes a Categorical of it, pandas a category.

    Attributes:
        codes: int32, shape (rows,): the number of each row's word; means nothing where null.
        words: each different row once, of the kind of the column that was encoded.
        valid: uint8, 0 where the row is null; None when the column has no nulls.
    """

    codes: npt.NDArray[np.int32]
    words: Strings | Binaries
    valid: Codes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", read_only(self.codes))

    def __len__(self) -> int:
        return len(self.codes)

    def decode(self) -> Strings | Binaries:
        """The column that was encoded."""
        if not len(self.words):
            return type(self.words)(np.zeros(len(self) + 1, np.int64), np.empty(0, np.uint8), self.valid)
        rows = self.words.take(self.codes)
        return type(rows)(rows.offsets, rows.data, self.valid)

    def arrow_field(self) -> Field:
        return Field("", "i", self.valid is not None, dictionary=self.words.arrow_field())

    def arrow_array(self) -> Array:
        bits, nulls = bitmap(self.valid)
        return Array(len(self), (bits, self.codes), nulls, dictionary=self.words.arrow_array())


def joined(rows: Sequence[bytes]) -> tuple[Ints, Codes]:
    """Rows one after the other: their offsets and their bytes."""
    offsets = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return offsets, np.frombuffer(b"".join(rows), np.uint8)


def same_rows(one: Ragged[Any], rows: Ints, other: Ragged[Any], others: Ints) -> Flags:
    """Whether row ``rows[i]`` of one column has the bytes of row ``others[i]`` of another, for all i; null is empty."""
    lengths = one.lengths()[rows]
    same: Flags = lengths == other.lengths()[others]
    places = np.flatnonzero(same)
    lengths = lengths[places]
    offsets, mine = gather(one.data, one.offsets[:-1][rows[places]], lengths)
    _, its = gather(other.data, other.offsets[:-1][others[places]], lengths)
    differing = np.concatenate([[0], np.cumsum(mine != its)])
    same[places] = differing[offsets[1:]] == differing[offsets[:-1]]
    return same


def gather(data: Codes, starts: Ints, lengths: Ints) -> tuple[Ints, Codes]:
    """Copy ``data[starts[i]:starts[i] + lengths[i]]`` for all i into one buffer: its offsets and its bytes."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    gathered = np.empty(int(offsets[-1]), np.uint8)
    row = 0
    while row < len(starts):
        # As many rows as stay within the bound, and at least one.
        stop = int(np.searchsorted(offsets, offsets[row] + _GATHERED_AT_ONCE, "right")) - 1
        stop = min(max(stop, row + 1), len(starts))
        if stop == row + 1:
            start = int(starts[row])
            gathered[offsets[row] : offsets[stop]] = data[start : start + int(lengths[row])]
        else:
            shift = np.repeat(starts[row:stop] - offsets[row:stop], lengths[row:stop])
            gathered[offsets[row] : offsets[stop]] = data[shift + np.arange(offsets[row], offsets[stop])]
        row = stop
    return offsets, gathered

"""Rows to raw columns.

Theory. A row is a tuple, in the order of ``contract.RAW``; a column is a flat array of numbers, or of bytes with
offsets into them. Tuples are cheap to gather and dear to keep, so every few thousand rows they are turned: ``zip``
makes columns of them, and each column appends its own to an array. One class per kind of column, with one verb.

1. Strings end here as valid UTF-8; whether halves of surrogate pairs are left is found out by encoding them.
2. ``bytes`` that equal the UTF-8 of their token are a mark and no copy.
3. What was handed over is never touched again.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from operator import eq
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ssift.contract import BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN, RAW, EntryBytes, NullableInts, Raw, Text
from ssift.python.values import utf8

TURN = 4096
"""Rows that wait as tuples."""


class Column(Protocol):
    def extend(self, values: Any) -> None: ...

    def take(self) -> Raw: ...


class Numbers:
    """int64 ("q"), float64 ("d") or uint8 ("B")."""

    def __init__(self, code: str) -> None:
        self._values = array(code)

    def extend(self, values: Iterable[Any]) -> None:
        self._values.extend(values)

    def take(self) -> Any:
        taken, self._values = self._values, array(self._values.typecode)
        return np.frombuffer(taken, dtype=np.dtype(taken.typecode))


class MaybeInts:
    """int64 and which of them are there."""

    def __init__(self) -> None:
        self._values, self._valid = Numbers("q"), Numbers("B")

    def extend(self, values: Sequence[int | None]) -> None:
        if values.count(None) == len(values):
            self._values.extend(bytes(len(values)))
            self._valid.extend(bytes(len(values)))
            return
        self._values.extend([value or 0 for value in values])
        self._valid.extend([value is not None for value in values])

    def take(self) -> NullableInts:
        return NullableInts(self._values.take(), self._valid.take())


class Strings:
    """Offsets and UTF-8, from strings that are encoded."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._offsets = array("q", [0])

    def extend(self, values: Sequence[bytes]) -> None:
        self._data += b"".join(values)
        self._offsets.extend(accumulate(map(len, values), initial=self._offsets.pop()))

    def take(self) -> Text:
        data, offsets = self._data, self._offsets
        self._data, self._offsets = bytearray(), array("q", [0])
        return Text(np.frombuffer(offsets, dtype=np.int64), np.frombuffer(data, dtype=np.uint8))


class MaybeStrings:
    """Strings and which of them are there."""

    def __init__(self) -> None:
        self._strings, self._valid = Strings(), Numbers("B")

    def extend(self, values: Sequence[str | None]) -> None:
        self._strings.extend(encode([value or "" for value in values]))
        self._valid.extend([value is not None for value in values])

    def take(self) -> Text:
        return self._strings.take()._replace(valid=self._valid.take())


class OwnBytes:
    """Bytes of tokens, beside the tokens' UTF-8."""

    def __init__(self) -> None:
        self._how = bytearray()
        self._rest = bytearray()
        self._offsets = array("q", [0])

    def extend(self, values: tuple[Sequence[bytes | None], Sequence[bytes]]) -> None:
        owns, tokens = values
        if owns.count(None) == len(owns):
            self._how += bytes([BYTES_MISSING]) * len(owns)
            return
        for own, equal in zip(owns, map(eq, owns, tokens), strict=True):
            if equal:
                self._how.append(BYTES_OF_TOKEN)
            elif own is None:
                self._how.append(BYTES_MISSING)
            else:
                self._how.append(BYTES_OWN)
                self._rest += own
                self._offsets.append(len(self._rest))

    def take(self) -> EntryBytes:
        how, offsets, rest = self._how, self._offsets, self._rest
        self.__init__()  # type: ignore[misc]
        return EntryBytes(_codes(how), np.frombuffer(offsets, dtype=np.int64), _codes(rest))


def encode(values: Sequence[str]) -> list[bytes]:
    """The UTF-8 of each."""
    try:
        return list(map(str.encode, values))
    except UnicodeEncodeError:
        return list(map(utf8, values))


def _codes(data: bytearray) -> npt.NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


KINDS: dict[str, Any] = {
    "int": lambda: Numbers("q"),
    "float": lambda: Numbers("d"),
    "code": lambda: Numbers("B"),
    "int?": MaybeInts,
    "text": Strings,
    "text?": MaybeStrings,
    "bytes": OwnBytes,
}


class Rows:
    """The rows of one raw table."""

    def __init__(self, table: str) -> None:
        specs = [spec.split(":") for spec in RAW[table].split()]
        self._names = [name for name, _ in specs]
        self._texts = [name for name, kind in specs if kind == "text"]
        self._columns: list[Column] = [KINDS[kind]() for _, kind in specs]
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, row: tuple[Any, ...]) -> None:
        self._waiting.append(row)
        if len(self._waiting) >= TURN:
            self._turn()

    def extend(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self._waiting += rows
        if len(self._waiting) >= TURN:
            self._turn()

    def take(self) -> dict[str, Raw]:
        """The columns of the rows so far."""
        self._turn()
        return {name: column.take() for name, column in zip(self._names, self._columns, strict=True)}

    def _turn(self) -> None:
        if not self._waiting:
            return
        turned: dict[str, Any] = dict(zip(self._names, zip(*self._waiting, strict=True), strict=True))
        for name in self._texts:
            turned[name] = encode(turned[name])
        if "bytes" in turned:
            turned["bytes"] = turned["bytes"], turned["token"]
        for name, column in zip(self._names, self._columns, strict=True):
            column.extend(turned[name])
        self._waiting = []

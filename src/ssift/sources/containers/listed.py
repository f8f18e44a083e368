"""Entries in a list somewhere in a JSON text, each with its place; what stands before a cut is read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ssift.contract import M_DAMAGED, M_FORMAT
from ssift.sources.containers.body import Fault
from ssift.sources.containers.spans import Finder


class Entries:
    """The elements of the first list called ``key``."""

    def __init__(self, data: bytes, key: str) -> None:
        self._text = data.decode("utf-8", "surrogateescape")
        self._key = re.compile(rf'"{key}"\s*:\s*(?=\[)')
        self._ascii = self._text.isascii()
        self._counted = (0, 0, 1)  # characters, bytes, line

    def __iter__(self) -> Iterator[tuple[Any, Fault]]:
        """An entry (None when there are no more) and its place; after the last the problem, if there is one."""
        match = self._key.search(self._text)
        if match is None:
            yield None, self._place(0, len(self._text), M_FORMAT)
            return
        end = match.end()
        try:
            for _, start, end in Finder([]).elements(self._text, match.end()):
                entry = json.loads(self._text[start:end], parse_int=_integer)
                yield ({} if entry is None else entry), self._place(start, end, 0)
        except ValueError:
            yield None, self._place(end, len(self._text), M_DAMAGED)

    def _place(self, start: int, end: int, message: int) -> Fault:
        characters, octets, line = self._counted
        octets += self._bytes(characters, start)
        line += self._text.count("\n", characters, start)
        self._counted = (start, octets, line)
        return Fault(message, octets, self._bytes(start, end), line)

    def _bytes(self, start: int, end: int) -> int:
        return end - start if self._ascii else len(self._text[start:end].encode("utf-8", "surrogateescape"))


def _integer(text: str) -> int | float:
    return int(text) if len(text) < 4000 else float(text)


def at(value: Any, *keys: str) -> Any:
    """A member of members; None where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value

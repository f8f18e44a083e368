"""Flows saved by mitmproxy, read by its own library (``pip install 'ssift[mitmproxy]'``), one after the other.

A body is the content of a flow's response, decompressed. Flows tell when a response began and ended, but not when its
parts came.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from ssift.contract import M_DAMAGED
from ssift.errors import ReadError
from ssift.sources.containers.body import Fault, Item, Left, Pieces
from ssift.sources.containers.exchanges import answer

_HEAD = re.compile(rb"\A[1-9]\d{0,11}:\d{1,4}:[a-z_]+[;,]")


def is_mitmproxy(head: bytes) -> bool:
    """A netstring that holds netstrings."""
    return _HEAD.match(head) is not None


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies of all flows; the number of a flow counts from 1.

    Raises:
        ReadError: mitmproxy is not there.
    """
    try:
        from mitmproxy.exceptions import FlowReadException
        from mitmproxy.io import FlowReader
    except ImportError as error:
        raise ReadError(
            f"{name or 'the input'}: flows are read with mitmproxy's library: pip install 'ssift[mitmproxy]'",
            name,
        ) from error
    raw = _Raw(pieces)
    file = io.BufferedReader(raw)
    number, start = 0, 0
    try:
        for flow in FlowReader(file).stream():
            number += 1
            end = raw.taken - len(file.peek())
            yield from _answer(number, flow, Fault(0, start, end - start, 1))
            start = end
    except (FlowReadException, ValueError):
        size = raw.taken + sum(map(len, pieces))
        yield Fault(M_DAMAGED, start, size - start, 1)


def _answer(number: int, flow: Any, place: Fault) -> Iterator[Item]:
    response = getattr(flow, "response", None)
    if response is None:
        yield Left()
        return
    body = response.get_content(strict=False) or b""
    yield from answer(number, body, response.headers.get("content-type", ""), place)


class _Raw(io.RawIOBase):
    """Pieces as a file."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._piece = memoryview(b"")
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._piece:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._piece = memoryview(bytes(piece))
        size = min(len(buffer), len(self._piece))
        buffer[:size] = self._piece[:size]
        self._piece = self._piece[size:]
        self.taken += size
        return size

"""Flows saved by mitmproxy, read by its own library (``pip install 'ssift[mitmproxy]'``), one after the other.

A file is a netstring for each flow: its size, a colon, so many bytes, and a mark that says what they are. A body is
the content of a flow's response, decompressed. Flows tell when a response began and ended, not when its parts came.

The library is handed one netstring after the other, whole: a flow that it cannot read, in whatever way it fails, is a
problem, and the next one is read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from typing import Any

from ssift.contract import M_DAMAGED, M_FLOW, M_FORMAT, M_RECORD_BYTES
from ssift.errors import ReadError
from ssift.sources.containers.body import Fault, Item, Left, Pieces
from ssift.sources.containers.exchanges import answer
from ssift.sources.containers.splitting import LARGEST

_HEAD = re.compile(rb"\A[1-9]\d{0,11}:\d{1,4}:[a-z_]+[;,]")
_SIZE = re.compile(rb"(\d{1,12}):")
_PREFIX = 13  # bytes of the longest size and its colon

Load = Callable[[bytes], Any]


def is_mitmproxy(head: bytes) -> bool:
    """A netstring that holds netstrings."""
    return _HEAD.match(head) is not None


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies of all flows; the number of a flow counts from 1.

    Raises:
        ReadError: mitmproxy is not there.
    """
    load = _loader(name)
    for number, (netstring, place) in enumerate(_netstrings(_Held(pieces)), 1):
        if netstring is None:
            yield place
            continue
        try:
            found = _response(load(netstring))
        except Exception:  # FlowReadException, KeyError, RecursionError, ...: no list of them would be whole
            yield place
            continue
        if found is None:
            yield Left()
        else:
            yield from answer(number, *found, place)


def _loader(name: str) -> Load:
    try:
        from mitmproxy.io import FlowReader
    except ImportError as error:
        raise ReadError(
            f"{name or 'the input'}: flows are read with mitmproxy's library: pip install 'ssift[mitmproxy]'",
            name,
        ) from error
    return lambda netstring: next(iter(FlowReader(io.BytesIO(netstring)).stream()))


def _response(flow: Any) -> tuple[bytes, str] | None:
    """The body of a flow's response, and its type."""
    response = getattr(flow, "response", None)
    if response is None:
        return None
    return response.get_content(strict=False) or b"", response.headers.get("content-type", "")


def _netstrings(held: _Held) -> Iterator[tuple[bytes | None, Fault]]:
    """Each with its place; None where it is none, or too large, and then the problem: nothing follows."""
    start = 0
    while head := held.ahead(_PREFIX):
        match = _SIZE.match(head)
        message = M_DAMAGED if start else M_FORMAT
        if match is not None:
            size = match.end() + int(match[1]) + 1
            if size > LARGEST:
                message = M_RECORD_BYTES
            elif len(netstring := held.take(size)) == size:
                yield netstring, Fault(M_FLOW, start, size, 1)
                start += size
                continue
            else:
                message = M_DAMAGED
        end, is_blank = held.rest()
        if start or match is not None or not is_blank:
            yield None, Fault(message, start, end - start, 1)
        return


class _Held:
    """Pieces, as bytes in the sizes asked for."""

    def __init__(self, pieces: Pieces) -> None:
        self._pieces = pieces
        self._held = bytearray()
        self._taken = 0

    def ahead(self, size: int) -> bytes:
        """The next ``size`` bytes, or all there are, without taking them."""
        while len(self._held) < size and (piece := next(self._pieces, None)) is not None:
            self._held += piece
        return bytes(self._held[:size])

    def take(self, size: int) -> bytes:
        """The next ``size`` bytes, or all there are."""
        found = self.ahead(size)
        del self._held[: len(found)]
        self._taken += len(found)
        return found

    def rest(self) -> tuple[int, bool]:
        """Take what is left: where that ends, and whether it is blank."""
        end, is_blank = self._taken + len(self._held), not self._held.strip()
        for piece in self._pieces:
            end += len(piece)
            is_blank = is_blank and not bytes(piece).strip()
        return end, is_blank

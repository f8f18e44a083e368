"""What may be given as pieces of a live stream, and what to say of anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ssift.buffers import Buffer, is_buffer

_WINDOW = 1 << 18  # bytes; the lines of a large piece never exist all at once


def octets(piece: Any) -> bytes:
    """The bytes of a piece.

    Raises:
        TypeError: it is not bytes-like.
    """
    if type(piece) is bytes:
        return piece
    if not is_buffer(piece):  # bytes(3) would be three NULs
        raise _no_bytes("a piece of a stream is bytes", piece)
    return bytes(piece)


def pieces_of(pieces: Iterable[Any] | Buffer, reader: str) -> Iterable[Any]:
    """The pieces, when all bytes may have been given in one object.

    Raises:
        TypeError: it is neither bytes-like nor an iterable.
    """
    if is_buffer(pieces):
        return _windows(memoryview(pieces).cast("B"))  # type: ignore[arg-type]
    if isinstance(pieces, str) or not isinstance(pieces, Iterable):
        raise _no_bytes(f"{reader} reads bytes, or an iterable of bytes", pieces)
    return pieces


def _no_bytes(expected: str, found: object) -> TypeError:
    """What to raise where something else was given than was ``expected``."""
    way_out = "; encode it, or take the stream as bytes" if isinstance(found, str) else ""
    return TypeError(f"{expected}, not {type(found).__name__}{way_out}")


def _windows(view: memoryview) -> Iterator[bytes]:
    for start in range(0, len(view), _WINDOW):
        yield bytes(view[start : start + _WINDOW])

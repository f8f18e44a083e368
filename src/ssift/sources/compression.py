"""Compression, known by its first bytes and never by a name.

A gzip file is a series of members (RFC 1952, 2.2), so rotated logs joined with ``cat`` are read to the end; zero
padding after the last member is allowed. A file that was cut or damaged gives all that could be decoded, then one
``compression`` problem.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

GZIP = b"\x1f\x8b"
UNREAD = {b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"), b"BZh": ("bzip2", "bzcat"), b"\xfd7zXZ\x00": ("xz", "xzcat")}
"""Compressions that are known but not read: magic bytes -> (name, command that decompresses)."""

_STEP = 256 << 10  # compressed bytes at a time, so that little is decoded twice where data is damaged
_MOST = 4 << 20  # decompressed bytes at a time
_GZIP_FORMAT = 16 + zlib.MAX_WBITS


class Gunzip:
    """Iterates over the decompressed pieces; afterwards ``damaged`` tells whether the end is missing or bad."""

    def __init__(self, pieces: Iterator[memoryview]) -> None:
        self._pieces = pieces
        self._member = zlib.decompressobj(_GZIP_FORMAT)
        self._between = False  # after a member: zeros are padding until the next one begins
        self.damaged = False

    def __iter__(self) -> Iterator[memoryview]:
        for piece in self._pieces:
            for start in range(0, len(piece), _STEP):
                yield from self._decompress(bytes(piece[start : start + _STEP]))
                if self.damaged:
                    return
        if not self._between:
            self.damaged = True  # the last member did not end
            rest = self._member.flush()
            if rest:
                yield memoryview(rest)

    def _decompress(self, data: bytes) -> Iterator[memoryview]:
        while data:
            if self._between:
                data = data.lstrip(b"\0")
                if not data:
                    return
                self._between = False
                self._member = zlib.decompressobj(_GZIP_FORMAT)
            before = self._member.copy()
            try:
                decoded = self._member.decompress(data, _MOST)
            except zlib.error:
                self.damaged = True
                decoded = _until_damage(before, data)
                data = b""
            else:
                self._between = self._member.eof
                data = self._member.unused_data if self._between else self._member.unconsumed_tail
            if decoded:
                yield memoryview(decoded)


def _until_damage(member: zlib._Decompress, data: bytes) -> bytes:
    """What can still be decoded of ``data``, which is known to be damaged somewhere."""
    decoded = bytearray()
    try:
        for position in range(len(data)):
            decoded += member.decompress(data[position : position + 1])
    except zlib.error:
        pass
    return bytes(decoded)

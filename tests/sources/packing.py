"""Compressed bytes of every kind, for tests."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
from collections.abc import Callable, Iterator

import lz4.frame

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "zstd": lambda data: zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "lz4": lambda data: lz4.frame.compress(data, content_checksum=True),
}
"""Each compression, with a check of what was decoded."""

SKIPPABLE = b"\x5a\x2a\x4d\x18\x05\0\0\0notes"
"""A frame of zstd that holds no data."""


def pieces(data: bytes, size: int) -> Iterator[memoryview]:
    """``data`` cut into pieces; each is gone when the next is asked for, as windows are."""
    buffer = bytearray(size)
    for start in range(0, len(data), size):
        part = data[start : start + size]
        buffer[: len(part)] = part
        with memoryview(buffer)[: len(part)] as view:
            yield view

"""Compression, known by its first bytes and never by a name.

What is compressed is a series of *members* (gzip, RFC 1952, 2.2), *frames* (zstd, lz4) or *streams* (bzip2, xz):
rotated logs joined with ``cat`` are read to the end. All are called members here. Between gzip members and xz streams
zeros are padding.

A file that was cut or damaged gives what could be decoded, then one problem. How much that is depends neither on how
the input was cut into pieces nor on the library that decodes: the compressed bytes are decoded in steps of one size,
counted from the start, and a step that fails is decoded again byte by byte, from a copy of the decoder (gzip) or by
decoding its member again, which is kept while it is small. Of a large member that is not gzip the failing step is lost.

Decoded pieces are small however much a few bytes expand to, so memory stays bounded; and so is time, by the ratio of
decoded to stored bytes, which is looked at once a source has given more than any small file may.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from ssift.contract import Limits
from ssift.errors import ReadError

_STEP = 64 << 10  # compressed bytes at a time
_MOST = 1 << 20  # decompressed bytes at a time
_KEPT = 4 << 20  # compressed bytes of a member that are kept to decode them again
_XZ_MEMORY = 512 << 20  # bytes an xz decoder may take; the largest preset takes 65 MiB

_REFUSED = re.compile("memory|dictionary", re.IGNORECASE)

MAX_RATIO = Limits().max_ratio
FREE = 16 << 20
"""Bytes of a source from which on their ratio to the stored ones counts."""
HEAD = 10
"""Bytes that tell a compression."""


class Decoder(Protocol):
    """Decodes one member; the decoders of the standard library are like this, save that of zlib."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class Compression(NamedTuple):
    """How one compression is known and decoded."""

    name: str
    begins: re.Pattern[bytes]  # matches the first HEAD bytes of a member
    magic: bytes  # what every member begins with, for one that was cut within it
    padded: bool  # whether zeros may follow a member
    decoder: Callable[[], Callable[[], Decoder]]  # imports the library, and gives what makes a decoder
    extra: str | None = None  # the package that is needed besides Python


def recognised(head: bytes) -> Compression | None:
    """The compression of a source that begins with ``head`` (HEAD bytes, fewer where there are no more)."""
    return next((found for found in COMPRESSIONS if found.begins.match(head)), None)


def decoders(compression: Compression, source: str) -> Callable[[], Decoder]:
    """What makes decoders of this compression.

    Raises:
        ReadError: the library that decodes it is not installed.
    """
    try:
        return compression.decoder()
    except ImportError as error:
        message = (
            f"{source or 'the input'}: compressed with {compression.name}, which needs the package "
            f"{compression.extra or error.name}: pip install 'ssift[fast]'"
        )
        raise ReadError(message, source) from error


class Decompressed:
    """Iterates over the decompressed pieces of a source.

    Attributes:
        damaged: afterwards, whether the end is missing or bad.
        trailing: afterwards, whether something that is not compressed followed the last member.
        expanded: afterwards, whether it expanded further than to ``max_ratio`` times its size; the rest is not decoded.
    """

    def __init__(
        self, pieces: Iterator[memoryview], compression: Compression, source: str = "", max_ratio: int = MAX_RATIO
    ) -> None:
        self.damaged = False
        self.trailing = False
        self.expanded = False
        self._max_ratio = max_ratio
        self._stored = 0
        self._given = 0
        self._pieces = pieces
        self._compression = compression
        self._decoder = decoders(compression, source)
        self._source = source
        self._member: _Member | None = None
        self._began = False  # whether anything was decoded

    def __iter__(self) -> Iterator[memoryview]:
        for step in _steps(self._pieces):
            self._stored += len(step)
            for decoded in self._decode(step):
                self._given += len(decoded)
                self.expanded = self._given > max(FREE, self._max_ratio * self._stored)
                if self.expanded:
                    return
                yield decoded
            if self.damaged or self.trailing:
                return
        if self._member is not None:
            self._fail(self._compression.magic.startswith(self._member.head[: len(self._compression.magic)]))

    def _decode(self, step: bytes) -> Iterator[memoryview]:
        """All that the members in ``step`` decode to."""
        while step:
            if self._member is None:
                step = step.lstrip(b"\0") if self._compression.padded else step
                if not step:
                    return
                self._member = _Member(self._decoder)
            try:
                for decoded in self._member.decode(step):
                    self._began = True
                    yield memoryview(decoded)
            except Exception as error:  # each library has its own
                self._refuse(error)
                for decoded in self._member.until_damage(step):
                    yield memoryview(decoded)
                self._fail(False)
                return
            step = self._member.rest
            if self._member.ended:
                self._member = None

    def _fail(self, cut: bool) -> None:
        """The member is damaged, or it is none and something else stands there."""
        assert self._member is not None
        first = self._compression.begins.match(self._member.head) is not None
        self.damaged = first or cut
        self.trailing = not self.damaged

    def _refuse(self, error: Exception) -> None:
        """Raise for a source that is not damaged but cannot be decoded: it takes a dictionary, or too much memory."""
        if isinstance(error, MemoryError):
            raise error
        if not self._began and _REFUSED.search(str(error)):
            message = f"{self._source or 'the input'}: this {self._compression.name} file cannot be decoded: {error}"
            raise ReadError(message, self._source) from error


class _Member:
    """One member while it is decoded, with what it takes to go back to the last step."""

    def __init__(self, decoder: Callable[[], Decoder]) -> None:
        self._new = decoder
        self._decoder = decoder()
        self._before: Any = None  # a copy of the decoder before this step, where it can be copied
        self._kept: list[bytes] | None = []  # the steps before this one
        self._size = 0
        self._given = 0  # bytes that this step gave
        self.head = b""
        self.rest = b""

    @property
    def ended(self) -> bool:
        return self._decoder.eof

    def decode(self, step: bytes) -> Iterator[bytes]:
        """What ``step`` decodes to; ``rest`` is then what stands behind the member."""
        copy = getattr(self._decoder, "copy", None)
        self._before = copy() if copy is not None else None
        self._given = 0
        self.head += step[: HEAD - len(self.head)]
        self.rest = b""
        data = step
        while True:
            decoded = self._decoder.decompress(data, _MOST)
            self._given += len(decoded)
            if decoded:
                yield decoded
            if self._decoder.eof:
                self.rest = self._decoder.unused_data or b""
                return
            if self._decoder.needs_input:
                break
            data = b""
        self._keep(step)

    def _keep(self, step: bytes) -> None:
        self._size += len(step)
        if self._before is not None or self._size > _KEPT:
            self._kept = None
        if self._kept is not None:
            self._kept.append(step)

    def until_damage(self, step: bytes) -> Iterator[bytes]:
        """What can still be had of ``step``, which failed after giving some of it."""
        decoder = self._before
        if decoder is None:
            if self._kept is None:
                return
            decoder = self._new()
            for earlier in self._kept:
                for _ in _all(decoder, earlier):
                    pass
        decoded = bytearray()
        try:
            for position in range(len(step)):
                for part in _all(decoder, step[position : position + 1]):
                    decoded += part
                    if len(decoded) > self._given + _MOST:
                        yield bytes(decoded[self._given :])
                        self._given, decoded = 0, bytearray()
        except Exception:  # the damage, again
            pass
        yield bytes(decoded[self._given :])


def _all(decoder: Decoder, data: bytes) -> Iterator[bytes]:
    """All that ``data`` decodes to, in bounded pieces."""
    while True:
        yield decoder.decompress(data, _MOST)
        if decoder.eof or decoder.needs_input:
            return
        data = b""


def _steps(pieces: Iterator[memoryview]) -> Iterator[bytes]:
    """The same bytes in pieces of one size, so that nothing depends on how they were cut."""
    held = bytearray()
    for piece in pieces:
        start = 0
        if held:
            start = min(_STEP - len(held), len(piece))
            held += piece[:start]
            if len(held) < _STEP:
                continue
            yield bytes(held)
            held.clear()
        whole = start + (len(piece) - start) // _STEP * _STEP
        for place in range(start, whole, _STEP):
            yield bytes(piece[place : place + _STEP])
        held += piece[whole:]
    if held:
        yield bytes(held)


# ---------------------------------------------------------------------------------------------- the libraries


class _Inflate:
    """A decoder of zlib or zlib-ng in the form that the others have."""

    def __init__(self, member: Any) -> None:
        self._member = member
        self._tail = b""
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return bool(self._member.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._member.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        decoded: bytes = self._member.decompress(self._tail + data if self._tail else data, max_length)
        self._tail = self._member.unconsumed_tail
        self.needs_input = len(decoded) < max_length
        return decoded

    def copy(self) -> _Inflate:
        return _Inflate(self._member.copy())


def _gzip() -> Callable[[], Decoder]:
    """zlib-ng: twice as fast as zlib, it stops at the same damage, and its state can be copied.

    ISA-L would be a fifth faster still, but it can do neither.
    """
    make: Callable[[int], Any]
    try:
        from zlib_ng.zlib_ng import decompressobj as make
    except ImportError:
        make = zlib.decompressobj
    return lambda: _Inflate(make(16 + zlib.MAX_WBITS))


def _zstd() -> Callable[[], Decoder]:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return ZstdDecompressor


def _bzip2() -> Callable[[], Decoder]:
    from bz2 import BZ2Decompressor

    return BZ2Decompressor


def _xz() -> Callable[[], Decoder]:
    import lzma

    return lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _lz4() -> Callable[[], Decoder]:
    from lz4.frame import LZ4FrameDecompressor

    make: Callable[[], Decoder] = LZ4FrameDecompressor
    return make


_SKIPPABLE = rb"[\x50-\x5f]\x2a\x4d\x18"  # a frame without content, of zstd and lz4
_ZSTD_PACKAGE = "backports.zstd" if sys.version_info < (3, 14) else None

COMPRESSIONS = (
    Compression("gzip", re.compile(rb"\x1f\x8b"), b"\x1f\x8b", True, _gzip),
    Compression(
        "zstd", re.compile(rb"\x28\xb5\x2f\xfd|" + _SKIPPABLE), b"\x28\xb5\x2f\xfd", False, _zstd, _ZSTD_PACKAGE
    ),
    Compression(
        "bzip2", re.compile(rb"BZh[1-9](?:\x31\x41\x59\x26\x53\x59|\x17\x72\x45\x38\x50\x90)"), b"BZh", False, _bzip2
    ),
    Compression("xz", re.compile(rb"\xfd7zXZ\x00"), b"\xfd7zXZ\x00", True, _xz),
    Compression("lz4", re.compile(rb"\x04\x22\x4d\x18"), b"\x04\x22\x4d\x18", False, _lz4, "lz4"),
)

"""What can be read: a file, a file object, bytes in memory, an iterator of pieces.

The bytes of a source come as *windows*: views that are valid until the next one is asked for, since files are read
into one buffer again and again.
"""

from __future__ import annotations

import io
import os
import zlib
from collections.abc import Iterator
from typing import Any

from ssift.errors import ReadError

WINDOW = 4 << 20
"""Bytes of a window: large enough that a system call costs nothing, small enough to stay in a cache."""


class Source:
    """Something to read.

    Attributes:
        name: path as found, ``""`` for bytes, ``-`` for standard input.
        size: bytes as stored (compressed ones where compressed), None where unknown.
        repeatable: whether it can be read a second time.
        ahead: whether another thread may read it. What the caller made (a file object, an iterator) stays in the
            caller's thread, and so does what may wait for ever, such as a pipe.
        searched: whether a folder or a pattern led to it, not its own name.
        slow: whether it is worth reading ahead even when there is nothing to decompress.
        ranges: whether :meth:`stretch` gives any stretch of it.
        divisible: whether it does so in any thread, and as fast.
    """

    repeatable = True
    ahead = False
    slow = False
    ranges = False
    divisible = False
    searched = False

    def __init__(self, name: str, size: int | None) -> None:
        self.name = name
        self.size = size

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        """The bytes as stored; each window is valid until the next is asked for.

        Raises:
            ReadError: the source cannot be opened, or reading breaks off.
        """
        raise NotImplementedError

    def stretch(self, buffer: bytearray, start: int, stop: int | None) -> Iterator[memoryview]:
        """The bytes as stored from ``start`` to ``stop`` (None: to the end), where the source has ranges."""
        raise NotImplementedError

    def head(self, size: int) -> bytes:
        """The first ``size`` bytes, where looking at them takes nothing away and is quick; else none.

        Raises:
            ReadError: the source cannot be opened.
        """
        return b""


class FileSource(Source):
    """A file on disk, or anything else that has a path, such as a pipe; only a file can be read again."""

    def __init__(self, path: str, searched: bool = False) -> None:
        self.searched = searched
        self._path = path
        regular = os.path.isfile(path)
        super().__init__(path, os.path.getsize(path) if regular else None)
        self.repeatable = self.ahead = self.ranges = self.divisible = regular

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        with self._open() as file:
            yield from windows_of(file, self.name, buffer)

    def stretch(self, buffer: bytearray, start: int, stop: int | None) -> Iterator[memoryview]:
        with self._open() as file:
            file.seek(start)
            yield from up_to(None if stop is None else stop - start, windows_of(file, self.name, buffer))

    def head(self, size: int) -> bytes:
        if os.path.exists(self._path) and not self.repeatable:  # a pipe: opening it alone would wait
            return b""
        with self._open() as file:
            return next((bytes(window) for window in windows_of(file, self.name, bytearray(size))), b"")

    def _open(self) -> io.FileIO:
        try:
            return io.FileIO(self._path)
        except OSError as error:
            raise ReadError(f"cannot open {self.name}: {error.strerror or error}", self.name) from error


class StreamSource(Source):
    """A binary file object, read from where it stands; it is left open."""

    repeatable = False

    def __init__(self, file: Any, name: str, size: int | None = None) -> None:
        super().__init__(name, size)
        self._file = file

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        return windows_of(self._file, self.name, buffer)


class BufferSource(Source):
    """Bytes in memory."""

    ahead = True
    ranges = True
    divisible = True

    def __init__(self, data: Any) -> None:
        view = memoryview(data)
        if not view.c_contiguous:
            raise TypeError("a buffer to read must be contiguous; pass bytes(buffer)")
        self._view = view.cast("B")
        super().__init__("", len(self._view))

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        return iter((self._view,))

    def stretch(self, buffer: bytearray, start: int, stop: int | None) -> Iterator[memoryview]:
        return iter((self._view[start:stop],))

    def head(self, size: int) -> bytes:
        return bytes(self._view[:size])


class PiecesSource(Source):
    """An iterator of pieces of one source, such as the body of a response."""

    repeatable = False

    def __init__(self, pieces: Iterator[Any]) -> None:
        super().__init__("", None)
        self._pieces = pieces

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        for piece in self._pieces:
            if not isinstance(piece, (bytes, bytearray, memoryview)):
                raise TypeError(f"pieces must be bytes, not {type(piece).__name__}")
            yield memoryview(piece).cast("B")


def up_to(size: int | None, windows: Iterator[memoryview]) -> Iterator[memoryview]:
    """The first ``size`` bytes of windows, or all."""
    for window in windows:
        if size is not None and len(window) >= size:
            yield window[:size]
            return
        size = None if size is None else size - len(window)
        yield window


def windows_of(file: Any, name: str, buffer: bytearray) -> Iterator[memoryview]:
    """The one place where files are read."""
    view = memoryview(buffer)
    read_into = getattr(file, "readinto", None)
    taken = 0
    while True:
        try:
            if read_into is not None:
                length = read_into(view)
                window = view[:length]
            else:
                window, length = _bytes_of(file.read(len(view)), name)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            message = f"{name or 'the input'}: reading broke off after {taken} bytes: {reason}"
            raise ReadError(message, name, taken) from error
        if length is None:
            raise ReadError(f"{name or 'the input'}: no data yet; a non-blocking file cannot be read", name, taken)
        if length == 0:
            return
        taken += length
        yield window


def _bytes_of(found: Any, name: str) -> tuple[memoryview, int | None]:
    """What ``read`` gave, and its size; None as what does not block gives it when nothing is there."""
    if found is None:
        return memoryview(b""), None
    if isinstance(found, (bytes, bytearray, memoryview)):
        return memoryview(found).cast("B"), memoryview(found).nbytes
    what = name or "the file object"
    raise TypeError(f"{what}: read() gave {type(found).__name__}, not bytes; a file is read in binary mode ('rb')")


def is_hidden(path: str) -> bool:
    """Whether a part of ``path`` begins with a dot: what tools keep beside the files of people."""
    return any(part.startswith(".") for part in path.replace(os.sep, "/").split("/"))

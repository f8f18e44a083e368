"""Finds sources: a path, pattern, folder, ``-``, file object, buffer, iterator of pieces, or a list of these.

Everything named is looked for before the first byte is read, so a wrong path is known at once. The bytes of a
source come as *windows*: views that are valid until the next one is asked for, since files are read into one
buffer again and again.
"""

from __future__ import annotations

import glob
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from ssift.errors import NotFoundError, ReadError

Buffer: TypeAlias = "bytes | bytearray | memoryview"
Readable: TypeAlias = "str | os.PathLike[str] | Buffer | BinaryIO | Source | Iterable[Any]"
"""What ``read`` and its kin take. An iterable holds more of these; an iterator may also yield pieces of one source."""

WINDOW = 4 << 20
"""Bytes of a window: large enough that a system call costs nothing, small enough to stay in a cache."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


class Source:
    """Something to read.

    Attributes:
        name: path as found, ``""`` for bytes, ``-`` for standard input.
        size: bytes as stored (compressed ones where compressed), None where unknown.
        repeatable: whether it can be read a second time.
    """

    repeatable = True

    def __init__(self, name: str, size: int | None) -> None:
        self.name = name
        self.size = size

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        """The bytes as stored; each window is valid until the next is asked for.

        Raises:
            ReadError: the source cannot be opened, or reading breaks off.
        """
        raise NotImplementedError


class FileSource(Source):
    """A file on disk, or anything else that has a path, such as a pipe; only a file can be read again.

    Attributes:
        searched: whether a folder or a pattern led to it, not its own name.
    """

    def __init__(self, path: str, searched: bool = False) -> None:
        self.searched = searched
        regular = os.path.isfile(path)
        super().__init__(path, os.path.getsize(path) if regular else None)
        self.repeatable = regular

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        try:
            file = open(self.name, "rb", buffering=0)  # noqa: SIM115 - "with" follows; only opening is guarded here
        except OSError as error:
            raise ReadError(f"cannot open {self.name}: {error.strerror or error}", self.name) from error
        with file:
            yield from _windows_of(file, self.name, buffer)


class StreamSource(Source):
    """A binary file object, read from where it stands; it is left open."""

    repeatable = False

    def __init__(self, file: Any, name: str, size: int | None = None) -> None:
        super().__init__(name, size)
        self._file = file

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        return _windows_of(self._file, self.name, buffer)


class BufferSource(Source):
    """Bytes in memory."""

    def __init__(self, data: Any) -> None:
        view = memoryview(data)
        if not view.c_contiguous:
            raise TypeError("a buffer to read must be contiguous; pass bytes(buffer)")
        self._view = view.cast("B")
        super().__init__("", len(self._view))

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        return iter((self._view,))


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


def _windows_of(file: Any, name: str, buffer: bytearray) -> Iterator[memoryview]:
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
                window = memoryview(file.read(len(view)))
                length = len(window)
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


def find(what: Readable) -> list[Source]:
    """All sources that ``what`` names, in order; folders and patterns sorted by name.

    A folder gives its regular files at any depth; names that begin with a dot are passed over there, and links to
    folders are not followed. A path that exists is never taken for a pattern. What is named is read as often as it is
    named; what a folder or a pattern finds is passed over where the list names it, or another one found it before.

    Raises:
        NotFoundError: no such path, no match, or a folder without files.
        ReadError: a URL.
        TypeError: something that cannot be read, such as a file opened as text.
    """
    if isinstance(what, (str, os.PathLike)):
        return _at_path(os.fspath(what))
    if isinstance(what, Source):
        return [what]
    if _is_buffer(what):  # before "read": a memory map has both
        return [BufferSource(what)]
    if hasattr(what, "read"):
        return [_stream(what)]
    if not isinstance(what, Iterable):
        raise TypeError(f"cannot read {type(what).__name__}; give a path, a file object, bytes, or a list of these")
    items = iter(what)
    first = next(items, None)
    if first is None:
        raise NotFoundError("nothing to read: the list of sources is empty")
    if isinstance(first, (bytes, bytearray, memoryview)) and items is what:  # an iterator, not a list
        return [PiecesSource(chain([first], items))]
    return _once(source for item in chain([first], items) for source in find(item))


def _once(sources: Iterable[Source]) -> list[Source]:
    """All that are named, and each file once that was searched for."""
    found = list(sources)
    seen = {os.path.realpath(source.name) for source in found if isinstance(source, FileSource) and not source.searched}
    kept = []
    for source in found:
        if isinstance(source, FileSource) and source.searched:
            path = os.path.realpath(source.name)
            if path in seen:
                continue
            seen.add(path)
        kept.append(source)
    return kept


def _is_buffer(what: object) -> bool:
    try:
        memoryview(what)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _stream(file: Any) -> Source:
    if isinstance(file, io.TextIOBase):
        raise TypeError("the file was opened as text; open it with mode 'rb' (of sys.stdin, pass sys.stdin.buffer)")
    name = getattr(file, "name", "")
    size = None
    if isinstance(file, (io.BufferedReader, io.FileIO, io.BytesIO)) and file.seekable():
        here = file.tell()
        size = file.seek(0, io.SEEK_END) - here
        file.seek(here)
    return StreamSource(file, name if isinstance(name, str) else "", size)


def _at_path(path: str | bytes) -> list[Source]:
    name = os.fsdecode(path)
    if name == "-":
        if sys.stdin is None:
            raise ReadError("there is no standard input", "-")
        return [StreamSource(sys.stdin.buffer, "-")]
    if _URL.match(name) and not os.path.exists(name):
        raise ReadError(f"{name}: URLs are not read; fetch it and pass the bytes or an iterator of its pieces", name)
    if name.startswith("~"):
        name = os.path.expanduser(name)
    if os.path.exists(name) and not os.path.isdir(name):
        return [FileSource(name)]
    if os.path.isdir(name):
        found = _in_folder(name)
        if not found:
            raise NotFoundError(f"{name}: the folder holds no files", name)
    elif glob.has_magic(name):
        matches = sorted(glob.glob(name, recursive=True))
        found = [file for match in matches for file in (_in_folder(match) if os.path.isdir(match) else [match])]
        if not found:
            raise NotFoundError(f"{name}: no file matches the pattern", name)
    else:
        raise NotFoundError(f"{name}: no such file or folder", name)
    return _once(FileSource(file, searched=True) for file in found)


def _in_folder(folder: str) -> list[str]:
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (os.path.join(parent, name) for name in sorted(files) if not name.startswith("."))
        found += [path for path in paths if os.path.isfile(path) or os.path.islink(path)]
    return found

"""Finds sources: a path, URL, pattern, folder, ``-``, file object, buffer, iterator of pieces, or a list of these.

Everything named is looked for before the first byte is read, and the heads of files are looked at: a wrong path, a
file that may not be read, or a compression whose library is missing is known at once and not after an hour.
"""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Any, BinaryIO, TypeAlias

from ssift.buffers import Buffer, is_buffer
from ssift.errors import NotFoundError, ReadError
from ssift.sources.compression import HEAD, decoders, recognised
from ssift.sources.remote import find_remote, is_url
from ssift.sources.source import BufferSource, FileSource, PiecesSource, Source, StreamSource, is_hidden

Readable: TypeAlias = "str | os.PathLike[str] | Buffer | BinaryIO | Source | Iterable[Any]"
"""What ``read`` and its kin take. A list holds more of these; another iterable may yield the pieces of one source."""


def find(what: Readable, unread: dict[str, str] | None = None) -> list[Source]:
    """All sources that ``what`` names, in order; folders and patterns sorted by name.

    A folder gives its regular files at any depth; names that begin with a dot are passed over there, and links to
    folders are not followed. What a file is called says nothing about what it holds. A path that exists is never
    taken for a pattern. What is named is read as often as it is named; what a folder or a pattern finds is passed over
    where the list names it, or another one found it before. With ``unread``, files that cannot be opened are left out
    and noted there, name -> what is wrong; so is what a list names and is not there, unless nothing else is.

    Raises:
        NotFoundError: no such path, no match, or a folder without files.
        ReadError: a file or folder may not be read, what reads a URL or a compression is not installed, or a server
            refuses.
        TypeError: something that cannot be read, such as a file opened as text.
    """
    found = []
    for source in _find(what, unread):
        try:
            compression = recognised(source.head(HEAD))
            if compression is not None:
                decoders(compression, source.name)
        except ReadError as error:
            if unread is None:
                raise
            unread[source.name] = str(error)
            continue
        found.append(source)
    return found


def _find(what: Readable, unread: dict[str, str] | None = None) -> list[Source]:
    if isinstance(what, (str, os.PathLike)):
        return _at_path(os.fspath(what))
    if isinstance(what, Source):
        return [what]
    if is_buffer(what):  # before "read": a memory map has both
        return [BufferSource(what)]
    if hasattr(what, "read"):
        return [_stream(what)]
    if not isinstance(what, Iterable):
        raise TypeError(f"cannot read {type(what).__name__}; give a path, a file object, bytes, or a list of these")
    items = iter(what)
    first = next(items, None)
    if first is None:
        raise NotFoundError("nothing to read: the list of sources is empty")
    if isinstance(first, (bytes, bytearray, memoryview)) and not isinstance(what, Collection):
        return [PiecesSource(chain([first], items))]
    if unread is None:
        return _once(source for item in chain([first], items) for source in _find(item))
    return _once(_those_there(chain([first], items), unread))


def _those_there(items: Iterable[Any], unread: dict[str, str]) -> list[Source]:
    """What ``items`` name; what cannot be found is noted in ``unread``, or raised where nothing can."""
    found: list[Source] = []
    missing: list[ReadError] = []
    for item in items:
        try:
            found += _find(item, unread)
        except ReadError as error:
            missing.append(error)
    if missing and not found:
        raise missing[0]
    unread |= {error.source: str(error) for error in missing}
    return found


def _once(sources: Iterable[Source]) -> list[Source]:
    """All that are named, and each file once that was searched for."""
    found = list(sources)
    seen = {_place(source) for source in found if not source.searched}
    kept = []
    for source in found:
        if source.searched:
            place = _place(source)
            if place in seen:
                continue
            seen.add(place)
        kept.append(source)
    return kept


def _place(source: Source) -> str:
    return os.path.realpath(source.name) if isinstance(source, FileSource) else source.name


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
    if not name:
        raise NotFoundError("the path is empty; what is to be read has to be named, or given as bytes")
    if name == "-":
        if sys.stdin is None:
            raise ReadError("there is no standard input", "-")
        return [StreamSource(sys.stdin.buffer, "-")]
    if is_url(name) and not os.path.exists(name):
        if not name.lower().startswith("file://"):
            return find_remote(name)
        from urllib.request import url2pathname  # late: it brings http, email and ssl along

        name = url2pathname(name[len("file://") :])
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
    def refuse(error: OSError) -> None:
        raise ReadError(f"cannot list {error.filename}: {error.strerror or error}", folder) from error

    found = []
    for parent, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not is_hidden(name))
        paths = (os.path.join(parent, name) for name in sorted(files) if not is_hidden(name))
        found += [path for path in paths if os.path.isfile(path) or os.path.islink(path)]
    return found

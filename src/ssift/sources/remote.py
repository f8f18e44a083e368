"""Sources behind a URL, through fsspec: ``https://``, ``s3://``, ``gs://``, ``hf://``, ``memory://`` and all it knows.

fsspec is imported with the first URL. It asks for a package of its own for most protocols; which one is said when it
is missing. A file is read once from its start to its end, without asking a server for ranges where that can be helped.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from typing import Any

from ssift.errors import NotFoundError, ReadError
from ssift.sources.source import Source, is_hidden, up_to, windows_of

_URL = re.compile(r"(?:[a-z0-9+.-]+::)*([a-z][a-z0-9+.-]+)://", re.IGNORECASE)
_BLOCK = 8 << 20  # bytes asked for at a time, from a server that answers ranges only
_STREAMED = ("http", "https")


def is_url(name: str) -> bool:
    """Whether ``name`` begins with a protocol, or with a chain of them as fsspec writes it (``zip://a::s3://b``)."""
    return _URL.match(name) is not None


class RemoteSource(Source):
    """A file on a file system of fsspec."""

    ahead = True
    slow = True

    def __init__(self, name: str, size: int | None, system: Any, path: str, searched: bool = False) -> None:
        super().__init__(name, size)
        self.searched = searched
        self._system = system
        self._path = path
        self.ranges = size is not None and _protocol(name) not in _STREAMED

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        # Of HTTP a block size of 0 makes one request, whose body is streamed.
        with self._open(0 if _protocol(self.name) in _STREAMED else _BLOCK) as file:
            yield from windows_of(_Reads(file), self.name, buffer)

    def stretch(self, buffer: bytearray, start: int, stop: int | None) -> Iterator[memoryview]:
        with self._open(_BLOCK if stop is None else min(_BLOCK, max(stop - start, 1))) as file:
            file.seek(start)
            yield from up_to(None if stop is None else stop - start, windows_of(_Reads(file), self.name, buffer))

    def _open(self, block: int) -> Any:
        try:
            return self._system.open(self._path, "rb", block_size=block)
        except Exception as error:  # every file system has its own
            raise ReadError(f"cannot open {self.name}: {_said(error)}", self.name) from error


class _Reads:
    """A remote file that only reads: each window has memory of its own, so that it can wait for the reader."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, size: int) -> bytes:
        try:
            data: bytes = self._file.read(size)
        except Exception as error:
            raise OSError(_said(error)) from error
        return data


def find_remote(url: str, exact: bool = False) -> list[Source]:
    """All sources that a URL names: a file, a pattern, or a folder with all below it, sorted by name.

    HTTP has no folders, and patterns there match the links of a page. With ``exact`` the URL is the name of a source
    that was found before, and no pattern, whatever is in it.

    Raises:
        NotFoundError: nothing is there.
        ReadError: fsspec or the package that it asks for is not installed, or the server refuses.
    """
    system, path = _system(url)
    try:
        if _is_pattern(url) and not exact:
            found = {name: info for name, info in system.glob(path, detail=True).items() if info["type"] == "file"}
            hidden = _before_pattern(path)
        else:
            info = system.info(path)
            if info["type"] != "directory":
                return [RemoteSource(url, info.get("size"), system, path)]
            found = system.find(path, detail=True)
            hidden = path
    except FileNotFoundError as error:
        cause = error.__cause__
        if _protocol(url) in _STREAMED and cause is not None and getattr(cause, "status", None) != 404:
            raise ReadError(f"{url}: {_said(cause)}", url) from error  # whatever happens, it says "not found"
        raise NotFoundError(f"{url}: no such file or folder", url) from error
    except Exception as error:
        raise ReadError(f"{url}: {_said(error)}", url) from error
    sources: list[Source] = [
        RemoteSource(_url(url, system, name), found[name].get("size"), system, name, searched=True)
        for name in sorted(found)
        if not is_hidden(name.removeprefix(hidden))
    ]
    if not sources:
        what = "no file matches the pattern" if _is_pattern(url) else "the folder holds no files"
        raise NotFoundError(f"{url}: {what}", url)
    return sources


def _url(url: str, system: Any, path: str) -> str:
    """The URL of ``path``, which was found by ``url``: in an archive, with the archive (``zip://a::s3://b``)."""
    first, chain, rest = url.partition("::")
    found: str = system.unstrip_protocol(path)
    return found + chain + rest if "://" in first else found


def _system(url: str) -> tuple[Any, str]:
    """The file system of a URL, and its path there."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise ReadError(f"{url}: URLs are read through fsspec: pip install 'ssift[remote]'", url) from error
    try:
        system, path = url_to_fs(url)
    except ImportError as error:  # it says itself which package to install
        raise ReadError(f"{url}: {_said(error)}; what most URLs need has pip install 'ssift[remote]'", url) from error
    except Exception as error:
        raise ReadError(f"{url}: {_said(error)}", url) from error
    return system, path


def _protocol(url: str) -> str:
    found = _URL.match(url)
    return found[1].lower() if found else ""


def _is_pattern(url: str) -> bool:
    """In a query string ``?`` and ``[`` mean something else."""
    return "*" in url.partition("?")[0] if _protocol(url) in _STREAMED else glob.has_magic(url)


def _before_pattern(path: str) -> str:
    """The folders in front of the first part with a wildcard, whose names were given and may be hidden."""
    parts = path.split("/")
    first = next((place for place, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return "/".join(parts[:first])


def _said(error: BaseException) -> str:
    status = getattr(error, "status", None)
    if isinstance(status, int):  # of a server
        return f"the server answered {status} {getattr(error, 'message', '')}".rstrip()
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(reason.split())

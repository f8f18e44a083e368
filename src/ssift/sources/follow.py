"""A file that grows while it is read: what was appended, and what else became of it.

A log may be *replaced*: renamed away, with a new file under its name (rotation). The old one is read to its end first;
writers that still have it open write there until they notice. Or it becomes *shorter* (copied and truncated, or begun
again): then it is read from its start. A file that shrinks and grows beyond its old size between two looks cannot be
told from one that grew.
"""

from __future__ import annotations

import codecs
import io
import os
from enum import Enum

from ssift.contract import Framing
from ssift.errors import NotFoundError, ReadError
from ssift.sources.compression import HEAD, recognised
from ssift.sources.framing import begins_no_container, framing, framing_so_far
from ssift.sources.opening import without_front


class Change(Enum):
    """What became of a file that has no more to read."""

    NONE = "none"
    REPLACED = "replaced"
    SHORTER = "shorter"


class Tail:
    """A file that is read as it grows, like ``tail -F``."""

    def __init__(self, path: str, window: int) -> None:
        self.path = path
        self._window = window
        self._file = self._open()
        if self._file is None:
            raise NotFoundError(f"{path}: no such file", path)
        self._replaced = False  # by a file that is already there: this one is read to its end

    def read(self) -> bytes:
        """What was appended, at most a window of it; nothing when there is no more yet.

        Raises:
            ReadError: reading broke off.
        """
        if self._file is None:
            return b""
        try:
            return self._file.read(self._window)
        except OSError as error:
            raise ReadError(f"{self.path}: reading broke off: {error.strerror or error}", self.path) from error

    def change(self) -> Change:
        """Look again, when nothing was left to read. After a change, ``read`` gives what is there now."""
        if self._file is None:  # replaced, and the new file was not there yet
            self._file = self._open()
            return Change.NONE
        here = os.fstat(self._file.fileno())
        if here.st_size < self._file.tell():
            self._file.seek(0)
            return Change.SHORTER
        if self._replaced:  # once more nothing was left since that was seen
            self.close()
            self._file, self._replaced = self._open(), False
            return Change.REPLACED
        try:
            named = os.stat(self.path)
        except FileNotFoundError:
            return Change.NONE  # its successor will come, and until then it may still grow
        self._replaced = (named.st_dev, named.st_ino) != (here.st_dev, here.st_ino)
        return Change.NONE

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _open(self) -> io.FileIO | None:
        try:
            file = io.FileIO(self.path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ReadError(f"cannot open {self.path}: {error.strerror or error}", self.path) from error
        if not file.seekable():
            file.close()
            raise ReadError(f"{self.path}: only a file can be followed; a pipe is read as it comes: use -", self.path)
        return file


class Head:
    """The first bytes of a growing file, until they tell its framing.

    Attributes:
        offset: bytes of a byte-order mark and of NULs in front, known with the framing.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._bytes = b""
        self.offset = 0

    def add(self, data: bytes) -> None:
        """Take what came.

        Raises:
            ReadError: it is compressed or UTF-16, which is not followed.
        """
        self._bytes += data
        found = recognised(self._bytes[:HEAD])
        if found is not None or self._bytes.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            what = f"compressed with {found.name}" if found is not None else "UTF-16"
            raise ReadError(f"{self._name}: {what}; only plain text can be followed", self._name)
        front, rest = without_front(iter([memoryview(self._bytes)] if self._bytes else []))
        self.offset += front
        self._bytes = b"".join(map(bytes, rest))

    def framing(self) -> Framing | None:
        """The framing, or None while it cannot be told.

        Raises:
            ReadError: it is a container, which is not followed: read as a stream it would have no chunks.
        """
        found = framing_so_far(self._bytes) if self._bytes else None
        if found is not None and not begins_no_container(self._bytes):
            from ssift.sources.containers import detect  # late: few files need it

            form = detect(self._bytes)
            if form is not None:
                what = f"this looks like {form.name}"
                raise ReadError(
                    f"{self._name}: {what}; only event streams and JSON lines can be followed, "
                    "what it holds by now is read without following",
                    self._name,
                )
        return found

    def last_framing(self) -> Framing:
        """The framing when no more will come."""
        return framing(self._bytes, whole=True) or "sse"

    def take(self) -> bytes:
        """What was held back."""
        held, self._bytes = self._bytes, b""
        return held

"""Bytes of a source at a place, for showing a problem: read again from the file, or from a copy of a stream."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import IO

from ssift.sources import Opened, Records, Source
from ssift.sources.containers import contents
from ssift.sources.source import WINDOW, FileSource
from ssift.strings import Strings


class CopiedSource(Source):
    """A source that can be read once, copied into a temporary file as it is read.

    Attributes:
        copy: what was read so far, as a source.
    """

    repeatable = False

    def __init__(self, source: Source) -> None:
        super().__init__(source.name, source.size)
        self._source = source
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this object
        self.copy = _Copy(source.name, self._file)

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        for window in self._source.windows(buffer):
            self._file.seek(0, 2)
            self._file.write(window)
            yield window


class _Copy(Source):
    def __init__(self, name: str, file: IO[bytes]) -> None:
        super().__init__(name, None)
        self._file = file

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        position = 0
        while True:
            self._file.seek(position)
            window = self._file.read(len(buffer))
            if not window:
                return
            position += len(window)
            yield memoryview(window)


class Excerpts:
    """Finds decoded bytes by source name and offset. Asking in ascending order reads a source once."""

    def __init__(self, sources: Sequence[Source], form: str | Records | None = None) -> None:
        self._form = form
        # By their names as they stand in a column of strings, which holds valid UTF-8 only. Of standard input named
        # twice the first has everything.
        names = Strings.of([source.name for source in sources])
        self._sources = dict(zip(reversed(names), reversed(sources), strict=True))
        self._open: _Forward | None = None
        self._bodies: _Bodies | None = None

    def at(self, name: str, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` on, fewer where the source ends."""
        if name not in self._sources:
            container, _, label = name.rpartition("#")
            if self._bodies is None or self._bodies.name != container:
                self._close()
                self._bodies = _Bodies(container, self._sources[container], self._form)
            return self._bodies.body(label)[offset : offset + length]
        if self._open is None or self._open.name != name or not self._open.reaches(offset):
            self._close()
            self._open = _Forward(name, self._sources[name])
        return self._open.read(offset, length)

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None
        if self._bodies is not None:
            self._bodies.close()
            self._bodies = None

    def __enter__(self) -> Excerpts:
        return self

    def __exit__(self, *exception: object) -> None:
        self._close()


class _Bodies:
    """The bodies of a container, read again from its start on."""

    def __init__(self, name: str, source: Source, form: str | Records | None) -> None:
        self.name = name
        self._source = source.copy if isinstance(source, CopiedSource) else source
        self._form = form
        self._start()

    def _start(self) -> None:
        self._opened = Opened(self._source, bytearray(WINDOW), 0, self._form)
        form = self._opened.container
        self._rest = contents(form.read(self._opened.pieces, self.name)) if form else iter(())
        self._label, self._data = "", b""

    def body(self, label: str) -> bytes:
        """The body called ``label``; they are asked for in order, mostly."""
        if self._label != label and not self._advance(label):
            self.close()
            self._start()
            self._advance(label)
        return self._data if self._label == label else b""

    def _advance(self, label: str) -> bool:
        for found in self._rest:
            self._label, self._data = found
            if self._label == label:
                return True
        return False

    def close(self) -> None:
        self._opened.close()


class _Forward:
    """Reads a source from its start on; a plain file is sought in instead."""

    def __init__(self, name: str, source: Source) -> None:
        self.name = name
        self._path = source.name
        found = source.copy if isinstance(source, CopiedSource) else source
        self._opened = Opened(found, bytearray(WINDOW), event_bytes=0)
        self._plain = isinstance(found, FileSource) and self._opened.plain
        self._base = self._opened.offset
        self._piece = b""

    def reaches(self, offset: int) -> bool:
        return self._plain or offset >= self._base

    def read(self, offset: int, length: int) -> bytes:
        if self._plain:
            with open(self._path, "rb") as file:
                file.seek(offset)
                return file.read(length)
        while self._base + len(self._piece) < offset + length:
            piece = next(self._opened.pieces, None)
            if piece is None:
                break
            passed = max(min(offset - self._base, len(self._piece)), 0)
            self._piece = self._piece[passed:] + bytes(piece)
            self._base += passed
        start = max(offset - self._base, 0)
        return self._piece[start : start + length]

    def close(self) -> None:
        self._opened.close()

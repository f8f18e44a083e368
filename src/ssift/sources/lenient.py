"""A source whose reading may break off, when whoever reads many would rather know that than stop."""

from __future__ import annotations

from collections.abc import Iterator

from ssift.errors import ReadError
from ssift.sources.source import Source


class Lenient(Source):
    """The same source; where it cannot be opened, or breaks off, it ends, and ``unread`` notes why by its name."""

    def __init__(self, source: Source, unread: dict[str, str]) -> None:
        super().__init__(source.name, source.size)
        self.repeatable, self.ahead, self.searched = source.repeatable, source.ahead, source.searched
        self.slow, self.ranges, self.divisible = source.slow, source.ranges, source.divisible
        self._source = source
        self._unread = unread

    def windows(self, buffer: bytearray) -> Iterator[memoryview]:
        return self._noted(self._source.windows(buffer))

    def stretch(self, buffer: bytearray, start: int, stop: int | None) -> Iterator[memoryview]:
        return self._noted(self._source.stretch(buffer, start, stop))

    def head(self, size: int) -> bytes:
        try:
            return self._source.head(size)
        except ReadError as error:
            self._unread[self.name] = str(error)
            return b""

    def _noted(self, windows: Iterator[memoryview]) -> Iterator[memoryview]:
        try:
            yield from windows
        except ReadError as error:
            self._unread[self.name] = str(error)

"""When the bytes of a source arrived.

Theory. A mark says that the bytes from its offset on arrived at its time, until the next mark. An event arrived when
its last byte did, however the source was cut into pieces.
"""

from __future__ import annotations

from bisect import bisect_right

KEPT = 256
"""Marks that are not worth dropping."""


class Arrivals:
    """The marks of one source, in order."""

    def __init__(self) -> None:
        self._offsets: list[int] = []
        self._times: list[int | None] = []
        self._full = KEPT

    def mark(self, offset: int, ns: int | None, unread: int) -> None:
        """The bytes from ``offset`` on arrived at ``ns``; no event from ``unread`` on will be asked for any more.

        Raises:
            ValueError: a mark behind ``offset`` was set before.
        """
        if self._offsets and offset < self._offsets[-1]:
            raise ValueError(f"bytes from {offset} on have their time already")
        if len(self._offsets) >= self._full:
            needless = bisect_right(self._offsets, unread) - 1
            if needless > 0:
                del self._offsets[:needless], self._times[:needless]
            self._full = len(self._offsets) + max(len(self._offsets), KEPT)
        self._offsets.append(offset)
        self._times.append(ns)

    def at(self, offset: int) -> int | None:
        """When the byte at ``offset`` arrived; None when that is not known."""
        place = bisect_right(self._offsets, offset) - 1
        return self._times[place] if place >= 0 else None

    def __bool__(self) -> bool:
        return bool(self._offsets)

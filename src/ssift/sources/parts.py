"""Parts of a large source that can be read side by side: cut behind ``[DONE]`` lines.

A part begins at its *border*: behind the first ``[DONE]`` and blank line at or after a multiple of the size of parts,
and before the next multiple. Where there is none the part is empty, and the one before it goes on. Whoever reads a
part finds its border and the next one alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ssift.sources.opening import Opened
from ssift.sources.source import Source

if TYPE_CHECKING:
    from ssift.sources.containers import Records

_MARK = b"[DONE]"
_BEFORE = re.compile(rb"[\r\n]data: ?$")
_BEHIND = re.compile(rb"[ \t]*(?:\n\n|\r\n\r\n)")
_AROUND = 64  # bytes before and behind the mark that are looked at
_SEARCH = 8 << 20  # bytes in which a border is looked for at most
_STEP = 256 << 10


@dataclass
class Part:
    """One part of a source: from its border to the next one.

    Attributes:
        source: what it is a part of.
        front: of the first part: bytes before the source's first line (a byte-order mark, NULs).
        nominal: where its border is looked for.
        limit: where that ends: the place of the next part.
        void: the part before went on into this one, for something was open at the border.
    """

    source: Source
    front: int
    nominal: int
    limit: int
    following: Part | None = None
    void: bool = False
    _border: list[int | None] = field(default_factory=list)

    @property
    def border(self) -> int | None:
        """Where the part begins; None when it is empty."""
        if not self._border:
            self._border.append(_find(self.source, self.nominal, self.limit) if self.nominal else self.front)
        return self._border[0]

    def next_part(self) -> Part | None:
        """The next part that is not empty."""
        part = self.following
        while part is not None and part.border is None:
            part = part.following
        return part


def divide(source: Source, size: int, event_bytes: int, form: str | Records | None = None) -> list[Part]:
    """The parts of an event stream on disk or in memory, of about ``size`` bytes; empty when it cannot be divided."""
    if not source.divisible or source.size is None or source.size < 2 * size:
        return []
    with Opened(source, bytearray(128 << 10), event_bytes, form) as opened:
        if not opened.plain or opened.container or opened.framing != "sse" or opened.looks not in (None, "sse"):
            return []
        front = opened.offset
    places = [*range(0, source.size - size // 2, size), source.size]
    parts = [Part(source, front, start, end) for start, end in zip(places, places[1:], strict=False)]
    for part, following in zip(parts, parts[1:], strict=False):
        part.following = following
    return parts


def _find(source: Source, start: int, limit: int) -> int | None:
    """The first border in [start, limit)."""
    held = b""
    at = start  # where ``held`` begins
    for window in source.stretch(bytearray(_STEP), start, min(limit, start + _SEARCH)):
        for step in range(0, len(window), _STEP):
            held += window[step : step + _STEP]
            border = _in_text(held)
            if border is not None:
                return at + border if at + border < limit else None
            at += max(0, len(held) - _AROUND)
            held = held[-_AROUND:]
    return None


def _in_text(text: Any) -> int | None:
    found = text.find(_MARK)
    while found >= 0:
        end = found + len(_MARK)
        behind = _BEHIND.match(text, end)
        if behind and _BEFORE.search(text[max(0, found - _AROUND) : found]):
            return behind.end()
        found = text.find(_MARK, end)
    return None

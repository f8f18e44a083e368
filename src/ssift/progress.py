"""A progress bar on standard error: only on a terminal, only when reading takes a while, gone at the end."""

from __future__ import annotations

import os
import sys
import time
from typing import TextIO

_QUIET = 0.4  # seconds before the bar appears
_PAUSE = 0.1  # seconds between two drawings
_WIDTH = 24


class Bar:
    """Call it with the bytes done and the bytes in all (None when unknown); ``clear`` takes it away."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shown = bool(self._stream and self._stream.isatty())
        self._start = time.monotonic()
        self._next = self._start + _QUIET
        self._drawn = 0
        self._done = -1

    def __call__(self, done: int, total: int | None) -> None:
        now = time.monotonic()
        if done <= self._done:  # another reading, with its own time
            self._start, self._next = now, now + _QUIET
        self._done = done
        if not self._shown or now < self._next:
            return
        self._next = now + _PAUSE
        line = _line(done, total, now - self._start)[: self._columns() - 1]  # the last column may wrap
        self._stream.write("\r" + line.ljust(self._drawn))
        self._stream.flush()
        self._drawn = len(line)

    def _columns(self) -> int:
        """Width of the terminal; of one that does not say, the usual 80."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80

    def clear(self) -> None:
        """Take the bar away so that something else can be written; it comes back with the next call."""
        if self._drawn:
            self._stream.write("\r" + " " * self._drawn + "\r")
            self._stream.flush()
            self._drawn = 0


def _line(done: int, total: int | None, seconds: float) -> str:
    rate = done / seconds if seconds > 0 else 0.0
    speed = f"{size(done)}  {size(rate)}/s"
    if not total:
        return speed
    share = min(done / total, 1.0)
    filled = round(share * _WIDTH)
    left = f"  {(total - done) / rate:.0f} s left" if rate and total > done else ""
    return f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {share:4.0%}  {speed}{left}"


def size(count: float) -> str:
    """Bytes for people, in powers of 1,000: ``3.2 GB``."""
    if count < 1000:
        return f"{count:.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1000:.1f} TB"

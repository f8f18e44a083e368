"""Writing for people: colours where they can be seen, rows in columns, nothing from a log that steers a terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TextIO

from ssift.errors import SsiftError
from ssift.printable import printable
from ssift.progress import Bar

WHEN = ("auto", "always", "never")
"""When there are colours."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_BAR_WIDTH = 24


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SsiftError(f"cannot write standard output: {error.strerror or error}") from error


class Terminal:
    """A stream, and what may be written to it.

    ``colour`` is auto, always or never. With auto, colours are used on a terminal only, and not where NO_COLOR is set
    (https://no-color.org) or TERM is dumb.
    """

    def __init__(self, stream: TextIO | None = None, progress: Bar | None = None, colour: str = "auto") -> None:
        self._stream = sys.stdout if stream is None else stream
        self._progress = progress
        self.interactive = self._stream.isatty()
        wanted = self.interactive and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.coloured = colour == "always" or (colour == "auto" and wanted)
        self.truecolour = os.environ.get("COLORTERM") in ("truecolor", "24bit")
        self.encoding: str = getattr(self._stream, "encoding", None) or ""
        self._block = "█" if "utf" in self.encoding.lower() else "#"

    def line(self, text: str = "") -> None:
        """Write one line; a progress bar in the way is taken off first."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Write ``text`` as it is.

        Raises:
            SsiftError: it cannot be written.
            BrokenPipeError: nobody reads any more.
        """
        if self._progress is not None:
            self._progress.clear()
        with _written():
            self._stream.write(text)

    def flush(self) -> None:
        """Write out what is in the buffer; raises as :meth:`write`."""
        with _written():
            self._stream.flush()

    def style(self, text: str, *styles: str) -> str:
        """``text`` in bold, dim, red, green, yellow or cyan, where colours are used."""
        return self.paint(text, ";".join(_STYLES[style] for style in styles))

    def paint(self, text: str, code: str) -> str:
        """``text`` with the numbers of a style (ECMA-48 SGR), where colours are used."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.coloured and text and code else text

    def content(self, text: str) -> str:
        """Text of a log: as it is into a pipe or file; on a terminal, and in colour, control characters escaped."""
        return printable(text, keep="\n\t") if self.interactive or self.coloured else text

    def heading(self, text: str) -> None:
        """A line of its own above rows."""
        self.line()
        self.line(self.style(text, "bold"))

    def rows(self, rows: Iterable[tuple[str, str, str]]) -> None:
        """Rows of a label, a figure (aligned right) and a remark."""
        cells = list(rows)
        label_width = max((len(label) for label, _, _ in cells), default=0)
        figure_width = max((len(figure) for _, figure, _ in cells), default=0)
        for label, figure, remark in cells:
            line = f"  {label.ljust(label_width)}  {figure.rjust(figure_width)}"
            style = "yellow" if label == "problems" else "dim"
            self.line(f"{line}   {self.style(remark, style)}" if remark else line)

    def shares(self, counts: dict[str, int], most: int = 12) -> None:
        """Rows of words with counts, shares and bars; ``most`` of them, the rest in one row."""
        total = sum(counts.values())
        shown = list(counts.items())[:most]
        rest = total - sum(count for _, count in shown)
        if rest:
            shown.append((f"{len(counts) - most:,} more", rest))
        rows = []
        for word, count in shown:
            share = count / total if total else 0.0
            bar = self._block * max(round(share * _BAR_WIDTH), 1 if count else 0)
            rows.append((printable(word) or "(never sent)", f"{count:,}", f"{share:6.1%}  {bar}".rstrip()))
        self.rows(rows)

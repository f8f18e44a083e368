"""Figures that change while a log grows: redrawn on a terminal, lines of JSON, or only the last ones."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssift.cli.terminal import Terminal

if TYPE_CHECKING:
    from ssift.statistics import Summary

Show = Callable[[dict[str, Any], Terminal], None]

_FROM_THE_TOP = "\x1b[H\x1b[J"


class Running:
    """Draws a summary again and again with ``show``."""

    def __init__(self, terminal: Terminal, as_json: bool, show: Show) -> None:
        self._terminal = terminal
        self._as_json = as_json
        self._show = show

    def draw(self, summary: Summary, last: bool) -> None:
        """Draw what there is; ``last``: nothing will come after it."""
        if self._as_json:
            self._terminal.line(summary.to_json())
        elif self._terminal.interactive:
            self._terminal.write(_FROM_THE_TOP)
            if last:
                self._show(summary.to_dict(), self._terminal)
            else:
                self._terminal.write(self._page(summary))
        elif last:
            self._show(summary.to_dict(), self._terminal)
        self._terminal.flush()

    def _page(self, summary: Summary) -> str:
        """As much as the screen holds: what scrolls away cannot be drawn over."""
        page = _Page(self._terminal.encoding)
        self._show(summary.to_dict(), Terminal(page))
        lines = page.lines()
        room = shutil.get_terminal_size().lines - 1
        if len(lines) > room:
            lines[room - 1 :] = ["  ... (all of it comes with Ctrl-C)"]
        return "\n".join(lines)


class _Page(io.TextIOWrapper):
    """A terminal that is drawn elsewhere."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding or "utf-8", errors="backslashreplace")

    def isatty(self) -> bool:
        return True

    def lines(self) -> list[str]:
        self.seek(0)
        return self.read().splitlines()

"""Counts bytes and line ends, for the place where compressed data broke off."""

from __future__ import annotations

from ssift.contract import Framing


class LineEnds:
    """Counts over pieces that may be cut anywhere.

    Attributes:
        size: bytes.
        line: number of the line that begins behind them, or in which they end.
    """

    def __init__(self, framing: Framing) -> None:
        self.size = 0
        self.line = 1
        self._any_end = framing == "sse"
        self._after_return = False

    def feed(self, piece: memoryview) -> None:
        """Count on."""
        text = bytes(piece)
        if not text:
            return
        self.size += len(text)
        self.line += text.count(b"\n")
        if self._any_end:
            if self._after_return and text.startswith(b"\n"):
                self.line -= 1
            if b"\r" in text:
                self.line += text.count(b"\r") - text.count(b"\r\n")
            self._after_return = text.endswith(b"\r")

"""Counts bytes and line ends, for the place where compressed data broke off."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        octets: Any = np.frombuffer(piece, np.uint8)
        if not len(octets):
            return
        feeds = octets == 0x0A
        self.size += len(piece)
        self.line += int(np.count_nonzero(feeds))
        if self._any_end:
            returns = octets == 0x0D
            pairs = int(np.count_nonzero(returns[:-1] & feeds[1:])) + (self._after_return and bool(feeds[0]))
            self.line += int(np.count_nonzero(returns)) - pairs
            self._after_return = bool(returns[-1])

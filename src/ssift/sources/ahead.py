"""Pieces made in a thread of their own, a few ahead of the reader.

Decoders and network clients release the interpreter lock while they work, and so does the native engine: with two
cores the slower of the two sets the pace. No more than ``DEPTH`` pieces wait, so memory stays bounded.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from typing import Self

DEPTH = 8
"""Pieces that may wait for the reader."""

_PATIENCE = 5.0  # seconds to wait for the thread when the reader leaves; only a network can take longer


class Ahead:
    """The same pieces, made ahead. They must stay valid while others are made (``bytes``, not a buffer used again).

    What is raised while they are made is raised here, behind the pieces before it and with its own traceback.
    ``close`` ends the thread at its next piece and waits for it; it may be called at any time, and again.
    """

    def __init__(self, pieces: Iterator[memoryview], depth: int = DEPTH) -> None:
        self._pieces = pieces
        self._depth = depth
        self._waiting: deque[memoryview] = deque()
        self._changed = threading.Condition()
        self._stopped = False  # the reader has left
        self._ended = False  # there is no more to come
        self._error: BaseException | None = None
        # A daemon: a network that never answers must not keep the process alive.
        self._thread = threading.Thread(target=self._make, name="ssift reading ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> memoryview:
        with self._changed:
            while not (self._waiting or self._ended):
                self._changed.wait()
            if self._waiting:
                piece = self._waiting.popleft()
                self._changed.notify()
                return piece
            error, self._error = self._error, None
        self._thread.join()
        if error is not None:
            raise error
        raise StopIteration

    def close(self) -> None:
        """The reader leaves."""
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify()
        self._thread.join(_PATIENCE)

    @property
    def running(self) -> bool:
        """Whether the thread is still there."""
        return self._thread.is_alive()

    def _make(self) -> None:
        error: BaseException | None = None
        try:
            for piece in self._pieces:
                if not self._hand_over(piece):
                    break
        except BaseException as caught:  # it is the reader's
            error = caught
        with self._changed:
            self._error = error
            self._ended = True
            self._changed.notify()

    def _hand_over(self, piece: memoryview) -> bool:
        """Wait for room, and put ``piece`` there; False when nobody wants it any more."""
        with self._changed:
            while len(self._waiting) >= self._depth and not self._stopped:
                self._changed.wait()
            if self._stopped:
                return False
            self._waiting.append(piece)
            self._changed.notify()
            return True

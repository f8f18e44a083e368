"""Recording a live stream while somebody else reads it.

Each piece is one line of a file, written by one call as it arrives and before it is handed on: what was handed on is
in the file even when the process is killed. Any number of streams, of any number of processes, may go to one file.
The form is that of :mod:`ssift.sources.containers.recording`; ``ssift.read`` reads it back.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from ssift.live.pieces import octets
from ssift.sources.containers.recording import record_line


def record(
    path: str | os.PathLike[str], pieces: Iterable[bytes], *, stream: str | None = None, requested_ns: int | None = None
) -> Iterator[bytes]:
    """The same pieces, each appended to the recording at ``path`` first.

    ::

        for chunk in ssift.chunks(ssift.record("calls.jsonl", response.iter_bytes())):
            ...

    Args:
        path: the file; it is made when it is not there, and grows when it is.
        pieces: the bytes of the stream, as they arrive.
        stream: its name in the recording; None makes one that no other has.
        requested_ns: when the request was sent, as ``time.time_ns()`` told it just before; what the time to the first
            token counts from.

    Raises:
        OSError: the file cannot be opened or written.
        TypeError: a piece is not bytes-like.
    """
    return _recorded(_Recorder(path, stream, requested_ns), pieces)


def arecord(
    path: str | os.PathLike[str],
    pieces: AsyncIterable[bytes],
    *,
    stream: str | None = None,
    requested_ns: int | None = None,
) -> AsyncIterator[bytes]:
    """As :func:`record`, for an asynchronous stream.

    Args:
        path, stream, requested_ns: as for :func:`record`.
        pieces: the bytes of the stream, as they arrive.

    Raises:
        OSError: the file cannot be opened or written.
        TypeError: a piece is not bytes-like.
    """
    return _arecorded(_Recorder(path, stream, requested_ns), pieces)


class _Recorder:
    """One stream of a recording; times are nanoseconds since 1970 that never go back."""

    def __init__(self, path: str | os.PathLike[str], stream: str | None, requested_ns: int | None = None) -> None:
        self._stream = secrets.token_hex(8) if stream is None else stream
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        self._requested = requested_ns  # until it is written
        self._origin = time.time_ns() - time.monotonic_ns()

    def write(self, piece: bytes | None) -> None:
        line = record_line(self._stream, self._origin + time.monotonic_ns(), piece, self._requested)
        self._requested = None
        while line:  # a full disk or a pipe takes less than all
            line = line[os.write(self._file, line) :]

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


def _recorded(recorder: _Recorder, pieces: Iterable[Any]) -> Iterator[bytes]:
    try:
        for piece in pieces:
            data = octets(piece)
            recorder.write(data)
            yield data
        recorder.write(None)
    finally:
        recorder.close()


async def _arecorded(recorder: _Recorder, pieces: AsyncIterable[Any]) -> AsyncIterator[bytes]:
    try:
        async for piece in pieces:
            data = octets(piece)
            recorder.write(data)
            yield data
        recorder.write(None)
    finally:
        recorder.close()

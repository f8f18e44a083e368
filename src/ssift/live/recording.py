"""Recording a live stream while somebody else reads it.

Each piece is one line of a file, written by one call as it arrives and before it is handed on: what was handed on is
in the file even when the process is killed. Any number of streams, of any number of processes, may go to one file.
The form is that of :mod:`ssift.sources.containers.recording`; ``ssift.read`` reads it back.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from ssift.buffers import Buffer
from ssift.live.pieces import octets, pieces_of
from ssift.sources.containers.recording import record_line


def record(
    path: str | os.PathLike[str],
    pieces: Iterable[bytes] | Buffer,
    *,
    stream: str | None = None,
    requested_ns: int | None = None,
) -> Iterator[bytes]:
    """The same pieces, each appended to the recording at ``path`` first.

    ::

        for chunk in ssift.chunks(ssift.record("calls.jsonl", response.iter_bytes())):
            ...

    Args:
        path: the file; it is made when it is not there, and grows when it is.
        pieces: the bytes of the stream, as they arrive; or all of them in one bytes-like object.
        stream: its name in the recording; None makes one that no other has.
        requested_ns: when the request was sent, as ``time.time_ns()`` told it just before; what the time to the first
            token counts from.

    Raises:
        OSError: the file cannot be opened or written.
        TypeError: what is given, or one of the pieces, is not bytes.
    """
    found = pieces_of(pieces, "record()")
    return _recorded(_Recorder(path, stream, requested_ns), found)


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
        TypeError: what is given, or one of the pieces, is not bytes.
    """
    if not isinstance(pieces, AsyncIterable):
        raise TypeError(
            f"arecord() reads an async iterable of bytes, not {type(pieces).__name__}; for others: record()"
        )
    return _arecorded(_Recorder(path, stream, requested_ns), pieces)


class _Recorder:
    """One stream of a recording; times are nanoseconds since 1970 that never go back."""

    def __init__(self, path: str | os.PathLike[str], stream: str | None, requested_ns: int | None = None) -> None:
        self._file = -1
        self._stream = secrets.token_hex(8) if stream is None else stream
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        self._start = b"\n" if _is_cut(self._file, path) else b""  # until it is written
        self._requested = requested_ns  # until it is written
        self._origin = time.time_ns() - time.monotonic_ns()

    def write(self, piece: bytes | None) -> None:
        line = record_line(self._stream, self._origin + time.monotonic_ns(), piece, self._requested)
        self._requested = None
        line, self._start = self._start + line, b""
        while line:  # a full disk or a pipe takes less than all
            line = line[os.write(self._file, line) :]

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __del__(self) -> None:
        self.close()


def _is_cut(file: int, path: str | os.PathLike[str]) -> bool:
    """Whether the last line has no end: a full disk or a kill cut it off, and the next must not be lost with it."""
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode) or not found.st_size:
        return False
    try:
        with open(path, "rb") as reader:
            reader.seek(-1, os.SEEK_END)
            return reader.read() != b"\n"
    except OSError:  # it may only be written
        return False


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

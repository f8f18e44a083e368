"""Chunks of HTTP that came together, read together.

An event of a live stream is usually a chunk of HTTP/1.1 of its own, and each chunk costs h11, httpcore and httpx some
twenty steps before its bytes arrive here: most of the CPU time of a stream. How a body is cut into chunks means
nothing, so h11's reader of a chunked body is put behind one that takes all whole chunks there are in h11's buffer at
once. It takes only what is beyond doubt; whatever is not (an open chunk, extensions, the end, anything wrong) is left
in the buffer for h11's own reader, which then finds its state as if it had read alone. So errors, trailers, keep-alive
and what becomes of the connection stay h11's.

Nothing else is touched, and this lasts for one body: h11 takes another reader for what comes next. Where a response is
made of other parts than those known here (HTTP/2, aiohttp, a transport of the caller's, other versions), it is left
alone.
"""

from __future__ import annotations

import re
from typing import Any

try:
    import h11
    from h11._readers import ChunkedReader
    from h11._receivebuffer import ReceiveBuffer

    _known = True
except ImportError:  # no transport of the client's needs it, or another version
    _known = False

_INSIDE = ("_stream", "_httpcore_stream", "_connection")  # of a response's stream, down to the connection
_DEEPEST = 8
_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}\r\n")
_LONGEST_SIZE = 17


def join_chunks(response: Any) -> bool:
    """Have the chunks of this response's body read together; False where it is not made as is known here."""
    if not _known:
        return False
    part = getattr(response, "stream", None)
    for _ in range(_DEEPEST):
        state = getattr(part, "_h11_state", None)
        if state is not None:
            return _join(state)
        part = next((getattr(part, name) for name in _INSIDE if hasattr(part, name)), None)
    return False


def _join(connection: Any) -> bool:
    if type(connection) is not h11.Connection or type(getattr(connection, "_reader", None)) is not ChunkedReader:
        return False
    buffer = getattr(connection, "_receive_buffer", None)
    if type(buffer) is not ReceiveBuffer or type(getattr(buffer, "_data", None)) is not bytearray:
        return False
    if not {"_bytes_in_chunk", "_bytes_to_discard", "_reading_trailer"} <= vars(connection._reader).keys():
        return False
    connection._reader = _Joining(connection._reader)
    return True


class _Joining:
    """As h11's ``ChunkedReader``, which it asks for all but whole chunks."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.read_eof = reader.read_eof

    def __call__(self, buffer: Any) -> Any:
        reader = self._reader
        if not reader._bytes_in_chunk and not reader._reading_trailer:
            data: bytearray = buffer._data
            footer: bytes = reader._bytes_to_discard  # of a chunk that was open
            if data.startswith(footer):
                parts, end = whole_chunks(data, len(footer))
                if parts:
                    buffer._extract(end)
                    reader._bytes_to_discard = b""
                    return h11.Data(data=b"".join(parts))
        return reader(buffer)


def whole_chunks(data: bytearray, at: int) -> tuple[list[bytearray], int]:
    """The chunks of HTTP that begin here and are whole, and where they end."""
    parts = []
    while True:
        size = _SIZE.match(data, at, at + _LONGEST_SIZE)
        if size is None:
            break
        start = size.end()
        end = start + int(data[at : start - 2], 16)
        if end == start or data[end : end + 2] != b"\r\n":
            break
        parts.append(data[start:end])
        at = end + 2
    return parts, at

"""Frames of a live stream to chunks.

What an event is, is decided here, in this order: an error by name; ``[DONE]``; nothing but blanks, or a wrapped
comment; not JSON; no object; an error by content; a chunk; something else. What is no chunk, error or ``[DONE]`` is
counted as skipped, as in a log (RULES of reading are the same; only framing is stricter).

A failure ends the chunks. It is a value here: the chunks that came before it in the same piece are handed out first.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from typing import Any, NamedTuple

import orjson

from ssift.buffers import Buffer
from ssift.engine import part
from ssift.errors import StreamError
from ssift.live.chunk import Chunk, chunk_of
from ssift.live.events import ends_stream
from ssift.live.frames import ClientFrames, Frame, Frames
from ssift.live.pieces import octets, pieces_of
from ssift.python.chunks import is_chunk
from ssift.python.failures import failure_of, is_failure
from ssift.python.json_text import NotJson, clean_utf8
from ssift.python.json_text import loads as json_loads
from ssift.python.lines import BLANKS

Build = Callable[[Any, bytes], Any]
"""From the value of an event and its text to what is handed out."""


class Failure(NamedTuple):
    """Why there are no more chunks: a server's error (with the JSON ``value`` it sent), or an exception in reading."""

    kind: str
    data: bytes
    value: Any = None
    cause: Exception | None = None

    def exception(self) -> StreamError:
        text = self.data.decode("utf-8", "replace")
        if self.kind == "error":
            message, code = failure_of(self.value, text)
            return StreamError("error", message, code, self.data)
        said = f"the data is not valid JSON: {self.cause}" if self.kind == "json" else str(self.cause)
        return StreamError(self.kind, said, None, self.data)


class Reader:
    """Pieces in, whatever ``build`` makes of each chunk out.

    Args:
        build: makes what is handed out.
        compat: read as the openai client does, its faults included: see :class:`ssift.live.frames.ClientFrames`; and
            every event is JSON, ``event: error`` means nothing, and values that are no chunk are handed out too.
        objects: hand out every JSON object that is no error.

    Attributes:
        done: ``[DONE]`` was seen; nothing comes after it.
        failure: why the chunks ended, None while they have not.
        skipped: events that were neither chunk nor error.
    """

    def __init__(self, build: Build, *, compat: bool = False, objects: bool = False) -> None:
        self.done = False
        self.failure: Failure | None = None
        self.skipped = 0
        self._build = build
        self._objects = objects
        self._compat = compat
        self._frames = ClientFrames() if compat else Frames()
        swift = None if compat else part("ChunkFeed", None)
        self._swift = None if swift is None else swift(orjson.loads, build, objects)

    def feed(self, piece: bytes) -> list[Any]:
        """What ends in ``piece``, up to the end or a failure."""
        if self._swift is None:
            return self._items(self._frames.feed(piece))
        items: list[Any] = self._swift.feed(piece, self._read)
        return items

    def flow(self, pieces: Iterable[Any]) -> Iterator[Any]:
        """The same of one piece after the other, up to the end or a failure, which is not raised here.

        No event is read before what the one before it gave is handed out.
        """
        if self._swift is not None:
            yield from part("Flow", None)(pieces, self._swift, octets, self._read)
            return
        for piece in pieces:
            yield from self._each(octets(piece))
            if self._ended:
                return

    def each(self) -> Callable[[bytes], Iterator[Any]]:
        """The same for those who await their pieces: it is called with each of them, until the end or a failure."""
        if self._swift is not None:
            of: Callable[[bytes], Iterator[Any]] = part("Flow", None)((), self._swift, octets, self._read).of
            return of
        return self._each

    def _each(self, piece: bytes) -> Iterator[Any]:
        for frame in self._frames.feed(piece):
            items: list[Any] = []
            more = self._read(frame, items)
            yield from items
            if not more:
                return
        self._items([])  # a failure of the frames is one after those that came

    def finish(self) -> list[Any]:
        """The end of the stream."""
        return self._items(self._frames.finish())

    def pass_over(self, piece: bytes | None) -> None:
        """A piece behind ``[DONE]``, None at the end of all: nothing is read, but with ``compat`` it must be UTF-8.

        Raises:
            UnicodeDecodeError: it is not.
        """
        if not self._compat:
            return
        if piece is None:
            self._frames.finish()
        else:
            self._frames.feed(piece)
        if self._frames.failure is not None:
            raise self._frames.failure

    def _items(self, frames: list[Frame]) -> list[Any]:
        items: list[Any] = []
        if not self._ended:
            for frame in frames:
                if not self._read(frame, items):
                    return items
        if self._frames.failure is not None and not self._ended:
            self.failure = Failure("encoding", b"", cause=self._frames.failure)
        return items

    @property
    def _ended(self) -> bool:
        return self.done or self.failure is not None

    def _read(self, frame: Frame, items: list[Any]) -> bool:
        """Read a frame; False when it is the last."""
        if self._compat:
            self._read_as_client(frame, items)
        else:
            self._read_frame(frame, items)
        return not self._ended

    def _read_frame(self, frame: Frame, items: list[Any]) -> None:
        data, name = frame[0], frame[1]
        if name == "error":
            self._fail_by_name(data)
            return
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError:
            if ends_stream(data):
                self.done = True
                return
            text = data.lstrip(BLANKS)
            if not text or text.startswith(b":"):
                self.skipped += 1
                return
            try:
                value = json_loads(clean_utf8(data))
            except NotJson as error:
                self.failure = Failure("json", data, cause=error)
                return
        if type(value) is not dict:
            self.skipped += 1
        elif is_failure(value):
            self.failure = Failure("error", data, value)
        elif self._objects or is_chunk(value):
            items.append(self._build(value, data))
        else:
            self.skipped += 1

    def _fail_by_name(self, data: bytes) -> None:
        try:
            value = json_loads(clean_utf8(data))
        except NotJson:
            value = None
        self.failure = Failure("error", data, value)

    def _read_as_client(self, frame: Frame, items: list[Any]) -> None:
        data = frame[0]
        if data.startswith(b"[DONE]"):
            self.done = True
            return
        try:
            value = json.loads(data.decode())
        except ValueError as error:
            self.failure = Failure("json", data, cause=error)
            return
        if frame[1].startswith("thread."):  # an event of the Assistants, it thinks
            value = {"data": value, "event": frame[1]}
            items.append(self._build(value, json.dumps(value).encode()))
        elif type(value) is dict and value.get("error"):
            self.failure = Failure("error", data, value)
        else:
            items.append(self._build(value, data))


class _Reading:
    """What a stream of chunks says of itself while it is read and after."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    @property
    def done(self) -> bool:
        """``[DONE]`` was seen: the stream was not cut off."""
        return self._reader.done

    @property
    def skipped(self) -> int:
        """Events so far that were neither chunk nor error."""
        return self._reader.skipped


class Parser(_Reading):
    """Pieces in, chunks out, and no input or output of its own: for those who own their loop.

    ::

        parser = ssift.Parser()
        while not parser.done and (piece := socket.recv(65536)):
            for chunk in parser.feed(piece):
                ...
        parser.finish()

    The chunks do not depend on how the stream was cut into pieces. An error in the stream is raised at the call after
    the one that handed out the chunks before it; without such chunks, at once.

    Args:
        compat: read as the openai client does, its faults included: a BOM hides the first event, blocks without data
            are events, every line must be UTF-8, ``event: error`` means nothing, JSON that is no object is handed out.

    Attributes:
        done: ``[DONE]`` was seen; what is fed after it is not read.
        skipped: events that were neither chunk nor error: pings, empty data, wrapped comments, other JSON.
    """

    def __init__(self, *, compat: bool = False) -> None:
        super().__init__(Reader(chunk_of, compat=compat))

    def feed(self, piece: Any) -> list[Chunk]:
        """The chunks that end in ``piece``, any bytes-like object.

        Raises:
            StreamError: the server sent an error, or data that is not JSON.
            TypeError: the piece is not bytes-like.
        """
        piece = octets(piece)
        self._raise()
        return self._or_raise(self._reader.feed(piece))

    def finish(self) -> list[Chunk]:
        """The end of the stream. An event without its blank line is dropped, so nothing comes but a held error.

        Raises:
            StreamError: as for :meth:`feed`.
        """
        self._raise()
        return self._or_raise(self._reader.finish())

    def _or_raise(self, chunks: list[Chunk]) -> list[Chunk]:
        if not chunks:
            self._raise()
        return chunks

    def _raise(self) -> None:
        if self._reader.failure is not None:
            raise self._reader.failure.exception()


class Chunks(_Reading, Iterator[Chunk]):
    """The chunks of a stream, one after the other."""

    def __init__(self, pieces: Iterable[Any], reader: Reader) -> None:
        super().__init__(reader)
        self._chunks = _chunks(pieces, reader)

    def __iter__(self) -> Iterator[Chunk]:
        return self._chunks

    def __next__(self) -> Chunk:
        return next(self._chunks)

    def close(self) -> None:
        """Read no more."""
        self._chunks.close()


class AsyncChunks(_Reading, AsyncIterator[Chunk]):
    """As :class:`Chunks`, asynchronously."""

    def __init__(self, pieces: AsyncIterable[Any], reader: Reader) -> None:
        super().__init__(reader)
        self._chunks = _achunks(pieces, reader)

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self._chunks

    async def __anext__(self) -> Chunk:
        return await self._chunks.__anext__()

    async def aclose(self) -> None:
        """Read no more."""
        await self._chunks.aclose()


def chunks(pieces: Iterable[bytes] | Buffer, *, compat: bool = False) -> Chunks:
    """The chunks of a live stream, as they are complete; ``[DONE]`` ends them.

    Args:
        pieces: the bytes of the stream, cut anywhere, as from ``response.iter_bytes()``; or all of them in one
            bytes-like object.
        compat: as for :class:`Parser`.

    Returns:
        An iterator; its ``done`` says whether ``[DONE]`` was seen, its ``skipped`` counts what was no chunk.

    Raises:
        StreamError: the server sent an error, or data that is not JSON. The chunks before it were yielded.
        TypeError: what is given, or one of the pieces, is not bytes.
    """
    return Chunks(pieces_of(pieces, "chunks()"), Reader(chunk_of, compat=compat))


def achunks(pieces: AsyncIterable[bytes], *, compat: bool = False) -> AsyncChunks:
    """As :func:`chunks`, for an asynchronous stream.

    Args:
        pieces: the bytes of the stream, cut anywhere, as from ``response.aiter_bytes()``.
        compat: as for :class:`Parser`.

    Returns:
        An asynchronous iterator with ``done`` and ``skipped``, as that of :func:`chunks`.

    Raises:
        StreamError: as for :func:`chunks`.
        TypeError: what is given is no asynchronous iterable, or one of the pieces is not bytes.
    """
    if not isinstance(pieces, AsyncIterable):
        raise TypeError(
            f"achunks() reads an async iterable of bytes, not {type(pieces).__name__}; for others: chunks()"
        )
    return AsyncChunks(pieces, Reader(chunk_of, compat=compat))


def loads(data: bytes | bytearray | memoryview | str) -> Chunk:
    """One chunk from its JSON text.

    Args:
        data: the text, as bytes (invalid UTF-8 is read as U+FFFD) or str.

    Raises:
        ValueError: it is not a JSON object; what is wrong with the text, and where.
        TypeError: it is neither bytes nor text.
    """
    raw = data if type(data) is bytes else _octets_or_text(data)
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        try:
            value = json_loads(clean_utf8(raw))
        except NotJson as error:
            raise ValueError(f"the data is not valid JSON: {error}") from None
    if type(value) is not dict:
        raise ValueError(f"a chunk is a JSON object, not {type(value).__name__}")
    chunk: Chunk = chunk_of(value, raw)
    return chunk


def _octets_or_text(data: Any) -> bytes:
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else octets(data)


def _chunks(pieces: Iterable[Any], reader: Reader) -> Generator[Chunk, None, None]:
    yield from reader.flow(pieces)
    if not reader.done:
        yield from reader.finish()
    if reader.failure is not None:
        raise reader.failure.exception()


async def _achunks(pieces: AsyncIterable[Any], reader: Reader) -> AsyncGenerator[Chunk, None]:
    each = reader.each()
    async for piece in pieces:
        for chunk in each(octets(piece)):
            yield chunk
        if reader.done:
            return
        if reader.failure is not None:
            raise reader.failure.exception()
    for chunk in reader.finish():
        yield chunk
    if reader.failure is not None:
        raise reader.failure.exception()

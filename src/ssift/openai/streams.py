"""Streams of the openai client that read with ssift.

Each version of the client maps errors of the transport, closes and drains in its own way. That stays: its
``_iter_events`` is given a decoder that lets the pieces through, and what comes out is read here.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple, TypeVar

import openai

from ssift.live.chunk import chunk_of
from ssift.live.parser import Build, Failure, Reader
from ssift.openai.models import ModelBuilder
from ssift.openai.transport import join_chunks

try:
    from openai._streaming_cleanup import drain_response_async
except ImportError:  # before 3.30: nothing is drained (before 2.7: see _drains_all)
    drain_response_async = None  # type: ignore[assignment]

_T = TypeVar("_T")

_UNKNOWN = "An error occurred during streaming"
_drains_all = tuple(int(part) for part in openai.__version__.split(".")[:2]) < (2, 7)
"""Whether this version reads what follows ``[DONE]`` to the end."""


class Mode(NamedTuple):
    """What :func:`ssift.openai.accelerate` was asked for."""

    types: str
    compat: bool


class _Through:
    """A decoder that does nothing: the pieces of the response as they came.

    ``iter_bytes`` of a response undoes its content encoding and cuts pieces to a size. Where there is nothing to undo,
    ``iter_raw`` gives the same pieces, with the same errors, for less.
    """

    def __init__(self, response: Any) -> None:
        join_chunks(response)
        self._response = response
        encoding = response.headers.get("content-encoding") if hasattr(response, "headers") else "unknown"
        self._plain = not encoding and not response.is_stream_consumed

    def iter_bytes(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        return self._response.iter_raw() if self._plain else pieces

    def aiter_bytes(self, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        return self._response.aiter_raw() if self._plain else pieces


class _Done:
    """Beside the client's own: whether the stream came to its end."""

    _reader: Reader | None = None

    @property
    def done(self) -> bool:
        """``[DONE]`` was seen: the stream was not cut off."""
        return self._reader is not None and self._reader.done


class ChatStream(openai.Stream[_T], _Done):
    """``openai.Stream`` of chunks."""

    def __iter__(self) -> Iterator[_T]:
        return self._iterator  # the client's own has each item go through one generator more

    def __stream__(self) -> Iterator[_T]:
        response = self.response
        reader = self._reader = _reader(self)
        self._decoder: Any = _Through(response)
        pieces: Iterator[Any] = self._iter_events()
        try:
            yield from reader.flow(pieces)
            if not reader.done:
                _finish(reader, response)
            if _drains_all:
                for piece in pieces:
                    reader.pass_over(piece)
                reader.pass_over(None)
        finally:
            response.close()


class AsyncChatStream(openai.AsyncStream[_T], _Done):
    """``openai.AsyncStream`` of chunks."""

    def __aiter__(self) -> AsyncIterator[_T]:
        return self._iterator

    async def __stream__(self) -> AsyncIterator[_T]:
        response = self.response
        reader = self._reader = _reader(self)
        self._decoder: Any = _Through(response)
        pieces: AsyncIterator[Any] = self._iter_events()
        try:
            each = reader.each()
            async for piece in pieces:
                for item in each(piece):
                    yield item
                if reader.failure is not None:
                    raise _exception(reader.failure, response)
                if reader.done:
                    if drain_response_async is not None and response.http_version == "HTTP/1.1":
                        await drain_response_async(response)
                    break
            else:
                _finish(reader, response)
            if _drains_all:
                async for piece in pieces:
                    reader.pass_over(piece)
                reader.pass_over(None)
        finally:
            await response.aclose()


def _reader(stream: Any) -> Reader:
    mode: Mode = stream._client._ssift_mode
    build: Build = chunk_of
    if mode.types == "openai":
        build = ModelBuilder(stream._client, stream._cast_to, stream.response).build
    return Reader(build, compat=mode.compat, objects=True)


def _finish(reader: Reader, response: Any) -> None:
    reader.finish()
    if reader.failure is not None:
        raise _exception(reader.failure, response)


def _exception(failure: Failure, response: Any) -> Exception:
    """The exception that the client raises for this."""
    if failure.kind == "encoding":
        assert failure.cause is not None
        return failure.cause
    if failure.kind == "json":
        try:
            json.loads(failure.data.decode("utf-8", "replace"))
        except ValueError as refused:
            return refused
        return failure.exception()
    error = failure.value.get("error") if type(failure.value) is dict else None
    if not error:  # told by the name of the event, or by `object`
        body = failure.value if type(failure.value) is dict else failure.data.decode("utf-8", "replace")
        return openai.APIError(failure.exception().message, request=response.request, body=body)
    message = error.get("message") if type(error) is dict else None
    if not message or type(message) is not str:
        message = _UNKNOWN
    return openai.APIError(message, request=response.request, body=error)

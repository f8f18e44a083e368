"""The same stream through every transport: its pieces are taken as they come."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

import ssift
from tests.live.serving import serving
from tests.live.streams import TEXT, delta
from tests.need import need_module

WORDS = ["", "Hé", "llo ☃", None]


@pytest.fixture
def url():
    with serving() as server:
        server.pieces = [TEXT[at : at + 13] for at in range(0, len(TEXT), 13)]
        yield server.url


def through_httpx(name: str) -> Callable[[str], Iterator[bytes]]:
    def pieces(url: str) -> Iterator[bytes]:
        library = need_module(name)
        with library.Client() as client, client.stream("POST", url) as response:
            yield from response.iter_bytes()

    return pieces


def through_requests(url: str) -> Iterator[bytes]:
    requests = need_module("requests")
    with requests.Session() as session, session.post(url, stream=True) as response:
        yield from response.iter_content(chunk_size=None)


def through_urllib3(url: str) -> Iterator[bytes]:
    urllib3 = need_module("urllib3")
    with urllib3.PoolManager() as pool:
        response = pool.request("POST", url, preload_content=False)
        yield from response.stream()
        response.release_conn()


def through_urllib(url: str) -> Iterator[bytes]:
    with urllib.request.urlopen(urllib.request.Request(url, b"", method="POST")) as response:
        while piece := response.read1():
            yield piece


def through_http_client(url: str) -> Iterator[bytes]:
    with closing(http.client.HTTPConnection(url.split("/")[2])) as connection:
        connection.request("POST", "/v1", b"")
        with connection.getresponse() as response:
            yield from response  # line by line


SYNCHRONOUS = {
    "httpx": through_httpx("httpx"), "httpx2": through_httpx("httpx2"), "requests": through_requests,
    "urllib3": through_urllib3, "urllib": through_urllib, "http.client": through_http_client,
}  # fmt: skip


@pytest.mark.parametrize("name", SYNCHRONOUS)
def test_a_synchronous_transport(url, name):
    stream = ssift.chunks(SYNCHRONOUS[name](url))
    assert [chunk.choices[0].delta.content for chunk in stream] == WORDS
    assert stream.done
    assert [event.data for event in ssift.events(SYNCHRONOUS[name](url))][-1] == "[DONE]"


async def through_aiohttp(url: str) -> AsyncIterator[bytes]:
    aiohttp = need_module("aiohttp")
    async with aiohttp.ClientSession() as session, session.post(url) as response:
        async for piece in response.content.iter_any():
            yield piece


async def through_async_httpx2(url: str) -> AsyncIterator[bytes]:
    httpx2 = need_module("httpx2")
    async with httpx2.AsyncClient() as client, client.stream("POST", url) as response:
        async for piece in response.aiter_bytes():
            yield piece


@pytest.mark.parametrize("pieces", [through_aiohttp, through_async_httpx2])
def test_an_asynchronous_transport(url, pieces):
    async def read() -> list[str | None]:
        stream = ssift.achunks(pieces(url))
        words = [chunk.choices[0].delta.content async for chunk in stream]
        assert stream.done
        assert [event.data async for event in ssift.aevents(pieces(url))][-1] == "[DONE]"
        return words

    assert asyncio.run(read()) == WORDS


def test_a_socket_with_a_parser():
    """A server that just writes: no HTTP, and the parser is fed by hand."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(TEXT)
        theirs.shutdown(socket.SHUT_WR)
        parser = ssift.Parser()
        words = []
        while not parser.done and (piece := ours.recv(7)):
            words += [chunk.choices[0].delta.content for chunk in parser.feed(piece)]
        assert parser.finish() == []
    assert words == WORDS


def test_an_asyncio_reader():
    async def read() -> list[Any]:
        reader = asyncio.StreamReader()
        reader.feed_data(TEXT)
        reader.feed_eof()
        return [json.loads(chunk.raw) async for chunk in ssift.achunks(reader)]

    assert len(asyncio.run(read())) == 4


def test_a_gzipped_answer_is_decoded_by_its_transport():
    import gzip

    httpx2 = need_module("httpx2")
    body = gzip.compress(TEXT + delta({"content": "not read"}))
    response = httpx2.Response(200, headers={"content-encoding": "gzip"}, content=iter([body[:30], body[30:]]))
    assert [chunk.choices[0].delta.content for chunk in ssift.chunks(response.iter_bytes())] == WORDS

"""Chunks of HTTP read together against h11 alone, whatever is sent, and under the clients."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssift.openai import accelerate
from tests.live.serving import Server
from tests.live.streams import DONE, delta
from tests.live.test_accelerate import OPTIONS, REQUEST
from tests.live.test_frames import cut
from tests.need import need_module

openai = need_module("openai")
h11 = need_module("h11")

from ssift.openai import transport  # noqa: E402

HEAD = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
HEAD_OF_ALL = {
    "chunked": HEAD,
    "of a length": b"HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n",
    "until the end": b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
}


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def connection(received: bytes = HEAD) -> Any:
    """A client's, of which the head of the response was read."""
    made = h11.Connection(h11.CLIENT)
    made.send(h11.Request(method="POST", target="/", headers=[("host", "x")]))
    made.send(h11.EndOfMessage())
    made.receive_data(received)
    assert type(made.next_event()) is h11.Response
    return made


def read(made: Any, pieces: list[bytes]) -> Any:
    """What comes of a body: its bytes after each piece, how it ends, and how the connection is left."""
    found: list[Any] = []
    try:
        for piece in pieces:
            made.receive_data(piece)
            data = b""
            while (event := made.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                if type(event) is h11.Data:
                    data += event.data
                else:
                    found.append((type(event), list(getattr(event, "headers", ()))))
                if type(event) is h11.ConnectionClosed:
                    break
            found.append(data)
    except h11.RemoteProtocolError as error:
        found.append((str(error), data))
    return found, made.our_state, made.their_state, made.trailing_data


SYNTAX = [
    chunk(b"a"), chunk(b"bb\r\n"), chunk(b"c" * 300), b"0\r\n\r\n", b"0\r\nx: y\r\n\r\n", b"00\r\n\r\n", b"1\r\n", b"1", b"\r\n",
    b"\r", b"\n", b"a", b"0", b"3;x=y\r\nabc\r\n", b"A\r\n0123456789\r\n", b"0x1\r\nz\r\n", b"1_0\r\n", b"+1\r\nz\r\n",
    b" 1\r\nz\r\n", b"1 \r\nz\r\n", b"000000000000000000001\r\nz\r\n", b"fffffffffffffff\r\nz", b"2\r\nzzz\r\n", b"-", b"\0",
]  # fmt: skip
bodies = st.lists(st.sampled_from(SYNTAX), max_size=12).map(b"".join)
places = st.lists(st.integers(0, 1000), max_size=6)


@settings(max_examples=500)
@given(bodies, places, st.booleans())
def test_bodies_are_those_of_h11(body, places, closed):
    pieces = [*filter(None, cut(body, places)), *[b""] * closed]
    ours = connection()
    assert transport._join(ours)
    assert read(ours, pieces) == read(connection(), pieces)


@pytest.mark.parametrize("body", [chunk(b"ab") + chunk(b"c" * 20) + b"0\r\n\r\n", chunk(b"ab") + b"zz\r\n"])
def test_bodies_are_those_of_h11_at_every_cut(body):
    for at in range(len(body)):
        for then in range(at, len(body)):
            pieces = [*filter(None, (body[:at], body[at:then], body[then:]))]
            ours = connection()
            assert transport._join(ours)
            assert read(ours, pieces) == read(connection(), pieces)


def test_what_came_together_is_read_together():
    made = connection()
    assert transport._join(made)
    made.receive_data(b"".join(map(chunk, [b"a", b"b" * 70, b"c"])) + b"5\r\nde")
    assert made.next_event().data == b"a" + b"b" * 70 + b"c"
    assert made.next_event().data == b"de"  # of a chunk that is open
    assert made.next_event() is h11.NEED_DATA
    made.receive_data(b"fgh\r\n" + chunk(b"i") + chunk(b"j"))
    assert made.next_event().data == b"fgh"
    assert made.next_event().data == b"ij"
    made.receive_data(b"0\r\n\r\n")
    assert type(made.next_event()) is h11.EndOfMessage


def test_it_lasts_for_one_body():
    made = connection()
    assert transport._join(made)
    made.receive_data(chunk(b"a") + b"0\r\n\r\n")
    while made.next_event() is not h11.PAUSED and made.their_state is not h11.DONE:
        pass
    made.start_next_cycle()
    made.send(h11.Request(method="POST", target="/", headers=[("host", "x")]))
    made.send(h11.EndOfMessage())
    made.receive_data(HEAD)
    made.next_event()
    assert type(made._reader) is transport.ChunkedReader


@pytest.mark.parametrize("head", HEAD_OF_ALL)
def test_only_chunks_are_joined(head):
    assert transport._join(connection(HEAD_OF_ALL[head])) == (head == "chunked")


def test_what_is_made_otherwise_is_left_alone():
    class Stream:
        pass

    class Response:
        stream: Any = Stream()

    endless = Stream()
    endless._stream = endless  # type: ignore[attr-defined]
    for stream in (Stream(), None, endless):
        Response.stream = stream
        assert not transport.join_chunks(Response())
    assert not transport.join_chunks(object())
    endless._h11_state = "x"  # type: ignore[attr-defined]
    assert not transport.join_chunks(Response())


@pytest.fixture
def joined(monkeypatch):
    """For each stream that was begun, whether its chunks are joined."""
    found: list[bool] = []

    def join_chunks(response: Any) -> bool:
        found.append(transport.join_chunks(response))
        return found[-1]

    monkeypatch.setattr("ssift.openai.streams.join_chunks", join_chunks)
    return found


def test_the_client_is_made_as_is_known_here(server: Server, joined):
    server.pieces = [*(delta({"content": f" w{number}"}) for number in range(100)), DONE]
    with openai.OpenAI(base_url=server.url, **OPTIONS) as client:
        stream = accelerate(client).chat.completions.create(**REQUEST, stream=True)
        assert len([*stream]) == 100

    async def work() -> int:
        async with openai.AsyncOpenAI(base_url=server.url, **OPTIONS) as client:
            stream = await accelerate(client).chat.completions.create(**REQUEST, stream=True)
            return len([chunk async for chunk in stream])

    assert asyncio.run(work()) == 100
    assert joined == [True, True]


@pytest.mark.skipif(
    int(openai.__version__.split(".")[0]) < 3, reason="a package of its own was needed for aiohttp before 3.0"
)
def test_aiohttp_is_left_alone(server: Server, joined):
    need_module("aiohttp")
    server.pieces = [*(delta({"content": f" w{number}"}) for number in range(100)), DONE]

    async def work() -> int:
        http = openai.DefaultAioHttpClient()
        async with openai.AsyncOpenAI(base_url=server.url, http_client=http, **OPTIONS) as client:
            stream = await accelerate(client).chat.completions.create(**REQUEST, stream=True)
            return len([chunk async for chunk in stream])

    assert asyncio.run(work()) == 100
    assert joined == [False]

"""Many streams at once, slow ones, broken ones, cancelled ones: nothing is lost, nothing stays behind."""

# ruff: noqa: PERF401, PT012 - what came before an exception is looked at

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import Any

import pytest

import ssift
from ssift.openai import accelerate
from tests.live.serving import Server, http_library
from tests.live.streams import TEXT, delta
from tests.live.test_accelerate import OPTIONS, REQUEST
from tests.need import need_module

openai = need_module("openai")

MANY = 500


def run(server: Server, work: Any, **options: Any) -> Any:
    """What ``work`` does with an accelerated client; its connections are all at rest then."""

    async def inside() -> Any:
        async with openai.AsyncOpenAI(base_url=server.url, timeout=60, **OPTIONS, **options) as client:
            result = await work(accelerate(client))
            for connection in connections(client):
                assert connection.is_idle() or connection.is_closed(), connection
            return result

    return asyncio.run(inside())


def connections(client: Any) -> list[Any]:
    found: list[Any] = client._client._transport._pool.connections
    return found


async def text_of(client: Any) -> str:
    text = ""
    async for chunk in await client.chat.completions.create(**REQUEST, stream=True):
        text += chunk.choices[0].delta.content or ""
        await asyncio.sleep(0)
    return text


def test_many_streams_on_one_loop(server):
    words = [f" wörd{number}" for number in range(20)]
    whole = b"".join(delta({"content": word}) for word in words) + b"data: [DONE]\n\n"
    server.pieces = [whole[at : at + 311] for at in range(0, len(whole), 311)]

    async def work(client: Any) -> None:
        texts = await asyncio.gather(*(text_of(client) for _ in range(MANY)))
        assert texts == ["".join(words)] * MANY
        assert len(connections(client)) <= 100  # returned and used again: there is no more room in the pool

    http = http_library()
    http_client = http.AsyncClient(limits=http.Limits(max_connections=100), timeout=60)
    run(server, work, http_client=http_client)
    assert server.requests == MANY


def test_a_slow_consumer_gets_everything(server):
    words = [f"{number:06d}" * 50 for number in range(300)]  # more than what sockets hold
    server.pieces = [*(delta({"content": word}) for word in words), b"data: [DONE]\n\n"]

    async def work(client: Any) -> None:
        found = []
        async for chunk in await client.chat.completions.create(**REQUEST, stream=True):
            found.append(chunk.choices[0].delta.content)
            if len(found) % 100 == 1:
                await asyncio.sleep(0.05)
        assert found == words

    run(server, work)


def test_dropped_connections_raise_after_what_came(server):
    server.pieces = [delta({"content": "a"}), delta({"content": "b"})[:40], None]

    async def one(client: Any) -> list[str]:
        found = []
        stream = await client.chat.completions.create(**REQUEST, stream=True)
        with pytest.raises(Exception, match=r"(?i)connection|peer closed|incomplete"):
            async for chunk in stream:
                found.append(chunk.choices[0].delta.content)
        assert stream.response.is_closed
        assert not stream.done
        return found

    async def work(client: Any) -> None:
        assert await asyncio.gather(*(one(client) for _ in range(20))) == [["a"]] * 20
        server.pieces = [TEXT]
        assert await text_of(client) == "Héllo ☃"

    run(server, work)


def test_cancelled_streams_leave_nothing_behind(server):
    server.pieces = [*(delta({"content": "x" * 1000}) for _ in range(2000)), b"data: [DONE]\n\n"]
    left: list[weakref.ref[Any]] = []

    async def one(client: Any, started: asyncio.Event) -> None:
        stream = await client.chat.completions.create(**REQUEST, stream=True)
        left.append(weakref.ref(stream))
        async with stream:
            async for _ in stream:
                left.append(weakref.ref(stream._reader))
                started.set()
                await asyncio.sleep(3600)

    async def work(client: Any) -> None:
        events = [asyncio.Event() for _ in range(10)]
        tasks = [asyncio.create_task(one(client, event)) for event in events]
        await asyncio.gather(*(event.wait() for event in events))
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)
        del results, tasks
        server.pieces = [TEXT]
        assert await text_of(client) == "Héllo ☃"

    run(server, work)
    gc.collect()
    assert len(left) == 20
    assert not any(reference() for reference in left)


def test_a_reader_is_no_part_of_a_cycle():
    """What a stream held is free when the stream is, without the garbage collector."""

    gc.disable()
    try:
        parser = ssift.Parser()
        found = parser.feed(TEXT + b"data: half")
        chunks = ssift.chunks([TEXT])
        next(chunks)
        readers = [weakref.ref(parser._reader), weakref.ref(chunks._reader)]
        del parser, chunks
        assert len(found) == 4
        assert not any(reference() for reference in readers)
    finally:
        gc.enable()


def test_a_stream_that_is_read_in_part_and_closed_reads_no_more(server):
    server.pieces = [*(delta({"content": "x" * 1000}) for _ in range(2000)), b"data: [DONE]\n\n"]
    with openai.OpenAI(base_url=server.url, **OPTIONS) as client:
        stream = accelerate(client).chat.completions.create(**REQUEST, stream=True)
        assert next(stream).choices[0].delta.content == "x" * 1000
        stream.close()
        assert stream.response.is_closed
        assert not stream.done
        assert all(connection.is_closed() for connection in connections(client))

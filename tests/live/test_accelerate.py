"""Accelerated clients against the plain one, over a loopback server: the same values, errors and manners."""

# ruff: noqa: PERF401 - what came before an exception is looked at
from __future__ import annotations

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import ssift
from ssift.openai import accelerate
from tests.live.serving import Server
from tests.live.streams import BODIES, FAULTY, LOGPROBS, SOUND, TEXT, delta
from tests.need import need_module

openai = need_module("openai")
pytestmark = pytest.mark.filterwarnings("ignore")

OPTIONS: dict[str, Any] = {"api_key": "x", "max_retries": 0}
REQUEST: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
MODES = [("ssift", False), ("ssift", True), ("openai", False), ("openai", True)]


def shown(item: Any) -> Any:
    if not hasattr(item, "to_dict"):
        return repr(item)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return repr((item.to_dict(), item.model_dump(), sorted(item.model_fields_set), item.model_extra))


def sent(item: Any) -> Any:
    """What was sent, whatever fields a version of the client declares and in which order."""
    return repr(in_order(item.to_dict())) if hasattr(item, "to_dict") else repr(item)


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(inner) for inner in value] if isinstance(value, list) else value


def view(types: str) -> Callable[[Any], Any]:
    """How chunks are compared: our own have the fields of the newest client."""
    return shown if types == "openai" or int(openai.__version__.split(".")[0]) >= 3 else sent


def outcome(error: Exception) -> Any:
    return type(error), str(error), getattr(error, "body", None), getattr(error, "code", None), type(error.__cause__)


def run(client: Any, look: Callable[[Any], Any] = shown) -> list[Any]:
    found: list[Any] = []
    try:
        with client.chat.completions.create(**REQUEST, stream=True) as stream:
            for chunk in stream:
                found.append(look(chunk))
        assert stream.response.is_closed
    except Exception as error:
        found.append(outcome(error))
    return found


async def arun(client: Any, look: Callable[[Any], Any] = shown) -> list[Any]:
    found: list[Any] = []
    try:
        async with await client.chat.completions.create(**REQUEST, stream=True) as stream:
            async for chunk in stream:
                found.append(look(chunk))
        assert stream.response.is_closed
    except Exception as error:
        found.append(outcome(error))
    return found


@pytest.fixture
def plain(server: Server):
    with openai.OpenAI(base_url=server.url, **OPTIONS) as client:
        yield client


def alone(server: Server, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """What ``work`` does with an asynchronous client of its own."""

    async def run() -> Any:
        async with openai.AsyncOpenAI(base_url=server.url, **OPTIONS) as client:
            return await work(client)

    return asyncio.run(run())


SAME = {name: data for name, data in SOUND.items() if name not in ("extras", "numbers")}


@pytest.mark.parametrize(("types", "compat"), MODES)
def test_streams_are_read_alike(server, plain, types, compat):
    fast = accelerate(plain, types=types, compat=compat)
    streams = {**SOUND, **BODIES} if types == "openai" else SAME
    streams = {**streams, **FAULTY} if compat else streams
    look = view(types)

    async def all_streams(aplain: Any) -> None:
        afast = accelerate(aplain, types=types, compat=compat)
        for name, data in streams.items():
            server.pieces = [data[at : at + 97] for at in range(0, len(data), 97)]
            expected = run(plain, look)
            assert await arun(aplain, look) == expected, name
            assert run(fast, look) == expected, name
            assert await arun(afast, look) == expected, name

    alone(server, all_streams)


def test_instances_are_the_clients_own(server, plain):
    server.pieces = [LOGPROBS + SOUND["extras"]]
    read = [
        list(client.chat.completions.create(**REQUEST, stream=True))
        for client in (plain, accelerate(plain, types="openai"))
    ]
    assert read[0] == read[1]
    assert all(type(chunk) is type(read[0][0]) for chunk in read[1])
    assert type(read[1][0].choices[0].logprobs.content[0]) is type(read[0][0].choices[0].logprobs.content[0])


def test_what_the_client_refuses_to_build_is_its_own_error(server, plain):
    server.pieces = [b'data: {"choices":[],"_fields_set":["x"]}\n\n']
    errors = []
    for client in (plain, accelerate(plain, types="openai")):
        with pytest.raises(AttributeError) as caught:
            list(client.chat.completions.create(**REQUEST, stream=True))
        errors.append((str(caught.value), caught.value.__context__))
    assert errors[0] == errors[1]


def test_faults_do_no_harm_by_default(server, plain):
    fast = accelerate(plain)
    for name in ("bom", "invalid utf-8", "retry", "heartbeats", "blank done"):
        server.pieces = [FAULTY[name]]
        texts = [chunk.choices[0].delta.content for chunk in fast.chat.completions.create(**REQUEST, stream=True)]
        assert texts[-3:] == ["Hé", "llo ☃", None], name
    server.pieces = [FAULTY["error by name"]]
    with pytest.raises(openai.APIError, match="overloaded") as caught:
        list(fast.chat.completions.create(**REQUEST, stream=True))
    assert caught.value.body == {"message": "overloaded", "code": 529}
    assert str(caught.value.code) == "529"  # a number itself, before 3.0


@pytest.mark.parametrize("types", ["ssift", "openai"])
def test_a_dropped_connection_is_the_same_error(server, plain, types):
    server.pieces = [delta({"content": "a"}), None]
    look = view(types)
    expected = run(plain, look)
    assert expected[-1][0].__name__ in ("APIConnectionError", "RemoteProtocolError")
    assert run(accelerate(plain, types=types), look) == expected
    assert alone(server, lambda client: arun(accelerate(client, types=types), look)) == expected


@pytest.mark.parametrize("types", ["ssift", "openai"])
def test_all_ways_to_a_stream(server, plain, types):
    fast = accelerate(plain, types=types)
    server.pieces = [LOGPROBS]
    look = view(types)
    expected = run(plain, look)
    # Closed at once: a stream that is left to the garbage collector can have httpcore wait for its own lock.
    with plain.chat.completions.create(**REQUEST, stream=True) as stream:
        kind = ssift.Chunk if types == "ssift" else type(next(iter(stream)))

    def check(stream: Any) -> None:
        found = list(stream)
        assert [look(chunk) for chunk in found] == expected
        assert {type(chunk) for chunk in found} == {kind}

    check(fast.chat.completions.create(**REQUEST, stream=True))
    check(fast.with_options(timeout=5).chat.completions.create(**REQUEST, stream=True))
    check(fast.copy().with_options(max_retries=1).chat.completions.create(**REQUEST, stream=True))
    check(fast.chat.completions.with_raw_response.create(**REQUEST, stream=True).parse())
    with fast.chat.completions.with_streaming_response.create(**REQUEST, stream=True) as response:
        check(response.parse())
    with fast.chat.completions.with_streaming_response.create(**REQUEST, stream=True) as response:
        assert b"".join(response.iter_bytes()) == LOGPROBS


def test_the_stream_helper(server, plain):
    events = []
    for client in (plain, accelerate(plain), accelerate(plain, types="openai")):
        server.pieces = [SOUND["tools"]]
        if not hasattr(client.chat.completions, "stream"):
            pytest.skip("this client has no stream() there")
        with client.chat.completions.stream(**REQUEST) as stream:
            found = [event.type for event in stream]
            events.append((found, stream.get_final_completion().to_dict()))
    assert events[0] == events[1] == events[2]


def test_the_plain_client_is_left_alone(server, plain):
    chat = plain.chat
    fast = accelerate(plain)
    assert isinstance(fast, openai.OpenAI)
    assert fast.chat is not chat
    assert plain.chat is chat
    assert type(plain) is openai.OpenAI
    assert fast._client is plain._client
    assert type(accelerate(fast, types="openai")).__mro__[1] is openai.OpenAI
    server.pieces = [TEXT]
    assert type(next(iter(plain.chat.completions.create(**REQUEST, stream=True)))).__name__ == "ChatCompletionChunk"


@pytest.mark.parametrize("make", ["AzureOpenAI", "AsyncAzureOpenAI"])
def test_azure_clients(server, make):
    client = getattr(openai, make)(azure_endpoint=server.url, api_version="2024-06-01", **OPTIONS)
    fast = accelerate(client)
    server.pieces = [TEXT]

    async def asynchronous() -> Any:
        async with client:
            return await arun(fast)

    if make == "AzureOpenAI":
        with client:
            found = run(fast)
    else:
        found = asyncio.run(asynchronous())
    assert len(found) == 4
    assert isinstance(fast, getattr(openai, make))


def test_connections_are_returned(server):
    """One connection serves one request after the other, also where a stream was left early and closed."""

    async def many(client: Any) -> int:
        fast = accelerate(client)
        count = 0

        async def one() -> None:
            nonlocal count
            async for _ in await fast.chat.completions.create(**REQUEST, stream=True):
                count += 1

        await asyncio.gather(*(one() for _ in range(40)))
        async with await fast.chat.completions.create(**REQUEST, stream=True) as stream:
            await stream.__anext__()
        task = asyncio.create_task(one())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        pool = fast._client._transport._pool
        assert all(connection.is_idle() or connection.is_closed() for connection in pool.connections)
        return count

    server.pieces = [TEXT[:50], TEXT[50:]]
    assert alone(server, many) == 160


def test_what_is_no_client_is_refused():
    with pytest.raises(TypeError, match="not str"):
        accelerate("client")
    with pytest.raises(ValueError, match="types='x'"):
        accelerate(openai.OpenAI(api_key="x"), types="x")

"""CPU time per chunk of live streams: the plain openai client, the accelerated one, and decoders of events.

Every reader gets the same pieces (one event each, as a server flushes them; decoders of events also 64 KiB each), and
what it reads is compared with the first reader's before its time counts. Times are CPU seconds of this process, so that
waiting costs nothing: the median of some rounds, and the median of the quotients of each round, for neighbours in time
share what else a machine does meanwhile.

``--loopback`` has a server in another process send the stream, so that the transport counts too, through the client,
the asynchronous one, and that over aiohttp; a reader that only takes the pieces from the client shows what its
transport costs by itself. The server sends as fast as it can, and a read from the socket finds many events; ``--paced``
has it wait before each, so that each comes alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import orjson
from goals import by_round

import ssift

STYLES = {"text": 0, "logprobs": 5, "wide": 20}
PIECE = 64 << 10
TRANSPORT = "the client's transport alone"
WAIT = 0.0004
"""Seconds before an event of ``--paced``."""


def stream(style: str, count: int) -> list[bytes]:
    """A stream in OpenAI's form, an event a piece."""
    pieces = []
    for number in range(count):
        word = f" w{number}"
        top = [
            {"token": f" t{rank}", "logprob": -0.5 - rank / 7, "bytes": [32, 116, 48]} for rank in range(STYLES[style])
        ]
        logprobs = {"content": [{"token": word, "logprob": -0.0012038043, "bytes": [32, 119], "top_logprobs": top}]}
        chunk = {
            "id": "chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012", "object": "chat.completion.chunk", "created": 1743181369,
            "model": "gpt-4o-2024-08-06", "service_tier": "default", "system_fingerprint": "fp_44added55e",
            "choices": [
                {"index": 0, "delta": {"content": word}, "logprobs": logprobs if top else None, "finish_reason": None}
            ],
        }  # fmt: skip
        pieces.append(b"data: %b\n\n" % json.dumps(chunk, separators=(",", ":")).encode())
    return [*pieces, b"data: [DONE]\n\n"]


def larger(pieces: list[bytes]) -> list[bytes]:
    """The same in pieces of 64 KiB, as from a proxy that keeps answers, or a file."""
    body = b"".join(pieces)
    return [body[at : at + PIECE] for at in range(0, len(body), PIECE)]


Seen = tuple[int, int, float]


def look(chunks: Any) -> Seen:
    """What a program looks at: a checksum over contents and logprobs."""
    count = size = 0
    total = 0.0
    for chunk in chunks:
        choice = chunk.choices[0]
        count += 1
        size += len(choice.delta.content)
        if choice.logprobs is not None:
            for token in choice.logprobs.content:
                total += token.logprob
    return count, size, total


async def alook(chunks: Any) -> Seen:
    """The same of an asynchronous stream."""
    count = size = 0
    total = 0.0
    async for chunk in chunks:
        choice = chunk.choices[0]
        count += 1
        size += len(choice.delta.content)
        if choice.logprobs is not None:
            for token in choice.logprobs.content:
                total += token.logprob
    return count, size, total


class _Response:
    """What a stream of the client needs of a response."""

    http_version = "HTTP/1.1"
    request: Any = None

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    def iter_bytes(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def close(self) -> None:
        pass


def chunk_readers(pieces: list[bytes]) -> dict[str, Callable[[], Any]]:
    import openai
    from openai.types.chat import ChatCompletionChunk

    from ssift.openai import accelerate
    from ssift.openai.streams import ChatStream

    plain = openai.OpenAI(api_key="x")

    def through(kind: Any, client: Any) -> Callable[[], Any]:
        return lambda: look(
            kind[ChatCompletionChunk](cast_to=ChatCompletionChunk, response=_Response(pieces), client=client)
        )

    return {
        "openai client": through(openai.Stream, plain),
        'accelerated, types="openai"': through(ChatStream, accelerate(plain, types="openai")),
        'accelerated, types="ssift"': through(ChatStream, accelerate(plain)),
        "ssift.chunks": lambda: look(ssift.chunks(pieces)),
    }


REQUEST: dict[str, Any] = {"model": "m", "messages": [], "stream": True}


def loopback_readers(url: str, at_end: ExitStack) -> dict[str, Callable[[], Any]]:
    import openai

    from ssift.openai import accelerate

    plain = at_end.enter_context(openai.OpenAI(api_key="x", base_url=url))

    def ask(client: Any) -> Callable[[], Any]:
        return lambda: look(client.chat.completions.create(**REQUEST))

    def pieces() -> None:
        with plain.chat.completions.with_streaming_response.create(**REQUEST) as response:
            for _ in response.iter_bytes():
                pass

    return {
        "OpenAI": ask(plain),
        'OpenAI accelerated, types="openai"': ask(accelerate(plain, types="openai")),
        'OpenAI accelerated, types="ssift"': ask(accelerate(plain)),
        TRANSPORT: pieces,
    }


def async_readers(url: str, over: str, at_end: ExitStack) -> dict[str, Callable[[], Any]]:
    """Readers of an asynchronous client with its usual transport, or ``over`` aiohttp."""
    import openai

    from ssift.openai import accelerate

    loop = asyncio.new_event_loop()  # a client belongs to one
    at_end.callback(loop.close)

    async def client() -> Any:
        http = {"http_client": openai.DefaultAioHttpClient()} if over else {}
        return openai.AsyncOpenAI(api_key="x", base_url=url, **http)

    try:
        plain = loop.run_until_complete(client())
    except RuntimeError as error:  # what the client says where the extra is missing
        print(f"AsyncOpenAI over {over} is left out: {error}")
        return {}
    at_end.callback(lambda: loop.run_until_complete(plain.close()))

    def ask(client: Any) -> Callable[[], Any]:
        async def read() -> Seen:
            return await alook(await client.chat.completions.create(**REQUEST))

        return lambda: loop.run_until_complete(read())

    async def pieces() -> None:
        async with plain.chat.completions.with_streaming_response.create(**REQUEST) as response:
            async for _ in response.iter_bytes():
                pass

    return {
        f"AsyncOpenAI{over}": ask(plain),
        f'AsyncOpenAI{over} accelerated, types="openai"': ask(accelerate(plain, types="openai")),
        f'AsyncOpenAI{over} accelerated, types="ssift"': ask(accelerate(plain)),
        TRANSPORT: lambda: loop.run_until_complete(pieces()),
    }


def event_readers(pieces: list[bytes]) -> dict[str, Callable[[], Any]]:
    """Decoders by themselves, without the transports that some of them come with."""
    from openai._streaming import SSEDecoder

    def sum_of(events: Any) -> tuple[int, int]:
        count = size = 0
        for event in events:
            count += 1
            size += len(event.data)
        return count, size

    readers = {
        "openai SSEDecoder": lambda: sum_of(SSEDecoder().iter_bytes(iter(pieces))),
        "ssift.events": lambda: sum_of(ssift.events(pieces)),
    }
    try:
        from httpx_sse._decoders import SSEDecoder as Decoder
        from httpx_sse._decoders import SSELineDecoder
    except ImportError:
        print("httpx-sse is not installed, or another version")
    else:

        def httpx_events() -> Iterator[Any]:
            lines, decoder = SSELineDecoder(), Decoder()
            for piece in pieces:
                for line in lines.decode(piece.decode()):
                    if (event := decoder.decode(line.rstrip("\n"))) is not None:
                        yield event

        readers["httpx-sse"] = lambda: sum_of(httpx_events())
    try:
        from httpx2._sse import _SSEParser
    except ImportError:
        print("httpx2 is not installed, or another version")
    else:

        def httpx2_events() -> Iterator[Any]:
            parser = _SSEParser()
            for piece in pieces:
                yield from parser.decode(piece.decode())

        readers["httpx2"] = lambda: sum_of(httpx2_events())
    return readers


def load_readers(pieces: list[bytes]) -> dict[str, Callable[[], Any]]:
    texts = [piece[6:-2] for piece in pieces[:-1]]

    def with_orjson() -> tuple[int, int]:
        return len(texts), sum(len(orjson.loads(text)["choices"][0]["delta"]["content"]) for text in texts)

    def with_ssift() -> tuple[int, int]:
        return len(texts), sum(len(ssift.loads(text).choices[0].delta.content or "") for text in texts)

    return {"orjson.loads and keys": with_orjson, "ssift.loads and attributes": with_ssift}


def measure(style: str, readers: dict[str, Callable[[], Any]], events: int, rounds: int) -> list[dict[str, Any]]:
    """Rows of figures: CPU time per event, and how many times less it is than the first reader's."""
    results = {name: read() for name, read in readers.items() if name != TRANSPORT}
    expected = next(iter(results.values()), None)
    for name, found in results.items():
        if found != expected:
            raise SystemExit(f"{style}: {name} reads {found}, not {expected}")
    taken: dict[str, list[float]] = {name: [] for name in readers}
    for _ in range(rounds):  # in turns, so that what else the machine does meets all of them
        for name, read in readers.items():
            start = time.process_time()
            read()
            taken[name].append((time.process_time() - start) / events * 1e6)
    first = next(iter(taken.values()), [])
    rows: list[dict[str, Any]] = []
    for name, micros in taken.items():
        micro, times = statistics.median(micros), by_round(first, micros) or 0.0
        rows.append({"style": style, "reader": name, "us_per_event": round(micro, 2), "times": round(times, 1)})
        print(f"{style:18} {name:50}{micro:9.2f} us{times:8.1f} x", flush=True)
    return rows


def _serve(pieces: list[bytes], interval: float | None, ready: Any) -> None:
    from ssift.live.recorded import Recorded
    from ssift.live.replay import ReplayServer

    response = Recorded("m", pieces, [0.0] * len(pieces), True, True)
    with ReplayServer([response], interval=interval) as server:
        ready.send(server.server_address[1])
        server.serve_forever()


def over_loopback(style: str, pieces: list[bytes], rounds: int, interval: float | None) -> list[dict[str, Any]]:
    """The same through the clients, from a server in another process."""
    here, there = multiprocessing.Pipe()
    spawn = multiprocessing.get_context("spawn")
    server = spawn.Process(target=_serve, args=(pieces, interval, there), daemon=True)
    server.start()
    url = f"http://127.0.0.1:{here.recv()}/v1"
    rows = []
    with ExitStack() as at_end:
        at_end.callback(server.terminate)
        sync = loopback_readers(url, at_end)
        for readers in (sync, async_readers(url, "", at_end), async_readers(url, ", aiohttp", at_end)):
            rows += measure(style, readers, len(pieces) - 1, rounds)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--styles", nargs="+", choices=STYLES, default=list(STYLES))
    parser.add_argument("--loopback", action="store_true", help="through clients too, from a server in another process")
    parser.add_argument("--paced", action="store_true", help="the same with a wait before each event")
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    rows = []
    for style in arguments.styles:
        pieces = stream(style, arguments.events)
        for readers in (chunk_readers(pieces), event_readers(pieces), load_readers(pieces)):
            rows += measure(style, readers, arguments.events, arguments.rounds)
        rows += measure(f"{style} 64K", event_readers(larger(pieces)), arguments.events, arguments.rounds)
        if arguments.loopback:
            rows += over_loopback(f"{style} loopback", pieces, arguments.rounds, None)
        if arguments.paced:
            rows += over_loopback(f"{style} paced", pieces, arguments.rounds, WAIT)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()

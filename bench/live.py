"""CPU time per chunk of live streams: the plain openai client, the accelerated one, and decoders of events.

Every reader gets the same pieces (one event each, as a server flushes them; decoders of events also 64 KiB each), and
what it reads is compared with the first reader's before its time counts. Times are CPU seconds of this process (the
best of some rounds), so that waiting costs nothing. ``--loopback`` has a server in another process send the stream, so
that the transport counts too: a reader that only takes the pieces from the client shows how much of a time is the
transport's, which no parser can change, and ``parsing`` is the ratio with that taken out.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from typing import Any

import orjson

import ssift

STYLES = {"text": 0, "logprobs": 5, "wide": 20}
PIECE = 64 << 10
TRANSPORT = "the client's transport alone, loopback"


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


def look(chunks: Any) -> tuple[int, int, float]:
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


def loopback_readers(url: str) -> dict[str, Callable[[], Any]]:
    import openai

    from ssift.openai import accelerate

    plain = openai.OpenAI(api_key="x", base_url=url)
    request: dict[str, Any] = {"model": "m", "messages": [], "stream": True}

    def ask(client: Any) -> Callable[[], Any]:
        return lambda: look(client.chat.completions.create(**request))

    def pieces() -> None:
        with plain.chat.completions.with_streaming_response.create(**request) as response:
            for _ in response.iter_bytes():
                pass

    return {
        "openai client, loopback": ask(plain),
        'accelerated, types="openai", loopback': ask(accelerate(plain, types="openai")),
        'accelerated, types="ssift", loopback': ask(accelerate(plain)),
        TRANSPORT: pieces,
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
    expected = next(iter(results.values()))
    for name, found in results.items():
        if found != expected:
            raise SystemExit(f"{style}: {name} reads {found}, not {expected}")
    best = dict.fromkeys(readers, float("inf"))
    for _ in range(rounds):  # in turns, so that what else the machine does meets all of them
        for name, read in readers.items():
            start = time.process_time()
            read()
            best[name] = min(best[name], (time.process_time() - start) / events * 1e6)
    floor = best.get(TRANSPORT, 0.0)
    first = next(iter(best.values()))
    rows: list[dict[str, Any]] = []
    for name, micro in best.items():
        row = {"style": style, "reader": name, "us_per_event": round(micro, 2), "times": round(first / micro, 1)}
        text = f"{style:14} {name:42}{micro:9.2f} us{first / micro:8.1f} x"
        if floor and name != TRANSPORT:
            row["parsing"] = round((first - floor) / max(micro - floor, 0.01), 1)
            text += f"{row['parsing']:8.1f} x parsing"
        rows.append(row)
        print(text, flush=True)
    return rows


def _serve(pieces: list[bytes], ready: Any) -> None:
    from ssift.live.recorded import Recorded
    from ssift.live.replay import ReplayServer

    response = Recorded("m", pieces, [0.0] * len(pieces), True, True)
    with ReplayServer([response]) as server:
        ready.send(server.server_address[1])
        server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--loopback", action="store_true")
    parser.add_argument("--json", help="write the figures to this file")
    arguments = parser.parse_args()
    rows = []
    for style in STYLES:
        pieces = stream(style, arguments.events)
        for readers in (chunk_readers(pieces), event_readers(pieces), load_readers(pieces)):
            rows += measure(style, readers, arguments.events, arguments.rounds)
        rows += measure(f"{style} 64K", event_readers(larger(pieces)), arguments.events, arguments.rounds)
        if arguments.loopback:
            here, there = multiprocessing.Pipe()
            server = multiprocessing.get_context("spawn").Process(target=_serve, args=(pieces, there), daemon=True)
            server.start()
            url = f"http://127.0.0.1:{here.recv()}/v1"
            rows += measure(style, loopback_readers(url), arguments.events, arguments.rounds)
            server.terminate()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()

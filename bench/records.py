"""Compares ssift with a walk over orjson on logs of records, which hold chunks as escaped strings: results first.

    python bench/records.py --size 50MB --styles openai text --cpu

The peer decodes each record, then each chunk in it, then gathers what ``ssift.read(..., tables=("tokens",
"top_logprobs", "choices"))`` gathers: the plain way to read such a log in Python. Both get the same bytes in memory, a
process of their own and one thread; the garbage collector is off for both. MB/s count the log's own bytes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import replay
from apart import Apart
from own import ssift_peer
from peers import compare
from readers import TABLES, Peer, walk

import ssift

DONE = "[DONE]"


@dataclass(frozen=True)
class Kind:
    """A kind of log: how responses are wrapped, where the peer finds their chunks, how ssift is told to read it."""

    wrap: Callable[[Iterator[list[str]]], bytes]
    chunks: Callable[[bytes], Iterator[tuple[int, Any]]]
    form: Any


def responses(data: bytes) -> Iterator[list[str]]:
    """The data of the events of each response of a replay log."""
    for body in data.decode().split(f"data: {DONE}\n\n")[:-1]:
        yield [event.removeprefix("data: ") for event in body.split("\n\n") if event] + [DONE]


def _lines(records: Iterator[Any]) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def _numbered(found: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    return enumerate(found)


def _aiperf(bodies: Iterator[list[str]]) -> bytes:
    def record(body: list[str]) -> dict[str, Any]:
        said = [
            {"perf_ns": 5_000_000_000 + 9_000_000 * place, "packets": [{"name": "data", "value": text}]}
            for place, text in enumerate(body)
        ]
        return {"metadata": {"x_request_id": "0f"}, "start_perf_ns": 1, "status": 200, "responses": said}

    return _lines(map(record, bodies))


def _aiperf_chunks(data: bytes) -> Iterator[tuple[int, Any]]:
    return _numbered(
        packet["value"]
        for line in data.splitlines()
        for response in orjson.loads(line)["responses"]
        for packet in response["packets"]
    )


def _inference_perf(bodies: Iterator[list[str]]) -> bytes:
    records = [
        {
            "start_time": 1.0,
            "request": "{}",
            "response": "".join(f"data: {text}\n\n" for text in body),
            "info": {
                "response_metrics": {
                    "response_chunks": body[:-1],
                    "chunk_times": [1.5 + 0.01 * place for place in range(len(body) - 1)],
                }
            },
        }
        for body in bodies
    ]
    return json.dumps(records, indent=2).encode()


def _inference_perf_chunks(data: bytes) -> Iterator[tuple[int, Any]]:
    for record in orjson.loads(data):
        for text in record["info"]["response_metrics"]["response_chunks"]:
            yield 0, text
        yield 0, DONE


def _helicone(bodies: Iterator[list[str]]) -> bytes:
    return _lines({"request_id": "r", "streamed_data": [orjson.loads(text) for text in body[:-1]]} for body in bodies)


def _helicone_chunks(data: bytes) -> Iterator[tuple[int, Any]]:
    for line in data.splitlines():
        for chunk in orjson.loads(line)["streamed_data"]:
            yield 0, chunk
        yield 0, DONE


def _rows(bodies: Iterator[list[str]]) -> bytes:
    return _lines(
        {"ts": 1_790_000_000.5 + place, "data": text}
        for place, text in enumerate(text for body in bodies for text in body)
    )


def _rows_chunks(data: bytes) -> Iterator[tuple[int, Any]]:
    return _numbered(orjson.loads(line)["data"] for line in data.splitlines())


KINDS = {
    "aiperf": Kind(_aiperf, _aiperf_chunks, None),
    "inference-perf": Kind(_inference_perf, _inference_perf_chunks, None),
    "helicone": Kind(_helicone, _helicone_chunks, None),
    "rows": Kind(_rows, _rows_chunks, ssift.Records("data", times="ts")),
}


def _loads(text: Any) -> Any:
    return text if isinstance(text, dict) else orjson.loads(text)


def _ours(name: str) -> Peer:
    return ssift_peer("ssift", TABLES, threads=1, format=KINDS[name].form)


def _peer(name: str) -> Peer:
    read = walk(_loads, KINDS[name].chunks)
    return Peer("orjson walk", lambda data: lambda: read(data))


def run(name: str, file: Path, options: argparse.Namespace) -> dict[str, float]:
    """Seconds of each reader, after their figures were found equal."""
    readers = [Apart(partial(make, name), file, 1 << 60, options.cpu) for make in (_ours, _peer)]
    found = [reader.figures(0) for reader in readers]
    compare(*found)
    seconds: list[list[float]] = [[], []]
    for _ in range(options.rounds):
        for reader, times in zip(readers, seconds, strict=True):
            times.append(reader.seconds(0))
    for reader in readers:
        reader.close()
    return dict(zip(("ssift", "orjson walk"), map(statistics.median, seconds), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--styles", nargs="+", choices=replay.STYLES, default=["openai", "text"], metavar="STYLE")
    parser.add_argument("--size", type=replay.size_of, default=50_000_000, help="of the replay log that is wrapped")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time instead of the time that passes")
    options = parser.parse_args()
    print(f"{'':<26} {'MB':>6} {'ssift MB/s':>11} {'orjson MB/s':>12} {'ssift is':>9}")
    for style in options.styles:
        log, _ = replay.make(style, options.size)
        for name in options.kinds:
            kind = KINDS[name]
            with tempfile.NamedTemporaryFile() as file:
                size = file.write(kind.wrap(responses(log))) / 1e6
                file.flush()
                found = run(name, Path(file.name), options)
            ratio = found["orjson walk"] / found["ssift"]
            speeds = f"{size / found['ssift']:11.0f} {size / found['orjson walk']:12.0f} {ratio:8.1f}x"
            print(f"{name + ', ' + style:<26} {size:6.0f} {speeds}", flush=True)


if __name__ == "__main__":
    main()

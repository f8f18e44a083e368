"""Bodies wrapped in each container, and tables to compare."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import ssift
from ssift.contract import TABLES
from tests.need import need_module

TIME = "2026-03-01T10:00:{second:02}.{part:09}Z"
START = 1_772_359_200_000_000_000
"""Nanoseconds of 2026-03-01T10:00:00Z."""


def stamp(place: int) -> str:
    """An ISO time, 5 ms further with each place."""
    ns = place * 5_000_000
    return TIME.format(second=ns // 10**9 % 60, part=ns % 10**9)


def events(body: bytes) -> list[str]:
    """The data of a body that has one data line an event."""
    return [event.removeprefix("data: ") for event in body.decode().split("\n\n") if event]


def jsonl(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def har(*bodies: bytes, **content: Any) -> bytes:
    entries = [
        {"response": {"content": {"mimeType": "text/event-stream", "text": body.decode(), **content}}}
        for body in bodies
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}).encode()


def har_base64(*bodies: bytes) -> bytes:
    entries = [
        {"response": {"content": {"mimeType": "x", "encoding": "base64", "text": base64.b64encode(body).decode()}}}
        for body in bodies
    ]
    return json.dumps({"log": {"entries": entries}}, indent=1).encode()


def vcr_json(*bodies: bytes) -> bytes:
    return json.dumps({"version": 1, "interactions": [_interaction(body.decode()) for body in bodies]}).encode()


def vcr_yaml(*bodies: bytes) -> bytes:
    yaml = need_module("yaml")

    text: str = yaml.dump({"interactions": [_interaction(body.decode()) for body in bodies], "version": 1})
    return text.encode()


def _interaction(body: Any) -> dict[str, Any]:
    headers = {"Content-Type": ["text/event-stream; charset=utf-8"]}
    return {"request": {"method": "POST"}, "response": {"body": {"string": body}, "headers": headers}}


def mitmproxy(*bodies: bytes) -> bytes:
    import io

    need_module("mitmproxy")
    from mitmproxy.io import FlowWriter
    from mitmproxy.test import tflow

    file = io.BytesIO()
    writer = FlowWriter(file)
    for body in bodies:
        flow = tflow.tflow(resp=True)
        flow.response.content = body
        flow.response.headers["content-type"] = "text/event-stream"
        writer.add(flow)
    return file.getvalue()


def docker(body: bytes) -> bytes:
    records = []
    for place, line in enumerate(body.decode().splitlines(keepends=True)):
        parts = [line[at : at + 400] for at in range(0, len(line), 400)]  # as Docker does at 16 KB
        records += [{"log": part, "stream": "stdout", "time": stamp(place)} for part in parts]
    return jsonl(*records)


def cri(body: bytes) -> bytes:
    out = []
    for place, line in enumerate(body.decode().splitlines()):
        cut = len(line) // 2
        if cut:
            out.append(f"{stamp(place)} stdout P {line[:cut]}")
        out.append(f"{stamp(place)} stdout F {line[cut:]}")
    return "\n".join(out).encode() + b"\n"


def timestamped(body: bytes) -> bytes:
    lines = body.decode().splitlines()
    return "".join(f"[{stamp(place)}] {line}\n" for place, line in enumerate(lines)).encode()


def aiperf(*bodies: bytes) -> bytes:
    def response(place: int, data: str) -> dict[str, Any]:
        return {"perf_ns": START + 5_000_000 * place, "packets": [{"name": "data", "value": data}]}

    return jsonl(
        *[
            {"metadata": {}, "status": 200, "responses": [response(*found) for found in enumerate(events(body))]}
            for body in bodies
        ]
    )


def inference_perf(*bodies: bytes) -> bytes:
    def record(body: bytes) -> dict[str, Any]:
        chunks = events(body)
        times = [5.0 + 0.5 * place for place in range(len(chunks))]
        metrics = {"response_chunks": chunks, "chunk_times": times}
        info = {"response_metrics": metrics}
        return {"start_time": 1.5, "request": "{}", "response": body.decode(), "info": info}

    return json.dumps([record(body) for body in bodies], indent=2).encode()


def helicone(*bodies: bytes) -> bytes:
    return jsonl(*[{"request_id": "r", "streamed_data": body.decode()} for body in bodies])


def rows(body: bytes) -> bytes:
    return jsonl(*[{"at_ms": 1000 + place, "event": {"data": data}} for place, data in enumerate(events(body))])


@dataclass(frozen=True)
class Wrapping:
    """A container around one body. ``exact``: the body comes out byte for byte."""

    wrap: Callable[..., bytes]
    exact: bool = True
    timed: bool = False
    form: Any = None


WRAPPINGS = {
    "har": Wrapping(har),
    "har, base64": Wrapping(har_base64),
    "vcr, json": Wrapping(vcr_json),
    "vcr, yaml": Wrapping(vcr_yaml),
    "mitmproxy": Wrapping(mitmproxy),
    "docker": Wrapping(docker, timed=True),
    "cri": Wrapping(cri, timed=True),
    "timestamped": Wrapping(timestamped, timed=True),
    "helicone": Wrapping(helicone),
    "aiperf": Wrapping(aiperf, exact=False, timed=True),
    "inference-perf": Wrapping(inference_perf, timed=True),
    "rows": Wrapping(rows, exact=False, timed=True, form=ssift.Records("event.data", times="at_ms")),
}


def wrapped(*names: str) -> list[Any]:
    """Names of wrappings or formats as parameters; flows of mitmproxy are tested apart, where their library is."""
    return [pytest.param(name, marks=pytest.mark.mitmproxy if name == "mitmproxy" else ()) for name in names]


_OF_CONTAINERS = {"source", "arrival_ns", "started_ns", "ended_ns", "requested_ns"}
_PLACES = {"offset", "length", "line"}


def tables(log: ssift.Log, exact: bool) -> dict[str, list[str]]:
    """All rows but for what a container changes; ``exact``: places in the body are the same."""
    left_out = _OF_CONTAINERS if exact else _OF_CONTAINERS | _PLACES
    return {
        table: [repr({name: cell for name, cell in row.items() if name not in left_out}) for row in log[table].rows()]
        for table in TABLES
    }


def bodies_of(log: ssift.Log) -> list[ssift.SourceInfo]:
    return [source for source in log.sources if source.framing != "container"]


def container_of(log: ssift.Log) -> ssift.SourceInfo:
    (found,) = [source for source in log.sources if source.framing == "container"]
    return found

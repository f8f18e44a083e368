"""The responses of a log as they were sent: the recorded bytes of each event, and the waits between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ssift.errors import SsiftError
from ssift.log import Log
from ssift.reading import read
from ssift.sources import Readable
from ssift.unwrapping import bodies

TABLES = ("responses", "chunks")
LONGEST_WAIT = 3600.0
"""Seconds before an event, whatever was recorded."""


@dataclass(frozen=True)
class Recorded:
    """A response: its events with the seconds to wait before each (0 where that is not known)."""

    model: str
    events: Sequence[bytes]
    waits: Sequence[float]
    whole: bool
    """False where the recording broke off."""
    streamed: bool


def recorded(source: Readable, **reading: Any) -> list[Recorded]:
    """The responses of a log, in order; ``reading`` are arguments of ``ssift.read``.

    Raises:
        SsiftError: there is none.
    """
    log = read(source, tables=TABLES, **reading)
    sent = dict(bodies(source, format=reading.get("format")))
    framings = {found.name: found.framing for found in log.sources}
    found = list(_responses(log, sent, framings))
    if not found:
        raise SsiftError("there is no response in the log that could be sent again")
    return found


def _responses(log: Log, sent: dict[str, bytes], framings: dict[str, str]) -> Iterator[Recorded]:
    chunks: dict[int, list[dict[str, Any]]] = {}
    for number in range(len(log.chunks)):
        row = log.chunks.row(number)
        chunks.setdefault(row["response"], []).append(row)
    for number in range(len(log.responses)):
        row = log.responses.row(number)
        body = sent[row["source"]]
        framing = framings.get(row["source"], "sse")
        events = [_event(body, one["offset"], one["length"], framing) for one in chunks.get(row["response"], ())]
        times = [one["arrival_ns"] for one in chunks.get(row["response"], ())]
        end = row["offset"] + row["length"]
        said = max((one["offset"] + one["length"] for one in chunks.get(row["response"], ())), default=row["offset"])
        if row["done"] and row["status"] != "errored":
            events.append(b"data: [DONE]\n\n")
        elif row["status"] == "errored" and said < end:
            events.append(_event(body, said, end - said, framing))
        times += [row["ended_ns"]] * (len(events) - len(times))
        whole = row["status"] != "truncated"
        yield Recorded(row["model"], events, _waits(row["started_ns"], times), whole, framing != "json")


def _event(body: bytes, offset: int, length: int, framing: str) -> bytes:
    text = body[offset : offset + length].strip(b"\r\n")
    if framing == "json":
        return text
    return b"data: %b\n\n" % text if framing == "jsonl" else text + b"\n\n"


def _waits(start: int | None, times: Sequence[int | None]) -> list[float]:
    waits = []
    before = start
    for at in times:
        wait = (at - before) / 1e9 if at is not None and before is not None else 0.0
        waits.append(min(max(0.0, wait), LONGEST_WAIT))
        before = before if at is None else at
    return waits

"""Docker's json-file logs: ``{"log": "a line\\n", "stream": "stdout", "time": "..."}``, one a line.

Docker cuts lines at 16 KB: only the last part of a line ends in a line end. Each stream is a body, called by its name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import orjson

from ssift.contract import M_RECORD
from ssift.sources.containers.body import Item, Pieces
from ssift.sources.containers.lined import Line, Lined
from ssift.sources.containers.texts import utf8
from ssift.sources.containers.times import from_iso

_HEAD = re.compile(rb'\A\s*\{\s*(?:"(?:stream|time|attrs)"[^\n]*)?"log"\s*:\s*"[^\n]*\n?')
_OTHER = re.compile(rb'"(?:stream|time)"\s*:\s*"')


def is_docker(head: bytes) -> bool:
    """A first line that is an object with ``log``, and ``stream`` or ``time``."""
    match = _HEAD.match(head)
    return match is not None and _OTHER.search(match[0]) is not None


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies, by stream."""
    return Lined(_parse, M_RECORD, "stdout", whole=True).read(pieces)


def _parse(line: bytes) -> Line | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            return None
    if not isinstance(record, dict) or not isinstance(record.get("log"), str):
        return None
    stream, time = record.get("stream"), record.get("time")
    return Line(
        stream if isinstance(stream, str) and stream else "stdout",
        from_iso(time) if isinstance(time, str) else None,
        utf8(record["log"]),
    )

"""Lines behind a timestamp: ``[2026-03-01 10:00:00.123] data: {...}``, as loggers write them.

The time is ISO 8601 in its common forms or seconds or milliseconds since 1970, in brackets or not, perhaps with a bar,
a dash, or a colon close behind it (a colon after a blank begins a comment of the stream). What follows is a line of an
event stream, or one of JSON lines. A line without a time (a blank one, mostly) stays as it is and has the time of the
line before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ssift.contract import M_RECORD
from ssift.sources.containers.body import Item, Pieces
from ssift.sources.containers.lined import Line, Lined
from ssift.sources.containers.times import ISO, nanoseconds

_TIME = ISO.encode() + rb"|\d{9,19}(?:\.\d{1,12})?"
_PREFIX = re.compile(
    rb"[ \t]*(?:\[(" + _TIME + rb")\]|(" + _TIME + rb")(?=[ \t:|]|\r?\Z))(?::(?=[ \t])|[ \t]*[|-](?=[ \t]))?[ \t]?"
)
_FIELD = re.compile(rb"(?:data|event|id|retry|error)?[ \t]*:|\{")
_LINES = 20


def is_timestamped(head: bytes) -> bool:
    """Of the first lines that are not blank, the first or most are a time and a field or an object behind it."""
    lines = [line for line in head.split(b"\n")[: 3 * _LINES] if line.strip()][:_LINES]
    found = [_matches(line) for line in lines]
    return any(found) and (found[0] or 2 * sum(found) > len(found)) and (b"data" in head or b'"choices"' in head)


def _matches(line: bytes) -> bool:
    match = _PREFIX.match(line)
    return match is not None and (_FIELD.match(line, match.end()) is not None or not line[match.end() :].strip())


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """One body, under the name of the log itself."""
    last: int | None = None

    def parse(line: bytes) -> Line:
        nonlocal last
        match = _PREFIX.match(line)
        if match is None:
            return Line("", last, line + b"\n")
        last = nanoseconds((match[1] or match[2]).decode())
        return Line("", last, line[match.end() :] + b"\n")

    return Lined(parse, M_RECORD, "", whole=False).read(pieces)

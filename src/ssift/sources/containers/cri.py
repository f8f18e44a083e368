"""Logs of Kubernetes' containers (CRI): ``2016-10-06T00:17:09.669794202Z stdout F a line``.

``P`` marks a part of a line, ``F`` its end. Each stream is a body, called by its name. In a log that was saved with
CRLF the CR belongs to the line end: it stays at the end of a line, and is no part of a part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ssift.contract import M_RECORD
from ssift.sources.containers.body import Item, Pieces
from ssift.sources.containers.lined import Line, Lined
from ssift.sources.containers.times import from_iso

_LINE = re.compile(rb"(\d{4}-\d\d-\d\dT[\d:.+Z-]+) (stdout|stderr) ([PF])(?::\S*)?(?: (.*))?", re.DOTALL)


def is_cri(head: bytes) -> bool:
    """A first line of that form."""
    first = head.lstrip().split(b"\n", 1)[0]
    return _LINE.match(first) is not None


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies, by stream."""
    return Lined(_parse, M_RECORD, "stdout", whole=False).read(pieces)


def _parse(line: bytes) -> Line | None:
    end = b"\r" if line.endswith(b"\r") else b""
    match = _LINE.fullmatch(line, 0, len(line) - len(end))
    if match is None:
        return None
    time, stream, tag, text = match.groups()
    return Line(stream.decode(), from_iso(time.decode()), (text or b"") + (end + b"\n" if tag == b"F" else b""))

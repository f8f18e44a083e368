"""Recordings of live streams by ``ssift.record``: one piece a line, as it arrived, with its time.

``{"ssift": 1, "stream": NAME, "at_ns": T, "text": ...}``, with ``"requested_ns": T`` in the first line of a stream of
which it is known when it was asked for, or ``"base64"`` in place of ``text`` where a piece is not
UTF-8 by itself (a character may be cut between two pieces), or ``"end": true`` when the stream ran out. The pieces of a
stream, put together, are its body, to the byte.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator

from ssift.contract import M_RECORD
from ssift.python.json_text import INT_MAX, INT_MIN
from ssift.sources.containers.body import Item, Pieces
from ssift.sources.containers.lined import Line, Lined

VERSION = 1
_HEAD = re.compile(rb'\A\s*\{"ssift": ?1, ?"stream": ?"')


def is_recording(head: bytes) -> bool:
    """The first line names ssift and a stream."""
    return _HEAD.match(head) is not None


def record_line(stream: str, at_ns: int, piece: bytes | None, requested_ns: int | None = None) -> bytes:
    """The line for a piece; None is the end of the stream."""
    record: dict[str, object] = {"ssift": VERSION, "stream": stream, "at_ns": at_ns}
    if requested_ns is not None:
        record["requested_ns"] = requested_ns
    if piece is None:
        record["end"] = True
    else:
        try:
            record["text"] = piece.decode()
        except UnicodeDecodeError:
            record["base64"] = base64.b64encode(piece).decode()
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """One body a stream, called by its name."""
    return Lined(_line, M_RECORD, "", whole=True).read(pieces)


def _line(line: bytes) -> Line | None:
    try:
        record = json.loads(line)
        stream, at_ns = record["stream"], record["at_ns"]
        text = base64.b64decode(record["base64"]) if "base64" in record else record.get("text", "").encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, binascii.Error):
        return None
    requested = record.get("requested_ns")
    if type(stream) is not str or not _is_time(at_ns):
        return None
    return Line(stream, at_ns, text, requested if _is_time(requested) else None)


def _is_time(value: object) -> bool:
    """Whether a column of nanoseconds has room for it."""
    return type(value) is int and INT_MIN <= value <= INT_MAX

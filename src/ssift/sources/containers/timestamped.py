"""Lines behind a timestamp: ``[2026-03-01 10:00:00.123] data: {...}``, as loggers write them.

The time is ISO 8601 in its common forms or seconds or milliseconds since 1970, in brackets or not, perhaps with a bar,
a dash, or a colon close behind it (a colon after a blank begins a comment of the stream). What follows is a line of an
event stream, or one of JSON lines; a few words may stand before it (``[INFO] packet: {...}``). An object may be laid
out over lines: its first one has the time, its last one is the brace that ends it, at the beginning of the line. Any
other line without a time (a blank one, mostly) stays as it is and has the time of the line before.
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
_WORDS = re.compile(rb"[^{}\n]{1,100}?(?=\{|data: )")
_GOES_ON = (b"{", b"[", b",")  # at the end of the first line of an object
_LINES = 20


def is_timestamped(head: bytes) -> bool:
    """Of the first lines that are not blank, the first or most are a time and a field or an object behind it."""
    has_choices = b'"choices"' in head
    lines = [line for line in head.split(b"\n")[: 3 * _LINES] if line.strip()][:_LINES]
    found = [_matches(line, has_choices) for line in lines]
    return any(found) and (found[0] or 2 * sum(found) > len(found)) and (b"data" in head or has_choices)


def _matches(line: bytes, with_words: bool) -> bool:
    match = _PREFIX.match(line)
    if match is None:
        return False
    rest = line[match.end() :]
    return not rest.strip() or _FIELD.match(rest) is not None or (with_words and _WORDS.match(rest) is not None)


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """One body, under the name of the log itself."""
    last: int | None = None
    is_open = False  # an object is, and goes on in the next line

    def parse(line: bytes) -> Line:
        nonlocal last, is_open
        match = _PREFIX.match(line)
        if match is None and is_open:
            is_open = not line.startswith(b"}")
            return Line("", last, line.rstrip(b"\r") + (b" " if is_open else b"\n"))
        if match is None:
            return Line("", last, line + b"\n")
        last = nanoseconds((match[1] or match[2]).decode())
        text = _without_words(line[match.end() :])
        torn, is_open = is_open, text.startswith(b"{") and text.rstrip().endswith(_GOES_ON)
        return Line("", last, b"\n" * torn + (text.rstrip(b"\r") + b" " if is_open else text + b"\n"))

    return Lined(parse, M_RECORD, "", whole=False).read(pieces)


def _without_words(text: bytes) -> bytes:
    """What follows the words before an object or a ``data`` line."""
    words = None if _FIELD.match(text) else _WORDS.match(text)
    return text if words is None else text[words.end() :]

"""Recorded exchanges: what HAR files, cassettes and flows have in common, an answer with a type and a body."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence

from ssift.contract import M_BODY, M_BODY_BYTES, M_CHARSET, M_NOT_RECORDED
from ssift.sources.compression import HEAD, Decompressed, recognised
from ssift.sources.containers.body import Fault, Item, Left, Mark, Piece, body_of, is_stream
from ssift.sources.containers.texts import repaired, utf8

_EVENT_STREAM = re.compile(r"\s*text/event-stream\b", re.IGNORECASE)
_BLANKS = re.compile(r"[ \t\r\n]+")
_LARGEST = 1 << 30  # bytes that a compressed body may expand to: it is held whole


class BadBody(ValueError):
    """A body that is not what its entry says, or too much of it.

    Attributes:
        message: number of the message that says so.
    """

    message = M_BODY


def from_base64(text: str) -> bytes:
    """The bytes of base64.

    Raises:
        BadBody: it is not valid.
    """
    try:
        return base64.b64decode(_BLANKS.sub("", text), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadBody from error


def inflated(data: bytes) -> bytes:
    """A body that was recorded as it was sent, compressed with gzip.

    Raises:
        BadBody: it is damaged, or expands to more than a gigabyte.
    """
    compression = recognised(data[:HEAD])
    if compression is None or compression.name != "gzip":
        return data
    members = Decompressed(iter([memoryview(data)]), compression, max_ratio=_LARGEST)
    body = bytearray()
    for piece in members:
        body += piece
        if len(body) > _LARGEST:
            bad = BadBody()
            bad.message = M_BODY_BYTES
            raise bad
    if members.damaged or members.trailing:
        raise BadBody
    return bytes(body)


def answer(
    number: int,
    body: bytes | str,
    content_type: str,
    place: Fault,
    marks: Sequence[Mark] = (),
    requested: int | None = None,
) -> Iterator[Item]:
    """The body of entry ``number``; ``place`` is where the entry stands, should there be a problem."""
    if isinstance(body, str):
        body, damaged = repaired(body, content_type)
        if damaged:
            yield at(place, M_CHARSET, "encoding")
        data = utf8(body)
    else:
        try:
            data = inflated(body)
        except BadBody as bad:
            yield at(place, bad.message)
            return
    if not data.strip():
        yield at(place, M_NOT_RECORDED) if _EVENT_STREAM.match(content_type) else Left()
    elif _EVENT_STREAM.match(content_type) or is_stream(data):
        found = body_of(str(number), data, (), requested)
        found.pieces = (Piece(data, marks),)
        yield found
    else:
        yield Left()


def at(place: Fault, message: int, kind: str = "container") -> Fault:
    """A problem of an entry."""
    return Fault(message, place.offset, place.length, place.line, kind)

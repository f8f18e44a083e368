"""HAR 1.2: what browsers and proxies save. A file is held whole.

A body is ``log.entries[].response.content``: ``text``, in base64 where ``encoding`` says so. Arrival times are in
``_eventSourceMessages``, which browsers add for what a page read through EventSource; where the text was not
kept, the messages are the body. ``startedDateTime`` is when it was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ssift.contract import M_BODY, M_MEMBERS
from ssift.sources.containers.body import Item, Mark, Pieces, whole
from ssift.sources.containers.exchanges import BadBody, answer, from_base64
from ssift.sources.containers.exchanges import at as problem_at
from ssift.sources.containers.listed import Entries, at
from ssift.sources.containers.records import marks_in, message_lines
from ssift.sources.containers.texts import repaired
from ssift.sources.containers.times import SECOND, nanoseconds

_HEAD = re.compile(rb'\A\s*\{\s*"log"\s*:\s*\{')


def is_har(head: bytes) -> bool:
    """An object that begins with ``log``, an object."""
    return _HEAD.match(head) is not None


def read(pieces: Pieces, name: str) -> Iterator[Item]:
    """The bodies of all entries; the number of an entry counts from 1."""
    data = whole(pieces)
    if not data.strip():
        return
    for number, (entry, place) in enumerate(Entries(data, "entries"), 1):
        if entry is None:
            yield place
            continue
        content = at(entry, "response", "content")
        if not isinstance(content, dict):
            yield problem_at(place, M_MEMBERS)
            continue
        kind = content.get("mimeType")
        kind = kind if isinstance(kind, str) else ""
        try:
            body = _body(content, kind)
        except BadBody:
            yield problem_at(place, M_BODY)
            continue
        text, marks = _timed(body, _messages(entry))
        yield from answer(number, text, kind, place, marks, nanoseconds(at(entry, "startedDateTime")))


def _body(content: dict[str, Any], kind: str) -> bytes | str:
    text = content.get("text")
    if not isinstance(text, str):
        return ""
    return from_base64(text) if content.get("encoding") == "base64" else repaired(text, kind)[0]


def _messages(entry: Any) -> list[Any]:
    for place in (entry, at(entry, "response"), at(entry, "response", "content")):
        found = at(place, "_eventSourceMessages")
        if isinstance(found, list) and found:
            return found
    return []


def _timed(body: bytes | str, messages: list[Any]) -> tuple[bytes | str, list[Mark]]:
    """The body with the times of its messages; made of the messages when it was not kept."""
    said = [message for message in messages if isinstance(at(message, "data"), str)]
    times = [nanoseconds(message.get("time"), SECOND) for message in said]
    if not said:
        return body, []
    if body:
        text = body if isinstance(body, str) else body.decode("utf-8", "surrogateescape")
        lines = [message["data"].replace("\n", "\ndata: ") for message in said]
        return body, marks_in(text, list(zip(lines, times, strict=True)))
    out = bytearray()
    marks: list[Mark] = []
    for message, ns in zip(said, times, strict=True):
        marks.append((len(out), ns))
        for key, field in (("eventName", "event"), ("eventId", "id")):
            value = message.get(key)
            if isinstance(value, str) and value and value != "message":
                out += message_lines(field, value)
        out += message_lines("data", message["data"]) + b"\n"
    return bytes(out), marks

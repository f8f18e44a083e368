"""Container formats: each has a step that knows its files by their head, and one that finds the bodies in them.

``FORMATS`` is the registry; ``detect`` asks in its order. A body is a source by itself, called ``file#3``: what stands
behind ``#`` is the number of its entry in the container, from 1 and counting all, or the name it has there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from ssift.sources.containers import cri, docker, har, mitmproxy, presets, recording, timestamped, vcr
from ssift.sources.containers.body import (
    Body,
    Fault,
    Item,
    Left,
    Piece,
    Pieces,
    Run,
    Text,
    begins_line,
    count_lines,
    first_line,
    in_comment,
    is_chunk,
)
from ssift.sources.containers.contents import contents
from ssift.sources.containers.records import RecordFormat, Records, record_format
from ssift.sources.framing import FIRST_WINDOW, begins_no_container, framing, has_data_line

__all__ = [
    "FORMATS",
    "Body",
    "Fault",
    "Format",
    "Item",
    "Left",
    "Piece",
    "Records",
    "Run",
    "Text",
    "begins_line",
    "contents",
    "count_lines",
    "detect",
    "in_comment",
    "likeness",
    "named",
]

Read: TypeAlias = Callable[[Pieces, str], Iterator[Item]]


class Format(NamedTuple):
    """``detect`` tells from the first 64 KiB, ``read`` takes all pieces and the name of the file."""

    name: str
    detect: Callable[[bytes], bool]
    read: Read


def _records(make: Callable[[], RecordFormat]) -> Read:
    return lambda pieces, name: make().read(pieces)


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("mitmproxy", mitmproxy.is_mitmproxy, mitmproxy.read),
        Format("recording", recording.is_recording, recording.read),
        Format("cri", cri.is_cri, cri.read),
        Format("timestamped", timestamped.is_timestamped, timestamped.read),
        Format("har", har.is_har, har.read),
        Format("vcr", vcr.is_vcr, vcr.read),
        Format("docker", docker.is_docker, docker.read),
        Format("aiperf", presets.is_aiperf, _records(presets.aiperf)),
        Format("inference-perf", presets.is_inference_perf, _records(presets.inference_perf)),
        Format("helicone", presets.is_helicone, _records(presets.helicone)),
        Format("batch", presets.is_batch, _records(presets.batch)),
    )
}


def detect(head: bytes) -> Format | None:
    """The format of a container that begins with ``head``; None when it is none."""
    if begins_no_container(head):
        return None
    if mitmproxy.is_mitmproxy(head):
        return FORMATS["mitmproxy"]
    if has_data_line(head):  # never in the others: they have something before it, or line ends as escapes
        return None
    return next((form for form in FORMATS.values() if form.detect(head)), None)


def likeness(head: bytes) -> str | None:
    """What a source that begins with ``head`` looks like, of ``ssift.contract.FORMATS``; None where nothing tells."""
    found = detect(head)
    if found is not None:
        return found.name
    if has_data_line(head):
        return "sse"
    plain = framing(head, len(head) < FIRST_WINDOW)
    return plain if plain in ("jsonl", "json") and is_chunk(head if plain == "json" else first_line(head)) else None


def named(form: str | Records) -> Format | None:
    """The format asked for; None for one that is no container.

    Raises:
        ValueError: there is none of this name.
    """
    if isinstance(form, Records):
        return Format("records", lambda head: False, _records(lambda: record_format(form)))
    if form in ("sse", "jsonl", "json"):
        return None
    if form == "records":
        raise ValueError('format="records": say where the chunks are, format=ssift.Records("a[].b")')
    if form not in FORMATS:
        raise ValueError(f"format={form!r}: use one of sse, jsonl, json, {', '.join(FORMATS)}, or ssift.Records(...)")
    return FORMATS[form]

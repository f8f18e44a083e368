"""Logs of records that tools write, told by the head of the log."""

from __future__ import annotations

import re

from ssift.contract import RecordShape
from ssift.sources.containers.records import RecordFormat
from ssift.sources.containers.spans import parse
from ssift.sources.containers.times import SECOND

_AIPERF = re.compile(rb'"responses"\s*:\s*\[\s*\{\s*"perf_ns"\s*:')
_INFERENCE_PERF = re.compile(rb'\A\s*\[\s*\{\s*"start_time"\s*:')
_HELICONE = re.compile(rb'"streamed_data"\s*:')
_BATCH = re.compile(rb'\A\s*\{[^\n]*"custom_id"\s*:')
_BODY = re.compile(rb'"response"\s*:')


def is_aiperf(head: bytes) -> bool:
    """Raw records of aiperf: ``responses`` that begin with ``perf_ns``."""
    return head.lstrip()[:1] in (b"{", b"[") and _AIPERF.search(head) is not None


def aiperf() -> RecordFormat:
    """``profile_export_raw.jsonl``: one request a line, its packets as strings, times of a perf counter."""
    times, start = parse("responses[].perf_ns"), parse("start_perf_ns")
    return RecordFormat(
        [
            RecordShape(
                parse("responses[].packets[].value"), times, parse("responses[].packets[].name"), request=start, unit=1
            ),
            RecordShape(parse("responses[].text"), times, request=start, unit=1),
        ]
    )


def is_inference_perf(head: bytes) -> bool:
    """A list of objects that begin with ``start_time``, with a ``request`` and a ``response``."""
    return _INFERENCE_PERF.search(head) is not None and b'"request"' in head


def inference_perf() -> RecordFormat:
    """``per_request_lifecycle_metrics.json``: one list; whole bodies, with the times of some of their chunks."""
    shapes = []
    start = parse("start_time")
    for place in ("info.response_metrics.", "info."):
        chunks, times = parse(f"{place}response_chunks[]"), parse(f"{place}chunk_times[]")
        shapes.append(RecordShape(chunks, times, text=parse("response"), request=start, unit=SECOND))
        shapes.append(RecordShape(chunks, times, request=start, unit=SECOND))
    return RecordFormat(shapes)


def is_helicone(head: bytes) -> bool:
    """Records with ``streamed_data``."""
    return head.lstrip()[:1] in (b"{", b"[") and _HELICONE.search(head) is not None


def helicone() -> RecordFormat:
    """Exports of Helicone: ``streamed_data`` is a list of chunks, or text; in a response or at the top."""
    places = ("", "response_body.", "response.", "response.body.", "responseBody.", "body.")
    return RecordFormat([RecordShape(parse(f"{place}streamed_data[]")) for place in places])


def is_batch(head: bytes) -> bool:
    """Lines with ``custom_id`` and ``response``."""
    return _BATCH.search(head) is not None and _BODY.search(head) is not None


def batch() -> RecordFormat:
    """Output of the Batch API: a whole completion a line, in ``response.body``."""
    return RecordFormat([RecordShape(parse("response.body[]"))])

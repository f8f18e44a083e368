"""Bytes to events: line ends, comments, joined lines, other framings, small pieces; the JSON is always the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from layers.conftest import Timed
from layers.reading import SIZES, log_of, new_engine, read, repeated

from ssift.sources.source import WINDOW


def chunk(number: int) -> bytes:
    """A short chunk; it may be cut in two lines at its first comma."""
    return b'{"id":"a","choices":[{"index":0,"delta":{"content":" word%d"}}]}' % number


@dataclass(frozen=True)
class Framed:
    """A way to put chunks into a log."""

    of: Callable[[list[bytes], int], bytes]
    framing: str = "sse"
    step: int = WINDOW


WAYS = {
    "lf": Framed(log_of),
    "crlf": Framed(lambda chunks, times: log_of(chunks, times).replace(b"\n", b"\r\n")),
    "cr": Framed(lambda chunks, times: log_of(chunks, times).replace(b"\n", b"\r")),
    "keep_alives": Framed(lambda chunks, times: b"".join(b": ping\n\ndata: %b\n\n" % one for one in chunks) * times),
    "named_events": Framed(
        lambda chunks, times: b"".join(b"event: message\nid: 7\ndata: %b\n\n" % one for one in chunks) * times
    ),
    "two_data_lines": Framed(
        lambda chunks, times: b"".join(b"data: %b\n\n" % one.replace(b",", b",\ndata: ", 1) for one in chunks) * times
    ),
    "no_blank_lines": Framed(lambda chunks, times: b"".join(b"data: %b\n" % one for one in chunks) * times),
    "json_lines": Framed(lambda chunks, times: b"".join(b"%b\n" % one for one in chunks) * times, framing="jsonl"),
    "pieces_of_1_kib": Framed(log_of, step=1 << 10),
}


@pytest.mark.parametrize("way", WAYS)
def test_framing(engine: str, way: str, timed: Timed) -> None:
    framed = WAYS[way]
    chunks, times = repeated(chunk, SIZES[engine])
    data, reader = framed.of(chunks, times), new_engine(engine)
    counts = read(reader, data, framed.framing, framed.step).counts
    assert (counts.chunks, counts.problems, counts.size) == (len(chunks) * times, 0, len(data))
    timed(len(data), lambda: read(reader, data, framed.framing, framed.step))


def test_comments_alone(engine: str, timed: Timed) -> None:
    data, reader = b": OPENROUTER PROCESSING\n\n" * (SIZES[engine] // 25), new_engine(engine)
    assert read(reader, data).counts.comments == SIZES[engine] // 25
    timed(len(data), lambda: read(reader, data))

"""Nothing is read behind the end of a piece: inputs of every length that end at a protected page."""

from __future__ import annotations

import signal
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

from ssift.contract import TABLES, SourceCounts
from tests.agreement.logs import replayed
from tests.agreement.values import STRINGS, Spelling
from tests.conftest import ENGINES
from tests.memory.pages import Guarded
from tests.need import LONG, need

LONGEST = 4096

EVENTS = b"\n\n".join(replayed("openai", 2, 0)[:40]) + b"\n\n"
SHAPES: dict[str, tuple[str, bytes]] = {
    "events": ("sse", EVENTS),
    "events of another server": ("sse", b"\n\n".join(replayed("vllm", 5, 1)[:40]) + b"\n\n"),
    "events with CR LF": ("sse", EVENTS.replace(b"\n", b"\r\n")),
    "events with CR": ("sse", EVENTS.replace(b"\n", b"\r")),
    "events without blank lines": ("sse", EVENTS.replace(b"\n\n", b"\n")),
    "JSON lines": ("jsonl", EVENTS.replace(b"data: ", b"").replace(b"\n\n", b"\n")),
    "one JSON text": ("json", EVENTS[6 : EVENTS.index(b"\n\n")]),
    "text": ("sse", b'data: {"choices":[{"delta":{"content":"' + b"word \\n\\u00e9\xc3\xa9" * 500 + b'"}}]}\n\n'),
    "digits": ("sse", b'data: {"choices":[],"x":[' + b"-0.12345678901234567," * 300 + b"1]}\n\n"),
    "brackets": ("sse", b'data: {"choices":[],"x":' + b"[" * 1000 + b"]" * 1000 + b"}\n\n" + b"data: " + b"{[" * 1500),
    "strings": ("sse", b"data: [" + b",".join(Spelling(Random(1)).text(text) for text in STRINGS * 4) + b"]\n\n"),
    "comments": ("sse", b": \xff\n" * 1000 + b":" * 100),
    "line ends": ("sse", b"\r\n\n\r\r\n" * 700),
    "other lines": ("sse", b"oops\n<html>\xe2\x80\xa8\nevent\nid:\n" * 200),
    "zeros": ("sse", b"\x00" * LONGEST),
    "bad UTF-8": ("sse", b'data: {"choices":[],"x":"' + b"\xf0\x9f\x98\xe2\x82\xed\xa0\x80" * 500 + b'"}\n\n'),
}  # fmt: skip


def native() -> Any:
    need("native" in ENGINES, "the native engine")
    from ssift._native import NativeEngine

    return NativeEngine(frozenset(TABLES))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "shape" in metafunc.fixturenames:
        metafunc.parametrize("shape", SHAPES)


@pytest.fixture(scope="module")
def pages() -> Guarded:
    return Guarded(LONGEST)


def test_the_page_is_protected() -> None:
    program = "import ctypes; from tests.memory.pages import Guarded; ctypes.string_at(Guarded(9).behind, 1)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGSEGV


def counts_of(reader: Any, framing: str, *pieces: Any) -> SourceCounts:
    reader.begin(0, framing)
    for piece in pieces:
        reader.feed(piece)
    counts: SourceCounts = reader.end()
    return counts


@pytest.mark.parametrize("end", ["the first bytes", "the last bytes"])
def test_every_length(pages: Guarded, shape: str, end: str) -> None:
    """Each is read at the page; some are compared with the same bytes elsewhere. Fewer above 256 without SSIFT_LONG=1."""
    reader = native()
    framing, data = SHAPES[shape]
    for length in (*range(257), *range(257, min(LONGEST, len(data)) + 1, 1 if LONG else 7)):
        text = data[:length] if end == "the first bytes" else data[len(data) - length :]
        counts = counts_of(reader, framing, pages.holding(text))
        if length % 16 == 0:
            assert counts == counts_of(reader, framing, text), length
            reader.take()


def test_a_line_that_begins_in_the_piece_before(pages: Guarded, shape: str) -> None:
    reader = native()
    framing, data = SHAPES[shape]
    data = data[:LONGEST]
    for cut in range(0, len(data), 1 if LONG else 29):
        guarded = counts_of(reader, framing, data[:cut], pages.holding(data[cut:]))
        assert guarded == counts_of(reader, framing, data[:cut], data[cut:]), cut
        reader.take()


def test_figures_read_no_further_than_their_columns(pages: Guarded) -> None:
    need("native" in ENGINES, "the native engine")
    from ssift._native import Figures

    figures = Figures()
    for count in range(0, LONGEST // 8 + 1, 1 if LONG else 3):
        plain = np.linspace(-30, 0, count)
        guarded = np.frombuffer(pages.holding(plain.tobytes()), np.float64)
        assert repr(figures.tally(guarded, -9999.0)) == repr(figures.tally(plain, -9999.0))
        borders = np.array([0, count])
        for one, other in zip(
            *(figures.profile(borders, column, column, column, 64, 0.1, -9999.0, -2.0) for column in (guarded, plain)),
            strict=True,
        ):
            assert np.array_equal(one, other, equal_nan=True)

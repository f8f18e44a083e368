"""What an input of the fuzzers is: four bytes of settings and a text. As ``setting_of`` in harness.pyx."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from ssift.contract import TABLES
from tests.agreement.comparing import EVERYTHING, Setting
from tests.agreement.logs import MAKERS, texts

HEADER = 4
EVENT_BYTES = (64 << 20, 1000, 300, 100, 60, 20, 5, 1)
DEPTHS = (1024, 1024, 12, 7, 5, 3, 2, 1)
OPEN_RESPONSES = (1024, 1024, 2, 1)
FRAMINGS = ("sse", "jsonl", "json", "sse")
GROUPS = ("auto", "id", "done", "auto")
RECORDS = 128
HARNESSES = ("framing", "chunk", "whole", "records", "parts", "starved")
FACES = ("engines", "sources", "live")
BEGUN_FROM = {"parts": "whole", "starved": "whole", "engines": "whole", "live": "framing"}
"""Harnesses that keep no inputs of their own with the tests, but begin with those of another."""
CORPUS = Path(__file__).parent / "corpus"


def setting_of(data: bytes) -> Setting:
    """What the first bytes of an input ask for."""
    first, tables, limits, _ = data[:HEADER]
    some = frozenset(table for number, table in enumerate(TABLES[:6]) if tables >> number & 1)
    return Setting(
        framing=FRAMINGS[first & 3],
        group=GROUPS[first >> 2 & 3],
        offset=3 if first & 32 else 0,
        tables=EVERYTHING if first & 64 or not tables & 192 else some | {"problems"},
        event_bytes=EVENT_BYTES[limits & 7],
        depth=DEPTHS[limits >> 3 & 7],
        open_responses=OPEN_RESPONSES[limits >> 6],
    )


def sources_of(data: bytes) -> list[bytes]:
    """The text as the sources it is read as."""
    text = data[HEADER:]
    half = len(text) // 2
    return [text[:half], text[half:]] if data[0] & 16 else [text]


def seeds(harness: str, count: int) -> Iterator[bytes]:
    """Small inputs to begin with: logs as the agreement tests make them."""
    for seed in range(count):
        random = Random(seed)
        kind = random.choice(list(MAKERS))
        framing = FRAMINGS.index(kind if kind in FRAMINGS else "sse")
        narrow = bytes([random.randrange(256) for _ in range(3)]) if seed % 4 == 0 else bytes([0, 0, seed & 255])
        header = bytes([framing | random.choice((0, 0, 4, 8, 16))]) + narrow
        if harness == "chunk":
            yield header + b"\n".join(texts(random, " \t"))
        elif harness == "records" or (harness == "starved" and seed % 3 == 0):
            yield bytes([header[0] | RECORDS]) + header[1:] + b"\n".join(records(random))
        else:
            yield header + MAKERS[kind](random)[:4000]


def records(random: Random) -> Iterator[bytes]:
    """Lines that the shapes of the harness find chunks in."""
    for _ in range(random.randint(1, 3)):
        found = texts(random, " \t")
        quoted = [b'"%b"' % text.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") for text in found]
        values = random.choice((found, quoted, [random.choice(pair) for pair in zip(found, quoted, strict=True)]))
        times = [b"%d" % (1754000000000000000 + number) for number in range(len(values))]
        body = b"".join(b"data: %b\n\n" % text for text in found)
        text = b'"%b"' % body.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
        yield random.choice((
            b'{"r":[' + b",".join(b'{"t":%b,"p":[{"n":"data","v":%b}]}' % pair for pair in zip(times, values, strict=True)) + b"]}",
            b'{"t":[%b],"c":[%b]}' % (b",".join(times), b",".join(values)),
            b'{"x":%b,"t":%b}' % (text, (times or [b"1"])[0]),
            b'{"c":[%b],"t":[%b],"x":%b}' % (b",".join(values), b",".join(times), text),
        ))  # fmt: skip

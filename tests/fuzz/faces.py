"""Fuzzes what is Python or made of Python's objects, guided by its coverage (atheris), both engines against each other.

    python -m tests.fuzz engines        the two engines agree on an input
    python -m tests.fuzz sources        anything read as any source: problems, never a crash
    python -m tests.fuzz live           a live stream: compiled parts and their twins, whole and cut, objects field by field

There the native engine is one with sanitizers (``building.build_extension``); ``python -m tests.fuzz.faces live ...`` takes
the one that is installed, and options of libFuzzer. Needs the package atheris.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from random import Random
from typing import Any

import atheris

with atheris.instrument_imports(include=["ssift"]):
    import ssift
    import ssift.reading
    from ssift._native import EventFeed, NativeEngine
    from ssift.live.cells import real_of
    from ssift.live.chunk import chunk_of
    from ssift.live.events import Event, PythonEventFeed
    from ssift.live.nodes import Node
    from ssift.live.parser import Reader
    from ssift.python.engine import PythonEngine

from tests.agreement.comparing import difference, read
from tests.agreement.logs import MAKERS, damage
from tests.agreement.strategies import some_cuts
from tests.fuzz.inputs import HEADER, records, setting_of, sources_of

FORMATS = (
    None,
    None,
    "sse",
    "jsonl",
    "json",
    "har",
    "vcr",
    "docker",
    "cri",
    "aiperf",
    "helicone",
    "batch",
    "inference-perf",
)


def engines(data: bytes) -> None:
    """Python = native, whole and cut."""
    setting, sources, random = setting_of(data), sources_of(data), Random(data[3])
    cuts = some_cuts(random, len(data))
    expected = read(PythonEngine, sources, setting)
    for found in (read(NativeEngine, sources, setting), read(NativeEngine, sources, setting, cuts, [0, 2])):
        differs = difference(expected, found)
        assert differs is None, differs


def sources(data: bytes) -> None:
    """Any bytes as a source of any format: what comes out is the same on both engines, and the bytes add up."""
    text = gzip.compress(data[HEADER:], mtime=0)[: -(data[3] % 40) or None] if data[2] % 8 == 0 else data[HEADER:]
    form = FORMATS[data[0] % len(FORMATS)]
    found = []
    for engine in ("python", "native"):
        try:
            log = ssift.read(
                text, engine=engine, format=form, limits=ssift.Limits(event_bytes=setting_of(data).event_bytes)
            )
            found.append([list(table.rows()) for table in (log.responses, log.choices, log.chunks, log.problems)])
        except ssift.SsiftError as error:
            found.append([[str(error)]])
    assert repr(found[0]) == repr(found[1]), f"{found[0]}\n{found[1]}"


def live(data: bytes) -> None:
    """A stream does not depend on how it came, nor on what reads it; an object shows what was sent."""
    text, random = data[HEADER:], Random(data[3])
    cuts = sorted(some_cuts(random, len(text)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    found = [events(feed, given) for feed in (EventFeed, PythonEventFeed) for given in (pieces, [text])]
    assert all(same == found[0] for same in found), found
    found = [
        chunks(compiled, given, objects=bool(data[0] & 1)) for compiled in (True, False) for given in (pieces, [text])
    ]
    assert all(same == found[0] for same in found), found


def events(feed: Any, pieces: list[bytes]) -> Any:
    reader = feed(Event)
    return [event for piece in pieces for event in reader.feed(piece)], reader.done


def chunks(compiled: bool, pieces: list[bytes], objects: bool) -> Any:
    """What a reader makes of a stream, as text."""
    reader = Reader(lambda value, data: looked_at(chunk_of(value, data)), objects=objects)
    if not compiled:
        reader._swift = None
    items = [item for piece in pieces for item in reader.feed(piece)] + reader.finish()
    return repr((items, reader.done, reader.skipped, reader.failure and reader.failure[:3]))


def looked_at(node: Node) -> dict[str, Any]:
    """Every declared field twice, objects in them too; each is the value that was sent, or a node over it."""
    shown = {}
    for name, kind in type(node)._fields.items():
        sent = node._values.get(name)
        sent = list(sent) if kind.many and type(sent) is list else sent  # filled with nodes where it stands
        value = getattr(node, name)
        again = getattr(node, name)
        if kind.inner is None:
            assert repr(value) == repr(again) == repr(real_of(sent) if kind.real and type(sent) is int else sent)
        elif kind.many and type(sent) is list:
            assert value is again
            for inner, before in zip(value, sent, strict=True):
                assert inner._values is before if type(before) is dict else inner is before
        else:
            assert value is again
            assert value._values is sent if type(sent) is dict and not kind.many else value is sent
        shown[name] = (
            [looked_at(inner) if isinstance(inner, Node) else inner for inner in value]
            if type(value) is list
            else (looked_at(value) if isinstance(value, Node) else value)
        )
    return shown


HARNESSES: dict[str, Callable[[bytes], None]] = {"engines": engines, "sources": sources, "live": live}


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """A new log now and then; else the old one, damaged as logs are, or as libFuzzer likes it."""
    random = Random(seed)
    what = random.randrange(8)
    header, text = data[:HEADER].ljust(HEADER, b"\0"), data[HEADER:]
    if what == 0:
        header, text = random.randbytes(HEADER), random.choice([*MAKERS.values()])(random)
    elif what == 1:
        text = b"\n".join(records(random))
    elif what < 6 and text:
        while text == data[HEADER:]:
            text = damage(random, text)
    else:
        return bytes(atheris.Mutate(data, len(data)))[:most]
    return (header + text)[:most]


def main() -> None:
    harness = HARNESSES[sys.argv[1]]

    def one(data: bytes) -> None:
        if len(data) >= HEADER:
            harness(data)

    atheris.Setup([sys.argv[0], *sys.argv[2:]], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""Fuzzes what is Python, guided by its coverage (atheris), and both engines against each other.

    python -m tests.fuzz.faces engines -max_total_time=600      the two engines agree on an input
    python -m tests.fuzz.faces sources -max_total_time=600      anything read as any source: problems, never a crash
    python -m tests.fuzz.faces live -max_total_time=600         a live stream is the same whole and cut

Options with one dash are libFuzzer's; folders of inputs may follow. Needs the package atheris. What it finds is written
to build/fuzz/findings.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["ssift"]):
    import ssift
    import ssift.live.parser
    import ssift.reading
    from ssift._native import NativeEngine
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
    """The chunks of a stream do not depend on how it came; an error is one of those that are documented."""
    text, random = data[HEADER:], Random(data[3])
    cuts = sorted(some_cuts(random, len(text)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    found = []
    for given in ([text], pieces):
        said: list[object] = []
        try:
            said.extend(chunk.to_dict() for chunk in ssift.chunks(given))
        except ssift.SsiftError as error:
            said.append(type(error).__name__)
        found.append(said)
    assert repr(found[0]) == repr(found[1]), f"{found[0]}\n{found[1]}"


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
    findings = Path("build/fuzz/findings")
    findings.mkdir(parents=True, exist_ok=True)

    def one(data: bytes) -> None:
        if len(data) >= HEADER:
            harness(data)

    options = [f"-artifact_prefix={findings}/{sys.argv[1]}-", "-max_len=1500", *sys.argv[2:]]
    atheris.Setup([sys.argv[0], *options], one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

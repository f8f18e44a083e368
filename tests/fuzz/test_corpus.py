"""What the fuzzers know is known to the tests: their inputs, on both engines; and what they found."""

from __future__ import annotations

from random import Random

import pytest

from tests.agreement.comparing import check, read
from tests.agreement.strategies import some_cuts
from tests.fuzz.corpora import unpack
from tests.fuzz.inputs import CORPUS, HEADER, seeds, setting_of, sources_of
from tests.fuzz.words import words
from tests.need import LONG

FINDINGS = {
    # known.pxd added 0 to a NULL pointer where a learned shape has an id that is empty: undefined in C, harmless so far
    "a shape without an id": b'\x08\x00\x00\xae{"object": "chat.completion.chunk", "created": 1754000000, "choices": [], '
    b'"usage": null, "model": "m", "system_fingerprint": "fp"}\n[DONE] ',
    # template.pxd multiplied before it looked whether there are too many digits: a signed overflow, though not used
    "a figure of 19 digits in a learned shape": b'\x10\x00\x00\xb9{"choices":[],"usage":{"prompt_tokens":12},"created":1}\n'
    b'{"choices":[],"usage":{"prompt_tokens":9223372036854775808},"created":1}\n'
    b'{"choices":[],"usage":{"prompt_tokens":9223372036854775807},"created":9999999999999999999}',
}
IN_A_TEST = 400 if LONG else 100
"""Inputs of each harness; all of them by `make fuzz`."""


def agree(data: bytes) -> None:
    from ssift._native import NativeEngine
    from ssift.python.engine import PythonEngine

    setting, sources = setting_of(data), sources_of(data)
    cuts = some_cuts(Random(data[3]), len(data))
    check(
        sources[-1],
        lambda log: read(PythonEngine, [*sources[:-1], log], setting),
        lambda log: read(NativeEngine, [*sources[:-1], log], setting, cuts, [1]),
        setting,
        shrink=False,
    )


def as_events(data: bytes) -> bytes:
    """An input of the harness for chunks as the log that it reads."""
    events = (b"data: %b\n\n" % line * 3 for line in data[HEADER:].split(b"\n"))
    return bytes([data[0] & 0xFC]) + data[1:HEADER] + b"".join(events)


@pytest.mark.usefixtures("both_engines")
@pytest.mark.parametrize("harness", ["framing", "chunk", "whole"])
def test_the_engines_agree_on_the_inputs_of_the_fuzzers(harness: str) -> None:
    kept = unpack(CORPUS / f"{harness}.zip")
    inputs = [*kept[:: max(1, len(kept) // IN_A_TEST)], *seeds(harness, 30)]
    for data in inputs:
        if len(data) >= HEADER:
            agree(as_events(data) if harness == "chunk" else data)


@pytest.mark.usefixtures("both_engines")
@pytest.mark.parametrize("name", FINDINGS)
def test_findings(name: str) -> None:
    agree(as_events(FINDINGS[name]))


def test_the_mutator_has_words_of_every_kind() -> None:
    found = words()
    assert min(map(len, found.values())) >= 5
    assert len(found["KEY"]) == len(set(found["KEY"])) > 40
    assert len(found["OBJECT"]) > 300

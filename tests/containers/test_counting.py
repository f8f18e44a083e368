"""Line ends are counted by whichever engine is there."""

from __future__ import annotations

import random

import pytest

from ssift.sources.containers import body


def test_line_ends_in_a_part(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setenv("SSIFT_ENGINE", engine)
    numbers = random.Random(3)
    data = bytes(numbers.choice(b"ab\n\r") for _ in range(70_000))
    for _ in range(200):
        start, end = sorted((numbers.randrange(len(data) + 1), numbers.randrange(len(data) + 1)))
        assert body.count_lines(data, start, end) == data[start:end].count(b"\n")
    assert body.count_lines(bytearray(data), 0, len(data)) == data.count(b"\n")

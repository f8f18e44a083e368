"""Pieces to lines."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ssift.python.lines import Lines

streams = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc", b" ", b"\t ", b"\x0b", b"\xe2\x80\xa8"]), max_size=20)


def lines_of(lines, pieces):
    found = [line for piece in pieces for line in lines.feed(piece)]
    text, size, ended = lines.end()
    if ended:
        found.append((text, size))
        text, size = b"", 0
    return found, (text, size)


@given(streams, st.booleans())
def test_lines_are_those_of_the_standard(pieces, only_lf):
    data = b"".join(pieces)
    *whole, rest = re.split(rb"(?<=\n)" if only_lf else rb"(?<=\n)|(?<=\r)(?!\n)", data)
    expected = [(line.rstrip(b"\n" if only_lf else b"\r\n"), len(line)) for line in whole]
    if only_lf:
        expected = [(line[:-1], len(line)) for line in whole]
    assert lines_of(Lines(100, only_lf=only_lf), pieces) == (expected, (rest, len(rest)))


@given(streams)
def test_eager_lines_have_the_same_text(pieces):
    patient, rest = lines_of(Lines(100), pieces)
    eager, other = lines_of(Lines(100, eager=True), pieces)
    assert [text for text, _ in eager] == [text for text, _ in patient]
    assert other == rest


@given(streams, st.integers(0, 4))
def test_head_of_a_line_over_the_limit(pieces, limit):
    whole, rest = lines_of(Lines(100), pieces)
    cut, other = lines_of(Lines(limit), pieces)
    for (text, size), (head, same) in zip([*whole, rest], [*cut, other], strict=True):
        assert size == same
        assert text.startswith(head[:limit])
        assert min(limit, len(text)) <= len(head) <= len(text)
        assert bool(head.strip(b" \t\r\n")) == bool(text.strip(b" \t\r\n"))

"""Frames against a reading that splits all lines first, and against the openai client's own decoder, at every cut."""

# ruff: noqa: PERF401 - what came before an exception is looked at
from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.live.frames import ClientFrames, Frame, Frames
from tests.live.streams import FAULTY, SOUND, halves
from tests.need import need_module

LINES = [
    b"data: {}", b"data", b"data:", b"data:  x", b"data:x", "data: é☃".encode(), b"data: \xe2\x98", b"data: [DONE]",
    b": c", b":", b"event: e", b"event:", b"event", b"id: 1", b"id", b"id: a\0b", b"retry: 5", b"retry: +5", b"retry: 1_0",
    b"retry", b" data: x", b"Data: x", b"other", b"\xef\xbb\xbfdata: y", b"\xff: x", b"",
]  # fmt: skip
ENDS = [b"\n", b"\n\n", b"\r\n", b"\r", b"\r\n\r\n", b"\r\r", b"\n\r", b"\r\n\n"]

streams = st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)), max_size=12).map(
    lambda lines: b"".join(line + end for line, end in lines)
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    borders = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[start:end] for start, end in zip(borders, borders[1:], strict=False)]


def framed(decoder: Frames, pieces: list[bytes]) -> tuple[list[Frame], str]:
    frames = [frame for piece in pieces for frame in decoder.feed(piece)]
    frames += decoder.finish()
    return frames, str(decoder.failure)


def plainly(data: bytes) -> list[Frame]:
    """The standard, word by word."""
    lines = re.split(rb"\r\n|\r|\n", data.removeprefix(b"\xef\xbb\xbf"))[:-1]
    frames: list[Frame] = []
    last_id, buffer, name, retry = "", [], "", None
    for line in lines:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if buffer:
                frames.append((b"\n".join(buffer), name, last_id, retry))
            buffer, name, retry = [], "", None
        elif field == b"data":
            buffer.append(value)
        elif field == b"event":
            name = value.decode("utf-8", "replace")
        elif field == b"id" and b"\0" not in value:
            last_id = value.decode("utf-8", "replace")
        elif field == b"retry" and re.fullmatch(rb"[0-9]+", value):
            retry = int(value)
    return frames


@given(streams, st.lists(st.integers(0, 1000), max_size=6))
def test_frames_are_those_of_the_standard_however_cut(data, places):
    assert framed(Frames(), cut(data, places))[0] == plainly(data)
    assert framed(Frames(), [data[at : at + 1] for at in range(len(data))])[0] == plainly(data)


def client_frames(pieces: list[bytes]) -> tuple[list[Frame], str]:
    """What openai's decoder finds, and the exception that ended it."""
    streaming = need_module("openai._streaming")
    frames = []
    try:
        for sse in streaming.SSEDecoder().iter_bytes(iter(pieces)):
            frames.append((sse.data.encode(), sse.event or "", sse.id, sse.retry))
    except UnicodeDecodeError as error:
        return frames, str(error)
    return frames, "None"


@given(streams, st.lists(st.integers(0, 1000), max_size=6))
def test_the_clients_decoder_is_matched_bit_for_bit(data, places):
    pieces = cut(data, places)
    assert framed(ClientFrames(), pieces) == client_frames(pieces)


@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_the_clients_decoder_is_matched_at_every_cut(data):
    expected = client_frames([data])
    for pieces in halves(data):
        assert framed(ClientFrames(), pieces) == expected


@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_pieces_of_an_event_each(data):
    pieces = [piece + b"\n\n" for piece in data.split(b"\n\n")]
    whole = [b"".join(pieces)]
    assert framed(ClientFrames(), pieces) == client_frames(whole)
    assert framed(Frames(), pieces)[0] == plainly(whole[0])


@pytest.mark.parametrize("decoder", [Frames, ClientFrames])
def test_a_long_line_in_many_pieces_is_joined_once(decoder):
    frames = decoder()
    assert frames.feed(b"data: ") == []
    for _ in range(2000):
        assert frames.feed(b"x" * 1000) == []
    [(data, *_)] = frames.feed(b"\n\n")
    assert data == b"x" * 2_000_000


@pytest.mark.parametrize("decoder", [Frames, ClientFrames])
def test_many_lines_of_one_event(decoder):
    frames = decoder()
    pieces = [b"data: %d\n" % number for number in range(10_000)]
    assert not any(frames.feed(piece) for piece in pieces)
    [(data, *_)] = frames.feed(b"\n")
    assert data == b"\n".join(b"%d" % number for number in range(10_000))

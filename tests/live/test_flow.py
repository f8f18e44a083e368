"""How ``events`` and ``chunks`` take pieces and end: the manners of a generator, on both engines."""

# ruff: noqa: PERF401 - what came before an exception is looked at
from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssift
from ssift.live.events import Event, PythonEventFeed, _flow
from ssift.live.pieces import octets
from tests.live.streams import FAULTY, SOUND, halves
from tests.live.test_frames import cut, streams
from tests.live.test_twins import anything, places

ONE = b'data: {"choices":[],"n":1}\n\n'
TWO = b'data: {"choices":[],"n":2}\n\ndata: {"choices":[],"n":3}\n\n'
DONE = b"data: [DONE]\n\n"


@pytest.fixture(autouse=True)
def _on(engine, monkeypatch):
    monkeypatch.setenv("SSIFT_ENGINE", engine)


@pytest.fixture(params=["events", "chunks"])
def read(request):
    return getattr(ssift, request.param)


def number(item: Any) -> Any:
    data = item.data if isinstance(item, Event) else item.raw.decode()
    return data[-2] if data.endswith("}") else data


class Source:
    """Pieces that note when they are asked for, and when nobody holds them any more."""

    def __init__(self, *pieces: Any) -> None:
        self.log: list[Any] = []
        self._pieces = pieces

    def __iter__(self) -> Iterator[Any]:
        self.log.append("begin")
        try:
            for place, piece in enumerate(self._pieces):
                self.log.append(place)
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            self.log.append("end")


def test_no_piece_is_asked_for_before_it_is_needed(read):
    source = Source(ONE[:9], ONE[9:], b"", TWO, ONE, DONE, ONE)
    items = read(source)
    assert source.log == []
    assert number(next(items)) == "1"
    assert source.log == ["begin", 0, 1]
    assert number(next(items)) == "2"
    assert source.log == ["begin", 0, 1, 2, 3]
    assert number(next(items)) == "3"
    assert source.log == ["begin", 0, 1, 2, 3]
    assert number(next(items)) == "1"
    assert [number(item) for item in items] == ["[DONE]"] * (read is ssift.events)
    assert source.log == ["begin", 0, 1, 2, 3, 4, 5, "end"]
    assert [*items] == []


@pytest.mark.parametrize("compat", [False, True])
def test_no_event_is_read_before_it_is_asked_for(compat):
    chunks = ssift.chunks([ONE + TWO + DONE + ONE], compat=compat)
    assert [(number(chunk), chunks.done) for chunk in chunks] == [("1", False), ("2", False), ("3", False)]
    assert chunks.done
    chunks = ssift.chunks([ONE + b"data: []\n\n" * 2 + TWO])
    assert [(number(chunk), chunks.skipped) for chunk in chunks] == [("1", 0), ("2", 2), ("3", 2)]


def told(pieces: list[bytes]) -> list[Any]:
    """The chunks, what is known of the stream at each, and how it ended."""
    chunks = ssift.chunks(pieces)
    found: list[Any] = []
    try:
        found.extend((chunk.raw, chunks.done, chunks.skipped) for chunk in chunks)
    except ssift.StreamError as error:
        found.append((error.kind, str(error)))
    return [*found, chunks.done, chunks.skipped]


@given(anything | streams, places)
def test_chunks_are_the_same_on_both_engines(both_engines, data, places):
    pieces = cut(data, places)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SSIFT_ENGINE", "native")
        native = told(pieces)
        patched.setenv("SSIFT_ENGINE", "python")
        assert told(pieces) == native


async def one_by_one(pieces: Any) -> Any:
    for piece in pieces:
        yield piece


@pytest.mark.parametrize("compat", [False, True])
def test_no_event_is_read_before_it_is_awaited(compat):
    async def read() -> list[Any]:
        chunks = ssift.achunks(one_by_one([ONE, TWO + DONE + ONE, ONE]), compat=compat)
        found: list[Any] = [(number(chunk), chunks.done) async for chunk in chunks]
        return [*found, chunks.done]

    assert asyncio.run(read()) == [("1", False), ("2", False), ("3", False), True]


def test_an_error_of_an_awaited_stream_comes_after_the_chunks_before_it():
    async def read() -> list[Any]:
        found: list[Any] = []
        try:
            async for chunk in ssift.achunks(one_by_one([ONE + b'data: {"error":{"message":"m"}}\n\n' + ONE])):
                found.append(number(chunk))
        except ssift.StreamError as error:
            found.append(str(error))
        return found

    one, error = asyncio.run(read())
    assert one == "1"
    assert "m" in error


@given(anything | streams, places)
def test_awaited_events_are_the_same(data, places):
    pieces = cut(data, places)

    async def read() -> list[Event]:
        return [event async for event in ssift.aevents(one_by_one(pieces))]

    assert asyncio.run(read()) == [*ssift.events(pieces)]


def test_an_error_of_the_source_comes_after_what_was_before_it(read):
    source = Source(TWO, OSError("broken off"), ONE)
    items = read(source)
    assert [number(next(items)), number(next(items))] == ["2", "3"]
    with pytest.raises(OSError, match="broken off"):
        next(items)
    assert [*items] == []
    assert source.log == ["begin", 0, 1, "end"]


def test_a_piece_that_is_none_ends_it(read):
    items = read([ONE, "text", ONE])
    assert number(next(items)) == "1"
    with pytest.raises(TypeError, match="bytes"):
        next(items)
    assert [*items] == []


def test_it_can_be_closed(read):
    source = Source(TWO, ONE)
    items = read(source)
    next(items)
    items.close()
    assert source.log == ["begin", 0, "end"]
    assert [*items] == []
    items.close()
    read(source).close()  # before it began
    assert source.log == ["begin", 0, "end"]


def test_nothing_is_held_when_nobody_holds_it(read):
    source = Source(TWO, ONE)
    items = iter(read(source))
    next(items)
    gone = weakref.ref(items)
    del items
    gc.collect()
    assert gone() is None
    assert source.log == ["begin", 0, "end"]


def test_it_cannot_be_asked_while_it_is_asked(read):
    def source() -> Iterator[bytes]:
        yield ONE
        next(items)
        yield ONE

    items = read(source())
    next(items)
    with pytest.raises(ValueError, match="already executing"):
        next(items)


def test_a_source_that_cannot_be_iterated(read):
    class Refusing:
        def __iter__(self) -> Iterator[bytes]:
            raise OSError("not now")

    items = read(Refusing())
    with pytest.raises(OSError, match="not now"):
        next(items)
    assert [*items] == []


def test_an_error_of_the_stream_comes_after_the_chunks_before_it():
    source = Source(ONE + b'data: {"error":{"message":"m"}}\n\n' + ONE, ONE)
    items = ssift.chunks(source)
    assert number(next(items)) == "1"
    with pytest.raises(ssift.StreamError, match="m"):
        next(items)
    assert [*items] == []
    assert source.log == ["begin", 0, "end"]
    assert not items.done


def flowing(pieces: list[bytes]) -> list[Event]:
    from ssift._native import EventFeed, Flow

    return [*Flow(pieces, EventFeed(Event), octets)]


@given(anything | streams, places)
def test_events_of_a_flow_are_the_same(both_engines, data, places):
    pieces = cut(data, places)
    assert flowing(pieces) == [*_flow(pieces, PythonEventFeed(Event), octets)]


@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_events_of_a_flow_are_the_same_at_every_cut(both_engines, data):
    for pieces in halves(data):
        assert flowing(pieces) == [*_flow(pieces, PythonEventFeed(Event), octets)]


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda data: data.decode("latin-1")), st.integers(0, 200))
def test_text_of_any_length_and_alphabet(data, at):
    for text in (data, "x" * at + data, "x" * at + "é" + data):
        raw = text.encode("utf-8", "surrogatepass").replace(b"\n", b" ").replace(b"\r", b" ")
        [event] = ssift.events(b"data: " + raw + b"\n\ndata: [DONE]")
        assert event.data == raw.decode("utf-8", "replace")
        assert event.data.isascii() == raw.isascii()


def test_a_flow_refuses_what_does_not_fit(both_engines):
    from ssift._native import EventFeed, Flow

    with pytest.raises(TypeError):
        Flow(5, EventFeed(Event), octets)
    with pytest.raises(TypeError):
        Flow([], None, octets)
    with pytest.raises(TypeError):
        next(Flow(["text"], EventFeed(Event), lambda piece: piece))

"""``Parser``, ``chunks``, ``achunks``, ``loads``, ``aevents``: from pieces to chunks, errors included."""

# ruff: noqa: PERF401, PT012 - what came before an exception is looked at
from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable

import pytest

import ssift
from tests.live.streams import DONE, FAULTY, SOUND, TEXT, delta, halves


async def some(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


def found(pieces: Iterable[bytes], compat: bool = False) -> list[object]:
    """The values of the chunks, and the kind of the error that ended them."""
    values: list[object] = []
    try:
        for chunk in ssift.chunks(pieces, compat=compat):
            values.append(chunk.to_dict() if isinstance(chunk, ssift.Chunk) else chunk)
    except ssift.StreamError as error:
        values.append((error.kind, error.message, error.code))
    return values


async def afound(pieces: Iterable[bytes], compat: bool = False) -> list[object]:
    values: list[object] = []
    try:
        async for chunk in ssift.achunks(some(pieces), compat=compat):
            values.append(chunk.to_dict() if isinstance(chunk, ssift.Chunk) else chunk)
    except ssift.StreamError as error:
        values.append((error.kind, error.message, error.code))
    return values


def parsed(pieces: Iterable[bytes], compat: bool = False) -> list[object]:
    parser = ssift.Parser(compat=compat)
    values: list[object] = []
    try:
        for piece in (*pieces, b""):
            values += [chunk.to_dict() if isinstance(chunk, ssift.Chunk) else chunk for chunk in parser.feed(piece)]
        parser.finish()
    except ssift.StreamError as error:
        values.append((error.kind, error.message, error.code))
    return values


@pytest.mark.parametrize("compat", [False, True])
@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_chunks_do_not_depend_on_cuts(data, compat):
    expected = found([data], compat)
    assert asyncio.run(afound([data[:9], data[9:]], compat)) == repr_equal(expected)
    for pieces in halves(data):
        assert found(pieces, compat) == repr_equal(expected)
        assert parsed(pieces, compat) == repr_equal(expected)


class repr_equal:
    """Equal by repr: NaN is equal to itself here."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return repr(other) == repr(self.value)

    def __repr__(self) -> str:
        return repr(self.value)


def contents(data: bytes, **mode: bool) -> list[str | None]:
    return [chunk.choices[0].delta.content for chunk in ssift.chunks(data, **mode)]


def test_chunks_of_a_text():
    assert contents(TEXT) == ["", "Hé", "llo ☃", None]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bom", ["", "Hé", "llo ☃", None]),
        ("invalid utf-8", ["a", "\ufffd", "", "Hé", "llo ☃", None]),
        ("invalid comment", ["a", "", "Hé", "llo ☃", None]),
        ("blocks after an id", ["a"]),
        ("retry", ["", "Hé", "llo ☃", None]),
        ("named", ["", "Hé", "llo ☃", None]),
        ("empty data", ["", "Hé", "llo ☃", None]),
        ("heartbeats", ["", "Hé", "llo ☃", None]),
        ("blank done", ["", "Hé", "llo ☃", None]),
    ],
)
def test_faults_of_decoders_do_no_harm(name, expected):
    assert contents(FAULTY[name]) == expected


def test_a_bom_hides_the_first_event_from_the_client():
    assert contents(FAULTY["bom"], compat=True) == ["Hé", "llo ☃", None]


@pytest.mark.parametrize(
    ("data", "kind", "message", "code"),
    [
        (FAULTY["error by name"], "error", "overloaded", "529"),
        (b"event: error\ndata: Too many requests\n\n", "error", "Too many requests", None),
        (FAULTY["vllm error"], "error", "max context", "400"),
        (SOUND["error"], "error", "over", "529"),
        (SOUND["error text"], "error", "boom", None),
        (b"data: error: cuda oom\n\n", "json", "the data is not valid JSON: Expecting value at character 1", None),
    ],
)
def test_errors_are_raised_after_the_chunks_before_them(data, kind, message, code):
    read = []
    with pytest.raises(ssift.StreamError) as caught:
        for chunk in ssift.chunks(delta({"content": "first"}) + data + delta({"content": "no"})):
            read.append(chunk.choices[0].delta.content)
    assert read[0] == "first"
    assert "no" not in read
    assert (caught.value.kind, caught.value.message, caught.value.code) == (kind, message, code)
    assert message in str(caught.value)


def test_a_held_error_is_raised_at_the_next_call():
    parser = ssift.Parser()
    assert len(parser.feed(delta({"content": "a"}) + SOUND["error text"])) == 1
    for _ in range(2):
        with pytest.raises(ssift.StreamError, match="boom"):
            parser.feed(b"")
    with pytest.raises(ssift.StreamError, match="boom"):
        parser.finish()


def test_nothing_is_read_after_done():
    def pieces():
        yield TEXT
        raise AssertionError("read on")

    assert len(list(ssift.chunks(pieces()))) == 4
    parser = ssift.Parser()
    assert [chunk.choices[0].delta.content for chunk in parser.feed(DONE + TEXT)] == []
    assert parser.done
    assert parser.feed(TEXT) == []


def test_skipped_events_are_counted():
    parser = ssift.Parser()
    parser.feed(FAULTY["heartbeats"] + FAULTY["empty data"])
    assert parser.skipped == 4  # those after [DONE] are not read
    assert not ssift.Parser().feed(b'data: {"type":"ping"}\n\n')


def test_raw_is_the_text_as_sent():
    text = b'{ "choices" : [ ],  "x":1e400}'
    [chunk] = ssift.chunks(b"data: " + text + b"\n\n")
    assert chunk.raw == text
    assert chunk.x == float("inf")


def test_loads():
    assert ssift.loads(b'{"choices":[{"index":0,"delta":{"content":"a"}}]}').choices[0].delta.content == "a"
    assert ssift.loads('{"id":"é"}').id == "é"
    assert ssift.loads(bytearray(b'{"id":"\xe2"}')).id == "\ufffd"
    for wrong in (b"[]", b"null", b"{", b""):
        with pytest.raises(ValueError):
            ssift.loads(wrong)
    with pytest.raises(TypeError):
        ssift.loads(3)


def test_asynchronous_events():
    async def read() -> list[ssift.Event]:
        return [
            event async for event in ssift.aevents(some([b"id: 1\nda", b"ta: x\n\ndata: [DONE]\n\n", b"data: y\n\n"]))
        ]

    assert [(event.event, event.data, event.id) for event in asyncio.run(read())] == [
        ("message", "x", "1"), ("message", "[DONE]", "1"),
    ]  # fmt: skip


@pytest.mark.parametrize("read", [ssift.chunks, ssift.events])
def test_what_is_no_bytes_is_refused_at_the_call(read):
    with pytest.raises(TypeError, match="not str; encode it"):
        read("data: x")
    with pytest.raises(TypeError, match="not int"):
        list(read([3]))


@pytest.mark.parametrize("read", [ssift.achunks, ssift.aevents])
def test_what_is_not_asynchronous_is_refused_at_the_call(read):
    with pytest.raises(TypeError, match="async iterable"):
        read([b"data: x\n\n"])


def test_a_piece_may_be_any_bytes_like_object():
    assert len(list(ssift.chunks([bytearray(TEXT[:20]), memoryview(TEXT[20:])]))) == 4
    assert len(list(ssift.chunks(memoryview(TEXT)))) == 4

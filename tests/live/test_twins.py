"""The compiled parts of live reading against their twins in Python: the same whatever comes, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.live import cells
from ssift.live.events import Event, PythonEventFeed
from ssift.live.frames import Frames
from ssift.live.parser import Reader
from tests.live.streams import FAULTY, SOUND, halves
from tests.live.test_frames import cut, streams


@pytest.fixture(autouse=True)
def both(both_engines, monkeypatch):
    monkeypatch.setenv("SSIFT_ENGINE", "native")


SYNTAX = [
    b"data:", b"data: ", b"data", b"event:", b"event: error", b"id: 1", b"id:\0", b"retry:", b"retry: 07", b":", b" ",
    b"\n", b"\n\n", b"\r", b"\r\n", b"\r\r", b"\n\r", b"\xef\xbb\xbf", b"\xef\xbb", b"\0", b"\xff", "é☃".encode(),
    b"[DONE]", b" [DONE] x", b"{}", b"[]", b"null", b"1", b"{", b"}", b'"', b'{"choices":[]}', b'{"choices":null}',
    b'{"object":"error","message":"m"}', b'{"error":{}}', b'{"error":"e"}', b'{"object":"chat.completion.chunk"}',
    b'{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"logprob":NaN}]}}]}', b'{"x":1}',
]  # fmt: skip
anything = st.lists(st.sampled_from(SYNTAX), max_size=14).map(b"".join) | st.binary(max_size=60)
places = st.lists(st.integers(0, 1000), max_size=6)


def events_of(feed, pieces):
    events = [event for piece in pieces for event in feed.feed(piece)]
    assert all(type(event) is Event for event in events)
    return events, feed.done


def native_events(pieces):
    from ssift._native import EventFeed

    return events_of(EventFeed(Event), pieces)


@given(anything | streams, places)
def test_events_are_the_same(data, places):
    pieces = cut(data, places)
    expected = events_of(PythonEventFeed(Event), pieces)
    assert native_events(pieces) == expected
    assert native_events([data[at : at + 1] for at in range(len(data))]) == expected


@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_events_are_the_same_at_every_cut(data):
    for pieces in halves(data):
        assert native_events(pieces) == events_of(PythonEventFeed(Event), pieces)


def read(reader, pieces):
    items = [repr(item) for piece in pieces for item in reader.feed(piece)]
    items += map(repr, reader.finish())
    failure = reader.failure
    return items, reader.done, reader.skipped, failure and (failure.kind, failure.data, repr(failure.value))


def readers(objects):
    """One of each, with a build that shows all that it is given."""
    compiled = Reader(lambda value, data: (value, data), objects=objects)
    plain = Reader(lambda value, data: (value, data), objects=objects)
    assert compiled._swift is not None
    plain._swift = None
    return compiled, plain


@given(anything | streams, places, st.booleans())
def test_chunks_and_what_is_none_are_the_same(data, places, objects):
    compiled, plain = readers(objects)
    pieces = cut(data, places)
    assert read(compiled, pieces) == read(plain, pieces)


@pytest.mark.parametrize("data", [*SOUND.values(), *FAULTY.values()], ids=[*SOUND, *FAULTY])
def test_chunks_are_the_same_at_every_cut(data):
    for pieces in halves(data):
        compiled, plain = readers(False)
        assert read(compiled, pieces) == read(plain, pieces)


def test_a_build_that_raises_leaves_the_readers_alike():
    def build(value, data):
        raise KeyError(data)

    for reader in (Reader(build), Reader(build)):
        with pytest.raises(KeyError):
            reader.feed(b'data: {"choices":[]}\n\n')


def test_a_long_line_in_many_pieces_is_joined_once():
    from ssift._native import EventFeed

    feed = EventFeed(Event)
    assert not any(feed.feed(piece) for piece in [b"data: ", *[b"x" * 1000] * 2000])
    [event] = feed.feed(b"\n\n")
    assert event.data == "x" * 2_000_000


def test_many_lines_without_one_kind_of_line_end():
    from ssift._native import EventFeed

    for end in (b"\n", b"\r"):
        text = b"data: x" + end + end
        assert len(EventFeed(Event).feed(text * 100_000)) == 100_000
    assert len(Frames().feed(b"data: x\r\r" * 1000)) == 1000


# ------------------------------------------------------------------------------------------------------- objects


def classes():
    """Two families of the same shape."""
    from ssift import _native

    def family(cell, field):
        leaf = type("Leaf", (cell,), {"__slots__": (), "n": field("n", None, False, True)})
        names = {
            "plain": field("plain", None, False, False),
            "one": field("one", leaf, False, False),
            "chosen": field("chosen", lambda values: leaf, False, False),
            "many": field("many", leaf, True, False),
        }
        return type("Root", (cell,), {"__slots__": (), **names}), leaf

    return (
        (*family(_native.Cell, _native.Field), _native.Maker),
        (*family(cells.PythonCell, cells.PythonField), cells.PythonMaker),
    )


numbers = (
    st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none() | st.text(max_size=2) | st.just(10**400)
)
leaves = st.dictionaries(st.sampled_from(["n", "m"]), numbers, max_size=2)
values = st.fixed_dictionaries(
    {},
    optional={
        "plain": numbers | leaves,
        "one": leaves | numbers,
        "chosen": leaves | numbers,
        "many": st.lists(leaves | numbers, max_size=4) | leaves | numbers,
    },
)


@given(values)
def test_fields_are_the_same(values):
    import copy

    found = []
    for root, leaf, maker in classes():
        node = maker(root)(copy.deepcopy(values), b"raw")
        seen = []
        for name in ("plain", "one", "chosen", "many", "plain", "one", "many"):
            value = getattr(node, name)
            assert name == "plain" or getattr(node, name) is value or isinstance(value, float)
            inner = value if isinstance(value, list) else [value]
            seen.append([("leaf", entry.n, entry._values) if isinstance(entry, leaf) else entry for entry in inner])
        node.plain = 5
        found.append((seen, node.plain, node._values["plain"], node._raw))
    assert repr(found[0]) == repr(found[1])


def test_what_a_maker_leaves_alone():
    for root, _, maker in classes():
        assert [maker(root)(value) for value in (None, 1, "x", [1])] == [None, 1, "x", [1]]
        assert type(maker(root)({})) is root
        assert root.plain is root.__dict__["plain"]


def list_of_cells(leaf, values, meanwhile):
    """The field ``many`` over ``values``; ``meanwhile`` is called as each of its objects is about to be made."""

    def choose(_):
        meanwhile()
        return leaf

    cell, field = leaf.__mro__[1], type(leaf.__dict__["n"])
    node = cell.__new__(type("Root", (cell,), {"__slots__": (), "many": field("many", choose, True, False)}))
    node._values = {"many": values}
    return node.many


def test_a_list_that_somebody_shortens_while_its_objects_are_made():
    for _, leaf, _ in classes():
        values = [{"n": 1}, {"n": 2}, {"n": 3}]
        found = list_of_cells(leaf, values, lambda values=values: values.__delitem__(slice(1, None)))
        assert found is values
        assert [entry.n for entry in found] == [1]
        values = [{"n": 1}, {"n": 2}]
        with pytest.raises(IndexError):
            list_of_cells(leaf, values, values.clear)


def test_an_object_without_values_is_refused():
    for root, _, _ in classes():
        with pytest.raises(AttributeError):
            _ = root.__new__(root).plain


def test_compiled_parts_refuse_what_does_not_fit():
    from ssift import _native

    with pytest.raises(TypeError):
        _native.Maker(dict)
    with pytest.raises(TypeError):
        _native.EventFeed(dict)
    with pytest.raises(TypeError):
        _native.EventFeed(Event).feed("data")
    (root, _, maker), _ = classes()
    with pytest.raises(TypeError):
        root.__dict__["plain"].__get__(5, int)
    broken = type("Broken", (_native.Cell,), {"one": _native.Field("one", lambda values: dict, False, False)})
    with pytest.raises(TypeError):
        _ = maker(broken)({"one": {}}).one

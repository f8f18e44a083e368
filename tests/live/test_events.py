"""``ssift.live.events``: the standard to the letter."""

from __future__ import annotations

import numpy as np
import pytest

from ssift.live.events import Event, EventDecoder, events


def decode(*pieces: bytes) -> list[Event]:
    """The events of the pieces, and of the same bytes cut elsewhere."""
    whole = list(events(pieces))
    data = b"".join(pieces)
    assert list(events([data])) == whole
    assert list(events(data[at : at + 1] for at in range(len(data)))) == whole
    for cut in range(len(data)):
        assert list(events([data[:cut], b"", data[cut:]])) == whole
    return whole


def data_of(*pieces: bytes) -> list[str]:
    return [event.data for event in decode(*pieces)]


def test_character_cut_by_a_piece():
    assert data_of(b'data: {"c":"\xe2', b"\x98", b'\x83"}\n\n') == ['{"c":"☃"}']


def test_crlf_cut_between_pieces():
    assert data_of(b'data: {"a":1,\r', b'\ndata: "b":2}\r\n\r', b"\n") == ['{"a":1,\n"b":2}']


def test_mixed_line_ends():
    assert data_of(b"data: 1\r\n\rdata: 2\n\r\ndata: 3\r\r") == ["1", "2", "3"]


def test_other_separators_are_text():
    assert data_of("data: x\u2028y\u2029z\u0085w\x0b\x0c\n\n".encode()) == ["x\u2028y\u2029z\u0085w\x0b\x0c"]


def test_one_byte_order_mark_is_dropped():
    assert data_of(b"\xef\xbb", b"\xbfdata: 1\n\n") == ["1"]
    assert data_of(b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\ndata: 2\n\n") == ["2"]
    assert data_of(b"\xef\xbb\xbf\ndata: 1\n\n") == ["1"]
    assert data_of(b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n") == ["1"]


def test_comments_and_empty_blocks_dispatch_nothing():
    assert data_of(b": hi\n\n:\n\n\n\ndata: 1\n\n: ping\n\n") == ["1"]


def test_a_single_blank_is_taken_off():
    assert data_of(b"data:  [DONE]\ndata:\t 1 \n\n") == [" [DONE]\n\t 1 "]


def test_empty_data():
    assert data_of(b"data\n\ndata:\n\ndata\ndata\n\n") == ["", "", "\n"]


def test_blocks_without_data_clear_the_name():
    found = decode(b"id: 7\ndata: 1\n\n: ping\n\nretry: 3000\n\nevent: x\n\ndata: 2\n\n")
    assert found == [Event("message", "1", "7", None), Event("message", "2", "7", None)]


def test_field_names_match_to_the_letter():
    assert data_of(b" data: 0\nData: 1\ndata : 2\ndatax\ndata: 3\n\n") == ["3"]


def test_unterminated_last_block_is_dropped():
    assert data_of(b"data: 1\n\ndata: 2\n") == ["1"]
    assert data_of(b"data: 1\n\ndata: 2") == ["1"]


def test_names():
    assert [event.event for event in decode(b"event: a\nevent: b\ndata: 1\n\nevent:\ndata: 2\n\nevent\ndata: 3\n\n")] == [
        "b", "message", "message",
    ]  # fmt: skip


def test_last_id_stays():
    stream = b"data: 0\n\nid: 1\ndata: 1\n\nid: 2\n\ndata: 2\n\nid\ndata: 3\n\nid: 4\nid: x\0y\ndata: 4\n\n"
    assert [event.id for event in decode(stream)] == ["", "1", "2", "", "4"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("3000", 3000), ("007", 7), ("", None), ("-1", None), ("+1", None), ("1.5", None), ("1_0", None), (" 1", None),
     ("٣", None), ("²", None), ("9" * 5000, None)],
)  # fmt: skip
def test_retry_is_digits_only(value, expected):
    [event] = list(events([f"retry: {value}\ndata: 1\n\n".encode()]))
    assert event.retry == expected


def test_retry_is_of_its_own_block():
    assert [event.retry for event in decode(b"retry: 5\nretry: x\ndata: 1\n\nretry: 6\n\ndata: 2\n\n")] == [5, None]


def test_done_is_the_last_event():
    assert data_of(b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\n") == ["1", "[DONE]"]
    assert data_of(b"data: [DONE] x\n\ndata: 2\n\n") == ["[DONE] x"]
    assert data_of(b'data: "[DONE]"\n\ndata: 2\n\n') == ['"[DONE]"', "2"]
    assert data_of(b"data: [DONE]\ndata: 1\n\ndata: 2\n\n") == ["[DONE]\n1", "2"]


def test_nothing_is_read_after_done():
    def pieces():
        yield b"data: [DONE]\n\n"
        raise AssertionError("read on")

    assert [event.data for event in events(pieces())] == ["[DONE]"]


def test_event_at_a_cr_does_not_wait_for_the_next_piece():
    decoder = EventDecoder()
    assert [event.data for event in decoder.feed(b"data: 1\r\n\r")] == ["1"]
    assert [event.data for event in decoder.feed(b"\ndata: 2\r\r")] == ["2"]


def test_invalid_utf8_is_replaced():
    assert data_of(b'data: {"c":"\xe2', b'"}\n\ndata: 2\n\n') == ['{"c":"\ufffd"}', "2"]
    assert data_of(b"data: \xf0\x9f\x98.\xed\xa0\x80\n\n") == ["\ufffd.\ufffd\ufffd\ufffd"]


def test_error_line_and_other_fields_mean_nothing():
    assert data_of(b"error: x\n\nfoo: y\n\ndata: 1\n\n") == ["1"]


def test_pieces_may_be_any_bytes_like_object():
    assert [event.data for event in events([bytearray(b"data: 1\n"), memoryview(b"\n")])] == ["1"]


def test_event_is_frozen():
    [event] = events([b"data: 1\n\n"])
    with pytest.raises(AttributeError):
        event.data = "x"


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8)])
def test_bytes_alone_are_one_piece(kind):
    data = kind(b"data: a\n\ndata: b\n\n")
    assert [event.data for event in events(data)] == [event.data for event in events([data])] == ["a", "b"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("data: a\n\n", r"^events\(\) reads bytes, or an iterable of bytes, not str; encode it"),
        (5, r"^events\(\) reads bytes, or an iterable of bytes, not int$"),
        (None, "not NoneType$"),
    ],
)
def test_what_is_no_bytes_is_refused_at_the_call(given, said):
    with pytest.raises(TypeError, match=said):
        events(given)


@pytest.mark.parametrize(
    ("piece", "name"), [("data: b\n", "str; encode it"), (3, "int"), ([100, 97], "list"), (None, "NoneType")]
)
def test_pieces_that_are_no_bytes_are_refused(piece, name):
    decoder = EventDecoder()
    with pytest.raises(TypeError, match=f"^a piece of a stream is bytes, not {name}"):
        decoder.feed(piece)
    found = events([b"data: a\n\n", piece])
    assert next(found).data == "a"
    with pytest.raises(TypeError, match=name):
        next(found)

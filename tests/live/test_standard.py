"""The standard's own test cases for event streams (web-platform-tests, folder eventsource), at every cut.

One case for each of its tests that is about the text of a stream, named as there, with inputs of our own; the others are
about requests, reconnection and the objects of a browser.
"""

from __future__ import annotations

import pytest

import ssift
from tests.live.streams import halves

LONG = b"x" * 2048

CASES: dict[str, tuple[bytes, list[tuple[str, str, str, int | None]]]] = {
    "event-data": (
        b"data:say\ndata: say\n\n:\nother:say\n\nother:say\nData:say\n\ndata\n\ndata:end\n\n",
        [("message", "say\nsay", "", None), ("message", "", "", None), ("message", "end", "", None)],
    ),
    "format-bom": (
        b"\xef\xbb\xbfdata:a\n\n\xef\xbb\xbfdata:b\n\ndata:c\n\n",
        [("message", "a", "", None), ("message", "c", "", None)],
    ),
    "format-bom-2": (
        b"\xef\xbb\xbf\xef\xbb\xbfdata:a\n\ndata:b\n\ndata:c\n\n",
        [("message", "b", "", None), ("message", "c", "", None)],
    ),
    "format-comments": (
        b"data:a\r:\0\n:\r\ndata:b\n:" + LONG + b"\rdata:c\n:data:no\r:" + LONG + b"\ndata:d\n\n",
        [("message", "a\nb\nc\nd", "", None)],
    ),
    "format-data-before-final-empty-line": (
        b"retry:1000\ndata:a\n\nid:lost\ndata:b",
        [("message", "a", "", 1000)],
    ),
    "format-data-before-final-empty-line, ended": (
        b"retry:1000\ndata:a\n\nid:lost\ndata:b\n",
        [("message", "a", "", 1000)],
    ),
    "format-field-data": (
        b"data:\n\ndata\ndata\n\ndata:a\n\n",
        [("message", "", "", None), ("message", "\n", "", None), ("message", "a", "", None)],
    ),
    "format-field-event": (
        b"event:named\ndata:a\n\ndata:a\n\n",
        [("named", "a", "", None), ("message", "a", "", None)],
    ),
    "format-field-event-empty": (b"event: \ndata:a\n\n", [("message", "a", "", None)]),
    "format-field-event, without data": (b"event:named\n\ndata:a\n\n", [("message", "a", "", None)]),
    "field-name-event, twice": (b"event:one\nevent:two\ndata:a\n\n", [("two", "a", "", None)]),
    "format-field-id": ("id:…\ndata:a\n\n".encode(), [("message", "a", "…", None)]),
    "format-field-id-2": (
        "id:…\nretry:200\ndata:a\n\ndata:b\n\ndata:c\n\n".encode(),
        [("message", "a", "…", 200), ("message", "b", "…", None), ("message", "c", "…", None)],
    ),
    "format-field-id-3, persists": (
        b"id: 1\ndata: 1\n\ndata:2\n\n",
        [("message", "1", "1", None), ("message", "2", "1", None)],
    ),
    "format-field-id-3, changes": (
        b"id: 1\ndata: 1\n\nid: 2\ndata:2\n\ndata:3\n\n",
        [("message", "1", "1", None), ("message", "2", "2", None), ("message", "3", "2", None)],
    ),
    "format-field-id-3, resets": (
        b"id: 1\ndata: 1\n\nid:\ndata:2\n\ndata:3\n\n",
        [("message", "1", "1", None), ("message", "2", "", None), ("message", "3", "", None)],
    ),
    "format-field-id-3, resets without a colon": (
        b"id: 1\ndata: 1\n\nid\ndata:2\n\n",
        [("message", "1", "1", None), ("message", "2", "", None)],
    ),
    "format-field-id, without data": (b"id: 7\n\ndata:a\n\n", [("message", "a", "7", None)]),
    **{
        f"format-field-id-null {number}": (
            b"id: 1\ndata:a\n\nid:%b\ndata:b\n\n" % value,
            [("message", "a", "1", None), ("message", "b", "1", None)],
        )
        for number, value in enumerate([b"\0\0", b"x\0", b"\0x", b"x\0x", b" \0"])
    },
    "format-field-parsing": (
        b"data:\0\ndata:  b\rData:no\ndata\0:no\ndata:c\r\0data:no\nda-ta:no\rdata_no\ndata:d\rdata:\r\n data:no\ndata:e\n\n",
        [("message", "\0\n b\nc\nd\n\ne", "", None)],
    ),
    "format-field-retry": (b"retry:03000\ndata:a\n\n", [("message", "a", "", 3000)]),
    "format-field-retry-bogus": (b"retry:3000\nretry:1000x\ndata:a\n\n", [("message", "a", "", 3000)]),
    "format-field-retry-bogus, signs": (b"retry:+5\ndata:a\n\nretry:-5\ndata:b\n\n", [
        ("message", "a", "", None), ("message", "b", "", None),
    ]),
    "format-field-retry-bogus, other digits": ("retry:٣\ndata:a\n\n".encode(), [("message", "a", "", None)]),
    "format-field-retry-empty": (b"retry\ndata:a\n\nretry:\ndata:b\n\n", [
        ("message", "a", "", None), ("message", "b", "", None),
    ]),
    "format-field-unknown": (
        b"data:a\n data\ndata\nother:no\njust text\n:a comment\ndata:b\n\n",
        [("message", "a\n\nb", "", None)],
    ),
    "format-leading-space": (b"data:\ta\rdata: \ndata:b\n\n", [("message", "\ta\n\nb", "", None)]),
    "format-newlines": (b"data:a\r\ndata\ndata:b\r\n\r\n", [("message", "a\n\nb", "", None)]),
    "format-newlines, CR alone": (b"data:a\rdata:b\r\r", [("message", "a\nb", "", None)]),
    "format-newlines, none of these": (
        "data:a\u2028b\u2029c\u0085d\x0be\x0cf\n\n".encode(), [("message", "a\u2028b\u2029c\u0085d\x0be\x0cf", "", None)],
    ),
    "format-null-character": (b"data:\0\n\n\n\n", [("message", "\0", "", None)]),
    "format-utf-8": ("data:ok…\n\n".encode(), [("message", "ok…", "", None)]),
    "format-utf-8, invalid": (b"data:a\xe2\x80b\xff\n\n", [("message", "a\ufffdb\ufffd", "", None)]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_case_of_the_standard(name):
    data, expected = CASES[name]
    cuts = [[data], [data[at : at + 1] for at in range(len(data))]] if len(data) > 1000 else halves(data)
    for pieces in cuts:
        found = list(ssift.events(pieces))
        assert [tuple(event) for event in found] == expected
        assert all(type(event) is ssift.Event for event in found)


def test_an_event_is_a_tuple_with_names():
    [event] = ssift.events(b"id: 1\nevent: e\nretry: 5\ndata: x\n\n")
    assert event == ssift.Event("e", "x", "1", 5)
    assert (event.event, event.data, event.id, event.retry) == ("e", "x", "1", 5)
    assert repr(event) == "Event(event='e', data='x', id='1', retry=5)"
    assert event._replace(data="y").data == "y"

"""JSON text to values: the answer never depends on who reads it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.python.json_text import LookAgain, NotJson, Number, exact, fraction, integer, loads, stands_alone, too_deep
from ssift.python.values import integral, join_surrogates, real

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
spacing = st.sampled_from([None, 1])
inserted = st.sampled_from(["", " ", "-", "0", "1", ".", "e", '"', "\\", ",", ":", "[", "]", "{", "}", "\n", "\x01", "N", "\ufeff"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    """JSON text, sometimes with some characters changed."""
    text = json.dumps(draw(values), ensure_ascii=draw(st.booleans()), indent=draw(spacing))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(inserted) + text[at + draw(st.integers(0, 1)) :]
    return text


def by_the_standard_library(text: str) -> Any:
    try:
        return json.loads(text, parse_int=integer, parse_float=fraction)
    except json.JSONDecodeError:
        return NotJson


def or_not_json(read: Any, text: Any) -> Any:
    try:
        return read(text)
    except NotJson:
        return NotJson


def equal(one: Any, other: Any) -> bool:
    """Equal for a reader of columns: `0` and `-0`, and integers beyond int64 and floats, are told apart by `exact` only."""
    if isinstance(one, dict):
        return isinstance(other, dict) and list(one) == list(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, int | float) and not isinstance(one, bool):
        if isinstance(other, bool) or not isinstance(other, int | float):
            return False
        return real(one) == real(other) or (math.isnan(one) and math.isnan(other))
    return type(one) is type(other) and one == other


@given(texts())
def test_exact_reader_agrees_with_json(text):
    expected = by_the_standard_library(text)
    found = or_not_json(lambda text: exact(text).value, text)
    assert repr(found) == repr(expected)


@given(texts())
def test_quick_reader_agrees_with_json(text):
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    assert equal(by_the_standard_library(text), or_not_json(loads, data))


@given(values, spacing)
def test_every_container_knows_its_text(value, indent):
    read = exact(json.dumps(value, indent=indent))

    def walk(found: Any) -> None:
        if isinstance(found, dict | list):
            assert repr(by_the_standard_library(read.written(found))) == repr(found)
            for inner in found.values() if isinstance(found, dict) else found:
                walk(inner)

    walk(read.value)


def test_numbers_in_their_own_spelling():
    value = exact('{"a":-0.50,"b":[1e5,NaN,-Infinity],"c":"1"}', Number).value
    assert value == {"a": "-0.50", "b": ["1e5", "NaN", "-Infinity"], "c": "1"}
    assert [type(one) for one in (value["a"], value["c"])] == [Number, str]


@pytest.mark.parametrize("depth", [900, 990, 1024])
def test_depth_where_the_standard_library_gives_up(depth):
    value = loads(b"[" * depth + b"NaN" + b"]" * depth)
    for _ in range(depth):
        [value] = value
    assert math.isnan(value)


@pytest.mark.parametrize("text", ["", "[", "[1,]", "{,}", '{"a"}', '{"a":}', '{1:2}', '"\t"', "[1 2]", "]", '{"a":1,}', "nul", "1.", ".5", "+1", "01", "1e", "--1", "٣", "\xa01"])
def test_what_is_no_json(text):
    with pytest.raises(NotJson):
        loads(text.encode())
    with pytest.raises(NotJson):
        exact(text)


@given(st.text(alphabet='[]{}"\\a', max_size=40), st.integers(0, 6))
def test_nesting_is_counted_outside_of_strings(text, limit):
    level = deepest = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = not escaped and character == "\\"
        elif character == '"':
            inside = True
        else:
            level += (character in "[{") - (character in "]}")
            deepest = max(deepest, level)
    assert too_deep(text.encode(), limit) == (deepest > limit)


def test_what_stands_alone():
    assert [stands_alone(data, 3) for data in (b' {"a":[]}', b"[DONE]", b"\t: x", b"[]", b"1", b"", b"{", b'{"a":[{"b":[]}]}')] == [
        True, True, True, False, False, False, False, False,
    ]  # fmt: skip


def test_integral_part():
    assert [integral(value) for value in (5, 5.9, -5.9, True, "5", None, 2**63, -(2**63), 2.0**63, math.nan, math.inf)] == [
        5, 5, -5, None, None, None, None, -(2**63), None, None, None,
    ]  # fmt: skip
    with pytest.raises(LookAgain):
        integral(-(2.0**63))


@given(st.lists(st.sampled_from(["\ud83d", "\ude00", "a", "😀", "\ufffd", "\udfff"]), max_size=8).map("".join))
def test_surrogates_are_joined_or_replaced(text):
    expected, at = [], 0
    while at < len(text):
        high, low = text[at], text[at + 1 : at + 2]
        if "\ud800" <= high < "\udc00" <= low <= "\udfff":
            expected.append(chr(0x10000 + (ord(high) - 0xD800) * 0x400 + ord(low) - 0xDC00))
            at += 2
        else:
            expected.append("\ufffd" if "\ud800" <= high <= "\udfff" else high)
            at += 1
    assert join_surrogates(text) == "".join(expected)

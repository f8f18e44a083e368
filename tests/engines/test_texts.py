"""Strings: escapes, and surrogates that were cut apart."""

from __future__ import annotations

import pytest

from tests.engines.feeding import event


def said(key: str, escaped: str, index: int = 0) -> bytes:
    return event('{"choices":[{"index":%d,"delta":{"%s":"%s"}}]}' % (index, key, escaped))


def test_escapes(read):
    assert read(said("content", '\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u2028\\ud83d\\ude00\\u0000\x7f')).text == (
        '"\\/\b\f\n\r\té\u2028😀\0\x7f'
    )


@pytest.mark.parametrize("key", ["content", "refusal", "reasoning"])
def test_pair_cut_between_two_deltas(read, key):
    assert read(said(key, "a\\ud83d") + said(key, "") + said(key, "\\ude00b")).choice[key] == "a😀b"


def test_halves_left_alone(read):
    assert read(said("content", "\\ude00\\ud83d") + said("content", "\\ud83dx\\ud83d")).text == "\ufffd\ufffd\ufffdx\ufffd"


def test_halves_of_different_choices_do_not_join(read):
    assert read(said("content", "\\ud83d") + said("content", "\\ude00", 1)).contents() == ["\ufffd", "\ufffd"]


def test_raw_replacement_character_is_no_problem(read):
    assert read(said("content", "\ufffd")).kinds() == []
    assert read(said("content", "\\ud83d")).kinds() == []


@pytest.mark.parametrize("name", ["id", "object", "model", "system_fingerprint", "service_tier"])
def test_other_strings_stand_alone(read, name):
    assert read(event('{"%s":"x\\ud83d","choices":[]}' % name)).response[name] == "x\ufffd"


def test_role_and_finish_reason(read):
    reading = read(event('{"choices":[{"delta":{"role":"\\ud83d"},"finish_reason":"\\u0073top\\udc00"}]}'))
    assert (reading.choice["role"], reading.choice["finish_reason"]) == ("\ufffd", "stop\ufffd")


def test_escaped_keys(read):
    assert read(event('{"\\u0063hoices":[{"delt\\u0061":{"content":"a"}}]}')).text == "a"
    assert read(event('{"choices":[{"delta":{"content":"a","\\ud83d":1,"c\\u006fntent":"b"}}]}')).text == "b"


def test_text_beyond_the_basic_plane(read):
    assert read(said("content", "日本語 😀 \U0010ffff")).text == "日本語 😀 \U0010ffff"


def test_bad_byte_between_halves(read):
    data = b'data: {"choices":[{"delta":{"content":"\\ud83d\xff\\ude00"}}]}\n\n'
    assert read(data).text == "\ufffd\ufffd\ufffd"

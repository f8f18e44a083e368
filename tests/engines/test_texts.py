"""Strings: escapes, and surrogates that were cut apart."""

from __future__ import annotations

import pytest

from tests.engines.feeding import delta, event, opening, text, token


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


def text_bytes(reading) -> list[int]:
    return [row["text_bytes"] for row in reading.chunks]


def test_chunks_count_the_bytes_of_their_text(read):
    parts = [{"type": "text", "text": "é"}, {"type": "thinking", "thinking": "hmm"}, "x"]
    two = event({"choices": [{"index": 0, "delta": {"content": "ab"}}, {"index": 1, "delta": {"content": "c"}}]})
    reading = read(
        opening() + delta({"content": "日本", "refusal": "no", "reasoning": "so"}) + delta({"content": parts}) + two
        + delta({}, "stop") + event({"choices": [], "usage": {"completion_tokens": 3}})
    )  # fmt: skip
    assert text_bytes(reading) == [0, 10, 6, 3, 0, 0]


def test_of_two_names_of_reasoning_one_is_counted(read):
    assert text_bytes(read(delta({"reasoning_content": "ab", "reasoning": "ab"}))) == [2]


def test_arguments_of_calls_are_no_text(read):
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    assert text_bytes(read(delta({"tool_calls": [call]}) + event({"choices": [{"message": {"content": "é"}}]}))) == [0, 2]


def test_escapes_are_counted_as_what_they_stand_for(read):
    halves = said("content", "\\ud83d") + said("content", "\\ude00")
    assert text_bytes(read(said("content", "\\n\\u00e9\\ud83d\\ude00\\ud83d") + halves)) == [10, 3, 3]


def test_bytes_of_text_in_a_run(read):
    said = ["Hello", "", " 🌍", "é", "\n", "x" * 40]
    runs = [text(one, id="r") for one in said] * 3
    with_tokens = [text(one, id="r", logprobs={"content": [token(one, -0.5)]}) for one in said] * 3
    assert text_bytes(read(b"".join(runs + with_tokens))) == [5, 0, 5, 2, 1, 40] * 6


def test_bytes_of_text_do_not_depend_on_the_tables(read):
    log = said("content", "abc") + said("reasoning", "de")
    assert text_bytes(read(log, tables=("chunks",))) == [3, 2]

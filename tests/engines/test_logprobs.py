"""Tokens, alternatives and their values, in every shape servers send."""

from __future__ import annotations

from math import inf, isnan

import pytest

from ssift.contract import (
    BYTES_MISSING,
    BYTES_OF_TOKEN,
    BYTES_OWN,
    M_ENTRY,
    M_LIST,
    M_LOGPROB,
    M_TOKEN,
    M_TOP,
    M_TOP_ENTRY,
)
from tests.engines.feeding import delta, event, text, token


def content(*entries, added=None):
    return delta({} if added is None else {"content": added}, None, {"content": list(entries)})


def with_logprob(number: str) -> bytes:
    return event('{"choices":[{"logprobs":{"content":[{"token":"a","logprob":%s}]}}]}' % number)


@pytest.mark.parametrize("nothing", [None, {}, {"content": None}, {"content": []}, -0.5, [], "x"])
def test_no_logprobs_on_some_chunks(read, nothing):
    reading = read(delta({"content": "a"}, None, nothing) + content(token("b", -0.5), added="b"))
    assert (reading.text, reading.logprobs()) == ("ab", [("b", -0.5)])


def test_logprobs_are_appended_over_chunks(read):
    reading = read(content(token("a", -0.1)) + text("x") + content(token("b", -0.2)))
    assert reading.logprobs() == [("a", -0.1), ("b", -0.2)]
    assert [(row["position"], row["chunk"]) for row in reading.tokens] == [(0, 0), (1, 2)]


def test_several_tokens_in_one_chunk(read):
    reading = read(content(token("Hello", -1.3, None, [("Hello", -1.3)]), token("!", -0.2, None, [("?", -3), ("!", -0.2)])))
    assert [(row["position"], row["chunk"], row["top"]) for row in reading.tokens] == [
        (0, 0, [("Hello", -1.3)]), (1, 0, [("?", -3.0), ("!", -0.2)]),
    ]  # fmt: skip
    assert reading.chunks[0]["token_count"] == 2


def test_character_over_several_tokens(read):
    reading = read(content(token("\ufffd", -0.1, [240, 159]), token("\ufffd", -0.2, [152, 138])))
    assert b"".join(row["bytes"] for row in reading.tokens).decode() == "😊"


def test_bytes_are_taken_as_sent(read):
    reading = read(content(
        token("bytes:\\xf0", -0.1), token("\\xf0\\x9f\\x8c", -13.8, [240, 159, 140]), token("<|end|>", -28.68, None, []),
        token("", -0.01, [], []), token("a", 0, [97]),
    ))  # fmt: skip
    assert [row["bytes"] for row in reading.tokens] == [None, b"\xf0\x9f\x8c", None, b"", b"a"]


def test_bytes_equal_to_the_token_are_a_mark(engine_class):
    reader = engine_class(frozenset(["tokens", "top_logprobs"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(content(token("é", -1, [195, 169], [("é", -1, [195, 169]), ("b", -2, [255]), ("c", -3)])))
    reader.end()
    tables = reader.take().tables
    assert tables["tokens"]["bytes"].how.tolist() == [BYTES_OF_TOKEN]
    assert tables["top_logprobs"]["bytes"].how.tolist() == [BYTES_OF_TOKEN, BYTES_OWN, BYTES_MISSING]
    assert tables["top_logprobs"]["bytes"].offsets.tolist() == [0, 1]
    assert tables["top_logprobs"]["bytes"].data.tolist() == [255]


@pytest.mark.parametrize("own", ["5", '"a"', "[256]", "[-1]", "[97.0]", "[-0]", "[9.7e1]", "[true]", "[null]", '["a"]', "[[]]", "{}"])
def test_bytes_of_a_wrong_type_are_missing(read, own):
    reading = read(event('{"choices":[{"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":%s}]}}]}' % own))
    assert (reading.tokens[0]["bytes"], reading.kinds()) == (None, [])


def test_low_bytes(read):
    reading = read(event('{"choices":[{"logprobs":{"content":[{"token":"\\u0000","bytes":[0,1, 255]}]}}]}'))
    assert reading.tokens[0]["bytes"] == b"\x00\x01\xff"


def test_values_are_kept_as_sent(read):
    reading = read(content(token("a", -0.1), token("b", -9999.0), token("c", 1.1920929e-07), token("d", 0.03125)))
    assert [row["logprob"] for row in reading.tokens] == [-0.1, -9999.0, 1.1920929e-07, 0.03125]


@pytest.mark.parametrize(
    "number",
    ["-0.1", "0", "-20", "-0.0", "-0", "-3.4028234663852886e+38", "1e400", "-1e400", "1e-400", "4.9e-324", "5e-1", "-1E+2",
     "0.1000000000000000055511151231257827", "9007199254740993", "-18446744073709551617", "1" * 400, "-" + "9" * 25,
     "2.2250738585072011e-308", "179769313486231580793728971405301e277", "-1.1920928244535389e-07"],
)  # fmt: skip
def test_numbers_are_read_as_float_of_their_text(read, number):
    [row] = read(with_logprob(number)).tokens
    assert repr(row["logprob"]) == repr(float(number))


def test_int_zero_beside_minus_zero(read):
    reading = read(event('{"choices":[{"logprobs":{"content":[{"logprob":0},{"logprob":-0},{"logprob":-0.5}]}}]}'))
    assert [repr(row["logprob"]) for row in reading.tokens] == ["0.0", "-0.0", "-0.5"]


def test_nan_and_infinities(read):
    data = '{"choices":[{"logprobs":{"content":[{"token":"a","logprob":NaN,"top_logprobs":[{"token":"b","logprob":-Infinity}]},{"logprob":Infinity}]}}]}'
    reading = read(event(data))
    assert reading.logprobs() == [("a", None), ("", inf)]
    assert reading.tokens[0]["top"] == [("b", -inf)]
    assert reading.choice["logprob_sum"] == inf


def test_missing_is_not_zero(read):
    reading = read(content(token("a", None), {"token": "b"}, token("c", -0.5)))
    assert [row["logprob"] for row in reading.tokens] == [None, None, -0.5]
    assert (reading.choice["token_count"], reading.choice["logprob_sum"]) == (3, -0.5)
    assert read(content(token("a", None))).choice["logprob_sum"] is None


def test_alternatives_are_ragged_and_kept_in_order(read):
    reading = read(content(
        token("a", -3, None, [("b", -0.1), ("c", -2.5), ("a", -3)]), token("x", -0.2, None, [("x", -0.2)]),
        token("z", -7.2, None, [("a", -0.1), ("a", -0.1)]),
    ))  # fmt: skip
    assert [row["top"] for row in reading.tokens] == [
        [("b", -0.1), ("c", -2.5), ("a", -3.0)], [("x", -0.2)], [("a", -0.1), ("a", -0.1)],
    ]  # fmt: skip


def test_no_alternatives_and_no_bytes(read):
    reading = read(content({"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -0.1, "bytes": None, "top_logprobs": None}))
    assert [(row["bytes"], row["top"]) for row in reading.tokens] == [(None, []), (None, [])]


def test_null_entries_are_passed_over(read):
    reading = read(content(None, {"token": "a", "logprob": -1, "top_logprobs": [None, {"token": "b"}]}))
    assert (reading.logprobs(), reading.tokens[0]["top"]) == ([("a", -1.0)], [("b", None)])


def test_logprobs_beside_no_content(read):
    reading = read(
        delta({"reasoning_content": "h"}, None, {"content": [token("h", -0.4)]})
        + content(token("<t>", -0.1)) + delta({}, "tool_calls") + content(token("e", -0.2))
    )  # fmt: skip
    assert [(row["token"], row["chunk"]) for row in reading.tokens] == [("h", 0), ("<t>", 1), ("e", 3)]
    assert reading.choice["finish_reason"] == "tool_calls"


def test_text_and_tokens_need_not_agree(read):
    reading = read(content(token("<think>", -0.1), added="<t") + text("hink>"))
    assert (reading.text, [row["token"] for row in reading.tokens]) == ("<think>", ["<think>"])


def test_cumulative_logprobs_are_appended(read):
    reading = read(content(token("a", -0.1), added="a") + content(token("a", -0.1), token("b", -0.2), added="b"))
    assert len(reading.tokens) == 3


def test_lists_in_order_whatever_the_key_order(read):
    logprobs = {"reasoning_content": [token("r", -1)], "refusal": [token("f", -2)], "content": [token("c", -3), token("d", -4)]}
    reading = read(delta({}, None, logprobs) + delta({}, None, logprobs))
    assert [(row["list"], row["token"], row["position"]) for row in reading.tokens] == [
        ("content", "c", 0), ("content", "d", 1), ("refusal", "f", 0), ("reasoning", "r", 0),
        ("content", "c", 2), ("content", "d", 3), ("refusal", "f", 1), ("reasoning", "r", 1),
    ]  # fmt: skip
    assert (reading.choice["token_count"], reading.choice["logprob_sum"]) == (8, -20.0)


@pytest.mark.parametrize("beside", [[token("r", -1)], {"content": [token("r", -1)]}])
def test_reasoning_logprobs_beside_the_others(read, beside):
    choice = {"index": 0, "logprobs": None, "reasoning_logprobs": beside}
    assert [(row["list"], row["token"]) for row in read(event({"choices": [choice]})).tokens] == [("reasoning", "r")]
    choice["logprobs"] = {"reasoning_content": []}
    assert read(event({"choices": [choice]})).tokens == []
    choice["reasoning_logprobs"] = 5
    assert read(event({"choices": [choice]})).kinds() == []


def test_positions_count_by_choice_and_list(read):
    reading = read(
        delta({}, None, {"content": [token("a", -1)]}, index=1)
        + delta({}, None, {"content": [token("b", -1)]}, index=0)
        + delta({}, None, {"content": [token("c", -1)]}, index=1)
    )
    assert [(row["index"], row["position"]) for row in reading.tokens] == [(1, 0), (0, 0), (1, 1)]


def test_older_shape(read):
    older = {
        "content": None, "tokens": ["a", "b", None], "token_logprobs": [None, -0.2],
        "top_logprobs": [None, {"b": -0.2, "c": -1.7, "d": None}], "text_offset": [0, 1],
    }  # fmt: skip
    reading = read(delta({}, None, older))
    assert [(row["token"], row["logprob"], row["top"], row["bytes"]) for row in reading.tokens] == [
        ("a", None, [], None), ("b", -0.2, [("b", -0.2), ("c", -1.7), ("d", None)], None), ("", None, [], None),
    ]  # fmt: skip


def test_older_shape_with_lists_of_other_lengths(read):
    assert read(delta({}, None, {"token_logprobs": [-1, -2]})).logprobs() == [("", -1.0), ("", -2.0)]
    assert read(delta({}, None, {"top_logprobs": [{"a": -1}]})).tokens == []
    assert read(delta({}, None, {"content": [], "tokens": ["a"]})).tokens == []
    data = '{"choices":[{"logprobs":{"tokens":["a"],"top_logprobs":[{"x":-1,"y":-0,"x":-3}]}}]}'
    assert read(event(data)).tokens[0]["top"] == [("x", -3.0), ("y", -0.0)]


def test_entries_without_a_column(read):
    entry = {"id": 5, "token": "a", "prob": 0.5, "top_probs": [{"token": "a", "prob": 0.5}]}
    reading = read(content(entry))
    assert (reading.logprobs(), reading.tokens[0]["top"]) == ([("a", None)], [])


def test_sum_is_compensated(read):
    reading = read(content(*[token("a", -0.1)] * 1000), tables=["choices"])
    assert reading.choice["logprob_sum"] == -100.0
    assert read(content(token("a", 1e100), token("b", 1.0), token("c", -1e100))).choice["logprob_sum"] == 1.0


def test_sum_of_infinities(read):
    reading = read(with_logprob("-Infinity") + with_logprob("-1"))
    assert reading.choice["logprob_sum"] == -inf
    assert read(with_logprob("-Infinity") + with_logprob("Infinity")).choice["logprob_sum"] is None


def test_lone_surrogates_in_a_token(read):
    reading = read(event('{"choices":[{"logprobs":{"content":[{"token":"\\ud83d"},{"token":"\\ude00\\ud83d\\ude00"}]}}]}'))
    assert [row["token"] for row in reading.tokens] == ["\ufffd", "\ufffd😀"]


@pytest.mark.parametrize(
    ("logprobs", "message"),
    [
        ({"content": {}}, M_LIST), ({"content": "x"}, M_LIST), ({"refusal": 5}, M_LIST), ({"reasoning_content": {}}, M_LIST),
        ({"content": [5]}, M_ENTRY), ({"content": [[]]}, M_ENTRY),
        ({"content": [{"token": 5}]}, M_TOKEN),
        ({"content": [{"logprob": "x"}]}, M_LOGPROB), ({"content": [{"logprob": True}]}, M_LOGPROB),
        ({"content": [{"top_logprobs": {}}]}, M_TOP),
        ({"content": [{"top_logprobs": [5]}]}, M_TOP_ENTRY),
        ({"content": [{"top_logprobs": [[]]}]}, M_TOP_ENTRY),
        ({"content": [{"top_logprobs": [{"token": []}]}]}, M_TOKEN),
        ({"content": [{"top_logprobs": [5], "logprob": "x"}]}, M_LOGPROB),
        ({"content": [{"top_logprobs": 5, "token": 5}]}, M_TOKEN),
        ({"content": [{"top_logprobs": [{"logprob": []}]}]}, M_LOGPROB),
        ({"tokens": "x"}, M_LIST), ({"token_logprobs": {}}, M_LIST), ({"tokens": [5]}, M_TOKEN),
        ({"token_logprobs": ["x"]}, M_LOGPROB), ({"tokens": ["a"], "top_logprobs": [5]}, M_TOP_ENTRY),
        ({"tokens": ["a"], "top_logprobs": [{"b": "x"}]}, M_LOGPROB),
    ],
)  # fmt: skip
def test_wrong_types_lose_the_chunk_whole(read, logprobs, message):
    reading = read(content(token("a", -1, None, [("a", -1)])) + delta({"content": "x"}, None, logprobs) + content(token("b", -2)))
    assert (reading.kinds(), reading.logprobs()) == (["type"], [("a", -1.0), ("b", -2.0)])
    assert (reading.tokens[0]["top"], reading.text) == ([("a", -1.0)], None)
    assert reading.problem["message"] in (message, M_LIST, M_ENTRY)


def test_nan_is_in_the_column(engine_class):
    reader = engine_class(frozenset(["tokens"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(content(token("a", None)))
    reader.end()
    assert isnan(reader.take().tables["tokens"]["logprob"][0])


def test_older_alternatives_with_repeated_names(read):
    """As in a Python dict: the first place of a name and its last value count, however the name is spelled."""
    tops = '{"a":"x","b":-2,"\\u0061":-1,"c":-3,"b":null,"\\ud83d":-5,"\\ud83d\\ude00":-6}'
    reading = read(event('{"choices":[{"logprobs":{"tokens":["a"],"top_logprobs":[%s]}}]}' % tops))
    assert reading.kinds() == []
    assert str(reading.tokens[0]["top"]) == "[('a', -1.0), ('b', None), ('c', -3.0), ('\ufffd', -5.0), ('😀', -6.0)]"
    assert read(event('{"choices":[{"logprobs":{"tokens":["a"],"top_logprobs":[{"a":-1,"a":"x"}]}}]}')).kinds() == ["type"]


def test_older_alternatives_in_great_number(read):
    tops = {f"name {i}": -float(i) for i in range(2000)}
    reading = read(delta({}, None, {"tokens": ["a"], "token_logprobs": [-1.0], "top_logprobs": [tops]}))
    assert reading.tokens[0]["top"] == list(tops.items())

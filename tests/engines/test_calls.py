"""Tool calls, put together from pieces of many shapes."""

from __future__ import annotations

import pytest

from ssift.contract import M_ARGUMENTS, M_CALL, M_CALL_INDEX, M_CALLS, M_NAMELESS
from ssift.python import calls
from tests.engines.feeding import DONE, call_pieces, delta, event, piece, text


def test_one_call_in_pieces(read):
    reading = read(
        call_pieces(piece(0, "a", "f", "")) + call_pieces(piece(0, args='{"x":')) + call_pieces(piece(0, args="1}"))
    )
    [row] = reading.tool_calls
    assert row == {
        "response": 0, "index": 0, "call": 0, "id": "a", "type": "function", "name": "f", "arguments": '{"x":1}',
    }  # fmt: skip


def test_no_index(read):
    reading = read(
        call_pieces(piece(id="a", name="f", args='{"x":'))
        + call_pieces(piece(args="1}"))
        + call_pieces(piece(id="b", name="g", args="{}"))
    )
    assert reading.calls() == [("f", '{"x":1}'), ("g", "{}")]


def test_same_index_twice_in_one_delta(read):
    reading = read(call_pieces(piece(0, "a", "f", ""), piece(0, args='{"x":')) + call_pieces(piece(0, args="1}")))
    assert reading.calls() == [("f", '{"x":1}')]


def test_parallel_calls_that_all_carry_index_0(read):
    reading = read(call_pieces(piece(0, "a", "f", '{"q":1}')) + call_pieces(piece(0, "b", "f", '{"q":2}')))
    assert reading.calls() == [("f", '{"q":1}'), ("f", '{"q":2}')]
    assert [row["id"] for row in reading.tool_calls] == ["a", "b"]


def test_new_id_and_name_while_the_arguments_are_not_whole(read):
    reading = read(call_pieces(piece(0, "a", "f", '{"q":')) + call_pieces(piece(0, "b", "f", "1}")))
    assert reading.calls() == [("f", '{"q":1}')]
    assert reading.tool_calls[0]["id"] == "a"


def test_new_id_and_another_name(read):
    reading = read(call_pieces(piece(0, "a", "f", '{"q":')) + call_pieces(piece(0, "b", "g", "{}")))
    assert reading.calls() == [("f", '{"q":'), ("g", "{}")]


def test_identity_repeated_in_every_delta(read):
    reading = read(call_pieces(piece(0, "a", "f", "{")) + call_pieces(piece(0, "a", "f", "}")))
    assert reading.calls() == [("f", "{}")]


def test_empty_identity_changes_nothing(read):
    reading = read(
        call_pieces(piece(0, "a", "f", "{"))
        + call_pieces({"index": 0, "id": "", "type": "", "function": {"name": None, "arguments": "}"}})
    )
    assert [(row["id"], row["type"], row["name"], row["arguments"]) for row in reading.tool_calls] == [
        ("a", "function", "f", "{}")
    ]


def test_null_arguments_and_function(read):
    reading = read(
        call_pieces({"index": 0, "id": "a", "function": {"name": "f", "arguments": None}}, piece(1, "b", "g", "{}"))
        + call_pieces({"index": 0, "function": None}, None)
    )
    assert reading.calls() == [("f", ""), ("g", "{}")]


@pytest.mark.parametrize(
    "arguments", ['{"x": 1}', "{ }", '[1,\t{"a":-0}]', '{"a":"\\u00e9\\ud83d","b":1e400,"a":{"c":[]}}', "{\"é\":[\n]}"]
)
def test_arguments_that_are_no_string_count_as_sent(read, arguments):
    data = '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":%s}}]}}]}' % arguments
    lines = data.split("\n")
    reading = read("".join(f"data: {line}\n" for line in lines).encode() + b"\n")
    assert reading.calls() == [("f", arguments)]


def test_arguments_as_sent_are_those_of_the_last_of_equal_keys(read):
    data = (
        '{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":{"a" : 1},"arguments":{"b" : 2}}}]}}],'
        '"choices":[{"delta":{"tool_calls":[{"function":{"name":"g","arguments":{ "c":3 }}}]}}]}'
    )
    assert read(event(data)).calls() == [("g", '{ "c":3 }')]


def test_gaps_in_the_indices(read):
    reading = read(call_pieces(piece(3, "a", "f", "{}")) + call_pieces(piece(1, "b", "g", "{}")))
    assert [(row["call"], row["name"]) for row in reading.tool_calls] == [(0, "f"), (1, "g")]


def test_null_and_empty_lists_beside_content(read):
    reading = read(delta({"content": "a", "tool_calls": None}) + delta({"content": "b", "tool_calls": []}))
    assert (reading.text, reading.tool_calls) == ("ab", [])


def test_arguments_sent_again_are_appended(read):
    reading = read(call_pieces(piece(0, "a", "f", '{"n":1')) + call_pieces(piece(0, args='{"n":1}')))
    assert reading.calls() == [("f", '{"n":1{"n":1}')]


def test_name_in_parts(read):
    assert read(call_pieces(piece(0, "a", "get_")) + call_pieces(piece(0, name="time"))).calls() == [("get_time", "")]


def test_id_finds_its_call_without_an_index(read):
    reading = read(
        call_pieces(piece(0, "a", "f"), piece(1, "b", "g"))
        + call_pieces(piece(id="a", args="{"))
        + call_pieces(piece(args="}"))
        + call_pieces(piece(1, args="[]"))
    )
    assert reading.calls() == [("f", "{}"), ("g", "[]")]


def test_unknown_id_without_an_index_opens_a_call(read):
    reading = read(call_pieces(piece(0, "a", "f", "{")) + call_pieces(piece(id="z", name="f", args="}")))
    assert reading.calls() == [("f", "{"), ("f", "}")]


def test_name_alone_begins_a_call_when_the_last_one_is_whole(read):
    reading = read(call_pieces(piece(name="f", args="{}")) + call_pieces(piece(name="f", args="{ }")))
    assert reading.calls() == [("f", "{}"), ("f", "{ }")]
    reading = read(call_pieces(piece(name="f", args="{")) + call_pieces(piece(name="f", args="}")))
    assert reading.calls() == [("f", "{}")]
    reading = read(call_pieces(piece(name="f", args="[]")) + call_pieces(piece(name="f", args="")))
    assert reading.calls() == [("f", "[]")]


def test_new_call_under_an_index_takes_it_over(read):
    reading = read(
        call_pieces(piece(0, "a", "f", "{}")) + call_pieces(piece(0, "b", "f", "{")) + call_pieces(piece(0, args="}"))
    )
    assert reading.calls() == [("f", "{}"), ("f", "{}")]


def test_first_id_and_type_stay(read):
    reading = read(
        call_pieces(piece(0, name="f")) + call_pieces(piece(0, id="a")) + call_pieces(piece(0, id="b", type="x"))
    )
    assert [(row["id"], row["type"]) for row in reading.tool_calls] == [("a", "function")]


def test_index_may_be_any_integral_number(read):
    reading = read(call_pieces(piece(1.0, "a", "f", "{")) + call_pieces(piece(1, args="}")))
    assert reading.calls() == [("f", "{}")]


def test_calls_of_several_choices(read):
    reading = read(
        delta({"tool_calls": [piece(0, "a", "f", "{}")]}, index=1) + delta({"tool_calls": [piece(0, "b", "g", "{}")]})
    )
    assert [(row["index"], row["name"]) for row in reading.tool_calls] == [(0, "g"), (1, "f")]


def test_surrogate_pair_cut_between_pieces(read):
    first = event('{"choices":[{"delta":{"tool_calls":[{"function":{"name":"f","arguments":"\\ud83d"}}]}}]}')
    second = event('{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\\ude00\\ud83d"}}]}}]}')
    assert read(first + second).calls() == [("f", "😀\ufffd")]


def test_pieces_that_never_find_a_name(read):
    first = call_pieces(piece(0, "a", args="{}"), piece(1, "b", "g", "{}"))
    reading = read(text("x") + first + call_pieces(piece(5, args="{")) + DONE)
    assert [(row["call"], row["name"]) for row in reading.tool_calls] == [(0, "g")]
    assert [(row["kind"], row["message"], row["offset"], row["response"]) for row in reading.problems] == [
        ("type", M_NAMELESS, len(text("x")), 0),
        ("type", M_NAMELESS, len(text("x") + first), 0),
    ]
    assert reading.counts.problem_bytes == 0
    assert [row["line"] for row in reading.problems] == [3, 5]


def test_nameless_pieces_matter_only_where_calls_are_wanted(read):
    assert read(call_pieces(piece(0, args="{}")), tables=["responses"]).kinds() == []


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ({}, M_CALLS),
        ("x", M_CALLS),
        (0, M_CALLS),
        ([5], M_CALL),
        ([[]], M_CALL),
        ([{"index": "0"}], M_CALL_INDEX),
        ([{"index": True}], M_CALL_INDEX),
        ([{"index": 0.5}], M_CALL_INDEX),
        ([{"function": {"arguments": 5}}], M_ARGUMENTS),
        ([{"function": {"arguments": True}}], M_ARGUMENTS),
    ],
)
def test_wrong_types(read, calls, message):
    reading = read(text("a") + delta({"content": "x", "tool_calls": calls}))
    assert (reading.kinds(), reading.problem["message"], reading.text) == (["type"], message, "a")
    assert read(text("a") + delta({"content": "x", "tool_calls": calls}), tables=["choices"]).text == "ax"


def test_wrong_types_that_do_not_matter(read):
    entry = {"index": 0, "id": 5, "type": [], "function": {"name": {}, "arguments": "{}"}}
    reading = read(call_pieces(piece(0, "a", "f")) + call_pieces(entry) + call_pieces({"index": 0, "function": "x"}))
    assert (reading.calls(), reading.kinds()) == ([("f", "{}")], [])


def test_growing_name_leaves_room_for_the_entries_after_it(engine_class):
    """A name that grows is written anew; the id behind it must still find the room that was reserved for the chunk."""
    data = (
        b'data: {"id":"a","choices":[{"delta":{"role":"assistant","tool_calls":[{"index":0,"function":{"name":"%s"}}]}}]}\n\n'
        b'data: {"id":"a","choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"x"}},'
        b'{"index":1,"id":"%s","function":{"name":"b"}}]}}]}\n\n' % (b"n" * 300, b"y" * 400)
    )
    reader = engine_class(frozenset(["tool_calls"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(data)
    reader.end()
    calls = reader.take().tables["tool_calls"]
    assert bytes(calls["name"].data) == b"n" * 300 + b"xb"
    assert bytes(calls["id"].data) == b"y" * 400


def test_a_call_among_very_many(read):
    """Every one of many is found again, by its index or by its id; the newest where several have the same."""
    many = [piece(i, f"id{i}", f"f{i}", "{") for i in range(300)]
    by_index = [piece(i, args=f"i{i}") for i in range(300)]
    by_id = [{"id": f"id{i}", "function": {"arguments": "}"}} for i in range(300)]
    assert read(call_pieces(*many) + call_pieces(*by_index) + call_pieces(*by_id)).calls() == [
        (f"f{i}", f"{{i{i}}}") for i in range(300)
    ]


def test_the_newest_of_many_under_one_index(read):
    many = [piece(0, f"id{i}", f"f{i}", "{") for i in range(100)]
    calls = read(call_pieces(*many) + call_pieces(piece(0, args="}"))).calls()
    assert calls == [(f"f{i}", "{") for i in range(99)] + [("f99", "{}")]


@pytest.mark.parametrize(
    ("arguments", "whole"),
    [
        (["{}"], True),
        (['{"a"', ':"}"', "}"], True),
        (["{}", " \n"], True),
        (['{"a":"\\\\"}'], True),
        (['{"a":' * 1500, "{}" + "}" * 1500], True),  # deeper than the limit of events
        (['{"a":{"b":[1,', "2]}"], False),
        (['{"a":"}'], False),
        (['{"a":"\\"}'], False),
        (["{}", "x"], False),
        (["{}", "{}"], False),
        (["[]"], False),
        (["{]}"], False),
        (["{a}", " "], False),
        ([" "], False),
    ],
)
def test_arguments_that_are_whole(read, arguments, whole):
    """The same name again opens a call only when the arguments so far are an object; they are asked after each piece."""
    pieces = [{"id": "a", "function": {"name": "f"}}] + [{"function": {"arguments": text}} for text in arguments]
    asked = [{"function": {"name": "f", "arguments": "!"}}]
    calls = read(call_pieces(*pieces, *asked)).calls()
    sent = "".join(arguments)
    assert calls == ([("f", sent), ("f", "!")] if whole else [("f", sent + "!")])


def test_a_name_in_many_parts(read):
    parts = [piece(0, name=part) for part in ("get", "_", "weather", "get_weather", "", "_now")]
    assert read(call_pieces(*parts) + call_pieces(piece(0, name="get_weather_now"))).calls() == [("get_weather_now", "")]


def test_ids_that_differ_in_lone_surrogates_alone_are_the_same(read):
    reading = read(call_pieces(piece(id="a\ud83d", name="f", args='{"q":')) + call_pieces(piece(id="a\ude00", args="1}")))
    assert reading.calls() == [("f", '{"q":1}')]
    assert reading.tool_calls[0]["id"] == "a\ufffd"
    reading = read(call_pieces(piece(0, "\ud83d", "f", "{}")) + call_pieces(piece(0, "\ude00", "f", "{}")))
    assert reading.calls() == [("f", "{}{}")]
    reading = read(call_pieces(piece(0, "\ud83d", "f", "{}")) + call_pieces(piece(0, "\ud83d\ude00", "f", "{}")))
    assert [row["id"] for row in reading.tool_calls] == ["\ufffd", "😀"]


@pytest.mark.parametrize("blanks", ["", " ", "\n", "\t\r\n "])
@pytest.mark.parametrize("end", ["}", "} ", "]", "}\u00a0", ""])
def test_whether_arguments_are_whole_does_not_depend_on_how_they_came(read, blanks, end):
    whole = end.strip(" ") == "}"
    first = call_pieces(piece(name="f", args='{"a":{')) + call_pieces(piece(args="}")) + call_pieces(piece(args=end))
    reading = read(first + call_pieces(piece(args=blanks)) + call_pieces(piece(name="f", args="{")))
    assert len(reading.tool_calls) == (2 if whole else 1)


def test_arguments_that_cannot_be_whole_are_not_put_together(monkeypatch):
    parsed = []
    monkeypatch.setattr(calls, "loads_text", lambda text: parsed.append(text) or {})
    growing = calls.Calls()
    for part in ['{"a":"', *["word "] * 50, '"', "}"]:
        growing.add(calls.Piece(None, "", "", "f", part), (0, 0, 1))
    assert parsed == []
    growing.add(calls.Piece(None, "", "", "f", ""), (0, 0, 1))
    assert len(parsed) == 1
    assert len(growing.calls) == 2

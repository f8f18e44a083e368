"""The shape of chunks: whatever servers leave out, add or write in another way."""

from __future__ import annotations

import pytest

from ssift.contract import M_CHOICE, M_CHOICES, M_CONTENT, M_DELTA, M_INDEX, M_REFUSAL
from tests.engines.feeding import DONE, delta, event, text, token


def test_empty_choices_and_empty_names(read):
    first = {"id": "", "object": "", "model": "", "created": 0, "choices": [], "prompt_filter_results": []}
    reading = read(event(first) + text("a", "stop", id="c", model="m", created=7, object="chat.completion.chunk"))
    row = reading.response
    assert (row["id"], row["model"], row["created"], row["object"]) == ("c", "m", 7, "chat.completion.chunk")
    assert reading.chunks[0]["choice_count"] == 0


def test_names_never_sent(read):
    row = read(event({"choices": []})).response
    assert (row["id"], row["object"], row["model"], row["created"]) == ("", "", "", None)
    assert (row["system_fingerprint"], row["service_tier"]) == (None, None)
    assert read(event({"choices": [], "created": 0})).response["created"] == 0


def test_first_name_that_is_not_empty_stays(read):
    names = {"model": "m1", "system_fingerprint": "f1", "service_tier": None}
    more = {"model": "m2", "system_fingerprint": "f2", "service_tier": "default", "created": 9}
    row = read(text("a", **names) + text("b", **more)).response
    assert (row["model"], row["system_fingerprint"], row["service_tier"], row["created"]) == ("m1", "f1", "default", 9)


def test_null_choices(read):
    reading = read(event({"choices": None}) + event({"id": "a"}))
    assert (reading.counts.chunks, reading.counts.skipped, reading.kinds()) == (1, 1, [])


@pytest.mark.parametrize("kind", ["chat.completion.chunk", "chat.completion", "text_completion.x"])
def test_object_makes_a_chunk(read, kind):
    assert read(event({"object": kind})).counts.chunks == 1


@pytest.mark.parametrize("other", [{"object": "list"}, {"object": 5}, {"choices": {}}, {"choices": "x"}, {"object": None}])
def test_other_objects_are_skipped(read, other):
    assert read(text("a") + event(other)).counts.skipped == 1


def test_missing_and_null_delta(read):
    reading = read(event({"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}) + event({"choices": [{}]}))
    assert (reading.choice["finish_reason"], reading.text, reading.choice["index"]) == ("stop", None, 0)


def test_annotations_without_a_delta(read):
    note = {"index": 0, "finish_reason": None, "content_filter_results": {}, "content_filter_offsets": {"end_offset": 9}}
    reading = read(text("a", "stop") + event({"choices": [note], "usage": None}))
    assert (reading.text, reading.choice["finish_reason"], reading.tokens) == ("a", "stop", [])


@pytest.mark.parametrize(
    ("sent", "expected"),
    [("1748694614.85", 1748694614), ('"2025/05/16"', None), ("null", None), ("true", None), ("1e400", None),
     ("NaN", None), ("9223372036854775807", 9223372036854775807), ("9223372036854775808", None),
     ("-9223372036854775808", -(1 << 63)), ("-9223372036854775809", None), ("-9223372036854775808.0", -(1 << 63)),
     ("-9.223372036854775808e18", -(1 << 63)), ("9.3e18", None), ("36893488147419103232", None), ("-0", 0),
     ("-1.9", -1), ("[5]", None)],
)  # fmt: skip
def test_created(read, sent, expected):
    reading = read(b'data: {"created":%b,"choices":[{"delta":{"content":"a"}}]}\n\n' % sent.encode())
    assert (reading.response["created"], reading.text) == (expected, "a")


def test_unknown_keys_of_any_type(read):
    data = (
        '{"obfuscation":"ZGF","x":[{"y":{}}],"choices":[{"z":null,"index":0,"delta":{"content":"a","q":[[]]},'
        '"logprobs":{"content":[{"id":4,"token":"a","logprob":-1,"top_logprobs":[]}],"v":0}}],"huge":1e400,"n":'
        + "9" * 5000 + "}"
    )  # fmt: skip
    reading = read(event(data))
    assert (reading.text, reading.logprobs()) == ("a", [("a", -1.0)])


def test_any_key_order_and_white_space(read):
    data = '{ "choices" :\t[ { "delta" : { "content" : "a" } , "index" : 2 } ] , "id" : "r" }'
    reading = read(event(data))
    assert (reading.text, reading.choice["index"], reading.ids()) == ("a", 2, ["r"])


def test_last_of_equal_keys_wins(read):
    data = '{"id":"x","choices":[],"id":"r","choices":[{"delta":{"content":"a","content":"b"},"delta":{"content":"c"}}]}'
    reading = read(event(data))
    assert (reading.text, reading.ids()) == ("c", ["r"])


def test_list_of_typed_parts(read):
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "hi"}]
    reading = read(delta({"content": parts}) + text(" x"))
    assert (reading.text, reading.choice["reasoning"]) == ("hi x", "hm")


def test_parts_of_other_kinds(read):
    parts = ["a", {"type": "reference"}, {"type": "text"}, {"type": "thinking", "thinking": "t"}, 5, None, {"text": "b"}]
    reading = read(delta({"content": parts}))
    assert (reading.text, reading.choice["reasoning"]) == ("a", "t")
    reading = read(delta({"content": []}))
    assert (reading.text, reading.choice["reasoning"]) == ("", None)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"reasoning_content": "a", "reasoning": "a"}, "a"),
        ({"reasoning_content": "", "reasoning": "b"}, "b"),
        ({"reasoning_content": None, "reasoning": "b"}, "b"),
        ({"reasoning_content": 5, "reasoning": "b"}, "b"),
        ({"reasoning_details": [{"text": "c"}, {"summary": "d"}, {"text": 1, "summary": "e"}, {}, 5]}, "cde"),
        ({"reasoning": "", "reasoning_details": []}, ""),
        ({"reasoning_details": []}, None),
        ({"reasoning_details": "x"}, None),
        ({"reasoning_details": [{"type": "x"}]}, None),
        ({"reasoning_details": [{"text": ""}]}, ""),
        ({"content": [{"type": "thinking", "thinking": ""}]}, ""),
        ({"content": [{"type": "thinking", "thinking": 5}]}, None),
        ({"content": [{"type": "thinking", "thinking": "t"}], "reasoning": "r"}, "r"),
        ({"reasoning": None}, None),
    ],
)  # fmt: skip
def test_names_of_the_reasoning(read, said, expected):
    assert read(delta(said)).choice["reasoning"] == expected


def test_each_delta_chooses_its_own_name(read):
    assert read(delta({"reasoning_content": "a", "reasoning": "x"}) + delta({"reasoning": "b"})).choice["reasoning"] == "ab"


def test_empty_finish_reason_is_none(read):
    reading = read(text("a", "") + text("b", "stop"))
    assert (reading.text, reading.choice["finish_reason"]) == ("ab", "stop")
    assert read(text("a", "")).response["status"] == "truncated"


def test_finish_reason_twice_and_null_behind(read):
    reading = read(text("a", "stop") + delta({}, "stop") + delta({}, None))
    assert (reading.text, reading.choice["finish_reason"]) == ("a", "stop")
    assert read(text("a", "stop") + delta({}, "length") + delta({}, "")).choice["finish_reason"] == "length"
    assert read(text("a", 5)).choice["finish_reason"] is None


def test_role_in_every_delta(read):
    reading = read(delta({"role": "assistant", "content": "a"}) + delta({"role": "user", "content": "b"}) + delta({"role": ""}))
    assert (reading.choice["role"], reading.text) == ("assistant", "ab")
    assert read(delta({"role": 5})).choice["role"] is None


def test_refusal(read):
    reading = read(delta({"refusal": "I can"}, None, {"content": None, "refusal": [token("I", -0.1), token(" can", -0.2)]}))
    assert (reading.choice["refusal"], reading.text) == ("I can", None)
    assert [(row["list"], row["position"]) for row in reading.tokens] == [("refusal", 0), ("refusal", 1)]


def test_null_and_empty_texts(read):
    assert read(delta({"content": None})).text is None
    reading = read(delta({"content": None}) + delta({"content": ""}))
    assert (reading.text, reading.choice["refusal"]) == ("", None)


def test_numbers_nobody_reads(read):
    data = '{"created":36893488147419103232,"choices":[{"index":0,"delta":{"content":"a"}}],"x":1e400,"y":-1e-400}'
    assert read(event(data)).text == "a"


def test_text_completion(read):
    choice = {"index": 0, "text": "a", "logprobs": None, "finish_reason": None}
    assert read(event({"object": "text_completion", "choices": [choice]})).text == "a"


def test_whole_completion(read):
    choice = {"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}
    reading = read(event({"object": "chat.completion", "choices": [choice]}))
    assert (reading.text, reading.choice["role"], reading.response["status"]) == ("hi", "assistant", "complete")


def test_delta_goes_before_message_and_text(read):
    assert read(event({"choices": [{"delta": {"content": "d"}, "message": {"content": "m"}, "text": "t"}]})).text == "d"
    assert read(event({"choices": [{"delta": None, "message": {"content": "m"}, "text": "t"}]})).text == "m"
    assert read(event({"choices": [{"delta": {}, "text": "t"}]})).text is None
    assert read(event({"choices": [{"message": None, "text": "t"}]})).text == "t"
    assert read(event({"choices": [{"text": 5}]})).text is None


def test_choices_by_index(read):
    reading = read(text("a", index=2) + text("b", index=-1) + text("c", index=2.0) + text("d", index=20e-1))
    assert [(row["index"], row["content"]) for row in reading.choices] == [(-1, "b"), (2, "acd")]


def test_choice_without_an_index_has_its_place(read):
    choices = [{"delta": {"content": "a"}}, None, {"delta": {"content": "c"}, "index": None}]
    reading = read(event({"choices": choices}))
    assert [(row["index"], row["content"]) for row in reading.choices] == [(0, "a"), (2, "c")]
    assert reading.chunks[0]["choice_count"] == 2


def test_same_index_twice_in_a_chunk(read):
    choices = [{"index": 0, "delta": {"content": "a"}}, {"index": 0, "delta": {"content": "b"}}]
    assert read(event({"choices": choices})).text == "ab"


# --------------------------------------------------------------------------------------------------- wrong types

WRONG = [
    ({"choices": "x", "object": "chat.completion.chunk"}, M_CHOICES),
    ({"choices": [5]}, M_CHOICE),
    ({"choices": [[]]}, M_CHOICE),
    ({"choices": [{"index": "0"}]}, M_INDEX),
    ({"choices": [{"index": 0.5}]}, M_INDEX),
    ({"choices": [{"index": True}]}, M_INDEX),
    ({"choices": [{"index": 1 << 63}]}, M_INDEX),
    ({"choices": [{"index": float("nan")}]}, M_INDEX),
    ({"choices": [{"delta": "x"}]}, M_DELTA),
    ({"choices": [{"delta": []}]}, M_DELTA),
    ({"choices": [{"message": "x"}]}, M_DELTA),
    ({"choices": [{"delta": {"content": 5}}]}, M_CONTENT),
    ({"choices": [{"delta": {"content": {}}}]}, M_CONTENT),
    ({"choices": [{"delta": {"content": False}}]}, M_CONTENT),
    ({"choices": [{"delta": {"refusal": []}}]}, M_REFUSAL),
    ({"choices": [{"delta": {"content": "x"}}, {"index": {}}]}, M_INDEX),
]  # fmt: skip


@pytest.mark.parametrize(("value", "message"), WRONG)
def test_wrong_type_adds_nothing(read, value, message):
    reading = read(text("a") + event({**value, "id": "z", "model": "m", "usage": {"prompt_tokens": 5}}) + text("b") + DONE)
    assert (reading.kinds(), reading.problem["message"], reading.problem["response"]) == (["type"], message, 0)
    assert (reading.text, reading.ids(), reading.response["model"]) == ("ab", [""], "")
    assert (reading.response["prompt_tokens"], len(reading.chunks)) == (None, 2)
    assert (reading.counts.problem_bytes, reading.counts.chunks) == (reading.problem["length"], 2)


def test_wrong_types_that_do_not_matter(read):
    value = {
        "id": 5, "object": 7, "created": "x", "model": [], "system_fingerprint": {}, "service_tier": 1, "usage": "x",
        "choices": [{"index": 0, "finish_reason": 3, "logprobs": -0.5, "usage": [],
                     "delta": {"role": {}, "content": "a", "reasoning": 5, "reasoning_details": {}, "function_call": 9}}],
    }  # fmt: skip
    reading = read(event(value))
    assert (reading.text, reading.kinds(), reading.choice["reasoning"]) == ("a", [], None)


def test_unwanted_fields_are_not_looked_at(read):
    value = {"choices": [{"delta": {"content": 5, "refusal": 5, "tool_calls": 5}, "logprobs": {"content": 5}}]}
    assert read(event(value), tables=["responses"]).kinds() == []
    assert read(event(value), tables=["chunks"]).kinds() == ["type"]
    assert read(event({"choices": [{"delta": {"content": 5}}]}), tables=["chunks"]).kinds() == []
    entry = {"token": "a", "top_logprobs": 5}
    assert read(event({"choices": [{"logprobs": {"content": [entry]}}]}), tables=["choices"]).kinds() == []
    assert read(event({"choices": [{"logprobs": {"content": [entry]}}]}), tables=["tokens"]).kinds() == ["type"]
    assert read(event({"choices": [{"index": "x"}]}), tables=["problems"]).kinds() == ["type"]

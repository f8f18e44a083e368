"""How responses end: `[DONE]`, the end of the source, and errors a server put into its stream."""

from __future__ import annotations

import pytest

from ssift.contract import M_JSON
from tests.engines.feeding import DONE, delta, event, text, usage


def test_no_done_but_finished(read):
    reading = read(text("a", "stop"))
    assert (reading.response["status"], reading.response["done"]) == ("complete", False)


def test_neither_finish_reason_nor_done(read):
    reading = read(text("a"))
    assert (reading.text, reading.choice["finish_reason"], reading.response["status"]) == ("a", None, "truncated")


def test_done_alone_completes(read):
    reading = read(text("a") + DONE)
    assert (reading.response["status"], reading.response["done"], reading.choice["finish_reason"]) == (
        "complete", True, None,
    )  # fmt: skip


def test_one_choice_of_two_unfinished(read):
    assert read(text("a", "stop") + text("b", index=1)).response["status"] == "truncated"
    assert read(text("a", "stop") + text("b", "length", index=1)).response["status"] == "complete"


def test_no_choices_at_all(read):
    reading = read(event({"choices": []}))
    assert (reading.response["status"], reading.choices) == ("truncated", [])


def test_usage_behind_the_finish_reason(read):
    reading = read(text("a") + delta({}, "stop") + event({"choices": [], "usage": usage(3, 5, 8)}) + DONE)
    row = reading.response
    assert (row["prompt_tokens"], row["completion_tokens"], row["total_tokens"]) == (3, 5, 8)
    assert (row["chunk_count"], row["length"]) == (3, sum(reading.counts[:3]) + 3)


def test_done_without_a_response_is_counted(read):
    reading = read(DONE + DONE)
    assert (reading.counts.done, reading.responses, reading.kinds(), reading.counts.done_bytes) == (2, [], [], 26)


def test_done_in_a_json_string_is_skipped(read):
    assert read(event('"[DONE]"') + DONE).counts.skipped == 1


def test_something_behind_done(read):
    assert read(text("a") + b"data: [DONE] bye\n\n").counts.done == 1


# -------------------------------------------------------------------------------------------------------- errors


def error_of(reading):
    row = reading.response
    return row["status"], row["error_message"], row["error_code"]


def test_error_in_the_stream(read):
    error = {"error": {"message": "TimeoutError", "type": "GatewayTimeout", "code": 504}}
    reading = read(text("a") + event(error) + DONE)
    assert error_of(reading) == ("errored", "TimeoutError", "504")
    assert (reading.text, reading.response["chunk_count"], len(reading.chunks)) == ("a", 1, 1)
    assert (reading.response["done"], reading.counts.errors) == (True, 1)
    assert reading.response["length"] == len(text("a") + event(error) + DONE) - 1


def test_error_event_with_the_message_at_top_level(read):
    assert error_of(read(event({"message": "overloaded", "code": 529}, "error"))) == ("errored", "overloaded", "529")


def test_error_event_of_plain_text(read):
    reading = read(event("Too many requests", "error"))
    assert error_of(reading) == ("errored", "Too many requests", None)
    assert (reading.counts.error_bytes, reading.counts.blank_bytes) == (13 + 24, 1)


def test_plain_text_without_a_name(read):
    reading = read(text("a") + b"data: error: cuda oom\n\n")
    assert (reading.problem["kind"], reading.problem["message"]) == ("json", M_JSON)
    assert reading.response["status"] == "truncated"


def test_error_line(read):
    reading = read(text("a") + b"error: cuda oom\n\n")
    assert error_of(reading) == ("errored", "cuda oom", None)
    assert reading.counts.events == 2
    assert reading.counts.error_bytes == 16


def test_error_line_within_a_block(read):
    reading = read(b'data: {"choices":\nerror: {"message":"x","code":-0}\ndata: []}\n\n')
    assert reading.responses[0]["error_code"] == "-0"
    assert (reading.counts.events, reading.counts.chunks) == (2, 1)


def test_object_error(read):
    error = {"object": "error", "message": "max context", "type": "BadRequestError", "code": 400}
    assert error_of(read(event(error))) == ("errored", "max context", "400")


def test_error_beside_choices_is_a_chunk_too(read):
    error = {"error": {"code": 502, "message": "provider"}}
    reading = read(delta({"content": "a"}, "error", **error))
    assert error_of(reading) == ("errored", "provider", "502")
    assert (reading.choice["finish_reason"], reading.text, reading.response["chunk_count"]) == ("error", "a", 1)
    assert (reading.counts.chunks, reading.counts.errors) == (1, 1)


def test_error_beside_choices_of_a_wrong_type(read):
    reading = read(text("a") + event({"error": "x", "choices": [5]}))
    assert (reading.kinds(), reading.response["status"], reading.counts.errors) == (["type"], "truncated", 0)


@pytest.mark.parametrize("choices", [[], None, {}, "x"])
def test_error_beside_no_choices(read, choices):
    reading = read(event({"error": "x", "choices": choices}))
    assert (reading.counts.chunks, reading.counts.errors, reading.response["chunk_count"]) == (0, 1, 0)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ('{"error":{"message":"x","code":null}}', ("x", None)),
        ('{"error":"overloaded"}', ("overloaded", None)),
        ('{"error":"x","code":"E7"}', ("x", "E7")),
        ('{"error":"x","code":5.0e2}', ("x", "5.0e2")),
        ('{"error":{"message":"x","code":1e999},"code":3}', ("x", "1e999")),
        ('{"error":{"message":"x","code":true},"code":-0}', ("x", "-0")),
        ('{"error":{"message":"x","code":NaN}}', ("x", "NaN")),
        ('{"error":{"message":"x","code":""},"code":"E7"}', ("x", "E7")),
        ('{"error":{"message":"x","code":"E"},"code":3}', ("x", "E")),
        ('{"error":{"message":"x","code":{}},"code":[]}', ("x", None)),
        ('{"error":{"message":""},"message":"y"}', ("y", None)),
        ('{"error":true,"message":"y"}', ("y", None)),
        ('{"error":{"message":5}}', ('{"error":{"message":5}}', None)),
        ('{"error": [1] }', ('{"error": [1] }', None)),
        ('{"error":1e-9}', ('{"error":1e-9}', None)),
        ('{"error":"\\ud83d\\ude00\\ud83d"}', ("😀\ufffd", None)),
        ('{"error":{"code":12345678901234567890123}}', ('{"error":{"code":12345678901234567890123}}', "12345678901234567890123")),
        ('{"error":{"code":1,"code":2},"error":{"code":3,"code":4.50}}', ('{"error":{"code":1,"code":2},"error":{"code":3,"code":4.50}}', "4.50")),
    ],
)  # fmt: skip
def test_message_and_code(read, error, expected):
    assert error_of(read(event(error))) == ("errored", *expected)


@pytest.mark.parametrize("nothing", ["null", "false", "0", "0.0", "-0", "0e7", '""', "[]", "{}"])
def test_error_that_says_nothing(read, nothing):
    reading = read(b'data: {"error":%b,"choices":[]}\n\n' % nothing.encode())
    assert (reading.counts.errors, reading.counts.chunks) == (0, 1)


@pytest.mark.parametrize("data", ["5", '"x"', "[1]", "null", "", "[DONE]", ": ping", '{"a":1}', "{"])
def test_any_data_under_the_name_error(read, data):
    reading = read(event(data, "error"))
    assert error_of(reading) == ("errored", data, None)
    assert (reading.counts.skipped, reading.counts.done) == (0, 0)


def test_name_of_the_event_is_the_last_one(read):
    assert read(b'event: error\nevent: message\ndata: {"choices":[]}\n\n').counts.errors == 0
    assert read(b'event: message\ndata: {"choices":[]}\nevent: error\n\n').counts.errors == 1


def test_first_error_stays(read):
    reading = read(text("a", id="r") + event({"id": "r", "error": "one"}) + event({"id": "r", "error": "two"}))
    assert (reading.response["error_message"], reading.counts.errors) == ("one", 2)


def test_error_tells_id_model_and_usage(read):
    reading = read(event({"error": "x", "id": "r", "model": "m", "object": "o", "created": 5, "usage": usage(3)}))
    row = reading.response
    assert (row["id"], row["model"], row["object"], row["created"], row["prompt_tokens"]) == ("r", "m", "", None, 3)


def test_malformed_event_in_the_middle(read):
    reading = read(text("a") + b'data: {"choices":[{"del\n\n' + text("b", "stop"))
    assert (reading.text, reading.response["status"]) == ("ab", "complete")
    row = reading.problem
    assert (row["kind"], row["line"], row["offset"], row["response"]) == ("json", 3, len(text("a")), 0)


def test_json_that_is_no_chunk_is_skipped(read):
    reading = read(b'data: null\n\ndata: 1\n\ndata: []\n\ndata: "x"\n\ndata: {"a":1}\n\ndata: {"choices":[]}\n\n')
    assert (reading.counts.skipped, reading.counts.chunks, reading.kinds()) == (5, 1, [])


@pytest.mark.parametrize("junk", ["{}x", "{'a':1}", '{"a":1,}', '{"a":\t"\t"}', "\ufeff{}", "01", "tru", "{}{}", "\x00{}"])
def test_what_is_no_json(read, junk):
    assert read(text("a") + event(junk)).kinds() == ["json"]

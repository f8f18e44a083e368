"""JSON lines, and one JSON body."""

from __future__ import annotations

import json

import pytest

from ssift.contract import M_CUT_EVENT, M_JSON, M_SOURCE

CHUNK = b'{"choices":[{"delta":{"content":"a"}}]}'


def test_last_line_without_its_end(read):
    reading = read(CHUNK + b"\n" + CHUNK, framing="jsonl")
    assert (reading.text, reading.kinds(), reading.counts.events) == ("aa", [], 2)
    reading = read(CHUNK + b'\n{"choices":', framing="jsonl")
    assert (reading.text, reading.problem["kind"], reading.counts.events) == ("a", "truncated", 1)
    assert (reading.problem["offset"], reading.problem["length"], reading.problem["line"]) == (len(CHUNK) + 1, 11, 2)
    assert reading.problem["message"] == M_CUT_EVENT


def test_place_of_a_line_is_the_line_with_its_end(read):
    reading = read(CHUNK + b"\n\n" + CHUNK + b"\r\n", framing="jsonl")
    assert [(row["offset"], row["length"]) for row in reading.chunks] == [
        (0, len(CHUNK) + 1), (len(CHUNK) + 2, len(CHUNK) + 2),
    ]  # fmt: skip
    assert (reading.counts.blank_bytes, reading.counts.chunk_bytes) == (1, 2 * len(CHUNK) + 3)


def test_only_lf_ends_a_line(read):
    body = '{"choices":[{"delta":{"content":"x\u2028y\u0085z"}}]}\r'
    assert read((body + "\n").encode(), framing="jsonl").text == "x\u2028y\u0085z"
    assert read(CHUNK + b"\r" + CHUNK + b"\n", framing="jsonl").kinds() == ["json"]


def test_malformed_line_between_others(read):
    reading = read(CHUNK + b"\n{bad\n" + CHUNK + b"\n", framing="jsonl")
    assert (reading.text, reading.problem["kind"], reading.problem["line"]) == ("aa", "json", 2)
    assert (reading.problem["message"], reading.counts.problem_bytes) == (M_JSON, 5)


def test_done_comments_and_blanks_in_json_lines(read):
    reading = read(b" \t\r\n" + CHUNK + b"\n[DONE]\n: ping\nnull\n" + CHUNK + b"\n[DONE]", framing="jsonl")
    assert (reading.counts.done, reading.counts.skipped, reading.counts.blank_bytes) == (2, 2, 4)
    assert reading.contents() == ["a", "a"]


def test_error_line_means_nothing_in_json_lines(read):
    reading = read(CHUNK + b"\nerror: x\n", framing="jsonl")
    assert (reading.kinds(), reading.response["status"]) == (["json"], "truncated")


def test_error_object_in_json_lines(read):
    assert read(b'{"error":"x"}\n', framing="jsonl").response["error_message"] == "x"


def test_json_lines_that_are_no_chunks(read):
    reading = read(b'{"a":1}\n{"b":2}\n', framing="jsonl")
    assert (reading.problem["kind"], reading.problem["message"], reading.counts.skipped) == ("not_sse", M_SOURCE, 2)


def test_invalid_utf8_in_a_line(read):
    line = b'{"choices":[{"delta":{"content":"\xff"}}]}\n'
    reading = read(line, framing="jsonl")
    assert (reading.text, reading.kinds(), reading.problem["length"]) == ("\ufffd", ["encoding"], len(line))


def test_offset_before_the_first_line(read):
    reading = read(CHUNK + b"\n", framing="jsonl", offset=3)
    assert (reading.chunks[0]["offset"], reading.counts.blank_bytes) == (3, 3)


# ------------------------------------------------------------------------------------------------------ one body


def test_whole_body(read):
    body = json.dumps({"id": "r", "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}, indent=1)
    reading = read(body.encode() + b"\n", framing="json", offset=3)
    assert (reading.text, reading.response["status"]) == ("hi", "complete")
    assert (reading.chunks[0]["offset"], reading.chunks[0]["length"]) == (3, len(body) + 1)
    assert (reading.counts.events, reading.counts.blank_bytes) == (1, 3)


def test_error_body(read):
    reading = read(b'{"error":{"message":"bad key"}}', framing="json")
    assert (reading.response["status"], reading.response["error_message"], reading.kinds()) == ("errored", "bad key", [])


def test_body_that_is_no_json(read):
    reading = read(b'{\n"choices":', framing="json")
    assert (reading.kinds(), reading.problem["length"], reading.problem["line"]) == (["json"], 12, 1)


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_body_of_blanks(read, body):
    reading = read(body, framing="json")
    assert (reading.kinds(), reading.counts.events, reading.counts.blank_bytes) == ([], 0, len(body))


def test_body_of_something_else(read):
    assert read(b'{"a":1}', framing="json").problem["message"] == M_SOURCE
    assert read(b"[1]", framing="json").problem["message"] == M_SOURCE

"""Limits: a breach is a problem, memory stays bounded, time stays linear."""

from __future__ import annotations

import tracemalloc
from time import process_time

import pytest

from ssift.contract import M_DEPTH, M_EVENT_BYTES
from tests.engines.feeding import DONE, event, feed, opening, text

CHUNK = b'{"choices":[{"delta":{"content":"a"}}]}'


def padded(size: int) -> bytes:
    return b'data: {"choices":[{"delta":{"content":"a"}}],"pad":"' + b"x" * size + b'"}\n\n'


def in_pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def test_event_far_over_a_read(engine_class):
    reading = feed(engine_class, in_pieces(padded(300_000), 1024))
    assert (reading.text, reading.chunks[0]["length"]) == ("a", 300_055)


def test_time_is_linear_in_the_size_of_an_event(engine_class):
    def seconds(size: int) -> float:
        pieces = in_pieces(padded(size), 1024)
        begin = process_time()
        assert feed(engine_class, pieces, tables=["responses"]).counts.chunks == 1
        return process_time() - begin

    small = min(seconds(1_000_000) for _ in range(3))
    assert seconds(8_000_000) < 8 * 6 * small + 0.5


def test_limit_is_on_the_joined_data(read):
    size = len(CHUNK)
    assert read(b"data: " + CHUNK + b"\n\n", event_bytes=size).text == "a"
    line = b"data: " + CHUNK + b"\n"
    reading = read(b"id: 1\n" + line + b"id: 2\n\n" + DONE, event_bytes=size - 1)
    row = reading.problem
    assert (row["kind"], row["message"], row["offset"], row["length"]) == ("too_long", M_EVENT_BYTES, 0, len(line) + 12)
    assert (reading.counts.events, reading.counts.problem_bytes, reading.counts.done) == (2, len(line) + 12, 1)


def test_joined_data_over_the_limit(read):
    parts = b'data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n'
    assert read(parts, event_bytes=len(CHUNK) + 1).text == "a"
    reading = read(parts + DONE, event_bytes=len(CHUNK))
    assert (reading.kinds(), reading.problem["length"], reading.counts.done) == (["too_long"], len(parts) - 1, 1)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_ends_around_an_event_over_the_limit(read, end):
    over = b"data: " + b"x" * 50 + end
    reading = read(b": c" + end + over + end + over + b"id: 4" + end + end + DONE + over[:40], event_bytes=20)
    assert [(row["kind"], row["line"]) for row in reading.problems] == [("too_long", 2), ("too_long", 4), ("too_long", 9)]
    assert (reading.counts.done, reading.counts.comments, reading.counts.events) == (1, 1, 4)
    assert reading.problems[2]["length"] == 40


def test_partial_line_over_the_limit_in_a_split_block(read):
    reading = read(b"data: [DONE]\ndata: " + b"x" * 50, event_bytes=60)
    assert (reading.kinds(), reading.counts.done, reading.counts.events) == (["truncated"], 1, 1)
    reading = read(b"data: oops\ndata: [DONE]\ndata: " + b"x" * 50, event_bytes=60)
    assert (reading.kinds(), reading.counts.done, reading.counts.events) == (["json", "truncated"], 1, 2)


def test_lines_behind_the_one_that_is_too_much(read):
    reading = read(b"data: {\ndata: %b\ndata: [DONE]\nid: 4\n\n" % (b"x" * 50) + DONE, event_bytes=20)
    assert (reading.problem["length"], reading.problem["line"], reading.counts.done) == (8 + 57 + 13 + 6, 1, 1)


def test_split_lines_count_one_by_one(read):
    line = b"data: " + CHUNK + b"\n"
    reading = read(line * 3 + b"data: {%b\n" % (b"x" * 99) + line + b"\n", event_bytes=len(CHUNK))
    assert (reading.text, reading.kinds(), reading.problem["line"]) == ("aaaa", ["too_long"], 4)


def test_lines_that_are_whole_save_a_block_over_the_limit(read):
    reading = read(b"data: oops\ndata: %b\ndata: %b\n\n" % (CHUNK, CHUNK), event_bytes=60)
    assert (reading.text, reading.kinds()) == ("aa", ["json"])


def test_too_long_at_the_end_of_the_source(read):
    reading = read(text("a") + b"data: " + b"x" * 150, event_bytes=140)
    assert (reading.kinds(), reading.problem["length"]) == (["too_long"], 156)


def test_error_line_over_the_limit(read):
    reading = read(b"error: " + b"x" * 21 + b"\nerror: " + b"y" * 20 + b"\n", event_bytes=20)
    assert (reading.kinds(), reading.response["error_message"]) == (["too_long"], "y" * 20)
    assert read(b"error: " + b"x" * 21, event_bytes=20).kinds() == ["too_long"]
    assert read(b"error: " + b"x" * 20, event_bytes=20).kinds() == ["truncated"]


def test_name_is_no_prefix_of_a_longer_one(read):
    reading = read(b"event: errorx\ndata: 1\n\n" + DONE, event_bytes=4)
    assert (reading.counts.errors, reading.counts.skipped) == (0, 1)


def test_comments_and_other_fields_may_be_of_any_length(read):
    reading = read(b": " + b"x" * 999 + b"\nid: " + b"y" * 999 + b"\ndata: 1\n\n" + DONE, event_bytes=20)
    assert (reading.kinds(), reading.counts.comments, reading.counts.done) == ([], 1, 1)


def test_deep_nesting(read):
    def nested(levels: int) -> bytes:
        return b'data: {"choices":[],"x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}\n\n"

    assert feed(read.args[0], [nested(1024)]).kinds() == []
    reading = feed(read.args[0], [text("a"), nested(1025), text("b")])
    assert (reading.kinds(), reading.problem["message"], reading.text) == (["too_long"], M_DEPTH, "ab")
    assert read(nested(5), depth=5).kinds() == []
    assert read(nested(6), depth=5).kinds() == ["too_long"]


def test_very_deep_nesting_is_no_crash(engine_class):
    for data in (b"[" * 1_000_000, b'{"a":' * 500_000, b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}"):
        assert feed(engine_class, [b"data: " + data + b"\n\n"]).kinds() == ["too_long"]
        assert feed(engine_class, [b"data: " + data]).kinds() == ["truncated"]


def test_nesting_goes_before_everything_but_done_and_comments(read):
    deep = b"[" * 6
    assert read(DONE + b"data: " + deep + b"\n\n", depth=5).kinds() == ["too_long"]
    assert read(b"data: [DONE]" + deep + b"\n\n", depth=5).kinds() == []
    assert read(DONE + b"data: :" + deep + b"\n\n", depth=5).kinds() == []
    assert read(b"event: error\ndata: " + deep + b"\n\n", depth=5).response["error_message"] == "[[[[[["


def test_brackets_in_strings_are_no_nesting(read):
    assert read(event('{"choices":[],"x":"[[[[[[\\"[[[[","y":"\\\\"}'), depth=2).kinds() == []
    assert read(DONE + event('"[[[[[[\\"[[[['), depth=2).kinds() == ["json"]


def test_nan_in_a_deep_chunk(engine_class):
    data = b'data: {"choices":[],"x":' + b"[" * 1000 + b"NaN" + b"]" * 1000 + b"}\n\n"
    assert feed(engine_class, [data]).counts.chunks == 1


@pytest.mark.parametrize("framing", ["jsonl", "json"])
def test_limit_in_the_other_framings(read, framing):
    reading = read(b'{"choices":[],"pad":"xxxxxxxxxxxxxx"}', framing=framing, event_bytes=20)
    assert (reading.kinds(), reading.problem["length"]) == (["too_long"], 37)


def test_blanks_are_blank_however_many(read):
    assert read(b" " * 50 + b"\n", framing="jsonl", event_bytes=20).kinds() == []
    assert read(b" " * 50 + b"x\n" + b'{"choices":[]}', framing="jsonl", event_bytes=20).kinds() == ["too_long"]
    assert read(b" " * 50, framing="json", event_bytes=20).kinds() == []
    assert read(b" " * 50 + b"x", framing="json", event_bytes=20).kinds() == ["too_long"]


def traced_peak(engine_class, make_piece, pieces, **settings):
    reader = engine_class(frozenset(settings.pop("tables")), "auto", settings.pop("event_bytes", 1 << 16), 1024, 1024)
    reader.begin(0, settings.pop("framing", "sse"))
    tracemalloc.start()
    try:
        for number in range(pieces):
            reader.feed(make_piece(number))
            reader.take()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("line", [b"data: ", b": ", b"id: ", b"oops"])
def test_memory_for_a_line_without_an_end(engine_class, line):
    piece = b"x" * 65_536
    peak = traced_peak(engine_class, lambda number: piece if number else line + piece, 160, tables=["responses"])
    assert peak < 3_000_000


def test_memory_does_not_grow_with_the_source(engine_class):
    def twenty(number: int) -> bytes:
        return (opening(f"r{number}") + text("hello", "stop", id=f"r{number}") + DONE) * 20

    tables = ["responses", "choices", "tokens", "top_logprobs", "problems"]
    assert 500 * len(twenty(0)) > 2_000_000
    assert traced_peak(engine_class, twenty, 500, tables=tables) < 1_000_000


def test_tokens_do_not_repeat_the_text(engine_class):
    long = "x" * 100_000
    entries = [{"token": "a", "logprob": -1.0}] * 1000
    data = event({"choices": [{"index": 0, "delta": {"content": long}, "logprobs": {"content": entries}}]})
    reader = engine_class(frozenset(["tokens"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(data)
    reader.end()
    tables = reader.take().tables
    raw = [array for table in ("tokens", "chunks") for column in tables[table].values()
           for array in (column if isinstance(column, tuple) else (column,)) if array is not None]  # fmt: skip
    assert sum(array.nbytes for array in raw) < 150_000

"""Lines and events: what is an event, whatever the line ends and wherever the input is cut."""

from __future__ import annotations

import pytest

from ssift.contract import HELD_PROBLEMS, M_CUT_EVENT, M_CUT_LINE, M_JSON, M_LINE, M_SOURCE, M_UTF8
from tests.engines.feeding import DONE, event, feed, text

CHUNK = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}'


def test_character_cut_by_a_piece(read):
    assert read('data: {"choices":[{"delta":{"content":"☃"}}]}\n\n'.encode()).text == "☃"


def test_crlf_cut_between_pieces_is_one_line_end(read):
    reading = read(b'data: {"choices":\r\ndata: []}\r\n\r\n')
    assert (reading.counts.events, reading.counts.chunks) == (1, 1)
    assert reading.chunks[0]["length"] == 30


def test_all_line_ends_mixed(read):
    reading = read(b"data: %b\r\n\rdata: %b\n\r\ndata: %b\r\r" % (CHUNK, CHUNK, CHUNK))
    assert reading.text == "aaa"
    assert reading.counts.blank_bytes == 1 + 2 + 1


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_numbers_and_places_count_every_line_end(read, end):
    reading = read(b": hi" + end + end + b"data: " + CHUNK + end + end + b"data: {" + end + end)
    assert reading.problem["line"] == 5
    assert reading.problem["offset"] == 4 + 4 * len(end) + 6 + len(CHUNK)
    assert reading.problem["length"] == 7 + len(end)
    assert reading.chunks[0]["offset"] == 4 + 2 * len(end)


def test_other_separators_are_text(read):
    assert read('data: {"choices":[{"delta":{"content":"x\u2028y\u2029z\u0085w\x0b\x0c"}}]}\n\n'.encode()).kinds() == ["json"]
    assert read('data: {"choices":[{"delta":{"content":"x\u2028y\u2029z\u0085w"}}]}\n\n'.encode()).text == "x\u2028y\u2029z\u0085w"


def test_byte_order_mark_before_the_first_piece_is_blank(read):
    reading = read(event({"choices": []}), offset=3)
    assert (reading.chunks[0]["offset"], reading.counts.blank_bytes) == (3, 4)


def test_comments_are_counted_and_dispatch_nothing(read):
    reading = read(b": OPENROUTER PROCESSING\n\n:\n\ndata: {\"choices\":[]}\n\n: ping\n\n")
    assert (reading.counts.events, reading.counts.comments, reading.counts.chunks) == (1, 3, 1)


def test_wrapped_comment_is_skipped(read):
    reading = read(b'data: : keepalive\n\ndata: {"choices":[]}\n\n')
    assert (reading.counts.events, reading.counts.skipped, reading.counts.chunks) == (2, 1, 1)
    assert reading.counts.skipped_bytes == 18


def test_no_blank_after_the_colon(read):
    reading = read(b'data:{"choices":[]}\n\ndata:[DONE]\n\n')
    assert (reading.counts.chunks, reading.counts.done) == (1, 1)


def test_json_blanks_around_the_data(read):
    reading = read(b'data:  \t{"choices":[]} \t\n\ndata:   [DONE] \n\n')
    assert (reading.counts.chunks, reading.counts.done) == (1, 1)


def test_json_over_several_lines(read):
    reading = read(b'data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n')
    assert reading.text == "a"
    assert reading.counts.events == 1


def test_empty_data_is_skipped(read):
    reading = read(b'data\n\ndata:\n\ndata: {"choices":[]}\n\n')
    assert (reading.counts.events, reading.counts.skipped, reading.counts.chunks) == (3, 2, 1)


def test_blocks_without_data_are_no_events(read):
    reading = read(b"id: 7\ndata: %b\n\n: ping\n\nretry: 3000\n\nevent: error\n\ndata: %b\n\n" % (CHUNK, CHUNK))
    assert (reading.counts.events, reading.counts.chunks, reading.counts.errors) == (2, 2, 0)
    assert reading.chunks[0]["offset"] == 0
    assert reading.counts.chunk_bytes == 6 + 2 * (7 + len(CHUNK))


def test_field_names_match_to_the_letter(read):
    reading = read(b' data: {"x":0}\nData: {"x":1}\ndata : {"x":2}\ndata: ' + CHUNK + b"\n\n")
    assert reading.text == "a"
    assert (reading.problem["kind"], reading.problem["length"], reading.problem["message"]) == ("not_sse", 44, M_LINE)


def test_each_run_of_odd_lines_is_one_problem(read):
    reading = read(b"oops\nagain\n\noops\n: comment\noops\ndata: %b\noops\n\n" % CHUNK)
    assert [(row["offset"], row["length"], row["line"]) for row in reading.problems] == [
        (0, 11, 1), (12, 5, 4), (27, 5, 6), (39 + len(CHUNK), 5, 8),
    ]  # fmt: skip
    assert reading.counts.problem_bytes == 11 + 5 + 5 + 5
    assert reading.text == "a"


def test_lines_between_the_fields_of_a_block_are_inside_its_place(read):
    reading = read(b'data: {"choices":\n: ping\nid: 4\ndata: []}\n\n')
    assert (reading.chunks[0]["offset"], reading.chunks[0]["length"]) == (0, 41)
    assert (reading.counts.chunk_bytes, reading.counts.blank_bytes) == (34, 8)


def test_fields_after_the_data_belong_to_the_event(read):
    reading = read(b"data: %b\nid: 4\n\n" % CHUNK)
    assert reading.chunks[0]["length"] == 7 + len(CHUNK) + 6


# ------------------------------------------------------------------------------------------------ the last event


@pytest.mark.parametrize("tail", [b"", b"\n", b"\r", b"\r\n"])
def test_unterminated_last_event_that_is_whole(read, tail):
    reading = read(text("a") + b"data: " + CHUNK + tail)
    assert reading.text == "aa"
    assert reading.kinds() == []


def test_unterminated_last_event_that_is_not_whole(read):
    reading = read(text("a") + b'data: {"choi')
    assert (reading.text, reading.counts.events) == ("a", 1)
    assert (reading.problem["kind"], reading.problem["length"], reading.problem["line"]) == ("truncated", 12, 3)
    assert reading.problem["message"] == M_CUT_EVENT
    assert reading.problem["response"] == 0


@pytest.mark.parametrize("done", [b"data: [DONE]", b"data: [DONE] \r\n", b"data:[DONE]\n", b"data: [DONE]x"])
def test_unterminated_done(read, done):
    reading = read(text("a") + done)
    assert (reading.counts.done, reading.response["done"], reading.kinds()) == (1, True, [])
    assert reading.response["length"] == len(text("a")) + len(done)


def test_unfinished_line_that_is_no_field(read):
    reading = read(text("a") + b"dat")
    assert (reading.problem["kind"], reading.problem["length"], reading.problem["message"]) == ("truncated", 3, M_CUT_LINE)


def test_unfinished_line_behind_a_whole_event(read):
    reading = read(text("a") + b"data: %b\ndat" % CHUNK)
    assert (reading.text, reading.kinds(), reading.problem["line"]) == ("aa", ["truncated"], 4)


def test_unfinished_comment_and_field(read):
    reading = read(b"data: %b\n: pi" % CHUNK)
    assert (reading.text, reading.counts.comments) == ("a", 1)
    reading = read(b"data: %b\nid" % CHUNK)
    assert (reading.text, reading.chunks[0]["length"]) == ("a", 9 + len(CHUNK))


def test_unterminated_error_event(read):
    assert read(b"event: error\ndata: too ma").kinds() == ["truncated"]
    assert read(b'event: error\ndata: {"message":"x"}').response["error_message"] == "x"
    assert read(b"error: too ma").kinds() == ["truncated"]
    assert read(b'error: {"message":"x"}').response["error_message"] == "x"
    assert read(b"error: too many\n").response["error_message"] == "too many"


def test_unterminated_blank_data_is_skipped(read):
    assert read(text("a") + b"data: ").counts.skipped == 1
    assert read(text("a") + b"data: : pi").counts.skipped == 1


# --------------------------------------------------------------------------------------------------- split blocks


def test_lost_blank_lines(read):
    line = b"data: " + CHUNK + b"\n"
    reading = read(line + line + b"data: [DONE]\n")
    assert (reading.text, reading.counts.events, reading.counts.done) == ("aa", 3, 1)
    assert [row["offset"] for row in reading.chunks] == [0, len(line)]
    assert reading.response["length"] == 2 * len(line) + 13


def test_split_block_with_a_broken_line(read):
    reading = read(b"data: %b\ndata: {\ndata: %b\n\n" % (CHUNK, CHUNK))
    assert reading.text == "aa"
    assert (reading.problem["kind"], reading.problem["line"], reading.problem["length"]) == ("json", 2, 8)
    assert reading.problem["message"] == M_JSON


def test_whole_line_behind_a_broken_one(read):
    reading = read(b"data: {\ndata: %b\n\n" % CHUNK)
    assert (reading.text, reading.kinds(), reading.counts.events) == ("a", ["json"], 2)


def test_several_broken_lines_are_one_event(read):
    reading = read(text("a") + b"data: {\ndata: oops\n\n")
    assert (reading.kinds(), reading.counts.events, reading.problem["length"]) == (["json"], 2, 19)


def test_fields_in_a_split_block(read):
    reading = read(b"id: 1\ndata: %b\nevent: error\ndata: {\"message\":\"x\"}\nid: 9\n\n" % CHUNK)
    assert (reading.text, reading.counts.chunks, reading.counts.errors) == ("a", 1, 1)
    assert reading.response["error_message"] == "x"
    assert reading.counts.blank_bytes == 6 + 1
    assert (reading.chunks[0]["offset"], reading.chunks[0]["length"]) == (0, 13 + len(CHUNK))
    assert reading.counts.error_bytes == 13 + 22


def test_blank_lines_of_data_do_not_split(read):
    reading = read(b"data:\ndata: %b\ndata: \n\n" % CHUNK)
    assert (reading.counts.events, reading.text) == (1, "a")
    reading = read(b"data:\ndata: %b\ndata:\ndata: %b\n\n" % (CHUNK, CHUNK))
    assert (reading.counts.events, reading.counts.skipped, reading.text) == (4, 2, "aa")


def test_done_and_comment_split_a_block(read):
    reading = read(b"data: [DONE]\ndata: %b\n\n" % CHUNK)
    assert (reading.counts.done, reading.text) == (1, "a")
    reading = read(b"data: : ping\ndata: %b\n\n" % CHUNK)
    assert (reading.counts.skipped, reading.text) == (1, "a")


def test_split_block_at_the_end(read):
    reading = read(b"data: %b\ndata: {\"choi" % CHUNK)
    assert (reading.text, reading.kinds()) == ("a", ["truncated"])
    reading = read(b"data: {\ndata: %b\ndata: {" % CHUNK)
    assert (reading.text, reading.kinds()) == ("a", ["json", "truncated"])


def test_error_block_whose_lines_are_whole_is_split(read):
    reading = read(b"event: error\ndata: oops\ndata: %b\n\n" % CHUNK)
    assert (reading.statuses(), reading.contents()) == (["errored", "truncated"], ["a"])
    assert reading.responses[0]["error_message"] == "oops"


# --------------------------------------------------------------------------------------------------- bad bytes


def test_invalid_utf8_is_read_and_counted(read):
    bad = b'data: {"choices":[{"delta":{"content":"\xe2"}}]}\n\n'
    reading = read(bad + text("b"))
    assert reading.text == "\ufffdb"
    assert (reading.problem["kind"], reading.problem["offset"], reading.problem["length"]) == ("encoding", 0, len(bad) - 1)
    assert (reading.problem["message"], reading.problem["response"]) == (M_UTF8, None)
    assert reading.counts.problem_bytes == 0


def test_one_replacement_for_each_maximal_subpart(read):
    bad = b'data: {"choices":[{"delta":{"content":"\xf0\x9f\x98.\xed\xa0\x80.\xff\xfe.\xc0\xaf"}}]}\n\n'
    assert read(bad).text == "\ufffd.\ufffd\ufffd\ufffd.\ufffd\ufffd.\ufffd\ufffd"


def test_encoding_comes_before_another_problem_of_the_event(read):
    assert read(text("a") + b"data: {\xff\n\n").kinds() == ["encoding", "json"]
    assert read(text("a") + b"data: [DONE]\xff\n\n").kinds() == ["encoding"]
    assert read(text("a") + b"data: :\xff\n\n").kinds() == ["encoding"]
    assert read(b"event: error\ndata: \xff\n\n").response["error_message"] == "\ufffd"


def test_bad_bytes_outside_of_data_matter_to_nobody(read):
    reading = read(b": \xff\nid: \xff\ndata: %b\n\n" % CHUNK)
    assert (reading.text, reading.kinds()) == ("a", [])


def test_utf8_beyond_latin1(read):
    assert read('data: {"choices":[{"delta":{"content":"✅"}}]}\n\n'.encode()).text == "✅"


# ---------------------------------------------------------------------------------------------- no stream at all


def test_page_of_html(read):
    reading = read(b"<html>\n\n502</html>\n")
    row = reading.problem
    assert (row["kind"], row["offset"], row["length"], row["line"]) == ("not_sse", 0, 19, 1)
    assert (row["message"], row["response"]) == (M_SOURCE, None)
    assert (reading.counts.problem_bytes, reading.counts.blank_bytes) == (18, 1)


@pytest.mark.parametrize("page", [b"<html>502</html>", b"<html>\n502</html>", b"oops"])
def test_page_without_a_last_line_end(read, page):
    reading = read(page)
    assert (reading.kinds(), reading.problem["message"], reading.problem["length"]) == (["not_sse"], M_SOURCE, len(page))


def test_line_cut_at_the_end_of_a_stream(read):
    assert read(DONE + b"oops").problem["message"] == M_CUT_LINE


def test_skipped_events_alone_make_no_stream(read):
    reading = read(b"data: 1\n\n", offset=2)
    assert (reading.kinds(), reading.problem["offset"], reading.problem["length"]) == (["not_sse"], 0, 11)
    assert reading.counts.skipped == 1


@pytest.mark.parametrize("data", [b"", b"\n", b"\r\n\n", b": ping\n\n", b"id: 4\n\n", b"event: x", b": pi"])
def test_blank_sources_are_fine(read, data):
    reading = read(data)
    assert (reading.kinds(), reading.responses, reading.counts.blank_bytes) == ([], [], len(data))


def test_odd_lines_count_once_something_was_read(read):
    assert read(b"oops\n\n" + DONE).problem["message"] == M_LINE
    assert read(b"oops\n\ndata: {\n\n").kinds() == ["not_sse", "json"]
    assert read(b"oops\n\ndata: 1\n\n").problem["message"] == M_SOURCE


def test_raw_chunked_transfer(read):
    reading = read(b'9\r\ndata: {"a\r\n8\r\n":1}\r\n\r\n\r\n0\r\n\r\n')
    assert reading.kinds() == ["not_sse", "json", "not_sse", "not_sse"]


def test_problem_count_waits_for_certainty(engine_class):
    reader = engine_class(frozenset(["problems"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(b"oops\n\n")
    assert reader.problem_count == 0
    reader.feed(DONE)
    assert reader.problem_count == 1
    reader.end()
    assert reader.problem_count == 1


def test_pieces_may_be_any_bytes_like_object(engine_class):
    data = text("a") + DONE
    for piece in (bytearray(data), memoryview(data), memoryview(b"x" + data)[1:]):
        assert feed(engine_class, [piece]).text == "a"


def test_very_many_lines_that_are_no_fields(read):
    """A sign that this is a stream is not waited for without end."""
    few, many = read(b"junk\n: x\n" * (HELD_PROBLEMS - 1)), read(b"junk\n: x\n" * (HELD_PROBLEMS + 1))
    assert [row["message"] for row in few.problems] == [M_SOURCE]
    assert [row["offset"] for row in many.problems] == list(range(0, 9 * HELD_PROBLEMS + 1, 9))
    assert {row["message"] for row in many.problems} == {M_LINE}

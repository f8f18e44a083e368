"""Which chunks belong together: ids that are missing, drift, repeat and interleave."""

from __future__ import annotations

from tests.engines.feeding import DONE, call_pieces, delta, event, opening, piece, text, usage


def chunks_of(reading):
    return [row["response"] for row in reading.chunks]


# --------------------------------------------------------------------------------------------------------- auto


def test_back_to_back_with_done(read):
    reading = read(text("a", id="x") + DONE + text("b", id="y") + DONE)
    assert (reading.ids(), reading.contents()) == (["x", "y"], ["a", "b"])
    assert [row["offset"] for row in reading.responses] == [0, len(text("a", id="x") + DONE)]


def test_interleaved_by_id(read):
    reading = read(
        opening("x") + opening("y") + text("a", id="x") + text("b", id="y") + text("c", "stop", id="x") + DONE
        + text("d", "stop", id="y") + DONE
    )  # fmt: skip
    assert reading.contents() == ["ac", "bd"]
    assert [row["done"] for row in reading.responses] == [True, True]
    assert chunks_of(reading) == [0, 1, 0, 1, 0, 1]


def test_done_goes_to_the_one_that_is_finished(read):
    reading = read(opening("x") + opening("y") + text("a", "stop", id="x") + text("b", id="y") + DONE)
    assert [(row["id"], row["done"], row["status"]) for row in reading.responses] == [
        ("x", True, "complete"), ("y", False, "truncated"),
    ]  # fmt: skip


def test_done_goes_to_the_latest_of_those_that_are_finished(read):
    reading = read(opening("x") + opening("y") + text("", "stop", id="y") + text("", "stop", id="x") + DONE + DONE)
    assert [row["done"] for row in reading.responses] == [True, True]
    ends = [row["offset"] + row["length"] for row in reading.responses]
    assert ends[1] - ends[0] == len(DONE)


def test_id_drifts_within_a_response(read):
    reading = read(text("a", id="c1") + text("b", id="c2") + text("c", id="c1") + DONE)
    assert (reading.ids(), reading.text) == (["c1"], "abc")


def test_ids_of_the_same_response_all_lead_to_it(read):
    reading = read(text("a", id="x") + text("b", id="y") + opening("z") + text("c", id="y") + text("d", id="x"))
    assert reading.contents() == ["abcd", ""]


def test_ids_that_differ_in_lone_surrogates_alone_are_the_same(read):
    log = opening("x\ud83d") + opening("y") + text("a", id="x\ude00") + text("b", id="y") + text("c", id="x\ufffd")
    for group in ("auto", "id"):
        reading = read(log, group=group)
        assert (reading.ids(), reading.contents()) == (["x\ufffd", "y"], ["ac", "b"])
    assert read(opening("x\ud83d") + opening("x\ud83d\ude00")).ids() == ["x\ufffd", "x😀"]
    error = event({"id": "x\ude00", "error": "e"})
    assert read(opening("x\ud83d") + opening("y") + error).statuses() == ["errored", "truncated"]


def test_empty_and_missing_ids(read):
    reading = read(text("a", id="") + text("b") + event({"id": None, "choices": [{"delta": {"content": "c"}}]}))
    assert reading.text == "abc"


def test_id_comes_late(read):
    reading = read(opening() + opening("x") + text("a", id="x"))
    assert (reading.ids(), reading.response["chunk_count"]) == (["x"], 3)


def test_chunks_without_an_id_follow_the_latest_event(read):
    reading = read(opening("x") + opening("y") + text("a", id="x") + text("b"))
    assert reading.contents() == ["ab", ""]


def test_no_id_after_done_opens_a_response(read):
    reading = read(opening("x") + opening("y") + DONE + text("a"))
    assert reading.contents() == ["", "", "a"]
    reading = read(opening("x") + opening("y") + DONE + text("b", id="x") + text("a"))
    assert reading.contents() == ["ba", ""]


def test_no_done_and_a_role_begins_anew(read):
    reading = read(opening("x") + text("a", "stop", id="x") + opening("y") + text("b", "stop", id="y"))
    assert reading.contents() == ["a", "b"]


def test_same_id_again(read):
    reading = read(opening("x") + text("a", "stop", id="x") + opening("x") + text("b", "stop", id="x"))
    assert (reading.ids(), reading.contents()) == (["x", "x"], ["a", "b"])


def test_role_in_every_chunk_does_not_begin_anew(read):
    both = {"role": "assistant", "content": "a"}
    reading = read(delta(both, id="x") + delta(both, id="x") + delta(both, "stop", id="x") + delta(both, "stop", id="x"))
    assert reading.text == "aaaa"


def test_role_for_another_choice_does_not_begin_anew(read):
    reading = read(opening("x") + delta({}, "stop", id="x") + opening("x", index=1) + text("b", id="x", index=1))
    assert reading.contents() == ["", "b"]
    assert len(reading.responses) == 1


def test_role_beside_usage_does_not_begin_anew(read):
    reading = read(opening("x") + delta({}, "stop", id="x") + opening("x", usage=usage(1)))
    assert len(reading.responses) == 1


def test_usage_behind_the_end_belongs_to_it(read):
    tail = event({"id": "x", "choices": [], "usage": usage(1)})
    assert len(read(opening("x") + delta({}, "stop", id="x") + tail).responses) == 1
    tail = event({"choices": [], "usage": usage(1)})
    assert len(read(opening("x") + delta({}, "stop", id="x") + tail).responses) == 1
    tail = event({"id": "z", "choices": [], "usage": usage(1)})
    assert read(opening("x") + delta({}, "stop", id="x") + tail).response["prompt_tokens"] == 1


def test_no_id_begins_anew(read):
    finished = opening() + delta({}, "stop")
    assert len(read(finished + opening()).responses) == 2
    assert len(read(finished + text("b")).responses) == 1
    assert len(read(finished + event({"choices": []})).responses) == 2
    assert len(read(finished + event({"choices": [], "usage": {}})).responses) == 1
    assert len(read(event({"error": "x"}) + text("b")).responses) == 2
    assert len(read(event({"error": "x"}) + event({"choices": [], "usage": usage(1)})).responses) == 1


def test_filter_frame_opens_a_response(read):
    frame = event({"id": "", "choices": [], "prompt_filter_results": []})
    reading = read(frame + opening("x") + text("a", "stop", id="x") + frame + opening("y") + text("b", "stop", id="y"))
    assert (reading.ids(), reading.contents()) == (["x", "y"], ["a", "b"])


def test_frame_with_a_new_id_opens_a_response(read):
    reading = read(text("a", id="x") + event({"id": "y", "choices": []}) + text("b", id="y"))
    assert reading.contents() == ["a", "b"]


def test_new_id_with_text_after_a_finished_response(read):
    assert read(text("a", "stop", id="x") + text("b", id="y")).contents() == ["a", "b"]
    assert len(read(text("a", "stop", id="x") + call_pieces(piece(0, "c", "f"))).responses) == 1
    assert read(text("a", "stop", id="x") + delta({}, id="y")).ids() == ["x"]


def test_bare_end_with_a_new_id_and_a_role(read):
    reading = read(text("a", id="x") + delta({"role": "assistant"}, "stop", id="y"))
    assert (reading.ids(), reading.choice["finish_reason"]) == (["x"], "stop")
    assert read(text("a", id="x") + delta({"role": "assistant", "content": "b"}, "stop", id="y")).ids() == ["x", "y"]


def test_first_chunk_of_a_gateway(read):
    both = {"role": "assistant", "content": "a"}
    reading = read(opening("gateway") + delta(both, id="x") + text("b", id="x"))
    assert (reading.ids(), reading.text) == (["gateway"], "ab")
    assert read(opening("gateway") + opening("x") + text("b", id="x")).ids() == ["gateway", "x"]
    assert read(opening("gateway", usage=usage(1)) + delta(both, id="x")).ids() == ["gateway", "x"]
    assert read(text("x", id="gateway") + delta(both, id="x")).ids() == ["gateway", "x"]
    called = {"role": "assistant", "tool_calls": [piece(0, "c", "f")]}
    assert read(opening("gateway") + delta(called, id="x")).ids() == ["gateway", "x"]


def test_error_finds_its_response(read):
    reading = read(opening("x") + opening("y") + event({"id": "x", "error": "e"}) + DONE)
    assert reading.statuses() == ["errored", "truncated"]
    assert [row["done"] for row in reading.responses] == [True, False]
    reading = read(opening("x") + opening("y") + event({"error": "e"}))
    assert reading.statuses() == ["truncated", "errored"]


def test_error_after_the_end_is_a_response_of_its_own(read):
    reading = read(text("a", "stop") + event({"error": "e"}))
    assert reading.statuses() == ["complete", "errored"]
    assert reading.responses[1]["chunk_count"] == 0
    reading = read(event({"error": "e"}) + event({"error": "f"}))
    assert [row["error_message"] for row in reading.responses] == ["e", "f"]


def test_chunk_with_the_id_of_an_error(read):
    reading = read(text("a") + event({"id": "x", "error": "e"}) + text("b", id="x"))
    assert (reading.statuses(), reading.text) == (["errored"], "ab")


def test_newest_owner_of_an_id(read):
    reading = read(
        opening("x") + text("a", "stop", id="x") + opening("x") + text("b", "stop", id="x") + DONE + text("c", id="x")
    )
    assert reading.contents() == ["ac", "b"]


def test_silent_responses_make_room(read):
    reading = read(
        opening("x") + opening("y") + text("a", id="x") + opening("z") + text("b", id="x") + text("c", "stop", id="y"),
        open_responses=2,
    )
    assert (reading.ids(), reading.contents()) == (["x", "y", "z"], ["abc", "", ""])
    assert (reading.kinds(), reading.statuses()) == ([], ["complete", "truncated", "truncated"])


def test_sources_do_not_mix(engine_class):
    reader = engine_class(frozenset(["responses", "chunks", "problems"]), "auto", 1 << 20, 1024, 1024)
    for source in (3, 5):
        reader.begin(source, "sse")
        reader.feed(text("a", id="x") + b"data: {\n\n")
        assert reader.end().problems == 1
    tables = reader.take().tables
    assert tables["responses"]["response"].tolist() == [0, 1]
    assert tables["responses"]["source"].tolist() == [3, 5]
    assert tables["chunks"]["response"].tolist() == [0, 1]
    assert tables["problems"]["source"].tolist() == [3, 5]
    assert tables["problems"]["response"].values.tolist() == [0, 1]
    assert reader.problem_count == 2


# ---------------------------------------------------------------------------------------------------- id and done


def test_by_id_across_done(read):
    reading = read(text("a", id="x") + DONE + text("b", id="x") + DONE, group="id")
    assert (reading.ids(), reading.text, reading.response["done"]) == (["x"], "ab", True)
    assert reading.response["length"] == reading.chunks[1]["offset"] + reading.chunks[1]["length"]


def test_by_id_without_a_rule_for_drift(read):
    reading = read(text("a", id="x") + text("b", id="y") + text("c"), group="id")
    assert reading.contents() == ["a", "bc"]


def test_by_id_done_marks_each_once(read):
    reading = read(text("a", "stop", id="x") + text("b", id="y") + DONE + DONE + DONE, group="id")
    assert [row["done"] for row in reading.responses] == [True, True]
    ends = [row["offset"] + row["length"] for row in reading.responses]
    assert ends[1] - ends[0] == len(DONE)


def test_by_id_errors(read):
    reading = read(text("a", "stop", id="x") + event({"id": "y", "error": "e"}) + event({"error": "f"}), group="id")
    assert reading.statuses() == ["complete", "errored"]


def test_by_done(read):
    reading = read(text("a", "stop", id="x") + opening("y") + text("b", id="y") + DONE + text("c", id="x"), group="done")
    assert (reading.ids(), reading.contents()) == (["x", "x"], ["ab", "c"])
    assert read(text("a", "stop") + event({"error": "e"}), group="done").statuses() == ["errored"]

"""Logs of records: paths, times, what is a chunk and what is text, what is left alone, what is a problem."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ssift
from tests.containers.wrapping import (
    START,
    aiperf,
    bodies_of,
    container_of,
    events,
    har,
    inference_perf,
    jsonl,
    tables,
)
from tests.faces.logs import ANSWER, BROKEN, DONE, answer, chunk, event

A, B = chunk({"role": "assistant", "content": "a"}), chunk({"content": "b"}, "stop")


def times(log: ssift.Log) -> list[Any]:
    return log.chunks["arrival_ns"].tolist()


# -------------------------------------------------------------------------------------------------- any records


@pytest.mark.parametrize(
    "value",
    [[A, B], [json.dumps(A), json.dumps(B)], [json.dumps(A, indent=1), json.dumps(B)], [None, A, 7, "", B]],
    ids=["objects", "strings", "strings of many lines", "others between"],
)
def test_chunks_are_objects_or_strings(engine: str, value: list[Any]) -> None:
    log = ssift.read(jsonl({"said": {"parts": value}}), engine=engine, format=ssift.Records("said.parts[]"))
    assert log.choices["content"].to_pylist() == ["ab"]
    assert log.responses["status"].to_pylist() == ["complete"]


@pytest.mark.parametrize("path", ["body[]", "body"])
def test_a_string_may_be_a_whole_body(engine: str, path: str) -> None:
    log = ssift.read(jsonl({"body": ANSWER.decode()}), engine=engine, format=ssift.Records(path))
    assert tables(log, True) == tables(ssift.read(ANSWER, engine=engine), True)


def test_with_brackets_each_record_is_a_body_without_all_are_one(engine: str) -> None:
    log = jsonl({"body": event(A).decode()}, {"body": event(B).decode()})
    each = ssift.read(log, engine=engine, format=ssift.Records("body[]"))
    assert [source.name for source in bodies_of(each)] == ["#1", "#2"]
    one = ssift.read(log, engine=engine, format=ssift.Records("body"))
    assert [source.name for source in bodies_of(one)] == ["#1"]
    assert one.choices["content"].to_pylist() == ["ab"]


def test_pieces_may_be_cut_anywhere(engine: str) -> None:
    text = ANSWER.decode()
    for size in (1, 5, 100):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        for log, path in ((jsonl(*({"p": piece} for piece in pieces)), "p"), (jsonl({"p": pieces}), "p[]")):
            found = ssift.read(log, engine=engine, format=ssift.Records(path))
            assert tables(found, True) == tables(ssift.read(ANSWER, engine=engine), True)


@pytest.mark.parametrize("path", ["lines[]", "line"])
def test_lines_recorded_without_their_ends(engine: str, path: str) -> None:
    lines = ANSWER.decode().splitlines()
    log = jsonl({"lines": lines}) if path == "lines[]" else jsonl(*({"line": line} for line in lines))
    found = ssift.read(log, engine=engine, format=ssift.Records(path))
    assert tables(found, False) == tables(ssift.read(ANSWER, engine=engine), False)


def test_a_time_holds_for_all_that_shares_its_place(engine: str) -> None:
    record = {
        "groups": [
            {"chunks": [A, A], "t_ms": 5},
            {"t_ms": 7.5, "chunks": [A]},
            {"chunks": [A]},
        ]
    }
    form = ssift.Records("groups[].chunks[]", times="groups[].t_ms")
    log = ssift.read(jsonl(record), engine=engine, format=form)
    assert times(log) == [5_000_000, 5_000_000, 7_500_000, None]
    assert log.responses["started_ns"].tolist() == [5_000_000]
    assert log.responses["ended_ns"].tolist() == [None]


def test_a_list_of_times_goes_with_a_list_of_chunks(engine: str) -> None:
    form = ssift.Records("chunks[]", times="times[]", unit=1)
    log = ssift.read(jsonl({"times": [1, 2], "chunks": [A, A, B]}), engine=engine, format=form)
    assert times(log) == [1, 2, None]


@pytest.mark.parametrize(
    ("path", "value", "ns"),
    [
        ("t", 1_772_359_200, 1_772_359_200_000_000_000),
        ("t", 1_772_359_200.5, 1_772_359_200_500_000_000),
        ("t", 1_772_359_200_123, 1_772_359_200_123_000_000),
        ("t", 1_772_359_200_123_456, 1_772_359_200_123_456_000),
        ("t", 1_772_359_200_123_456_789, 1_772_359_200_123_456_789),
        ("t", "2026-03-01T10:00:00.25Z", 1_772_359_200_250_000_000),
        ("t", "1772359200.5", 1_772_359_200_500_000_000),
        ("t", -1.5, -1_500_000_000),
        ("t_ns", 12, 12),
        ("t_us", 12, 12_000),
        ("t_s", 12, 12_000_000_000),
        ("t", None, None),
        ("t", "soon", None),
        ("t", True, None),
        ("t", 1e300, None),
        ("t", [1], None),
    ],
)
def test_units_of_times(engine: str, path: str, value: Any, ns: int | None) -> None:
    log = ssift.read(jsonl({path: value, "c": A}), engine=engine, format=ssift.Records("c", times=path))
    assert times(log) == [ns]


def test_names_by_a_path(engine: str) -> None:
    log = jsonl({"meta": {"id": "x"}, "c": [A]}, {"c": [B], "meta": {"id": 7}}, {"c": [A]})
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]", id="meta.id"))
    assert [source.name for source in bodies_of(found)] == ["#x", "#7", "#3"]


def test_a_new_name_begins_a_new_body(engine: str) -> None:
    log = jsonl(*({"id": name, "c": A} for name in "aabbb"))
    found = ssift.read(log, engine=engine, format=ssift.Records("c", id="id"))
    assert [(source.name, source.counts.chunks) for source in bodies_of(found)] == [("#a", 2), ("#b", 3)]


@pytest.mark.parametrize("indent", [None, 2])
def test_records_may_stand_in_a_list(engine: str, indent: int | None) -> None:
    log = json.dumps([{"c": [A, B]}, 5, [], {"c": [A, B]}, "x", {}], indent=indent).encode()
    for data in (log, b" \n" + log + b"\n"):
        found = ssift.read(data, engine=engine, format=ssift.Records("c[]"))
        assert found.choices["content"].to_pylist() == ["ab", "ab"]
        assert (container_of(found).bodies, container_of(found).left) == (2, 4)
        assert len(found.problems) == 0


def test_of_a_key_that_comes_twice_the_last_counts(engine: str) -> None:
    log = b'{"c": [%b], "\\u0063": [%b]}\n' % (json.dumps(A).encode(), json.dumps(B).encode())
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["b"]


def test_escapes_of_every_kind(engine: str) -> None:
    text = json.dumps(chunk({"content": '\u00e9\U0001f600\\ " / \b\f\n\r\t\x01'}, "stop"))
    escaped = "".join(f"\\u{ord(letter):04x}" if letter.isalnum() else json.dumps(letter)[1:-1] for letter in text)
    for record in (json.dumps({"c": [text]}), f'{{"c": ["{escaped}"]}}', json.dumps({"c": [text]}, ensure_ascii=False)):
        found = ssift.read(record.encode() + b"\n", engine=engine, format=ssift.Records("c[]"))
        assert found.choices["content"].to_pylist() == ['\u00e9\U0001f600\\ " / \b\f\n\r\t\x01']


def test_halves_of_pairs_and_bad_bytes(engine: str) -> None:
    log = b'{"c": ["data: {\\"choices\\":[{\\"index\\":0,\\"delta\\":{\\"content\\":\\"\\ud83d|\xff\\"}}]}\\n\\n"]}\n'
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["\ufffd|\ufffd"]


# ----------------------------------------------------------------------------------------------------- problems


def test_a_bad_record_is_a_problem_and_the_rest_is_read(engine: str) -> None:
    good = jsonl({"c": [A, B]})
    log = good + b'{"c": [\n' + b"\nnothing\n" + good + good[:-9]
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["ab", "ab"]
    rows = list(found.problems.rows())
    assert [(row["kind"], row["offset"], row["length"], row["line"]) for row in rows] == [
        ("container", len(good), len(b'{"c": [\n\nnothing\n'), 2),
        ("container", len(log) - len(good[:-9]), len(good[:-9]), 6),
    ]
    assert {row["message"] for row in rows} == {
        "a record that is not valid JSON, or lacks what its format has; it was left out"
    }
    assert container_of(found).counts.problems == 2


@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_that_is_cut_gives_what_was_whole(engine: str, indent: int | None) -> None:
    whole = json.dumps([{"c": [A, B]}, {"c": [A, B]}], indent=indent).encode()
    log = whole[: len(whole) - 20]
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["ab"]
    (problem,) = found.problems.rows()
    assert problem["kind"] == "container"
    assert log[problem["offset"] :].startswith(b"{")
    assert problem["offset"] + problem["length"] == len(log)
    assert problem["line"] == log[: problem["offset"]].count(b"\n") + 1


def test_a_broken_chunk_is_a_problem_of_its_body(engine: str) -> None:
    log = b'{"c": [%b, {"choices": [{"index": }]}, %b]}\n' % (json.dumps(A).encode(), json.dumps(B).encode())
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["ab"]
    (problem,) = found.problems.rows()
    assert (problem["kind"], problem["source"]) == ("json", "#1")


def test_records_without_chunks_are_left_alone(engine: str) -> None:
    found = ssift.read(jsonl({"c": [A, B]}, {"x": 1}, {"c": []}), engine=engine, format=ssift.Records("c[]"))
    assert (container_of(found).bodies, container_of(found).left) == (1, 2)
    assert len(found.problems) == 0


def test_nothing_but_such_records_is_a_problem(engine: str) -> None:
    found = ssift.read(jsonl({"x": 1}), engine=engine, format=ssift.Records("c[]"))
    assert found.problems["message"].to_pylist() == [
        "nothing in this container is a stream: no body has a chunk, an error or [DONE]"
    ]


def test_a_record_of_an_error(engine: str) -> None:
    found = ssift.read(
        jsonl({"error": {"message": "no", "code": 4}, "c": None}), engine=engine, format=ssift.Records("c[]")
    )
    assert found.responses["error_message"].to_pylist() == ["no"]


def test_errors_are_raised_where_they_are(engine: str) -> None:
    with pytest.raises(ssift.ProblemError) as caught:
        ssift.read(jsonl({"c": [A]}) + b"{\n", engine=engine, format=ssift.Records("c[]"), errors="raise")
    assert (caught.value.kind, caught.value.line) == ("container", 2)


def test_problems_of_bodies_name_them(engine: str, tmp_path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(jsonl({"c": ANSWER.decode()}, {"c": (event(A) + BROKEN).decode()}))
    found = ssift.read(file, engine=engine, format=ssift.Records("c[]"))
    (problem,) = found.problems.rows()
    assert (problem["source"], problem["offset"], problem["kind"]) == (f"{file}#2", len(event(A)), "json")


# ----------------------------------------------------------------------------------------------------- arguments


@pytest.mark.parametrize("path", ["", ".", "a..b", "a[", "a[]b", "a].b", "a.[]"])
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        ssift.Records(path)


def test_formats_are_asked_for_by_name() -> None:
    with pytest.raises(ValueError, match="Records"):
        ssift.read(b"", format="records")
    with pytest.raises(ValueError, match="use one of"):
        ssift.read(b"", format="xml")


# ------------------------------------------------------------------------------------------------- logs of tools


def test_aiperf_joins_the_fields_of_an_event(engine: str) -> None:
    def response(ns: int, *packets: tuple[str, str]) -> dict[str, Any]:
        return {"perf_ns": ns, "packets": [{"name": name, "value": value} for name, value in packets]}

    record = {
        "responses": [
            response(5, ("comment", "ping")),
            response(10, ("data", json.dumps(A))),
            response(20, ("event", "error"), ("data", "overloaded")),
            response(30, ("data", "[DONE]")),
        ]
    }
    found = ssift.read(jsonl(record), engine=engine)
    assert container_of(found).container == "aiperf"
    assert found.responses["error_message"].to_pylist() == ["overloaded"]
    assert times(found) == [10]
    assert found.responses["ended_ns"].tolist() == [30]
    assert bodies_of(found)[0].counts.comments == 1


def test_aiperf_of_a_whole_answer(engine: str) -> None:
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"content": "hi"}, "finish_reason": "stop"}],
    }
    record = {"responses": [{"perf_ns": 7, "text": json.dumps(body), "content_type": "application/json"}]}
    found = ssift.read(jsonl(record), engine=engine)
    assert found.choices["content"].to_pylist() == ["hi"]
    assert times(found) == [7]


def test_inference_perf_has_times_for_the_chunks_it_lists(engine: str) -> None:
    data = events(ANSWER)
    metrics = {"response_chunks": data[1:3], "chunk_times": [1.5, 1.75]}
    for place in ({"response_metrics": metrics}, metrics):
        record = {"start_time": 1.0, "request": "{}", "response": ANSWER.decode(), "info": place}
        found = ssift.read(json.dumps([record], indent=2).encode(), engine=engine)
        assert times(found) == [None, 1_500_000_000, 1_750_000_000, None, None]
        assert tables(found, True) == tables(ssift.read(ANSWER, engine=engine), True)


def test_inference_perf_of_an_error(engine: str) -> None:
    record = {"start_time": 1.0, "request": "{}", "response": '{"error": {"message": "no"}}', "info": {}}
    found = ssift.read(json.dumps([record], indent=2).encode(), engine=engine)
    assert found.responses["error_message"].to_pylist() == ["no"]


@pytest.mark.parametrize("place", ["", "response_body", "response", "responseBody"])
def test_helicone(engine: str, place: str) -> None:
    streamed: dict[str, Any] = {"streamed_data": [A, B]}
    log = jsonl({"id": 1, **({place: streamed} if place else streamed)})
    found = ssift.read(log, engine=engine)
    assert container_of(found).container == "helicone"
    assert found.choices["content"].to_pylist() == ["ab"]


def test_batch_output(engine: str) -> None:
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": {"content": "hi"}}]}
    log = jsonl(
        {"id": "b1", "custom_id": "one", "response": {"status_code": 200, "body": body}, "error": None},
        {"id": "b2", "custom_id": "two", "response": None, "error": {"message": "expired", "code": "x"}},
        {"id": "b3", "custom_id": "three", "response": {"status_code": 400, "body": {"error": {"message": "bad"}}}},
    )
    found = ssift.read(log, engine=engine)
    assert container_of(found).container == "batch"
    assert found.responses["error_message"].to_pylist() == [None, "expired", "bad"]
    assert found.choices["content"].to_pylist() == ["hi"]


def test_names_of_many_records_go_on_over_batches(engine: str) -> None:
    log = jsonl({"c": [A]}) * 300
    batches = list(ssift.scan(log, engine=engine, format=ssift.Records("c[]"), batch_size=1000))
    assert len(batches) > 1
    assert [name for batch in batches for name in batch.responses["source"]] == [f"#{n}" for n in range(1, 301)]


def test_answers_with_done_stay_apart(engine: str) -> None:
    log = jsonl({"c": (answer("r", "x") + answer("r", "y")).decode()}, {"c": (answer("r", "z") + DONE).decode()})
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    assert found.choices["content"].to_pylist() == ["x", "y", "z"]


def test_a_value_that_is_no_data_adds_nothing(engine: str) -> None:
    """A field without data is no field, and an event of such fields none."""

    def record(value: Any, place: int) -> dict[str, Any]:
        said = [
            {"perf_ns": 10 + i, "packets": [{"name": "data", "value": json.dumps(c)}]} for i, c in enumerate((A, B))
        ]
        said.insert(place, {"perf_ns": 5, "packets": [{"name": "data", "value": value}]})
        return {"responses": said}

    whole = sum(len(json.dumps(c)) + len("data: \n\n") for c in (A, B))
    for value in ([], [[]], -1, 1.5, None, True):
        for place in (0, 1, 2):
            found = ssift.read(jsonl(record(value, place)), engine=engine)
            (source,) = bodies_of(found)
            assert (source.bytes, source.counts.blank_bytes, source.counts.chunks) == (whole, 2, 2)
            assert times(found) == [10, 11]


def test_names_of_fields_may_be_anything(engine: str) -> None:
    for name in ("\ud800", "da\nta: {}\n\ndata", "", "x:y"):
        packets = [{"name": name, "value": "1"}, {"name": "data", "value": json.dumps(A)}]
        log = json.dumps({"responses": [{"perf_ns": 1, "packets": packets}]}).encode() + b"\n"
        found = ssift.read(log, engine=engine)
        assert (len(found.chunks), bodies_of(found)[0].counts.events) == (1, 1)


def test_times_that_are_not_where_they_were_said_to_be(engine: str) -> None:
    log = jsonl(*({"t": 5, "c": [A]} for _ in range(5)))
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]", times="time"))
    assert [(row["kind"], row["message"]) for row in found.problems.rows()] == [
        ("container", "no record of the first 1,000 has an arrival time where Records.times (--time-path) says")
    ]
    assert len(found.chunks) == 5
    for form in (ssift.Records("c[]", times="t"), ssift.Records("c[]")):
        assert len(ssift.read(log, engine=engine, format=form).problems) == 0


def test_times_may_come_later(engine: str) -> None:
    log = jsonl(*({"c": [A]} for _ in range(9)), {"t_ns": 5, "c": [A]}, {"c": [A], "t_ns": 7})
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]", times="t_ns"))
    assert (times(found), len(found.problems)) == ([None] * 9 + [5, 7], 0)


@pytest.mark.parametrize("path", ["$.e", "$", "$[].e"])
def test_a_path_of_another_kind(path: str) -> None:
    with pytest.raises(ValueError, match=r"leave out the \$"):
        ssift.Records(path)
    ssift.Records("time.$date")


def test_a_body_that_was_cut_at_a_size_with_a_mark(engine: str) -> None:
    """The mark is no data, and what it cut is truncated."""
    body = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"cho\u2026 [truncated]'
    for ascii in (True, False):
        log = json.dumps({"resp": body}, ensure_ascii=ascii).encode() + b"\n"
        for form in (ssift.Records("resp[]"), ssift.Records("resp")):
            found = ssift.read(log, engine=engine, format=form)
            assert found.choices["content"].to_pylist() == ["a"]
            assert found.responses["status"].to_pylist() == ["truncated"]
            assert found.problems["kind"].to_pylist() == ["truncated"]


@pytest.mark.parametrize("path", ["p", "p[]"])
def test_comments_recorded_without_their_line_ends(engine: str, path: str) -> None:
    """What looks like data is not taken for more of a comment; what does not is."""
    for pieces in (
        [": ping", json.dumps(A), ": a", ": b", json.dumps(B)],
        [": pi", "ng", json.dumps(A), json.dumps(B), ": ping"],
        [": pi", "ng\n\n: pi", "ng", event(A).decode(), event(B).decode()],
        ["data: ", json.dumps(A), "\n\n: x\r\r: y", json.dumps(B)],
    ):
        log = jsonl(*({"p": piece} for piece in pieces)) if path == "p" else jsonl({"p": pieces})
        found = ssift.read(log, engine=engine, format=ssift.Records(path))
        assert (found.choices["content"].to_pylist(), len(found.problems)) == (["ab"], 0)


# ---------------------------------------------------------------------------------------- when it was asked for


def requested(log: ssift.Log) -> list[Any]:
    return log.responses["requested_ns"].tolist()


@pytest.mark.parametrize("start", [5, None, "5", 1e300, [1]])
def test_aiperf_tells_when_an_answer_was_asked_for(engine: str, start: Any) -> None:
    record = json.loads(aiperf(ANSWER))
    untold = {**record, "start_perf_ns": start}
    found = ssift.read(jsonl({**record, "start_perf_ns": 3}, untold, record), engine=engine)
    assert requested(found) == [3, 5 if start in (5, "5") else None, None]
    assert found.responses["started_ns"].tolist() == [START] * 3


def test_inference_perf_tells_when_an_answer_was_asked_for(engine: str) -> None:
    assert requested(ssift.read(inference_perf(ANSWER, ANSWER), engine=engine)) == [1_500_000_000] * 2


def test_har_tells_when_an_answer_was_asked_for(engine: str) -> None:
    whole = json.loads(har(ANSWER))
    whole["log"]["entries"][0]["startedDateTime"] = "2026-03-01T10:00:00.250Z"
    assert requested(ssift.read(json.dumps(whole).encode(), engine=engine)) == [1_772_359_200_250_000_000]


def test_records_may_say_when_an_answer_was_asked_for(engine: str) -> None:
    form = ssift.Records("c[]", times="t_ms", request="asked.at_ms")
    log = jsonl(
        {"t_ms": 7, "c": [A, B], "asked": {"at_ms": 2.5}}, {"c": [A, B]}, {"asked": {"at_ms": "9"}, "c": [A, B]}
    )
    found = ssift.read(log, engine=engine, format=form)
    assert requested(found) == [2_500_000, None, 9_000_000]
    joined = ssift.Records("c", times="t_ms", request="asked_ms", id="id")
    rows = [
        {"id": name, "asked_ms": at, "t_ms": at + 1, "c": body} for name, at in (("x", 1), ("y", 4)) for body in (A, B)
    ]
    assert requested(ssift.read(jsonl(*rows), engine=engine, format=joined)) == [1_000_000, 4_000_000]


def test_times_and_requests_have_one_unit() -> None:
    with pytest.raises(ValueError, match="different units"):
        ssift.Records("c[]", times="t_ms", request="asked_s")
    ssift.Records("c[]", times="t_ms", request="asked_s", unit=1)


@pytest.mark.parametrize("depth", [900, 990, 1030, 100_000])
@pytest.mark.parametrize("form", ["batch", "helicone", ssift.Records("a"), ssift.Records("a[]")], ids=str)
def test_a_deep_chunk_is_the_matter_of_the_chunk(engine: str, form: str | ssift.Records, depth: int) -> None:
    """And not of its record, which is not looked into as far as Python's stack goes."""
    chunk = '{"id":"r","object":"chat.completion.chunk","choices":[],"x":' + "[" * depth + "]" * depth + "}"
    record = {
        "batch": '{"custom_id":"a","response":{"body":%s}}',
        "helicone": '{"streamed_data":[%s]}',
        ssift.Records("a"): '{"a":%s}',
        ssift.Records("a[]"): '{"a":[%s]}',
    }[form] % chunk
    log = ssift.read(record.encode() + b"\n", format=form, engine=engine)
    assert log.problems["kind"].to_pylist() == (["too_long"] if depth > 1022 else [])

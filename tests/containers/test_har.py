"""HAR files: text, base64, messages with times, text of a wrong character set, what is no stream."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

import ssift
from tests.containers.wrapping import bodies_of, container_of, events, har, tables
from tests.faces.logs import ANSWER, answer, chunk, event

ACCENTS = answer("r", "café “☃” 你好 €")


def har_of(*contents: Any, **entry: Any) -> bytes:
    entries = [{"response": {"content": content}, **entry} for content in contents]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1).encode()


def stream(text: str, kind: str = "text/event-stream", **more: Any) -> dict[str, Any]:
    return {"mimeType": kind, "text": text, **more}


def test_what_is_no_stream_is_left_alone(engine: str, tmp_path) -> None:
    page, picture = stream("<html></html>", "text/html"), stream("iVBORw0KGgo=", "image/png", encoding="base64")
    file = tmp_path / "a.har"
    file.write_bytes(har_of(page, stream(ANSWER.decode()), picture, stream('{"ok": true}', "application/json")))
    log = ssift.read(file, engine=engine)
    assert [source.name for source in bodies_of(log)] == [f"{file}#2"]
    assert (container_of(log).bodies, container_of(log).left) == (1, 3)
    assert len(log.problems) == 0
    assert ssift.summarize(file, engine=engine).to_dict()["left_alone"] == 3


def test_nothing_but_such_entries_is_a_problem(engine: str) -> None:
    log = ssift.read(har_of(stream("<html></html>", "text/html")), engine=engine)
    assert log.problems["message"].to_pylist() == [
        "nothing in this container is a stream: no body has a chunk, an error or [DONE]"
    ]


@pytest.mark.parametrize(
    "body", ['{"error": {"message": "no", "code": 400}}', '{"choices": [{"index": 0, "message": {}}]}']
)
def test_json_answers_are_read(engine: str, body: str) -> None:
    log = ssift.read(har_of(stream(body, "application/json")), engine=engine)
    assert len(log.responses) == 1
    assert bodies_of(log)[0].framing == "jsonl"


@pytest.mark.parametrize("content", [{"mimeType": "text/event-stream", "size": 5}, stream(""), stream(" \n")])
def test_a_stream_that_was_not_recorded_is_a_problem(engine: str, content: dict[str, Any]) -> None:
    data = har_of(stream(ANSWER.decode()), content)
    log = ssift.read(data, engine=engine)
    (problem,) = log.problems.rows()
    assert (problem["kind"], problem["message"]) == (
        "container",
        "an entry whose stream was not recorded: its body is empty",
    )
    start = data.rindex(b'{\n    "response"')
    assert (problem["offset"], problem["line"]) == (start, data[:start].count(b"\n") + 1)
    assert len(log.responses) == 1


@pytest.mark.parametrize("charset", ["latin-1", "cp1252"])
def test_text_of_a_wrong_character_set_is_repaired(engine: str, charset: str) -> None:
    text = "".join(bytes([byte]).decode(charset, "ignore") or chr(byte) for byte in ACCENTS)
    log = ssift.read(har_of(stream(text)), engine=engine)
    assert tables(log, True) == tables(ssift.read(ACCENTS, engine=engine), True)


def test_text_that_is_right_stays_as_it_is(engine: str) -> None:
    for text in (ACCENTS.decode(), answer("r", "café").decode(), event(chunk({"content": "Ã©"})).decode()):
        content = stream(text, "text/event-stream; charset=utf-8")
        log = ssift.read(har_of(content), engine=engine)
        assert tables(log, True) == tables(ssift.read(text.encode(), engine=engine), True)


def test_text_that_cannot_be_repaired_is_reported(engine: str) -> None:
    wrong = json.dumps(chunk({"content": "cafÃ© à"}), ensure_ascii=False)
    log = ssift.read(har_of(stream(f"data: {wrong}\n\n")), engine=engine)
    assert log.problems["kind"].to_pylist() == ["encoding"]
    assert log.choices["content"].to_pylist() == ["cafÃ© à"]


@pytest.mark.parametrize("text", [ANSWER.decode(), ""])
def test_messages_have_times(engine: str, text: str) -> None:
    messages = [
        {"type": "receive", "time": 1_772_359_200 + place / 2, "eventName": "message", "eventId": "", "data": data}
        for place, data in enumerate(events(ANSWER))
    ]
    log = ssift.read(har_of(stream(text), _eventSourceMessages=messages), engine=engine)
    assert log.chunks["arrival_ns"].tolist() == [1_772_359_200_000_000_000 + place * 500_000_000 for place in range(5)]
    assert tables(log, False) == tables(ssift.read(ANSWER, engine=engine), False)


def test_names_and_ids_of_messages(engine: str) -> None:
    messages = [{"time": 1.0, "eventName": "error", "eventId": "7", "data": "gone\nfor good"}]
    log = ssift.read(har_of({"mimeType": "text/event-stream"}, _eventSourceMessages=messages), engine=engine)
    assert log.responses["error_message"].to_pylist() == ["gone\nfor good"]


def test_a_bad_body_is_a_problem_and_the_rest_is_read(engine: str) -> None:
    good = stream(base64.b64encode(ANSWER).decode(), encoding="base64")
    log = ssift.read(har_of(stream("%%%", encoding="base64"), good, None), engine=engine)
    assert log.problems["message"].to_pylist() == [
        "an entry whose body is not valid base64, or compressed and damaged",
        "an entry without the members that its format has",
    ]
    assert log.responses["source"].to_pylist() == ["#2"]


def test_a_cut_file_gives_what_was_whole(engine: str) -> None:
    data = har(ANSWER, ACCENTS)
    log = ssift.read(data[:-30], engine=engine)
    assert log.choices["content"].to_pylist() == ["Hi you"]
    (problem,) = log.problems.rows()
    assert problem["message"] == "the container ends early or is damaged from here on; what stands before was read"
    assert problem["offset"] + problem["length"] == len(data) - 30


@pytest.mark.parametrize("data", [b'{"log": {"version": "1.2"}}', b"<p>", b"[1]"])
def test_what_is_no_har_says_so(engine: str, data: bytes) -> None:
    log = ssift.read(data, engine=engine, format="har")
    assert log.problems["message"].to_pylist() == [
        "not a container of the format that was asked for, or that its beginning looks like"
    ]
    assert len(log.responses) == 0


def test_an_entry_that_is_null_lacks_what_an_entry_has(engine: str) -> None:
    log = ssift.read(b'{"log": {"entries": [null, 1]}}', engine=engine)
    assert set(log.problems["message"].to_pylist()) == {"an entry without the members that its format has"}

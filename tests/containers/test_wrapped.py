"""A body in a container is read as the bare body is."""

from __future__ import annotations

import json

import pytest

import ssift
from tests.containers.wrapping import WRAPPINGS, bodies_of, container_of, events, tables, wrapped
from tests.faces.logs import ANSWER, DONE, answer, chunk, event, token

BODIES = {
    "an answer": ANSWER,
    "characters": answer("r", 'aé☃😀\u2028"\\/\t') + answer("s", "two"),
    "escapes": event(chunk({"content": 'say "\\n" \u00e9 \U0001f600 \x01'})) + DONE,
    "logprobs": event(chunk({"content": "x"}, logprobs=[token("x", -1e-7, ("y", -2.5), ("\\", -30.0))])) + DONE,
    "an error": event(chunk({"content": "a"})) + event({"error": {"message": "gone", "code": 500}}),
    "no end": event(chunk({"role": "assistant", "content": "a"})),
    "broken": event(chunk({"content": "a"})) + b'data: {"choices":[{"index":0,"del\n\n' + event(chunk({}, "stop")),
    "tool calls": event(
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a": "\\"\\n"}'}}]})
    )
    + event(chunk({}, "tool_calls")),
    "text_completion": event(
        {
            "object": "text_completion",
            "choices": [
                {
                    "index": 0,
                    "text": "ab",
                    "logprobs": {
                        "tokens": ["a", "b"],
                        "token_logprobs": [None, -0.5],
                        "top_logprobs": [None, {"b": -0.5, "c": -1.5}],
                        "text_offset": [0, 1],
                    },
                }
            ],
        }
    ),
    "ascii": b"data: "
    + json.dumps(chunk({"content": "\u4f60\u597d \U0001f389"})).encode()
    + b"\n\ndata: "
    + json.dumps(chunk({}, "stop")).encode()
    + b"\n\n",
}


@pytest.fixture(params=wrapped(*WRAPPINGS))
def wrapping(request: pytest.FixtureRequest):
    return WRAPPINGS[request.param]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_tables_are_those_of_the_bare_body(engine: str, wrapping, body: bytes) -> None:
    bare = ssift.read(body, engine=engine)
    log = ssift.read(wrapping.wrap(body), engine=engine, format=wrapping.form)
    assert tables(log, wrapping.exact) == tables(bare, wrapping.exact)
    (source,) = bodies_of(log)
    container = container_of(log)
    assert (container.bodies, container.left, container.counts.problems) == (1, 0, 0)
    assert source.counts.chunks == bare.sources[0].counts.chunks
    if wrapping.exact:
        assert source.counts == bare.sources[0].counts
        assert source.bytes == len(body)
    assert (log.chunks["arrival_ns"].count() == len(log.chunks)) == wrapping.timed


def test_it_comes_in_pieces_as_well(engine: str, wrapping) -> None:
    data = wrapping.wrap(ANSWER + BODIES["characters"])
    whole = ssift.read(data, engine=engine, format=wrapping.form)
    for size in (1, 7, 1000):
        pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
        log = ssift.read(pieces, engine=engine, format=wrapping.form)
        assert tables(log, True) == tables(whole, True)
        assert log.chunks["arrival_ns"].tolist() == whole.chunks["arrival_ns"].tolist()


def test_it_comes_in_batches_as_well(engine: str, wrapping) -> None:
    data = wrapping.wrap(b"".join(answer(f"r{number}", "words and words") for number in range(20)))
    whole = ssift.read(data, engine=engine, format=wrapping.form)
    batches = list(ssift.scan(data, engine=engine, format=wrapping.form, batch_size=500))
    found = [repr(row) for log in batches for row in log.tokens.rows()]
    assert found == [repr(row) for row in whole.tokens.rows()]
    sources = {name for log in batches for name in log.responses["source"].to_pylist()}
    assert sources == set(whole.responses["source"].to_pylist())


@pytest.mark.parametrize(
    "name", wrapped("har", "vcr, json", "aiperf", "inference-perf", "helicone", "mitmproxy", "vcr, yaml")
)
def test_each_body_is_a_source(engine: str, name: str, tmp_path) -> None:
    found = WRAPPINGS[name]
    file = tmp_path / "log"
    file.write_bytes(found.wrap(ANSWER, answer("same", "ab"), answer("same", "cd")))
    log = ssift.read(file, engine=engine)
    assert log.responses["source"].to_pylist() == [f"{file}#1", f"{file}#2", f"{file}#3"]
    assert log.choices["content"].to_pylist() == ["Hi you", "ab", "cd"]
    assert [source.name for source in bodies_of(log)] == [f"{file}#1", f"{file}#2", f"{file}#3"]
    assert container_of(log).name == str(file)
    summary = ssift.summarize(file, engine=engine)
    assert (summary.counts["sources"], summary.counts["containers"]) == (3, 1)


def test_compressed_containers(engine: str, wrapping) -> None:
    import gzip

    data = gzip.compress(wrapping.wrap(ANSWER))
    log = ssift.read(data, engine=engine, format=wrapping.form)
    assert log.choices["content"].to_pylist() == ["Hi you"]
    assert container_of(log).compression == "gzip"


def test_events_of_the_helper_are_those_of_the_body() -> None:
    assert len(events(ANSWER)) == 6


# ------------------------------------------------------------------------------------------- the bytes of the bodies

SAID = b'event: chunk\nid: 7\ndata: {"choices":\ndata: []}\n\n: still here\n\nretry: 5\n\ndata: [DONE]\n\n'
"""What a parser takes apart, and a recorder may lose: names, ids, comments, data in several lines, blank lines."""


@pytest.mark.parametrize("name", wrapped(*(name for name in WRAPPINGS if WRAPPINGS[name].exact)))
def test_bodies_come_out_as_they_were_sent(name: str) -> None:
    wrapping = WRAPPINGS[name]
    body = ANSWER if name == "inference-perf" else SAID  # which has its chunks beside it
    assert [data for _, data in ssift.bodies(wrapping.wrap(body), format=wrapping.form)] == [body]


def test_offsets_count_in_the_bodies(wrapping) -> None:
    data = wrapping.wrap(ANSWER)
    sent = dict(ssift.bodies(data, format=wrapping.form))
    log = ssift.read(data, format=wrapping.form)
    source = log.responses["source"][0]
    for row in log.chunks.rows():
        event_text = sent[source][row["offset"] : row["offset"] + row["length"]]
        assert b'"choices"' in event_text

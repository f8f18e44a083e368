"""Docker's and Kubernetes' logs, and lines behind a timestamp."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

import ssift
from ssift.sources.containers import detect, lined
from ssift.sources.containers.recording import record_line
from tests.containers.wrapping import START, bodies_of, container_of, docker, jsonl, tables
from tests.faces.logs import ANSWER, answer, chunk

A = json.dumps(chunk({"content": "a"}))


def line(text: str, stream: str = "stdout", time: str = "2026-03-01T10:00:00Z", **more: Any) -> dict[str, Any]:
    return {"log": text, "stream": stream, "time": time, **more}


# -------------------------------------------------------------------------------------------------------- docker


def test_parts_of_a_line_are_joined_stream_by_stream(engine: str) -> None:
    log = jsonl(
        line(f"data: {A[:20]}"),
        line("a warning\n", "stderr"),
        line(f"{A[20:]}\n", time="2026-03-01T10:00:01.5Z"),
        line("\n", time="2026-03-01T10:00:02Z"),
    )
    found = ssift.read(log, engine=engine)
    assert container_of(found).container == "docker"
    assert [source.name for source in bodies_of(found)] == ["#stdout"]
    assert container_of(found).left == 1
    assert found.choices["content"].to_pylist() == ["a"]
    assert found.chunks["arrival_ns"].tolist() == [START + 1_500_000_000]


def test_both_streams_may_be_streams(engine: str) -> None:
    log = jsonl(
        line(f"data: {A}\n", "stderr"),
        line(f"data: {A}\n"),
        line("\n", "stderr", time="never"),
        line("\n"),
        line(f"data: {A}\n", "stderr", time="never"),
        line("\n", "stderr"),
    )
    found = ssift.read(log, engine=engine)
    assert found.responses["source"].to_pylist() == ["#stdout", "#stderr"]
    assert found.chunks["arrival_ns"].tolist() == [START, START, None]


def test_lines_that_are_no_records_are_one_problem(engine: str) -> None:
    good = jsonl(line(f"data: {A}\n"), line("\n"))
    found = ssift.read(good + b"what\nis\n\nthis\n" + good + b"[]", engine=engine)
    rows = [(row["offset"], row["length"], row["line"]) for row in found.problems.rows()]
    assert rows == [(len(good), 8, 3), (len(good) + 9, 5, 6), (2 * len(good) + 14, 3, 9)]
    assert len(found.chunks) == 2


def test_json_lines_in_a_log(engine: str) -> None:
    found = ssift.read(jsonl(line(A + "\n"), line(A + "\n")), engine=engine)
    assert bodies_of(found)[0].framing == "jsonl"
    assert len(found.chunks) == 2


def test_a_large_log_of_two_streams(engine: str) -> None:
    many = b"".join(answer(f"r{number}", "letters") for number in range(100))
    records = docker(many).splitlines(keepends=True)
    noise = jsonl(line("x" * 100 + "\n", "stderr"))
    found = ssift.read(noise.join([b"", *records]), engine=engine)
    assert len(found.responses) == 100
    assert len(found.problems) == 0


def test_streams_that_wait_are_read_from_a_file_as_from_memory(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [answer(f"r{number}", "letters " * number) for number in range(1, 10)]
    records = [docker(body).replace(b'"stdout"', b'"s%d"' % number) for number, body in enumerate(bodies)]
    lines = [one for record in records for one in enumerate(record.splitlines(keepends=True))]
    log = b"".join(line for _, line in sorted(lines, key=lambda one: one[0]))  # of all streams by turns
    expected = ssift.read(log, engine=engine)
    assert [source.name for source in bodies_of(expected)] == [f"#s{number}" for number in range(9)]
    assert expected.choices["content"].to_pylist() == ["letters " * number for number in range(1, 10)]
    monkeypatch.setattr(lined, "_IN_MEMORY", 100)
    monkeypatch.setattr(lined, "WINDOW", 70)
    assert tables(ssift.read(log, engine=engine), True) == tables(expected, True)


def test_memory_does_not_grow_with_the_number_of_streams() -> None:
    event = b"data: " + A.encode() + b"\n\n: " + b"x" * (1 << 20) + b"\n\n"
    lines = (record_line(f"s{number}", number, event) for number in range(60))
    tracemalloc.start()
    try:
        found = sum(len(batch.chunks) for batch in ssift.scan(lines, batch_size="1MB"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == 60
    assert peak < 50 << 20  # 16 MB may wait in memory, and buffers are doubled; all that was recorded is 60 MB


# ------------------------------------------------------------------------------------------------------------ cri


def test_cri_parts_and_streams(engine: str) -> None:
    log = (
        f"2026-03-01T10:00:00.66Z stdout P data: {A[:20]}\n"
        "2026-03-01T10:00:00.66Z stderr F warn\n"
        f"2026-03-01T11:00:00.67+01:00 stdout F {A[20:]}\n"
        "2026-03-01T10:00:00.67Z stdout F \n"
        "2026-03-01T10:00:00.67Z stdout F\n"
        "nothing of the kind\n"
    )
    found = ssift.read(log.encode(), engine=engine)
    assert container_of(found).container == "cri"
    assert found.chunks["arrival_ns"].tolist() == [START + 670_000_000]
    (problem,) = found.problems.rows()
    assert (problem["kind"], problem["line"], problem["source"]) == ("container", 6, "")


def test_cri_saved_with_crlf(engine: str) -> None:
    head = "2026-03-01T10:00:00Z stdout"
    log = f"{head} P data: {A[:20]}\n{head} P {A[20:30]}\n{head} F {A[30:]}\n{head} F \n{head} F\n{head} F data: {A}\n"
    plain, found = (ssift.read(data.encode(), engine=engine) for data in (log, log.replace("\n", "\r\n")))
    assert found.choices["content"].to_pylist() == plain.choices["content"].to_pylist() == ["aa"]
    assert (len(found.chunks), len(found.problems)) == (2, 0)


def test_lines_of_any_length(engine: str) -> None:
    """Where the text stands as it is, it is handed on in parts; how long an event may be is the engine's limit."""
    content = "x" * 300_000
    long = json.dumps(chunk({"content": content}, "stop"))
    limits = ssift.Limits(event_bytes=100_000)
    time = "2026-03-01T10:00:00Z"
    for log in (
        f"{time} stdout F data: {long}\n{time} stdout F \n{time} stdout F data: {A}\n",
        f"{time} stdout P data: {long[:9]}\n{time} stdout F {long[9:]}\n{time} stdout F \n{time} stdout F data: {A}\n",
        f"{time} data: {long}\n{time}\n{time} data: {A}\n",
    ):
        data = log.encode()
        for size in (len(data), 70_000):
            pieces = [data[at : at + size] for at in range(0, len(data), size)]
            found = ssift.read(iter(pieces), engine=engine)
            assert found.choices["content"].to_pylist() == [content + "a"]
            assert (found.chunks["arrival_ns"].tolist(), len(found.problems)) == ([START, START], 0)
            limited = ssift.read(iter(pieces), engine=engine, limits=limits)
            assert limited.problems["kind"].to_pylist() == ["too_long"]
            assert limited.choices["content"].to_pylist() == ["a"]


def test_parts_of_a_line_of_another_stream_and_of_none(engine: str) -> None:
    time, noise = "2026-03-01T10:00:00Z", "x" * 200_000
    data = f"{time} stderr F {noise}\n{noise}\n{time} stdout F data: {A}\nlast\n".encode()
    found = ssift.read(
        iter([data[at : at + 70_000] for at in range(0, len(data), 70_000)]), engine=engine, format="cri"
    )
    assert found.choices["content"].to_pylist() == ["a"]
    places = [(row["offset"], row["length"], row["line"], row["message"]) for row in found.problems.rows()]
    begin = data.index(b"xx\nxx") + 3
    assert places == [
        (begin, len(noise) + 1, 2, "a record that is too large to be held in memory; it was left out"),
        (len(data) - 5, 5, 4, "a record that is not valid JSON, or lacks what its format has; it was left out"),
    ]


def test_a_record_that_must_be_whole_and_is_too_large(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssift.sources.containers.lined._LONGEST", 1000)
    small, large = jsonl(line(f"data: {A}\n"), line("\n")), jsonl(line("x" * 200_000))
    data = small + large + small
    found = ssift.read(iter([data[at : at + 100] for at in range(0, len(data), 100)]), engine=engine)
    assert found.choices["content"].to_pylist() == ["aa"]
    places = [(row["offset"], row["length"], row["line"], row["message"]) for row in found.problems.rows()]
    assert places == [(len(small), len(large), 3, "a record that is too large to be held in memory; it was left out")]


# --------------------------------------------------------------------------------------------------- timestamped


@pytest.mark.parametrize(
    ("prefix", "ns"),
    [
        ("[2026-03-01 10:00:00.25] ", START + 250_000_000),
        ("[2026-03-01 10:00:00,250]", START + 250_000_000),
        ("2026-03-01T10:00:00.25Z ", START + 250_000_000),
        ("2026-03-01T12:00:00.250+02:00 ", START + 250_000_000),
        ("2026-03-01T12:00:00.250+0200 | ", START + 250_000_000),
        ("2026/03/01 10:00:00 - ", START),
        ("2026-03-01 10:00:00 UTC: ", START),
        ("2026-03-01T10:00:00.123456789Z ", START + 123_456_789),
        ("1772359200 ", START),
        ("1772359200.25 ", START + 250_000_000),
        ("[1772359200250] ", START + 250_000_000),
        ("  1772359200250: ", START + 250_000_000),
    ],
)
def test_forms_of_a_timestamp(engine: str, prefix: str, ns: int) -> None:
    for log in (f"{prefix}data: {A}\n{prefix}\n", f"{prefix}data: {A}\r\n\r\n", f"{prefix}{A}\n"):
        found = ssift.read(log.encode(), engine=engine)
        assert container_of(found).container == "timestamped"
        assert found.choices["content"].to_pylist() == ["a"]
        assert found.chunks["arrival_ns"].tolist() == [ns]
        assert len(found.problems) == 0


def test_the_body_has_the_name_of_the_log(engine: str, tmp_path) -> None:
    file = tmp_path / "log.txt"
    file.write_text(f"[2026-03-01 10:00:00] data: {A}\n\n")
    assert ssift.read(file, engine=engine).responses["source"].to_pylist() == [str(file)]


def test_comments_stay_comments(engine: str) -> None:
    log = f"[2026-03-01 10:00:00] : ping\n[2026-03-01 10:00:00]\n2026-03-01 10:00:01 data: {A}\n"
    found = ssift.read(log.encode(), engine=engine)
    assert bodies_of(found)[0].counts.comments == 1
    assert len(found.chunks) == 1


def packet(content: str, finish: str | None = None, id: str = "c1") -> str:
    return json.dumps(chunk({"role": "assistant", "content": content}, finish, id=id), indent=2)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_words_before_an_object_that_is_laid_out_over_lines(engine: str, end: str) -> None:
    log = "".join(
        f"[2026-03-01 10:00:0{place}][INFO] Generated packet: {packet(text, id=id)}\n"
        for place, (text, id) in enumerate([(" hi", "a"), ("x{\n}", "b"), (" you", "a")])
    ).replace("\n", end)
    found = ssift.read(log.encode(), engine=engine)
    assert container_of(found).container == "timestamped"
    assert found.choices["content"].to_pylist() == [" hi you", "x{\n}"]
    assert found.chunks["arrival_ns"].tolist() == [START, START + 10**9, START + 2 * 10**9]
    assert len(found.problems) == 0


def test_words_before_a_line_of_a_stream(engine: str) -> None:
    time = "2026-03-01 10:00:00.25 INFO server - "
    found = ssift.read(f"{time}data: {A}\n\n{time}data: {A}\n\n{time}data: [DONE]\n\n".encode(), engine=engine)
    assert (len(found.chunks), found.responses["done"].tolist(), len(found.problems)) == (2, [True], 0)


def test_an_object_that_a_crash_tore(engine: str) -> None:
    whole = f"[2026-03-01 10:00:00] {packet('a', 'stop')}\n"
    torn = whole[:-20] + "\n"
    found = ssift.read((whole + torn + whole).encode(), engine=engine)
    assert found.problems["kind"].to_pylist() == ["json"]
    assert len(found.chunks) == 2


# ----------------------------------------------------------------------------------------------------- detection


@pytest.mark.parametrize(
    "head",
    [
        ANSWER,
        b"",
        b"\n\n" + ANSWER,
        b": ping\n\n" + ANSWER,
        b"id: 7\n" + ANSWER,
        b"event: x\n" + ANSWER,
        b"retry: 1\n" + ANSWER,
        b'"log":{"x":1}}\n' + ANSWER,
        b'{"log":"x","stream":"stdout"}\n' + ANSWER,
        b"2026-03-01T10:00:00Z stdout F x\n" + ANSWER,
        b"[2026-03-01 10:00:00] data: {}\n" + ANSWER,
        b"interactions:\n" + ANSWER,
        b'{"responses":[{"perf_ns":1}]}\n' + ANSWER,
        b'[{"start_time":1,"request":"","x":1}]\n' + ANSWER,
        b'{"custom_id":"a","response":1}\n' + ANSWER,
        b'{"streamed_data":[]}\n' + ANSWER,
        b"12:34: x\n" + ANSWER,
        json.dumps(
            chunk({"content": '{"log": {"entries": []}} "interactions": [] "streamed_data": "perf_ns":'})
        ).encode(),
        b"1772359200 nothing\n",
        b"2026-03-01 10:00:00 server started\n",
        b"<html>",
    ],
)
def test_what_is_no_container(head: bytes) -> None:
    assert detect(head) is None

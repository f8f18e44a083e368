"""Recording a live stream and replaying a log: what went in comes out, to the byte."""

from __future__ import annotations

import asyncio
import gc
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ssift
from ssift.errors import SsiftError
from ssift.live.recorded import Recorded, recorded
from ssift.live.replay import ReplayServer
from tests.live.serving import running
from tests.live.streams import LOGPROBS, SOUND, TEXT, TOOLS, delta


def pieces(data: bytes, size: int = 7) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_recording_is_read_back_with_its_times(tmp_path: Path, engine: str, size: int) -> None:
    path = tmp_path / "calls.jsonl"
    given = pieces(TEXT, size)
    assert list(ssift.record(path, given, stream="one")) == given
    log = ssift.read(path, engine=engine)
    assert log.responses["source"].to_pylist() == [f"{path}#one"]
    assert log.choices["content"].to_pylist() == ["Héllo ☃"]
    assert log.responses["length"].tolist() == [len(TEXT) - 1]
    assert not len(log.problems)
    times = log.chunks["arrival_ns"].tolist()
    assert times == sorted(times)
    assert times[0] > 1_600_000_000 * 10**9


def test_a_recording_tells_when_a_stream_was_asked_for(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    for name, asked in (("one", 7), ("two", None)):
        list(ssift.record(path, pieces(TEXT), stream=name, requested_ns=asked))
    log = ssift.read(path, engine=engine)
    assert dict(zip(log.responses["source"].to_pylist(), log.responses["requested_ns"].tolist(), strict=True)) == {
        f"{path}#one": 7,
        f"{path}#two": None,
    }
    assert path.read_text().count("requested_ns") == 1


def test_streams_of_one_file_do_not_mix(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    first, second = ssift.record(path, pieces(TEXT)), ssift.record(path, pieces(TOOLS))
    for _ in zip(first, second, strict=False):
        pass
    list(first)
    list(second)
    log = ssift.read(path, engine=engine)
    assert sorted(log.choices["content"].to_pylist(), key=str) == ["Héllo ☃", None]
    assert log.tool_calls["arguments"].to_pylist() == ['{"x":1}']
    assert len(set(log.responses["source"].to_pylist())) == 2


def test_bytes_that_are_no_text_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    data = delta({"content": "x"}).replace(b"x", b"\xff\xe2")
    list(ssift.record(path, pieces(data, 3)))
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert any("base64" in line for line in lines)
    assert lines[-1]["end"] is True
    assert ssift.read(path).problems["kind"].to_pylist() == ["encoding"]


def test_nothing_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    script = (
        "import os, sys, signal, ssift\n"
        "data = sys.stdin.buffer.read()\n"
        "for piece in ssift.record(sys.argv[1], [data[:200], data[200:], b'never']):\n"
        "    if piece == data[200:]: os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], input=TEXT, check=False)
    log = ssift.read(path)
    assert log.choices["content"].to_pylist() == ["Héllo ☃"]
    assert log.responses["done"].tolist() == [True]


def test_an_asynchronous_stream_is_recorded(tmp_path: Path) -> None:
    async def source():
        for piece in pieces(LOGPROBS):
            yield piece

    async def read() -> list[str | None]:
        stream = ssift.achunks(ssift.arecord(tmp_path / "a.jsonl", source()))
        return [chunk.choices[0].delta.content async for chunk in stream if chunk.choices]

    assert asyncio.run(read()) == ["a", "b"]
    assert len(ssift.read(tmp_path / "a.jsonl").tokens) == 2


def test_a_line_cut_short_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    list(ssift.record(path, [TEXT]))
    path.write_bytes(path.read_bytes() + b'{"ssift": 1, "stre')
    log = ssift.read(path)
    assert log.choices["content"].to_pylist() == ["Héllo ☃"]
    assert log.problems["kind"].to_pylist() == ["container"]


def test_what_follows_a_line_cut_short_is_kept(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    list(ssift.record(path, [TEXT]))
    path.write_bytes(path.read_bytes() + b'{"ssift": 1, "stre')
    for _ in range(2):
        list(ssift.record(path, [TEXT]))
    log = ssift.read(path, engine=engine)
    assert log.choices["content"].to_pylist() == ["Héllo ☃"] * 3
    assert log.problems["kind"].to_pylist() == ["container"]
    assert path.read_bytes().count(b"\n") == 7


@pytest.mark.parametrize(
    "line",
    [
        *(f'"at_ns": {number}, "text": "a"' for number in (1 << 63, -(1 << 70), "NaN", "true", "9" * 5000)),
        f'"at_ns": 1, "text": {"[" * 100_000}',
    ],
)
def test_a_line_that_is_none_is_a_problem(tmp_path: Path, engine: str, line: str) -> None:
    path = tmp_path / "calls.jsonl"
    list(ssift.record(path, [TEXT], stream="a"))
    with path.open("a") as file:
        file.write(f'{{"ssift": 1, "stream": "a", {line}}}\n')
    log = ssift.read(path, engine=engine)
    assert log.choices["content"].to_pylist() == ["Héllo ☃"]
    assert log.problems["kind"].to_pylist() == ["container"]


def test_a_time_of_a_request_that_no_column_holds_is_unknown(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    list(ssift.record(path, [TEXT], requested_ns=1 << 63))
    assert ssift.read(path, engine=engine).responses["requested_ns"].tolist() == [None]


def test_what_cannot_be_recorded_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    assert b"".join(ssift.record(path, TEXT)) == TEXT
    assert ssift.read(path).choices["content"].to_pylist() == ["Héllo ☃"]
    path.unlink()
    for wrong in ("text", None, 5):
        with pytest.raises(TypeError, match=r"record\(\) reads bytes"):
            ssift.record(path, wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"for others: record\(\)"):
        ssift.arecord(path, [TEXT])  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_file_that_cannot_be_made_is_one_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ssift.record(tmp_path / "none" / "calls.jsonl", [TEXT])
    gc.collect()


# -------------------------------------------------------------------------------------------------------- replay


@contextmanager
def served(responses: list[Recorded], **pace: float) -> Iterator[str]:
    with running(ReplayServer(responses, **pace)) as server:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"


def post(url: str) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", b"{}")) as response:
        return response.read()


@pytest.mark.parametrize("form", ["sse", "recording", "jsonl"])
def test_a_log_is_served_response_by_response(tmp_path: Path, form: str) -> None:
    path = tmp_path / "log"
    if form == "sse":
        path.write_bytes(TEXT + TOOLS.replace(b"c1", b"c2"))
    elif form == "recording":
        list(ssift.record(path, pieces(TEXT)))
        list(ssift.record(path, pieces(TOOLS)))
    else:
        lines = [chunk.raw + b"\n" for chunk in ssift.chunks(TEXT)]
        lines += [chunk.raw.replace(b"c1", b"c2") + b"\n" for chunk in ssift.chunks(TOOLS)]
        path.write_bytes(b"".join(lines))
    with served(recorded(path), pace=0) as url:
        for _ in range(2):  # from the first again
            assert ssift.accumulate(ssift.chunks(post(url))).text == "Héllo ☃"
            [call] = ssift.accumulate(ssift.chunks(post(url))).completion.choices[0].message.tool_calls
            assert call.function.arguments == '{"x":1}'
        with urllib.request.urlopen(f"{url}/models") as response:
            assert [model["id"] for model in json.load(response)["data"]] == ["m"]


def test_interleaved_responses_are_served_apart() -> None:
    a = [delta({"role": "assistant", "content": "a"}), delta({"content": "b"}, "stop")]
    b = [event.replace(b"c1", b"c2") for event in a]
    found = recorded(b"".join([a[0], b[0], a[1], b[1]]))
    assert [b"".join(response.events) for response in found] == [b"".join(a), b"".join(b)]


def test_a_response_that_was_cut_breaks_off() -> None:
    import http.client

    [response] = recorded(TEXT[: len(TEXT) // 2])
    assert not response.whole
    with served([response]) as url, pytest.raises(http.client.IncompleteRead):
        post(url)


def test_errors_are_served() -> None:
    [response] = recorded(SOUND["error"])
    with served([response]) as url, pytest.raises(ssift.StreamError, match="over"):
        list(ssift.chunks(post(url)))


def test_recorded_waits_are_those_of_the_arrivals(tmp_path: Path) -> None:
    path = tmp_path / "r"
    lines = [
        {"ssift": 1, "stream": "s", "at_ns": 10**18 + number * 250_000_000, "text": text.decode()}
        for number, text in enumerate([delta({"role": "assistant", "content": "a"}), delta({"content": "b"}, "stop")])
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    [response] = recorded(path)
    assert response.waits == [0.0, 0.25]


def test_a_log_without_responses_is_refused() -> None:
    with pytest.raises(SsiftError, match="no response"):
        recorded(b": nothing\n\n")

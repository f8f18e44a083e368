"""Containers on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ssift.cli.arguments import FORMATS as NAMES
from ssift.sources.containers import FORMATS
from tests.containers.wrapping import har, jsonl, rows
from tests.faces.commands import run
from tests.faces.logs import ANSWER, BROKEN, answer, chunk, event


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_knows_all_formats() -> None:
    assert set(NAMES) == {"sse", "jsonl", "json", "records", *FORMATS}


def test_stats_count_bodies(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "a.har").write_bytes(har(ANSWER, answer("r", "x")))
    status, output, _ = run(capsys, "stats", "a.har", "--json")
    figures = json.loads(output)
    assert (status, figures["sources"], figures["containers"], figures["responses"]) == (0, 2, 1, 2)
    assert figures["bytes"] == len(ANSWER + answer("r", "x"))
    assert "2 sources in 1 container," in run(capsys, "stats", "a.har")[1]


def test_check_shows_what_stands_in_a_body(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = jsonl({"c": ANSWER.decode()}, {"c": (ANSWER + BROKEN).decode()}, {"c": 1}) + b"nothing\n"
    (here / "log.jsonl").write_bytes(lines + jsonl({"c": BROKEN.decode()}))
    for engine in ("python", "auto"):
        more = () if engine == "auto" else ("--engine", engine)
        status, output, _ = run(capsys, "check", "log.jsonl", "--chunk-path", "c[]", *more)
        assert status == 1
        assert output.count("^ ") == 2
        assert "log.jsonl#2:" in output
        assert "log.jsonl#5:1: json" in output
        assert "log.jsonl:4: container: a record that is not valid JSON" in output
        assert output.splitlines()[-1] == "3 problems in 3 sources: json 2, container 1"


def test_check_of_a_body_in_records(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = jsonl({"d": '{"choices":[{'})
    (here / "log.jsonl").write_bytes(broken + rows(event(chunk({"content": "a"}))).replace(b'"event"', b'"x"') + broken)
    status, output, _ = run(capsys, "check", "log.jsonl", "--chunk-path", "d")
    assert (status, output.count('{"choices":[{')) == (1, 2)


def test_paths_on_the_command_line(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "log.jsonl").write_bytes(rows(ANSWER))
    arguments = ("text", "log.jsonl", "--chunk-path", "event.data", "--time-path", "at_ms")
    assert "Hi you" in run(capsys, *arguments)[1]


def test_latency_from_the_time_of_the_request(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first of its events comes at 1,000 ms, the one with text a millisecond later."""
    (here / "log.jsonl").write_bytes(rows(ANSWER).replace(b'{"at_ms"', b'{"asked_ms": 750, "at_ms"'))
    arguments = ("stats", "log.jsonl", "--chunk-path", "event.data", "--time-path", "at_ms", "--latency", "--json")
    untold = json.loads(run(capsys, *arguments)[1])["latency"]
    assert (untold["timed"], untold["requested"], untold["ttft_any_chunk"]["mean"]) == (1, 0, None)
    assert "does not tell when" in run(capsys, *arguments[:-1])[1]
    told = json.loads(run(capsys, *arguments, "--request-path", "asked_ms")[1])["latency"]
    assert told["ttft_any_chunk"]["mean"] == pytest.approx(0.25)
    assert told["ttft_first_content"]["mean"] == pytest.approx(0.251)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "records"), "--chunk-path is missing"),
        (("--time-path", "t"), "--chunk-path is missing"),
        (("--chunk-path", "a["), "is not a path"),
        (("--chunk-path", ""), "the path to the chunks is missing"),
        (("--chunk-path", "$.e"), "leave out the $"),
        (("--chunk-path", "a", "--format", "har"), "goes with --format records"),
        (("--follow", "--format", "sse"), "leave --format"),
    ],
)
def test_arguments_that_do_not_fit(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    (here / "log").write_bytes(ANSWER)
    status, output, errors = run(capsys, "stats", "log", *arguments)
    assert (status, output) == (2, "")
    assert said in errors

"""A format that somebody asked for: what it does not fit says so, and what it looks like."""

from __future__ import annotations

import json

import pytest

import ssift
from ssift.cli import arguments
from ssift.contract import FORMATS, M_LOOKS_LIKE, MESSAGES
from ssift.sources import containers
from tests.containers.wrapping import WRAPPINGS, wrapped
from tests.faces.logs import ANSWER, chunk
from tests.need import need_module

LINES = json.dumps(chunk({"content": "a"}, "stop")).encode() + b"\n"
INDENTED = json.dumps(chunk({"content": "a"}, "stop"), indent=1).encode()
BATCH = b'{"custom_id": "a", "response": null, "error": {"message": "expired"}}\n'

LOGS = {
    "sse": ANSWER,
    "jsonl": LINES * 2,
    "json": INDENTED,
    "batch": BATCH,
    "aiperf": WRAPPINGS["aiperf"].wrap(ANSWER),
    "inference-perf": WRAPPINGS["inference-perf"].wrap(ANSWER),
    "helicone": WRAPPINGS["helicone"].wrap(ANSWER),
    "har": WRAPPINGS["har"].wrap(ANSWER),
    "vcr": WRAPPINGS["vcr, json"].wrap(ANSWER),
    "docker": WRAPPINGS["docker"].wrap(ANSWER),
    "cri": WRAPPINGS["cri"].wrap(ANSWER),
    "timestamped": WRAPPINGS["timestamped"].wrap(ANSWER),
}
NEED = {"vcr": "yaml", "mitmproxy": "mitmproxy"}
NAMES = wrapped(*(form for form in FORMATS if form != "records"))


def test_the_names_of_formats_are_the_same_everywhere() -> None:
    assert set(FORMATS) == {"sse", "jsonl", "json", *containers.FORMATS}
    assert set(arguments.FORMATS) == {*FORMATS, "records"}
    for form in FORMATS:
        assert MESSAGES[M_LOOKS_LIKE[form]].endswith(f"this looks like {form}")


@pytest.mark.parametrize("form", NAMES)
def test_what_does_not_fit_is_a_problem_that_says_what_it_looks_like(engine: str, form: str) -> None:
    if form in NEED:
        need_module(NEED[form])
    for looks, data in LOGS.items():
        log = ssift.read(data, engine=engine, format=form)
        said = [row["message"] for row in log.problems.rows() if row["kind"] == "container"]
        if len(log.chunks) or looks == form:
            assert not any("looks like" in message for message in said)
        else:
            assert [message for message in said if message.endswith(f"looks like {looks}")] == [
                MESSAGES[M_LOOKS_LIKE[looks]]
            ]
        assert sum(source.counts.problems for source in log.sources) == len(log.problems)


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_an_empty_file_is_no_problem_whatever_was_asked_for(engine: str, form: str, data: bytes) -> None:
    if form in NEED:
        need_module(NEED[form])
    log = ssift.read(data, engine=engine, format=form)
    assert (len(log.problems), len(log.responses)) == (0, 0)


def test_an_error_is_no_sign_of_another_framing(engine: str) -> None:
    error = b'{"error": {"message": "no"}}'
    for form in ("json", "jsonl"):
        log = ssift.read(error, engine=engine, format=form)
        assert (log.responses["error_message"].to_pylist(), len(log.problems)) == (["no"], 0)


def test_nothing_is_said_of_what_was_not_asked_for(engine: str) -> None:
    log = ssift.read(b"<html>", engine=engine)
    assert log.problems["kind"].to_pylist() == ["not_sse"]


def test_errors_are_raised(engine: str) -> None:
    with pytest.raises(ssift.ProblemError, match="looks like batch") as caught:
        ssift.read(BATCH, engine=engine, format="jsonl", errors="raise")
    assert caught.value.kind == "container"


def test_a_large_file_in_threads(tmp_path) -> None:
    file = tmp_path / "log"
    file.write_bytes(WRAPPINGS["cri"].wrap(ANSWER * 10) * (9_000_000 // len(WRAPPINGS["cri"].wrap(ANSWER * 10)) + 1))
    log = ssift.read(file, format="sse", threads=2)
    assert log.problems["message"].to_pylist()[-1:] == [MESSAGES[M_LOOKS_LIKE["cri"]]]

"""Exceptions say what, where, and what to do."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import ssift
from ssift.cli import main
from ssift.contract import MESSAGES
from tests.faces.logs import ANSWER, BROKEN


def test_a_problem_carries_its_place(engine: str) -> None:
    with pytest.raises(ssift.ProblemError) as raised:
        ssift.read([ANSWER, ANSWER + BROKEN + ANSWER], engine=engine, errors="raise")
    error = raised.value
    assert (error.source, error.offset, error.length, error.line, error.kind) == (
        "",
        len(ANSWER),
        len(BROKEN) - 1,
        1 + ANSWER.count(b"\n"),
        "json",
    )
    assert "the input, line 13" in str(error)
    assert "json: the data is not valid JSON" in str(error)
    assert "log.problems" in str(error)


def test_raising_stops_before_the_rest_is_read(engine: str) -> None:
    taken = []

    def pieces():
        for piece in (BROKEN, *[ANSWER] * 1000):
            taken.append(piece)
            yield piece * 200

    with pytest.raises(ssift.ProblemError):
        ssift.read(pieces(), engine=engine, errors="raise")
    assert len(taken) < 100


def test_a_problem_that_is_certain_at_the_end_only_is_raised_too(engine: str) -> None:
    with pytest.raises(ssift.ProblemError, match="no event stream"):
        ssift.read(b"<html>502 Bad Gateway</html>\n", engine=engine, errors="raise")


def test_exceptions_survive_pickling() -> None:
    problem = ssift.ProblemError("a.sse", 1, 2, 3, "json", "bad")
    again = pickle.loads(pickle.dumps(problem))
    assert (str(again), again.offset, again.kind) == (str(problem), 1, "json")
    missing = ssift.NotFoundError("a.sse: no such file or folder", "a.sse")
    again = pickle.loads(pickle.dumps(missing))
    assert (type(again), str(again), again.source) == (ssift.NotFoundError, str(missing), "a.sse")


def test_what_is_missing_is_a_file_not_found_error_for_python_as_well() -> None:
    with pytest.raises(FileNotFoundError) as raised:
        ssift.read("no/such/file.sse")
    assert isinstance(raised.value, ssift.ReadError)
    assert isinstance(raised.value, ssift.SsiftError)
    assert raised.value.source == "no/such/file.sse"


@pytest.mark.parametrize(
    ("text", "where"),
    [("{", "at character 2"), ('{"a":}', "at character 6"), ("[" * 3000 + "}" + "]" * 3000, "at character 3001")],
)
def test_one_chunk_that_is_not_json_says_where(text: str, where: str) -> None:
    with pytest.raises(ValueError, match=f"the data is not valid JSON: .* {where}"):
        ssift.loads(text)


def test_every_way_to_name_a_table_names_those_that_there_are() -> None:
    log = ssift.read(ANSWER)
    calls = [
        lambda: log["token"],
        lambda: ssift.read(ANSWER, tables=("token",)),
        lambda: ssift.read(ANSWER, columns=["token.logprob"]),
        lambda: ssift.TableStream(ANSWER, "token"),
    ]
    for call in calls:
        with pytest.raises(
            (ValueError, ssift.TableError), match=r"there is no table 'token'; the tables are responses,"
        ):
            call()


def test_no_message_is_without_words_that_help() -> None:
    for message in MESSAGES:
        assert len(message.split()) > 3, message
        assert message[0].isalpha(), message
        assert not message.endswith("."), message
    assert len(set(MESSAGES)) == len(MESSAGES)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stats", "a.sse", "--interval", "x"], "'x' is not a number of seconds from 0 on"),
        (["stats", "--follow", "a.sse", "a.sse"], "--follow takes one file, not 2"),
        (["replay", "a.sse", "--pace", "-1"], "--pace -1: at least 0"),
        (["replay", "a.sse", "--pace", "nan"], "--pace nan: at least 0, and finite"),
        (["replay", "a.sse", "--interval", "inf"], "--interval inf: at least 0, and finite"),
        (["replay", "a.sse", "--host", ""], "--host is empty: 127.0.0.1 is this machine alone"),
        (["replay", "a.sse", "--port", "99999"], "cannot listen on 127.0.0.1, port 99999: "),
        (["text", "a.sse", "--response", "9"], "there is no response 9: 1 were found, numbered from 0"),
        (["sql", "selct 1 from tokens", "a.sse"], "no such file or folder (and no query: those begin with select"),
    ],
)
def test_the_command_says_what_was_given_and_what_can_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sse").write_bytes(ANSWER)
    try:
        status = main(arguments)
    except SystemExit as usage:
        status = usage.code
    assert status == 2
    assert said in capsys.readouterr().err

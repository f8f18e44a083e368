"""The command line: exit status, what goes where, and that nothing in a log steers a terminal."""

from __future__ import annotations

import fcntl
import gzip
import io
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

import ssift
from ssift.cli import main
from ssift.cli.terminal import Terminal
from tests.faces.commands import run
from tests.faces.logs import ANSWER, BROKEN, CUT, DONE, answer, chunk, event
from tests.faces.terminal import Screen, on_a_terminal
from tests.waiting import unread, wait_for

NASTY = "\x1b]0;title\x07\x1b[31mred\x9b2J\u202egnirts\r\n\tend"
CALL = event(
    chunk({"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "f", "arguments": '{"a":1}'}}]}, "tool_calls")
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.sse").write_bytes(ANSWER)
    (tmp_path / "bad.sse").write_bytes(ANSWER + BROKEN + CUT)
    (tmp_path / "good.sse.gz").write_bytes(gzip.compress(ANSWER))
    return tmp_path


def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "ssift", *arguments], capture_output=True, timeout=60, **options)


# ------------------------------------------------------------------------------------------------------------- stats


def test_stats_shows_three_figures_for_tokens(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, errors = run(capsys, "stats", "good.sse", "--engine", engine)
    assert (status, errors) == (0, "")
    words = [line.split() for line in output.splitlines()]
    assert ["1", "source,", "1.2", "kB,", "read", "by", "the", engine, "engine"] in words
    for row in (["chunks", "5"], ["logprob", "entries", "3"], ["completion_tokens", "2"], ["perplexity", "1.45499"]):
        assert any(line[: len(row)] == row for line in words), row
    assert "1 sentinels (-9999 or less)" in output


def test_stats_json_is_one_object_and_nothing_else(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, errors = run(capsys, "stats", "--json", "good.sse", "good.sse.gz", "--engine", engine)
    assert (status, errors) == (0, "")
    figures = json.loads(output)
    assert figures == json.loads(ssift.summarize(["good.sse", "good.sse.gz"], engine=engine).to_json())
    assert (figures["sources"], figures["bytes"]) == (2, 2 * len(ANSWER))


def test_stats_of_problems_point_to_check(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "page.html").write_text("<html>502</html>")
    status, output, _ = run(capsys, "stats", "page.html")
    assert status == 0
    assert "ssift check shows them" in output


def test_stats_of_words_with_control_characters(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "nasty.sse").write_bytes(answer("a", "x", model=NASTY))
    _, output, _ = run(capsys, "stats", "nasty.sse")
    assert not set(output) & set("\x1b\x07\x9b\u202e\r")


# ------------------------------------------------------------------------------------------------------------- check


def test_check_of_a_good_log(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, _ = run(capsys, "check", "good.sse", "--engine", engine)
    assert (status, output) == (0, "no problems in 1 source, 1.2 kB, 6 events\n")


def test_check_prints_place_kind_and_excerpt(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, _ = run(capsys, "check", "bad.sse", "--engine", engine)
    assert status == 1
    assert output.splitlines() == [
        "bad.sse:13: json: the data is not valid JSON",
        f"    offset {len(ANSWER):,}, {len(BROKEN) - 1} bytes",
        '    {"choices":[{"index":0,"del',
        f"    {' ' * 23}^ Unterminated string starting at character 24 of the data",
        "bad.sse:15: truncated: the input ends inside this event",
        f"    offset {len(ANSWER + BROKEN):,}, {len(CUT)} bytes",
        '    {"choices":[{"index":0,"delta":{"content":"c',
        f"    {' ' * 42}^ Unterminated string starting at character 43 of the data",
        "2 problems in 1 source: json 1, truncated 1",
    ]


def test_check_json(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, _ = run(capsys, "check", "--json", "bad.sse", "good.sse", "--engine", engine)
    found = json.loads(output)
    assert status == 1
    rows = list(ssift.read(["bad.sse", "good.sse"], engine=engine).problems.rows())
    assert [{name: problem[name] for name in rows[0]} for problem in found["problems"]] == rows
    assert found["problems"][0]["fault"] == "Unterminated string starting at character 24 of the data"
    assert (found["count"], found["kinds"], found["sources"]) == (2, {"json": 1, "truncated": 1}, 2)
    status, output, _ = run(capsys, "check", "--json", "good.sse")
    assert (status, json.loads(output)["problems"], json.loads(output)["count"]) == (0, [], 0)


def test_check_finds_wrong_types_in_every_field(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    bad_top = {"token": "a", "logprob": -1, "top_logprobs": [{"token": 5, "logprob": -1}]}
    bad_call = {"tool_calls": [{"index": "x"}]}
    (here / "types.sse").write_bytes(
        event(chunk({"content": 5})) + event(chunk({}, logprobs=[bad_top])) + event(chunk(bad_call))
    )
    status, output, _ = run(capsys, "check", "types.sse", "--engine", engine)
    assert status == 1
    assert "3 problems in 1 source: type 3" in output


def test_check_excerpts_are_safe_and_short(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "nasty.sse").write_bytes(
        b"data: {" + NASTY.encode() + b"x" * 500 + b"}\n\nnot a line \x1b[31m\xff\n" + DONE
    )
    _, output, _ = run(capsys, "check", "nasty.sse")
    assert r"\x1b]0;title\x07" in output
    assert not set(output) & set("\x1b\x07\x9b\u202e\r")
    assert max(map(len, output.splitlines())) < 200


def test_check_shows_where_a_long_line_goes_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "long.sse").write_bytes(
        b'data: {"a":"' + b"x" * 5000 + b'" "b":1, "c":"' + b"y" * 5000 + b'"}\n\n' + ANSWER
    )
    _, output, _ = run(capsys, "check", "long.sse")
    excerpt, caret = output.splitlines()[2:4]
    assert excerpt.strip().startswith("…xxx")
    assert excerpt.endswith("yyy…")
    assert excerpt[caret.index("^")] == '"'
    assert "Expecting ',' delimiter at character 5009" in caret


def test_check_shows_the_bad_byte_of_an_encoding_problem(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = event(chunk({"content": "é" * 300 + "BAD"})).replace(b"BAD", b"\xe2\x98")
    (here / "bytes.sse").write_bytes(ANSWER + b"id: 7\n" + bad)
    status, output, _ = run(capsys, "check", "bytes.sse")
    _, place, excerpt, caret = output.splitlines()[:4]
    at = bad.index(b"\xe2") - len(b"data: ") + 1
    assert status == 1
    assert f"offset {len(ANSWER):,}" in place
    assert excerpt.strip().startswith("…")
    assert excerpt[caret.index("^")] == "\ufffd"
    assert caret.strip() == f"^ invalid continuation byte (0xe2) at byte {at} of the data"
    (here / "far.sse").write_bytes(b'data: {"a":"' + b"x" * (1 << 20) + b'\xff"}\n\n' + ANSWER)
    assert '    data: {"a":"xxx' in run(capsys, "check", "far.sse")[1]  # too far to look for: the start is shown


def test_check_of_standard_input_named_twice(here: Path) -> None:
    done = command("check", "-", "-", input=BROKEN)
    assert b'    {"choices":[{"index":0,"del\n' in done.stdout
    assert done.stdout.endswith(b"1 problem in 2 sources: json 1\n")


@pytest.mark.parametrize("packed", [False, True])
def test_check_of_standard_input_has_excerpts_too(here: Path, packed: bool) -> None:
    data = b"".join(answer(f"r{number}", "words") for number in range(50)) + BROKEN + ANSWER + CUT
    done = command("check", "-", input=gzip.compress(data) if packed else data)
    assert done.returncode == 1
    assert done.stdout.startswith(b"-:801: json: the data is not valid JSON\n")
    assert b'{"choices":[{"index":0,"del\n' in done.stdout
    assert b'"delta":{"content":"c\n' in done.stdout


def test_check_excerpts_in_gzip_and_utf16(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ANSWER + b"noise one\n\n" + BROKEN + ANSWER + b"noise two\n\n"
    (here / "a.gz").write_bytes(gzip.compress(data))
    (here / "b.log").write_bytes(("\ufeff" + data.decode()).encode("utf-16"))
    status, output, _ = run(capsys, "check", "a.gz", "b.log")
    assert status == 1
    assert output.count("    noise one\n") == output.count("    noise two\n") == 2
    assert output.count('    {"choices":[{"index":0,"del\n') == 2


def test_check_of_a_named_pipe(here: Path) -> None:
    os.mkfifo("pipe")
    shell = subprocess.Popen(["sh", "-c", "cat bad.sse > pipe"])
    done = command("check", "pipe")
    assert done.returncode == 1
    assert b'{"choices":[{"index":0,"del\n' in done.stdout
    shell.wait()


def test_check_of_a_file_whose_name_is_no_utf8(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        (here / os.fsdecode(b"caf\xe9.sse")).write_bytes(BROKEN)
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    status, output, _ = run(capsys, "check", "caf*")
    assert status == 1
    assert output.startswith("caf\\udce9.sse:1: json")
    assert '{"choices":[{"index":0,"del\n' in output
    assert main(["report", os.fsdecode(b"caf\xe9.sse"), "-o", "report.html"]) == 0


# -------------------------------------------------------------------------------------------------------------- text


def test_text_puts_answers_together(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, _ = run(capsys, "text", "good.sse", "good.sse.gz", "--engine", engine)
    assert status == 0
    assert output.splitlines() == [
        "# response 0, choice 0 · complete · stop · m · r1 · good.sse",
        "Hi you",
        "",
        "# response 1, choice 0 · complete · stop · m · r1 · good.sse.gz",
        "Hi you",
    ]


def test_text_of_one_response_is_the_text_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "text", "good.sse", "good.sse.gz", "--response", "1") == (0, "Hi you\n", "")
    status, output, errors = run(capsys, "text", "good.sse", "--response", "7")
    assert (status, output) == (2, "")
    assert "there is no response 7: " in errors


def test_text_shows_everything_else_when_asked(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    events = [
        event(chunk({"role": "assistant", "reasoning": "thinking"})),
        event(chunk({"content": "said", "refusal": "no"})),
        CALL,
        event({"id": "r1", "error": {"message": "late", "code": 500}}),
    ]
    (here / "all.sse").write_bytes(b"".join(events))
    _, output, _ = run(capsys, "text", "all.sse")
    assert output.splitlines()[1:] == ["said", "[refusal] no", "[error] late (500)"]
    _, output, _ = run(capsys, "text", "all.sse", "--tool-calls", "--reasoning")
    assert output.splitlines()[1:] == [
        "[reasoning] thinking", "said", "[refusal] no", '[tool call] f({"a":1})', "[error] late (500)",
    ]  # fmt: skip


def test_text_json_has_everything(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    (here / "call.sse").write_bytes(CALL + DONE)
    status, output, _ = run(capsys, "text", "--json", "good.sse", "call.sse", "--engine", engine)
    assert status == 0
    first, second = json.loads(output)["responses"]
    assert (first["source"], first["status"], first["choices"][0]["content"]) == ("good.sse", "complete", "Hi you")
    assert second["choices"][0]["tool_calls"] == [
        {"call": 0, "id": "c1", "type": "", "name": "f", "arguments": '{"a":1}'}
    ]
    (here / "none.sse").write_bytes(b": nothing\n")
    assert json.loads(run(capsys, "text", "--json", "none.sse")[1]) == {"responses": []}


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--response", "0"]])
def test_text_says_what_it_could_not_read(here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    good = run(capsys, "text", "good.sse", *arguments)
    (here / "my log\x1b.sse").write_bytes(ANSWER + BROKEN)
    assert good[2] == ""
    status, output, errors = run(capsys, "text", "bad.sse", *arguments)
    assert (status, errors) == (0, "ssift: 2 problems; `ssift check bad.sse` shows them\n")
    assert "Hi you" in output
    errors = run(capsys, "text", "my*", *arguments)[2]
    assert errors == "ssift: 1 problem; `ssift check 'my*'` shows it\n"
    assert run(capsys, "text", "my log\x1b.sse", *arguments)[2].endswith("check 'my log\\x1b.sse'` shows it\n")
    assert "`ssift check PATH...`" in run(capsys, "text", *["bad.sse"] * 9, *arguments)[2]


@pytest.mark.parametrize("arguments", [["stats", "--json"], ["check", "--json"], ["text", "--json"]])
def test_json_holds_control_characters_as_escapes(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    nasty = NASTY + "\x7f\x85\u2028\u2029\ufeff é🌍"
    (here / "nasty.sse").write_bytes(answer("a", "x", model=nasty) + event(chunk({"content": nasty})))
    (here / f"{nasty.replace('/', '')}.sse").write_bytes(BROKEN)
    _, output, _ = run(capsys, *arguments, ".")
    assert all(character >= " " or character == "\n" for character in output)
    assert not set(output) & set("\x7f\x85\x9b\u202e\u2028\u2029\ufeff")
    assert "é🌍" in output
    assert any(nasty in string for string in _strings(json.loads(output)))


def _strings(value: object) -> set[str]:
    """All strings of a JSON value, keys included."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set(value).union(*map(_strings, value.values()))
    return set().union(*map(_strings, value)) if isinstance(value, list) else set()


def test_text_into_a_pipe_goes_as_it_is(here: Path) -> None:
    (here / "nasty.sse").write_bytes(event(chunk({"content": NASTY})))
    done = command("text", "nasty.sse", "--response", "0", env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert done.stdout == NASTY.encode() + b"\n"


def test_text_on_a_terminal_shows_control_characters_as_escapes(here: Path) -> None:
    (here / "nasty.sse").write_bytes(event(chunk({"content": NASTY})))
    status, output = on_a_terminal("text", "nasty.sse", "--response", "0", "--no-progress")
    assert status == 0
    assert output.replace("\r\n", "\n") == ("\\x1b]0;title\\x07\\x1b[31mred\\x9b2J\\u202egnirts\\r\n\tend\n")


# ---------------------------------------------------------------------------------------------------------- together


def test_colours_only_on_a_terminal_and_not_against_the_users_wish(here: Path) -> None:
    assert b"\x1b" not in command("stats", "good.sse").stdout
    assert "\x1b[1m" in on_a_terminal("stats", "good.sse", NO_COLOR="")[1]
    assert "\x1b" not in on_a_terminal("stats", "good.sse", NO_COLOR="1")[1]
    assert "\x1b" not in on_a_terminal("stats", "good.sse", TERM="dumb")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["stats", "nowhere.sse"],
        ["check", "*.nothing"],
        ["text", "empty"],
        ["report", "good.sse", "-o", "no/such/folder/report.html"],
        ["stats", "nonsense://example.org/log"],
        ["stats", "good.sse", "dangling"],
    ],
)
def test_unreadable_input_is_status_2_with_a_reason(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    (here / "empty").mkdir()
    (here / "dangling").symlink_to("nowhere")
    status, output, errors = run(capsys, *arguments)
    assert (status, output) == (2, "")
    assert errors.startswith("ssift: ")
    assert len(errors.splitlines()) == 1


def test_names_in_messages_steer_no_terminal(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, _, errors = run(capsys, "stats", "no\x1b[31m\u202esuch")
    assert errors == "ssift: no\\x1b[31m\\u202esuch: no file matches the pattern\n"
    assert run(capsys, "report", "good.sse", "-o", "page\x1b.html")[1] == "page\\x1b.html written\n"


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--threads", "abc", "'abc' is not a whole number from 1 on"),
        ("--threads", "0", "'0' is not a whole number from 1 on"),
        ("--event-bytes", "9" * 40, "a limit is an int from 1 to 2**62 - 1"),
        ("--event-bytes", "much", "'much' is not a size"),
    ],
)
def test_wrong_values_say_what_is_expected(
    capsys: pytest.CaptureFixture[str], option: str, value: str, said: str
) -> None:
    with pytest.raises(SystemExit):
        main(["stats", "x", option, value])
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["stats"],
        ["stats", "x", "--group", "all"],
        ["stats", "x", "--threads", "0"],
        ["stats", "x", "--event-bytes", "huge"],
        ["report", "x"],
    ],
)
def test_wrong_usage_is_status_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert "usage: ssift" in capsys.readouterr().err


def test_an_engine_that_cannot_be_had_is_status_2(here: Path) -> None:
    done = command("stats", "good.sse", env={**os.environ, "SSIFT_ENGINE": "nonsense"})
    assert done.returncode == 2
    assert b"unknown engine" in done.stderr


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in ((["--version"], ssift.__version__), (["check", "--help"], "Exit status 1")):
        with pytest.raises(SystemExit) as left:
            main(arguments)
        assert left.value.code == 0
        assert said in capsys.readouterr().out


def test_limits_and_grouping_are_passed_on(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, output, _ = run(capsys, "check", "good.sse", "--event-bytes", "200")
    assert "too_long" in output
    (here / "two.sse").write_bytes(answer("a", "x") + answer("a", "y"))
    assert json.loads(run(capsys, "stats", "two.sse", "--json", "--group", "id")[1])["responses"] == 1


@pytest.mark.parametrize("arguments", [["text"], ["text", "--json"], ["check"], ["check", "--json"]])
def test_a_closed_pipe_is_quiet(here: Path, arguments: list[str]) -> None:
    (here / "many.sse").write_bytes((answer("a", "words " * 20) + BROKEN) * 800)
    process = subprocess.Popen(
        [sys.executable, "-m", "ssift", *arguments, "many.sse"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == (1 if arguments[0] == "check" else 0)


def test_an_interrupt_is_status_130(here: Path) -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "ssift", "stats", "-"], stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.write(writing, ANSWER)
    wait_for(lambda: process.poll() is not None or unread(reading) == 0)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    os.close(reading)
    os.close(writing)
    assert (process.returncode, output, errors) == (130, b"", b"ssift: interrupted\n")


def test_a_progress_bar_appears_on_a_slow_terminal_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift import progress

    moments = iter([0.0, 0.1, 1.0, 1.01, 2.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(moments))
    screen = Screen()
    bar = progress.Bar(screen)
    bar(10, 100)
    assert screen.getvalue() == ""
    bar(50_000_000, 100_000_000)
    assert screen.getvalue() == "\r[############------------]  50%  50.0 MB  50.0 MB/s  1 s left"
    bar(60_000_000, 100_000_000)
    bar(80_000_000, None)
    assert screen.getvalue().splitlines()[-1].strip() == "80.0 MB  40.0 MB/s"
    bar.clear()
    assert screen.getvalue().endswith("\r" + " " * len("80.0 MB  40.0 MB/s") + "\r")
    plain = io.StringIO()
    Terminal(plain).line("x")
    assert plain.getvalue() == "x\n"


def test_a_second_reading_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift import progress

    moments = iter([0.0, 1.0, 100.0, 102.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(moments))
    screen = Screen()
    bar = progress.Bar(screen)
    bar(100_000_000, 100_000_000)
    bar.clear()
    drawn = len(screen.getvalue())
    bar(10_000_000, 100_000_000)
    assert len(screen.getvalue()) == drawn
    bar(50_000_000, 100_000_000)
    assert screen.getvalue()[drawn:] == "\r[############------------]  50%  50.0 MB  25.0 MB/s  2 s left"


@pytest.mark.parametrize("width", [20, 40, 200])
def test_a_progress_bar_stays_on_one_line(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    from ssift import progress

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    moments = iter([0.0, 1.0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(moments))
    with os.fdopen(slave, "w") as screen:
        progress.Bar(screen)(50_000_000, 100_000_000)
        drawn = os.read(master, 1000).decode()
    os.close(master)
    assert drawn == "\r" + "[############------------]  50%  50.0 MB  50.0 MB/s  1 s left"[: width - 1]

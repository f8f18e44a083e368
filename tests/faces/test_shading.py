"""``ssift text --color``: the colours of probabilities, and where there are none."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ssift.cli import main
from tests.faces.logs import chunk, event, token
from tests.faces.terminal import on_a_terminal

YELLOW, ORANGE, RED = "38;5;16;48;5;230", "38;5;16;48;5;215", "38;5;16;48;5;203"
EARTH = "🌍".encode()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def log(text: str, *entries: dict, name: str = "log.sse") -> None:
    Path(name).write_bytes(event(chunk({"content": text}, "stop", logprobs=list(entries))))


def text(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["text", "--no-progress", *arguments]) == 0
    return capsys.readouterr().out


def piece(data: bytes, logprob: float) -> dict:
    return {**token("\ufffd", logprob), "bytes": list(data)}


def test_tokens_have_the_colours_of_their_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    log("sure soso odd no", token("sure", -0.01), token(" soso", -0.5), token(" odd", -3.0), token(" no", -9999.0))
    assert text(capsys, "log.sse", "--color=always", "--response", "0") == (
        f"sure\x1b[{YELLOW}m soso\x1b[0m\x1b[{ORANGE}m odd\x1b[0m\x1b[{RED};4m no\x1b[0m\n"
    )


def test_all_colours_where_the_terminal_has_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log("a", token("a", -3.0))
    monkeypatch.setenv("COLORTERM", "truecolor")
    assert "48;2;244;172;104ma\x1b[0m" in text(capsys, "log.sse", "--color=always")


def test_a_colour_ends_with_the_line_and_equal_ones_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    log("a\n\nb", token("a\n\n", -3.0), token("b", -3.5))
    shown = text(capsys, "log.sse", "--color=always", "--response", "0")
    assert shown == f"\x1b[{ORANGE}ma\x1b[0m\n\n\x1b[{ORANGE}mb\x1b[0m\n"


def test_a_character_cut_between_tokens_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    log("a🌍b", token("a", -3.0), piece(EARTH[:2], -0.01), piece(EARTH[2:], -9.0), token("b", -9.0))
    shown = text(capsys, "log.sse", "--color=always", "--response", "0")
    assert shown == f"\x1b[{ORANGE}ma\x1b[0m🌍\x1b[{RED}mb\x1b[0m\n"


def test_a_text_that_its_tokens_do_not_make_up_has_none_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    log("other", token("a", -3.0))
    shown = text(capsys, "log.sse", "--color=always")
    assert "no colours: its tokens are not its text" in shown
    assert shown.endswith("\x1b[0m\nother\n")


def test_no_escape_of_the_log_gets_through_with_the_colours(capsys: pytest.CaptureFixture[str]) -> None:
    nasty = "\x1b[31m\u202e\x9b2J"
    log(nasty + "b", token(nasty, -3.0), token("b", -0.01))
    shown = text(capsys, "log.sse", "--color=always", "--response", "0")
    assert shown == f"\x1b[{ORANGE}m\\x1b[31m\\u202e\\x9b2J\x1b[0mb\n"


def test_a_legend_stands_above(capsys: pytest.CaptureFixture[str]) -> None:
    log("a", token("a", -3.0))
    first = text(capsys, "log.sse", "--color=always").splitlines()[0]
    assert re.sub("\x1b\\[[^m]*m", "", first).split() == (
        "probability: 90% or more 50 to 90% 10 to 50% 1 to 10% 0.1 to 1% less than 0.1% not in the top".split()
    )


def test_when_there_are_colours(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    log("a", token("a", -3.0))
    shown = text(capsys, "log.sse", "--color=always")
    assert shown == text(capsys, "log.sse", "--color", "always") == text(capsys, "--color", "always", "log.sse")
    for arguments in (["--color", "log.sse"], ["log.sse", "--color"], ["log.sse", "--color=auto"], ["log.sse"]):
        assert "\x1b" not in text(capsys, *arguments), "a pipe"
    shown = on_a_terminal("text", "--color", "log.sse")[1]
    assert f"\x1b[{ORANGE}ma" in shown
    assert ORANGE not in on_a_terminal("text", "log.sse")[1], "only when asked"
    assert "\x1b" not in on_a_terminal("text", "log.sse", "--color=never")[1]
    assert "\x1b" not in on_a_terminal("text", "log.sse", "--color", NO_COLOR="1")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert ORANGE in text(capsys, "log.sse", "--color=always"), "what is said here is above what is said everywhere"


def test_a_path_behind_color_is_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    log("a", token("a", -3.0), name="--color")
    assert text(capsys, "--color", "--response", "0", "--", "--color") == "a\n"
    with pytest.raises(SystemExit) as stopped:
        main(["text", "--json", "--color", os.devnull])
    assert stopped.value.code == 2

"""Texts that would steer a terminal, run in a page or turn a line around, in every field of a log, in every output."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ssift.cli import main
from tests.faces.logs import ANSWER
from tests.faces.terminal import on_a_terminal

HOSTILE = {
    "colours": "\x1b[31;1mred\x1b[0m",
    "window title": "\x1b]0;title\x07",
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x1b\\",
    "link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "8-bit sequences": "\x9b31m\x9d0;title\x9c",
    "cursor": "\r\x1b[2K\x1b[1Aover",
    "bell and backspace": "\x07\x08\x08\x08",
    "device query": "\x1b[6n\x1b[c\x05",
    "turned around": "\u202egnp.exe\u202c \u2066a\u2069",
    "line separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "script": "</script><script>alert(1)</script>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "style": "</style><style>*{display:none}</style>",
    "comment": "--><!-- <img src=x onerror=alert(1)>",
    "entity": "&lt;script&gt;&#0;&quot;",
    "template": "${alert(1)} {{7*7}} `x`",
    "data URL": "data:text/html,<script>alert(1)</script>",
}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def log_of(text: str) -> bytes:
    """A response that has ``text`` wherever a string can stand, a problem, and an error."""
    entry = {
        "token": text,
        "logprob": -3.5,
        "bytes": list(text.encode()),
        "top_logprobs": [{"token": text + "b", "logprob": -0.1}],
    }
    choice = {"index": 0, "delta": {"role": text, "content": text, "refusal": text, "reasoning_content": text,
              "tool_calls": [{"index": 0, "id": text, "type": text, "function": {"name": text, "arguments": text}}]},
              "logprobs": {"content": [entry]}, "finish_reason": text}  # fmt: skip
    chunk = {
        "id": text,
        "object": "chat.completion.chunk",
        "model": text,
        "system_fingerprint": text,
        "service_tier": text,
        "choices": [choice],
    }
    broken = json.dumps(text, ensure_ascii=False).encode()[:-1]
    events = [
        json.dumps(chunk),
        json.dumps(chunk, ensure_ascii=False),
        json.dumps({"error": {"message": text, "code": text}}),
    ]
    return b"".join(b"data: " + event.encode() + b"\n\n" for event in events) + b"data: {" + broken + b"\n\n"


@pytest.fixture(params=HOSTILE)
def hostile(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[request.param]
    (tmp_path / "log.sse").write_bytes(log_of(text))
    return text


@pytest.mark.parametrize(
    "arguments",
    [("stats",), ("stats", "--json"), ("check",), ("check", "--json"), ("text", "--json"), ("compare", "log.sse"),
     ("sql", "SELECT * FROM choices"), ("sql", "SELECT token FROM tokens", "--to", "json")],
    ids=" ".join,
)  # fmt: skip
def test_nothing_printed_steers_a_terminal(
    hostile: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        (*arguments[:2], "log.sse", *arguments[2:])
        if arguments[0] == "sql"
        else (arguments[0], "log.sse", *arguments[1:])
    )
    assert main(list(words)) in (0, 1)
    output = capsys.readouterr()
    assert output.out
    assert RAW.search(output.out + output.err) is None


def shown_on_a_terminal(*arguments: str) -> str:
    """What a command shows there."""
    return on_a_terminal(*arguments)[1].replace("\r\n", "\n")


@pytest.mark.parametrize("arguments", [("text",), ("stats",), ("text", "--color=always")], ids=" ".join)
def test_nor_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    """The only escapes are those that are shown for a tame log, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tame.sse").write_bytes(log_of("tame"))
    (tmp_path / "log.sse").write_bytes(b"".join(map(log_of, HOSTILE.values())))
    own = set(COLOUR.findall(shown_on_a_terminal(*arguments, "tame.sse", "--no-progress")))
    shown = shown_on_a_terminal(*arguments, "log.sse", "--no-progress")
    assert own >= set(COLOUR.findall(shown))
    assert RAW.search(COLOUR.sub("", shown)) is None


class Page(HTMLParser):
    """What a browser would run, of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = self.handlers = self.styles = 0
        self.from_elsewhere: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.styles += tag == "style"
        self.handlers += sum(name.startswith("on") for name, _ in attributes)
        self.from_elsewhere += [
            value or ""
            for name, value in attributes
            if name in ("src", "href", "action") and not (value or "").startswith("#")
        ]


def test_a_report_runs_what_it_runs_for_a_tame_log(hostile: str, tmp_path: Path) -> None:
    (tmp_path / "tame.sse").write_bytes(log_of("tame"))
    found = []
    for name in ("log", "tame"):
        assert main(["report", f"{name}.sse", "-o", f"{name}.html"]) in (0, 1)
        page = Page()
        page.feed((tmp_path / f"{name}.html").read_text())
        found.append((page.scripts, page.styles, page.handlers, page.from_elsewhere))
    assert found[0] == found[1]
    assert found[0][2] == 0


def test_a_reason_that_quotes_what_was_read_is_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.sse").write_bytes(ANSWER)
    (tmp_path / "labels.csv").write_bytes(b"\0" * 100_000)
    assert main(["stats", str(tmp_path / "log.sse"), "--labels", str(tmp_path / "labels.csv")]) == 2
    reason = capsys.readouterr().err
    assert "labels need two columns" in reason
    assert len(reason) < 4100

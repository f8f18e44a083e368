"""The page: self-contained, escaped, and drawn by a real browser where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ssift.cli import main
from tests.faces.logs import ANSWER, BROKEN, answer, chunk, event, token
from tests.need import need

EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>&\x1b\x00'

VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Reads a page, checks that its elements nest, and keeps tags and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def report(tmp_path: Path, data: bytes, name: str = "log.sse") -> tuple[str, Page]:
    (tmp_path / name).write_bytes(data)
    target = tmp_path / "report.html"
    assert main(["report", str(tmp_path / name), "-o", str(target), "--no-progress"]) == 0
    text = target.read_text()
    return text, Page(text)


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    text, page = report(tmp_path, ANSWER + BROKEN)
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object"}
    for _, attributes in page.tags:
        assert not set(attributes) & {"src", "href", "xlink:href"}
        assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text


def test_the_figures_are_there(tmp_path: Path) -> None:
    text, page = report(tmp_path, ANSWER + answer("r2", "abc", model="other") + BROKEN)
    words = " ".join(" ".join(page.words).split())
    for said in ("2 responses", "1 source", "complete 2", "stop", "other", "logprob", "the data is not valid JSON"):
        assert said in words, said
    assert len(re.findall("<rect", text)) >= 2
    assert {tag for tag, _ in page.tags} >= {"svg", "table", "details"}


def test_everything_from_the_log_is_escaped(tmp_path: Path) -> None:
    data = answer("a", "x", model=EVIL) + event(chunk({"content": "x"}, EVIL, id="b"))
    text, page = report(tmp_path, data, name='<b>"log.sse')
    assert not {tag for tag, _ in page.tags} & {"script", "img", "b>"}
    assert "&lt;script&gt;alert(&quot;x&quot;)" in text
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "&lt;b&gt;&quot;log.sse" in text


@pytest.mark.parametrize("data", [b"", b"<html>\n", ANSWER[:300], event(chunk(logprobs=[token("a", None)]))])
def test_logs_with_little_in_them(tmp_path: Path, data: bytes) -> None:
    text, _ = report(tmp_path, data)
    assert "nan" not in text.lower()


def test_values_at_the_edges_of_the_histogram(tmp_path: Path) -> None:
    values = [0.0, -0.0, 1e-7, 0.5, -0.25, -11.99, -12.0, -50.0, -9999.0, -800.0]
    text, _ = report(tmp_path, event(chunk(logprobs=[token("a", value) for value in values])))
    counts = [int(count) for count in re.findall(r": (\d+) tokens</title>", text)]
    assert sum(counts) == 9
    assert ": 5 tokens" not in text.split("-0.25 to 0")[0][-60:]
    assert "-0.25 to 0: 4 tokens" in text
    assert "-11.75 or less: 4 tokens" in text


def test_an_unreadable_log_leaves_an_old_page_alone(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    assert main(["report", str(tmp_path / "nowhere.sse"), "-o", str(target)]) == 2
    assert target.read_text() == "before"


BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def test_a_browser_draws_it(tmp_path: Path) -> None:
    browser = need(next(filter(None, map(shutil.which, BROWSERS)), None), "Chromium (Debian: apt-get install chromium)")
    report(tmp_path, ANSWER + answer("r2", "abc") + BROKEN)
    picture = tmp_path / "page.png"
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-sync --enable-logging=stderr"
    )
    done = subprocess.run(
        [
            browser, *flags.split(), f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,1600",
            f"--screenshot={picture}", (tmp_path / "report.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0
    assert "CONSOLE" not in done.stderr
    assert picture.stat().st_size > 20_000

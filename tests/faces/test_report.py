"""The page of ``ssift report``: self-contained, escaped, small, with what it should tell."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from ssift.cli import main
from tests.faces.logs import ANSWER, BROKEN, DONE, answer, chunk, event, token

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
    assert not {tag for tag, _ in page.tags} & {"link", "img", "iframe", "object"}
    for _, attributes in page.tags:
        assert not set(attributes) & {"src", "href", "xlink:href"}
        assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in text
    assert "@import" not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_its_own_script_is_the_only_one_that_may_run(tmp_path: Path) -> None:
    text, page = report(tmp_path, ANSWER)
    assert [tag for tag, _ in page.tags].count("script") == 1
    script = re.search("<script>(.*?)</script>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = (values["content"] for _, values in page.tags if values.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in policy


def test_the_figures_are_there(tmp_path: Path) -> None:
    _, page = report(tmp_path, ANSWER + answer("r2", "abc", model="other") + BROKEN)
    words = " ".join(" ".join(page.words).split())
    for said in (
        "responses 2",
        "1 source, ",
        "complete 2",
        "stop 2",
        "other 1 3 −1.000 2.718",
        "the data is not valid JSON",
        "logprob of the token, nats",
        "perplexity of the response",
        "position of the token",
    ):
        assert said in words, said
    assert {tag for tag, _ in page.tags} >= {"svg", "table", "details", "figure"}
    labels = [values["aria-label"] for tag, values in page.tags if tag == "svg"]
    assert labels[0] == "tokens by logprob of the token, nats"
    assert all(label for label in labels)


def test_latency_is_shown_where_times_are(tmp_path: Path) -> None:
    quiet, _ = report(tmp_path, answer("a", "abc"))
    assert "Latency" not in quiet
    lines = [line for line in answer("a", "abc").decode().split("\n") if line]
    timed = "".join(f"2026-01-01T00:00:{number:02d}Z {line}\n" for number, line in enumerate(lines))
    _, page = report(tmp_path, timed.encode())
    words = " ".join(" ".join(page.words).split())
    assert "1 of 1 responses have times" in words
    assert "itl 2 1.000" in words
    assert "2 gaps" in words


def test_everything_from_the_log_is_escaped(tmp_path: Path) -> None:
    hostile = [token(EVIL, -1.0, (EVIL, -1.0), ("</details>\t'\u202e", -2.0)), token("\u202e\u2028\n", -3.0)]
    data = answer("a", "x", model=EVIL) + event(chunk({"content": "x"}, EVIL, id=EVIL, logprobs=hostile))
    text, page = report(tmp_path, data, name='<b>"log.sse')
    assert not {tag for tag, _ in page.tags} & {"img", "b>"}
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "&lt;script&gt;alert(&quot;x&quot;)" in text
    assert "&lt;b&gt;&quot;log.sse" in text
    assert not set(text) & set("\x1b\x00\u202e\u2028")
    (listed,) = (values["data-a"] for _, values in page.tags if "<script>" in (values.get("data-a") or ""))
    assert listed.split("\t") == [
        "<script>alert(\"x\")</script><img src=x onerror=alert(1)>&\\x1b\\x00", "-1", "</details>\\t'\\u202e", "-2",
    ]  # fmt: skip


@pytest.mark.parametrize("values", [[-800.0], [800.0], [-700.0, -800.0], [800.0, -1.0], [-9998.9], [-5e-324], [-1e308]])
@pytest.mark.parametrize("sentinels", ["exclude", "include"])
def test_perplexities_beyond_what_can_be_drawn(tmp_path: Path, values: list[float], sentinels: str) -> None:
    """exp(800) is infinite and exp(-800) is zero."""
    chunks = [chunk({}, "stop", id=f"r{at}", logprobs=[token("x", value)]) for at, value in enumerate(values)]
    (tmp_path / "log.sse").write_bytes(b"".join(map(event, chunks)))
    command = ["report", str(tmp_path / "log.sse"), "-o", str(tmp_path / "page.html"), "--sentinels", sentinels]
    assert main(command) == 0
    Page((tmp_path / "page.html").read_text())


@pytest.mark.parametrize("data", [b"", b"<html>\n", ANSWER[:300], event(chunk(logprobs=[token("a", None)]))])
def test_logs_with_little_in_them(tmp_path: Path, data: bytes) -> None:
    text, _ = report(tmp_path, data)
    body = text.partition("<main>")[2].partition("<script>")[0]
    assert "nan" not in body.lower().replace("nanosecond", "")
    assert "No answer has a logprob." in body


def test_values_at_the_edges_of_the_histogram(tmp_path: Path) -> None:
    values = [0.0, -0.0, 1e-7, 0.5, -0.25, -11.99, -12.0, -50.0, -9999.0, -800.0]
    text, _ = report(tmp_path, event(chunk(logprobs=[token("a", value) for value in values])))
    told = re.findall(r"<title>([^<]*): (\d+) tokens</title>", text.partition('id="positions"')[0])
    assert told == [("less than −11.8", "4"), ("−0.500 to −0.250", "1"), ("−0.250 or more", "4")]


def test_the_least_certain_answers_come_first_with_their_tokens(tmp_path: Path) -> None:
    sure = event(chunk({"content": "s"}, "stop", id="sure", logprobs=[token("s", -0.01, ("s", -0.01))]))
    unsure = event(chunk({"content": "u v"}, "stop", id="unsure", logprobs=[
        token("u", -5.0, ("w", -0.5), ("u", -5.0)), token(" v", -9999.0), token("", None),
    ]))  # fmt: skip
    text, page = report(tmp_path, sure + DONE + unsure + DONE)
    tokens = [values for _, values in page.tags if "data-t" in values]
    assert [values["data-t"] for values in tokens] == ["u", " v", "", "s"]
    assert [values["class"] for values in tokens] == ["t s4", "t s5 off", "t void", "t s0"]
    assert [values["data-l"] for values in tokens] == ["-5", "-9999", "", "-0.01"]
    assert tokens[0]["data-a"] == "w\t-0.5\tu\t-5"
    assert [values["tabindex"] for values in tokens] == ["0", "-1", "-1", "0"]
    place = len(sure + DONE)
    assert re.search(rf"unsure · [^<]*log.sse, offset {place}, choice 0<", text)


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ssift", "report", "-", "-o", "-"], input=ANSWER, capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert b'data-t="Hi" data-l="-0.5" data-a="Hi\t-0.5\tYo\t-1.5"' in done.stdout


def test_no_log_makes_a_large_page(tmp_path: Path) -> None:
    many = [token("\u202e" * 1000, -3.0, *(("<\x00" * 500, -float(rank)) for rank in range(20))) for _ in range(100)]
    data = b"".join(
        event(
            chunk({"content": "x"}, f"{number}" * 9000, id=f"{number}", model="&" * 9000 + f"{number}", logprobs=many)
        )
        + DONE
        + BROKEN * 10
        for number in range(30)
    )
    text, _ = report(tmp_path, data)
    assert len(text.encode()) < 5_000_000
    assert " more tokens" in text


def test_an_unreadable_log_leaves_an_old_page_alone(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    assert main(["report", str(tmp_path / "nowhere.sse"), "-o", str(target)]) == 2
    assert target.read_text() == "before"

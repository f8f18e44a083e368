"""The page in a real browser: it draws, complains of nothing, and its tooltips work."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from ssift.cli import main
from tests.faces.logs import ANSWER, BROKEN, DONE, answer, chunk, event, token
from tests.need import need

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync",
    "--enable-logging=stderr", "--hide-scrollbars", "--virtual-time-budget=2000",
)  # fmt: skip
EVIL = "</script><img src=x onerror=alert(1)>\"'\u202e\x1b"
LOG = (
    ANSWER
    + answer("r2", "abc")
    + BROKEN
    + event(
        chunk({"content": "ab"}, "stop", id="r3", logprobs=[
            *[token(f"word{number} ", -3.0, *((f"other{rank}", -1.0 - rank) for rank in range(8))) for number in range(300)],
            token(EVIL, -2.0, (EVIL, -2.0), ("b", -9999.0)),
            token("never", -math.inf, ("sure", 0.0), ("never", -math.inf)),
        ])
    )
    + DONE
)  # fmt: skip


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "log.sse").write_bytes(LOG)
    target = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "log.sse"), "-o", str(target), "--no-progress"]) == 0
    return target


def browse(page: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Open a page; nothing may be said on its console."""
    browser = need(next(filter(None, map(shutil.which, BROWSERS)), None), "Chromium (Debian: apt-get install chromium)")
    profile = f"--user-data-dir={page.parent / 'profile'}"
    done = subprocess.run(
        [browser, *FLAGS, profile, *arguments, page.as_uri()], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0
    assert "CONSOLE" not in done.stderr
    return done


def asked(page: Path, script: str, size: str = "1000,700") -> Any:
    """What a script finds in the page. The policy of the page would not let it run, so it is taken off first."""
    text = re.sub('<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
    probe = f"<script>addEventListener('load', () => {{ document.title = JSON.stringify((() => {{{script}}})()); }})</script>"
    page.with_name("probe.html").write_text(text.replace("</body>", f"{probe}</body>"))
    done = browse(page.with_name("probe.html"), f"--window-size={size}", "--dump-dom")
    return json.loads(unescape(re.search("<title>(.*?)</title>", done.stdout, re.DOTALL)[1]))


@pytest.mark.parametrize("width", [1280, 400])
def test_it_draws_and_complains_of_nothing(page: Path, width: int) -> None:
    picture = page.with_name("page.png")
    browse(page, f"--window-size={width},1600", f"--screenshot={picture}")
    assert picture.stat().st_size > 20_000


def test_nothing_is_wider_than_a_narrow_window(page: Path) -> None:
    assert asked(page, "return document.documentElement.scrollWidth <= innerWidth", "500,800") is True


TIP = """
  const tip = document.getElementById("tip");
  const tokens = [...document.querySelectorAll(".tokens .t")];
  const over = (target) => target.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  const press = (key) => document.activeElement.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
"""


def test_pointing_at_a_token_shows_its_alternatives(page: Path) -> None:
    before, first, evil, images, after = asked(
        page,
        f"""{TIP}
        const found = [tip.hidden];
        over(tokens[0]); found.push(tip.innerText);
        over(tokens[300]); found.push([tip.innerText, tip.querySelectorAll("tr.own").length]);
        found.push(document.images.length);
        over(document.querySelector("h1")); found.push(tip.hidden);
        return found;""",
    )
    assert before is True
    assert re.sub(r"\s+", " ", first).startswith("word0 5.0% logprob −3.000 nats other0 36.8% other1 13.5%")
    assert evil[0].count("</script><img src=x onerror=alert(1)>\"'\\u202e\\x1b") == 2
    assert "not in the top" in evil[0]
    assert evil[1] == 1
    assert images == 0
    assert after is True


def test_minus_infinity_is_not_in_the_top(page: Path) -> None:
    said = asked(page, f"{TIP} over(tokens[301]); return tip.innerText;")
    assert re.sub(r"\s+", " ", said) == "never not in the top logprob −∞ nats sure 100.0% never not in the top"


@pytest.mark.parametrize("size", ["1000,700", "500,300"])
def test_a_tooltip_stays_inside_of_the_window(page: Path, size: str) -> None:
    outside = asked(
        page,
        f"""{TIP}
        return tokens.slice(0, 300).filter((token) => {{
          token.scrollIntoView({{ block: ["start", "center", "end"][tokens.indexOf(token) % 3] }});
          over(token);
          const box = tip.getBoundingClientRect();
          return tip.hidden || box.height < 20
            || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
        }}).length;""",
        size,
    )
    assert outside == 0


def test_the_keyboard_reaches_every_token(page: Path) -> None:
    first, second, end, back, stops, hidden = asked(
        page,
        f"""{TIP}
        const says = () => tip.hidden ? null : tip.querySelector(".word").textContent;
        const found = [];
        tokens[0].focus(); found.push(says());
        press("ArrowRight"); found.push(says());
        press("End"); found.push(document.activeElement === tokens[301]);
        press("Home"); found.push(says());
        found.push(document.querySelectorAll(".answer:first-of-type .t[tabindex='0']").length);
        press("Escape"); found.push(tip.hidden);
        return found;""",
    )
    assert (first, second, end, back) == ("word0 ", "word1 ", True, "word0 ")
    assert stops == 1, "one stop of the Tab key for an answer, not hundreds"
    assert hidden is True

"""What the README and the pages in docs/ show is what happens."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.pages.blocks import DOCS, MOST_UNRUN, NEEDS, PAGES, ROOT, RUN, SHOWN, blocks
from tests.pages.places import place
from tests.pages.running import Page

WITH_CODE = [page for page in PAGES if any(block.language in RUN for block in blocks(page))]


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_every_block_does_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with place(page, tmp_path, monkeypatch):
        running = Page(tmp_path)
        for block in blocks(page):
            running.run(block)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_says_what_it_is(page: Path) -> None:
    for block in blocks(page):
        assert block.language in (*RUN, *SHOWN), f"{block}: {block.language!r} behind the fence"
        assert not block.unrun or block.title in NEEDS, f"{block}: {block.title}"
        assert not block.title or block.unrun or block.language not in RUN, f"{block}: what is run has no title"


def test_few_blocks_are_left_out() -> None:
    unrun = Counter(block.title for page in PAGES for block in blocks(page) if block.unrun)
    assert unrun.total() <= MOST_UNRUN, unrun
    assert set(unrun) == set(NEEDS), "a reason that nobody has goes"


def test_the_page_on_writing_has_every_reason() -> None:
    text = (DOCS / "writing.md").read_text()
    assert [reason for reason in NEEDS if reason not in text] == []


def test_every_fence_is_a_block() -> None:
    for page in PAGES:
        fences = re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), page

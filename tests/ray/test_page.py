"""What docs/scale.md shows on Ray is what happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pages.blocks import DOCS, blocks
from tests.pages.places import place
from tests.pages.running import Page

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


def test_blocks_on_a_cluster(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = DOCS / "scale.md"
    with place(page, tmp_path, monkeypatch):
        running = Page(tmp_path, "needs a Ray cluster")
        for block in blocks(page):
            running.run(block)
    assert list((tmp_path / "tables" / "tokens").glob("part-*.parquet"))

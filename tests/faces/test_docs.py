"""What the pages in docs/ show is what happens."""

from __future__ import annotations

import doctest
from pathlib import Path

import fsspec
import pytest

from tests.faces.logs import DONE, chunk, event
from tests.sources.packing import PACK

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = event(chunk({"content": "Hi"}, "stop")) + DONE
    files = {
        "logs/a.sse": answer,
        "logs/.hidden": b"",
        "logs/day/b.sse.gz": PACK["gzip"](answer),
        "logs/day/c.log": PACK["zstd"](answer),
        "mixed/a.sse": answer,
        "mixed/picture.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 30 + b"\xff\xfe",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/bucket/run-1/x.sse", answer)
    memory.pipe_file("/bucket/run-1/y.sse.xz", PACK["xz"](answer))
    monkeypatch.chdir(tmp_path)
    try:
        examples(DOCS / "sources.md", more_than=15)
    finally:
        memory.store.clear()


def examples(page: Path, more_than: int) -> None:
    """Run the examples of a page in the folder at hand."""
    found = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.stem, str(page), 0)
    assert len(found.examples) > more_than
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(found, out=said.append)
    assert result.failed == 0, "".join(said)

"""Where commands are run, on a log large enough to be caught in the middle of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.logs import answer


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with ``log.sse`` (2,000 answers)."""
    monkeypatch.chdir(tmp_path)
    words = "words of an answer that go on for a while"
    (tmp_path / "log.sse").write_bytes(b"".join(answer(f"r{number}", words) for number in range(500)) * 4)
    return tmp_path

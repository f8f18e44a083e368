"""Where commands are run, on a log large enough to be caught in the middle of."""

from __future__ import annotations

from pathlib import Path
from random import Random
from string import ascii_letters, digits

import pytest

from tests.faces.logs import answer


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with ``log.sse`` (600 answers, 7 MB)."""
    monkeypatch.chdir(tmp_path)
    random = Random(8)
    texts = ["".join(random.choices(ascii_letters + digits, k=40)) for _ in range(300)]  # which do not compress well
    (tmp_path / "log.sse").write_bytes(b"".join(answer(f"r{at}", text) for at, text in enumerate(texts)) * 2)
    return tmp_path

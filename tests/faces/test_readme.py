"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def test_every_example_gives_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = README.read_text()
    log = re.search(r"```\n(data: .*?)```", text, re.DOTALL)
    assert log
    (tmp_path / "hello.sse").write_text(log[1])
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(text, {}, "README", str(README), 0)
    assert len(examples.examples) > 15
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append)
    assert result.failed == 0, "".join(said)

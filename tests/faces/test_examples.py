"""The examples of the documentation do what they say."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import ssift
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import answer

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
DATA = interleaved(30, 12) + LOG + answer("sure", "x")


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("least_certain", EXAMPLES / "least_certain.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_least_certain_answers_are_the_same_three_ways(example: ModuleType, engine: str) -> None:
    log = ssift.read(DATA, engine=engine)
    means = []
    for choice in log.choices.rows():
        values = [
            row["logprob"]
            for row in log.tokens.rows()
            if (row["response"], row["index"], row["list"]) == (choice["response"], choice["index"], "content")
            and row["logprob"] is not None
            and row["logprob"] > -9999
        ]
        if values:
            means.append((sum(values) / len(values), choice["response"], choice["index"], choice["content"]))
    means.sort()
    assert len(means) > example.MOST
    for way in (example.in_polars, example.in_duckdb, example.in_pandas):
        found = way(log)
        assert [(response, index, content) for response, index, _, content in found] == [
            row[1:] for row in means[: example.MOST]
        ], way.__name__
        assert [mean for _, _, mean, _ in found] == pytest.approx([row[0] for row in means[: example.MOST]])


def test_it_runs_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "log.sse").write_bytes(DATA)
    command = [sys.executable, str(EXAMPLES / "least_certain.py"), str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for way in ("in_polars:", "in_duckdb:", "in_pandas:"):
        assert way in said
    assert len(said.splitlines()) == 63

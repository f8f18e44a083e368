"""The examples of the documentation do what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ssift
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import answer
from tests.pages.examples import EXAMPLES, example

DATA = interleaved(30, 12) + LOG + answer("sure", "x")


def test_the_least_certain_answers_are_the_same_three_ways(engine: str) -> None:
    program = example("least_certain")
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
    assert len(means) > program.MOST
    for way in (program.in_polars, program.in_duckdb, program.in_pandas):
        found = way(log)
        assert [(response, index, content) for response, index, _, content in found] == [
            row[1:] for row in means[: program.MOST]
        ], way.__name__
        assert [mean for _, _, mean, _ in found] == pytest.approx([row[0] for row in means[: program.MOST]])


def test_it_runs_as_a_script(tmp_path: Path) -> None:
    (tmp_path / "log.sse").write_bytes(DATA)
    command = [sys.executable, str(EXAMPLES / "least_certain.py"), str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for way in ("in_polars:", "in_duckdb:", "in_pandas:"):
        assert way in said
    assert len(said.splitlines()) == 63

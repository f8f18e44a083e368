"""The example for Dask gives what one reading gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import ssift
from tests.faces.logs import ANSWER, BROKEN, answer
from tests.need import need

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "on_dask.py"


@pytest.mark.filterwarnings("ignore")
def test_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need(importlib.util.find_spec("dask"), "dask")
    spec = importlib.util.spec_from_file_location("on_dask", EXAMPLE)
    assert spec
    assert spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    (tmp_path / "a.sse").write_bytes(b"".join(answer(f"r{n}", "abc") for n in range(40)) + BROKEN)
    (tmp_path / "b.sse").write_bytes(ANSWER)
    found = example.tokens(tmp_path, 3000)
    here = ssift.read(tmp_path).tokens
    assert found.npartitions > 10
    rows = found.compute(scheduler="threads")
    assert rows["token"].tolist() == list(here["token"])
    assert rows["logprob"].tolist() == here["logprob"].tolist()
    assert rows["chunk"].nunique() == len(set(here["chunk"].tolist()))
    example.main([str(tmp_path)])
    assert "-9999.0" in capsys.readouterr().out

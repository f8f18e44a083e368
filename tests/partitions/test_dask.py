"""The example for Dask gives what one reading gives."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import ssift
from tests.faces.logs import ANSWER, BROKEN, answer
from tests.need import need
from tests.pages.examples import example


@pytest.mark.filterwarnings("ignore")
def test_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need(find_spec("dask"), "dask")
    program = example("on_dask")
    (tmp_path / "a.sse").write_bytes(b"".join(answer(f"r{n}", "abc") for n in range(40)) + BROKEN)
    (tmp_path / "b.sse").write_bytes(ANSWER)
    found = program.tokens(tmp_path, 3000)
    here = ssift.read(tmp_path).tokens
    assert found.npartitions > 10
    rows = found.compute(scheduler="threads")
    assert rows["token"].tolist() == list(here["token"])
    assert rows["logprob"].tolist() == here["logprob"].tolist()
    assert rows["chunk"].nunique() == len(set(here["chunk"].tolist()))
    program.main([str(tmp_path)])
    assert "-9999.0" in capsys.readouterr().out

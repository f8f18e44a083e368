"""Importing ssift is light, and every public name is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ssift


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_ssift_and_its_command_loads_nothing_heavy() -> None:
    heavy = ("numpy", "orjson", "json", "ssift.log", "ssift.statistics", "ssift.python", "ssift._native")
    loaded = _run("import sys, ssift; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)
    assert "numpy" not in _run("import sys, ssift.cli; print(*sys.modules)").split()


def test_statistics_start_without_what_they_do_not_need(tmp_path: Path) -> None:
    (tmp_path / "empty.sse").touch()
    code = "import sys, ssift.cli\nssift.cli.main(['stats', '--json', sys.argv[1]])\nprint(*sys.modules)"
    run = [sys.executable, "-c", code, str(tmp_path / "empty.sse")]
    loaded = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split("\n")[-2].split()
    late = ("urllib.request", "http.client", "tempfile", "html", "csv", "pyarrow", "polars", "duckdb")
    assert "numpy" in loaded
    own = ("statistics.calibration", "statistics.comparison", "statistics.places", "sources.containers", "cli.check")
    assert not {*late, "numpy.ma", *(f"ssift.{name}" for name in own)} & set(loaded)


def test_statistics_have_every_name_they_promise() -> None:
    code = "import ssift\nprint(*(name for name in ssift.statistics.__all__ if not hasattr(ssift.statistics, name)))"
    assert _run(code).strip() == ""
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ssift.statistics.nonsense  # noqa: B018


def test_help_needs_no_numpy() -> None:
    code = "import atexit, sys, ssift.cli\natexit.register(lambda: print(*sys.modules))\nssift.cli.main(['--help'])"
    output = _run(code)
    assert output.startswith("usage: ssift")
    assert "numpy" not in output.split()


def test_every_public_name_is_there() -> None:
    for name in ssift.__all__:
        assert getattr(ssift, name) is not None
        assert name in dir(ssift)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ssift.nonsense  # noqa: B018


def test_engine_is_a_function_whatever_was_imported() -> None:
    assert _run("import ssift, ssift.engine, ssift.reading; print(ssift.engine())").strip() in ("native", "python")

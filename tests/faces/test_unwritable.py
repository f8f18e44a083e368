"""The command where nobody listens: a full device, closed streams, an interrupt before it has begun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.logs import ANSWER

FULL = "ssift: cannot write standard output: No space left on device\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.sse").write_bytes(ANSWER)
    return tmp_path


def shell(command: str, **environment: str) -> tuple[int, str, str]:
    """Status, output and errors of a shell command in which ``ssift`` is the command under test."""
    variables = {**os.environ, "PYTHONUNBUFFERED": "", **environment}
    script = f'ssift() {{ "{sys.executable}" -m ssift "$@"; }}\n{command}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, env=variables)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "arguments",
    [
        "--version", "--help", "stats --help", "stats good.sse", "stats good.sse --json", "check good.sse",
        "text good.sse", "text good.sse --json", "report good.sse -o -", "report good.sse -o page.html",
    ],
)  # fmt: skip
def test_a_full_device_is_status_2_with_a_reason(here: Path, arguments: str, unbuffered: str) -> None:
    assert shell(f"ssift {arguments} > /dev/full", PYTHONUNBUFFERED=unbuffered) == (2, "", FULL)


@pytest.mark.parametrize("arguments", ["stats good.sse", "check good.sse", "text good.sse", "report good.sse -o -"])
def test_a_closed_standard_output_is_status_2_with_a_reason(here: Path, arguments: str) -> None:
    status, _, errors = shell(f"ssift {arguments} >&-")
    assert (status, errors) == (2, "ssift: standard output is closed; use > /dev/null to see nothing\n")


@pytest.mark.parametrize("errors", ["2> /dev/full", "2>&-"])
@pytest.mark.parametrize("arguments", ["stats nowhere.sse", "nonsense", "text good.sse --response 9"])
def test_the_status_stands_where_the_reason_cannot_be_written(here: Path, arguments: str, errors: str) -> None:
    assert shell(f"ssift {arguments} {errors}") == (2, "", "")


def test_a_closed_standard_error_disturbs_nothing(here: Path) -> None:
    assert shell("ssift text good.sse --response 0 2>&-") == (0, "Hi you\n", "")


@pytest.mark.parametrize("module", ["argparse", "numpy"])
def test_an_interrupt_during_the_imports_is_status_130(here: Path, module: str) -> None:
    (here / "early").mkdir()
    (here / f"early/{module}.py").write_text("raise KeyboardInterrupt\n")
    done = shell("ssift stats good.sse", PYTHONPATH=str(here / "early"))
    assert done == (130, "", "ssift: interrupted\n")

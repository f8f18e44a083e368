"""What the README shows is what happens, to the blank."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text()
BLOCKS = re.findall(r"^```\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def shell(block: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A block of commands as pasted after ``make demo`` and ``activate``; every command must be there."""
    programs = f'ssift() {{ "{sys.executable}" -m ssift "$@"; }}\npython() {{ "{sys.executable}" "$@"; }}\nset -e\n'
    command = ["bash", "-c", programs + block]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as it is after ``make demo`` and the first block of the quick start."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "build/demo").mkdir(parents=True)
    made = "dialects --size 1MB --seed 7 -o build/demo/demo.sse".split()
    subprocess.run([sys.executable, str(README.parent / "bench/replay.py"), *made], check=True, capture_output=True)
    [block] = [block for block in BLOCKS if block.startswith("cat > hello.sse")]
    assert shell(block, tmp_path).stderr == ""
    assert (tmp_path / "hello.sse").read_text().endswith("data: [DONE]\n\n")
    return tmp_path


def test_every_example_gives_what_it_shows(folder: Path) -> None:
    examples = doctest.DocTestParser().get_doctest(TEXT, {}, "README", str(README), 0)
    assert len(examples.examples) > 15
    said: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=said.append)
    assert result.failed == 0, "".join(said)


def test_every_command_runs(folder: Path) -> None:
    commands = [line for block in BLOCKS for line in block.splitlines() if line.startswith(("ssift ", "python "))]
    assert len(commands) > 4
    for command in commands:
        done = shell(command, folder)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert done.stdout
    assert (folder / "report.html").exists()


def test_every_target_of_make_is_there() -> None:
    targets = {name for block in BLOCKS for name in re.findall(r"^make ([a-z-]+)", block, re.MULTILINE)}
    listed = subprocess.run(["make", "help"], cwd=README.parent, capture_output=True, text=True, timeout=60)
    assert targets
    assert targets <= {line.split()[0] for line in listed.stdout.splitlines()}

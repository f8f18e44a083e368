"""The Makefile says what it can do: ``make help`` is the list of all targets that are meant to be typed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from tests.need import need

ROOT = Path(__file__).resolve().parent.parent
MAKEFILE = (ROOT / "Makefile").read_text()


def targets() -> set[str]:
    (line,) = re.findall(r"^\.PHONY: ((?:.*\\\n)*.*)$", MAKEFILE, re.MULTILINE)
    return set(line.replace("\\\n", " ").split())


def test_help_lists_every_target() -> None:
    make = need(shutil.which("make"), "make")
    done = subprocess.run([make, "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = {line.split()[0]: line.split(maxsplit=1)[1] for line in done.stdout.splitlines()}
    assert set(listed) == targets()
    assert max(map(len, listed.values())) <= 120


def test_targets_that_pages_speak_of_are_there() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), ROOT / "ext" / "README.md", ROOT / ".ci" / "run"]
    for page in pages:
        named = set(re.findall(r"(?:`|^)make ([a-z][a-z-]*)", page.read_text(), re.MULTILINE))
        assert named <= targets(), page

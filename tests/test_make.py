"""The Makefile says what it can do: ``make help`` is the list of all targets that are meant to be typed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import results

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


def test_what_a_page_of_results_is_said_to_come_from_writes_it() -> None:
    """Each section says ``Not measured in this run: make ...``; that measures it, and writes the page."""
    for section, command in results.HOW.items():
        recipe = recipe_of(command.removeprefix("make "))
        for other in re.findall(r"\$\(MAKE\) (?:--[\w-]+ )*([a-z-]+)", recipe):
            recipe += recipe_of(other)
        recipe = recipe.replace("$(COMPRESSED)", *re.findall(r"^COMPRESSED = (.*)$", MAKEFILE, re.MULTILINE))
        assert f"/{section}.json" in recipe, section
        assert "bench/results.py" in recipe or command == "make bench-layers", section


def recipe_of(target: str) -> str:
    (recipe,) = re.findall(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    return str(recipe)

"""The blocks of code in a page of Markdown: what each is, and what that asks for.

A block says by the word behind its fence what becomes of it; docs/writing.md has the same as a table:

==========  =====================================================================================
pycon       run as in the interpreter; what is shown is what comes
python      run as a program, ``await`` on top allowed
console     commands behind ``$``, run in a shell; what is shown is what comes (``...``: anything)
sh          commands, run in a shell
a format    with a file as its title: written there; else only shown
==========  =====================================================================================

The blocks of a page are run in their order. A title that begins with "needs" says that a block is not run, and why;
then it is checked as far as it can be without.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (README, ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))

RUN = ("pycon", "python", "console", "sh")
SHOWN = ("text", "json", "yaml", "csv", "sql", "toml", "ini", "make", "diff", "markdown", "cython", "c")

NEEDS = {
    "needs a terminal": "it runs until it is stopped, or asks",
    "needs a checkout": "it works on the sources, or takes minutes",
    "needs a Ray cluster": "run by make test-ray",
    "needs Spark": "not among what the tests install",
    "needs Daft": "not among what the tests install",
}
"""Titles of blocks that are not run here, and why."""

MOST_UNRUN = 20
"""So many blocks of all pages together may be left out."""

_FENCE = re.compile(r"^( *)(`{3,})([^\n`]*)\n(.*?)^\1\2 *$", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"\w*")
_TITLE = re.compile(r'title="([^"]*)"')


@dataclass(frozen=True)
class Block:
    """A block of a page; ``line`` is that of its first line of text, from 1."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    @property
    def unrun(self) -> bool:
        """Whether its title says that it is not run here."""
        return self.title.startswith("needs")

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, text: str | None = None) -> list[Block]:
    """The blocks of a page, in their order; of ``text``, if that is given in its place."""
    text = page.read_text(encoding="utf-8") if text is None else text
    found = []
    for match in _FENCE.finditer(text):
        indent, _, words, body = match.groups()
        language = _WORD.match(words)
        title = _TITLE.search(words)
        found.append(
            Block(
                page,
                text.count("\n", 0, match.start(4)) + 1,
                language[0] if language else "",
                title[1] if title else "",
                re.sub(f"^{indent}", "", body, flags=re.MULTILINE),
            )
        )
    return found

"""Docstrings as Markdown: roles become links, and tables and blocks of reStructuredText those of Markdown.

Docstrings are written for ``help()``, with little of reStructuredText: ``:func:`read```, ``name``, a table between
lines of ``=``, and ``::`` before a block. Arguments of which the same is said may stand together: ``a, b: as in read``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from griffe import Extension, NameResolutionError, Object

_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc):`(~?)([\w.]+)`")
_LITERAL = re.compile(r"``([^`\n]+)``")
_RULE = re.compile(r"^=+( +=+)+$")
_TOGETHER = re.compile(r"^( +)(\*{0,2}\w+(?:, \*{0,2}\w+)+): (.*(?:\n\1 +.*)*)", re.MULTILINE)
_SECTION = re.compile(r"^(Args|Attributes):\n((?:\n| +.*(?:\n|\Z))*)", re.MULTILINE)
_BLOCK = re.compile(r"^(?P<before>.*\S)?[ ]*::$", re.MULTILINE)


class Docstrings(Extension):  # type: ignore[misc]
    """Turns the docstring of each object into Markdown when it was loaded."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of ``obj``."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value, lambda name: path_of(name, obj))


def path_of(name: str, obj: Object) -> str:
    """The whole path of a name in the docstring of ``obj``."""
    first, _, rest = name.partition(".")
    try:
        found = name if first == "ssift" else f"{obj.resolve(first)}.{rest}"
    except NameResolutionError:
        found = name
    return found.rstrip(".")


def markdown(text: str, path: Callable[[str], str] = str) -> str:
    """A docstring as Markdown; ``path`` makes whole paths of the names in it."""
    text = "\n".join(_tables(text.splitlines()))
    text = _SECTION.sub(lambda section: f"{section[1]}:\n{_TOGETHER.sub(_apart, section[2])}", text)
    text = _BLOCK.sub(lambda match: f"{match['before']}:" if match["before"] else "", text)
    text = _ROLE.sub(lambda role: _link(role, path), text)
    return _LITERAL.sub(r"`\1`", text)


def _apart(entry: re.Match[str]) -> str:
    """The entry of several names as one for each."""
    return "\n".join(f"{entry[1]}{name}: {entry[3]}" for name in entry[2].split(", "))


def _link(role: re.Match[str], path: Callable[[str], str]) -> str:
    """The name in a role, as a link where the site has it."""
    name = role[2].rpartition(".")[2] if role[1] else role[2]
    return f'<autoref identifier="{path(role[2])}" optional>`{name}`</autoref>'


def _tables(lines: list[str]) -> list[str]:
    """Lines with each table between two rules of ``=`` as a table of Markdown."""
    found: list[str] = []
    rows: list[list[str]] | None = None
    starts: list[int] = []
    for line in lines:
        if _RULE.match(line):
            if rows is None:
                rows, starts = [], [place.start() for place in re.finditer(r"=+", line)]
            else:
                found += _rendered(rows)
                rows = None
        elif rows is None:
            found.append(line)
        else:
            cells = _cells(line, starts)
            if cells[0] or not rows:
                rows.append(cells)
            else:
                rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], cells, strict=True)]
    return found


def _cells(line: str, starts: list[int]) -> list[str]:
    ends = [*starts[1:], len(line)]
    return [line[start:end].strip() for start, end in zip(starts, ends, strict=True)]


def _rendered(rows: list[list[str]]) -> list[str]:
    def row(cells: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return ["", row([""] * len(rows[0])), row(["---"] * len(rows[0])), *map(row, rows), ""]

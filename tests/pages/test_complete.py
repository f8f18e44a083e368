"""The pages leave nothing out: every public name, column, problem, limit, option, extra and variable has its place."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

import pytest

import ssift
from docs.making.commands import commands, filled
from ssift.cli.arguments import FORMATS as NAMES
from ssift.contract import FORMATS, MESSAGES, PROBLEM_KINDS, SCHEMA, STATUSES, Limits
from tests.need import need_module
from tests.pages.blocks import DOCS, ROOT
from tests.pages.running import exists, extras_of_the_project

CONTRACT = (DOCS / "contract.md").read_text(encoding="utf-8")
COMMANDS = (DOCS / "commands.md").read_text(encoding="utf-8")
REFERENCE = sorted((DOCS / "reference").glob("*.md"))

FACES = ("ssift", "ssift.statistics", "ssift.openai", "ssift.polars", "ssift.sql", "ssift.ray")
"""The modules whose names are public."""

NOT_FUNCTIONS = {"ssift.__version__", "ssift.statistics"}
"""Public names that need no place in the reference."""


def referred() -> set[str]:
    """The names that the reference has."""
    lines = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE)
    return set(re.findall(r"^::: (ssift[\w.]*)$", lines, re.MULTILINE))


def public(module: str) -> Iterator[tuple[str, Any]]:
    """The public names of a module, and what they are."""
    if module == "ssift.ray":
        need_module("pyarrow")
    found = importlib.import_module(module)
    own = [name for name, thing in vars(found).items() if getattr(thing, "__module__", "") == module and name[0] != "_"]
    for name in getattr(found, "__all__", own):
        yield f"{module}.{name}", getattr(found, name)


@pytest.mark.parametrize("module", FACES)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    there = referred()
    missing = []
    for name, thing in public(module):
        home = f"{getattr(thing, '__module__', module)}.{getattr(thing, '__qualname__', '')}"
        if name not in NOT_FUNCTIONS and not {name, home} & there and f"ssift.{home.rpartition('.')[2]}" not in there:
            missing.append(name)
    assert not missing


def test_the_reference_has_only_what_is_there() -> None:
    assert [name for name in sorted(referred()) if not exists(name)] == []


def rows(text: str) -> list[list[str]]:
    """The rows of the tables in ``text``, as cells, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    rules = [n for n, row in enumerate(cells) if set("".join(row)) <= {"-", ":"} and "".join(row)]
    return [row for n, row in enumerate(cells) if n not in rules and n + 1 not in rules]


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next one of its rank or higher."""
    match = re.search(rf"^(#+) {re.escape(title)}$\n(.*?)(?=^#{{1,6}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert match, f"no heading {title}"
    return match[2]


@pytest.mark.parametrize("table", SCHEMA)
def test_every_column_is_in_the_contract(table: str) -> None:
    shown = [(name.strip("`"), kind) for name, kind, _ in rows(section(CONTRACT, table))]
    assert shown == [(column.name, column.type + "?" * column.nullable) for column in SCHEMA[table]]


def test_every_problem_is_in_the_contract() -> None:
    kinds = rows(section(CONTRACT, "Problems: what to do"))
    advice = [row[0].strip("`") for row in kinds if len(row) == 3]
    assert advice == list(PROBLEM_KINDS)
    messages = {message for kind, message in (row for row in kinds if len(row) == 2)}
    plain = MESSAGES[: len(MESSAGES) - len(FORMATS)]
    looks = MESSAGES[len(plain)].removesuffix(FORMATS[0]) + "…"
    assert messages == {*plain, looks}


def test_every_status_and_limit_is_in_the_contract() -> None:
    assert {row[0].strip("`") for row in rows(section(CONTRACT, "Status and errors"))} == set(STATUSES)
    limits = {row[0].strip("`"): row[1] for row in rows(section(CONTRACT, "Limits"))}
    assert limits.keys() == vars(Limits()).keys()
    shown = {name: int(text.split()[0].replace(",", "")) << 20 * ("MiB" in text) for name, text in limits.items()}
    assert shown == vars(Limits())


def test_every_option_is_on_the_page_of_commands() -> None:
    for name, parser in commands().items():
        page = section(filled(COMMANDS), f"ssift {name}") + section(filled(COMMANDS), "Reading, the same for all")
        for action in parser._actions:
            for option in action.option_strings:
                assert f"`{option}" in page or action.dest == "help", f"ssift {name} {option}"


def test_what_is_said_once_of_all_commands_holds_for_all() -> None:
    texts = {
        name: [(action.option_strings, action.help) for group in parser._action_groups if group.title == "reading"
               for action in group._group_actions]
        for name, parser in commands().items()
    }  # fmt: skip
    assert all(text == texts["stats"] for text in texts.values())


def test_every_format_is_on_its_page() -> None:
    text = (DOCS / "formats.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []


def test_every_extra_is_on_the_page_of_installing() -> None:
    shown = {row[0].strip("`") for row in rows(section((DOCS / "install.md").read_text(encoding="utf-8"), "Extras"))}
    assert shown == extras_of_the_project().keys() - {"test", "dev", "dist", "docs", "bench"}


def test_every_variable_is_on_the_page_of_installing() -> None:
    files = [ROOT / "setup.py", *(ROOT / "src").rglob("*.py")]
    named = {name for file in files for name in re.findall(r"\bSSIFT_[A-Z]+\b", file.read_text(encoding="utf-8"))}
    shown = {row[0].strip("`") for row in rows(section((DOCS / "install.md").read_text(encoding="utf-8"), "Switches"))}
    assert named == shown


@pytest.mark.parametrize("module", FACES)
def test_docstrings_name_every_argument(module: str) -> None:
    missing = []
    for name, thing in public(module):
        if inspect.isfunction(thing) or inspect.isclass(thing):
            words = set(re.findall(r"\w+", thing.__doc__ or ""))
            assert words, f"{name} has no docstring"
            arguments = list(inspect.signature(thing).parameters) if inspect.isfunction(thing) else []
            missing += [f"{name}({one})" for one in arguments if one not in words and len(arguments) > 1]
    assert not missing


@pytest.mark.parametrize("table", ["tokens", "choices", "responses", "runs", "spans", "fields", "latency"])
def test_docstrings_of_tables_have_every_column(table: str) -> None:
    log = ssift.read(DOCS / "examples" / "answers.log")
    make = getattr(ssift.statistics, table)
    found = make(log, below=-1.0) if table == "runs" else make(log)
    words = set(re.findall(r"\w+", f"{make.__doc__} {importlib.import_module(make.__module__).__doc__}"))
    assert [column for column in found.column_names if column not in words] == []

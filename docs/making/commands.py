"""The options of the commands as Markdown, from the parser that reads them: the page can say nothing else.

A line ``::: ssift stats`` of a page becomes the options of that command, ``::: ssift reading`` those on what is read
and how, which all commands have.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

from ssift.cli import _parser

SHARED = "reading"
"""The group of options that all commands have."""

_SHORT = 24
"""Characters that choices may have beside the name of an option; more stand with what is said of it."""

_LINE = re.compile(r"^::: ssift (\S+)$", re.MULTILINE)


def filled(markdown: str) -> str:
    """A page with the options of each command in the place of its line."""
    return _LINE.sub(lambda line: options(line[1]), markdown)


def commands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, by its name."""
    (choices,) = [action.choices for action in _parser("")._actions if isinstance(action, argparse._SubParsersAction)]
    found: dict[str, argparse.ArgumentParser] = dict(choices)
    return found


def options(name: str) -> str:
    """How a command is called, what it does, and its own options; of ``reading`` those that all have.

    Raises:
        KeyError: there is no such command.
    """
    if name == SHARED:
        return _table(_group(commands()["stats"], SHARED))
    parser = commands()[name]
    own = [one for group in parser._action_groups if group.title != SHARED for one in group._group_actions]
    usage = parser.usage or f"ssift {name} [options] {_positional(parser)}"
    return f"{parser.description}\n\n```text\n{usage}\n```\n\n{_table(own)}"


def _group(parser: argparse.ArgumentParser, title: str) -> list[argparse.Action]:
    return [one for group in parser._action_groups if group.title == title for one in group._group_actions]


def _positional(parser: argparse.ArgumentParser) -> str:
    return " ".join(f"{one.metavar} [{one.metavar} ...]" for one in parser._actions if not one.option_strings)


def _table(actions: list[argparse.Action]) -> str:
    rows = [row for action in actions if action.option_strings and action.dest != "help" for row in _row(action)]
    return "\n".join(["| option | |", "|---|---|", *rows])


def _row(action: argparse.Action) -> Iterator[str]:
    value = "" if action.nargs == 0 else _value(action)
    names = ", ".join(f"`{name}{value}`" for name in action.option_strings)
    said = re.sub(r"[|*<_\[\]]", r"\\\g<0>", action.help or "")
    if action.choices and not action.metavar and len(_listed(action)) > _SHORT:
        said += f"; one of {', '.join(f'`{choice}`' for choice in action.choices)}"
    yield f"| {names} | {said} |"


def _listed(action: argparse.Action) -> str:
    return "{" + ",".join(map(str, action.choices or ())) + "}"


def _value(action: argparse.Action) -> str:
    named = action.metavar or (_listed(action) if action.choices else action.dest.upper())
    named = action.dest.upper() if len(str(named)) > _SHORT else named
    return f"[={named}]" if action.nargs == "?" else f" {named}"

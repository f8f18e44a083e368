"""``ssift text``: the answers put together."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ssift.cli.arguments import command, reading
from ssift.cli.status import OK
from ssift.cli.terminal import WHEN, Terminal
from ssift.errors import SsiftError
from ssift.printable import json_text, printable
from ssift.progress import Bar

if TYPE_CHECKING:
    from ssift.cli.arguments import Commands
    from ssift.cli.shading import Part, Shading
    from ssift.log import Log

_NAMED = 4  # so many paths are repeated in a message

TABLES = ("responses", "choices", "tool_calls")
_RESPONSE = ("response", "source", "id", "model", "status", "done", "error_message", "error_code")
_CHOICE = ("index", "role", "content", "refusal", "reasoning", "finish_reason")
_CALL = ("call", "id", "type", "name", "arguments")


def add_to(commands: Commands) -> None:
    """Declare the command."""
    parser = command(
        commands,
        "text",
        "the answers put together",
        "Prints the answers put together, each under a line that names it. On a terminal control characters are "
        "shown as escapes; into a pipe or file the text goes as it is.",
        run,
    )
    parser.add_argument("--response", type=int, metavar="N", help="only response N, without the line above it")
    parser.add_argument("--reasoning", action="store_true", help="the reasoning before the answer, too")
    parser.add_argument("--tool-calls", action="store_true", help="the tool calls after the answer, too")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="one JSON object with everything, nothing else")
    shown.add_argument(
        "--color",
        choices=WHEN,
        help="colour tokens by their probability: on a terminal (--color, --color=auto), into a pipe or file too "
        "(always); never: no colours at all",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, and print responses as they end."""
    from ssift.reading import scan

    bar = None if arguments.no_progress else Bar()
    terminal = Terminal(progress=bar, colour=arguments.color or "auto")
    shading = _shading(terminal) if arguments.color and terminal.coloured else None
    output = _Json(terminal) if arguments.json else _Text(terminal, arguments, shading)
    found = False
    problems = ended = 0
    for log in scan(
        arguments.paths,
        tables=TABLES if shading is None else (*TABLES, "tokens"),
        whole_responses=shading is not None,
        progress=bar or False,
        **reading(arguments),
    ):
        problems += len(log.problems)
        ended += len(log.responses)
        if shading is not None:
            shading.look_at(log)
        for answer in _answers(log, arguments.response):
            found = True
            output.answer(answer)
        if found and arguments.response is not None:
            break
    if arguments.response is not None and not found:
        raise SsiftError(
            f"there is no response {arguments.response}: {ended:,} were found, numbered from 0 over all paths"
        )
    output.end()
    if problems:
        _point_to_check(problems, arguments.paths)
    return OK


def _shading(terminal: Terminal) -> Shading:
    from ssift.cli.shading import Shading

    return Shading(terminal)


def _point_to_check(problems: int, paths: Sequence[str]) -> None:
    """On standard error, so that it is in nobody's way."""
    sys.stdout.flush()
    named = " ".join(map(shlex.quote, paths)) if len(paths) <= _NAMED else "PATH..."
    count, them = (f"{problems:,} problems", "them") if problems > 1 else ("1 problem", "it")
    print(f"ssift: {count}; `ssift check {printable(named)}` shows {them}", file=sys.stderr)


def _answers(log: Log, only: int | None) -> Iterator[dict[str, Any]]:
    """The responses that ended in this batch, each a dict with its choices, and they with their tool calls."""
    responses = {row["response"]: row for row in log.responses.rows() if only is None or row["response"] == only}
    if not responses:
        return
    answers = {number: {name: row[name] for name in _RESPONSE} for number, row in responses.items()}
    choices: dict[tuple[int, int], dict[str, Any]] = {}
    for answer in answers.values():
        answer["choices"] = []
    for row in log.choices.rows():
        if row["response"] in answers:
            choice = {name: row[name] for name in _CHOICE}
            choice["tool_calls"] = []
            choices[row["response"], row["index"]] = choice
            answers[row["response"]]["choices"].append(choice)
    for row in log.tool_calls.rows():
        if row["response"] in answers:
            call = {name: row[name] for name in _CALL}
            choices[row["response"], row["index"]]["tool_calls"].append(call)
    yield from answers.values()


class _Text:
    def __init__(self, terminal: Terminal, arguments: argparse.Namespace, shading: Shading | None) -> None:
        self._terminal = terminal
        self._shading = shading
        self._titled = arguments.response is None
        self._reasoning: bool = arguments.reasoning
        self._tool_calls: bool = arguments.tool_calls
        self._first = True

    def answer(self, answer: dict[str, Any]) -> None:
        """Print one response."""
        choices = answer["choices"] or [dict.fromkeys(_CHOICE) | {"tool_calls": []}]
        for choice in choices:
            if self._titled or len(choices) > 1:
                self._title(answer, choice)
            self._choice(answer["response"], choice)
        if answer["status"] == "errored":
            code = f" ({answer['error_code']})" if answer["error_code"] else ""
            self._labelled("error", f"{answer['error_message']}{code}", "red")

    def end(self) -> None:
        """Nothing is left to print."""

    def _title(self, answer: dict[str, Any], choice: dict[str, Any]) -> None:
        terminal = self._terminal
        if not self._first:
            terminal.line()
        elif self._shading is not None:
            terminal.line(self._shading.legend())
        self._first = False
        number = f"response {answer['response']}"
        if choice["index"] is not None:
            number += f", choice {choice['index']}"
        facts = [answer["status"], choice["finish_reason"], answer["model"], answer["id"], answer["source"]]
        if self._shading is not None and self._shading.misses((answer["response"], choice["index"], "content")):
            facts.append("no colours: its tokens are not its text")
        rest = " · ".join(printable(fact) for fact in facts if fact)
        terminal.line(f"{terminal.style('# ' + number, 'bold', 'cyan')} {terminal.style('· ' + rest, 'dim')}")

    def _choice(self, response: int, choice: dict[str, Any]) -> None:
        index = choice["index"]
        if self._reasoning and choice["reasoning"]:
            self._labelled("reasoning", choice["reasoning"], "dim", (response, index, "reasoning"))
        if choice["content"]:
            self._body(choice["content"], (response, index, "content"))
        if choice["refusal"]:
            self._labelled("refusal", choice["refusal"], "yellow", (response, index, "refusal"))
        if self._tool_calls:
            for call in choice["tool_calls"]:
                self._labelled("tool call", f"{call['name']}({call['arguments']})", "cyan")

    def _labelled(self, label: str, text: str, style: str, part: Part | None = None) -> None:
        self._terminal.write(self._terminal.style(f"[{label}] ", style))
        self._body(text, part)

    def _body(self, text: str, part: Part | None = None) -> None:
        """``part`` says which text it is, where it has tokens that may be coloured."""
        if self._shading is None or part is None:
            shown = self._terminal.content(text)
        else:
            shown = self._shading.shaded(part, text)
        self._terminal.write(shown if shown.endswith("\n") else shown + "\n")


class _Json:
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._first = True

    def answer(self, answer: dict[str, Any]) -> None:
        """Write one response into the list."""
        self._terminal.write('{"responses": [\n ' if self._first else ",\n ")
        self._terminal.write(json_text(answer))
        self._first = False

    def end(self) -> None:
        """Close the list."""
        self._terminal.line('{"responses": []}' if self._first else "\n]}")

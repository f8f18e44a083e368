"""Statements line by line, for ``ssift sql`` without a query."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ssift.cli import results
from ssift.cli.status import OK, UNREADABLE
from ssift.cli.terminal import Terminal
from ssift.printable import printable
from ssift.sql import VIEWS

_HELP = """A statement ends with ; and may take several lines.
.tables          the tables and their columns
.help            this
.quit            leave; so does the end of input"""


class Repl:
    """Reads statements from standard input, with a prompt and a history on a terminal, and shows what they give.

    ``failure`` is the exception of the database: it is shown, and the conversation goes on.
    """

    def __init__(self, connection: Any, failure: type[Exception], terminal: Terminal) -> None:
        self._connection = connection
        self._failure = failure
        self._terminal = terminal
        self._interactive = sys.stdin.isatty() and self._terminal.interactive
        self._failed = False

    def run(self) -> int:
        """Until the end of input. Exit status 2 when input was no terminal and a statement failed."""
        if self._interactive:
            _remember()
            print("ssift sql, by DuckDB. Statements end with ; and .help explains.")
        statement = ""
        while (line := self._line("   ...> " if statement else "ssift> ")) is not None:
            if not statement and line.strip().startswith("."):
                if not self._command(line.strip()):
                    break
                continue
            statement = f"{statement}\n{line}" if statement else line
            if statement.rstrip().endswith(";") or not statement.strip():
                self._run(statement)
                statement = ""
        if statement.strip():
            self._run(statement)
        return UNREADABLE if self._failed and not self._interactive else OK

    def _line(self, prompt: str) -> str | None:
        """The next line, None at the end; an interrupt takes back what was typed."""
        while True:
            try:
                return input(prompt) if self._interactive else input()
            except EOFError:
                if self._interactive:
                    print()
                return None
            except KeyboardInterrupt:
                if not self._interactive:
                    raise
                print()
                return ";"

    def _run(self, statement: str) -> None:
        if not statement.strip(" \t\n;"):
            return
        try:
            results.table(results.execute(self._connection, statement), self._terminal)
        except self._failure as error:
            self._failed = True
            print(printable(str(error), keep="\n"), file=sys.stderr)
        except KeyboardInterrupt:
            if not self._interactive:
                raise
            print("interrupted", file=sys.stderr)

    def _command(self, line: str) -> bool:
        """A line that begins with a dot; False to leave."""
        commands: dict[str, Callable[[], None]] = {".tables": self._tables, ".help": lambda: print(_HELP)}
        if line in (".quit", ".exit"):
            return False
        if line in commands:
            commands[line]()
        else:
            print(f"{printable(line)}: no such command; .help lists them", file=sys.stderr)
        return True

    def _tables(self) -> None:
        for table, columns in VIEWS.items():
            print(f"{self._terminal.style(table, 'bold')}: {', '.join(column.name for column in columns)}")


def _remember() -> None:
    """Line editing, and a history that stays over sessions, where the system has readline."""
    with suppress(ImportError):
        import atexit
        import readline

        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        history = state / "ssift" / "sql_history"
        with suppress(OSError):
            history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            readline.read_history_file(history)
        readline.set_history_length(1000)
        atexit.register(_save, readline, history)


def _save(readline: Any, history: Path) -> None:
    with suppress(OSError):
        history.touch(mode=0o600)
        readline.write_history_file(history)

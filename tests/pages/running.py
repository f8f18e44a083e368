"""Runs the blocks of a page in a folder of their own, and holds what they show against what comes."""

from __future__ import annotations

import ast
import asyncio
import doctest
import importlib
import inspect
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.pages.blocks import ROOT, Block

SECONDS = 120
PROGRAMS = f"""
ssift() {{ "{sys.executable}" -m ssift "$@"; }}
python() {{ "{sys.executable}" "$@"; }}
pip() {{ printf 'pip %s\\n' "$*" >> .named; }}
make() {{ printf 'make %s\\n' "$*" >> .named; }}
less() {{ cat; }}
"""
"""What a shell finds. pip and make are not run but noted: what they name is looked up. Nobody turns pages."""

_MARK = "\x1e"


class Page:
    """A page while it is run: the namespace of its Python, the folder of its files, and the needs that are met here."""

    def __init__(self, folder: Path, *met: str) -> None:
        self.folder = folder
        self.namespace: dict[str, Any] = {"__name__": "__main__"}
        self._met = met

    def run(self, block: Block) -> None:
        """Run a block.

        Raises:
            AssertionError: it does not do what it shows.
        """
        if block.unrun and block.title not in self._met:
            check(block)
        elif block.language == "pycon":
            self._session(block)
        elif block.language == "python":
            self._program(block)
        elif block.language in ("console", "sh"):
            self._shell(block)
        elif block.title:
            (self.folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / block.title).write_text(block.text, encoding="utf-8")

    def _session(self, block: Block) -> None:
        name = str(block)
        session = doctest.DocTestParser().get_doctest(block.text, self.namespace, name, name, block.line - 1)
        assert session.examples, f"{block}: nothing behind >>>"
        said: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(session, out=said.append, clear_globs=False)
        self.namespace.update(session.globs)
        assert result.failed == 0, "".join(said)

    def _program(self, block: Block) -> None:
        assert ">>>" not in block.text, f"{block}: a session is pycon"
        found = eval(compiled(block), self.namespace)
        if inspect.iscoroutine(found):
            asyncio.run(found)

    def _shell(self, block: Block) -> None:
        for command in commands(block):
            assert not (self.folder / ".named").exists()
            done = self._command(command.text)
            assert done.status == 0 or command.status, f"{block}: {command.text}: status {done.status}\n{done.output}"
            assert not command.status or done.status == command.status, f"{block}: {command.text}: {done.status}"
            if block.language == "console":
                wrong = f"{block}: {command.text}\nshown:\n{command.output}\ncame:\n{done.output}"
                assert is_shown(command.output, done.output), wrong
            self._look_up(block)

    def _command(self, text: str) -> Done:
        """One command, in the folder; standard error is seen as on a terminal."""
        script = f"{PROGRAMS}\n{{ {text}\n}} 2>&1\nprintf '{_MARK}%d' $?"
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS, encoding="utf-8"
        )
        output, _, status = done.stdout.rpartition(_MARK)
        assert status, f"{text}: {done.stdout}{done.stderr}"
        return Done(output, int(status))

    def _look_up(self, block: Block) -> None:
        named = self.folder / ".named"
        if named.exists():
            for line in named.read_text().splitlines():
                wrong = look_up(line)
                assert not wrong, f"{block}: {line}: {wrong}"
            named.unlink()


class Done(NamedTuple):
    """What came of a command."""

    output: str
    status: int


class Command(NamedTuple):
    """A command of a block, what is shown under it, and the exit status that ``$ echo $?`` shows (0: none)."""

    text: str
    output: str
    status: int = 0


def commands(block: Block) -> list[Command]:
    """The commands of a block of a shell."""
    if block.language == "sh":
        return [Command(text, "") for text in statements(block.text)]
    found: list[Command] = []
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        more = next((n for n, line in enumerate(lines[1:], 1) if not line.startswith("> ")), len(lines))
        text = "\n".join([lines[0], *(line[2:] for line in lines[1:more])])
        if text == "echo $?" and found:
            found[-1] = found[-1]._replace(status=int(lines[more]))
        else:
            found.append(Command(text, "\n".join(lines[more:])))
    assert found, f"{block}: no command behind $"
    return found


def statements(text: str) -> list[str]:
    """The commands of a script, each with its continued lines and its here-document."""
    found: list[str] = []
    end = ""
    for line in text.splitlines():
        if end:
            found[-1] += f"\n{line}"
            end = "" if line == end else end
        elif found and found[-1].endswith("\\"):
            found[-1] += f"\n{line}"
        elif line.strip() and not line.startswith("#"):
            found.append(line)
            here = re.search(r"<<'?(\w+)'?", line)
            end = here[1] if here else ""
    return found


def is_shown(shown: str, came: str) -> bool:
    """Whether what came is what is shown, in which a line ``...`` stands for any lines, and nothing for anything."""
    if not shown.strip():
        return True
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else "".join(map(_part, re.split(r"(\.\.\.)", line.rstrip()))) + r" *\n"
        for line in shown.rstrip().splitlines()
    )
    return re.fullmatch(pattern + r"\n*", came.rstrip() + "\n") is not None


def _part(text: str) -> str:
    return ".*?" if text == "..." else re.escape(text)


# ------------------------------------------------------------------------------------- checked without being run


def compiled(block: Block) -> Any:
    """The code of a block of Python."""
    text = "\n" * (block.line - 1) + block.text
    return compile(text, str(block.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def check(block: Block) -> None:
    """What can be said of a block that is not run: Python compiles and uses names that exist, commands can be read.

    Raises:
        AssertionError: something is wrong.
    """
    if block.language == "python":
        compiled(block)
        for name in named(ast.parse(block.text)):
            assert exists(name), f"{block}: there is no {name}"
    elif block.language in ("sh", "console"):
        for command in commands(block):
            for words in ssift_calls(command.text):
                assert reads(words), f"{block}: {command.text}: not a command of ssift"
            for script in re.findall(r"\bpython (\S+\.py)", command.text):
                assert (ROOT / script).exists(), f"{block}: there is no {script}"
            for module in re.findall(r"\bpython -m (tests\.\S+)", command.text):
                assert (ROOT / f"{module.replace('.', '/')}.py").exists(), f"{block}: there is no {module}"


def named(tree: ast.AST) -> set[str]:
    """The names below ssift that a program uses."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "ssift":
            found |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Attribute):
            text = ast.unparse(node)
            if re.fullmatch(r"ssift(\.\w+)+", text):
                found.add(text)
    return found


def exists(name: str) -> bool:
    """Whether there is such a thing, in whatever module on its path; a function may hide the module of its name."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                break
            found = getattr(found, part)
        else:
            return True
    return False


def ssift_calls(text: str) -> list[list[str]]:
    """The words of each call of ssift in a line of a shell."""
    words = shlex.split(text, comments=True)
    found: list[list[str]] = []
    for place, word in enumerate(words):
        if word == "ssift" and (place == 0 or words[place - 1] in ("|", "&&", ";")):
            rest = words[place + 1 :]
            end = next((n for n, one in enumerate(rest) if one in ("|", ">", "&&", "&", ";")), len(rest))
            found.append(rest[:end])
    return found


def reads(words: Sequence[str]) -> bool:
    """Whether the command line of ssift can be read."""
    from ssift.cli import _parser, _spelled_out

    try:
        _parser("").parse_args(_spelled_out(list(words)))
    except SystemExit as end:
        return not end.code
    return True


def look_up(line: str) -> str:
    """What is wrong with a call of pip or make: "" when all that it names is there."""
    program, *words = line.split()
    if program == "make":
        targets = [word for word in words if "=" not in word and not word.startswith("-")]
        missing = [target for target in targets if target not in make_targets()]
        return f"make help does not list {missing}" if missing else ""
    extras = {extra for group in re.findall(r"\[([\w,-]+)\]", line) for extra in group.split(",")}
    missing = sorted(extras - set(extras_of_the_project()))
    return f"pyproject.toml has no extra {missing}" if missing else ""


def make_targets() -> set[str]:
    """What ``make help`` lists."""
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    return {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}


def extras_of_the_project() -> dict[str, list[str]]:
    """The extras of pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, list[str]] = tomllib.load(file)["project"]["optional-dependencies"]
    return found

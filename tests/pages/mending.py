"""Writes into pages what comes of their blocks: ``python -m tests.pages.mending docs/tour.md``. Look at the difference."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.pages.blocks import Block, blocks
from tests.pages.places import place
from tests.pages.running import Page, commands, is_shown


class Mending(Page):
    """A page while it is run, with what should stand in it."""

    def __init__(self, folder: Path, text: str) -> None:
        super().__init__(folder)
        self.text = text

    def run(self, block: Block) -> None:
        """Run a block, and note what it should show."""
        if block.unrun or block.language not in ("pycon", "console"):
            super().run(block)
        elif block.language == "pycon":
            self._mend_session(block)
        else:
            self._mend_shell(block)

    def _mend_session(self, block: Block) -> None:
        session = doctest.DocTestParser().get_doctest(block.text, self.namespace, str(block), str(block), 0)
        runner = _Noting(optionflags=doctest.ELLIPSIS)
        runner.run(session, out=lambda _: None, clear_globs=False)
        self.namespace.update(session.globs)
        lines = block.text.splitlines(keepends=True)
        for example, got in reversed(runner.wrong):
            start = example.lineno + example.source.count("\n")
            lines[start : start + example.want.count("\n")] = [got]
        self._replace(block, "".join(lines))

    def _mend_shell(self, block: Block) -> None:
        shown = []
        for command in commands(block):
            done = self._command(command.text)
            self._look_up(block)
            output = command.output if is_shown(command.output, done.output) else done.output
            parts = [f"$ {command.text}".replace("\n", "\n> "), output.rstrip()]
            if done.status:
                parts += ["$ echo $?", str(done.status)]
            shown.append("\n".join(part for part in parts if part) + "\n")
        self._replace(block, "".join(shown))

    def _replace(self, block: Block, text: str) -> None:
        assert self.text.count(block.text) == 1 or block.text == text, f"{block}: stands there twice"
        self.text = self.text.replace(block.text, text)


class _Noting(doctest.DocTestRunner):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.wrong: list[tuple[doctest.Example, str]] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self.wrong.append((example, got))


def main(pages: list[str]) -> None:
    """Mend each of ``pages``."""
    for page in [Path(name).resolve() for name in pages]:
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            text = page.read_text(encoding="utf-8")
            with place(page, Path(folder).resolve(), patch):
                mending = Mending(Path(folder).resolve(), text)
                for block in blocks(page):
                    mending.run(block)
            patch.undo()
        page.write_text(mending.text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

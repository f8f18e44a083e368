"""The runner of the pages sees what is wrong in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.blocks import README, blocks
from tests.pages.running import Page, is_shown, look_up, ssift_calls, statements

FENCE = "`" * 3


def page(tmp_path: Path, text: str) -> None:
    """Run a page of this text."""
    running = Page(tmp_path)
    for block in blocks(README, text.replace("~~~", FENCE)):
        running.run(block)


@pytest.mark.parametrize(
    "text",
    [
        "~~~pycon\n>>> 1 + 1\n2\n~~~\n",
        "~~~python\nx = 1\n~~~\n\n~~~pycon\n>>> x\n1\n~~~\n",
        "~~~python\nimport asyncio\nawait asyncio.sleep(0)\n~~~\n",
        '~~~csv title="a/b.csv"\n1,2\n~~~\n\n~~~console\n$ cat a/b.csv\n1,2\n~~~\n',
        "~~~console\n$ false\n$ echo $?\n1\n~~~\n",
        "~~~console\n$ printf 'a\\nb\\nc\\n'\na\n...\n~~~\n",
        "~~~console\n$ echo one \\\n>   two\none two\n~~~\n",
        "~~~sh\ncat > a <<'END'\n$x\nEND\ngrep x a\n~~~\n",
        "~~~sh\npip install '.[arrow]'\nmake test\n~~~\n",
        '~~~sh title="needs a terminal"\nssift replay a.log --port 1\n~~~\n',
    ],
)
def test_what_is_right_passes(tmp_path: Path, text: str) -> None:
    page(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        "~~~pycon\n>>> 1 + 1\n3\n~~~\n",
        "~~~pycon\nno prompt\n~~~\n",
        "~~~python\n>>> 1\n~~~\n",
        "~~~console\n$ echo a\nb\n~~~\n",
        "~~~console\n$ false\n~~~\n",
        "~~~console\n$ true\n$ echo $?\n1\n~~~\n",
        "~~~sh\nfalse\ntrue\n~~~\n",
        "~~~sh\npip install '.[nothing]'\n~~~\n",
        "~~~sh\nmake nothing\n~~~\n",
        '~~~sh title="needs a terminal"\nssift replay a.log --nothing\n~~~\n',
        '~~~sh title="needs a checkout"\npython bench/nothing.py\n~~~\n',
        '~~~python title="needs Spark"\nimport ssift\nssift.nothing()\n~~~\n',
    ],
)
def test_what_is_wrong_fails(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssertionError):
        page(tmp_path, text)


def test_a_program_that_fails_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        page(tmp_path, "~~~python\n1 / 0\n~~~\n")


def test_dots_stand_for_anything() -> None:
    assert is_shown("", "whatever\n")
    assert is_shown("a ... c", "a b c\n")
    assert is_shown("...\nb\n...", "a\nb\nc\n")
    assert is_shown("a\n...\nb", "a\nb\n")
    assert not is_shown("a\n...\nc", "a\nb\n")
    assert not is_shown("a.c", "abc\n")
    assert not is_shown("a", "a\nb\n")


def test_commands_are_told_apart() -> None:
    assert statements("a \\\n  b\n# c\n\nd <<'E'\n1\nE\ne") == ["a \\\n  b", "d <<'E'\n1\nE", "e"]
    assert ssift_calls("cat a | ssift sql 'select 1' - > b") == [["sql", "select 1", "-"]]
    assert look_up("make test SIZE=1") == ""
    assert "no extra" in look_up("pip install ssift[arrow,nothing]")

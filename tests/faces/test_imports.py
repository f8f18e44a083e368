"""Importing ssift is light, and no layer imports a higher one."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ssift

PACKAGE = Path(ssift.__file__).parent

# Lowest first; a module may import its own layer and those before it.
LAYERS = (
    ("contract", "errors", "printable"),
    ("python", "_native"),
    ("engine", "live"),
    ("strings",),
    ("columns", "table"),
    ("log",),
    ("progress", "sources"),
    ("reading",),
    ("statistics",),
    ("__init__",),
    ("cli", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def _imported(path: Path) -> set[str]:
    """Parts of ssift that a file imports when it runs, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ssift":
            parts = node.module.split(".")
            found |= {parts[1]} if len(parts) > 1 else {"__init__"}
        elif isinstance(node, ast.Import):
            names = [name.name.split(".") for name in node.names if name.name.startswith("ssift")]
            found |= {name[1] if len(name) > 1 else "__init__" for name in names}
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_never_run_upward(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if part == "__init__":  # the public names: it looks down at all of them
        return
    upward = {name for name in _imported(path) if RANK[name] > RANK[part]}
    assert not upward, f"{path} imports {sorted(upward)}"


def _run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_importing_ssift_and_its_command_loads_nothing_heavy() -> None:
    heavy = ("numpy", "orjson", "json", "ssift.log", "ssift.statistics", "ssift.python", "ssift._native")
    loaded = _run("import sys, ssift; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)
    assert "numpy" not in _run("import sys, ssift.cli; print(*sys.modules)").split()


def test_help_needs_no_numpy() -> None:
    code = "import atexit, sys, ssift.cli\natexit.register(lambda: print(*sys.modules))\nssift.cli.main(['--help'])"
    output = _run(code)
    assert output.startswith("usage: ssift")
    assert "numpy" not in output.split()


def test_every_public_name_is_there() -> None:
    for name in ssift.__all__:
        assert getattr(ssift, name) is not None
        assert name in dir(ssift)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        ssift.nonsense  # noqa: B018


def test_engine_is_a_function_whatever_was_imported() -> None:
    assert _run("import ssift, ssift.engine, ssift.reading; print(ssift.engine())").strip() in ("native", "python")

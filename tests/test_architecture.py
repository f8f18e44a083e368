"""The direction of flow: a lower layer never imports a higher one. And no file is longer than one sitting takes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "ssift"

LAYERS = (
    "errors",
    "extras",
    "buffers",
    "contract",
    "printable",
    "python",
    "_native",
    "engine",
    "arrow",
    "strings",
    "raw",
    "joining",
    "selection",
    "sieve",
    "omission",
    "columns",
    "groups",
    "lists",
    "preview",
    "table",
    "log",
    "sources",
    "progress",
    "unwrapping",
    "names",
    "unpacking",
    "portions",
    "parallel",
    "reading",
    "borders",
    "partitioning",
    "following",
    "statistics",
    "live",
    "destination",
    "openai",
    "streaming",
    "exporting",
    "polars",
    "sql",
    "ray",
    "ssift",  # the public names
    "report",
    "cli",
    "__main__",
)
"""From the bottom up. A module may import what stands before it, and its own package."""

LINES = 600
GENERATED = {"powers_of_ten.h"}


def layer_of(module: str) -> str:
    """``ssift.python.lines`` -> ``python``; ``ssift`` itself is a layer too."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "ssift"


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, module) of every import of a part of ssift, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "ssift":
                    yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            if node.module == "ssift":
                for name in node.names:  # a module, or one of the public names
                    inner = f"ssift.{name.name}"
                    is_module = (SOURCE / name.name).is_dir() or (SOURCE / f"{name.name}.py").exists()
                    yield node.lineno, inner if is_module else "ssift"
            elif node.module and node.module.startswith("ssift."):
                yield node.lineno, node.module


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downwards(path: Path) -> None:
    own = layer_of(".".join(("ssift", *path.relative_to(SOURCE).with_suffix("").parts)))
    own = "ssift" if own == "__init__" else own
    assert own in LAYERS, f"{own} has no place in LAYERS yet"
    for line, module in imports(path):
        layer = layer_of(module)
        assert layer in LAYERS, f"{path}:{line}: {module} has no place in LAYERS yet"
        assert layer == own or LAYERS.index(layer) < LAYERS.index(own), (
            f"{path}:{line}: {own} imports {module}, upwards"
        )


def test_the_native_engine_knows_the_contract_alone() -> None:
    for path in sorted((ROOT / "ext").glob("*.p*")):
        for module in re.findall(r"^\s*(?:from|import)\s+(ssift[.\w]*)", path.read_text(), re.MULTILINE):
            assert module == "ssift.contract", f"{path} imports {module}"


def test_files_of_the_native_engine_import_downwards() -> None:
    files = {path.stem: path.read_text() for path in (ROOT / "ext").glob("*.pxd")}
    files["_native"] = "".join(path.read_text() for path in (ROOT / "ext").glob("*.p[yx][xi]"))
    imported = {name: re.findall(r"^from (\w+) cimport", text, re.MULTILINE) for name, text in files.items()}
    order = [*TopologicalSorter(imported).static_order()]  # an error where they go round in a circle
    assert order[-1] == "_native"
    assert set(order) == set(files), "an import of a file that is not there"


def test_the_reference_engine_stands_alone() -> None:
    for path in sorted((SOURCE / "python").glob("*.py")):
        for line, module in imports(path):
            assert layer_of(module) in ("contract", "errors", "python"), f"{path}:{line}: {module}"


def test_no_file_is_too_long() -> None:
    ends = {".py", ".pyi", ".pyx", ".pxd", ".pxi", ".h", ".c", ".cpp"}
    lengths = {
        path.relative_to(ROOT): len(path.read_text().splitlines())
        for folder in ("src", "ext", "tests", "bench")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in ends and path.name not in GENERATED
    }
    too_long = {str(path): lines for path, lines in lengths.items() if lines > LINES}
    assert not too_long, f"more than {LINES} lines: {too_long}"

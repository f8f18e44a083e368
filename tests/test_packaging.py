"""The switches of the build: what may fall back does so aloud, what may not fails."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

import ssift
from tests.need import need

ROOT = Path(__file__).resolve().parent.parent


def needed() -> None:
    need(find_spec("setuptools"), "setuptools")
    need(find_spec("Cython"), "Cython")


def run(command: list[str], **switches: str) -> subprocess.CompletedProcess[str]:
    """A command in the checkout, with a compiler that always fails."""
    environment = {**os.environ, "CC": "false", **switches}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


def build(target: Path, **switches: str) -> subprocess.CompletedProcess[str]:
    """``setup.py build_ext`` into a folder of its own."""
    needed()
    command = [sys.executable, "setup.py", "build_ext", "--build-lib", str(target), "--build-temp", str(target)]
    return run(command, **switches)


def test_the_version_is_that_of_the_distribution() -> None:
    assert version("ssift") == ssift.__version__


@pytest.mark.skipif(os.name == "nt", reason="CC does not choose the compiler there")
def test_auto_goes_on_without_a_compiler_and_says_so(tmp_path: Path) -> None:
    done = build(tmp_path, SSIFT_BUILD="auto")
    assert done.returncode == 0, done.stderr
    assert "native engine was NOT built" in done.stderr
    assert not list(tmp_path.rglob("_native*.so"))


@pytest.mark.skipif(os.name == "nt", reason="CC does not choose the compiler there")
def test_native_fails_without_a_compiler(tmp_path: Path) -> None:
    assert build(tmp_path, SSIFT_BUILD="native").returncode != 0


def test_python_builds_nothing(tmp_path: Path) -> None:
    done = build(tmp_path, SSIFT_BUILD="python")
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="CC does not choose the compiler there")
@pytest.mark.parametrize("switch", ["auto", "python"])
def test_a_wheel_without_the_extension_is_for_any_platform(tmp_path: Path, switch: str) -> None:
    command = [
        sys.executable, "setup.py", "--quiet", "build", "--build-base", str(tmp_path / "build"),
        "bdist_wheel", "--bdist-dir", str(tmp_path / "bdist"), "--dist-dir", str(tmp_path / "dist"),
    ]  # fmt: skip
    needed()
    done = run(command, SSIFT_BUILD=switch)
    assert done.returncode == 0, done.stderr
    [wheel] = (tmp_path / "dist").iterdir()
    assert wheel.name == f"ssift-{ssift.__version__}-py3-none-any.whl"
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        assert b"Root-Is-Purelib: true" in archive.read(f"ssift-{ssift.__version__}.dist-info/WHEEL")
    assert "ssift/reading.py" in names
    assert not [name for name in names if name.endswith((".so", ".pyd"))]


def test_an_unknown_build_fails(tmp_path: Path) -> None:
    done = build(tmp_path, SSIFT_BUILD="fast")
    assert done.returncode != 0
    assert "SSIFT_BUILD is 'fast'" in done.stderr

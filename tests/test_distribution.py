"""What ``make dist`` has built: what is in it, what it says of itself, and that it works where nothing else is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import pytest

import ssift
from tests.need import need

pytestmark = pytest.mark.dist

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
NAME = f"ssift-{ssift.__version__}"

NOT_SHIPPED = (".editorconfig", ".gitignore", ".github/", ".pre-commit-config.yaml")
MADE_BY_BUILDS = ("PKG-INFO", "setup.cfg", "src/ssift.egg-info/")

LOG = """data: {"id":"a","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"},\
"logprobs":{"content":[{"token":"Hi","logprob":-0.25,"top_logprobs":[]}]},"finish_reason":"stop"}]}

data: [DONE]

"""
READ = """
import sys
import ssift
log = ssift.read("log.sse")
assert ssift.engine() == sys.argv[1], ssift.engine()
assert log.choices.row(0)["content"] == "Hi", log.choices
assert log.tokens["logprob"].tolist() == [-0.25], log.tokens
assert [chunk.choices[0].delta.content for chunk in ssift.chunks(open("log.sse", "rb").read())] == ["Hi"]
"""


@pytest.fixture(scope="module")
def sdist() -> Path:
    return need(next(iter(DIST.glob(f"{NAME}.tar.gz")), None), "a source distribution: make dist")


@pytest.fixture(scope="module")
def wheel() -> Path:
    return need(next(iter(DIST.glob(f"{NAME}-*.whl")), None), "a wheel: make dist")


@pytest.fixture(scope="module")
def tracked() -> set[str]:
    """The files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    need(listed.returncode == 0, "a git checkout")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}


def names_in(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


# ------------------------------------------------------------------------------------------------------ contents


def test_the_source_distribution_holds_the_repository_and_nothing_else(sdist: Path, tracked: set[str]) -> None:
    with tarfile.open(sdist) as archive:
        files = {member.name.removeprefix(f"{NAME}/") for member in archive.getmembers() if member.isfile()}
    shipped = {name for name in tracked if not name.startswith(NOT_SHIPPED)}
    assert sorted(shipped - files) == []
    assert sorted(name for name in files - shipped if not name.startswith(MADE_BY_BUILDS)) == []


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path, tracked: set[str]) -> None:
    files = names_in(wheel)
    package = {name.removeprefix("src/") for name in tracked if name.startswith("src/")}
    assert {"ssift/py.typed", "ssift/_native.pyi", "ssift/report/page.css"} <= package
    assert sorted(package - files) == []
    native, *others = sorted(name for name in files - package if not name.startswith(f"{NAME}.dist-info/"))
    assert native.startswith("ssift/_native.")
    assert native.endswith((".so", ".pyd"))
    assert others == []
    assert f"{NAME}.dist-info/licenses/LICENSE" in files


# ------------------------------------------------------------------------------------------------------ metadata


def metadata_of(path: Path) -> Message:
    if path.suffix == ".whl":
        with ZipFile(path) as archive:
            return message_from_bytes(archive.read(f"{NAME}.dist-info/METADATA"))
    with tarfile.open(path) as archive:
        file = archive.extractfile(f"{NAME}/PKG-INFO")
        assert file is not None
        return message_from_bytes(file.read())


@pytest.mark.parametrize("kind", ["sdist", "wheel"])
def test_the_metadata_are_those_of_pyproject(kind: str, request: pytest.FixtureRequest) -> None:
    found = metadata_of(request.getfixturevalue(kind))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (found["Name"], found["Version"]) == ("ssift", ssift.__version__)
    assert found["Summary"] == project["description"]
    assert found["Requires-Python"] == project["requires-python"] == ">=3.11"
    assert found["License-Expression"] == "MIT"
    assert found["Description-Content-Type"] == "text/markdown"
    assert set(found.get_all("Provides-Extra", [])) == set(project["optional-dependencies"])
    assert found.get_all("Classifier") == project["classifiers"]
    needed = [one for one in found.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert needed == project["dependencies"]


# -------------------------------------------------------------------------------------------- in an empty environment


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """The Python of an environment with nothing in it; the working folder has a log."""
    (tmp_path / "log.sse").write_text(LOG)
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    yield folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    shutil.rmtree(folder)


def install(python: Path, what: Path, **switches: str) -> str:
    """What pip and the build say."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--no-cache-dir", "-v", str(what)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SSIFT_", "PYTHON"))}
    done = subprocess.run(command, env={**clean, **switches}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout + done.stderr


def check_it_reads(python: Path, engine: str) -> None:
    """The package, the command, and the engine that is to be there."""
    folder = python.parent.parent.parent
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SSIFT_", "PYTHON"))}
    for command in (["-I", "-c", READ, engine], ["-I", "-m", "ssift", "stats", "log.sse"]):
        done = subprocess.run(
            [str(python), *command], cwd=folder, env=clean, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    assert f"read by the {engine} engine" in done.stdout


def test_the_wheel_works_where_nothing_else_is(wheel: Path, environment: Path) -> None:
    install(environment, wheel)
    check_it_reads(environment, "native")


@pytest.mark.skipif(os.name == "nt", reason="CC does not choose the compiler there")
def test_the_source_builds_without_a_compiler_and_says_so(sdist: Path, environment: Path) -> None:
    said = install(environment, sdist, CC="/bin/false")
    assert "the native engine was NOT built" in said
    check_it_reads(environment, "python")

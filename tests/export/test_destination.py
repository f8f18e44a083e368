"""What a killed process leaves is removed by the next one that writes to the same place; full disks name the place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ssift import destination
from ssift.destination import OutputError, whole_file, whole_folder

WRITER = """
import sys
from pathlib import Path
from ssift.destination import whole_file, whole_folder

if sys.argv[1] == "file":
    with whole_file(sys.argv[2]) as file:
        file.write(b"half")
        file.flush()
        print("writing", flush=True)
        sys.stdin.read()
else:
    with whole_folder(sys.argv[2], lambda folder: True) as folder:
        (folder / "half").write_text("half")
        print("writing", flush=True)
        sys.stdin.read()
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def parts(folder: Path) -> list[str]:
    return [name for name in names(folder) if name.startswith(".ssift-") and name.endswith(".part")]


def writer(kind: str, target: Path) -> subprocess.Popen[bytes]:
    """A process in the midst of writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, kind, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    return process


def end(process: subprocess.Popen[bytes], kill: bool) -> None:
    if kill:
        process.send_signal(signal.SIGKILL)
    process.communicate()


def write(kind: str, target: Path) -> None:
    if kind == "file":
        with whole_file(target) as file:
            file.write(b"whole")
    else:
        with whole_folder(target, lambda folder: True) as folder:
            (folder / "whole").write_text("whole")


KINDS = pytest.mark.parametrize("kind", ["file", "folder"])


@KINDS
def test_what_a_killed_process_left_goes_with_the_next_output(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    end(writer(kind, target), kill=True)
    assert len(parts(tmp_path)) == 1
    write(kind, tmp_path / "another")
    assert len(parts(tmp_path)) == 1
    write(kind, target)
    assert names(tmp_path) == ["another", "out"]


@KINDS
def test_what_is_being_written_stays(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "out"
    process = writer(kind, target)
    try:
        write(kind, target)
        assert len(parts(tmp_path)) == 1
    finally:
        end(process, kill=False)
    assert process.returncode == 0
    assert names(tmp_path) == ["out"]
    assert (target.read_bytes() == b"half") if kind == "file" else (names(target) == ["half"])


@KINDS
def test_names_that_others_gave_stay(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("socket.gethostname", lambda: "another machine")
        (tmp_path / Path(destination._beside(str(target), ".part")).name).write_text("theirs")
    (tmp_path / ".ssift-mine.part").write_text("mine")
    (tmp_path / Path(destination._beside(str(target), ".txt")).name).write_text("mine")
    before = names(tmp_path)
    write(kind, target)
    assert names(tmp_path) == sorted([*before, "out"])


def test_a_link_by_such_a_name_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("precious")
    os.symlink(precious, destination._beside(str(tmp_path / "out"), ".part"))
    write("file", tmp_path / "out")
    assert (precious / "file").read_text() == "precious"


def test_a_folder_that_was_moved_aside_and_not_replaced_comes_back(tmp_path: Path) -> None:
    target = tmp_path / "out"
    old = Path(destination._beside(str(target), ".old"))
    old.mkdir()
    (old / "yesterday").write_text("")
    with pytest.raises(RuntimeError), whole_folder(target, lambda folder: True):
        raise RuntimeError
    assert names(tmp_path) == ["out"]
    assert names(target) == ["yesterday"]


def test_one_that_was_replaced_goes(tmp_path: Path) -> None:
    target = tmp_path / "out"
    Path(destination._beside(str(target), ".old")).mkdir()
    write("folder", target)
    write("folder", target)
    assert names(tmp_path) == ["out"]


def test_taken_for_left_behind_before_it_was_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process may remove a file between its making and its lock: then there is another."""
    make, made = destination._make_file, []

    def taken(place: str) -> None:
        make(place)
        made.append(place)
        if len(made) == 1:
            os.unlink(place)

    monkeypatch.setattr(destination, "_make_file", taken)
    write("file", tmp_path / "out")
    assert len(made) == 2
    assert (tmp_path / "out").read_bytes() == b"whole"


@pytest.mark.parametrize("out", ["t.parquet", "t.csv", "t.jsonl", "t.arrow", "folder"])
def test_a_full_disk_is_said_of_the_output(tmp_path: Path, out: str) -> None:
    code = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import ssift
from tests.arrow.mixed import interleaved
data = interleaved(40, 40)
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    ssift.export(data, {out!r}, tables=["chunks"])
except ssift.SsiftError as error:
    print(type(error).__name__, isinstance(error, OSError), error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == f"OutputError True cannot write {out}: File too large\n", done.stderr
    assert names(tmp_path) == []


def test_too_many_partitions_name_the_limit(tmp_path: Path) -> None:
    code = f"""
import resource, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import ssift
from tests.faces.logs import answer
data = b"".join(answer(f"r{{n}}", "x").replace(b'"m"', b'"m%d"' % n) for n in range(100))
assert len(set(ssift.read(data).responses["model"])) == 100
resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))
try:
    ssift.export(data, "out", tables=["chunks"], partition_by="model")
except ssift.SsiftError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert "cannot write out: Too many open files (" in done.stdout, done.stderr
    assert "ulimit -n" in done.stdout
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_written_to_is_said_by_the_name_of_the_output(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as found, whole_file(tmp_path / "a" / "b"):
        pass
    assert found.value.filename == str(tmp_path / "a" / "b")
    with pytest.raises(OutputError, match="there is no folder"):
        write("folder", tmp_path / "a" / "b")

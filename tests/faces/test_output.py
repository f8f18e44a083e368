"""Where a command writes: looked at before the reading, whole or not at all, never over an input."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import ssift.portions
from ssift.cli import main
from ssift.cli.output import Output
from ssift.errors import NotFoundError, SsiftError
from ssift.sources import find
from ssift.sources.reach import reaches
from tests.faces.logs import ANSWER


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/run.sse").write_bytes(ANSWER)
    (tmp_path / "run.sse").write_bytes(ANSWER)
    return tmp_path


def report(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ssift", "report", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, **options)


def output(path: str, *paths: str) -> Output:
    return Output(path, paths, find(paths))


# ------------------------------------------------------------------------------------------------------------- files


def test_a_file_is_whole_or_not_there(here: Path) -> None:
    (here / "page").write_text("before")
    names, handler = sorted(os.listdir()), signal.getsignal(signal.SIGTERM)

    def break_off(error: BaseException) -> None:
        with output("page", "run.sse").open() as file:
            file.write(b"half")
            raise error

    for error in (RuntimeError(), KeyboardInterrupt(), SystemExit()):
        with pytest.raises(type(error)):
            break_off(error)
        assert (here / "page").read_text() == "before"
        assert sorted(os.listdir()) == names
    with output("page", "run.sse").open() as file:
        file.write(b"after")
        assert (here / "page").read_text() == "before"
    assert (here / "page").read_text() == "after"
    assert sorted(os.listdir()) == names
    assert signal.getsignal(signal.SIGTERM) is handler


def test_termination_leaves_nothing_behind(here: Path) -> None:
    names = sorted(os.listdir())
    program = (
        "import time; from ssift.cli.output import Output\n"
        "with Output('page', [], []).open() as file:\n    print('open', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    assert len(os.listdir()) == len(names) + 1
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 128 + signal.SIGTERM
    process.stdout.close()
    assert sorted(os.listdir()) == names


def test_the_mode_of_a_file_stays_and_a_new_one_has_the_usual(here: Path) -> None:
    (here / "old").write_text("before")
    (here / "old").chmod(0o640)
    (here / "usual").touch()
    for name in ("old", "new"):
        with output(name, "run.sse").open() as file:
            file.write(b"after")
    assert stat.S_IMODE((here / "old").stat().st_mode) == 0o640
    assert (here / "new").stat().st_mode == (here / "usual").stat().st_mode


def test_a_link_stays_a_link(here: Path) -> None:
    (here / "page").symlink_to("target")
    for text in (b"first", b"second"):  # the target is not there at first
        with output("page", "run.sse").open() as file:
            file.write(text)
        assert (here / "page").is_symlink()
        assert (here / "target").read_bytes() == text


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "the output has no name"),
        ("logs", "cannot write logs: it is a folder"),
        ("logs/", "cannot write logs/: it is a folder"),
        ("new/", "cannot write new/: it is a folder"),
        ("no/such/page", "cannot write no/such/page: there is no folder no/such"),
        ("run.sse/page", "cannot write run.sse/page: Not a directory"),
        ("a" * 300, "File name too long"),
        ("a\0b", "null byte"),
    ],
)
def test_what_cannot_work_is_said_before_the_reading(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str, said: str
) -> None:
    monkeypatch.setattr(ssift.portions, "Opened", lambda *_, **__: pytest.fail("it reads"))
    assert main(["report", "run.sse", "-o", path]) == 2
    errors = capsys.readouterr().err
    assert said in errors
    assert ".part" not in errors


def test_a_file_or_folder_without_permission_is_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "page").touch()
    guarded = [str(here / "page"), str(here / "logs")]  # by name: root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: path not in guarded)
    output("other", "run.sse")
    for path in ("page", "logs/page"):
        with pytest.raises(SsiftError, match=f"cannot write {path}: no permission"):
            output(path, "run.sse")


def test_a_full_disk_names_the_file_that_was_asked_for(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    target = output("page", "run.sse")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SsiftError, match=r"^cannot write page: No space left on device$"), target.open() as file:
        file.write(b"x")
    assert sorted(os.listdir()) == ["logs", "run.sse"]


# ------------------------------------------------------------------------------------------- devices, pipes, standard


def test_devices_and_pipes_are_written_to_as_they_stand(here: Path) -> None:
    os.mkfifo("pipe")
    process = subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE)
    assert report("run.sse", "-o", "pipe").returncode == 0
    assert process.communicate(timeout=30)[0].startswith(b"<!DOCTYPE html>")
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    assert report("run.sse", "-o", "/dev/null").returncode == 0
    done = report("run.sse", "-o", "/dev/full")
    assert (done.returncode, done.stderr) == (2, b"ssift: cannot write /dev/full: No space left on device\n")
    for device in ("/dev/null", "/dev/full"):
        assert stat.S_ISCHR(os.stat(device).st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_gets_the_page_alone(here: Path, name: str) -> None:
    done = report("run.sse", "-o", name)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"<!DOCTYPE html>")
    assert done.stdout.endswith(b"</html>\n")
    assert sorted(os.listdir()) == ["logs", "run.sse"]


def test_a_reader_of_standard_output_may_leave(here: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [sys.executable, "-m", "ssift", "report", "run.sse", "-o", "-"], stdout=writing, stderr=subprocess.PIPE
    )
    os.close(writing)
    assert process.communicate(timeout=60)[1] == b""
    assert process.returncode == 0


# ------------------------------------------------------------------------------------------------------------ inputs


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["run.sse", "-o", "run.sse"], "run.sse"),
        (["run.sse", "-o", "./logs/../run.sse"], "./logs/../run.sse"),
        (["*.sse", "-o", "hard"], "hard"),
        (["logs", "-o", "soft"], "soft"),
        (["-", "-o", "run.sse"], "run.sse"),
    ],
)
def test_an_input_is_never_replaced(here: Path, arguments: list[str], place: str) -> None:
    os.link("run.sse", "hard")
    os.symlink("logs/run.sse", "soft")
    with open("run.sse", "rb") as typed:
        done = report(*arguments, stdin=typed)
    assert done.returncode == 2
    assert done.stderr.decode() == f"ssift: cannot write {place}: it is one of the inputs, and would be lost\n"
    assert (here / "run.sse").read_bytes() == (here / "logs/run.sse").read_bytes() == ANSWER


def test_standard_output_may_not_be_an_input_either(here: Path) -> None:
    with open("run.sse", "ab") as appended:
        done = subprocess.run(
            [sys.executable, "-m", "ssift", "report", "run.sse", "-o", "-"],
            stdout=appended, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2
    assert (here / "run.sse").read_bytes() == ANSWER


def test_an_output_that_the_next_run_would_read_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "logs", "-o", "logs/page.html"]) == 2
    assert "cannot write logs/page.html: logs is read, and would hold the output" in capsys.readouterr().err
    assert os.listdir("logs") == ["run.sse"]
    assert main(["report", "logs", "-o", "logs/.page.html"]) == 0
    assert main(["report", "logs/*.sse", "-o", "logs/page.html"]) == 0


@pytest.mark.parametrize(
    ("path", "file", "found"),
    [
        ("logs", "logs/page", True),
        ("logs", "logs/deep/page", True),
        ("logs/", "./logs/page", True),
        (".", "page", True),
        ("link", "logs/page", True),
        ("logs", "link/page", True),
        ("logs", "logs/.page", False),
        ("logs", "logs/.git/page", False),
        ("logs", "logs2/page", False),
        ("logs", "page", False),
        ("run.sse", "page", False),
        ("-", "page", False),
        ("*", "page", True),
        ("*", ".page", False),
        (".*", ".page", True),
        ("*", "logs/page", True),
        ("*.sse", "page.html", False),
        ("*.sse", "logs/page.sse", False),
        ("**/*.sse", "logs/deep/page.sse", True),
        ("**/*.sse", "page.sse", True),
        ("**/*.sse", "logs/.deep/page.sse", False),
        ("logs/**", "logs/deep/page", True),
        ("l*s/[op]age", "logs/page", True),
        ("logs/*/x", "logs/page", False),
        ("logs/../*.html", "page.html", True),
    ],
)
def test_what_a_folder_or_pattern_would_find(here: Path, path: str, file: str, found: bool) -> None:
    os.symlink("logs", "link")
    assert reaches(path, file) is found
    # and so it is, once the file is there
    (here / file).parent.mkdir(parents=True, exist_ok=True)
    (here / file).touch()
    try:
        names = [] if path == "-" else [os.path.realpath(source.name) for source in find([path])]
    except NotFoundError:
        names = []
    assert (os.path.realpath(file) in names) is found

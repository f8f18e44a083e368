"""Outputs when a disk fills, a limit is reached, or the process is killed: nothing half-written under the final name."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.processes import begin, limited, run
from tests.waiting import wait_for

OUTPUTS = {
    "a folder of Parquet": ("export", "log.sse", "-o", "out"),
    "Parquet": ("export", "log.sse", "-o", "out/tokens.parquet"),
    "Arrow": ("export", "log.sse", "-o", "out/tokens.arrow"),
    "CSV": ("export", "log.sse", "-o", "out/tokens.csv"),
    "JSON lines": ("export", "log.sse", "-o", "out/tokens.jsonl"),
    "a report": ("report", "log.sse", "-o", "out/page.html"),
}


@pytest.fixture(scope="module")
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system of 8 KiB."""
    place = tmp_path_factory.mktemp("disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=8k", "ssift-tests", str(place)]
    made = shutil.which("mount") and subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not made:  # a right that nothing can be installed for
        pytest.skip("a file system of 8 KiB needs mount -t tmpfs, as root")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_disk_that_fills(here: Path, small_disk: Path, name: str) -> None:
    arguments = [
        word.replace("out", str(small_disk / "out")) if word.startswith("out") else word for word in OUTPUTS[name]
    ]
    if "/" in OUTPUTS[name][-1]:
        (small_disk / "out").mkdir(exist_ok=True)
    status, output, errors = run(*arguments)
    assert (status, output) == (2, b"")
    assert errors.startswith("ssift: ")
    assert "No space left on device" in errors
    assert errors.count("\n") == 1
    assert [path.name for path in small_disk.rglob("*") if path.name != "out"] == []
    shutil.rmtree(small_disk / "out", ignore_errors=True)


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_file_that_may_not_grow(here: Path, name: str) -> None:
    if "/" in OUTPUTS[name][-1]:
        (here / "out").mkdir()
    status, output, errors = run(*OUTPUTS[name], preexec_fn=limited(resource.RLIMIT_FSIZE, 10_000))
    assert (status, output) == (2, b"")
    assert "File too large" in errors
    assert errors.count("\n") == 1
    assert sorted(path.name for path in here.rglob("*") if path.name != "out") == ["log.sse"]


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_process_that_is_killed(here: Path, name: str) -> None:
    """SIGKILL leaves at most what begins with a dot and is called .part; the next run is as if nothing had been."""
    target = here / OUTPUTS[name][-1]
    target.parent.mkdir(exist_ok=True)
    (here / "more.sse").write_bytes((here / "log.sse").read_bytes() * 4)
    process = begin(OUTPUTS[name][0], "more.sse", *OUTPUTS[name][2:])
    wait_for(lambda: list(target.parent.glob(".ssift-*.part")) or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    if process.returncode == -signal.SIGKILL:
        assert not target.exists()
        assert all(path.name.endswith(".part") for path in target.parent.iterdir() if path.name.startswith(".ssift-"))
    else:  # it was faster
        shutil.rmtree(target, ignore_errors=True) if target.is_dir() else os.unlink(target)
    assert run(*OUTPUTS[name])[0] == 0
    assert target.exists()

"""Commands that are interrupted, starved of memory, or given what cannot be read: a reason, and the right status."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ssift
from tests.faces.logs import ANSWER
from tests.faults.processes import begin, limited, run
from tests.need import LONG
from tests.waiting import unread, wait_for

READING = {
    "stats": ("stats", "pipe"),
    "stats as JSON": ("stats", "pipe", "--json"),
    "check": ("check", "pipe"),
    "text": ("text", "pipe"),
    "export": ("export", "pipe", "-o", "out.parquet"),
    "export to a folder": ("export", "pipe", "-o", "tables"),
    "report": ("report", "pipe", "-o", "page.html"),
    "compare": ("compare", "pipe", "log.sse"),
    "sql": ("sql", "SELECT count(*) FROM tokens", "pipe"),
    "replay": ("replay", "pipe", "--port", "0"),
}


@pytest.mark.parametrize("name", READING)
def test_an_interrupt_in_the_middle_of_reading(here: Path, name: str) -> None:
    os.mkfifo("pipe")
    pipe = os.open("pipe", os.O_RDWR)  # both ends: it does not wait for a reader, and the reader sees no end
    os.write(pipe, ANSWER)
    process = begin(*READING[name])
    try:
        wait_for(lambda: process.poll() is not None or unread(pipe) == 0)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(pipe)
    assert (process.returncode, errors) == (130, b"ssift: interrupted\n")
    if name != "text":  # which may have shown a response by then
        assert output == b""
    assert sorted(os.listdir()) == ["log.sse", "pipe"]


def test_an_interrupt_while_serving(here: Path) -> None:
    (here / "small.sse").write_bytes(ANSWER)
    process = begin("replay", "small.sse", "--port", "0")
    stream: Any = process.stdout
    if not (line := stream.readline()):
        raise AssertionError(process.communicate())
    assert b"127.0.0.1" in line
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode in (0, 130)


@pytest.mark.parametrize(
    "command", [("stats",), ("check",), ("text",), ("export", "-o", "out.parquet"), ("report", "-o", "page.html")]
)
def test_too_little_memory(here: Path, command: tuple[str, ...]) -> None:
    """Every limit ends in a result or in a reason, never in a traceback or a crash."""
    (here / "log.sse").write_bytes((here / "log.sse").read_bytes() * 3)
    arguments = (command[0], "log.sse", *command[1:], "--threads", "1")
    least, most = _address_space("--version"), _address_space(*arguments)
    statuses = []
    for share in (0.9, 0.6) if LONG else (0.6,):
        limit = limited(resource.RLIMIT_AS, int(least + share * (most - least)))
        status, _, errors = run(*arguments, preexec_fn=limit)
        assert "Traceback" not in errors, errors
        assert status == 0 or (status == 2 and errors.splitlines()[-1].startswith("ssift: not enough memory")), errors
        statuses.append(status)
    assert 2 in statuses or command[0] == "export"  # pyarrow sets more aside than it takes
    assert sorted(set(os.listdir()) - {"out.parquet", "page.html"}) == ["log.sse"]


@cache
def _address_space(*arguments: str) -> int:
    """Bytes that a command needs, what it imports included."""
    program = (
        "import atexit, re, sys; from ssift.cli import main, export, report; import numpy\n"
        "atexit.register(lambda: print(re.search(r'VmPeak:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr))\n"
        "main(sys.argv[1:])\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    return int(done.stderr.split()[-1]) << 10


class Breaking:
    """A file whose reading fails after some bytes."""

    def __init__(self, data: bytes, error: OSError) -> None:
        self._left = data
        self._error = error

    def read(self, size: int) -> bytes:
        if not self._left:
            raise self._error
        found, self._left = self._left[:size], self._left[size:]
        return found


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ECONNRESET])
def test_a_read_error_says_where(engine: str, number: int) -> None:
    with pytest.raises((ssift.SsiftError, OSError), match=os.strerror(number)):
        ssift.read(Breaking(ANSWER, OSError(number, os.strerror(number))), engine=engine)


def test_a_read_error_of_a_device(here: Path) -> None:
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("there is no file that cannot be read")
    status, output, errors = run("stats", "/proc/self/mem")
    assert (status, output) == (2, b"")
    assert errors.startswith("ssift: ")
    assert "/proc/self/mem" in errors
    assert errors.count("\n") == 1

"""A thread that makes pieces ahead: order, errors, and that it is gone afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

import ssift
from ssift.sources.ahead import DEPTH, Ahead
from tests.faces.logs import ANSWER, answer
from tests.sources.packing import PACK
from tests.waiting import wait_for


def numbers(count: int, made: list[int] | None = None) -> Iterator[memoryview]:
    for number in range(count):
        if made is not None:
            made.append(number)
        yield memoryview(b"%d" % number)


def threads() -> int:
    return sum(thread.name == "ssift reading ahead" for thread in threading.enumerate())


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    assert threads() == 0


@pytest.mark.parametrize("count", [0, 1, DEPTH, 1000])
def test_the_pieces_come_in_their_order(count: int) -> None:
    assert [int(bytes(piece)) for piece in Ahead(numbers(count))] == list(range(count))


def test_no_more_than_a_few_are_made_ahead() -> None:
    made: list[int] = []
    ahead = Ahead(numbers(100, made))
    next(ahead)
    wait_for(lambda: len(made) >= DEPTH + 2)
    time.sleep(0.05)  # in which more would come
    assert len(made) == DEPTH + 2  # one taken, the waiting ones, one in the maker's hand
    ahead.close()


def test_an_error_comes_behind_the_pieces_before_it_with_its_traceback() -> None:
    def breaks() -> Iterator[memoryview]:
        yield from numbers(3)
        raise OSError("gone")

    ahead = Ahead(breaks())
    assert [bytes(next(ahead)) for _ in range(3)] == [b"0", b"1", b"2"]
    with pytest.raises(OSError, match="gone") as raised:
        next(ahead)
    assert "breaks" in [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    with pytest.raises(StopIteration):
        next(ahead)


@pytest.mark.parametrize("taken", [0, 1, 50])
def test_a_reader_may_leave_at_any_time(taken: int) -> None:
    closed = []

    def endless() -> Iterator[memoryview]:
        try:
            while True:
                yield memoryview(b"x")
        finally:
            closed.append(threading.current_thread())

    pieces = endless()
    ahead = Ahead(pieces)
    for _ in range(taken):
        next(ahead)
    ahead.close()
    ahead.close()
    assert not ahead.running
    pieces.close()
    assert len(closed) == 1


# ----------------------------------------------------------------------------------------------- through the readers


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "many.gz"
    path.write_bytes(PACK["gzip"](answer("a", "some words") * 4000))
    return path


def test_a_scan_that_is_left_ends_the_thread_and_closes_the_file(packed: Path, engine: str) -> None:
    batches = ssift.scan(packed, batch_size=10_000, engine=engine)
    next(batches)
    assert threads() == 1
    batches.close()  # type: ignore[attr-defined]
    assert threads() == 0


def test_a_problem_that_is_raised_ends_the_thread(packed: Path, engine: str) -> None:
    packed.write_bytes(PACK["gzip"](b"data: {\n\n" + ANSWER * 10_000))
    with pytest.raises(ssift.ProblemError):
        ssift.read(packed, engine=engine, errors="raise")
    assert threads() == 0


def test_an_error_of_the_reader_itself_ends_the_thread(packed: Path, engine: str) -> None:
    def stop(done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ssift.read(packed, engine=engine, progress=stop)
    assert threads() == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupt_ends_the_process_at_once(packed: Path) -> None:
    script = (
        "import ssift, sys\n"
        "for log in ssift.scan(sys.argv[1:] * 10_000, batch_size=100_000):\n"
        "    print('reading', flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(packed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert b"KeyboardInterrupt" in errors
    assert process.returncode == -signal.SIGINT

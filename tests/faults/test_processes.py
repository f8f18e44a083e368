"""Forks, threads and the end of the interpreter around a reading."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

import ssift
from tests.faces.logs import BROKEN, answer

LOG = b"".join(answer(f"r{number}", f"answer {number} of some words") + BROKEN for number in range(300))


def said(engine: str = "native", data: bytes = LOG) -> tuple[Any, ...]:
    log = ssift.read(data, engine=engine)
    tables = (log.responses, log.choices, log.tokens, log.top_logprobs, log.problems)
    return (log.choices["content"].to_pylist(), log.tokens["logprob"].sum(), [len(table) for table in tables])


def of_a_number(number: int) -> tuple[Any, ...]:
    return said(data=LOG[: len(LOG) // 2 + number])


def python(program: str) -> tuple[int, str, str]:
    begin = "import sys, os, ssift\nfrom tests.faults.test_processes import LOG, said\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + program], capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_eight_threads_read_at_once(engine: str) -> None:
    expected = (
        {number: of_a_number(number) for number in range(3)} if engine == "native" else {0: said(engine, LOG[:20_000])}
    )
    with ThreadPoolExecutor(8) as pool:
        if engine == "native":
            found = list(pool.map(of_a_number, [number % 3 for number in range(64)]))
            assert found == [expected[number % 3] for number in range(64)]
        else:
            assert list(pool.map(lambda _: said(engine, LOG[:20_000]), range(16))) == [expected[0]] * 16


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_processes_read_at_once(method: str) -> None:
    expected = [of_a_number(number) for number in range(4)]
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(of_a_number, range(4))) == expected


def test_a_fork_after_a_reading_with_threads() -> None:
    """The child has neither the threads of its parent nor their locks."""
    program = (
        "expected = said()\n"
        "batches = ssift.scan([LOG] * 4, batch_size=20000, threads=2); next(batches)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(0 if said() == expected else 1)\n"
        "_, status = os.waitpid(child, 0)\n"
        "assert os.waitstatus_to_exitcode(status) == 0\n"
        "assert sum(len(batch.responses) for batch in batches) > 0 and said() == expected\n"
    )
    assert python(program) == (0, "", "")


@pytest.mark.parametrize(
    "left", ["an unfinished scan", "a log", "an engine in the middle", "a scan in a thread", "a reading at exit"]
)
def test_the_interpreter_ends(left: str) -> None:
    program = {
        "an unfinished scan": "batches = ssift.scan([LOG] * 8, batch_size=5000, threads=2); next(batches)",
        "a log": "log = ssift.read(LOG); sys.log = log",
        "an engine in the middle": "from ssift._native import NativeEngine as N\nsys.one = N(); sys.one.begin(0, 'sse'); sys.one.feed(LOG[:999])",
        "a scan in a thread": "import threading\nthreading.Thread(target=lambda: [None for _ in ssift.scan([LOG] * 30, batch_size=5000)], daemon=True).start()",
        "a reading at exit": "import atexit\nexpected = said()\natexit.register(lambda: print(said() == expected))",
    }[left]
    assert python(program) == (0, "True\n" if left == "a reading at exit" else "", "")

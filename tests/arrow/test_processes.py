"""Hand-overs over the life of a whole process: its end, its memory, and what it has to have installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.arrow.mixed import LOG


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


WITHOUT_NATIVE = "import sys; sys.modules['ssift._native'] = None\n"


@pytest.mark.parametrize("before", ["", WITHOUT_NATIVE], ids=["built", "twins"])
def test_the_end_of_the_interpreter(before: str) -> None:
    run(
        f"{before}import builtins, ssift, polars, pyarrow\n"
        f"tokens = ssift.read({LOG!r}).tokens\n"
        "kept = [polars.DataFrame(tokens), pyarrow.table(tokens), tokens.__arrow_c_array__(), tokens.__arrow_c_stream__()]\n"
        "builtins.kept = [pyarrow.table(tokens), polars.DataFrame(tokens), tokens.__arrow_c_stream__()]\n"
        "class Cycle: pass\n"
        "cycle = Cycle(); cycle.itself = cycle; cycle.table = pyarrow.table(tokens)\n"
    )


@pytest.mark.parametrize("before", ["", WITHOUT_NATIVE], ids=["built", "twins"])
def test_nothing_is_left_after_many_hand_overs(before: str) -> None:
    grown = run(
        f"{before}import gc, sys, tracemalloc, ssift, pyarrow\n"
        f"log = ssift.read({LOG!r})\n"
        "def turn():\n"
        "    for table in log.tables:\n"
        "        pyarrow.table(log[table]); log[table].__arrow_c_array__(); log[table].__arrow_c_stream__()\n"
        "    pyarrow.table(log); pyarrow.table(log.tokens.nested())\n"
        "tracemalloc.start()\n"
        "for _ in range(40): turn()\n"  # free lists of Python and caches of the libraries fill
        "gc.collect(); before = tracemalloc.get_traced_memory()[0]\n"
        "counts = [sys.getrefcount(log.tokens[name]) for name in log.tokens]\n"
        "for _ in range(40): turn()\n"
        "gc.collect(); print(tracemalloc.get_traced_memory()[0] - before)\n"
        "assert counts == [sys.getrefcount(log.tokens[name]) for name in log.tokens]\n"
    )
    assert int(grown) < 20_000  # a thousand hand-overs; one forgotten would be 100 bytes at least each


def test_columns_need_no_library_at_all() -> None:
    run(
        "import sys\n"
        "for name in ('pyarrow', 'polars', 'pandas', 'duckdb', 'nanoarrow'): sys.modules[name] = None\n"
        f"import ssift\ntokens = ssift.read({LOG!r}).tokens\n"
        "print(tokens.__arrow_c_stream__(), tokens.__arrow_c_array__(), tokens['token'].__arrow_c_schema__())\n"
    )

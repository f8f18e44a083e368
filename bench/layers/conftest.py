"""How every case is measured: the result first, then the time of some rounds with the garbage collector off.

    make bench-layers
    pytest bench/layers -k 'numbers and native'

An engine is new for each case and has read the log once before the time is taken, so that learning and growing are
not in it. ``extra_info`` holds the bytes of the log, so that a speed can be told.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import ssift

ROUNDS = 7

Timed = Callable[[int, Callable[[], Any]], None]


@pytest.fixture(params=("native", "python"))
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine; native cases are left out where it is not there."""
    name = str(request.param)
    if name == "native" != ssift.engine():
        pytest.skip("the native engine is not in use")
    return name


@pytest.fixture
def timed(benchmark: Any, request: pytest.FixtureRequest) -> Timed:
    """``timed(size, work)``: the time of ``work`` on a log of ``size`` bytes."""

    def run(size: int, work: Callable[[], Any]) -> None:
        benchmark.group = request.path.stem.removeprefix("test_")
        benchmark.extra_info["bytes"] = size
        gc.collect()
        benchmark.pedantic(work, rounds=ROUNDS, warmup_rounds=1)

    return run

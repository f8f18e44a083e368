"""Engine = engine: the same rows, values, problems and counts out of anything."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings

from ssift.contract import Engine
from tests.agreement.comparing import Setting, check, read
from tests.agreement.logs import MAKERS
from tests.agreement.strategies import cases, some_setting

pytestmark = pytest.mark.usefixtures("both_engines")

BLOCKS = 10
LOGS_PER_EXAMPLE = 12
"""Logs made from a seed, for each example that hypothesis is to try."""


def agree(sources: Sequence[bytes], setting: Setting, shrink: bool) -> None:
    from ssift._native import NativeEngine
    from ssift.python.engine import PythonEngine

    def by(engine: type[Engine], log: bytes):
        return read(engine, [*sources[:-1], log], setting)

    check(
        sources[-1],
        lambda log: by(PythonEngine, log),
        lambda log: by(NativeEngine, log),
        f"python != native, {setting}",
        shrink,
    )


@given(cases)
def test_on_any_log(case: tuple[bytes, Setting]) -> None:
    log, setting = case
    agree([log], setting, shrink=False)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_on_logs_from_seeds(kind: str, block: int) -> None:
    count = LOGS_PER_EXAMPLE * settings().max_examples // BLOCKS // (1 if kind == "sse" else 4)
    for seed in range(block * count, (block + 1) * count):
        random = Random(seed)
        sources = [MAKERS[kind](random) for _ in range(1 if random.randint(0, 9) else 3)]
        agree(sources, some_setting(random, kind), shrink=True)

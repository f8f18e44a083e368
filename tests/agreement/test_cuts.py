"""Whole = cut anywhere, for each engine; and handing rows over in between changes none of them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from ssift.contract import Engine
from tests.agreement.comparing import Setting, check, read
from tests.agreement.logs import MAKERS
from tests.agreement.strategies import cut_cases, some_cuts, some_setting
from tests.conftest import ENGINES

SMALL = 400
"""Bytes up to which a log is cut at every place."""


def engine_named(name: str) -> type[Engine]:
    from ssift.engine import choose

    return choose(name)[1]


def cut_equals_whole(
    engine: type[Engine], log: bytes, setting: Setting, cuts: list[int], takes: list[int], shrink: bool
) -> None:
    check(
        log,
        lambda log: read(engine, [log], setting),
        lambda log: read(engine, [log], setting, cuts, takes),
        f"{engine.__name__}: whole != cut at {cuts}, rows taken after pieces {takes}, {setting}",
        shrink,
    )


@pytest.mark.parametrize("name", ENGINES)
@given(case=cut_cases)
def test_any_log_cut_anywhere(name: str, case: tuple[bytes, Setting, list[int]]) -> None:
    log, setting, cuts = case
    cut_equals_whole(engine_named(name), log, setting, cuts, [0, 2], shrink=False)


@pytest.mark.parametrize("kind", MAKERS)
def test_small_logs_cut_at_every_place(engine_class: type[Engine], kind: str) -> None:
    for seed in range(1, settings().max_examples // 8 + 1):
        random = Random(seed)
        log, setting = MAKERS[kind](random), some_setting(random, kind)
        start = random.randint(0, max(len(log) - SMALL, 0))
        log = log[start : start + SMALL]  # a rotated log: it may begin and end inside an event
        whole = read(engine_class, [log], setting)
        for place in range(len(log) + 1):
            check(
                log,
                lambda log, whole=whole, setting=setting: whole,
                lambda log, place=place, setting=setting: read(engine_class, [log], setting, [place]),
                f"{engine_class.__name__}: whole != cut at {place}, {setting}",
                shrink=False,
            )


@pytest.mark.parametrize("kind", MAKERS)
def test_single_bytes(engine_class: type[Engine], kind: str) -> None:
    for seed in range(settings().max_examples // 2):
        random = Random(1_000 + seed)
        log, setting = MAKERS[kind](random)[:3000], some_setting(random, kind)
        cut_equals_whole(engine_class, log, setting, list(range(len(log))), [], shrink=True)


@pytest.mark.parametrize("kind", MAKERS)
def test_random_cuts_with_rows_taken_in_between(engine_class: type[Engine], kind: str) -> None:
    for seed in range(settings().max_examples):
        random = Random(2_000 + seed)
        log, setting = MAKERS[kind](random), some_setting(random, kind)
        cuts = some_cuts(random, len(log))
        cut_equals_whole(
            engine_class, log, setting, cuts, [random.randint(0, len(cuts)) for _ in range(3)], shrink=True
        )

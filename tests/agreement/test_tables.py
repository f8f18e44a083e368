"""Asking for some tables changes nothing in them, save that wrong types elsewhere are not looked for."""

from __future__ import annotations

from random import Random

from hypothesis import settings

from ssift.contract import Engine
from tests.agreement.comparing import EVERYTHING, Setting, difference, narrowed, read
from tests.agreement.logs import MAKERS
from tests.agreement.strategies import some_setting, some_tables


def test_some_tables_equal_those_of_a_full_reading(engine_class: type[Engine]) -> None:
    compared = 0
    for seed in range(2 * settings().max_examples):
        random = Random(3_000 + seed)
        kind = random.choice(list(MAKERS))
        log, setting = MAKERS[kind](random), some_setting(random, kind)
        full = read(engine_class, [log], narrowed(setting, EVERYTHING))
        if full.has_type_problem:
            continue
        compared += 1
        tables = some_tables(random)
        some = read(engine_class, [log], narrowed(setting, tables))
        found = difference(full, some)
        assert found is None, f"{found}\nall tables != {sorted(tables)}, {setting}\nlog = {log!r}"
    assert compared > settings().max_examples // 4


def test_no_table_at_all_still_gives_problems_and_counts(engine_class: type[Engine]) -> None:
    log = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {bad\n\n'
    reading = read(engine_class, [log], narrowed(Setting(), ()))
    assert list(reading.tables) == ["problems"]
    assert reading.counts[0].chunks == 1
    assert reading.counts[0].problems == len(reading.tables["problems"]["kind"]) == 1

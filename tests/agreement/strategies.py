"""Made-up logs for hypothesis, and settings and cuts to read them with.

The same code that makes logs from a seed (:mod:`tests.agreement.logs`) runs here on the random numbers of hypothesis,
so that what it finds is shrunk: fewer streams, chunks, faults; simpler values.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from ssift.contract import TABLES
from tests.agreement.comparing import EVERYTHING, Setting
from tests.agreement.logs import MAKERS
from tests.agreement.values import chance


def some_tables(random: Random) -> frozenset[str]:
    return frozenset(table for table in TABLES if random.randint(0, 1))


def some_setting(random: Random, kind: str) -> Setting:
    """Mostly the defaults; sometimes narrow limits, another grouping, a few tables."""
    narrow = chance(random, 4)
    return Setting(
        framing=kind if kind in ("jsonl", "json") else "sse",
        tables=some_tables(random) if chance(random, 4) else EVERYTHING,
        group=random.choice(("auto", "auto", "auto", "id", "done")),
        event_bytes=random.choice((64 << 20, 1000, 300, 100, 20, 1)) if narrow else 64 << 20,
        depth=random.choice((1024, 7, 5, 4, 2, 1)) if narrow else 1024,
        open_responses=random.choice((1024, 2, 1)) if narrow else 1024,
        offset=random.choice((0, 0, 0, 3, 17)),
        arrivals=some_arrivals(random) if chance(random, 3) else (),
    )


def some_arrivals(random: Random) -> tuple[tuple[int, int | None], ...]:
    """When bytes arrived: mostly close together, sometimes not known, sometimes two times for one place."""
    marks = []
    place = random.choice((0, 0, 1, 50))
    for _ in range(random.choice((1, 3, 30, 600))):
        marks.append((place, None if chance(random, 8) else random.randint(-(2**63), 2**63 - 1)))
        place += random.choice((0, 1, 7, 40, 300))
    return tuple(marks)


def some_cuts(random: Random, size: int) -> list[int]:
    """Places to cut a log at; the same place twice makes an empty piece."""
    return [random.randint(0, size) for _ in range(random.choice((1, 2, 5, 20)))]


def _case(random: Random) -> tuple[bytes, Setting]:
    kind = random.choice(("sse", "sse", "sse", "regular", "jsonl", "json"))
    return MAKERS[kind](random), some_setting(random, kind)


randoms = st.randoms(use_true_random=False)
cases = randoms.map(_case)
"""(log, setting)"""

cut_cases = randoms.map(lambda random: (*(case := _case(random)), some_cuts(random, len(case[0]))))
"""(log, setting, cuts)"""

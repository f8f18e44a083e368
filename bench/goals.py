"""The goals of performance, in one table, and how each is taken from the records of a run.

Speeds are bytes per second of the same file, so that slow readers can get a part of it.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import truediv
from typing import Any, TypeAlias

Records: TypeAlias = Mapping[str, Any]
"""By name: peers, peers-large, whole, whole-large, instructions, layers, compressed; those that there are."""

NEWEST_SIMDJSON = {"openai": 3.5, "vllm": 3.0, "text": 4.5, "minimal": 4.0, "dialects": 2.0}
OLD_SIMDJSON = {"openai": 4.5, "vllm": 3.5, "text": 8.0, "minimal": 7.0, "dialects": 3.0}
"""Against 3.0 and 3.1, which distributions carry, and which are slower."""

WALKS = {"orjson walk": 30.0, "msgspec typed walk": 20.0}
STYLES_OF_WALKS = ("openai", "vllm", "text", "minimal", "dialects")


@dataclass(frozen=True)
class Goal:
    """A figure, what it should be, and how it is found; None where it was not measured."""

    what: str
    wanted: float
    unit: str
    find: Callable[[Records], float | None]
    at_least: bool = True

    def met(self, value: float) -> bool:
        return value >= self.wanted if self.at_least else value <= self.wanted


# ------------------------------------------------------------------------------------------- figures of the records


def reader(records: Records, style: str, peer: str, name: str = "peers") -> dict[str, Any] | None:
    """What was measured of the reader whose name is or begins so."""
    results = records.get(name, {}).get("styles", {}).get(style, ())
    exact = [result for result in results if result["peer"] == peer]
    found = exact or [result for result in results if result["peer"].startswith(peer)]
    return found[0] if found else None


def by_round(above: Sequence[float], below: Sequence[float]) -> float | None:
    """The median of the quotients of each round: neighbours in time share what else a machine does meanwhile."""
    return statistics.median(map(truediv, above, below)) if above and below else None


def lead(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> float | None:
    """How many times as fast as the ``other`` reader the one is, per byte."""
    if not one or not other:
        return None
    quotient = by_round(other["seconds"], one["seconds"])
    return quotient and quotient * one["bytes"] / other["bytes"]


def over(style: str, peer: str, own: str = "ssift") -> Callable[[Records], float | None]:
    """How many times as fast as a reader ssift is."""
    return lambda records: lead(reader(records, style, own), reader(records, style, peer))


def simdjson_version(records: Records) -> str | None:
    """Of the C++ program."""
    for results in records.get("peers", {}).get("styles", {}).values():
        for result in results:
            match = re.match(r"simdjson ([\d.]+)", result["peer"])
            if match:
                return match[1]
    return None


def tokens_alone(records: Records) -> float | None:
    """The least lead that reading tokens alone has over any other reader, over all styles."""
    leads: list[float | None] = []
    for results in records.get("peers", {}).get("styles", {}).values():
        own = next((one for one in results if one["peer"] == "ssift, tokens alone"), None)
        leads += [lead(own, other) for other in results if not other["peer"].startswith("ssift")]
    return min((one for one in leads if one), default=None)


def python_engine(records: Records) -> float | None:
    """The Python engine's speed by that of a plain json walk; the least over all styles."""
    found = [
        over(style, "json walk", own="ssift, Python engine")(records)
        for style in records.get("peers", {}).get("styles", {})
    ]
    return min((one for one in found if one), default=None)


def part(records: Records, name: str) -> dict[str, Any]:
    """A part of whole.py's record, of the large file where there is one."""
    for record in ("whole-large", "whole"):
        found = records.get(record, {}).get("parts", {}).get(name)
        if found:
            return dict(found)
    return {}


def seconds(records: Records, name: str, way: str) -> float | None:
    """Median wall time of one way of a part."""
    found = rounds(records, name, way)
    return statistics.median(found) if found else None


def rounds(records: Records, name: str, way: str) -> list[float]:
    """Wall times of one way of a part, round after round."""
    timing = part(records, name).get("timings", {}).get(way)
    return list(timing["wall"]) if timing else []


def stats_over_cat(records: Records) -> float | None:
    return by_round(rounds(records, "stats", "ssift stats"), rounds(records, "stats", "cat"))


def stats_peak(records: Records) -> float | None:
    timing = part(records, "stats").get("timings", {}).get("ssift stats")
    return max(timing["peak"]) / 1e6 if timing else None


def two_threads(records: Records) -> float | None:
    return by_round(rounds(records, "threads", "one thread"), rounds(records, "threads", "two threads"))


def event_growth(records: Records) -> float | None:
    """The worst of the native engine's cases."""
    found = [
        by_round(one["timings"]["double"]["wall"], one["timings"]["single"]["wall"])
        for name, one in part(records, "event").items()
        if name.startswith("native")
    ]
    return max((one for one in found if one), default=None)


def milliseconds(way: str) -> Callable[[Records], float | None]:
    def find(records: Records) -> float | None:
        found = seconds(records, "start", way)
        return None if found is None else 1000 * found

    return find


# -------------------------------------------------------------------------------------------------------- the table


def goals(records: Records) -> Iterator[Goal]:
    """All goals; those against simdjson depend on its version."""
    version = simdjson_version(records)
    old = version is not None and re.match(r"3\.[01]\.", version) is not None
    for style, wanted in (OLD_SIMDJSON if old else NEWEST_SIMDJSON).items():
        yield Goal(f"against simdjson On-Demand in C++, {style}", wanted, "times", over(style, "simdjson"))
    for peer, wanted in WALKS.items():
        for style in STYLES_OF_WALKS:
            yield Goal(f"against the {peer}, {style}", wanted, "times", over(style, peer))
    yield Goal("tokens alone against any other reader, least of all styles", 1.0, "times", tokens_alone)
    yield Goal("two threads against one, from a file", 1.8, "times", two_threads)
    yield Goal("`ssift stats` by the time of `cat`", 2.5, "times", stats_over_cat, at_least=False)
    yield Goal("peak memory of `ssift stats`", 250.0, "MB", stats_peak, at_least=False)
    yield Goal("an event of twice the size in pieces of 1 KiB", 2.2, "times", event_growth, at_least=False)
    yield Goal("the Python engine against a plain json walk, least of all styles", 0.7, "times", python_engine)
    yield Goal("`import ssift`", 100.0, "ms", milliseconds("import ssift"), at_least=False)
    yield Goal("`ssift --help`", 250.0, "ms", milliseconds("ssift --help"), at_least=False)


def verdict(goal: Goal, value: float | None) -> str:
    """``yes``, ``no``, or a dash where it was not measured."""
    if value is None or math.isnan(value):
        return "-"
    return "yes" if goal.met(value) else "**no**"

"""The page and the chart of the benchmarks, from small records made here."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import goals
import pytest
import results

MACHINE = {"processor": "A Processor", "cores": 4, "memory": 8 << 30, "system": "A System", "compiler": "cc 1"}
HEAD = {
    "date": "2026-01-02", "machine": MACHINE, "versions": {"python": "3.12.1"}, "engine": "native", "others": 0.01,
    "missing": {},
}  # fmt: skip


def result(peer: str, gb_per_s: float | None, note: str = "") -> dict[str, Any]:
    seconds = [10 / gb_per_s / 1e9] if gb_per_s else []
    return {"peer": peer, "does": "walk", "bytes": 10, "seconds": seconds, "note": note, "gb_per_s": gb_per_s}


def timing(seconds: float, peak: int | None = None) -> dict[str, Any]:
    return {"wall": [seconds], "processor": [seconds], "peak": [peak] if peak else [], "seconds": seconds}


@pytest.fixture
def records() -> dict[str, Any]:
    peers = [
        result("ssift", 4.0), result("ssift, tokens alone", 6.0), result("ssift, Python engine", 0.03),
        result("simdjson 5.0.2 On-Demand (C++, haswell)", 1.0), result("json walk", 0.04),
        result("odd <reader>", None, "OSError: no /home/somebody/file.json"),
    ]  # fmt: skip
    stats = {
        "bytes": 4_000_000_000,
        "timings": {
            "cat": timing(1.0, 1 << 20),
            "ssift stats": timing(3.0, 200_000_000),
            "ssift stats --threads 1": timing(4.0, 100_000_000),
        },
        "layers": {"engine and columns": 3.0},
    }
    return {
        "peers": {**HEAD, "rounds": 5, "size": 200_000_000, "styles": {"openai": peers}},
        "whole": {**HEAD, "style": "openai", "size": 1_000_000_000, "parts": {"stats": stats}},
        "instructions": {**HEAD, "styles": {"openai": {"instructions": 300, "bytes": 100, "chunks": 2}}},
        "layers": {
            "benchmarks": [
                {
                    "name": "test_framing[native-crlf]",
                    "group": "framing",
                    "params": {"engine": "native", "way": "crlf"},
                    "extra_info": {"bytes": 1_000_000},
                    "stats": {"median": 0.001},
                }
            ]
        },
    }


def met(records: dict[str, Any]) -> dict[str, str]:
    return {goal.what: goals.verdict(goal, goal.find(records)) for goal in goals.goals(records)}


def test_goals_are_met_missed_or_not_measured(records: dict[str, Any]) -> None:
    verdicts = met(records)
    assert verdicts["against simdjson On-Demand in C++, openai"] == "yes"
    assert verdicts["`ssift stats` by the time of `cat`"] == "**no**"
    assert verdicts["peak memory of `ssift stats`"] == "yes"
    assert verdicts["the Python engine against a plain json walk, least of all styles"] == "yes"
    assert verdicts["two threads against one, from a file"] == "-"


def test_what_slows_a_round_counts_for_none_of_its_readers() -> None:
    one = {"seconds": [1.0, 10.0, 2.0], "bytes": 4}
    other = {"seconds": [2.0, 20.0, 4.0, 90.0], "bytes": 1}
    assert goals.lead(one, other) == 8.0
    assert goals.lead(one, {"seconds": [], "bytes": 1}) is None


def test_an_old_simdjson_is_a_lower_hurdle_with_a_higher_goal(records: dict[str, Any]) -> None:
    records["peers"]["styles"]["openai"][3]["peer"] = "simdjson 3.0.1 On-Demand (C++, haswell)"
    assert met(records)["against simdjson On-Demand in C++, openai"] == "**no**"


def test_the_large_file_counts_where_there_is_one(records: dict[str, Any]) -> None:
    large = {**records["whole"]["parts"]["stats"], "timings": {"cat": timing(2.0, 1), "ssift stats": timing(4.0, 1)}}
    records["whole-large"] = {**records["whole"], "parts": {"stats": large}}
    assert goals.stats_over_cat(records) == 2.0


def test_page_shows_what_was_measured_and_says_what_was_not(records: dict[str, Any]) -> None:
    page = "\n".join(results.page(records))
    assert "| simdjson 5.0.2 On-Demand (C++, haswell) | walk | 1.000 (4.00x) |" in page
    assert "| openai | 3.000 | 150 |" in page
    assert "| framing | crlf | 1,000 | 1.00 | - | - |" in page
    assert "| `ssift stats` | 3.000 | 3.00 | 3.000 | 200 |" in page
    assert "Not measured in this run: `make bench-large`." in page
    assert "Others used this machine" not in page


def test_page_shows_compressed_logs(records: dict[str, Any]) -> None:
    seconds = {"zstd": {"library alone": timing(0.5), "summarize plain": timing(0.75), "zstd -dc": timing(0.25)}}
    records["compressed"] = {**HEAD, "rounds": 1, "style": "openai", "bytes": 200_000_000, "seconds": seconds}
    page = "\n".join(results.page(records))
    assert "Seconds of 200 MB of openai style once packed, medians:" in page
    assert "| zstd | summarize plain | 0.750 |" in page
    assert "| zstd | `zstd -dc` | 0.250 |" in page


def test_page_names_no_folder_of_the_machine(records: dict[str, Any]) -> None:
    page = "\n".join(results.page(records))
    assert "OSError: no …/file.json" in page
    assert "/home" not in page


def test_page_says_when_the_machine_was_busy(records: dict[str, Any]) -> None:
    records["whole"]["others"] = 1.5
    assert "Others used this machine" in "\n".join(results.page(records))


def test_chart_is_well_formed_and_has_the_fastest_bar_longest(records: dict[str, Any]) -> None:
    records["peers"]["styles"]["openai"][4]["peer"] = "a <json> walk & more"
    svg = ElementTree.fromstring(results.picture(records))
    space = "{http://www.w3.org/2000/svg}"
    bars = {
        group.findtext(f"{space}text"): float(group.find(f"{space}rect").attrib["width"])  # type: ignore[union-attr]
        for group in svg.iter(f"{space}g")
    }
    assert list(bars) == ["ssift", "simdjson 5.0.2 (C++)", "a <json> walk & more"]
    assert bars["ssift"] == 4 * bars["simdjson 5.0.2 (C++)"]

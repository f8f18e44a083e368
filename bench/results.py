"""Gathers what a run of the benchmarks wrote into bench/RESULTS.md, with the chart bench/results.svg.

    python bench/results.py build/bench

The folder holds JSON files named after what wrote them: peers, whole, instructions, layers, compressed; peers-large and
whole-large are of ``make bench-large``. Whatever is missing is left out, with a word on how to get it.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import chart
import setting
from goals import Records, by_round, goals, lead, part, reader, verdict

NAMES = ("peers", "peers-large", "whole", "whole-large", "instructions", "layers", "compressed")
HOW = {
    "peers": "make bench",
    "peers-large": "make bench-large",
    "whole": "make bench",
    "whole-large": "make bench-large",
    "instructions": "make bench",
    "layers": "make bench-layers",
    "compressed": "make bench",
}
TRIAL = 100_000_000
"""Bytes below which a file says little."""

_PATH = re.compile(r"(?<![\w.])/[\w.+@-]+(?:/[\w.+@-]+)+")
_SHORT = re.compile(r" On-Demand \(C\+\+, \w+\)")


def load(folder: Path) -> dict[str, Any]:
    """The records that are there."""
    files = {name: folder / f"{name}.json" for name in NAMES}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def without_paths(text: str) -> str:
    """An error message for everybody: no folder of this machine in it."""
    return _PATH.sub(lambda match: "…/" + match[0].rsplit("/", 1)[1], text).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Markdown; the first column to the left, the others to the right."""
    yield f"| {' | '.join(head)} |"
    yield "|---" + "|---:" * (len(head) - 1) + "|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def number(value: float | None, digits: int = 2) -> str:
    """A dash for what was not measured."""
    return "-" if value is None else f"{value:,.{digits}f}"


def mb(size: float) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"


# --------------------------------------------------------------------------------------------------------- sections


def of_setting(records: Records) -> Iterator[str]:
    """Machine, versions, dates, load."""
    first = next(one for one in records.values() if "machine" in one)
    machine, versions = first["machine"], dict(first["versions"])
    simdjson = {
        match[1]
        for results in records.get("peers", {}).get("styles", {}).values()
        for result in results
        if (match := re.match(r"simdjson ([\d.]+)", result["peer"]))
    }
    if simdjson:
        versions["simdjson (C++)"] = ", ".join(simdjson)
    yield from table(
        ("", ""),
        [
            ("processor", f"{machine['processor']}, {machine['cores']} cores"),
            ("memory", f"{machine['memory'] / (1 << 30):.0f} GiB"),
            ("system", machine["system"]),
            ("compiler", machine["compiler"]),
            ("engine", first["engine"]),
            ("versions", ", ".join(f"{name} {value}" for name, value in versions.items())),
        ],
    )
    yield ""
    yield from table(
        ("run", "date", "processors that others used meanwhile", "clock"),
        [
            (name, one["date"], number(one["others"]), one.get("clock", "wall"))
            for name, one in records.items()
            if "machine" in one
        ],
    )
    if any("machine" in one and setting.busy(one) for one in records.values()):
        yield ""
        yield "**Others used this machine during the run.** Instruction counts hold; times and their ratios are rough."
    if any(one.get("size", TRIAL) < TRIAL for name, one in records.items() if name in ("peers", "whole")):
        yield ""
        yield "**A trial on small files.** The goals are meant for those of `make bench` and `make bench-large`."


def of_goals(records: Records) -> Iterator[str]:
    def row(goal: Any) -> tuple[str, ...]:
        value = goal.find(records)
        bound = "at least" if goal.at_least else "at most"
        return goal.what, f"{bound} {goal.wanted:g} {goal.unit}", number(value), verdict(goal, value)

    yield from table(("figure", "goal", "measured", "met"), map(row, goals(records)))
    stats = part(records, "stats")
    if stats:
        yield ""
        yield f"`ssift stats` read {mb(stats['bytes'])}; its goals are meant for 4 GB, where the start weighs less."


def of_peers(records: Records, name: str) -> Iterator[str]:
    """Speeds, and how many times as fast ssift is."""
    one = records[name]
    styles = list(one["styles"])
    peers: dict[str, dict[str, Any]] = {}
    for style, results in one["styles"].items():
        for result in results:
            peers.setdefault(result["peer"], {"does": result["does"], "notes": []})[style] = result
            if result["note"]:
                peers[result["peer"]]["notes"].append(f"{style}: {result['note']}")

    def cell(peer: str, style: str) -> str:
        found = peers[peer].get(style)
        if not found or found["gb_per_s"] is None:
            return "-"
        times = lead(reader(records, style, "ssift", name), found)
        value = number(found["gb_per_s"], 3)
        return value if peer == "ssift" or times is None else f"{value} ({times:,.2f}x)"

    rows = [(peer, found["does"], *(cell(peer, style) for style in styles)) for peer, found in peers.items()]
    yield f"GB/s, and in brackets how many times as fast `ssift` is; files of {mb(one['size'])}, of which slow readers"
    yield f"get a part, medians of up to {one['rounds']} rounds, in which all take their turn. A *walk* fills columns,"
    yield "a *parse* only decodes JSON."
    yield ""
    yield from table(("reader", "does", *styles), rows)
    notes = [f"{peer} on {note}" for peer, found in peers.items() for note in found["notes"]]
    notes += [f"{peer} is missing: {reason}" for peer, reason in one.get("missing", {}).items()]
    if notes:
        yield ""
        yield from (f"- {without_paths(note)}" for note in notes)


def of_whole(records: Records, name: str) -> Iterator[str]:
    """The command, threads, the large event, the start."""
    parts = records[name]["parts"]
    if "stats" in parts:
        stats = parts["stats"]
        cat = stats["timings"]["cat"]["seconds"]
        yield f"The command on {mb(stats['bytes'])} of {records[name]['style']} style, page cache warm:"
        yield ""
        yield from table(
            ("", "wall s", "by cat", "processor s", "peak MB"),
            [
                (
                    f"`{way}`",
                    number(timing["seconds"], 3),
                    number(timing["seconds"] / cat),
                    number(statistics.median(timing["processor"]), 3),
                    number(max(timing["peak"]) / 1e6, 0),
                )
                for way, timing in stats["timings"].items()
                if timing["peak"]
            ],
        )
        yield ""
        yield "Where the time of `ssift stats --threads 1` goes, found by leaving out one layer after the other:"
        yield ""
        whole = stats["timings"]["ssift stats --threads 1"]["seconds"]
        rows = [(layer, number(spent, 3), f"{spent / whole:.0%}") for layer, spent in stats["layers"].items()]
        yield from table(("layer", "s", "share"), rows)
        yield ""
    if "timings" in parts.get("threads", {}):
        timings, size = parts["threads"]["timings"], parts["threads"]["bytes"]
        one = timings["one thread"]
        yield "`ssift.scan` of all tables from the file; values and order are equal. Two processes have nothing in"
        yield "common: they are what two cores of this machine give at the most."
        yield ""
        rows = [
            (way, number(size / timing["seconds"] / 1e9), number(by_round(one["wall"], timing["wall"])))
            for way, timing in timings.items()
        ]
        yield from table(("way", "GB/s", "times as fast"), rows)
        yield ""
    if "event" in parts:
        yield "One event in pieces of 1 KiB, and one of twice the size:"
        yield ""
        rows = [
            (
                case,
                f"{one['bytes'] / (1 << 20):.0f} MiB",
                *(number(one["timings"][way]["seconds"], 3) for way in ("single", "double")),
                number(by_round(one["timings"]["double"]["wall"], one["timings"]["single"]["wall"])),
            )
            for case, one in parts["event"].items()
        ]
        yield from table(("event", "size", "s", "s of twice that", "ratio"), rows)
        yield ""
    if "start" in parts:
        timings = parts["start"]["timings"].items()
        yield "Start: " + ", ".join(f"`{way}` {1000 * timing['seconds']:.0f} ms" for way, timing in timings) + "."
    for what, reason in records[name]["missing"].items():
        yield f"\n- {what} is missing: {without_paths(reason)}"


def of_instructions(records: Records, name: str) -> Iterator[str]:
    one = records[name]
    yield "Of `NativeEngine.feed` on a log that it has read before, counted by callgrind; no load changes them."
    yield ""
    rows = [
        (style, number(found["instructions"] / found["bytes"], 3), number(found["instructions"] / found["chunks"], 0))
        for style, found in one["styles"].items()
    ]
    yield from table(("style", "per byte", "per chunk"), rows)
    for what, reason in one["missing"].items():
        yield f"\n- {what} is missing: {without_paths(reason)}"


def of_layers(records: Records, name: str) -> Iterator[str]:
    """Speeds and times of pytest-benchmark's cases, both engines side by side."""
    cells: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for case in records[name]["benchmarks"]:
        params = dict(case["params"] or {})
        engine = str(params.pop("engine", "native"))
        test = case["name"].split("[")[0].removeprefix("test_").removeprefix(case["group"])
        what = " ".join([test, *map(str, params.values())]).replace("_", " ").strip()
        time = case["stats"]["median"]
        speed_and_time = number(case["extra_info"]["bytes"] / time / 1e6, 0), number(1000 * time)
        cells.setdefault((case["group"], what), {})[engine] = speed_and_time
    yield "Small logs that are in a cache and have been read before. Cases of columns work on rows that are there, and"
    yield "their MB are those of the log that the rows came from."
    yield ""
    nothing = ("-", "-")
    rows = [
        (layer, what, *found.get("native", nothing), *found.get("python", nothing))
        for (layer, what), found in sorted(cells.items())
    ]
    yield from table(("layer", "case", "native MB/s", "ms", "Python MB/s", "ms"), rows)


def of_compressed(records: Records, name: str) -> Iterator[str]:
    one = records[name]
    yield f"Seconds of {mb(one['bytes'])} of {one['style']} style once packed, medians:"
    yield ""
    rows = [
        (
            kind,
            f"`{way}`" if " " in way and way not in ("library alone", "summarize plain") else way,
            number(statistics.median(found["wall"]), 3),
        )
        for kind, ways in one["seconds"].items()
        for way, found in ways.items()
    ]
    yield from table(("packed by", "way", "s"), rows)


REPEAT = """\
```
make bench             # peers, layers, instructions, the command on 1 GB, compressed logs; writes this page
make bench-large       # the fastest readers and the command on 4 GB; this page again, with them in it
make bench-compressed  # compressed logs alone; this page again, if make bench has been here
```

Files are made from a seed, so they are the same everywhere. No reader is timed before its results equal the known
answers. `docs/performance.md` says how to read the figures."""

Section = Callable[[Records, str], Iterator[str]]
SECTIONS: dict[str, tuple[str, Section]] = {
    "peers": ("Other readers", of_peers),
    "peers-large": ("Other readers, large files", of_peers),
    "whole": ("The command", of_whole),
    "whole-large": ("The command, large file", of_whole),
    "instructions": ("Instructions", of_instructions),
    "layers": ("Layers", of_layers),
    "compressed": ("Compressed logs", of_compressed),
}


def page(records: Records) -> Iterator[str]:
    """The whole of RESULTS.md."""
    yield "# Results\n"
    yield "Written by `python bench/results.py`; not by hand.\n"
    yield "![GB/s of ssift and other readers](results.svg)\n"
    yield from of_setting(records)
    yield "\n## Goals\n"
    yield from of_goals(records)
    for name, (heading, section) in SECTIONS.items():
        yield f"\n## {heading}\n"
        if name in records:
            yield from section(records, name)
        else:
            yield f"Not measured in this run: `{HOW[name]}`."
    yield "\n## How to repeat\n"
    yield REPEAT


def picture(records: Records) -> str:
    """The chart of the peers' speeds."""
    one = records["peers"]
    speeds: dict[str, dict[str, float]] = {}
    for style, results in one["styles"].items():
        for result in results:
            left_out = result["peer"] in ("ssift, all tables", "ssift, tokens alone", "ssift, Python engine")
            if result["gb_per_s"] and not left_out:
                speeds.setdefault(_SHORT.sub(" (C++)", result["peer"]), {})[style] = result["gb_per_s"]

    def place(reader: str) -> tuple[bool, float]:
        return not reader.startswith("ssift"), -statistics.mean(speeds[reader].values())

    note = f"{one['machine']['processor']}, {one['date']}" + (", machine in use by others" if setting.busy(one) else "")
    ordered = {reader: speeds[reader] for reader in sorted(speeds, key=place)}
    return chart.bars("GB/s by style of log, one core unless said", note, list(one["styles"]), ordered)


def main() -> int:
    """Write both files; whole or not at all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=setting.ROOT / "build" / "bench")
    parser.add_argument(
        "--out", type=Path, default=setting.ROOT / "bench", help="folder for RESULTS.md and results.svg"
    )
    options = parser.parse_args()
    records = load(options.folder)
    if not any("machine" in one for one in records.values()):
        print("no records of a benchmark there; make bench writes them", file=sys.stderr)
        return 1
    texts = {"RESULTS.md": "\n".join(page(records)) + "\n"}
    if "peers" in records:
        texts["results.svg"] = picture(records)
    for name, text in texts.items():
        new = options.out / f"{name}.new"
        new.write_text(text)
        new.replace(options.out / name)
    missed = [goal.what for goal in goals(records) if verdict(goal, goal.find(records)) == "**no**"]
    print(f"bench/{', bench/'.join(texts)}: {len(missed)} goals missed", *missed, sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main())

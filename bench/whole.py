"""What a user waits for: the command on a large file, threads, a very large event, the start.

    python bench/whole.py --size 1GB --json build/bench/whole.json

* ``stats``: ``ssift stats`` against ``cat FILE`` into nothing, the file in the page cache; wall and processor time,
  peak memory, and where the time goes, by leaving out one layer after the other.
* ``threads``: ``ssift.scan`` of the file with one thread and with two, which must find the same values in one order,
  and in two processes, a half each.
* ``event``: one event in pieces of 1 KiB, and another of twice the size.
* ``start``: ``import ssift`` inside a new Python, and ``ssift --help`` from outside.

The ways of a part run in turn, round after round, and medians count. Results are compared before anything is timed;
those of an event with each reading.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import replay
import setting
from apart import Wrong
from peers import compare
from setting import say
from shapes import STYLES

import ssift
from ssift.contract import Limits
from ssift.engine import choose
from ssift.sources.source import WINDOW, FileSource
from ssift.statistics import summarize
from ssift.statistics.summary import BATCH, TABLES

LAUNCH = [sys.executable, "-I", "-S", str(Path(__file__).with_name("launch.py"))]
SSIFT = [sys.executable, "-m", "ssift"]
PIECE = 1 << 10


@dataclass
class Timing:
    """One way: seconds of each round; of commands also processor seconds and bytes of memory at the peak."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    peak: list[int] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return statistics.median(self.wall)


Timings = dict[str, Timing]
Way = Callable[[Timing], object]


def in_turn(ways: Mapping[str, Way], rounds: int, what: str) -> Timings:
    """Run all ways, round after round."""
    timings = {name: Timing() for name in ways}
    for number in range(rounds):
        for name, way in ways.items():
            say(f"{what}: round {number + 1} of {rounds}, {name}")
            way(timings[name])
    say("")
    return timings


def command(words: list[str]) -> Way:
    """A command, its output thrown away."""

    def run(timing: Timing) -> None:
        done = subprocess.run([*LAUNCH, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = json.loads(done.stderr.strip().splitlines()[-1])
        if found["status"]:
            raise Wrong(f"{words[0]} ended with status {found['status']}")
        timing.wall.append(found["wall"])
        timing.processor.append(found["processor"])
        timing.peak.append(found["peak"])

    return run


def here(work: Callable[[], object]) -> Way:
    """A function of this process."""

    def run(timing: Timing) -> None:
        gc.collect()
        wall, processor = time.perf_counter(), time.process_time()
        work()
        timing.wall.append(time.perf_counter() - wall)
        timing.processor.append(time.process_time() - processor)

    return run


# ------------------------------------------------------------------------------------------------------------ stats


def stats(file: Path, known: Mapping[str, float], rounds: int) -> dict[str, Any]:
    """The command against cat, and its layers one by one (with one thread, so that their times add up)."""
    answer = [*SSIFT, "stats", "--json", "--sentinels", "include", str(file)]  # known sums include sentinels
    found = json.loads(subprocess.run(answer, capture_output=True, check=True).stdout)
    compare({**found, "logprob_sum": found["logprob"]["sum"]}, known)
    buffer = bytearray(WINDOW)

    def windows() -> None:
        for _ in FileSource(str(file)).windows(buffer):
            pass

    def columns() -> None:
        for _ in ssift.scan(file, tables=TABLES, batch_size=BATCH, threads=1):
            pass

    with tempfile.NamedTemporaryFile(suffix=".sse") as empty:
        ways: dict[str, Way] = {
            "cat": command(["cat", str(file)]),
            "ssift stats": command([*SSIFT, "stats", str(file)]),
            "ssift stats --threads 1": command([*SSIFT, "stats", "--threads", "1", str(file)]),
            "ssift stats, empty file": command([*SSIFT, "stats", empty.name]),
            "windows": here(windows),
            "scan": here(columns),
            "summarize": here(lambda: summarize(file, threads=1)),
        }
        timings = in_turn(ways, rounds, "stats")
    layers = {
        "start, and an empty file's figures": timings["ssift stats, empty file"].seconds,
        "bytes from the page cache": timings["windows"].seconds,
        "engine and columns": timings["scan"].seconds - timings["windows"].seconds,
        "statistics": timings["summarize"].seconds - timings["scan"].seconds,
    }
    layers["the rest"] = timings["ssift stats --threads 1"].seconds - sum(layers.values())
    return {"bytes": file.stat().st_size, "timings": plain(timings), "layers": layers}


# ---------------------------------------------------------------------------------------------------------- threads


def threads(file: Path, known: Mapping[str, float], rounds: int) -> dict[str, Any]:
    """One thread against two, and against two processes, from the file."""
    if ssift.engine() != "native":
        return {"note": "the Python engine reads with one thread"}

    def digest(count: int) -> tuple[dict[str, int], str]:
        """Numbers of rows, and all values of some columns in order."""
        rows = {"chunks": 0, "tokens": 0, "top_logprobs": 0}
        hashed = {name: hashlib.sha256() for name in ("tokens", "top_logprobs", "chunks")}
        for log in ssift.scan(file, threads=count):
            for name in rows:
                rows[name] += len(log[name])
            hashed["tokens"].update(log.tokens["logprob"].tobytes())
            hashed["top_logprobs"].update(log.top_logprobs["logprob"].tobytes())
            hashed["chunks"].update(log.chunks["offset"].tobytes())
        return rows, "".join(one.hexdigest() for one in hashed.values())

    one, two = digest(1), digest(2)
    compare(one[0], known)
    if one != two:
        raise Wrong("two threads find something else than one")

    def scan(count: int) -> Callable[[], None]:
        def run() -> None:
            for _ in ssift.scan(file, threads=count):
                pass

        return run

    halves = ssift.partitions(file, file.stat().st_size // 2 + 1)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:

        def apart() -> None:
            """Without anything in common: what this machine's cores give at the most."""
            list(processes.map(_read, halves))

        apart()
        ways = {"one thread": here(scan(1)), "two threads": here(scan(2)), "two processes, a half each": here(apart)}
        timings = in_turn(ways, rounds, "threads")
    return {"bytes": file.stat().st_size, "timings": plain(timings)}


def _read(part: ssift.Partition) -> None:
    for _ in ssift.scan_partition(part, batch_size=BATCH):
        pass


# ------------------------------------------------------------------------------------------------------------ event

_TEXT = b'data: {"id":"e","choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
_ENTRIES = b'data: {"id":"e","choices":[{"index":0,"delta":{},"logprobs":{"content":[%s]}}]}\n\n'
_ENTRY = b'{"token":"ab\\n","logprob":-0.123456789,"bytes":null,"top_logprobs":[]}'
EVENTS: dict[str, Callable[[int], bytes]] = {
    "one long string": lambda size: _TEXT % (b"text \\n " * (size // 8)),
    "many entries": lambda size: _ENTRIES % b",".join([_ENTRY] * (size // (len(_ENTRY) + 1))),
}


def event(size: int, rounds: int) -> dict[str, Any]:
    """One event, and one of twice the size, each in small pieces; of the Python engine smaller ones."""
    measured: dict[str, Any] = {}
    for engine, most in (("native", size), ("python", size >> 4)):
        if engine == "native" != ssift.engine():
            continue
        for name, make in EVENTS.items():
            single, double = make(most), make(2 * most)
            ways = {
                "single": here(lambda data=single, engine=engine: feed(data, engine)),  # type: ignore[misc]
                "double": here(lambda data=double, engine=engine: feed(data, engine)),  # type: ignore[misc]
            }
            timings = in_turn(ways, rounds, f"event, {engine} engine, {name}")
            measured[f"{engine} engine, {name}"] = {"bytes": len(single), "timings": plain(timings)}
    return measured


def feed(data: bytes, engine: str) -> None:
    """Read one event in pieces; it must come out whole."""
    limits = Limits(event_bytes=2 * len(data))
    reader = choose(engine)[1](frozenset(("tokens",)), "auto", limits.event_bytes, limits.depth, limits.open_responses)
    reader.begin(0, "sse")
    whole = memoryview(data)
    for start in range(0, len(whole), PIECE):
        reader.feed(whole[start : start + PIECE])
    counts = reader.end()
    if (counts.chunks, counts.problems, counts.size) != (1, 0, len(data)):
        raise Wrong(f"an event of {len(data):,} bytes was read as {counts}")
    rows, wanted = reader.take().totals["tokens"], data.count(b'"token"')
    if rows != wanted:
        raise Wrong(f"an event with {wanted:,} entries has {rows:,} tokens")


# ------------------------------------------------------------------------------------------------------------ start

_IMPORT = "import time; t = time.perf_counter(); import ssift; print(time.perf_counter() - t)"


def start(rounds: int) -> dict[str, Any]:
    """From nothing to the first line."""

    def imported(timing: Timing) -> None:
        done = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True)
        timing.wall.append(float(done.stdout))

    ways: dict[str, Way] = {
        "python -c pass": command([sys.executable, "-c", "pass"]),
        "import ssift": imported,
        "ssift --help": command([*SSIFT, "--help"]),
    }
    in_turn(ways, 1, "start")  # files into the page cache
    return {"timings": plain(in_turn(ways, rounds, "start"))}


# ---------------------------------------------------------------------------------------------------------- running


def plain(timings: Timings) -> dict[str, Any]:
    """For JSON."""
    return {name: {**asdict(timing), "seconds": timing.seconds} for name, timing in timings.items()}


def lines(part: str, found: dict[str, Any]) -> Iterator[str]:
    """A part for people."""
    yield part if "bytes" not in found else f"{part}, {found['bytes'] / 1e6:,.0f} MB"
    if "note" in found:
        yield f"  {found['note']}"
    for name, timing in found.get("timings", {}).items():
        peak = f", {max(timing['peak']) / 1e6:,.0f} MB at the peak" if timing["peak"] else ""
        used = f", {statistics.median(timing['processor']):.3f} s of the processor" if timing["processor"] else ""
        yield f"  {name:<36} {timing['seconds']:8.3f} s{used}{peak}"
    for name, seconds in found.get("layers", {}).items():
        yield f"    {name:<34} {seconds:8.3f} s"
    for name, one in found.items():
        if isinstance(one, dict) and "timings" in one:
            single, double = (one["timings"][size]["seconds"] for size in ("single", "double"))
            yield f"  {name:<36} {one['bytes'] / (1 << 20):5.1f} MiB {single:.3f} s, twice that {double / single:.2f} x"


def main() -> int:
    """Measure each part; one that fails is reported, and the others go on."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=replay.size_of, default=1_000_000_000, help="of the file; default: 1GB")
    parser.add_argument("--style", default="openai", choices=list(STYLES))
    parser.add_argument("--event", type=replay.size_of, default=64 << 20, help="bytes of the event; default: 64 MiB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--data", type=Path, default=setting.DATA, help="folder for the file")
    parser.add_argument("--json", type=Path, help="write everything measured here")
    options = parser.parse_args()
    found = setting.begin("whole", rounds=options.rounds, style=options.style, size=options.size, parts={}, missing={})
    print(f"{found['machine']['processor']}, engine {found['engine']}; medians of {options.rounds} rounds in turn")
    if setting.busy(found):
        print(f"NOTE: others use {found['others']} processors: no figure below is to be trusted")
    file, known = setting.replay_file(options.style, options.size, options.seed, options.data)
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "start": lambda: start(max(options.rounds, 5)),
        "stats": lambda: stats(file, known, options.rounds),
        "threads": lambda: threads(file, known, options.rounds),
        "event": lambda: event(options.event, min(options.rounds, 3)),
    }
    wrong = False
    for name, measure in parts.items():
        try:
            found["parts"][name] = measure()
        except Exception as error:
            wrong |= isinstance(error, Wrong)
            found["missing"][name] = f"{type(error).__name__}: {error}"
            say("")
            print(f"\n{name}: {found['missing'][name]}", flush=True)
        else:
            print("", *lines(name, found["parts"][name]), sep="\n", flush=True)
    setting.finish(found, options.json)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""Compares ssift with other readers of the same log: first the results, then the time.

    python bench/peers.py --size 200MB --styles openai vllm --json results.json

Every reader gets the same bytes in memory, a process of its own and one thread (save where its name says two). Its
counts, exact sums of logprobs and sizes of texts must equal the known answers of the replay file, else it is not timed.
Then all run in turn, round after round. Medians count: of speeds, and of the quotients of each round. Python's garbage
collector is off while a reader runs: it would double the time of those that make many objects. On a busy machine
``--cpu`` counts processor time instead.

The C++ peer needs simdjson: the environment variable SSIFT_SIMDJSON names a folder with simdjson.h and simdjson.cpp;
without it the distribution's headers and library are tried.
"""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import replay
import setting
from apart import Apart, Make, OnDemand, Wrong, build_ondemand
from goals import lead
from own import native_peers, python_peers
from readers import PYTHON_PEERS, Columns, orjson_walk
from setting import say
from shapes import STYLES

OURS = 2
"""Processes with readers of ours, which come first."""


@dataclass
class Result:
    """Figures of one reader on one file."""

    peer: str
    does: str
    bytes: int
    seconds: list[float] = field(default_factory=list)
    note: str = ""

    @property
    def speed(self) -> float:
        """Bytes per nanosecond, which is GB/s; by the median."""
        return self.bytes / statistics.median(self.seconds) / 1e9 if self.seconds else math.nan


# ------------------------------------------------------------------------------------------------------ running


def compare(found: Mapping[str, float], known: Mapping[str, float]) -> None:
    """Raise Wrong when a figure that both have is not equal. Sums of the C++ peer are plain, hence near."""
    if found.get("problems"):
        raise Wrong(f"{found['problems']:.0f} problems")
    for name, value in known.items():
        if (
            name in found
            and found[name] != value
            and not ("plain_sums" in found and math.isclose(found[name], value, rel_tol=1e-9))
        ):
            raise Wrong(f"{name} is {found[name]!r}, not {value!r}")


def reference(data: bytes) -> dict[str, float]:
    """Figures of a part of a file, by the plainest reader."""
    columns: Columns = orjson_walk().make(data)()
    return columns.figures()


def run_style(style: str, options: argparse.Namespace, missing: dict[str, str]) -> list[Result]:
    file, known = setting.replay_file(style, options.size, options.seed, options.data)
    answers: dict[int, dict[str, float]] = {file.stat().st_size: known}
    makers: list[tuple[Make, int]] = [(native_peers, 1 << 60), (python_peers, 1 << 60)]
    if not options.fast_only:
        makers += [(make, options.part) for make in PYTHON_PEERS]
    processes: list[Apart | OnDemand] = []
    results: list[Result] = []
    readers: list[tuple[Result, Callable[[], float]]] = []
    for number, (make, most) in enumerate(makers, start=1):
        try:
            apart = Apart(make, file, most, options.cpu)
        except Wrong as error:
            missing[make.__name__] = str(error)
            continue
        processes.append(apart)
        for place, offer in enumerate(apart.offers):
            result = Result(offer.name, offer.does, offer.bytes)
            results.append(result)
            say(f"{style}: checking {offer.name}")
            if style in offer.not_on:
                result.note = "cannot read this"
            elif _is_right(apart, place, result, answers, file):
                readers.append((result, partial(apart.seconds, place)))
        if number == OURS:
            processes += _add_ondemand(file, known, options, results, readers, missing)
    _rounds(style, readers, options)
    for process in processes:
        process.close()
    say("")
    return results


def _is_right(apart: Apart, place: int, result: Result, answers: dict[int, dict[str, float]], file: Path) -> bool:
    """Whether a reader finds what is in its part; else its result gets a note."""
    try:
        if result.bytes not in answers:
            with file.open("rb") as opened:
                answers[result.bytes] = reference(opened.read(result.bytes))
        compare(apart.figures(place), answers[result.bytes])
    except Wrong as error:
        result.note = str(error)
        return False
    return True


def _add_ondemand(
    file: Path,
    known: dict[str, float],
    options: argparse.Namespace,
    results: list[Result],
    readers: list[tuple[Result, Callable[[], float]]],
    missing: dict[str, str],
) -> list[OnDemand]:
    """The C++ peer among the readers, where it can be had."""
    result = Result("simdjson On-Demand (C++)", "walk", file.stat().st_size)
    results.append(result)
    try:
        ondemand = OnDemand(build_ondemand(), file)
        first = ondemand.pass_()
        result.peer = f"simdjson {first['version']} On-Demand (C++, {first['kernel']})"
        compare({**first, "plain_sums": True}, known)
    except (OSError, Wrong) as error:
        result.note = missing["simdjson On-Demand"] = str(error)
        return []
    readers.append((result, lambda: float(ondemand.pass_()["cpu" if options.cpu else "seconds"])))
    return [ondemand]


def _rounds(style: str, readers: list[tuple[Result, Callable[[], float]]], options: argparse.Namespace) -> None:
    """Each in its turn, round after round."""
    for number in range(options.rounds):
        for result, read_once in readers:
            if result.note or (number and sum(result.seconds) > options.patience):
                continue
            say(f"{style}: round {number + 1} of {options.rounds}, {result.peer}")
            try:
                result.seconds.append(read_once())
            except Wrong as error:
                result.seconds, result.note = [], str(error)


def table(style: str, results: list[Result]) -> Iterator[str]:
    own = asdict(next(result for result in results if result.peer == "ssift"))
    yield f"{style:<44} {'GB/s':>8} {'ssift is':>10}   {'MB':>6}  does"
    for result in results:
        if result.seconds:
            times = None if result.peer == "ssift" else lead(own, asdict(result))
            ratio = "" if times is None else f"{times:.2f} x"
            yield f"  {result.peer:<42} {result.speed:8.3f} {ratio:>10}   {result.bytes / 1e6:6.0f}  {result.does}"
        else:
            yield f"  {result.peer:<42} {'-':>8} {'':>10}   {result.bytes / 1e6:6.0f}  {result.note}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--styles", nargs="+", choices=STYLES, default=list(STYLES), metavar="STYLE")
    parser.add_argument("--size", type=replay.size_of, default=200_000_000, help="of each replay file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--patience", type=float, default=4.0, help="seconds a reader may take for all rounds")
    parser.add_argument("--part", type=replay.size_of, default=30_000_000, help="of the file that slow readers get")
    parser.add_argument("--cpu", action="store_true", help="processor time instead of the time that passes")
    parser.add_argument("--fast-only", action="store_true", help="ssift and the C++ peer alone")
    parser.add_argument("--data", type=Path, default=setting.DATA, help="folder for replay files")
    parser.add_argument("--json", type=Path, help="write everything measured here")
    options = parser.parse_args()
    missing: dict[str, str] = {}
    found = setting.begin(
        "peers", rounds=options.rounds, size=options.size, clock="processor" if options.cpu else "wall", styles={}
    )
    print(f"{found['machine']['processor']}, engine {found['engine']}; medians of {options.rounds} rounds in turn")
    print("seconds of the processor\n" if options.cpu else "")
    if setting.busy(found) and not options.cpu:
        print(f"NOTE: others use {found['others']} processors: no figure below is to be trusted\n")
    wrong = False
    for style in options.styles:
        results = run_style(style, options, missing)
        print("\n".join(table(style, results)), end="\n\n", flush=True)
        found["styles"][style] = [
            {**asdict(result), "gb_per_s": result.speed if result.seconds else None} for result in results
        ]
        wrong |= any(result.peer == "ssift" and not result.seconds for result in results)
    for name, reason in missing.items():
        print(f"missing: {name} ({reason})")
    found["missing"] = missing
    setting.finish(found, options.json)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

"""Compares ssift with other readers of the same log: first the results, then the time.

    python bench/peers.py --size 200MB --styles openai vllm --json results.json

Every reader gets the same bytes in memory and one thread (save where its name says two). Its counts, exact sums of
logprobs and sizes of texts must equal the known answers of the replay file, else it is not timed. Then all run in
turn, round after round, and the median counts. Python's garbage collector is off while a reader runs: it would double
the time of those that make many objects. On a busy machine ``--cpu`` counts processor time instead.

The C++ peer needs simdjson: the environment variable SSIFT_SIMDJSON names a folder with simdjson.h and simdjson.cpp;
without it the distribution's headers and library are tried.
"""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import argparse
import gc
import json
import math
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import replay
import setting
from readers import PYTHON_PEERS, TABLES, Columns, Peer
from setting import ROOT, say
from shapes import STYLES

import ssift


class Wrong(Exception):
    """A reader's result is not that of the file."""


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


# ------------------------------------------------------------------------------------------------------- ssift


def ssift_peer(name: str, tables: tuple[str, ...] | None, most: int = 1 << 60, **options: Any) -> Peer:
    """``ssift.scan`` over the bytes, every wanted column touched; figures are taken when asked."""

    def make(data: bytes) -> Callable[..., Any]:
        def read(figures: bool = False) -> dict[str, float] | None:
            total: dict[str, float] = {}
            values: dict[str, list[Any]] = {"tokens": [], "top_logprobs": []}
            for log in ssift.scan(data, tables=tables, **options):
                wanted = tables or TABLES
                columns = [log[table][name] for table in TABLES[:2] if table in wanted for name in ("token", "logprob")]
                if "choices" in wanted:
                    columns += [log.choices["content"], log.choices["reasoning"]]
                if figures:
                    _add(total, log, wanted, values)
                del columns
            for table, prefix in (("tokens", ""), ("top_logprobs", "top_")):
                if values[table]:
                    total[f"{prefix}logprob_sum"] = math.fsum(np.concatenate(values[table]))
            return total if figures else None

        return read

    return Peer(name, make, most)


def _add(total: dict[str, float], log: Any, wanted: tuple[str, ...], values: dict[str, list[Any]]) -> None:
    def add(key: str, value: float) -> None:
        total[key] = total.get(key, 0) + value

    for source in log.sources:
        add("chunks", source.counts.chunks)
        add("problems", source.counts.problems)
    for table, prefix in (("tokens", "token"), ("top_logprobs", "top")):
        if table in wanted:
            add(table, len(log[table]))
            add(f"{prefix}_text_bytes", int(log[table]["token"].lengths().sum()))
            values[table].append(log[table]["logprob"])
    if "choices" in wanted:
        add("responses", len(set(log.choices["response"].tolist())))
        add("content_bytes", int(log.choices["content"].lengths().sum()))
        add("reasoning_bytes", int(log.choices["reasoning"].lengths().sum()))


def ssift_peers() -> list[Peer]:
    peers = [
        ssift_peer("ssift", TABLES, threads=1),
        ssift_peer("ssift, all tables", None, threads=1),
        ssift_peer("ssift, tokens alone", ("tokens",), threads=1),
        ssift_peer("ssift, two threads", TABLES, threads=2),
    ]
    if ssift.engine() == "native":
        peers.append(ssift_peer("ssift, Python engine", TABLES, most=20_000_000, engine="python", threads=1))
    return peers


# ---------------------------------------------------------------------------------------------------- simdjson


def build_ondemand() -> Path:
    """The C++ peer, compiled for this machine. Raises OSError, with what is missing, where that cannot be done."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        raise OSError("no C++ compiler")
    source, target = ROOT / "bench" / "peers" / "ondemand.cpp", ROOT / "build" / "peers" / "ondemand"
    folder = os.environ.get("SSIFT_SIMDJSON")
    if folder:
        inputs = [f"-I{folder}", str(source), str(Path(folder) / "simdjson.cpp")]
    else:
        inputs = [str(source), "-lsimdjson"]
    target.parent.mkdir(parents=True, exist_ok=True)
    command = [compiler, "-O3", "-DNDEBUG", "-std=c++17", "-march=native", *inputs, "-o", str(target)]
    stamp = target.with_name("ondemand.command")
    wanted = f"{' '.join(command)}\n{source.read_text()}"
    if not (target.exists() and stamp.exists() and stamp.read_text() == wanted):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if "error" in line]
            raise OSError(lines[0] if lines else "it does not compile; is simdjson installed?")
        stamp.write_text(wanted)
    return target


class OnDemand:
    """The C++ program with a file in its memory; each call is one pass, timed by the program itself."""

    def __init__(self, program: Path, file: Path) -> None:
        self._process = subprocess.Popen([program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def pass_(self) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise Wrong(f"it stopped with status {self._process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


# ------------------------------------------------------------------------------------------------------ running


def compare(found: dict[str, float], known: dict[str, float]) -> None:
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


def part_of(data: bytes, most: int) -> bytes:
    """The first responses of a log, up to a size."""
    if len(data) <= most:
        return data
    end = data.rfind(b"data: [DONE]\n\n", 0, most)
    return data[: end + len(b"data: [DONE]\n\n")] if end >= 0 else data


def reference(data: bytes) -> dict[str, float]:
    """Figures of a part of a file, by the plainest reader."""
    columns: Columns = PYTHON_PEERS[0]().make(data)()
    return columns.figures()


def run_style(style: str, options: argparse.Namespace, missing: dict[str, str]) -> list[Result]:
    file, known = setting.replay_file(style, options.size, options.seed, options.data)
    data = file.read_bytes()
    peers, results = list(ssift_peers()), []
    if not options.fast_only:
        for make in PYTHON_PEERS:
            try:
                peer = make()
                peers.append(replace(peer, most=min(peer.most, options.part)))
            except Exception as error:
                missing[make.__name__] = _short(error)
    readers: list[tuple[Result, Callable[[], float]]] = []
    answers: dict[int, dict[str, float]] = {len(data): known}

    now = time.process_time if options.cpu else time.perf_counter

    def clock(read: Callable[[], Any]) -> float:
        gc.collect()
        gc.disable()
        start = now()
        result = read()
        seconds = now() - start
        del result
        gc.enable()
        return seconds

    for peer in peers:
        part = part_of(data, peer.most)
        result = Result(peer.name, peer.does, len(part))
        results.append(result)
        if style in peer.not_on:
            result.note = "cannot read this"
            continue
        say(f"{style}: checking {peer.name}")
        try:
            read = peer.make(part)
            found = read(figures=True) if peer.name.startswith("ssift") else read()  # type: ignore[call-arg]
            if len(part) not in answers:
                answers[len(part)] = reference(part)
            if isinstance(found, Columns):
                found = found.figures()
            compare({"chunks": found} if isinstance(found, int) else found, answers[len(part)])
        except Exception as error:
            result.note = _short(error)
            continue
        readers.append((result, lambda read=read: clock(read)))  # type: ignore[misc]

    ondemand = None
    result = Result("simdjson On-Demand (C++)", "walk", len(data))
    results.insert(len(ssift_peers()), result)
    try:
        ondemand = OnDemand(build_ondemand(), file)
        first = ondemand.pass_()
        result.peer = f"simdjson {first['version']} On-Demand (C++, {first['kernel']})"
        compare({**first, "plain_sums": True}, known)
        readers.append((result, lambda: float(ondemand.pass_()["cpu" if options.cpu else "seconds"])))
    except (OSError, Wrong) as error:
        result.note = str(error)
        missing["simdjson On-Demand"] = str(error)

    for number in range(options.rounds):
        for result, read_once in readers:
            if number and sum(result.seconds) > options.patience:
                continue
            say(f"{style}: round {number + 1} of {options.rounds}, {result.peer}")
            try:
                result.seconds.append(read_once())
            except Exception as error:
                result.seconds, result.note = [], _short(error)
                readers = [reader for reader in readers if reader[0] is not result]
    if ondemand is not None:
        ondemand.close()
    say("")
    return results


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:80]}"


def table(style: str, results: list[Result]) -> Iterator[str]:
    speed = next(result.speed for result in results if result.peer == "ssift")
    yield f"{style:<44} {'GB/s':>8} {'ssift is':>10}   {'MB':>6}  does"
    for result in results:
        if result.seconds:
            ratio = "" if result.peer == "ssift" else f"{speed / result.speed:.2f} x"
            yield f"  {result.peer:<42} {result.speed:8.3f} {ratio:>10}   {result.bytes / 1e6:6.0f}  {result.does}"
        else:
            yield f"  {result.peer:<42} {'-':>8} {'':>10}   {result.bytes / 1e6:6.0f}  {result.note}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--styles", nargs="+", choices=STYLES, default=list(STYLES), metavar="STYLE")
    parser.add_argument("--size", type=replay.size_of, default=200_000_000, help="of each replay file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
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

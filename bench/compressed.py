"""Reading compressed logs against decompressing them: what parsing costs when it overlaps.

    python bench/compressed.py --size 1GB --json build/bench/compressed.json

A replay log is packed with gzip and zstd. First the results: the summary of each packed file must be that of the plain
one, else it is not timed. Then, round after round: the library alone, reading the file and throwing its bytes away; the
command line tool (``gzip -dc``, ``zstd -dc``) into nothing, where there is one; ``ssift.summarize`` on the file, which
is what ``ssift stats`` does once Python has started; and the command itself. The figure that counts is the wall time
of ``summarize`` over that of the library alone, with two cores free for it: the median of the quotients of each round.
"""

from __future__ import annotations

import argparse
import gzip
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import replay
import setting
from goals import by_round
from shapes import STYLES

import ssift
from ssift.sources.compression import COMPRESSIONS, Decompressed
from ssift.sources.source import WINDOW, FileSource

TOOLS = {"gzip": ["gzip", "-dc"], "zstd": ["zstd", "-dcq"]}
BLOCK = 8 << 20


@dataclass
class Timing:
    """Seconds of one way through one file, a round each."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def run(self, work: Callable[[], object]) -> None:
        wall, processor = time.perf_counter(), _processor()
        work()
        self.wall.append(time.perf_counter() - wall)
        self.processor.append(_processor() - processor)


def _processor() -> float:
    """Of this process and of those it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def pack(plain: Path, kind: str) -> Path:
    """The file packed with the default level of its tool, made once."""
    packed = plain.with_name(f"{plain.name}.{kind}")
    if not packed.exists():
        part = packed.with_suffix(".part")
        with plain.open("rb") as source, part.open("wb") as target:
            if kind == "gzip":
                with gzip.GzipFile("", "wb", 6, target, mtime=0) as file:
                    shutil.copyfileobj(source, file, BLOCK)
            else:
                if sys.version_info >= (3, 14):
                    from compression import zstd
                else:
                    from backports import zstd
                with zstd.ZstdFile(target, "wb", level=3) as file:
                    shutil.copyfileobj(source, file, BLOCK)
        part.replace(packed)
    return packed


def unpack(packed: Path, kind: str) -> int:
    """The library alone: bytes that come out."""
    compression = next(one for one in COMPRESSIONS if one.name == kind)
    windows = FileSource(str(packed)).windows(bytearray(WINDOW))
    return sum(map(len, Decompressed(windows, compression)))


def figures(path: Path) -> dict[str, Any]:
    return ssift.summarize(path).to_dict()


def measure(plain: Path, kind: str, rounds: int) -> dict[str, Any]:
    """Compare the results, then time; prints a line for each way."""
    packed = pack(plain, kind)
    if repr(figures(packed)) != repr(figures(plain)) or unpack(packed, kind) != plain.stat().st_size:
        raise SystemExit(f"{packed}: the figures are not those of {plain}")
    ways: dict[str, Callable[[], object]] = {
        "library alone": lambda: unpack(packed, kind),
        "summarize": lambda: figures(packed),
        "summarize plain": lambda: figures(plain),
        "ssift stats": lambda: _command([sys.executable, "-m", "ssift", "stats", "--no-progress", str(packed)]),
    }
    if shutil.which(TOOLS[kind][0]):
        ways[" ".join(TOOLS[kind])] = lambda: _command([*TOOLS[kind], str(packed)])
    timings = {name: Timing() for name in ways}
    for _ in range(rounds):
        for name, work in ways.items():
            timings[name].run(work)
    size = plain.stat().st_size
    alone = timings["library alone"]
    print(f"\n{kind}: {size / 1e6:,.0f} MB packed to {packed.stat().st_size / 1e6:,.0f} MB, {rounds} rounds")
    print(f"  {'':18} {'best s':>8} {'median s':>9} {'processor s':>12} {'over library':>13}")
    for name, timing in timings.items():
        best = min(timing.wall)
        print(
            f"  {name:18} {best:8.3f} {statistics.median(timing.wall):9.3f} {min(timing.processor):12.3f} "
            f"{by_round(timing.wall, alone.wall):13.2f}"
        )
    return {name: asdict(timing) for name, timing in timings.items()}


def _command(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def main() -> None:
    """Make the files, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=replay.size_of, default=200_000_000, help="of the plain log; default: 200MB")
    parser.add_argument("--style", default="openai", choices=list(STYLES))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kinds", nargs="+", default=list(TOOLS), choices=list(TOOLS))
    parser.add_argument("--data", type=Path, default=setting.DATA, help="where the logs are kept")
    parser.add_argument("--json", type=Path, help="write all times there")
    arguments = parser.parse_args()
    plain, _ = setting.replay_file(arguments.style, arguments.size, 0, arguments.data)
    found = setting.begin("compressed", rounds=arguments.rounds, style=arguments.style, bytes=plain.stat().st_size)
    print(f"engine {ssift.engine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    found["seconds"] = {kind: measure(plain, kind, arguments.rounds) for kind in arguments.kinds}
    setting.finish(found, arguments.json)


if __name__ == "__main__":
    main()

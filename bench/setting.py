"""What every benchmark writes beside its figures: the machine, the versions, the date, and what others used of it.

No names of hosts, users or folders: a record may be shown to anybody.

The load average cannot tell a benchmark from those it shares a machine with. So the time of all processors is taken
from the system, and that of this process and its children is taken away; what a host gave to other machines (*steal*)
counts as used by others. Where the system does not tell, nobody knows, and the figure is None.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import replay

import ssift

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bench" / "data"
PAUSE = 0.5
"""Seconds for which a benchmark looks at the machine before it begins."""

PACKAGES = ("ssift", "numpy", "orjson", "msgspec", "pysimdjson", "openai", "pyarrow", "polars", "duckdb")


def begin(kind: str, **more: Any) -> dict[str, Any]:
    """A record of this kind of run, before anything is measured. ``others`` is what was in use before it."""
    return {
        "kind": kind,
        "date": date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "engine": ssift.engine(),
        "others": others(Moment(), PAUSE),
        "began": Moment(),
        **more,
    }


def finish(record: dict[str, Any], path: Path | None) -> None:
    """Note what others used meanwhile, and write the record. Children must have ended."""
    record["others"] = others(record.pop("began"))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=2) + "\n")


# ----------------------------------------------------------------------------------------------------- the cores

_CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def use_cores(count: int) -> None:
    """Run on the first so many, as threads and processes begun from here do, where the system lets us say so.

    Cores of a virtual machine have different neighbours: one can be half as fast as the other, for minutes.
    """
    if _CORES:
        os.sched_setaffinity(0, _CORES[:count])


# --------------------------------------------------------------------------------------------------- the machine


def machine() -> dict[str, Any]:
    """What figures depend on."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0,
        "system": system(),
        "compiler": compiler(),
    }


def processor() -> str:
    """The processor's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def system() -> str:
    """Name and kernel; the kernel's own version alone, without what its builder added."""
    kernel = f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}"
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    except (OSError, KeyError):
        return kernel


def compiler() -> str:
    """The C compiler that is here now, which built the native engine unless it came as a wheel."""
    found = shutil.which(os.environ.get("CC", "cc"))
    if found is None:
        return "none"
    done = subprocess.run([found, "--version"], capture_output=True, text=True)
    return next(iter(done.stdout.splitlines()), "unknown")


def versions() -> dict[str, str]:
    """Of Python and of everything that is compared."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


class Moment:
    """Seconds that all processors, and this process with its ended children, have worked until now."""

    def __init__(self) -> None:
        self.wall = time.monotonic()
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        self.own = sum(one.ru_utime + one.ru_stime for one in used)
        self.all: float | None = None
        try:
            user, nice, system, _idle, _wait, *interrupts = map(int, Path("/proc/stat").read_text().split()[1:9])
            self.all = sum((user, nice, system, *interrupts)) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            pass


def others(begin: Moment, pause: float = 0.0) -> float | None:
    """Processors that others have used on average since ``begin``, of which ``pause`` seconds are waited here."""
    time.sleep(pause)
    end = Moment()
    if begin.all is None or end.all is None:
        return None
    return round(max(end.all - begin.all - (end.own - begin.own), 0.0) / (end.wall - begin.wall), 2)


def busy(record: dict[str, Any]) -> bool:
    """Whether others use, or used, more than a tenth of the processors."""
    return (record["others"] or 0.0) > 0.1 * (record["machine"]["cores"] or 1)


# ---------------------------------------------------------------------------------------------------- what is read


def replay_file(style: str, size: int, seed: int, folder: Path) -> tuple[Path, dict[str, float]]:
    """The replay file, made where it is not there, and the numbers among its known answers."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{style}-{size}-{seed}.sse"
    answers = replay.beside(file)
    if not (answers.exists() and file.exists() and json.loads(answers.read_text())["bytes"] == file.stat().st_size):
        say(f"{style}: making {size / 1e6:,.0f} MB")
        replay.write(file, style, size, seed)
    known = json.loads(answers.read_text())
    unknown = ("seed", "alternatives", "bytes")
    return file, {
        name: value for name, value in known.items() if isinstance(value, int | float) and name not in unknown
    }


def say(text: str) -> None:
    """Where we are; on a terminal only."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

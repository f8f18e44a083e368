"""What every benchmark writes beside its figures: the machine, the versions, the date, and how busy the machine was.

No names of hosts, users or folders: a record may be shown to anybody.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import replay

import ssift

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "bench" / "data"
PACKAGES = ("ssift", "numpy", "orjson", "msgspec", "pysimdjson", "openai", "pyarrow", "polars", "duckdb")


def begin(kind: str, **more: Any) -> dict[str, Any]:
    """A record of this kind of run, before anything is measured."""
    return {
        "kind": kind,
        "date": date.today().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "engine": ssift.engine(),
        "busy": busy(),
        "load": [load()],
        **more,
    }


def finish(record: dict[str, Any], path: Path | None) -> None:
    """Note the load at the end, and write the record."""
    record["load"].append(load())
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(record, indent=2) + "\n")


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


def load() -> float | None:
    """Processes that wanted to run, on average over the last minute."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def busy() -> bool:
    """Whether others use more than a tenth of the processors."""
    return (load() or 0.0) > 0.1 * (os.cpu_count() or 1)


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

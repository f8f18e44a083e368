"""Readers in processes of their own, one request and one answer at a time.

What one reader leaves behind (a heap in pieces, threads, the state of an allocator) slows whoever comes after it in the
same process, by a fifth and more. So none does: Python's readers are served by :class:`Apart`, the C++ program by
:class:`OnDemand`. Each keeps the bytes in its memory and has read them once before it is timed. All run on the same
core, save what has two threads.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

from readers import Columns, Peer
from setting import ROOT, use_cores

Make: TypeAlias = "Callable[[], Peer | Sequence[Peer]]"
"""Makes readers, in the process where they are to be."""


class Wrong(Exception):
    """A reader's result is not that of the file."""


@dataclass(frozen=True)
class Offer:
    """A reader that a process has, and the size of the part that it gets."""

    name: str
    does: str
    not_on: tuple[str, ...]
    bytes: int


def part_of(data: bytes, most: int) -> bytes:
    """The first responses of a log, up to a size."""
    if len(data) <= most:
        return data
    end = data.rfind(b"data: [DONE]\n\n", 0, most)
    return data[: end + len(b"data: [DONE]\n\n")] if end >= 0 else data


# ----------------------------------------------------------------------------------------------- readers in Python


class Apart:
    """The readers that ``make`` gives, in one process, with a file in its memory.

    Raises:
        Wrong: the process has no readers: something is missing.
    """

    def __init__(self, make: Make, file: Path, most: int, cpu: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, make, file, most, cpu), daemon=True)
        self._process.start()
        theirs.close()
        self.offers: list[Offer] = self._answer()

    def figures(self, place: int) -> dict[str, float]:
        """What the reader found."""
        found: dict[str, float] = self._ask(place, True)
        return found

    def seconds(self, place: int) -> float:
        """The time of one pass."""
        return float(self._ask(place, False))

    def _ask(self, place: int, figures: bool) -> Any:
        self._pipe.send((place, figures))
        return self._answer()

    def _answer(self) -> Any:
        try:
            answer = self._pipe.recv()
        except EOFError:
            self._process.join()
            raise Wrong(f"it stopped with status {self._process.exitcode}") from None
        if isinstance(answer, str):
            raise Wrong(answer)
        return answer

    def close(self) -> None:
        self._pipe.close()
        self._process.join()


def _serve(pipe: Connection, make: Make, file: Path, most: int, cpu: bool) -> None:
    """The other side: answers are results, or a text that says what is wrong."""
    try:
        made = make()
        peers = [made] if isinstance(made, Peer) else made
        largest = max((min(peer.most, most) for peer in peers), default=0)
        with file.open("rb") as opened:
            data = opened.read(min(largest + 1, file.stat().st_size))
    except Exception as error:
        pipe.send(short(error))
        return
    parts = [part_of(data, min(peer.most, most)) for peer in peers]
    pipe.send([Offer(peer.name, peer.does, peer.not_on, len(part)) for peer, part in zip(peers, parts, strict=True)])
    readers: dict[int, Callable[..., Any]] = {}
    now = time.process_time if cpu else time.perf_counter
    while True:
        try:
            place, figures = pipe.recv()
        except EOFError:
            return
        try:
            use_cores(peers[place].cores)
            if place not in readers:
                readers[place] = peers[place].make(parts[place])
            pipe.send(_figures(readers[place], peers[place].asked) if figures else _clock(readers[place], now))
        except Exception as error:
            pipe.send(short(error))


def _figures(read: Callable[..., Any], asked: bool) -> dict[str, float]:
    found: Any = read(figures=True) if asked else read()
    if isinstance(found, Columns):
        found = found.figures()
    return {"chunks": found} if isinstance(found, int) else found


def _clock(read: Callable[[], Any], now: Callable[[], float]) -> float:
    gc.collect()
    gc.disable()
    start = now()
    result = read()
    seconds = now() - start
    del result
    gc.enable()
    return seconds


def short(error: Exception) -> str:
    """Kind and first line of an error."""
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:80]}"


# ------------------------------------------------------------------------------------------------- the C++ program


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
        self._process = subprocess.Popen(
            [program, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=partial(use_cores, 1)
        )

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

"""What Ray costs and gives: a summary by one process, and by Ray with one and two workers, over numbers of files.

The same bytes are written as one file and as many. Each way must come to the same summary before anything is timed. A
worker is a core that Ray may use, a task takes one. Times are the best of some rounds, on a cluster that runs and whose
workers have imported ssift; the time to start it is told apart. ``task`` is what a task of ssift takes that does
nothing: it is sent, watched, and its two results are noted.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import replay
import setting

import ssift
from ssift.statistics.summary import BATCH, TABLES

STORE = 256 << 20
TASKS = 200


def files(folder: Path, data: bytes, count: int) -> Path:
    """``data`` as ``count`` files, cut between responses where there is more than one."""
    place = folder / f"{count}-files"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    start = 0
    for number in range(count):
        stop = len(data)
        if number < count - 1:
            stop = data.index(b"[DONE]\n\n", max(start, len(data) * (number + 1) // count)) + len(b"[DONE]\n\n")
        (place / f"{number:05}.sse").write_bytes(data[start:stop])
        start = stop
    return place


def best(work: Callable[[], object], rounds: int) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def alone(place: Path) -> ssift.Summary:
    """What each worker does, without Ray."""
    summary = ssift.Summary()
    for log in ssift.scan(place, batch_size=BATCH, tables=TABLES, threads=1):
        summary.add(log)
    return summary


def on_ray(workers: int, places: list[Path], size: str, rounds: int) -> dict[str, Any]:
    """Figures of a cluster with so many cores."""
    import ray

    import ssift.ray
    from ssift.ray.tasks import run

    start = time.perf_counter()
    ray.init("local", num_cpus=workers, object_store_memory=STORE, include_dashboard=False, log_to_driver=False)
    started = time.perf_counter() - start
    run(_nothing, range(TASKS))
    task = best(lambda: run(_nothing, range(TASKS)), rounds) / TASKS
    found: dict[str, Any] = {"workers": workers, "start": started, "task": task, "files": {}}
    for place in places:
        if ssift.ray.summarize(place, size=size) != alone(place):
            raise SystemExit(f"{place}: Ray came to another summary")
        found["files"][place.name] = best(lambda place=place: ssift.ray.summarize(place, size=size), rounds)  # type: ignore[misc]
    ray.shutdown()
    return found


def _nothing(number: int) -> None:
    """What a task costs by itself."""


def main() -> None:
    """Measure, print, and write a record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=setting.DATA)
    parser.add_argument("--size", type=replay.size_of, default=400_000_000)
    parser.add_argument("--partition", default="32MB")
    parser.add_argument("--files", type=int, nargs="+", default=[1, 16, 512])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    record = setting.begin("scale", size=options.size, partition=options.partition)
    folder = options.data / "scale"
    data, _ = replay.make("openai", options.size)
    places = [files(folder, data, count) for count in options.files]
    megabytes = len(data) / 1e6
    del data
    record["alone"] = {place.name: best(lambda place=place: alone(place), options.rounds) for place in places}  # type: ignore[misc]
    record["planning"] = {
        place.name: best(lambda place=place: ssift.partitions(place, options.partition, tables=TABLES), options.rounds)  # type: ignore[misc]
        for place in places
    }
    record["ray"] = [on_ray(workers, places, options.partition, options.rounds) for workers in (1, 2)]
    setting.finish(record, options.json)
    print(f"{megabytes:,.0f} MB, seconds (MB/s)")
    for place in places:
        row = [("one process", record["alone"][place.name]), ("planning", record["planning"][place.name])]
        row += [(f"ray, {found['workers']} workers", found["files"][place.name]) for found in record["ray"]]
        told = ", ".join(f"{name} {seconds:.2f} ({megabytes / seconds:,.0f})" for name, seconds in row)
        print(f"{place.name}: {told}")
    for found in record["ray"]:
        print(
            f"{found['workers']} workers: start {found['start']:.1f} s, a task of nothing {found['task'] * 1e3:.2f} ms"
        )
    print(f"others used {record['others']}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()

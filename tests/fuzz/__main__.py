"""Fuzzes the native engine, harness after harness in rounds, and keeps account.

    python -m tests.fuzz --minutes 60            what `make fuzz` does: rounds of a minute
    python -m tests.fuzz --seconds 6             one round of 6 seconds each: what `make fuzz-short` does, and CI
    python -m tests.fuzz engines sources live    Python, and the engine in it (faces.py): what `make fuzz-python` does
    python -m tests.fuzz --distill               writes small corpora that reach much to tests/fuzz/corpus

Exit status 1 when something was found; the input is in build/fuzz/findings.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.fuzz.building import Missing, build_extension, build_fuzzers
from tests.fuzz.corpora import pack, unpack
from tests.fuzz.inputs import BEGUN_FROM, CORPUS, FACES, HARNESSES, seeds

FOLDER = Path("build/fuzz")
LONGEST = {"framing": 200, "live": 400}
OTHERWISE = 800
"""Bytes of an input."""
SEEDS = 300
MOST = 6000
"""Inputs that a round begins with; when there are more, a smaller set is made of them first."""
KEPT = 400
"""Inputs of each harness that stand in the repository."""
DONE = re.compile(r"#(\d+)\s+DONE\s+cov: (\d+) ft: (\d+) corp: (\d+)/")
ENVIRONMENT = {"ASAN_OPTIONS": "quarantine_size_mb=8:malloc_context_size=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
PYTHON = FOLDER / "python"


def corpus_of(harness: str) -> Path:
    """The inputs to begin with: those that are kept with the tests, those made from seeds, those of earlier rounds."""
    folder = FOLDER / "corpus" / harness
    if folder.exists() and len(os.listdir(folder)) > MOST:
        older = folder.rename(folder.with_name(f"{harness}-before"))
        merge(harness, folder, older)
        shutil.rmtree(older)
    if not folder.exists():
        folder.mkdir(parents=True)
        for number, data in enumerate(seeds(harness, SEEDS)):
            (folder / f"seed-{number:03}").write_bytes(data)
        for number, data in enumerate(unpack(CORPUS / f"{BEGUN_FROM.get(harness, harness)}.zip")):
            (folder / f"kept-{number:04}").write_bytes(data)
    return folder


def merge(harness: str, to: Path, *inputs: Path) -> None:
    """Keep the smallest of the inputs that together reach as much as all of them."""
    to.mkdir(parents=True, exist_ok=True)
    command, environment = program(harness)
    subprocess.run([*command, "-merge=1", to, *inputs], capture_output=True, env=environment, check=True)


def program(harness: str) -> tuple[list[str | Path], dict[str, str]]:
    """A command, to which options of libFuzzer and folders can be added, and the environment it needs."""
    options = [f"-max_len={LONGEST.get(harness, OTHERWISE)}", "-detect_leaks=0"]  # of memory heap.c knows more
    if harness in HARNESSES:
        return [FOLDER / harness, *options], os.environ | ENVIRONMENT
    import atheris

    loaded = Path(atheris.path()) / "asan_with_fuzzer.so"
    environment = {"LD_PRELOAD": str(loaded), "PYTHONMALLOC": "malloc", "PYTHONPATH": f"{PYTHON}:.:bench"}
    return [sys.executable, "-m", "tests.fuzz.faces", harness, *options], os.environ | ENVIRONMENT | environment


def run(harness: str, seconds: int, options: list[str]) -> bool:
    """One round; True when nothing was found."""
    findings = FOLDER / "findings"
    findings.mkdir(exist_ok=True)
    command, environment = program(harness)
    command += [
        f"-max_total_time={seconds}",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-entropic=0",
        "-print_final_stats=0",
        f"-artifact_prefix={findings}/{harness}-",
        *options,
        corpus_of(harness),
    ]
    begin = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
    found = DONE.search(done.stderr)
    counts = [int(count) for count in found.groups()] if found else [0, 0, 0, 0]
    entry = {"harness": harness, "executions": counts[0], "edges": counts[1], "features": counts[2], "corpus": counts[3],
             "seconds": round(time.monotonic() - begin), "found": done.returncode != 0}  # fmt: skip
    with (FOLDER / "ledger.jsonl").open("a") as ledger:
        ledger.write(json.dumps(entry) + "\n")
    print(f"{harness:8} {counts[0]:>10,} executions, {counts[1]:,} edges, {counts[3]:,} inputs kept", flush=True)
    if done.returncode:
        print(done.stdout[-3000:], done.stderr[-6000:], sep="\n", file=sys.stderr)
    return done.returncode == 0


def distill(harness: str) -> None:
    """Keep a few hundred small inputs with the tests."""
    small = FOLDER / "distilled" / harness
    shutil.rmtree(small, ignore_errors=True)
    merge(harness, small, corpus_of(harness))
    inputs = sorted((path.read_bytes() for path in small.iterdir()), key=len)[:KEPT]
    pack(CORPUS / f"{harness}.zip", inputs)
    print(f"{harness:8} {len(inputs):,} inputs, {sum(map(len, inputs)):,} bytes")


def totals() -> None:
    """What all rounds came to."""
    ledger = FOLDER / "ledger.jsonl"
    entries = [json.loads(line) for line in ledger.read_text().splitlines()] if ledger.exists() else []
    for harness in (*HARNESSES, *FACES):
        own = [entry for entry in entries if entry["harness"] == harness]
        if own:
            executions, edges = sum(entry["executions"] for entry in own), max(entry["edges"] for entry in own)
            print(f"{harness:8} {executions:>12,} executions in all, {edges:,} edges reached")
    print(f"{'all':8} {sum(entry['executions'] for entry in entries):>12,} executions")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz the native engine (clang).")
    parser.add_argument(
        "harness", nargs="*", choices=[*HARNESSES, *FACES, []], help="default: those of the engine alone"
    )
    parser.add_argument("--minutes", type=int, default=0, help="in rounds of a minute, until so much time has passed")
    parser.add_argument("--seconds", type=int, default=60, help="of a round (default: 60)")
    parser.add_argument("--distill", action="store_true", help="write the corpora that are kept with the tests")
    parser.add_argument("--totals", action="store_true", help="only say what all rounds came to")
    parser.add_argument("--no-build", action="store_true", help="use the fuzzers in build/fuzz as they are")
    arguments, options = parser.parse_known_args()
    harnesses = tuple(arguments.harness) or HARNESSES
    if arguments.totals:
        totals()
        return 0
    try:
        if not arguments.no_build:
            build_fuzzers(FOLDER, [harness for harness in harnesses if harness in HARNESSES])
            if set(harnesses) & set(FACES):
                build_extension(PYTHON)
    except Missing as missing:
        print(f"not here: {missing}", file=sys.stderr)
        return 2
    if arguments.distill:
        for harness in harnesses:
            if harness not in BEGUN_FROM and harness in HARNESSES:
                distill(harness)
        return 0
    good, end = True, time.monotonic() + 60 * arguments.minutes
    while True:
        for harness in harnesses:
            good = run(harness, arguments.seconds, options) and good
        if not good or time.monotonic() >= end:
            totals()
            return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

"""Reads inputs of the fuzzers again, without a fuzzer: under valgrind, or to see which lines of the engine they reach.

    python -m tests.fuzz.replaying valgrind          stops at the first read of memory that is not there or not set
    python -m tests.fuzz.replaying coverage          share of the lines of each file in ext/ (gcc and gcov)

Inputs are those kept with the tests, and those in build/fuzz/corpus if there are any.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.fuzz.building import ENGINE, build_replayers
from tests.fuzz.corpora import unpack
from tests.fuzz.inputs import BEGUN_FROM, CORPUS, HARNESSES, seeds

AT_A_TIME = 500
UNDER_VALGRIND = 250
"""Inputs for each harness: each takes some hundredths of a second there."""


def inputs(harness: str, folder: Path) -> list[str]:
    """Files with all inputs of a harness."""
    kept = [*unpack(CORPUS / f"{BEGUN_FROM.get(harness, harness)}.zip"), *seeds(harness, 300)]
    for number, data in enumerate(kept):
        (folder / f"{harness}-{number}").write_bytes(data)
    found = Path("build/fuzz/corpus") / harness
    return [str(path) for place in (folder.glob(f"{harness}-*"), found.glob("*")) for path in place]


def valgrind(folder: Path) -> int:
    """Exit status of the first run that goes wrong, else 0."""
    build_replayers(folder, ["-O1", "-g"])
    for harness in HARNESSES:
        files = inputs(harness, folder)
        some = files[:: max(1, len(files) // UNDER_VALGRIND)]
        command = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--track-origins=no", folder / harness]
        done = subprocess.run([*command, *some], capture_output=True, text=True, check=False)
        print(f"{harness:8} {done.stdout.strip()}, exit status {done.returncode}", flush=True)
        if done.returncode:
            print(done.stderr[-4000:], file=sys.stderr)
            return done.returncode
    return 0


def coverage(folder: Path) -> int:
    """Lines reached, by file."""
    build_replayers(folder, ["-O0", "--coverage"])
    for harness in HARNESSES:
        files = inputs(harness, folder)
        for start in range(0, len(files), AT_A_TIME):
            subprocess.run([folder / harness, *files[start : start + AT_A_TIME]], capture_output=True, check=True)
    here = folder / "ext"  # gcov looks for the lines themselves
    subprocess.run(["gcov", "-o", "..", "../harness.gcda"], cwd=here, capture_output=True, check=True)
    total = [0, 0]
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for report in here.glob("*.gcov"):
        name = report.name.removesuffix(".gcov").rpartition("#")[2]
        if not (ENGINE / name).exists() or name.startswith("_native"):
            continue
        for line in report.read_text(errors="replace").splitlines():
            if re.match(r"\s*(\d+\*?|#####):", line):
                reached = "#####" not in line[:12]
                for sums in (counts[name], total):
                    sums[0] += reached
                    sums[1] += 1
    for name, (reached, lines) in sorted(counts.items()):
        print(f"{name:18} {reached:>5} of {lines:>5} lines, {reached / lines:.0%}")
    print(f"{'all':18} {total[0]:>5} of {total[1]:>5} lines, {total[0] / max(total[1], 1):.0%}")
    return 0


def main() -> int:
    what = {"valgrind": valgrind, "coverage": coverage}[sys.argv[1]]
    if what is valgrind and not shutil.which("valgrind"):
        print("not here: valgrind", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        return what(Path(folder))


if __name__ == "__main__":
    sys.exit(main())

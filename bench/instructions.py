"""Instructions per byte that the native engine takes, counted by callgrind: the same however busy the machine is.

    python bench/instructions.py --size 6MB --json build/bench/instructions.json

What is counted is ``NativeEngine.feed`` alone, on a log that the engine has read before: its shapes are learned and its
memory has grown. A process reads the log twice, another one three times, and the difference is the third reading.
(Callgrind can begin to count at a function, but not at its second call.) Two such differences of the same code lie some
hundred instructions apart in 20 million. The rows of each reading must be those of the file.

callgrind_annotate shows where they went, from the files kept in build/bench/callgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import replay
import setting
from shapes import STYLES

import ssift

KEPT = setting.ROOT / "build" / "bench" / "callgrind"
READINGS = (2, 3)
_TOTAL = re.compile(r"^(?:summary|totals): (\d+)$", re.MULTILINE)


def count(file: Path, readings: int, known: dict[str, float]) -> int:
    """Instructions in ``feed`` over so many readings.

    Raises:
        ValueError: a reading did not find what is in the file, or callgrind counted nothing.
        OSError: valgrind fails.
    """
    KEPT.mkdir(parents=True, exist_ok=True)
    out = KEPT / f"{file.name.split('-')[0]}-{readings}.out"
    command = [
        "valgrind",
        "--tool=callgrind",
        "--collect-atstart=no",
        "--toggle-collect=*NativeEngine*feed*",
        f"--callgrind-out-file={out}",
        sys.executable,
        str(Path(__file__).with_name("readings.py")),
        str(file),
        str(readings),
    ]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"})
    if done.returncode:
        raise OSError(f"valgrind ended with status {done.returncode}: {done.stderr.strip().splitlines()[-1]}")
    for line in done.stdout.splitlines():
        for name, value in json.loads(line).items():
            if value != known.get(name, 0):
                raise ValueError(f"{name} is {value}, not {known.get(name, 0)}")
    total = _TOTAL.search(out.read_text())
    if total is None or total[1] == "0":
        raise ValueError("callgrind did not see NativeEngine.feed; is the engine built with its symbols?")
    return int(total[1])


def main() -> int:
    """Count for each style, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--styles", nargs="+", choices=STYLES, default=list(STYLES), metavar="STYLE")
    parser.add_argument("--size", type=replay.size_of, default=6_000_000, help="of each replay file; default: 6MB")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, default=setting.DATA, help="folder for replay files")
    parser.add_argument("--json", type=Path, help="write the counts here")
    options = parser.parse_args()
    found = setting.begin("instructions", size=options.size, styles={}, missing={})
    reason = ""
    if shutil.which("valgrind") is None:
        reason = "valgrind is not installed: no instructions are counted"
    elif ssift.engine() != "native":
        reason = "the native engine is not in use: no instructions are counted"
    if reason:
        print(reason)
        found["missing"]["callgrind"] = reason
        setting.finish(found, options.json)
        return 0

    files = {style: setting.replay_file(style, options.size, options.seed, options.data) for style in options.styles}
    setting.say(f"counting instructions of {', '.join(files)}")
    wrong = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # counts do not depend on what else runs
        counts = {
            style: [pool.submit(count, file, readings, known) for readings in READINGS]
            for style, (file, known) in files.items()
        }
        print(f"{'instructions of NativeEngine.feed':<34} {'per byte':>9} {'per chunk':>10}")
        for style, (file, known) in files.items():
            try:
                before, after = (future.result() for future in counts[style])
            except (OSError, ValueError) as error:
                setting.say("")
                print(f"  {style:<32} {error}", flush=True)
                found["missing"][style] = str(error)
                wrong |= isinstance(error, ValueError)
                continue
            size, chunks = file.stat().st_size, int(known["chunks"])
            found["styles"][style] = {"instructions": after - before, "bytes": size, "chunks": chunks}
            setting.say("")
            print(f"  {style:<32} {(after - before) / size:9.3f} {(after - before) / chunks:10,.0f}", flush=True)
    setting.finish(found, options.json)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

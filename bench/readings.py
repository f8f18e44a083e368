"""Reads a log several times with one native engine and prints what each reading found. bench/instructions.py runs this
under callgrind, so it imports nothing that it does not need.

    python bench/readings.py FILE TIMES
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ssift._native import NativeEngine
from ssift.contract import Limits

WINDOW = 4 << 20
LIMITS = Limits()


def main() -> None:
    """Read, and print the counts of each reading as a line of JSON."""
    data, times = memoryview(Path(sys.argv[1]).read_bytes()), int(sys.argv[2])
    tables = frozenset(("tokens", "top_logprobs", "choices"))
    engine = NativeEngine(tables, "auto", LIMITS.event_bytes, LIMITS.depth, LIMITS.open_responses)
    for number in range(times):
        engine.begin(number, "sse")
        for start in range(0, len(data), WINDOW):
            engine.feed(data[start : start + WINDOW])
        counts, batch = engine.end(), engine.take()
        found = {"chunks": counts.chunks, "problems": counts.problems}
        for table in ("tokens", "top_logprobs"):
            found[table] = len(batch.tables[table]["logprob"])
        del batch  # its memory goes back to the engine
        print(json.dumps(found))


if __name__ == "__main__":
    main()

"""One long run over a large damaged log: every intact chunk is read, every damage is reported, memory stays flat.

    python bench/soak.py --size 8GB

The log is made by damage.py, which knows the answer, in a folder that needs as much room. It is read by ``ssift.scan``
with one thread and with two: counts, places and kinds of all problems must be those of the answer, and the resident
memory after a tenth of the log must be what it is at the end, give or take ``--slack``. Exit status 1 when not.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

import damage
import numpy as np
import replay

import ssift
from ssift.contract import PROBLEM_KINDS

TABLES = ("responses", "choices", "chunks", "tokens", "top_logprobs", "problems")


def resident() -> float:
    """MB of memory that this process has now."""
    found = re.search(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1000


def soak(path: Path, answer: damage.Answer, threads: int, slack: float) -> list[str]:
    """Read the log; what is wrong, in words."""
    chunks = tokens = 0
    offsets, lengths, kinds, sizes = [], [], [], []
    begin = time.monotonic()
    for batch in ssift.scan(path, tables=TABLES, batch_size="32MB", threads=threads):
        problems = batch.problems
        chunks += len(batch.chunks)
        tokens += len(batch.tokens)
        float(np.nansum(batch.tokens["logprob"]))  # what is read is touched
        offsets.append(np.asarray(problems["offset"]))
        lengths.append(np.asarray(problems["length"]))
        kinds.append(np.array([PROBLEM_KINDS.index(kind) for kind in problems["kind"].to_pylist()], np.int64))
        sizes.append(resident())
    seconds = time.monotonic() - begin
    early, late = max(sizes[: len(sizes) // 10 + 2]), max(sizes[-(len(sizes) // 10 + 2) :])
    order = np.argsort(np.concatenate(offsets), kind="stable")
    found = tuple(np.concatenate(column)[order] for column in (offsets, lengths, kinds))
    print(
        f"{threads} threads: {chunks:,} chunks, {tokens:,} tokens, {len(order):,} problems in {seconds:.1f} s "
        f"({answer.bytes / seconds / 1e6:,.0f} MB/s); memory {early:,.0f} MB after a tenth, {late:,.0f} MB at the end",
        flush=True,
    )
    wrong = []
    if chunks != answer.chunks:
        wrong.append(f"{chunks:,} chunks were read of {answer.chunks:,}")
    for name, column, expected in zip(("offset", "length", "kind"), found, answer.problems(), strict=True):
        if not np.array_equal(column, expected):
            both = min(len(column), len(expected))
            place = next(iter(np.flatnonzero(column[:both] != expected[:both])), both)
            wrong.append(f"{name} of problems differs, first in row {place}, at byte {found[0][: place + 1][-1]:,}")
    if late > early + slack:
        wrong.append(f"memory grew from {early:,.0f} to {late:,.0f} MB")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=replay.size_of, default=8_000_000_000)
    parser.add_argument("--style", default="openai", choices=("openai", "vllm", "text"))
    parser.add_argument("--share", type=float, default=0.01, help="of the chunks that are damaged")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--slack", type=float, default=100, metavar="MB", help="by which memory may differ")
    parser.add_argument("--folder", type=Path, help="where the log is made (default: that of temporary files)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "damaged.sse"
        answer = damage.write(path, options.style, options.size, options.share, options.seed)
        print(f"{answer.bytes:,} bytes, {answer.chunks:,} chunks to read, {len(answer.kinds):,} damages")
        wrong = [
            f"{threads} threads: {text}" for threads in (1, 2) for text in soak(path, answer, threads, options.slack)
        ]
    print("\n".join(wrong) or "all as it should be")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""What figures cost: ``ssift.summarize`` against reading the same tables and doing nothing with them.

    python bench/figures.py --size 200MB --styles openai text --rounds 7

Both read the same bytes in memory with one thread, in turn, round after round, and the processor time of each round is
compared: on a shared machine the ratio of two neighbours is steadier than either. The figures must first be those of
the replay file's known answers. ``--limit 1.5`` ends with status 1 when a median ratio is above it.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import replay

import ssift
from ssift.statistics.summary import BATCH, TABLES


def parse(data: bytes) -> None:
    """Read the tables of a summary, and nothing more."""
    for log in ssift.scan(data, tables=TABLES, batch_size=BATCH, threads=1):
        del log


def summarize(data: bytes) -> None:
    """Read them, and make every figure."""
    ssift.summarize(data, threads=1)


def check(data: bytes, expected: replay.Expected) -> None:
    """Raise ValueError when the figures are not those of the file."""
    found = ssift.summarize(data, sentinels="include", threads=1)
    figures = found.to_dict()
    for name in ("bytes", "chunks", "responses", "choices", "tokens", "top_logprobs", "tool_calls"):
        if figures[name] != getattr(expected, name):
            raise ValueError(f"{name} is {figures[name]:,}, not {getattr(expected, name):,}")
    if expected.tokens and figures["logprob"]["sum"] != expected.logprob_sum:
        raise ValueError(f"the sum is {figures['logprob']['sum']!r}, not {expected.logprob_sum!r}")
    if found.waiting or found.answers.tokens != expected.tokens:
        raise ValueError("not all responses came together")
    plain = entropy(data)
    mean = figures["entropy_lower"]["mean"]
    if not (math.isclose(mean, plain, rel_tol=1e-12) or (math.isnan(mean) and math.isnan(plain))):
        raise ValueError(f"the mean entropy is {mean!r}, not {plain!r}")


def entropy(data: bytes) -> float:
    """The mean entropy in plain numpy, of files whose lists hold each token once."""
    log = ssift.read(data, tables=("tokens", "top_logprobs"), threads=1)
    values = log.top_logprobs["logprob"]
    used = values > -math.inf
    terms = np.zeros(len(values))
    terms[used] = -np.exp(np.minimum(values[used], 0)) * np.minimum(values[used], 0)
    some = log.tokens["top_count"] > 0
    return float(math.fsum(terms) / np.count_nonzero(some)) if some.any() else math.nan


def seconds(work: Callable[[bytes], object], data: bytes) -> float:
    """Processor time of one pass."""
    start = time.process_time()
    work(data)
    return time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=replay.size_of, default=200_000_000)
    parser.add_argument("--styles", nargs="+", choices=replay.STYLES, default=["openai", "vllm", "text", "minimal"])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--limit", type=float, help="largest ratio that is well")
    options = parser.parse_args()
    print(f"ssift {ssift.__version__}, {ssift.engine()} engine; GB/s of processor time, best round; ratio, median")
    above = False
    for style in options.styles:
        data, expected = replay.make(style, options.size)
        check(data, expected)
        rounds = [(seconds(parse, data), seconds(summarize, data)) for _ in range(options.rounds)]
        ratio = statistics.median(figures / alone for alone, figures in rounds)
        above |= options.limit is not None and ratio > options.limit
        best = [len(data) / min(column) / 1e9 for column in zip(*rounds, strict=True)]
        print(f"{style:10} parse {best[0]:6.2f}   with figures {best[1]:6.2f}   ratio {ratio:5.2f}")
    return int(above)


if __name__ == "__main__":
    sys.exit(main())

"""Logs as a Dask DataFrame, a partition of the log for each of Dask's: mean logprob by list, the least likely tokens.

    python docs/examples/on_dask.py logs/

Partitions are found first, here; a worker then reads its own, and nothing else of the log.
"""

from __future__ import annotations

import sys
from typing import Any

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

import ssift


def frame(part: ssift.Partition) -> pd.DataFrame:
    """The tokens of one partition."""
    return pa.table(ssift.read_partition(part).tokens).to_pandas()


def tokens(paths: Any, size: int | str = "128MB") -> dd.DataFrame:
    """All tokens of a log; row numbers are unique over the whole."""
    parts = ssift.partitions(paths, size, tables=["tokens"])
    empty = pa.schema(ssift.TableStream(paths, "tokens")).empty_table().to_pandas()
    return dd.from_map(frame, parts, meta=empty)


def main(paths: list[str]) -> None:
    """Print two small results."""
    found = tokens(paths)
    print(found.groupby("list").logprob.mean().compute())
    print(found.nsmallest(5, "logprob")[["response", "token", "logprob"]].compute())


if __name__ == "__main__":
    main(sys.argv[1:])

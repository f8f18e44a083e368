"""The 20 least certain answers of a log, in polars, in DuckDB and in pandas: three ways to the same list.

    python docs/examples/least_certain.py logs/

How sure a model was of an answer is the mean logprob of its tokens (nearer to 0 is surer). Sentinels such as -9999,
which say "not in the top", and missing values are no logprobs and stay out.
"""

from __future__ import annotations

import sys
from typing import Any

import duckdb
import pandas as pd
import polars as pl

import ssift

MOST = 20
Answers = list[tuple[Any, ...]]
"""(response, index, mean logprob, content) of each answer."""


def in_polars(log: ssift.Log) -> Answers:
    """Columns go over without a copy."""
    tokens, choices = pl.DataFrame(log.tokens), pl.DataFrame(log.choices)
    return (
        tokens.filter(pl.col("list") == "content", pl.col("logprob") > -9999)
        .group_by("response", "index")
        .agg(mean=pl.col("logprob").mean())
        .join(choices, on=["response", "index"])
        .sort("mean", "response", "index")
        .select("response", "index", "mean", "content")
        .head(MOST)
        .rows()
    )


def in_duckdb(log: ssift.Log) -> Answers:
    """A table is a relation by the name of its variable."""
    tokens, choices = log.tokens, log.choices  # noqa: F841 (the query names them)
    return duckdb.sql(f"""
        select response, index, avg(logprob) as mean, any_value(content)
        from tokens join choices using (response, index)
        where list = 'content' and logprob > -9999
        group by response, index
        order by mean, response, index
        limit {MOST}
    """).fetchall()


def in_pandas(log: ssift.Log) -> Answers:
    """pandas 3 reads Arrow by itself."""
    tokens, choices = pd.DataFrame.from_arrow(log.tokens), pd.DataFrame.from_arrow(log.choices)
    tokens = tokens[(tokens["list"] == "content") & (tokens["logprob"] > -9999)]
    means = tokens.groupby(["response", "index"], as_index=False)["logprob"].mean()
    rows = means.merge(choices, on=["response", "index"]).sort_values(["logprob", "response", "index"]).head(MOST)
    return list(rows[["response", "index", "logprob", "content"]].itertuples(index=False, name=None))


def main() -> None:
    log = ssift.read(sys.argv[1:], tables=("tokens", "choices"))
    for way in (in_polars, in_duckdb, in_pandas):
        print(f"{way.__name__}:")
        for response, index, mean, content in way(log):
            print(f"  response {response:>5}, choice {index}  {mean:9.4f}  {content!r:.60}")


if __name__ == "__main__":
    main()

"""ssift.polars.scan: what polars asks for is what is read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ssift
import ssift.polars
from ssift.contract import TABLES
from ssift.streaming import TableStream
from tests.arrow.mixed import LOG, interleaved

DATA = interleaved(6, 30) + LOG


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "log.sse").write_bytes(DATA)
    return tmp_path / "log.sse"


@pytest.mark.parametrize("table", TABLES)
def test_a_scan_is_the_table(path: Path, engine: str, table: str) -> None:
    frame = ssift.polars.scan(path, table, engine=engine, batch_size=2000)
    wanted = pl.DataFrame(ssift.read(path, engine=engine)[table])
    assert frame.collect_schema() == wanted.schema
    found = frame.collect()
    by = [
        name
        for name in ("response", "offset")
        if name in found.columns and table in ("responses", "choices", "tool_calls", "problems")
    ]
    assert found.sort(by).equals(wanted.sort(by)) if by else found.equals(wanted)
    assert frame.collect(engine="streaming").shape == wanted.shape


@pytest.mark.parametrize(
    "query",
    [
        lambda f: f.filter(pl.col("logprob") < -1).select("token", "response"),
        lambda f: f.filter(pl.col("token").str.starts_with("t1"), pl.col("response") > 0).head(3),
        lambda f: f.head(7),
        lambda f: f.head(0),
        lambda f: f.select(pl.len()),
        lambda f: f.select(pl.col("logprob").sum()),
        lambda f: f.slice(5, 4),
        lambda f: f.tail(3),
        lambda f: f.group_by("list").agg(pl.col("token").n_unique()),
        lambda f: f.with_columns(double=pl.col("logprob") * 2).filter(pl.col("double") < -3).select("double"),
        lambda f: f.filter(pl.col("response") == 10**9),
        lambda f: f.sort("logprob", "token", nulls_last=True).head(4).select("token"),
    ],
)
def test_queries_give_what_they_give_in_memory(path: Path, engine: str, query: Any) -> None:
    lazy = query(ssift.polars.scan(path, engine=engine, batch_size=1500)).collect()
    assert lazy.equals(query(pl.DataFrame(ssift.read(path, engine=engine).tokens).lazy()).collect())


class Watched:
    """What the streams of a query were asked for, and how many batches they gave."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, ...]] = []
        self.batches = 0


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Watched:
    seen = Watched()
    tables = TableStream.tables

    def watch(stream: TableStream) -> Any:
        seen.columns.append(tuple(column.name for column in stream.schema))
        for table in tables(stream):
            seen.batches += 1
            yield table

    monkeypatch.setattr(TableStream, "tables", watch)
    return seen


def test_columns_that_are_not_asked_for_are_not_read(path: Path, watched: Watched) -> None:
    ssift.polars.scan(path).filter(pl.col("logprob") < -1).select("token").collect()
    assert watched.columns == [("token", "logprob")]


def test_reading_stops_when_there_is_enough(path: Path, watched: Watched) -> None:
    scan = ssift.polars.scan(path, batch_size=1000)
    scan.collect()
    every = watched.batches
    watched.batches = 0
    assert scan.head(2).collect().height == 2
    assert watched.batches < every / 3


def test_joins_and_where(path: Path, engine: str) -> None:
    tokens = ssift.polars.scan(path, engine=engine, where={"model": "m1"})
    responses = ssift.polars.scan(path, "responses", engine=engine)
    models = tokens.join(responses, on="response").select("model").unique().collect()
    assert models["model"].to_list() == ["m1"]


def test_wrong_names(path: Path) -> None:
    with pytest.raises(ValueError, match="there is no table 'token'"):
        ssift.polars.scan(path, "token")
    with pytest.raises(pl.exceptions.ColumnNotFoundError):
        ssift.polars.scan(path).select("nothing").collect()


def test_errors_of_reading_come_through(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="not_sse"):
        ssift.polars.scan([b"no stream"], errors="raise").collect()


def test_without_polars_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['polars'] = None\nimport ssift.polars\n"
        "try: ssift.polars.scan(b'')\nexcept ssift.SsiftError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "this needs polars, which is not installed: pip install 'ssift[polars]'\n"

"""What was exported and read back is what was read, cell by cell."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, ipc, parquet

import ssift
from ssift.contract import SCHEMA, TABLES
from ssift.exporting import groups
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import answer, chunk, event

LOGS = {"mixed": LOG, "interleaved": interleaved(7, 30), "empty": b""}


@pytest.fixture(params=LOGS)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "log.sse"
    path.write_bytes(LOGS[request.param])
    return path


def cells(table: pa.Table) -> str:
    """All cells in words, so that NaN is NaN and -0.0 is not 0.0."""
    return repr(table.to_pydict())


def expected(source: Path, engine: str, table: str) -> pa.Table:
    return pa.table(ssift.read(source, engine=engine)[table])


def test_parquet(source: Path, engine: str, tmp_path: Path) -> None:
    done = ssift.export(source, tmp_path / "out", engine=engine)
    for table in TABLES:
        path = tmp_path / "out" / f"{table}.parquet"
        found = parquet.read_table(path)
        assert found.schema == expected(source, engine, table).schema
        assert cells(found) == cells(expected(source, engine, table))
        assert pl.read_parquet(path).equals(pl.DataFrame(expected(source, engine, table)))
        assert done.rows[table] == found.num_rows
    assert sorted(done.files) == sorted(str(tmp_path / "out" / f"{table}.parquet") for table in TABLES)


def test_arrow_files(source: Path, engine: str, tmp_path: Path) -> None:
    for compression in (None, "zstd"):
        folder = tmp_path / str(compression)
        ssift.export(source, folder, to="ipc", engine=engine, compression=compression)
        for table in TABLES:
            found = ipc.open_file(folder / f"{table}.arrow").read_all()
            assert cells(found) == cells(expected(source, engine, table))
            assert pl.read_ipc(folder / f"{table}.arrow").equals(pl.DataFrame(expected(source, engine, table)))


def test_json_lines(source: Path, engine: str, tmp_path: Path) -> None:
    ssift.export(source, tmp_path / "out", to="jsonl", engine=engine)
    for table in TABLES:
        lines = (tmp_path / "out" / f"{table}.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        wanted = list(ssift.read(source, engine=engine)[table].rows())
        for row in wanted:
            row.update({name: list(value) for name, value in row.items() if isinstance(value, bytes)})
        assert rows == wanted


def test_csv(source: Path, engine: str, tmp_path: Path) -> None:
    ssift.export(source, tmp_path / "out", to="csv", engine=engine, formulas=True)
    for table in TABLES:
        with (tmp_path / "out" / f"{table}.csv").open(newline="") as file:
            names, *rows = csv.reader(file)
        assert names == [column.name for column in SCHEMA[table]]
        wanted = list(ssift.read(source, engine=engine)[table].rows())
        assert [[as_text(value) for value in row.values()] for row in wanted] == [
            [as_text(value_of(kind.type, kind.nullable, cell)) for kind, cell in zip(SCHEMA[table], row, strict=True)]
            for row in rows
        ]


def value_of(kind: str, nullable: bool, cell: str) -> Any:
    if kind == "float":
        return float(cell) if cell and cell != "nan" else None
    if kind == "bool":
        return {"true": True, "false": False}[cell]
    if kind == "binary":
        return bytes(json.loads(cell)) if cell else None
    if cell == "" and nullable:
        return None
    return int(cell) if kind == "int" else cell


def as_text(value: Any) -> str:
    return "" if value is None else repr(value) if value != "" else ""


def test_null_and_the_empty_string_differ_in_csv(tmp_path: Path) -> None:
    data = event(chunk({"content": ""}, id="a")) + event(chunk({"role": "assistant"}, id="b"))
    ssift.export(data, tmp_path / "choices.csv", tables="choices")
    assert (tmp_path / "choices.csv").read_text().splitlines()[1:] == ['0,0,,"",,,,0,nan', '1,0,"assistant",,,,,0,nan']


# ------------------------------------------------------------------------------------------------ groups of rows


def test_groups_are_sorted_and_say_so(tmp_path: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "ROWS", 16)
    monkeypatch.setattr("ssift.exporting.call._BATCH", 2000)
    data = interleaved(9, 40)
    ssift.export(data, tmp_path / "out", engine=engine)
    log = ssift.read(data, engine=engine)
    by = {"tokens": ["chunk"], "top_logprobs": ["token_row", "rank"], "chunks": ["chunk"], "responses": ["response"]}
    for table, names in by.items():
        file = parquet.ParquetFile(tmp_path / "out" / f"{table}.parquet")
        if table != "responses":
            assert file.metadata.num_row_groups > 2
        for number in range(file.metadata.num_row_groups):
            group = file.read_row_group(number)
            order = parquet.SortingColumn.to_ordering(
                file.schema_arrow, file.metadata.row_group(number).sorting_columns
            )
            assert order[0] == tuple((name, "ascending") for name in names)
            assert group.equals(group.sort_by([(name, "ascending") for name in names]))
            column = file.metadata.row_group(number).column(0)
            assert column.compression == "ZSTD"
            assert column.statistics.has_min_max
        assert cells(file.read().sort_by([(name, "ascending") for name in names])) == cells(pa.table(log[table]))
    rows = parquet.read_table(tmp_path / "out" / "tokens.parquet")
    for row in parquet.read_table(tmp_path / "out" / "top_logprobs.parquet").to_pylist():
        token = rows.slice(row["token_row"], 1).to_pylist()[0]
        assert row["rank"] < token["top_count"]


def test_what_waits_over_all_files_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift.exporting import sinks

    most = []

    def watched(sink: sinks.Sink, log: ssift.Log) -> None:
        add(sink, log)
        most.append(sum(group.bytes for group in sink._open.values()))

    add = sinks.Sink.add
    monkeypatch.setattr(sinks, "WAITING", 20_000)
    monkeypatch.setattr(sinks.Sink, "add", watched)
    monkeypatch.setattr("ssift.exporting.call._BATCH", 5000)
    data = interleaved(9, 40)
    ssift.export(data, tmp_path / "out")
    assert len(most) > 10
    assert 10_000 < max(most) <= 20_000
    assert cells(parquet.read_table(tmp_path / "out" / "tokens.parquet")) == cells(pa.table(ssift.read(data).tokens))


# ------------------------------------------------------------------------------------------------------ metadata


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_the_schema_says_where_it_came_from(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.sse").write_bytes(LOG)
    out = tmp_path / f"tokens.{ending}"
    ssift.export([tmp_path / "a.sse", b""], out)
    schema = parquet.read_schema(out) if ending == "parquet" else ipc.open_file(out).schema
    assert schema.metadata[b"ssift.version"] == ssift.__version__.encode()
    assert schema.metadata[b"ssift.table"] == b"tokens"
    assert json.loads(schema.metadata[b"ssift.source"]) == [str(tmp_path / "a.sse"), ""]


# -------------------------------------------------------------------------------------------- partitions, where


@pytest.mark.parametrize("field", ["model", "status"])
def test_partitions(tmp_path: Path, engine: str, field: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ssift.exporting.call._BATCH", 3000)
    data = interleaved(9, 40) + LOG
    done = ssift.export(data, tmp_path / "out", partition_by=field, engine=engine)
    log = ssift.read(data, engine=engine)
    assert done.rows == {table: len(log[table]) for table in TABLES}
    responses = list(log.responses.rows())
    for value in {row[field] for row in responses}:
        numbers = {row["response"] for row in responses if row[field] == value}
        name = (
            f"{field}={value.replace('/', '%2F').replace('=', '%3D')}"
            if value
            else f"{field}=__HIVE_DEFAULT_PARTITION__"
        )
        for table in ("responses", "choices", "tool_calls"):
            wanted = [row for row in log[table].rows() if row["response"] in numbers]
            path = tmp_path / "out" / table / name / "part-0.parquet"
            assert path.exists() == bool(wanted)
            if wanted:
                found = parquet.ParquetFile(path).read().to_pylist()
                for row in wanted:
                    row.pop(field, None)
                assert same_rows(found, wanted)
        check_tokens(tmp_path / "out", name, log, numbers)
    assert parquet.read_table(tmp_path / "out" / "problems.parquet").num_rows == len(log.problems)
    frame = pl.read_parquet(tmp_path / "out" / "responses", hive_partitioning=True)
    assert sorted(frame["response"].to_list()) == log.responses["response"].tolist()


def same_rows(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> bool:
    def plain(rows: list[dict[str, Any]]) -> list[str]:
        rows = [{k: None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows]
        return sorted(map(repr, rows))

    return plain(found) == plain(wanted)


def check_tokens(folder: Path, name: str, log: ssift.Log, numbers: set[int]) -> None:
    """Tokens of these responses, and their alternatives by the row numbers of the file."""
    wanted = [row for row in log.tokens.nested().rows() if row["response"] in numbers]
    path = folder / "tokens" / name / "part-0.parquet"
    assert path.exists() == bool(wanted)
    if not wanted:
        return
    tops = folder / "top_logprobs" / name / "part-0.parquet"
    rows = parquet.ParquetFile(path).read().to_pylist()
    alternatives: list[list[dict[str, Any]]] = [[] for _ in rows]
    for row in parquet.ParquetFile(tops).read().to_pylist() if tops.exists() else []:
        alternatives[row["token_row"]].append({key: row[key] for key in ("token", "logprob", "bytes")})
    for row, under in zip(rows, alternatives, strict=True):
        row["top_logprobs"] = under
        assert row.pop("top_count") == len(under)
        del row["top_start"], row["chunk"]
    for row in wanted:
        del row["chunk"]
    assert same_rows(rows, wanted)


def test_columns_and_responses_can_be_chosen(tmp_path: Path, engine: str) -> None:
    data = interleaved(6, 12)
    chosen = ["tokens.logprob", "tokens.token", "responses.model", "responses.response"]
    ssift.export(data, tmp_path / "out", columns=chosen, where={"model": ["m1", "m2"]}, engine=engine)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["responses.parquet", "tokens.parquet"]
    log = ssift.read(data, engine=engine, where={"model": ["m1", "m2"]})
    for table, names in {"tokens": ("token", "logprob"), "responses": ("response", "model")}.items():
        found = parquet.read_table(tmp_path / "out" / f"{table}.parquet")
        assert cells(found) == cells(pa.table(log[table].select(*names)))


def test_partitions_with_columns(tmp_path: Path, engine: str) -> None:
    data = interleaved(6, 12)
    ssift.export(
        data, tmp_path / "out", columns=["top_logprobs.logprob", "choices.content"], partition_by="model", engine=engine
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["choices", "top_logprobs"]
    log = ssift.read(data, engine=engine)
    found = pl.read_parquet(tmp_path / "out" / "top_logprobs", hive_partitioning=False)
    assert found.columns == ["logprob"]
    assert sorted(found["logprob"].to_list()) == sorted(log.top_logprobs["logprob"].tolist())


NAMES = ["m", "", "__HIVE_DEFAULT_PARTITION__", "é" * 200, "é" * 200 + "x", "x" * 249, "x" * 250, "a~@b%", ".."]


def test_every_model_has_a_folder_of_its_own(tmp_path: Path, engine: str) -> None:
    data = b"".join(answer(f"r{number}", "ab"[: number % 2 + 1], model=name) for number, name in enumerate(NAMES))
    done = ssift.export(data, tmp_path / "out", partition_by="model", engine=engine)
    found = {}
    for path in (tmp_path / "out" / "tokens").glob("*/part-0.parquet"):
        file = parquet.ParquetFile(path)
        found[file.schema_arrow.metadata[b"ssift.model"].decode()] = file.read()["token"].to_pylist()
        assert len(path.parent.name.encode()) <= 255
    assert found == {name: list("ab"[: number % 2 + 1]) for number, name in enumerate(NAMES)}
    marked = json.loads((tmp_path / "out" / "partitions.json").read_text())
    assert sorted(marked.values()) == sorted([NAMES[2], NAMES[3], NAMES[4], NAMES[6]])
    assert str(tmp_path / "out" / "partitions.json") in done.files
    assert all((tmp_path / "out" / "tokens" / name).is_dir() for name in marked)
    ssift.export(data, tmp_path / "out", partition_by="model", overwrite=True, to="csv", engine=engine)


def test_readers_give_back_every_name_that_is_not_marked(tmp_path: Path) -> None:
    data = b"".join(answer(f"r{number}", "a", model=name) for number, name in enumerate(NAMES))
    ssift.export(data, tmp_path / "out", partition_by="model", tables=["tokens"])
    marked = json.loads((tmp_path / "out" / "partitions.json").read_text())
    folder = tmp_path / "out" / "tokens"
    query = f"select model from read_parquet('{folder}/*/*.parquet', hive_partitioning = true)"
    for models in (
        pl.read_parquet(folder, hive_partitioning=True)["model"].to_list(),
        dataset.dataset(folder, partitioning="hive").to_table()["model"].to_pylist(),
        [model for (model,) in duckdb.sql(query).fetchall()],
    ):
        shown = {unquote(name).removeprefix("model="): value for name, value in marked.items()}
        assert sorted(shown.get(model, model) or "" for model in models) == sorted(NAMES)

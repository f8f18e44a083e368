"""ssift.sql and ``ssift sql``: the tables in DuckDB, and nothing else."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import ssift
from ssift.cli import main
from ssift.contract import TABLES
from ssift.sql import connect, connect_once
from ssift.streaming import TableStream
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import chunk, event, token
from tests.faces.terminal import Screen

JOIN = "select model, count(*) as n, avg(logprob) as mean from tokens join responses using (response) group by 1 order by 1"


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "log.sse").write_bytes(interleaved(5, 20) + LOG)
    return str(tmp_path / "log.sse")


def run(*arguments: str, given: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    given = given.decode() if isinstance(given, bytes) else given
    return subprocess.run(
        [sys.executable, "-m", "ssift", "sql", *arguments], input=given, capture_output=True, text=True
    )


def test_a_join_is_what_plain_loops_give(path: str, engine: str) -> None:
    log = ssift.read(path, engine=engine)
    model = {row["response"]: row["model"] for row in log.responses.rows()}
    values: dict[str, list[Any]] = {}
    for row in log.tokens.rows():
        values.setdefault(model[row["response"]], []).append(row["logprob"])
    rows = connect(path, engine=engine).execute(JOIN).fetchall()
    assert [(name, n) for name, n, _ in rows] == sorted((name, len(found)) for name, found in values.items())
    for name, _, mean in rows:
        known = [value for value in values[name] if value is not None]
        assert mean == pytest.approx(sum(known) / len(known))


def test_views_are_the_tables_and_can_be_read_again(path: str, engine: str) -> None:
    connection = connect(path, engine=engine, batch_size=1000)
    log = ssift.read(path, engine=engine)
    for table in TABLES:
        names = ", ".join(f'"{name}"' for name in log[table].column_names)
        for _ in range(2):
            found = pa.RecordBatchReader.from_stream(connection.sql(f"select {names} from {table}")).read_all()
            frame = pl.DataFrame(found).sort(pl.all(), nulls_last=True)
            assert frame.to_dict(as_series=False).keys() == log[table].to_pydict().keys()
            wanted = pl.DataFrame(log[table]).sort(pl.all(), nulls_last=True)
            assert frame.equals(wanted, null_equal=True)


def test_tokens_join_their_alternatives(path: str, engine: str) -> None:
    query = "select t.token, a.token from tokens t join top_logprobs a using (token_row) order by token_row, rank"
    log = ssift.read(path, engine=engine)
    token = log.tokens["token"].to_pylist()
    wanted = [(token[row["token_row"]], row["token"]) for row in log.top_logprobs.rows()]
    assert connect(path, engine=engine, batch_size=1000).execute(query).fetchall() == wanted
    assert connect_once(path, query, engine=engine).execute(query).fetchall() == wanted


def test_only_tables_that_are_named_are_read(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    tables = TableStream.tables

    def watched(stream: TableStream) -> Any:
        read.append(stream._table)
        return tables(stream)

    monkeypatch.setattr(TableStream, "tables", watched)
    connection = connect(path)
    assert read == []
    connection.execute("select count(*) from chunks").fetchall()
    assert read == ["chunks"]


@pytest.mark.parametrize(
    "query",
    [
        "select * from '{file}'",
        "select * from read_csv('{file}')",
        "select * from read_text('{file}')",
        "copy responses to '{out}'",
        "attach '{out}'",
        "install httpfs",
        "set enable_external_access = true",
        "select * from secret",
    ],
)
def test_queries_reach_the_tables_alone(path: str, tmp_path: Path, query: str) -> None:
    (tmp_path / "file.csv").write_text("a\n1\n")
    secret = pa.table({"a": [1]})
    assert secret.num_rows == 1
    with pytest.raises(duckdb.Error):
        connect(path).execute(query.format(file=tmp_path / "file.csv", out=tmp_path / "out.db")).fetchall()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file.csv", "log.sse"]


def test_an_open_connection_is_duckdb_as_it_is(path: str, tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("model,label\nm1,good\n")
    query = f"select label, count(*) from responses join '{tmp_path / 'labels.csv'}' using (model) group by 1"
    assert connect(path, closed=False).execute(query).fetchall() == [("good", 2)]


def test_errors_of_reading_come_through(tmp_path: Path) -> None:
    connection = connect([b"no stream"], errors="raise")
    with pytest.raises(duckdb.Error, match="not_sse"):
        connection.execute("select * from responses").fetchall()


def test_cursors_see_the_tables_and_nothing_else(path: str, engine: str) -> None:
    connection = connect(path, engine=engine)
    wanted = connection.execute(JOIN).fetchall()
    for cursor in (connection.cursor(), connection.duplicate(), connection.cursor().cursor()):
        assert isinstance(cursor, duckdb.DuckDBPyConnection)
        assert cursor.execute(JOIN).fetchall() == wanted
        assert cursor.execute("select max(token_row) + 1 from tokens").fetchone() == (len(ssift.read(path).tokens),)
        with pytest.raises(duckdb.Error):
            cursor.execute(f"select * from '{path}'")
        with pytest.raises(duckdb.Error):
            cursor.execute("set enable_external_access = true")
    with ThreadPoolExecutor(2) as threads:
        results = threads.map(lambda cursor: cursor.execute(JOIN).fetchall(), [connection.cursor() for _ in range(2)])
        assert list(results) == [wanted, wanted]
    assert pl.read_database(JOIN, connection).rows() == wanted
    assert duckdb.sql(JOIN, connection=connection).fetchall() == wanted


# -------------------------------------------------------------------------------------------------- command line


def test_a_query_and_its_rows(path: str, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select model, avg(logprob) from tokens join responses using (response) group by 1 order by 1"
    assert main(["sql", query, path, "--engine", engine]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["model", "avg(logprob)"]
    assert [row.split()[0] for row in rows] == ["m", "m0", "m1", "m2", "other/m=1"]


def test_formats_on_standard_output(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    query = 'select "index", list, token, bytes, logprob, count(*) over () as n, count(*) over () as n from tokens where response >= 5 order by token limit 3'
    names = ["index", "list", "token", "bytes", "logprob", "n", "n_1"]
    assert main(["sql", query, path, "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["columns"] == names
    assert [row["token"] for row in value["rows"]] == [" y", "=1+1", "Hi"]
    assert main(["sql", query, path, "--to", "jsonl"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == value["rows"]
    for options, first in (([], "'=1+1"), (["--formulas"], "=1+1")):
        assert main(["sql", query, path, "--to", "csv", *options]) == 0
        rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
        assert rows[0] == names
        assert rows[2][2] == first
        assert json.loads(rows[1][3]) == list(b" y")


def test_nulls_and_odd_values(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    query = "select null a, '' b, [1, null] e, date '2024-02-29' f, 'x\"y' g, true h"
    assert main(["sql", query, path, "--to", "csv"]) == 0
    assert capsys.readouterr().out == '"a","b","e","f","g","h"\n,"","[1,null]","2024-02-29","x""y",True\n'
    assert main(["sql", f"{query}, 'inf'::double c, 2::hugeint ** 100 d", path, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert (row["a"], row["c"], row["e"], row["f"]) == (None, float("inf"), [1, None], "2024-02-29")
    assert main(["sql", "select 170141183460469231731687303715884105727::hugeint as n", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"n": "170141183460469231731687303715884105727"}]


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv", "jsonl", "json"])
def test_files(path: str, tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"out.{ending}"
    assert main(["sql", "select model, chunk_count from responses order by response", path, "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    log = ssift.read(path)
    wanted = list(zip(log.responses["model"].to_pylist(), log.responses["chunk_count"].tolist(), strict=True))
    if ending == "json":
        rows = [tuple(row.values()) for row in json.loads(out.read_text())["rows"]]
    else:
        readers = {"parquet": pl.read_parquet, "arrow": pl.read_ipc, "csv": pl.read_csv, "jsonl": pl.read_ndjson}
        rows = readers[ending](out).rows()
    assert [(model or "", count) for model, count in rows] == wanted


def test_standard_input_is_read_once(path: str) -> None:
    data = Path(path).read_bytes()
    done = run("select count(*) as n from tokens t join responses using (response)", "-", "--to", "csv", given=data)
    assert done.stdout == f'"n"\n{len(ssift.read(path).tokens)}\n'
    assert run("-", given=data).returncode == 2


def test_without_a_query_statements_are_read_line_by_line(path: str) -> None:
    given = "select count(*) as n\nfrom responses;\nselect nonsense;\n.tables\n.nothing\n\nselect 'still', 'here'"
    done = run(path, given=given)
    lines = done.stdout.splitlines()
    assert [line.strip() for line in lines[:2]] == ["n", str(len(ssift.read(path).responses))]
    assert [line.partition(":")[0] for line in lines[2:9]] == list(TABLES)
    assert lines[2 + TABLES.index("tokens")].endswith("top_count, token_row")
    assert lines[-1].split() == ["still", "here"]
    assert "nonsense" in done.stderr
    assert ".nothing: no such command" in done.stderr
    assert done.returncode == 2
    assert run(path, given=".quit\nselect nonsense;").returncode == 0


def test_a_query_that_is_wrong(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", "select nothing from tokens", path]) == 2
    assert re.match(r"ssift: Binder Error: .*nothing", capsys.readouterr().err)
    assert main(["sql", "select 1"]) == 2
    assert "no path" in capsys.readouterr().err
    assert main(["sql", "select 1", path, "--to", "parquet"]) == 2
    assert "needs -o FILE" in capsys.readouterr().err


def test_text_from_a_log_cannot_steer_a_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.sse").write_bytes(event(chunk(logprobs=[token("\x1b[31mred\nline", -1.0)])))
    assert main(["sql", "select token from tokens", str(tmp_path / "log.sse")]) == 0
    assert capsys.readouterr().out == "token\n\\x1b[31mred\\nline\n"


def test_a_terminal_gets_the_first_rows(path: str) -> None:
    from ssift.cli import results
    from ssift.cli.terminal import Terminal

    screen = Screen()
    results.table(
        connect(path).execute("select range as n, repeat('x', 100) as long from range(2500)"), Terminal(screen)
    )
    lines = screen.getvalue().splitlines()
    assert len(lines) == 42
    assert "2,460 more rows" in lines[-1]
    assert all(len(line) < 100 for line in lines)


@pytest.mark.parametrize(
    "query",
    [
        "-- how many\nselect 5 as n",
        "--\n\n  -- two\nselect 5 as n",
        "/* how\n many */ select 5 as n",
        "select--\n5 as n",
        "/**/(select 5 as n)",
    ],
)
def test_a_query_may_begin_with_comments(path: str, query: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sql", query, path, "--to", "csv"]) == 0
    assert capsys.readouterr().out == '"n"\n5\n'


def test_an_error_of_the_database_shows_the_place_on_lines_of_its_own(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sql", "select toke from tokens", path]) == 2
    said = capsys.readouterr().err
    assert "\nLINE 1: select toke from tokens\n" in said
    assert "\\n" not in said
    assert main(["sql", "select '\x1b[31m'::int", path]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "kind"),
    [("interval 1 day", "month_day_nano_interval"), ("union_value(a := 1)", "union"), ("[interval 1 day]", "interval")],
)
def test_a_type_that_parquet_does_not_know(
    path: str, tmp_path: Path, value: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out, query = tmp_path / "out.parquet", f"select 1 as a, {value} as odd"
    assert main(["sql", query, path, "-o", str(out)]) == 2
    said = capsys.readouterr().err
    assert re.match(f"ssift: Parquet has no type for the column odd, which is .*{kind}", said)
    assert '"odd"::varchar' in said
    assert not out.exists()
    assert main(["sql", query.replace(value, f"({value})::varchar"), path, "-o", str(out)]) == 0
    for ending in ("arrow", "csv", "jsonl"):
        assert main(["sql", query, path, "-o", str(tmp_path / f"out.{ending}")]) == 0

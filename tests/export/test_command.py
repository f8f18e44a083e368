"""``ssift export``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import ssift
from ssift.cli import main
from ssift.contract import TABLES
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import answer, chunk, event


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "log.sse").write_bytes(interleaved(5, 20) + LOG)
    return str(tmp_path / "in" / "log.sse")


def test_one_file_is_of_tokens(path: str, tmp_path: Path, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.parquet"
    assert main(["export", path, "-o", str(out), "--engine", engine]) == 0
    assert pl.read_parquet(out).equals(pl.DataFrame(ssift.read(path, engine=engine).tokens))
    said = capsys.readouterr()
    assert f"tokens  {len(ssift.read(path).tokens)}" in said.out
    assert f"{out} written" in said.out
    assert "2 places could not be read; ssift check shows them" in said.err


def test_a_folder_is_of_all_tables(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", path, "-o", f"{tmp_path}/out", "--to", "csv", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    log = ssift.read(path)
    assert said["rows"] == {table: len(log[table]) for table in TABLES}
    assert said["problems"] == len(log.problems)
    assert sorted(said["files"]) == sorted(str(tmp_path / "out" / f"{table}.csv") for table in TABLES)


def test_choices_of_rows_and_columns(path: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    chosen = ["--where", "model=m1", "--where", "model=m2", "--where", "status=complete", "--column", "tokens.token"]
    assert main(["export", path, "-o", str(out), *chosen, "--column", "responses.model"]) == 0
    log = ssift.read(path, where={"model": ["m1", "m2"], "status": "complete"})
    assert pl.read_parquet(out / "tokens.parquet").to_dict(as_series=False) == log.tokens.select("token").to_pydict()
    assert pl.read_parquet(out / "responses.parquet")["model"].to_list() == log.responses["model"].to_pylist()
    assert main(["export", path, "-o", str(out), "--overwrite", "--table", "chunks", "--partition-by", "status"]) == 0
    assert sorted(folder.name for folder in (out / "chunks").iterdir()) == [
        "status=complete",
        "status=truncated",
    ]


def test_standard_output(path: str) -> None:
    command = [sys.executable, "-m", "ssift", "export", "-", "-o", "-", "--to", "jsonl", "--table", "responses"]
    done = subprocess.run(command, input=Path(path).read_bytes(), capture_output=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == ssift.read(path).responses["id"].to_pylist()


@pytest.mark.parametrize("field", ["model", "finish_reason"])
def test_nothing_behind_the_equals_sign_is_a_field_that_was_not_sent(tmp_path: Path, field: str) -> None:
    path, out = tmp_path / "log.sse", tmp_path / "out.parquet"
    path.write_bytes(event(chunk({"content": "x"}, None, id="a", model=None)) + answer("b", "x"))
    assert main(["export", str(path), "-o", str(out), "--table", "responses", "--where", f"{field}="]) == 0
    assert pl.read_parquet(out)["id"].to_list() == ["a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{log}", "-o", "{folder}/x.txt"], "its ending is none of"),
        (["{log}", "-o", "{log}", "--to", "csv"], "it is one of the inputs"),
        (["{folder}/in", "-o", "{folder}/in/out"], "is read, and would hold it from then on"),
        (["{log}", "-o", "{folder}/x.parquet", "--where", "model"], "--where model: write FIELD=VALUE"),
        (["{log}", "-o", "{folder}/x.parquet", "--where", "id=1"], "responses are chosen by"),
        (["{log}", "-o", "{folder}/x.parquet", "--table", "token"], "there is no table 'token'"),
        (["{log}", "-o", "{folder}/in"], "the folder is not empty"),
        (["{log}", "-o", "-"], "say the format"),
    ],
)
def test_what_cannot_be(
    path: str, tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path(path).read_bytes()
    assert main(["export", *(argument.format(log=path, folder=tmp_path) for argument in arguments)]) == 2
    assert message in capsys.readouterr().err
    assert Path(path).read_bytes() == before
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["in", "log.sse"]

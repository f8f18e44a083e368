"""Outputs: files and folders whole or not at all, cells that are safe, arguments that do not go together."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from pyarrow import parquet

import ssift
from ssift.destination import OutputError, whole_file, whole_folder
from ssift.exporting import export, format_of
from ssift.exporting.cells import json_line
from tests.arrow.mixed import LOG
from tests.faces.logs import chunk, event, token


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_replaces_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "tokens.parquet"
    out.write_text("old")
    ssift.export(LOG, out)
    assert parquet.read_table(out).num_rows == len(ssift.read(LOG).tokens)
    assert names(tmp_path) == ["tokens.parquet"]


@pytest.mark.parametrize("out", ["tokens.parquet", "tokens.csv", "folder/"])
def test_after_a_failure_everything_is_as_it_was(tmp_path: Path, out: str) -> None:
    def pieces() -> Any:
        yield LOG
        raise OSError("the disk is gone")

    (tmp_path / "tokens.parquet").write_text("old")
    with pytest.raises(OSError, match="the disk is gone"):
        ssift.export(pieces(), str(tmp_path / out))
    assert names(tmp_path) == ["tokens.parquet"]
    assert (tmp_path / "tokens.parquet").read_text() == "old"


def test_a_problem_with_raise_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ssift.ProblemError):
        ssift.export(LOG, tmp_path / "out", errors="raise")
    assert names(tmp_path) == []


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(OutputError, match="not empty"):
            ssift.export(LOG, out, overwrite=overwrite)
    assert names(tmp_path) == ["out"]
    assert names(out) == ["mine.txt"]


@pytest.mark.parametrize(
    "mine", ["tokens/notes.txt", "tokens.txt", "tokens/model=a/mine.parquet", "deep/tokens.parquet"]
)
def test_what_looks_like_an_export_but_holds_more_is_left_alone(tmp_path: Path, mine: str) -> None:
    out = tmp_path / "out"
    ssift.export(LOG, out, partition_by="model")
    (out / mine).parent.mkdir(parents=True, exist_ok=True)
    (out / mine).write_text("mine")
    with pytest.raises(OutputError, match="not empty"):
        ssift.export(LOG, out, overwrite=True)
    assert (out / mine).read_text() == "mine"


def test_a_folder_of_an_export_is_replaced_when_asked(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    ssift.export(LOG, out, to="csv")
    with pytest.raises(OutputError, match="not empty"):
        ssift.export(LOG, out)
    ssift.export(LOG, out, overwrite=True, partition_by="model")
    ssift.export(LOG, out, overwrite=True, tables=("tokens", "problems"))
    assert names(out) == ["problems.parquet", "tokens.parquet"]
    assert names(tmp_path) == ["out"]


def test_whole_folder_puts_back_what_it_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    target = tmp_path / "out"
    target.mkdir()
    (target / "old").write_text("old")
    rename, calls = os.rename, []

    def failing(source: Any, place: Any) -> None:
        calls.append(source)
        if len(calls) == 2:
            raise OSError("no")
        rename(source, place)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="no"), whole_folder(target, lambda folder: True) as folder:
        (folder / "new").write_text("new")
    assert names(tmp_path) == ["out"]
    assert names(target) == ["old"]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="it is a file"), whole_folder(tmp_path / "file", lambda folder: True):
        pass
    with (
        pytest.raises(OutputError, match="there is no folder"),
        whole_folder(tmp_path / "a" / "b", lambda folder: True),
    ):
        pass
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "a" / "b"):
        pass


def test_an_open_file(tmp_path: Path) -> None:
    file = io.BytesIO()
    done = ssift.export(LOG, file, to="parquet", tables=["responses"])
    assert parquet.read_table(io.BytesIO(file.getvalue())).num_rows == done.rows["responses"]
    assert done.files == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"out": "x.txt"}, "its ending is none of .parquet"),
        ({"out": "x.parquet", "to": "xlsx"}, "use one of parquet, ipc, csv, jsonl"),
        ({"out": "x.parquet", "tables": ("tokens", "chunks")}, "a file holds one table"),
        ({"out": "x.parquet", "partition_by": "model"}, "needs a folder"),
        ({"out": "x", "partition_by": "id"}, "use one of model, status"),
        ({"out": "x.csv", "compression": "zstd"}, "with parquet or ipc"),
        ({"out": "x.parquet", "compression": "lz4"}, "zstd or none"),
        ({"out": "x.parquet", "formulas": True}, "formulas=True goes with csv, not parquet"),
        ({"out": "x.parquet", "tables": ("token",)}, "there is no table 'token'"),
        ({"out": "x.parquet", "where": {"id": "a"}}, "responses are chosen by"),
    ],
)
def test_arguments_that_do_not_go_together(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    out = tmp_path / arguments.pop("out")
    with pytest.raises(ValueError, match=message):
        export(LOG, out, **arguments)
    assert names(tmp_path) == []


def test_endings() -> None:
    found = [format_of(name) for name in ("a.parquet", "b.PQ", "c.arrow", "d.ipc", "e.csv", "f.ndjson", "g", "h.txt")]
    assert found == ["parquet", "parquet", "ipc", "ipc", "csv", "jsonl", None, None]


def test_without_pyarrow_the_extra_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\nimport ssift\n"
        f"try: ssift.export(b'', {str(tmp_path / 'x.parquet')!r})\n"
        "except ssift.SsiftError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == "this needs pyarrow, which is not installed: pip install 'ssift[arrow]'\n"


# --------------------------------------------------------------------------------------------------------- cells

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "'=1",
    "''@",
    "\uff1d1",
    "\uff0b",
    "\uff0d",
    "\uff20",
]
HARMLESS = ["a", "", " =1", "'", "'a", "1-1", '"=1"', "a=1", "né"]


def test_cells_that_a_spreadsheet_would_run(tmp_path: Path) -> None:
    import csv

    data = event(chunk(logprobs=[token(text, -1.0) for text in FORMULAS + HARMLESS]))
    ssift.export(data, tmp_path / "safe.csv", columns=["tokens.token"])
    ssift.export(data, tmp_path / "raw.csv", columns=["tokens.token"], formulas=True)
    with (tmp_path / "safe.csv").open(newline="") as safe, (tmp_path / "raw.csv").open(newline="") as raw:
        assert [row[0] for row in csv.reader(safe)][1:] == ["'" + text for text in FORMULAS] + HARMLESS
        assert [row[0] for row in csv.reader(raw)][1:] == FORMULAS + HARMLESS


def test_infinities_in_json_lines_are_numbers_out_of_range() -> None:
    line = json_line({"a": float("inf"), "b": float("-inf"), "c": float("nan"), "d": b"\xff", "e": None})
    assert line == b'{"a":1e999,"b":-1e999,"c":null,"d":[255],"e":null}\n'
    assert json.loads(line)["b"] == float("-inf")
    with pytest.raises(orjson.JSONDecodeError):  # some say that they cannot: better than a null that nobody sees
        orjson.loads(line)

"""On a cluster comes out what comes out on one machine: also when workers and nodes go away, and files are bad."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ssift.contract import TABLES
from tests.agreement.logs import MAKERS
from tests.conftest import ENGINES
from tests.faces.logs import ANSWER, BROKEN, answer, chunk, event
from tests.partitions.together import NUMBERS

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]
FIELDS = ["token", "logprob", "list", "index", "position"]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Whole, interleaved, damaged and compressed logs of every style."""
    import gzip

    import replay

    folder = tmp_path_factory.mktemp("logs")
    for style in replay.STYLES:
        (folder / f"{style}.sse").write_bytes(replay.make(style, 20_000, 1, 1)[0])
    for seed in range(4):
        made = [MAKERS[kind](Random(seed)) for kind in ("sse", "regular", "sse")]
        (folder / f"made-{seed}.sse").write_bytes(b"\n\n".join(made))
    answers = [answer(f"r{n}", "abc", model="ab"[n % 2]) for n in range(60)]
    (folder / "many.sse").write_bytes(b"".join(answers) + BROKEN)
    (folder / "one.sse.gz").write_bytes(gzip.compress(ANSWER))
    call = {"index": 0, "id": "call", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    (folder / "calls.sse").write_bytes(
        b"".join(event(chunk({"tool_calls": [call]}, "stop", id=f"t{n}")) for n in "abc")
    )
    long = [event(chunk({"content": "x"}, end, id="long")) for end in (None, "stop")]
    (folder / "turns.sse").write_bytes(answers[0] + long[0] + b"".join(answers[1:30]) + long[1] + answers[31])
    return folder


@pytest.mark.parametrize("size", ["1kiB", "20kB", "1MB"])
@pytest.mark.parametrize("engine", ENGINES)
def test_figures_are_those_of_one_machine(cluster: Any, logs: Path, size: str, engine: str) -> None:
    import ssift.ray

    told: list[int] = []
    there = ssift.ray.summarize(
        logs, by="model", size=size, engine=engine, progress=lambda done, total: told.append(done)
    )
    assert there == ssift.summarize(logs, by="model", engine=engine)
    assert told == sorted(told)
    assert told[-1] == sum(path.stat().st_size for path in logs.iterdir())


def in_order(tokens: Any) -> Any:
    """Tokens as they stand in the log: Ray gives blocks as they are ready, in each of them rows are in order."""
    return tokens.sort_values("chunk", kind="stable")


def test_a_dataset_has_the_rows_of_one_machine(cluster: Any, logs: Path) -> None:
    import ssift.ray

    here = ssift.read(logs, tables=["tokens"]).tokens
    data = ssift.ray.read(logs, size="2kB").select_columns(["response", "chunk", *FIELDS])
    rows = in_order(data.to_pandas())
    assert data.count() == len(rows) == len(here)
    for field in FIELDS:
        mine = here[field].tolist() if isinstance(here[field], np.ndarray) else here[field].to_pylist()
        assert [repr(value) for value in rows[field].tolist()] == [repr(value) for value in mine], field
    again = in_order(ssift.ray.read(logs, size="2kB", columns="chunk").to_pandas())
    assert again["chunk"].tolist() == rows["chunk"].tolist()
    assert rows["chunk"].nunique() == len(np.unique(here["chunk"]))
    assert rows["response"].nunique() == len(np.unique(here["response"]))


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_the_rows_of_one_machine(cluster: Any, logs: Path, table: str) -> None:
    import pyarrow as pa
    import ray

    import ssift.ray

    there = pa.concat_tables(ray.get(ssift.ray.read(logs, table, size="2kB").to_arrow_refs()))
    parts = ssift.partitions(logs, "2kB", tables=(table,))
    assert len(parts) > 10
    divided = pa.concat_tables(pa.table(ssift.read_partition(part)[table]) for part in parts)
    assert there.schema == divided.schema
    assert sorted(map(repr, there.to_pylist())) == sorted(map(repr, divided.to_pylist()))
    plain = [name for name in there.column_names if name not in NUMBERS]
    here = pa.table(ssift.read(logs, tables=[table])[table])
    assert len(here) > 0
    assert sorted(map(repr, there.select(plain).to_pylist())) == sorted(map(repr, here.select(plain).to_pylist()))


def test_columns_and_limits_go_down(cluster: Any, logs: Path) -> None:
    import ssift.ray

    found = ssift.ray.datasource(logs, size="2kB")
    narrow = found.apply_projection({"token": "token"})
    (table,) = list(narrow.get_read_tasks(1, per_task_row_limit=2)[-1]())
    assert table.column_names == ["token"]
    assert table.num_rows == 2
    assert narrow.estimate_inmemory_data_size() < found.estimate_inmemory_data_size()
    assert ssift.ray.read(logs).select_columns(["token"]).limit(7).take_all()[0].keys() == {"token"}
    responses = ssift.ray.read(logs, "responses", where={"model": "a", "status": "complete"}, size="2kB")
    assert responses.count() == len(ssift.read(logs, where={"model": "a", "status": "complete"}).responses)


def test_partitions_without_rows_have_the_columns(cluster: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    import ray

    import ssift.ray

    (tmp_path / "a.sse").write_bytes(answer("a", "abc"))
    (tmp_path / "b.sse").write_bytes(b"")
    data = ssift.ray.read(tmp_path, size=1)
    tables = ray.get(data.to_arrow_refs())
    assert sum(len(table) for table in tables) == 3
    assert pa.concat_tables(tables).schema == pa.table(ssift.read(b"").tokens).schema
    nothing = ssift.ray.read(tmp_path / "b.sse", columns=["logprob", "token"])
    assert nothing.schema().names == ["logprob", "token"]  # what to_pandas makes of no rows is Ray's matter
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.sse").symlink_to(tmp_path / "nothing")
    none = ssift.ray.read(tmp_path / "bad", unreadable="skip")
    assert none.schema().names == list(ssift.read(b"").tokens.columns)
    assert ssift.ray.read(tmp_path / "a.sse", "tool_calls").schema().names == list(ssift.read(b"").tool_calls.columns)


def test_parquet_in_parts(cluster: Any, logs: Path, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    import ssift.ray

    tables = ["tokens", "top_logprobs", "responses"]
    done = ssift.ray.export(logs, tmp_path / "out", tables=tables, size="20kB")
    here = ssift.read(logs, tables=tables)
    assert done.rows == {table: len(here[table]) for table in done.rows}
    assert done.problems == len(here.problems)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(tables)
    tokens = pq.read_table(tmp_path / "out" / "tokens")
    tops = pq.read_table(tmp_path / "out" / "top_logprobs")
    assert tokens["token"].to_pylist() == here.tokens["token"].to_pylist()
    assert tops["token"].to_pylist() == here.top_logprobs["token"].to_pylist()
    with pytest.raises(ssift.SsiftError):
        ssift.ray.export(logs, tmp_path / "out", tables=tables)
    assert ssift.ray.export(logs, tmp_path / "out", tables="tokens", overwrite=True).rows == {
        "tokens": len(here.tokens)
    }


def workers_of(node: Any) -> list[int]:
    """The processes at work on a task of ssift that a node of this cluster has started."""
    (raylet,) = node.all_processes["raylet"]
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                name = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == raylet.process.pid and name.startswith(b"ray::ssift"):
                found.append(int(entry.name))
    return found


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Work for the Python engine that takes a while."""
    for name in "abc":
        body = b"".join(answer(f"{name}{n}", "abcdefgh" * 8, model=name) for n in range(60))
        (tmp_path / name).write_bytes(body)
    return tmp_path


def test_a_worker_that_is_killed(cluster: Any, large: Path) -> None:
    import ssift.ray

    killed: list[int] = []

    def kill(done: int, total: int | None) -> None:
        for node in cluster.list_all_nodes():
            for process in () if killed else workers_of(node):
                os.kill(process, signal.SIGKILL)
                killed.append(process)

    there = ssift.ray.summarize(large, by="model", size="20kB", engine="python", progress=kill)
    assert killed
    assert there == ssift.summarize(large, by="model", engine="python")


def test_a_node_that_is_killed_and_one_that_comes(
    cluster: Any, large: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    import ssift.ray

    out = tmp_path_factory.mktemp("out") / "tables"
    calls: list[int] = []

    def change(done: int, total: int | None) -> None:
        calls.append(done)
        if len(calls) == 2:
            (worker,) = [node for node in cluster.list_all_nodes() if not node.head]
            cluster.remove_node(worker, allow_graceful=False)
        if len(calls) == 5:
            cluster.add_node(num_cpus=1, object_store_memory=80 << 20)

    there = ssift.ray.summarize(large, by="model", size="20kB", engine="python", progress=change)
    assert len(calls) > 10
    assert there == ssift.summarize(large, by="model", engine="python")
    calls.clear()
    done = ssift.ray.export(large, out, tables="tokens", size="20kB", engine="python", progress=change)
    assert done.rows["tokens"] == there.counts["tokens"]
    assert sorted(path.name for path in out.iterdir()) == ["tokens"]


def test_the_first_failure_ends_the_others(cluster: Any, large: Path) -> None:
    import ssift.ray

    (large / "0").write_bytes(BROKEN)
    told: list[int] = []
    with pytest.raises(ssift.ProblemError, match="not valid JSON"):
        ssift.ray.summarize(
            large, size="3kB", engine="python", errors="raise", progress=lambda done, total: told.append(done)
        )
    assert len(told) < 30 < len(ssift.partitions(large, "3kB"))


def test_an_interrupt_leaves_nothing(cluster: Any, large: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    import ssift.ray

    folder = tmp_path_factory.mktemp("out")

    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ssift.ray.export(large, folder / "tables", tables="tokens", size="20kB", engine="python", progress=interrupt)
    assert not list(folder.iterdir())
    assert ssift.ray.export(large, folder / "tables", tables="tokens", size="1MB").rows["tokens"] > 0


def test_a_bad_file_among_many(cluster: Any, large: Path) -> None:
    import ssift.ray

    good = ssift.summarize(large)
    (large / "bad").symlink_to(large / "nothing")
    (large / "cut.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(ssift.ReadError, match="bad"):
        ssift.ray.summarize(large)
    with pytest.warns(ssift.ray.UnreadWarning, match="1 file could not be read whole") as warned:
        there = ssift.ray.summarize(large, unreadable="skip")
    assert list(warned[0].message.unread) == [str(large / "bad")]  # type: ignore[union-attr]
    assert there.counts["tokens"] == good.counts["tokens"]
    assert there.problem_kind == {"compression": 1}
    with pytest.warns(ssift.ray.UnreadWarning):
        assert ssift.ray.read(large, unreadable="skip").count() == good.counts["tokens"]


def test_a_file_that_goes_away_in_between(cluster: Any, large: Path) -> None:
    import ssift.ray

    data = ssift.ray.read(large, unreadable="skip", size="20kB")
    strict = ssift.ray.read(large, size="20kB")
    (large / "b").unlink()
    assert data.count() == ssift.summarize(large).counts["tokens"]
    with pytest.raises(Exception, match="no such file"):
        strict.count()


def test_the_command(cluster: Any, logs: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from ssift.cli import main

    assert main(["stats", str(logs), "--by", "model", "--json", "--ray"]) == 0
    there = json.loads(capfd.readouterr().out)
    assert main(["stats", str(logs), "--by", "model", "--json"]) == 0
    assert there == json.loads(capfd.readouterr().out)
    assert main(["export", str(logs), "-o", str(tmp_path / "out"), "--table", "tokens", "--json", "--ray"]) == 0
    facts = json.loads(capfd.readouterr().out)
    assert facts["rows"] == {"tokens": there["tokens"]}
    assert all(Path(file).exists() for file in facts["files"])
    assert main(["stats", str(logs), "--latency", "--ray"]) == 2
    assert "--latency" in capfd.readouterr().err
    assert main(["export", str(logs), "-o", str(tmp_path / "tokens.csv"), "--ray"]) == 2


def test_the_first_problem_is_raised_as_it_is_here(cluster: Any, logs: Path) -> None:
    import ssift.ray

    with pytest.raises(ssift.ProblemError, match="not valid JSON") as raised:
        ssift.ray.summarize(logs / "many.sse", errors="raise", size="2kB")
    with pytest.raises(ssift.ProblemError) as here:
        ssift.read(logs / "many.sse", errors="raise")
    assert (raised.value.offset, raised.value.line) == (here.value.offset, here.value.line)

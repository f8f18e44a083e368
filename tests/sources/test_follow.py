"""A log that grows while it is read: events cut anywhere, rotation, truncation, the end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ssift
from ssift.contract import TABLES
from ssift.statistics import Summary
from tests.containers.wrapping import cri, docker, timestamped
from tests.faces.logs import ANSWER, BROKEN, CUT, answer, chunk, event
from tests.faces.terminal import Screen
from tests.sources.packing import PACK
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(os.name == "nt", reason="an open file cannot be renamed there")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "growing.sse"


def grow(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def rows(logs: list[ssift.Log]) -> dict[str, list[dict[str, Any]]]:
    found = {table: [row for log in logs for row in log[table].rows()] for table in TABLES}
    for table in ("responses", "choices", "tool_calls"):
        found[table].sort(key=lambda row: row["response"])
    return found


def follow(path: Path, engine: str, **options: Any) -> Any:
    return ssift.follow(path, interval=0, engine=engine, **options)


def test_what_is_there_comes_first_even_when_it_is_nothing(path: Path, engine: str) -> None:
    path.write_bytes(b"")
    with follow(path, engine) as logs:
        log = next(logs)
        assert (len(log.chunks), log.sources, log.unfinished) == (0, (), None)
        grow(path, ANSWER)
        log = next(logs)
        assert len(log.chunks) == 5
        assert (log.unfinished.bytes, log.unfinished.counts.done, log.sources) == (len(ANSWER), 1, ())


@pytest.mark.parametrize("step", [1, 7, 100, 5000])
def test_all_logs_together_are_the_log(path: Path, engine: str, step: int) -> None:
    data = b"\xef\xbb\xbf" + ANSWER + BROKEN + ANSWER + CUT
    if step == 1:
        data = data[: -len(ANSWER + CUT)]
    path.write_bytes(b"")
    with follow(path, engine) as following:
        logs = [next(following)]
        for start in range(0, len(data), step):
            grow(path, data[start : start + step])
            logs.append(next(following))
            assert not [problem for problem in logs[-1].problems.rows() if problem["kind"] == "truncated"]
        following.stop()
        logs += following
    whole = ssift.read(path, engine=engine)
    assert rows(logs) == rows([whole])
    assert [source for log in logs for source in log.sources] == list(whole.sources)


def test_an_event_that_is_not_whole_is_waited_for(path: Path, engine: str) -> None:
    path.write_bytes(ANSWER + CUT)
    with follow(path, engine) as logs:
        log = next(logs)
        assert (len(log.chunks), len(log.problems), log.unfinished.bytes) == (5, 0, len(ANSWER))
        grow(path, b'ontent"}}]}\n')
        assert len(next(logs).chunks) == 0
        grow(path, b"\n")
        assert len(next(logs).chunks) == 1


def test_a_rotated_log_is_read_to_its_end_and_then_the_new_one(path: Path, engine: str) -> None:
    path.write_bytes(answer("a", "x"))
    with follow(path, engine) as following:
        logs = [next(following)]
        old = path.rename(path.with_suffix(".1"))
        grow(old, answer("b", "y"))
        logs.append(next(following))
        assert len(logs[-1].sources) == 0
        grow(old, answer("c", "z"))
        path.write_bytes(answer("d", "new"))
        while not logs[-1].sources:
            logs.append(next(following))
        following.stop()
        logs += following
    assert [row["content"] for row in rows(logs)["choices"]] == ["x", "y", "z", "new"]
    sources = [source for log in logs for source in log.sources]
    assert [source.name for source in sources] == [str(path)] * 2
    assert [source.bytes for source in sources] == [old.stat().st_size, path.stat().st_size]
    assert rows(logs)["problems"] == []
    assert [row["response"] for row in rows(logs)["responses"]] == [0, 1, 2, 3]


def test_a_log_that_became_shorter_is_read_again_and_that_is_noted(path: Path, engine: str) -> None:
    path.write_bytes(ANSWER + CUT)
    with follow(path, engine) as following:
        logs = [next(following)]
        path.write_bytes(b"")
        logs.append(next(following))
        assert logs[-1].problems["kind"].to_pylist() == ["truncated"]
        assert logs[-1].problems["offset"].tolist() == [len(ANSWER)]
        grow(path, answer("b", "new"))
        logs.append(next(following))
        following.stop()
        logs += following
    (problem,) = logs[2].problems.rows()
    assert problem["message"] == "the file became shorter while it was followed; it is read again from its start"
    assert (problem["kind"], problem["offset"], problem["line"]) == ("truncated", 0, 1)
    assert [row["content"] for row in rows(logs)["choices"]] == ["Hi you", "new"]


def test_nuls_that_copying_and_truncating_leaves_are_blank(path: Path, engine: str) -> None:
    path.write_bytes(b"\0" * 1000)
    with follow(path, engine) as logs:
        assert next(logs).unfinished is None
        grow(path, b"\0" * 1000 + ANSWER)
        log = next(logs)
        assert log.unfinished.account["blank"] > 2000
        logs.stop()
        (last,) = logs
        assert len(last.problems) == 0
        assert last.sources[0].bytes == 2000 + len(ANSWER)


@pytest.mark.parametrize("data", [ANSWER, b": ping\n\n" + ANSWER, b"event: x\n" + ANSWER])
def test_an_event_stream_is_known_from_its_first_lines(path: Path, engine: str, data: bytes) -> None:
    path.write_bytes(data[:3])
    with follow(path, engine) as logs:
        next(logs)
        grow(path, data[3:])
        assert next(logs).unfinished.framing == "sse"


def test_json_lines_are_known_from_the_first(path: Path, engine: str) -> None:
    line = json.dumps(chunk({"content": "a"})).encode() + b"\n"
    path.write_bytes(line[:20])
    with follow(path, engine) as logs:
        assert next(logs).unfinished is None
        grow(path, line[20:])
        log = next(logs)
        assert (log.unfinished.framing, len(log.chunks)) == ("jsonl", 1)


def test_the_last_lines_count_when_following_ends(path: Path, engine: str) -> None:
    path.write_bytes(b'{"choices":[]')
    with follow(path, engine) as logs:
        next(logs)
        logs.stop()
        (last,) = logs
        assert last.problems["kind"].to_pylist() == ["truncated"]
        assert list(logs) == []


def test_a_large_log_comes_in_batches(path: Path) -> None:
    path.write_bytes(ANSWER * (40_000_000 // len(ANSWER)))
    with ssift.follow(path, interval=1000, engine="native") as logs:
        first, second = next(logs), next(logs)
        assert len(first.chunks) > 1000 < len(second.chunks)


@pytest.mark.parametrize(("data", "said"), [(PACK["gzip"](ANSWER), "gzip"), ("\ufeffx".encode("utf-16-le"), "UTF-16")])
def test_what_cannot_be_followed_says_so(path: Path, data: bytes, said: str) -> None:
    path.write_bytes(data)
    with pytest.raises(ssift.ReadError, match=f"{said}; only plain text can be followed"), ssift.follow(path) as logs:
        next(logs)


@pytest.mark.parametrize(("pack", "said"), [(docker, "docker"), (cri, "cri"), (timestamped, "timestamped")])
@pytest.mark.parametrize("first", [7, 100_000])
def test_a_container_is_not_followed_as_if_it_were_a_stream(
    path: Path, engine: str, pack: Callable[[bytes], bytes], said: str, first: int
) -> None:
    packed = pack(ANSWER)
    path.write_bytes(packed[:first])
    with follow(path, engine) as logs:
        if packed[first:]:
            assert next(logs).unfinished is None
            grow(path, packed[first:])
        with pytest.raises(ssift.ReadError, match=f"looks like {said}; only event streams"):
            next(logs)


def test_arguments_are_looked_at_at_once(path: Path) -> None:
    with pytest.raises(ssift.NotFoundError, match="no such file"):
        ssift.follow(path)
    path.write_bytes(b"")
    for wrong in ({"errors": "ignore"}, {"interval": -1.0}, {"tables": "token"}, {"group": "x"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ssift.follow(path, **wrong)  # type: ignore[arg-type]


def test_the_first_problem_may_be_raised(path: Path, engine: str) -> None:
    path.write_bytes(ANSWER + BROKEN)
    with pytest.raises(ssift.ProblemError, match="line 13"), follow(path, engine, errors="raise") as logs:
        next(logs)


def test_figures_so_far_hold_the_unfinished_file(path: Path, engine: str) -> None:
    path.write_bytes(ANSWER + CUT)
    with follow(path, engine) as logs:
        log = next(logs)
        summary = Summary()
        summary.add(log)
        figures = summary.so_far(log).to_dict()
        assert (figures["bytes"], figures["events"], figures["sources"], figures["responses"]) == (len(ANSWER), 6, 1, 1)
        assert summary.counts["bytes"] == 0


# ------------------------------------------------------------------------------------------------ on the command line


@pytest.fixture
def command(path: Path) -> Iterator[Any]:
    """``ssift stats --follow`` on ``path``, started with more arguments."""
    started = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        line = [sys.executable, "-m", "ssift", "stats", "--follow", "--interval", "0.05", str(path), *arguments]
        started.append(subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        return started[0]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def has_read(pid: int, path: Path) -> bool:
    """Whether a process stands at the end of a file that it has open; where no system tells, after a while."""
    opened = Path(f"/proc/{pid}/fd")
    if not opened.exists():
        time.sleep(3)
        return True
    for one in list(opened.iterdir()):
        with contextlib.suppress(OSError):
            if Path(os.readlink(one)) == path:
                place = Path(f"/proc/{pid}/fdinfo/{one.name}").read_text().split()[1]
                return int(place) == path.stat().st_size
    return False


def test_stats_writes_an_object_a_line_and_the_last_when_interrupted(path: Path, command: Any) -> None:
    path.write_bytes(ANSWER)
    process = command("--json")
    first = json.loads(process.stdout.readline())
    assert (first["responses"], first["bytes"], first["events"]) == (1, len(ANSWER), 6)
    grow(path, ANSWER + event(chunk({"content": "x"}))[:-1])
    assert json.loads(process.stdout.readline())["responses"] == 2
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    last = json.loads(output.splitlines()[-1])
    assert (last["responses"], last["status"]["truncated"], last["bytes"]) == (3, 1, path.stat().st_size)
    assert (process.returncode, errors) == (130, b"ssift: interrupted\n")


def test_stats_into_a_pipe_writes_the_last_figures_alone(path: Path, command: Any) -> None:
    path.write_bytes(ANSWER)
    process = command()
    wait_for(lambda: has_read(process.pid, path))
    time.sleep(0.2)  # and until it has made figures of that
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert output.decode().startswith(f"1 source, {len(ANSWER) / 1000:.1f} kB")
    assert output.count(b"Contents") == 1
    assert b"\x1b" not in output


def test_figures_are_drawn_over_on_a_terminal_and_fit_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift.cli.figures import show
    from ssift.cli.running import Running
    from ssift.cli.terminal import Terminal

    monkeypatch.setenv("LINES", "20")
    screen = Screen()
    running = Running(Terminal(screen), False, show)
    summary = ssift.summarize(ANSWER)
    running.draw(summary, last=False)
    running.draw(summary, last=True)
    _, first, second = screen.getvalue().split("\x1b[H\x1b[J")
    assert len(first.splitlines()) == 19
    assert "Contents" in first
    assert "p50" not in first
    assert "p50" in second


def test_one_file_is_followed(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ssift.cli import main

    path.write_bytes(b"")
    assert main(["stats", "--follow", str(path), str(path)]) == 2
    assert "--follow takes one file" in capsys.readouterr().err

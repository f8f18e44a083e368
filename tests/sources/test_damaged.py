"""Input as crashes, rotation and wrong commands leave it: what is read, and where the problem is said to be."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

import ssift
from ssift.cli import main
from tests.faces.logs import ANSWER, BROKEN, answer, chunk, event
from tests.sources.packing import PACK


def said(text: str, finish: str | None = None) -> bytes:
    return event(chunk({"content": text}, finish))


def line(text: str, finish: str | None = None) -> bytes:
    return json.dumps(chunk({"content": text}, finish)).encode() + b"\n"


A, B, C = said("a"), said("b"), said("c", "stop")
LA, LB, LC = line("a"), line("b"), line("c", "stop")
NULS = b"\0" * 4096
HTML = b"<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n"

# name: (input, text of the answer, problems as (kind, offset, length, line))
CASES: dict[str, tuple[bytes, list[str], list[tuple[str, int, int, int]]]] = {
    "NULs in front of events": (NULS + A + C, ["ac"], []),
    "NULs in front of JSON lines": (NULS + LA + LC, ["ac"], []),
    "NULs in the middle, and the event behind them on their line": (
        A + NULS + B + C, ["ac"], [("not_sse", len(A), len(NULS + B) - 1, 3)],
    ),
    "NULs in the middle on a line of their own": (
        A + NULS + b"\n" + B + C, ["abc"], [("not_sse", len(A), len(NULS) + 1, 3)],
    ),
    "NULs in the middle of JSON lines": (LA + NULS + LB + LC, ["ac"], [("json", len(LA), len(NULS + LB), 2)]),
    "NULs at the end": (A + C + NULS, ["ac"], [("truncated", len(A + C), len(NULS), 5)]),
    "NULs inside an event": (A + B[:40] + NULS + B[40:] + C, ["ac"], [("json", len(A), len(B + NULS) - 1, 3)]),
    "an event torn, the next on its line": (A + B[:50] + B + C, ["ac"], [("json", len(A), 50 + len(B) - 1, 3)]),
    "an event torn at a line end": (A + B[:50] + b"\n" + B + C, ["abc"], [("json", len(A), 51, 3)]),
    "an event torn, with a blank line": (A + B[:50] + b"\n\n" + B + C, ["abc"], [("json", len(A), 51, 3)]),
    "a JSON line torn, the next on its line": (LA + LB[:50] + LB + LC, ["ac"], [("json", len(LA), 50 + len(LB), 2)]),
    "two events on one line": (A + B[:-2] + B + C, ["ac"], [("json", len(A), 2 * len(B) - 3, 3)]),
    "two JSON records on one line": (LA + LB[:-1] + LB + LC, ["ac"], [("json", len(LA), 2 * len(LB) - 1, 2)]),
    "no blank lines at all": (A[:-1] + B[:-1] + C[:-1], ["abc"], []),
    "the head cut off by rotation": (A[20:] + B + C, ["bc"], [("not_sse", 0, len(A) - 21, 1)]),
    "the head of JSON lines cut off": (LA[20:] + LB + LC, ["bc"], [("json", 0, len(LA) - 20, 1)]),
    "an HTML page": (HTML, [], [("not_sse", 0, len(HTML), 1)]),
    "an HTML page behind a log": (A + C + HTML, ["ac"], [("not_sse", len(A + C), len(HTML), 5)]),
    "an empty file": (b"", [], []),
    "blank lines and comments alone": (b": ping\n\n\r\n: ping\n\n", [], []),
    "the last event without its blank line": (A + C[:-1], ["ac"], []),
    "the last event without its line end": (A + C[:-2], ["ac"], []),
    "the last event cut": (A + C[:-9], ["a"], [("truncated", len(A), len(C) - 9, 3)]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "texts", "problems"), CASES.values(), ids=CASES)
def test_each_damage_has_its_result(
    engine: str, data: bytes, texts: list[str], problems: list[tuple[str, int, int, int]], tmp_path: Path
) -> None:
    path = tmp_path / "damaged.log"
    path.write_bytes(data)
    pieces = iter([data[start : start + 13] for start in range(0, len(data), 13)] or [b""])
    for source in (path, data, pieces, PACK["gzip"](data)):
        log = ssift.read(source, engine=engine)
        assert log.choices["content"].to_pylist() == texts
        found = [(row["kind"], row["offset"], row["length"], row["line"]) for row in log.problems.rows()]
        assert found == problems
        assert sum(log.sources[0].account.values()) == log.sources[0].bytes == len(data)


@pytest.mark.parametrize(("data", "texts", "problems"), CASES.values(), ids=CASES)
def test_the_summary_and_the_exit_status_show_it(
    engine: str, data: bytes, texts: list[str], problems: list[object], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    path = tmp_path / "damaged.log"
    path.write_bytes(data)
    assert main(["stats", "--json", "--engine", engine, str(path)]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["problems"] == sum(figures["problem_kind"].values()) == len(problems)
    assert sum(figures["bytes_by_class"].values()) == figures["bytes"] == len(data)
    assert main(["check", "--engine", engine, str(path)]) == (1 if problems else 0)


def test_a_json_error_is_an_errored_response(engine: str) -> None:
    for body in (
        b'{"error":{"message":"bad key","code":401}}',
        b'{\n  "error": {"message": "bad key", "code": 401}\n}\n',
    ):
        log = ssift.read(body, engine=engine)
        (response,) = log.responses.rows()
        assert (response["status"], response["error_message"], response["error_code"]) == ("errored", "bad key", "401")
        assert len(log.problems) == 0
        assert log.sources[0].counts.errors == 1


def test_utf16_without_a_mark_is_no_stream(engine: str) -> None:
    data = ANSWER.decode().encode("utf-16-le")
    log = ssift.read(data, engine=engine)
    assert log.problems["kind"].to_pylist() == ["not_sse"]
    assert log.problems["length"].tolist() == [len(data)]


def test_a_folder_with_foreign_files(engine: str, tmp_path: Path) -> None:
    picture = b"\x89PNG\r\n\x1a\n" + zlib.compress(bytes(range(256)) * 40)
    files = {
        ".git/objects/ab": b"x\x01\xff", ".DS_Store": b"\0\0\0\1Bud1", "a.sse": ANSWER, "b.png": picture,
        "c.zip": b"PK\x03\x04" + bytes(range(100)), "day/d.log.gz": PACK["gzip"](answer("d", "x")),
        "day/e.sse.xz": PACK["xz"](ANSWER)[:-30], "readme.md": b"# Logs\n\nThese are logs.\n",
    }  # fmt: skip
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(data)
    log = ssift.read(tmp_path, engine=engine)
    names = [source.name.removeprefix(f"{tmp_path}/") for source in log.sources]
    assert names == ["a.sse", "b.png", "c.zip", "readme.md", "day/d.log.gz", "day/e.sse.xz"]
    assert len(log.responses) >= 2
    kinds = {
        row["source"].removeprefix(f"{tmp_path}/"): row["kind"]
        for row in log.problems.rows()
        if row["kind"] != "truncated"
    }
    assert kinds == {"b.png": "not_sse", "c.zip": "not_sse", "readme.md": "not_sse", "day/e.sse.xz": "compression"}


def test_a_bad_compressed_file_among_many_costs_only_itself(engine: str, tmp_path: Path) -> None:
    for number in range(6):
        data = PACK["zstd"](answer(f"r{number}", "x"))
        (tmp_path / f"{number}.zst").write_bytes(data[:9] if number == 3 else data)
    log = ssift.read(tmp_path, engine=engine)
    assert len(log.responses) == 5
    assert [Path(row["source"]).name for row in log.problems.rows()] == ["3.zst"]
    assert log.problems["kind"].to_pylist() == ["compression"]


def test_a_file_that_grows_while_it_is_read_is_read_to_its_end(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "growing.sse"
    path.write_bytes(ANSWER * 60)  # more than what is looked at first
    more = [ANSWER, answer("late", "x")]

    def grow(done: int, total: int | None) -> None:
        assert total == 60 * len(ANSWER)
        if more:
            with path.open("ab") as file:
                file.write(more.pop(0))

    log = ssift.read(path, engine=engine, progress=grow)
    assert log.choices["content"].to_pylist() == ["Hi you"] * 61 + ["x"]
    assert log.sources[0].bytes == path.stat().st_size


def test_a_file_that_is_gone_when_its_turn_comes_is_named(engine: str, tmp_path: Path) -> None:
    first, second = tmp_path / "a.sse", tmp_path / "b.sse"
    first.write_bytes(ANSWER)
    second.write_bytes(ANSWER)
    batches = ssift.scan([first, second], engine=engine, batch_size=len(ANSWER))
    second.unlink()
    assert len(next(batches).responses) == 1
    with pytest.raises(ssift.ReadError, match=r"cannot open .*b\.sse") as raised:
        list(batches)
    assert raised.value.source == str(second)


def test_many_problems_make_a_batch(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift import portions

    monkeypatch.setattr(portions, "_PROBLEMS", 10)
    monkeypatch.setattr(portions, "WINDOW", 100)
    data = BROKEN * 200 + ANSWER
    batches = list(ssift.scan(data, engine=engine))
    assert max(len(log.problems) for log in batches) < 20
    rows: list[dict[str, Any]] = [row for log in batches for row in log.problems.rows()]
    assert rows == list(ssift.read(data, engine=engine).problems.rows())
    assert sum(len(log.sources) for log in batches) == 1

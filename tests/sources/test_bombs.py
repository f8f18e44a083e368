"""Small files that expand to large ones: bounded by a ratio, said as a problem, and by request read all the same."""

from __future__ import annotations

import base64
import json
import tracemalloc
from pathlib import Path

import pytest

import ssift
from ssift.cli import main
from ssift.contract import Limits
from tests.faces.logs import ANSWER
from tests.sources.packing import PACK

TOO_MUCH = "this expands further than the limit max_ratio allows (--max-ratio); the rest was not read"
TOO_LARGE = "an entry whose compressed body expands to more than 1 GiB; it was left out"
BLANK = b":" + b" " * (3 << 20) + b"\n"
EXPANDED = ANSWER + BLANK * 8
"""24 MiB that compress to a few hundred bytes, save with lz4, which cannot."""
BOMBS = [kind for kind in PACK if kind not in ("lz4", "gzip")]


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    return {kind: pack(EXPANDED) for kind, pack in PACK.items()}


@pytest.mark.parametrize("kind", BOMBS)
def test_reading_stops_where_the_ratio_is_passed(packed: dict[str, bytes], kind: str, engine: str) -> None:
    log = ssift.read(packed[kind], engine=engine, tables=("responses", "problems"))
    (problem,) = log.problems.rows()
    assert (problem["kind"], problem["message"]) == ("compression", TOO_MUCH)
    assert log.responses["status"].to_pylist() == ["complete"]
    allowed = max(16 << 20, 1000 * len(packed[kind]))
    assert allowed - (1 << 20) <= problem["offset"] <= allowed
    assert log.sources[0].bytes == problem["offset"]


@pytest.mark.parametrize("kind", PACK)
def test_a_higher_limit_reads_it_all(packed: dict[str, bytes], kind: str) -> None:
    log = ssift.read(packed[kind], limits=Limits(max_ratio=1 << 20), tables=("responses", "problems"))
    assert (len(log.problems), log.sources[0].bytes) == (0, len(EXPANDED))


def test_small_files_may_be_as_dense_as_they_like() -> None:
    data = PACK["zstd"](ANSWER + BLANK)
    log = ssift.read(data, limits=Limits(max_ratio=1), tables=("responses", "problems"))
    assert (len(log.problems), log.sources[0].bytes) == (0, len(ANSWER + BLANK))


def test_a_ratio_that_gzip_reaches(packed: dict[str, bytes]) -> None:
    assert ssift.read(packed["gzip"], limits=Limits(max_ratio=100)).problems["message"].to_pylist() == [TOO_MUCH]


@pytest.mark.parametrize("kind", ["zstd", "xz"])
def test_memory_is_that_of_any_file(packed: dict[str, bytes], kind: str) -> None:
    tracemalloc.start()
    try:
        for _ in ssift.scan(packed[kind], limits=Limits(max_ratio=1 << 20), tables=("responses",), batch_size="1MB"):
            pass
        assert tracemalloc.get_traced_memory()[1] < 30 << 20
    finally:
        tracemalloc.stop()


def test_the_command_has_the_limit(
    tmp_path: Path, packed: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.zst").write_bytes(packed["zstd"])
    assert main(["check", str(tmp_path / "a.zst")]) == 1
    assert TOO_MUCH in capsys.readouterr().out
    assert main(["check", str(tmp_path / "a.zst"), "--max-ratio", "1000000"]) == 0
    with pytest.raises(SystemExit, match="2"):
        main(["check", str(tmp_path / "a.zst"), "--max-ratio", "0"])


def test_a_body_that_expands_too_far_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from ssift.sources.containers import exchanges

    monkeypatch.setattr(exchanges, "_LARGEST", 1 << 20)
    text = base64.b64encode(PACK["gzip"](EXPANDED)).decode()
    content = {"mimeType": "text/event-stream", "text": text, "encoding": "base64"}
    good = {"mimeType": "text/event-stream", "text": ANSWER.decode()}
    entries = [{"response": {"content": content}}, {"response": {"content": good}}]
    log = ssift.read(json.dumps({"log": {"version": "1.2", "entries": entries}}).encode())
    assert [(row["kind"], row["message"]) for row in log.problems.rows()] == [("container", TOO_LARGE)]
    assert len(log.responses) == 1

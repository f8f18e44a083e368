"""``ssift stats`` with groups, labels and times; ``ssift compare``."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import ssift
from tests.faces.commands import run
from tests.statistics.making import plain, response

TOPS = [("a", -0.5), ("b", -1.5)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    first = response([("a", -0.5, TOPS), ("b", -1.5, TOPS)], "one", model="x")
    (tmp_path / "a.sse").write_bytes(first + response(plain(-2.0), "two", model="y\x1b[31m"))
    (tmp_path / "b.sse").write_bytes(
        first.replace(b'"logprob": -0.5', b'"logprob": -0.75') + response(plain(-3.0), "two")
    )
    return tmp_path


def words(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines()]


def test_groups(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, errors = run(capsys, "stats", "a.sse", "--by", "model", "--engine", engine)
    assert (status, errors) == (0, "")
    assert "\x1b" not in output
    assert ["x", "1", "2", "-1", "2.718"] in [line[:5] for line in words(output)]
    status, output, _ = run(capsys, "stats", "a.sse", "--by", "model", "--json", "--engine", engine)
    assert json.loads(output) == json.loads(ssift.summarize("a.sse", by="model", engine=engine).to_json())


def test_groups_of_labels(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    (here / "groups.csv").write_text('id,task\none,"sums, hard"\nnine,easy\n')
    _, output, _ = run(capsys, "stats", "a.sse", "--by", "groups.csv", "--json", "--engine", engine)
    by = {"id": "task", "one": "sums, hard", "nine": "easy"}  # a header is the label of an id that nobody has
    assert json.loads(output) == json.loads(ssift.summarize("a.sse", by=by, engine=engine).to_json())
    (here / "groups.csv").write_text('one,"sums, hard"\nnine,easy\n')  # and none is needed
    _, without, _ = run(capsys, "stats", "a.sse", "--by", "groups.csv", "--json", "--engine", engine)
    assert without == output
    (here / "groups.csv").write_text("one,hard\none,easy\n")
    status, _, errors = run(capsys, "stats", "a.sse", "--by", "groups.csv")
    assert (status, "row 2 gives one the key easy, but it has hard" in errors) == (2, True)
    status, _, errors = run(capsys, "stats", "a.sse", "--by", "modell")
    assert status == 2
    assert "--by modell: there is no such file; use model, source, finish_reason, or a CSV file" in errors


def test_figures_of_alternatives_and_answers_are_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, output, _ = run(capsys, "stats", "a.sse")
    for row in (["tokens", "with", "alternatives", "2"], ["confidence", "1"], ["not", "the", "top", "one", "50.00%"]):
        assert row in [line[: len(row)] for line in words(output)], row


def test_calibration(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    (here / "labels.csv").write_text("id,label\none,1\ntwo,0\nnine,1\n")
    arguments = ("stats", "a.sse", "--labels", "labels.csv", "--engine", engine)
    status, output, _ = run(capsys, *arguments, "--diagram", "out.svg")
    assert status == 0
    assert ["AUROC", "1"] in words(output)
    assert "0 answers without a label, 1 labels without an answer" in output
    assert (here / "out.svg").read_text().startswith("<svg ")
    _, output, _ = run(capsys, *arguments, "--json")
    found = json.loads(output)["calibration"]
    assert (found["count"], found["unused"]) == (2, 1)
    assert found["mean_score"] == pytest.approx((math.exp(-1) + math.exp(-2)) / 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "none.csv"], "none.csv: No such file"),
        (["--labels", "bad.csv"], "is 'maybe'"),
        (["--diagram", "out.svg"], "--labels"),
        (["--labels", "good.csv", "--score", "mean_confidence", "--diagram", "out.svg"], "is no probability"),
        (["--limit", "speed=1"], "limit 'speed'"),
    ],
)
def test_what_cannot_be_is_said(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    (here / "bad.csv").write_text("id,label\none,maybe\n")
    (here / "good.csv").write_text("id,label\none,1\n")
    status, output, errors = run(capsys, "stats", "a.sse", *arguments)
    assert (status, output) == (2, "")
    assert message in errors
    assert not (here / "out.svg").exists()


def test_latency_without_times_says_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = run(capsys, "stats", "a.sse", "--latency")
    assert status == 0
    assert "no times were logged" in output
    _, output, _ = run(capsys, "stats", "a.sse", "--limit", "e2e=1", "--json")
    assert json.loads(output)["latency"]["limits"] == {"e2e": 1.0}


def test_latency_without_numbers_of_tokens_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = json.dumps({"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]})
    record = {"start_perf_ns": 1, "responses": [{"perf_ns": 10**9, "packets": [{"name": "data", "value": answer}]}]}
    (tmp_path / "run.jsonl").write_text(json.dumps(record) + "\n")
    _, output, _ = run(capsys, "stats", "run.jsonl", "--latency")
    assert "no response tells how many tokens it has, by usage or logprobs: no tpot and speed" in output


def test_comparison(here: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    status, output, errors = run(capsys, "compare", "a.sse", "b.sse", "--engine", engine)
    assert (status, errors) == (0, "")
    assert output.startswith("2 pairs by id, without a partner: 0 of a, 0 of b\n")
    assert ["the", "same", "3"] in words(output)
    status, output, _ = run(capsys, "compare", "a.sse", "b.sse", "--json", "--engine", engine)
    assert json.loads(output) == json.loads(ssift.compare("a.sse", "b.sse", engine=engine).to_json())


def test_a_diagram_never_takes_the_place_of_what_was_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "labels.csv").write_text("id,label\none,1\ntwo,0\n")
    (here / "groups.csv").write_text("id,task\none,sums\n")
    for name in ("a.sse", "labels.csv", "groups.csv"):
        before = (here / name).read_bytes()
        status, _, errors = run(
            capsys, "stats", "a.sse", "--labels", "labels.csv", "--by", "groups.csv", "--diagram", name
        )
        assert (status, "would be lost" in errors) == (2, True)
        assert (here / name).read_bytes() == before


def test_what_could_not_be_compared_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "prose.txt").write_text("no stream at all\n")
    with (here / "b.sse").open("ab") as file:
        file.write(b"data: {broken\n\n")
    assert "could not be read" not in run(capsys, "compare", "a.sse", "a.sse")[2]
    for other in ("b.sse", "prose.txt"):
        status, output, errors = run(capsys, "compare", "a.sse", other, "--json")
        assert status == 0
        assert (json.loads(output)["problems_a"], json.loads(output)["problems_b"]) == (0, 1)
        assert "ssift: 1 place could not be read; ssift check shows them" in errors


def test_limits_decide_the_status(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", "a.sse", "b.sse", "--fail-above", "kl=10")[0] == 0
    status, output, _ = run(capsys, "compare", "a.sse", "b.sse", "--fail-above", "ln_perplexity_ratio=0.1")
    assert status == 1
    assert "ln_perplexity_ratio is" in output.splitlines()[-1]
    assert run(capsys, "compare", "a.sse", "b.sse", "--fail-below", "same-top=1.1", "--json")[0] == 1
    (here / "empty.sse").write_bytes(b"")
    status, output, _ = run(capsys, "compare", "a.sse", "empty.sse", "--fail-above", "kl=1")
    assert (status, "kl_ab is undefined" in output) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.sse"], "needs two paths, not 1"),
        (["-", "-"], "standard input"),
        (["a.sse", "b.sse", "--match", "keys.csv"], "keys.csv"),
        (["a.sse", "b.sse", "--seed", "-1"], "seed=-1: a whole number from 0 on"),
        (["a.sse", "b.sse", "--fail-above", "speed=1"], "no figure 'speed'"),
        (["a.sse", "b.sse", "--cap", "0"], "cap=0.0: a number above 0"),
    ],
)
def test_comparisons_that_cannot_be(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    status, output, errors = run(capsys, "compare", *arguments)
    assert (status, output) == (2, "")
    assert message in errors


def test_keys_from_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "keys.csv").write_text("id,prompt\none,p\ntwo,q\n")
    _, output, _ = run(capsys, "compare", "a.sse", "b.sse", "--match", "keys.csv", "--json")
    assert (json.loads(output)["matched_by"], json.loads(output)["pairs"]) == ("key", 2)


def test_where_pairs_part_is_shown(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "c.sse").write_bytes(
        response([("a", -0.5, ()), ("\x1b[2J", -1.0, ())], "one") + response(plain(-1.0), "two")
    )
    _, output, _ = run(capsys, "compare", "a.sse", "c.sse")
    assert "\x1b" not in output
    assert "one, choice 0: token 1, 'b' against" in output

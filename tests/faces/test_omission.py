"""omit=: entries of logprobs that stand for no token of their own, told from those that do."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssift
from tests.faces.commands import run
from tests.faces.logs import DONE, chunk, event, token

EMPTY = {"token": "", "logprob": -0.01, "bytes": []}
Lists = list[list[dict[str, Any]]]


def response(name: str, lists: Lists, indexes: tuple[int, ...] = (0,), reported: int | None = None) -> bytes:
    """A response that sends each list in a chunk, to each choice."""
    usage = {} if reported is None else {"usage": {"completion_tokens": reported}}
    events = [
        event(chunk({"content": "x"}, id=name, index=index, logprobs=entries)) for entries in lists for index in indexes
    ]
    events += [event(chunk({}, "stop", id=name, index=index, **usage)) for index in indexes]
    return b"".join(events) + DONE


def cumulative(lists: Lists) -> Lists:
    """Each list with all entries before it."""
    return list(accumulate(lists))


def shown(log: ssift.Log) -> list[tuple[Any, ...]]:
    """Tokens with their alternatives, and the rows that count them, without the numbers of rows."""
    names = ("response", "index", "position", "list", "token", "logprob")
    tokens = [
        (*(row[name] for name in names), [(top["token"], top["logprob"]) for top in row["top_logprobs"]])
        for row in log.tokens.nested().rows()
    ]
    choices = [tuple(row.values()) for row in log.choices.rows()]
    return [*sorted(tokens, key=repr), *sorted(choices, key=repr)]


A, B, C = token("a", -0.1, ("a", -0.1), ("b", -2.5)), token("b", -0.2), token("c", -0.3, ("c", -0.3))


def test_an_entry_stays_where_it_came_first(engine: Any) -> None:
    body = response("one", cumulative([[A], [B, C]]))
    log = ssift.read(body, omit="repeated", engine=engine)
    assert [(row["token"], row["position"], row["chunk"]) for row in log.tokens.rows()] == [
        ("a", 0, 0), ("b", 1, 1), ("c", 2, 1),
    ]  # fmt: skip
    assert log.tokens["top_start"].tolist() == [0, 2, 2]
    assert log.top_logprobs["token_row"].tolist() == [0, 0, 2]
    assert log.chunks["token_count"].tolist() == [1, 2, 0]
    assert log.choices["token_count"].tolist() == [3]
    assert log.choices["logprob_sum"].tolist() == pytest.approx([-0.6], abs=1e-15)
    assert log.omitted == {"repeated": 1}
    assert ssift.read(body, engine=engine).omitted == {}


def test_a_list_that_is_not_cumulative_throughout_keeps_all(engine: Any) -> None:
    for lists in ([[A], [A, B], [C]], [[A], [{**A, "logprob": -0.5}, B]], [[A, B], [A]], [[A], [B]]):
        log = ssift.read(response("one", lists), omit="repeated", engine=engine)
        assert (len(log.tokens), log.omitted) == (sum(map(len, lists)), {"repeated": 0})


def test_choices_are_judged_one_by_one(engine: Any) -> None:
    plain, repeating = response("one", [[A], [B]]), response("two", cumulative([[A], [B]]), indexes=(0, 1))
    log = ssift.read(plain + repeating, omit="repeated", engine=engine)
    assert log.choices["token_count"].tolist() == [2, 2, 2]
    assert log.omitted == {"repeated": 2}


def test_missing_logprobs_can_be_repeated(engine: Any) -> None:
    lists = cumulative([[token("a", None)], [B]])
    assert len(ssift.read(response("one", lists), omit="repeated", engine=engine).tokens) == 2


def test_zero_width_entries(engine: Any) -> None:
    empty_text = {"token": "", "logprob": -0.4, "bytes": [240]}  # a part of a character: it has a byte
    missing = {"token": "", "logprob": -0.02}
    body = response("one", [[A], [EMPTY, empty_text, missing]])
    log = ssift.read(body, omit="zero_width", engine=engine)
    assert [(row["position"], row["bytes"]) for row in log.tokens.rows()] == [(0, b"a"), (1, b"\xf0")]
    assert log.omitted == {"zero_width": 2}
    assert log.choices["logprob_sum"].tolist() == [-0.5]


def test_nothing_but_what_is_left_out(engine: Any) -> None:
    log = ssift.read(response("one", [[EMPTY]]), omit=["zero_width", "repeated"], engine=engine)
    assert (len(log.tokens), log.choices["token_count"].tolist()) == (0, [0])
    assert np.isnan(log.choices["logprob_sum"]).all()
    assert len(ssift.read(b"", omit="repeated", engine=engine).tokens) == 0
    assert len(ssift.read(response("one", []), omit="zero_width", engine=engine).tokens) == 0


ENTRIES = st.sampled_from([A, B, C, EMPTY, token("é", -9999.0, ("e", -1.0))])
LISTS = st.lists(st.lists(ENTRIES, min_size=1, max_size=3), min_size=1, max_size=4)


@given(st.lists(LISTS, min_size=1, max_size=3), st.sampled_from([2000, 10**6]), st.booleans())
def test_a_cumulative_log_reads_like_one_that_sends_each_once(bodies: list[Lists], size: int, both: bool) -> None:
    indexes = (0, 1) if both else (0,)
    once = b"".join(response(f"r{n}", lists, indexes) for n, lists in enumerate(bodies))
    again = b"".join(response(f"r{n}", cumulative(lists), indexes) for n, lists in enumerate(bodies))
    expected = shown(ssift.read(once, engine="python"))
    for engine in ("python", ssift.engine()):
        batches = list(ssift.scan(again, batch_size=size, omit="repeated", engine=engine))
        whole = ssift.read(again, omit="repeated", engine=engine)
        assert shown(whole) == expected
        assert sorted(map(repr, expected)) == sorted(repr(row) for log in batches for row in shown(log))
        first = 0
        for log in batches:
            assert log.first["tokens"] == first
            first += len(log.tokens)


@given(LISTS, st.sampled_from([1000, 10**6]))
def test_zero_width_entries_are_left_out_and_nothing_else(lists: Lists, size: int) -> None:
    kept = [[entry for entry in entries if entry["token"]] for entries in lists]
    for engine in ("python", ssift.engine()):
        logs = list(ssift.scan(response("r", lists), batch_size=size, omit="zero_width", engine=engine))
        found = [row for log in logs for row in shown(log)]
        assert found == shown(ssift.read(response("r", kept), engine="python"))


def test_columns_tables_and_where_go_with_it(engine: Any) -> None:
    body = response("one", cumulative([[A], [B], [C]])) + response("two", [[A]])
    log = ssift.read(body, columns=["choices.token_count"], omit="repeated", engine=engine)
    assert log.tables == ("choices", "problems")
    assert log.choices["token_count"].tolist() == [3, 1]
    log = ssift.read(body, tables=["tokens"], omit="repeated", engine=engine)
    assert log.tokens["response"].tolist() == [0, 0, 0, 1]
    log = ssift.read(body, columns=["top_logprobs.logprob"], omit="repeated", engine=engine)
    assert log.top_logprobs["logprob"].tolist() == [-0.1, -2.5, -0.3, -0.1, -2.5]
    assert len(ssift.read(body, where={"model": "nobody"}, omit="repeated", engine=engine).tokens) == 0


def test_summaries(engine: Any) -> None:
    body = response("one", cumulative([[A], [B, EMPTY]]), reported=3) + response("two", [[A], [B]], reported=2)
    summary = ssift.summarize(body, engine=engine)
    assert (summary.counts["tokens"], summary.counts["beyond_usage"]) == (6, 1)
    summary = ssift.summarize(body, omit="repeated", engine=engine)
    assert (summary.counts["tokens"], summary.counts["beyond_usage"]) == (5, 0)
    summary = ssift.summarize(body, omit=["zero_width", "repeated"], engine=engine)
    assert (summary.counts["tokens"], summary.logprobs.values.count) == (4, 4)
    assert (summary + summary).to_dict()["omitted"] == {"repeated": 2, "zero_width": 2}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.sse"
    path.write_bytes(response("one", cumulative([[A], [B]]), reported=2))
    _, output, _ = run(capsys, "stats", str(path))
    assert "1 response lists more tokens than are reported" in output
    _, output, _ = run(capsys, "stats", str(path), "--omit", "repeated", "--omit", "zero_width")
    assert "more tokens than" not in output
    assert "entries left out: 1 repeated, 0 zero_width" in output
    _, output, _ = run(capsys, "stats", str(path), "--omit", "repeated", "--json")
    assert json.loads(output)["omitted"] == {"repeated": 1}
    for more in (["--follow"], ["--ray=local"]):
        status, _, errors = run(capsys, "stats", str(path), "--omit", "repeated", *more)
        assert (status, "leave --omit out" in errors) == (2, True)


def test_the_page_says_what_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, page = tmp_path / "log.sse", tmp_path / "report.html"
    path.write_bytes(response("one", cumulative([[A], [B]]), reported=2))
    assert run(capsys, "report", str(path), "-o", str(page))[0] == 0
    assert "1 response lists more tokens than are reported." in page.read_text()
    assert run(capsys, "report", str(path), "-o", str(page), "--omit", "repeated")[0] == 0
    assert "Entries left out: 1 repeated." in page.read_text()
    assert "more tokens than" not in page.read_text()


def test_a_replay_leaves_nothing_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.sse").write_bytes(response("one", [[A]]))
    status, _, errors = run(capsys, "replay", str(tmp_path / "log.sse"), "--omit", "repeated")
    assert (status, "leave --omit out" in errors) == (2, True)


def test_no_such_kind() -> None:
    with pytest.raises(ValueError, match=r"omit='empty': entries can be left out that are repeated, zero_width"):
        ssift.read(b"", omit="empty")  # type: ignore[arg-type]

"""Times of responses, from tables made by hand."""

from __future__ import annotations

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

import ssift
from ssift.statistics import Latency, goodput, latency
from ssift.statistics.tables import table
from ssift.strings import Strings
from tests.faces.logs import chunk
from tests.statistics.making import plain, response

MS = 1_000_000


def nullable(values: list[int | None]) -> np.ma.MaskedArray:
    return np.ma.MaskedArray([0 if one is None else one for one in values], [one is None for one in values], np.int64)


def fake(responses: list[tuple], chunks: list[tuple]) -> SimpleNamespace:
    """A log of (number, requested, ended, completion_tokens), (response, arrival, choices, bytes, tokens, reported)."""
    number, started, ended, completion = map(list, zip(*responses, strict=True)) if responses else ([], [], [], [])
    owner, arrival, choices, text, count, reported = map(list, zip(*chunks, strict=True)) if chunks else [[]] * 6
    return SimpleNamespace(
        responses=table(
            "responses", response=np.array(number, np.int64), id=Strings.of([f"r{one}" for one in number]),
            model=Strings.of(["m"] * len(number)), requested_ns=nullable(started), started_ns=nullable([None] * len(number)),
            ended_ns=nullable(ended), completion_tokens=nullable(completion), status=Strings.of(["complete"] * len(number)),
        ),
        chunks=table(
            "chunks", response=np.array(owner, np.int64), arrival_ns=nullable(arrival),
            choice_count=np.array(choices, np.int64), text_bytes=np.array(text, np.int64),
            token_count=np.array(count, np.int64), completion_tokens=nullable(reported),
        ),
    )  # fmt: skip


# role at 100 ms, an empty token at 150, text at 200, 260, 400, the end at 450
ONE = fake(
    [(0, 0, 500 * MS, None)],
    [
        (0, at * MS, 1, text, count, None)
        for at, text, count in ((100, 0, 0), (150, 0, 1), (200, 2, 1), (260, 5, 2), (400, 2, 1), (450, 0, 0))
    ],
)


def timed(*chunks: tuple[int, int, int, int | None], tokens: int | None = None, choices: int = 1) -> SimpleNamespace:
    """One response that starts at 0, of (milliseconds, bytes of text, tokens listed, tokens reported)."""
    return fake([(0, 0, None, tokens)], [(0, at * MS, choices, text, n, said) for at, text, n, said in chunks])


def test_the_figures_by_hand() -> None:
    found = latency(ONE).row(0)
    expected = {
        "response": 0, "tokens": 5, "ttft_any_chunk": 0.1, "ttft_first_content": 0.2, "ttft_first_token": 0.15,
        "tpot": (0.4 - 0.15) / 4, "e2e": 0.5, "tokens_per_second": 10.0, "itl_mean": 0.25 / 3, "itl_max": 0.14,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_reported_tokens_come_before_listed_ones() -> None:
    found = latency(timed((100, 1, 1, None), (200, 1, 1, None), tokens=9)).row(0)
    assert (found["tokens"], found["tpot"]) == (9, pytest.approx(0.1 / 8))
    assert found["e2e"] == pytest.approx(0.2)  # the end is that of the last chunk


def test_what_was_not_logged_is_missing() -> None:
    silent = fake([(0, None, None, None), (1, 0, None, None)], [(n, None, 1, 1, 1, None) for n in (0, 1)])
    for row in latency(silent).rows():
        for name in ("ttft_any_chunk", "ttft_first_token", "tpot", "e2e", "tokens_per_second", "itl_mean"):
            assert row[name] is None, name
    no_start = fake([(0, None, None, None)], [(0, at * MS, 1, 1, 1, None) for at in (100, 200)])
    row = latency(no_start).row(0)
    assert (row["ttft_any_chunk"], row["tpot"], row["itl_mean"]) == (None, pytest.approx(0.1), pytest.approx(0.1))


def test_one_token_has_no_time_per_token() -> None:
    assert latency(timed((100, 1, 1, None), tokens=1)).row(0)["tpot"] is None


def test_without_logprobs_the_text_of_chunks_decides() -> None:
    found = latency(timed((100, 0, 0, None), (200, 4, 0, None), (300, 2, 0, None), (400, 0, 0, None), tokens=3)).row(0)
    for name, value in {
        "ttft_any_chunk": 0.1,
        "ttft_first_content": 0.2,
        "ttft_first_token": 0.2,
        "tpot": 0.05,
    }.items():
        assert found[name] == pytest.approx(value), name


def test_a_count_that_rises_makes_token_chunks() -> None:
    """So a token without text, such as a half character, has its time."""
    found = latency(timed((100, 0, 0, 0), (200, 0, 0, 1), (300, 1, 0, 2), (350, 1, 0, 2), tokens=2)).row(0)
    assert (found["ttft_first_token"], found["ttft_first_content"]) == (pytest.approx(0.2), pytest.approx(0.3))
    assert found["tpot"] == pytest.approx(0.1)


@pytest.mark.parametrize("closing", [[(400, 0, 0, 2)], [(400, 0, 0, 2), (500, 0, 0, 2)]])
def test_the_count_at_the_end_of_an_answer_is_no_token(closing: list) -> None:
    found = latency(timed((100, 0, 0, None), (200, 4, 0, None), (300, 2, 0, None), *closing, tokens=2)).row(0)
    assert (found["ttft_first_token"], found["tpot"]) == (pytest.approx(0.2), pytest.approx(0.1))


def test_calls_without_text_go_by_their_chunks() -> None:
    found = latency(timed((100, 0, 0, None), (200, 0, 0, None), tokens=3)).row(0)
    assert (found["ttft_first_token"], found["ttft_first_content"]) == (pytest.approx(0.1), None)


def test_each_response_has_its_own_token_chunks() -> None:
    """Two that mix: one lists tokens, the other only counts along."""
    rows = [(0, 100, 1, 1, 1, None), (1, 120, 1, 0, 0, 1), (0, 140, 1, 1, 0, None), (1, 180, 1, 0, 0, 5)]
    found = latency(fake([(0, 0, None, None), (1, 0, None, None)], [(r, at * MS, *more) for r, at, *more in rows]))
    assert found["itl_mean"].tolist() == pytest.approx([math.nan, 0.06], nan_ok=True)


def test_a_clock_that_was_set_back_gives_no_figure() -> None:
    log = timed((300, 1, 1, None), (200, 1, 1, None), (250, 1, 1, None), tokens=3)
    row = latency(log).row(0)
    assert row["tpot"] is None
    assert (row["itl_mean"], row["e2e"]) == (pytest.approx(0.05), pytest.approx(0.25))
    found = Latency()
    found.add(log)
    found.add(ONE)
    assert (found.backwards, found.itl.count, found.itl.min) == (1, 4, pytest.approx(0.05))
    assert found.to_dict()["backwards"] == 1


def test_a_request_that_starts_after_its_answer_has_no_times() -> None:
    found = Latency()
    found.add(fake([(0, 500 * MS, None, 1)], [(0, 100 * MS, 1, 1, 1, None)]))
    assert (found.backwards, found.figures["e2e"].count, found.figures["ttft_first_token"].count) == (1, 0, 0)


def aiperf(at: list[int], bodies: list[dict], start: int | None = 0) -> bytes:
    """A log of aiperf with one answer, whose chunks came at these milliseconds."""
    parts = [
        {"perf_ns": when * MS, "packets": [{"name": "data", "value": json.dumps(body)}]}
        for when, body in zip(at, bodies, strict=True)
    ]
    return json.dumps({"responses": parts, **({} if start is None else {"start_perf_ns": start * MS})}).encode() + b"\n"


WITHOUT_LOGPROBS = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"content": "Hel"}),
    chunk({"content": "lo"}, "stop"),
    {"id": "r", "choices": [], "usage": {"completion_tokens": 3}},
]


def test_a_log_without_logprobs(engine: str) -> None:
    """A request at 50 ms, a role at 100, text at 200 and 300, the usage at 400."""
    log = ssift.read(aiperf([100, 200, 300, 400], WITHOUT_LOGPROBS, 50), engine=engine)
    found = latency(log).row(0)
    expected = {
        "tokens": 3, "ttft_any_chunk": 0.05, "ttft_first_content": 0.15, "ttft_first_token": 0.15, "itl_mean": 0.1,
        "tpot": 0.05, "e2e": 0.35, "tokens_per_second": 3 / 0.35,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_without_the_time_of_the_request_gaps_are_known_alone(engine: str) -> None:
    log = ssift.read(aiperf([100, 200, 300, 400], WITHOUT_LOGPROBS, None), engine=engine)
    found = Latency()
    found.add(log)
    assert (found.timed, found.requested) == (1, 0)
    assert {name: figure.count for name, figure in found.figures.items() if figure.count} == {"tpot": 1}
    assert found.itl.mean == pytest.approx(0.1)


def test_real_logs_have_no_times(engine: str) -> None:
    log = ssift.read(response(plain(-1.0, -2.0)), engine=engine)
    assert latency(log).row(0)["e2e"] is None
    found = Latency()
    found.add(log)
    assert (found.responses, found.timed, found.itl.count) == (1, 0, 0)


def several(n: int) -> SimpleNamespace:
    rows = [(k, k * 1000 * MS, None, 2) for k in range(n)]
    return fake(rows, [(k, (k * 1000 + at * (k + 1)) * MS, 1, 1, 1, None) for k in range(n) for at in (100, 150)])


def test_goodput_counts_what_keeps_every_limit() -> None:
    log = several(4)  # ttft 0.1 to 0.4, tpot 0.05 to 0.2
    assert goodput(log, ttft_first_token=0.25) == 0.5
    assert goodput(log, ttft_first_token=0.35, tpot=0.05) == 0.25
    assert goodput(log, itl=0.1) == 0.5
    assert math.isnan(goodput(log))
    with pytest.raises(ValueError, match="limit e2e=-1: seconds, from 0 on"):
        Latency({"e2e": -1})
    with pytest.raises(ValueError, match="limit 'speed'"):
        goodput(log, speed=1.0)
    found = Latency({"e2e": 0.45})
    found.add(log)
    assert found.goodput_per_second == pytest.approx(3 / 3.6)


def test_an_error_is_never_good(engine: str) -> None:
    """An error comes at once, so it would keep every limit; one that came at no known time is judged as well."""
    answer = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    records = [
        {
            "start_perf_ns": 1,
            "responses": [{"perf_ns": 5 * MS, "packets": [{"name": "data", "value": json.dumps(answer)}]}],
        },
        {"start_perf_ns": 1, "responses": [{"perf_ns": 2, "text": '{"error": {"message": "overloaded"}}'}]},
        {"start_perf_ns": 1, "responses": [], "error": {"message": "refused"}},
    ]
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    log = ssift.read(data, format="aiperf", engine=engine)
    assert log.responses["status"].to_pylist() == ["complete", "errored", "errored"]
    found = Latency({"e2e": 1.0})
    found.add(log)
    assert (found.good, found.judged) == (1, 3)
    assert goodput(log, e2e=1.0) == 1 / 3
    untimed = ssift.read(b'data: {"error": {"message": "refused"}}\n\n', engine=engine)
    assert math.isnan(goodput(untimed, e2e=1.0))


def test_responses_over_batches_and_merging() -> None:
    log = several(3)
    whole = Latency({"e2e": 0.4})
    whole.add(log)
    parts = Latency({"e2e": 0.4})
    chunks = [
        (row["response"], row["arrival_ns"], 1, row["text_bytes"], row["token_count"], None)
        for row in log.chunks.rows()
    ]
    parts.add(fake([], chunks[:1]))
    with pytest.raises(ValueError, match="still open"):
        _ = parts + parts
    parts.add(fake([(k, k * 1000 * MS, None, None) for k in range(3)], chunks[1:]))
    assert str(parts.to_dict()) == str(whole.to_dict())
    both = whole + parts
    assert (both.responses, both.good, both.itl.count) == (6, 4, 6)
    assert (both + Latency({"e2e": 0.4})).to_dict() == both.to_dict()
    with pytest.raises(ValueError, match="limits differ"):
        _ = both + Latency()

"""Times of responses, from tables made by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

import ssift
from ssift.statistics import Latency, goodput, latency
from ssift.statistics.tables import table
from ssift.strings import Strings
from tests.statistics.making import plain, response

MS = 1_000_000


def nullable(values: list[int | None]) -> np.ma.MaskedArray:
    return np.ma.MaskedArray([0 if one is None else one for one in values], [one is None for one in values], np.int64)


def fake(
    responses: list[tuple], chunks: list[tuple], tokens: list[tuple] = (), first: int = 0, **more: list
) -> SimpleNamespace:
    """A log of (number, started, ended, completion_tokens), (response, arrival, choices, tokens, reported), (chunk, text)."""
    number, started, ended, completion = map(list, zip(*responses, strict=True)) if responses else ([], [], [], [])
    owner, arrival, choices, count, reported = map(list, zip(*chunks, strict=True)) if chunks else ([], [], [], [], [])
    of = [chunk for chunk, _ in tokens]
    return SimpleNamespace(
        responses=table(
            "responses", response=np.array(number, np.int64), id=Strings.of([f"r{one}" for one in number]),
            model=Strings.of(["m"] * len(number)), started_ns=nullable(started), ended_ns=nullable(ended),
            completion_tokens=nullable(completion),
        ),
        chunks=table(
            "chunks", chunk=np.arange(first, first + len(owner)), response=np.array(owner, np.int64),
            arrival_ns=nullable(arrival), choice_count=np.array(choices, np.int64),
            token_count=np.array(count, np.int64), completion_tokens=nullable(reported),
            **{name: np.array(values, np.int64) for name, values in more.items()},
        ),
        tokens=table(
            "tokens", response=np.array([owner[chunk - first] for chunk in of], np.int64), chunk=np.array(of, np.int64),
            token=Strings.of([text for _, text in tokens]),
        ),
        first={"chunks": first},
    )  # fmt: skip


# role at 100 ms, an empty token at 150, text at 200, 260, 400, the end at 450
ONE = fake(
    [(0, 0, 500 * MS, None)],
    [(0, at * MS, 1, count, None) for at, count in ((100, 0), (150, 1), (200, 1), (260, 2), (400, 1), (450, 0))],
    [(1, ""), (2, "Hi"), (3, " you"), (3, "!"), (4, " x")],
)


def test_the_figures_by_hand() -> None:
    found = latency(ONE).row(0)
    expected = {
        "response": 0, "tokens": 5, "ttft_any_chunk": 0.1, "ttft_first_content": 0.2, "ttft_first_token": 0.15,
        "tpot": (0.4 - 0.15) / 4, "e2e": 0.5, "tokens_per_second": 10.0, "itl_mean": 0.25 / 3, "itl_max": 0.14,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == pytest.approx(expected)


def test_reported_tokens_come_before_listed_ones() -> None:
    reported = fake([(0, 0, None, 9)], [(0, 100 * MS, 1, 1, None), (0, 200 * MS, 1, 1, None)], [(0, "a"), (1, "b")])
    found = latency(reported).row(0)
    assert (found["tokens"], found["tpot"]) == (9, pytest.approx(0.1 / 8))
    assert found["e2e"] == pytest.approx(0.2)  # the end is that of the last chunk


def test_what_was_not_logged_is_missing() -> None:
    silent = fake(
        [(0, None, None, None), (1, 0, None, None)], [(0, None, 1, 1, None), (1, None, 1, 1, None)], [(0, "a")]
    )
    for row in latency(silent).rows():
        for name in ("ttft_any_chunk", "ttft_first_token", "tpot", "e2e", "tokens_per_second", "itl_mean"):
            assert row[name] is None, name
    no_start = fake(
        [(0, None, None, None)], [(0, 100 * MS, 1, 1, None), (0, 200 * MS, 1, 1, None)], [(0, "a"), (1, "b")]
    )
    row = latency(no_start).row(0)
    assert (row["ttft_any_chunk"], row["tpot"], row["itl_mean"]) == (None, pytest.approx(0.1), pytest.approx(0.1))


def test_one_token_has_no_time_per_token() -> None:
    one = fake([(0, 0, None, 1)], [(0, 100 * MS, 1, 1, None)], [(0, "a")])
    assert latency(one).row(0)["tpot"] is None


def test_without_logprobs_the_text_of_chunks_decides() -> None:
    chunks = [(0, at * MS, 1, 0, None) for at in (100, 200, 300)]
    told = fake([(0, 0, None, 3)], chunks, text_bytes=[0, 4, 2])
    assert latency(told).row(0)["ttft_first_content"] == pytest.approx(0.2)
    assert latency(told).row(0)["ttft_first_token"] == pytest.approx(0.2)
    untold = latency(fake([(0, 0, None, 3)], chunks)).row(0)
    assert untold["ttft_first_content"] is None
    assert untold["ttft_first_token"] == pytest.approx(0.1)


def test_reported_counts_make_token_chunks() -> None:
    found = fake([(0, 0, None, 2)], [(0, at * MS, 1, 0, n) for at, n in ((100, 0), (200, 1), (300, 2))])
    assert latency(found).row(0)["ttft_first_token"] == pytest.approx(0.2)


def test_real_logs_have_no_times(engine: str) -> None:
    log = ssift.read(response(plain(-1.0, -2.0)), engine=engine)
    assert latency(log).row(0)["e2e"] is None
    found = Latency()
    found.add(log)
    assert (found.responses, found.timed, found.itl.count) == (1, 0, 0)


def several(n: int) -> SimpleNamespace:
    rows = [(k, k * 1000 * MS, None, 2) for k in range(n)]
    chunks = [(k, (k * 1000 + at * (k + 1)) * MS, 1, 1, None) for k in range(n) for at in (100, 150)]
    return fake(rows, chunks, [(place, "a") for place in range(2 * n)])


def test_goodput_counts_what_keeps_every_limit() -> None:
    log = several(4)  # ttft 0.1 to 0.4, tpot 0.05 to 0.2
    assert goodput(log, ttft_first_token=0.25) == 0.5
    assert goodput(log, ttft_first_token=0.35, tpot=0.05) == 0.25
    assert goodput(log, itl=0.1) == 0.5
    assert math.isnan(goodput(log))
    with pytest.raises(ValueError, match="limit 'speed'"):
        goodput(log, speed=1.0)
    found = Latency({"e2e": 0.45})
    found.add(log)
    assert found.goodput_per_second == pytest.approx(3 / 3.6)


def test_responses_over_batches_and_merging() -> None:
    log = several(3)
    whole = Latency({"e2e": 0.4})
    whole.add(log)
    parts = Latency({"e2e": 0.4})
    chunks = [
        tuple(row[name] for name in ("response", "arrival_ns", "choice_count", "token_count", "completion_tokens"))
        for row in log.chunks.rows()
    ]
    parts.add(fake([], chunks[:1], [(0, "a")]))
    with pytest.raises(ValueError, match="still open"):
        _ = parts + parts
    parts.add(
        fake([(k, k * 1000 * MS, None, None) for k in range(3)], chunks[1:], [(k, "a") for k in range(1, 6)], first=1)
    )
    assert str(parts.to_dict()) == str(whole.to_dict())
    both = whole + parts
    assert (both.responses, both.good, both.itl.count) == (6, 4, 6)
    assert (both + Latency({"e2e": 0.4})).to_dict() == both.to_dict()
    with pytest.raises(ValueError, match="limits differ"):
        _ = both + Latency()

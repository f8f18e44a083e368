"""Values and offsets by response and by choice."""

from __future__ import annotations

import numpy as np
import pytest

import ssift
from tests.arrow.mixed import LOG, interleaved
from tests.faces.logs import answer

DATA = interleaved(6, 20)


def test_by_response_every_response_has_a_group(engine: str) -> None:
    log = ssift.read(LOG + DATA, engine=engine)
    values, offsets = log.tokens.by_response("logprob")
    assert values.dtype == np.float64
    assert offsets.dtype == np.int64
    assert len(offsets) == len(log.responses) + 1
    for response in range(len(log.responses)):
        wanted = log.tokens["logprob"][log.tokens["response"] == response]
        assert np.array_equal(values[offsets[response] : offsets[response + 1]], wanted, equal_nan=True)


def test_rows_in_order_are_not_copied(engine: str) -> None:
    log = ssift.read(answer("a", "xyz") + answer("b", "uv"), engine=engine)
    values, offsets = log.tokens.by_response("logprob")
    assert values is log.tokens["logprob"]
    assert offsets.tolist() == [0, 3, 5]


def test_strings_and_rows_that_take_turns(engine: str) -> None:
    log = ssift.read(DATA, engine=engine)
    groups = log.tokens.by_response("token")
    assert len(groups) == 6
    for response in range(6):
        assert groups[response].to_pylist() == [
            row["token"] for row in log.tokens.rows() if row["response"] == response
        ]
    assert groups[-1] == groups[5]
    with pytest.raises(IndexError):
        groups[6]


def test_by_choice(engine: str) -> None:
    log = ssift.read(LOG + DATA, engine=engine)
    groups = log.tokens.by_choice("position")
    assert groups.keys["response"].tolist() == sorted(set(log.tokens["response"].tolist()))
    for place, (response, index) in enumerate(zip(*groups.keys.values(), strict=True)):
        rows = (log.tokens["response"] == response) & (log.tokens["index"] == index)
        assert groups[place].tolist() == log.tokens["position"][rows].tolist()


def test_batches_say_which_responses_their_groups_are(engine: str) -> None:
    found: dict[int, list[float]] = {}
    for log in ssift.scan(DATA, engine=engine, batch_size=1500):
        groups = log.tokens.by_response("logprob")
        for place, response in enumerate(groups.keys["response"].tolist()):
            found.setdefault(response, []).extend(groups[place].tolist())
    log = ssift.read(DATA, engine=engine)
    values, offsets = log.tokens.by_response("logprob")
    assert found == {
        place: values[start:end].tolist() for place, (start, end) in enumerate(zip(offsets, offsets[1:], strict=False))
    }


def test_no_tokens_at_all(engine: str) -> None:
    log = ssift.read(b"", engine=engine)
    assert [part.tolist() for part in log.tokens.by_response("logprob")] == [[], [0]]
    assert [part.tolist() for part in log.tokens.by_choice("logprob")] == [[], [0]]


def test_other_tables_have_responses_too(engine: str) -> None:
    log = ssift.read(DATA, engine=engine)
    values, offsets = log.chunks.by_response("token_count")
    assert np.add.reduceat(values, offsets[:-1]).sum() == len(log.tokens)
    with pytest.raises(ssift.TableError, match="no column 'response'"):
        log.top_logprobs.by_response("logprob")

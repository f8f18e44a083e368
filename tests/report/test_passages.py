"""The tokens of the least certain answers: the same whatever the batches, and never more than a page shows."""

from __future__ import annotations

from pathlib import Path
from random import Random

import ssift
from ssift.report import TABLES, Gathering
from ssift.report.passages import ALTERNATIVES, ANSWERS, TOKENS, Passage
from ssift.statistics.answers import LEAST
from tests.faces.logs import DONE, chunk, event, token


def log(answers: int, seed: int = 1) -> bytes:
    """Answers of a token a chunk, each with a certainty of its own."""
    dice, events = Random(seed), []
    for number in range(answers):
        sure = dice.uniform(0.1, 5)
        for place in range(dice.randint(1, 12)):
            word = f"{number}.{place}"
            entry = token(word, -sure, (word, -sure), *((f"{word}/{rank}", -rank) for rank in range(1, 11)))
            events.append(event(chunk({"content": word}, id=f"r{number}", logprobs=[entry])))
        events.append(event(chunk({}, "stop", id=f"r{number}")) + DONE)
    return b"".join(events)


def passages(data: bytes, batch_size: int, engine: str | None = None) -> list[Passage]:
    gathered = Gathering()
    for batch in ssift.scan(data, batch_size=batch_size, whole_responses=True, tables=TABLES, engine=engine):
        gathered.add(batch)
        assert len(gathered.passages) <= ANSWERS
    return list(gathered.passages)


def test_the_batches_make_no_difference(engine: str) -> None:
    data = log(90)
    whole = passages(data, 1 << 30, engine)
    assert len(whole) == ANSWERS
    assert [passage.choice for passage in whole] == ssift.summarize(data).least[:ANSWERS]
    for passage in whole:
        number = passage.choice.id[1:]
        assert [entry.text for entry in passage.tokens] == [f"{number}.{place}" for place in range(passage.total)]
        assert all(entry.alternatives[1] == (f"{entry.text}/1", -1.0) for entry in passage.tokens)
        assert all(len(entry.alternatives) == ALTERNATIVES for entry in passage.tokens)
    for size in (200, 5_000, 20_000):
        assert passages(data, size, engine) == whole


def test_a_summary_knows_enough_of_them() -> None:
    assert LEAST >= ANSWERS


def test_a_long_answer_is_cut_and_says_so() -> None:
    entries = [token("x" * 500, -1.0) for _ in range(TOKENS + 7)]
    (passage,) = passages(event(chunk({"content": "x"}, "stop", logprobs=entries)), 1 << 20)
    assert (len(passage.tokens), passage.total) == (TOKENS, TOKENS + 7)
    assert len(passage.tokens[0].text) == 100


def test_an_answer_that_was_read_twice_is_shown_once(tmp_path: Path) -> None:
    path = tmp_path / "log.sse"
    path.write_bytes(log(3))
    gathered = Gathering()
    for batch in ssift.scan([path, path], whole_responses=True, tables=TABLES):
        gathered.add(batch)
    assert len(gathered.passages) == 3
    assert gathered.summary.counts["responses"] == 6

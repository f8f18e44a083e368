"""Tables that were not asked for, batches taken in the middle, and numbers that count over the whole call."""

from __future__ import annotations

import pytest

from ssift.contract import RAW, TABLES
from tests.engines.feeding import DONE, call_pieces, delta, feed, opening, piece, text, token


def with_tokens(*names: str, id: str = "") -> bytes:
    entries = [token(name, -1.0, None, [(name, -1.0), ("other", -2.0)]) for name in names]
    return delta({"content": "".join(names)}, None, {"content": entries}, id=id)


LOG = [
    opening("x"), with_tokens("a", "b", id="x"), opening("y"), b"data: {\n\n", with_tokens("c", id="y"),
    delta({}, "stop", id="y"), DONE, b"oops\n\n", with_tokens("d", id="x"), call_pieces(piece(0, args="{")),
    delta({}, "stop", id="x"), DONE, text("e", id="z"),
]  # fmt: skip


def test_every_table_has_its_columns(engine_class):
    reader = engine_class(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.end()
    tables = reader.take().tables
    assert set(tables) == set(TABLES)
    for table, columns in tables.items():
        assert set(columns) == {spec.split(":")[0] for spec in RAW[table].split()}


def test_batches_give_the_same_rows_as_one(engine_class):
    whole = feed(engine_class, LOG)
    parts = feed(engine_class, LOG, take_between=True)
    for table in ("chunks", "tokens"):
        assert parts.tables[table] == whole.tables[table]
    for table, key in (("responses", "response"), ("choices", "response"), ("problems", "offset")):
        assert sorted(parts.tables[table], key=lambda row: row[key]) == whole.tables[table]
    assert parts.counts == whole.counts
    assert [row["response"] for row in whole.responses] == [0, 1, 2]
    assert [row["response"] for row in parts.responses] == [1, 0, 2]


def test_row_numbers_go_on_over_batches(engine_class):
    borders = feed(engine_class, LOG, take_between=True).borders
    count = {"chunks": 0, "tokens": 0, "top_logprobs": 0}
    for first, totals in borders:
        assert first == count
        count = {table: count[table] + totals[table] for table in count}
    assert count == {"chunks": 9, "tokens": 4, "top_logprobs": 8}


def test_row_numbers_go_on_over_sources(engine_class):
    reader = engine_class(frozenset(["tokens", "top_logprobs"]), "auto", 1 << 20, 1024, 1024)
    for source in range(2):
        reader.begin(source, "sse")
        reader.feed(with_tokens("a", "b"))
        reader.end()
    batch = reader.take()
    assert batch.tables["tokens"]["top_start"].tolist() == [0, 2, 4, 6]
    assert batch.tables["tokens"]["chunk"].tolist() == [0, 0, 1, 1]
    assert batch.tables["chunks"]["response"].tolist() == [0, 1]


def test_rows_of_a_batch_are_sorted_by_response(engine_class):
    reading = feed(engine_class, [opening("x", index=1), opening("y"), text("", "stop", id="y"), DONE, opening("x")])
    assert [row["response"] for row in reading.responses] == [0, 1]
    assert [(row["response"], row["index"]) for row in reading.choices] == [(0, 0), (0, 1), (1, 0)]


def test_problems_are_sorted_by_place(engine_class):
    nameless = call_pieces(piece(0, args="{"))
    reading = feed(engine_class, [b"oops\n\n", nameless, b"data: {\n\n", DONE, b"data: }\n\n"])
    assert [(row["kind"], row["line"]) for row in reading.problems] == [
        ("not_sse", 1), ("type", 3), ("json", 5), ("json", 9),
    ]  # fmt: skip


@pytest.mark.parametrize("table", [table for table in TABLES if table != "problems"])
def test_one_table_alone_is_as_among_the_others(engine_class, table):
    whole, alone = feed(engine_class, LOG), feed(engine_class, LOG, tables=[table])
    assert alone.tables["problems"] == [
        row for row in whole.problems if row["kind"] != "type" or table == "tool_calls"
    ]
    hung = ("top", "top_bytes")
    for row, other in zip(alone.tables[table], whole.tables[table], strict=True):
        assert {key: value for key, value in row.items() if key not in hung} == {
            key: value for key, value in other.items() if key not in hung
        }
    if table in ("tokens", "top_logprobs"):
        assert [row["response"] for row in alone.chunks] == [row["response"] for row in whole.chunks]
    assert alone.counts[:12] == whole.counts[:12]


def test_totals_of_tables_that_were_not_kept(engine_class):
    assert feed(engine_class, LOG, tables=["tokens"]).borders[0][1] == {"chunks": 9, "tokens": 4, "top_logprobs": 8}


def test_taken_columns_are_never_touched_again(engine_class):
    reader = engine_class(frozenset(["tokens"]), "auto", 1 << 20, 1024, 1024)
    reader.begin(0, "sse")
    reader.feed(with_tokens("a"))
    tokens = reader.take().tables["tokens"]
    before = [tokens["logprob"].tolist(), tokens["token"].data.tobytes(), tokens["token"].offsets.tolist()]
    for _ in range(50):
        reader.feed(with_tokens("bcd", "e"))
    reader.end()
    reader.take()
    assert [tokens["logprob"].tolist(), tokens["token"].data.tobytes(), tokens["token"].offsets.tolist()] == before


def test_problems_found_above(engine_class):
    from ssift.contract import M_COMPRESSION, PROBLEM_KINDS

    kind = PROBLEM_KINDS.index("compression")
    reading = feed(engine_class, [text("a")], found_above=[(kind, 9, 2, 1, M_COMPRESSION)])
    assert (reading.problem["kind"], reading.problem["offset"], reading.problem["length"]) == ("compression", 9, 2)
    assert (reading.problem["response"], reading.counts.problem_bytes, reading.counts.problems) == (0, 0, 1)
    reading = feed(engine_class, [b"oops\n"], found_above=[(kind, 9, 2, 1, M_COMPRESSION)])
    assert reading.kinds() == ["not_sse", "compression"]
    assert reading.problems[0]["length"] == 5


def test_counts_can_be_asked_for_while_a_source_is_open(engine_class):
    reader = engine_class(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    for source in range(2):
        reader.begin(source, "sse", 3)
        fed = 3
        for part in LOG:
            reader.feed(part[:-1])  # the blank line that dispatches is not there yet
            assert reader.counts.size < fed + len(part)
            reader.feed(part[-1:])
            fed += len(part)
            assert reader.counts.size == fed
        before = reader.counts
        assert (before.chunks, before.done, before.problems, before.blank_bytes > 3) == (9, 2, 3, True)
        assert reader.end() == before

"""When events arrived: the time of an event is that of its last byte."""

from __future__ import annotations

import pytest

from ssift.contract import TABLES, Engine
from tests.engines.feeding import ALL, DONE, delta, event, feed, text

FIRST, SECOND = text("a", id="r"), text("b", "stop", id="r")


def times(reading) -> list[int | None]:
    return [row["arrival_ns"] for row in reading.chunks]


def test_nothing_is_known_where_nothing_was_told(read) -> None:
    reading = read(FIRST + SECOND)
    assert times(reading) == [None, None]
    assert (reading.response["started_ns"], reading.response["ended_ns"]) == (None, None)


def test_a_time_holds_until_the_next(read) -> None:
    reading = read(FIRST + SECOND + DONE, arrivals=[(0, 10), (len(FIRST), 20), (len(FIRST + SECOND), 30)])
    assert times(reading) == [10, 20]
    assert (reading.response["started_ns"], reading.response["ended_ns"]) == (10, 30)


def test_an_event_arrived_with_its_last_byte(read) -> None:
    line = len(FIRST) - 1  # the blank line is not part of the event
    assert times(read(FIRST, arrivals=[(0, 1), (line - 1, 2)])) == [2]
    assert times(read(FIRST, arrivals=[(0, 1), (line, 2)])) == [1]


def test_the_line_end_of_the_last_field_counts(read) -> None:
    log = FIRST.replace(b"\n\n", b"\r\nid: 7\r\n\r\n")
    last = len(log) - 3
    assert times(read(log, arrivals=[(0, 1), (last, 2)])) == [2]
    assert times(read(log, arrivals=[(0, 1), (last + 1, 2)])) == [1]


def test_none_ends_what_is_known(read) -> None:
    reading = read(FIRST + SECOND, arrivals=[(0, 10), (len(FIRST), None)])
    assert times(reading) == [10, None]
    assert (reading.response["started_ns"], reading.response["ended_ns"]) == (10, None)


def test_what_came_before_the_first_time_has_none(read) -> None:
    reading = read(FIRST + SECOND, arrivals=[(len(FIRST), 5)])
    assert times(reading) == [None, 5]
    assert (reading.response["started_ns"], reading.response["ended_ns"]) == (None, 5)


def test_of_two_times_for_one_place_the_later_counts(read) -> None:
    assert times(read(FIRST, arrivals=[(0, 1), (0, 2)])) == [2]


def test_a_response_has_its_own_times_where_two_mix(read) -> None:
    log = [text("a", id="x"), delta({"role": "assistant", "content": "b"}, id="y"), text("c", "stop", id="x")]
    places = [0, len(log[0]), len(log[0] + log[1])]
    reading = read(b"".join(log), arrivals=list(zip(places, (1, 2, 3), strict=True)))
    assert [(row["started_ns"], row["ended_ns"]) for row in reading.responses] == [(1, 3), (2, 2)]


def test_errors_and_done_count_for_the_response(read) -> None:
    log = FIRST + event({"error": "overloaded"}) + DONE
    reading = read(log, arrivals=[(0, 1), (len(FIRST), 2), (len(log) - len(DONE), 3)])
    assert (reading.response["started_ns"], reading.response["ended_ns"]) == (1, 3)
    assert times(reading) == [1]


@pytest.mark.parametrize("framing", ["jsonl", "json"])
def test_json_framings_have_times_too(read, framing: str) -> None:
    line = b'{"choices":[{"index":0,"delta":{"content":"a"}}]}\n'
    log = line * (2 if framing == "jsonl" else 1)
    expected = [1, 2] if framing == "jsonl" else [1]
    assert times(read(log, framing=framing, arrivals=[(0, 1), (len(line), 2)])) == expected


def test_lines_of_a_block_without_blank_lines_have_their_own(read) -> None:
    lines = [FIRST[:-1], SECOND[:-1]]
    assert times(read(b"".join(lines), arrivals=[(0, 1), (len(lines[0]), 2)])) == [1, 2]


def test_times_can_be_told_as_pieces_come(engine_class: type[Engine]) -> None:
    engine = engine_class(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    engine.begin(0, "sse")
    engine.feed(FIRST)
    engine.arrived(2)
    engine.feed(SECOND[:5])
    engine.arrived(3)
    engine.feed(SECOND[5:])
    with pytest.raises(ValueError, match="bytes from 3"):
        engine.arrived(4, 3)
    engine.arrived(4, 1000)
    with pytest.raises(ValueError, match="bytes from 999"):
        engine.arrived(4, 999)
    engine.end()
    arrival = engine.take().tables["chunks"]["arrival_ns"]
    assert (arrival.values.tolist(), arrival.valid.tolist()) == ([0, 3], [0, 1])


def test_a_source_knows_nothing_of_the_one_before(engine_class: type[Engine]) -> None:
    engine = engine_class(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    for number in range(2):
        engine.begin(number, "sse")
        if number == 0:
            engine.arrived(7)
        engine.feed(FIRST)
        engine.end()
    batch = engine.take()
    assert batch.tables["chunks"]["arrival_ns"].valid.tolist() == [1, 0]
    assert batch.tables["responses"]["ended_ns"].valid.tolist() == [1, 0]


def test_many_times_cost_no_memory_and_stay_right(engine_class: type[Engine]) -> None:
    events = [text(str(number)) for number in range(2000)]
    places = [0]
    for one in events[:-1]:
        places.append(places[-1] + len(one))
    pieces, told = [], []
    for number, (place, one) in enumerate(zip(places, events, strict=True)):
        told += [(place, number), (place + 3, number)]  # twice as often as events
        pieces.append(one)
    reading = feed(engine_class, pieces, arrivals=told, take_between=True)
    assert times(reading) == list(range(2000))
    late = engine_class(ALL, "auto", 1 << 20, 1024, 1024)
    late.begin(0, "sse")
    for number, one in enumerate(events):
        late.arrived(number)
        late.feed(one)
    late.end()
    assert late.take().tables["chunks"]["arrival_ns"].values.tolist() == list(range(2000))


def test_responses_know_when_they_were_asked_for(engine_class: type[Engine]) -> None:
    engine = engine_class(frozenset(ALL), "auto", 1 << 20, 100, 10)
    engine.begin(0, "sse")
    engine.requested(5)
    engine.feed(FIRST + SECOND + DONE)
    engine.requested(None)
    engine.feed(text("c", "stop", id="s") + DONE)
    engine.end()
    engine.begin(1, "sse")
    engine.requested(-7)
    engine.feed(FIRST)
    engine.end()
    engine.begin(2, "sse")
    engine.feed(FIRST)
    engine.end()
    values, valid = engine.take().tables["responses"]["requested_ns"]
    assert (values.tolist(), valid.tolist()) == ([5, 0, -7, 0], [1, 0, 1, 0])

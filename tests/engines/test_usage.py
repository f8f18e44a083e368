"""Usage: figures a server reports, once, often, or in odd places."""

from __future__ import annotations

import pytest

from tests.engines.feeding import DONE, delta, event, text, usage

FIGURES = ("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "reasoning_tokens")


def figures(reading):
    return tuple(reading.response[name] for name in FIGURES)


def test_null_usage_is_no_report(read):
    reading = read(text("a", usage=None) + event({"choices": [], "usage": usage(3, 1, 4)}))
    assert figures(reading) == (3, 1, 4, None, None)


def test_later_null_takes_nothing_back(read):
    assert figures(read(text("a", usage=usage(3, 1, 4)) + delta({}, "stop", usage=None)))[:3] == (3, 1, 4)


def test_running_total_is_not_summed(read):
    reading = read(b"".join(text("a", usage=usage(10, count)) for count in (1, 2, 3)))
    assert figures(reading)[:2] == (10, 3)
    assert [row["completion_tokens"] for row in reading.chunks] == [1, 2, 3]


def test_same_report_twice_is_not_added(read):
    reading = read(delta({}, "stop", usage=usage(23, 235, 258)) + event({"choices": [], "usage": usage(23, 235, 258)}))
    assert figures(reading)[:3] == (23, 235, 258)


def test_usage_inside_a_choice(read):
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage(19, 13, 32)}
    reading = read(event({"choices": [choice]}))
    assert figures(reading)[:3] == (19, 13, 32)
    assert reading.chunks[0]["completion_tokens"] == 13
    assert figures(read(event({"choices": [choice]}) + event({"choices": [], "usage": usage(1)})))[:3] == (1, 13, 32)
    assert figures(read(event({"choices": [], "usage": usage(1)}) + event({"choices": [choice]})))[:3] == (1, 13, 32)


def test_last_choice_wins(read):
    choices = [{"index": 0, "usage": usage(1, 5)}, {"index": 1, "usage": usage(2)}, {"index": 2, "usage": usage(None, 7)}]
    reading = read(event({"choices": choices}))
    assert figures(reading)[:2] == (2, 7)
    assert reading.chunks[0]["completion_tokens"] == 7


def test_usage_of_groq_is_the_last_resort(read):
    reading = read(event({"choices": [{"usage": usage(2)}], "x_groq": {"usage": usage(1, 5, 6)}}))
    assert figures(reading)[:3] == (2, 5, 6)
    assert reading.chunks[0]["completion_tokens"] == 5
    assert read(event({"choices": [], "x_groq": "x"})).response["prompt_tokens"] is None


def test_details(read):
    report = usage(
        9, 23, prompt_tokens_details={"cached_tokens": 4}, completion_tokens_details={"reasoning_tokens": 11},
        cached_tokens=1, prompt_cache_hit_tokens=2, reasoning_tokens=3,
    )  # fmt: skip
    assert figures(read(event({"choices": [], "usage": report}))) == (9, 23, None, 4, 11)


def test_figures_beside_the_details(read):
    report = usage(cached_tokens=1, prompt_cache_hit_tokens=2, reasoning_tokens=3, prompt_tokens_details={})
    assert figures(read(event({"choices": [], "usage": report})))[3:] == (1, 3)
    report = usage(prompt_cache_hit_tokens=2, completion_tokens_details=5)
    assert figures(read(event({"choices": [], "usage": report})))[3:] == (2, None)


def test_missing_details_are_not_zero(read):
    report = usage(3, 1, 4, prompt_tokens_details={"cached_tokens": None}, completion_tokens_details=None)
    assert figures(read(event({"choices": [], "usage": report}))) == (3, 1, 4, None, None)
    report = usage(3, 0, 3, prompt_tokens_details={"cached_tokens": 0})
    assert figures(read(event({"choices": [], "usage": report}))) == (3, 0, 3, 0, None)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [("7", 7), ("7.9", 7), ("-7.9", -7), ("1e3", 1000), ('"7"', None), ("true", None), ("NaN", None), ("[7]", None),
     ("9223372036854775808", None), ("-9223372036854775809", None), ("-0", 0)],
)  # fmt: skip
def test_integral_part(read, sent, expected):
    reading = read(b'data: {"choices":[],"usage":{"prompt_tokens":%b}}\n\n' % sent.encode())
    assert reading.response["prompt_tokens"] == expected


def test_invalid_figure_takes_nothing_back(read):
    reading = read(event({"choices": [], "usage": usage(5)}) + event({"choices": [], "usage": usage("x")}))
    assert reading.response["prompt_tokens"] == 5


def test_chunks_tokens_and_usage_are_three_figures(read):
    reading = read(text(" a b c") + text("d", "stop") + event({"choices": [], "usage": usage(1, 4)}) + DONE)
    assert (reading.response["chunk_count"], reading.choice["token_count"], figures(reading)[1]) == (3, 0, 4)

"""Tokens and their places in the text."""

from __future__ import annotations

import math

import pytest

import ssift
from ssift.statistics import span, spans
from tests.faces.logs import DONE, chunk, event
from tests.statistics.making import entry, log, response


def content(text: str, *tokens: dict, **more) -> bytes:
    """A response whose text need not be what its tokens say."""
    return event(chunk({"role": "assistant", "content": text}, "stop", logprobs=list(tokens), **more)) + DONE


def places(data: ssift.Log) -> list[tuple]:
    found = spans(data)
    names = ("start_byte", "end_byte", "start_character", "end_character")
    return [tuple(row[name] for name in names) for row in found.rows()]


def test_places_of_plain_tokens(engine: str) -> None:
    data = log(response([("Hi", -0.5, ()), (" you", -1.0, ()), ("!", -2.0, ())]), engine=engine)
    assert places(data) == [(0, 2, 0, 2), (2, 6, 2, 6), (6, 7, 6, 7)]
    assert spans(data)["fit"] == ["exact"] * 3
    assert spans(data)["token_row"].tolist() == [0, 1, 2]


def test_a_character_over_two_tokens(engine: str) -> None:
    """Offsets are those of bytes; each of the tokens has the whole character."""
    parts = [entry("a", -0.1), entry("\ufffd", -0.1, bytes=[240, 159]), entry("\ufffd", -0.2, bytes=[152, 138])]
    data = log(content("a😊é", *parts, entry("é", -0.3)), engine=engine)
    assert places(data) == [(0, 1, 0, 1), (1, 3, 1, 2), (3, 5, 1, 2), (5, 7, 2, 3)]


def test_bytes_that_are_missing_are_not_guessed(engine: str) -> None:
    data = log(content("😊", entry("\ufffd", -0.1), entry("\ufffd", -0.2)), engine=engine)
    assert places(data) == [(None,) * 4] * 2
    assert spans(data)["fit"] == ["differs"] * 2


@pytest.mark.parametrize(
    ("partial", "text", "tokens", "ends"),
    [
        ("openai", "a 😊", ["a", "bytes: \\xf0\\x9f", "bytes:\\x98\\x8a"], [1, 4, 6]),
        ("backslash", "😊\\x41b", ["\\xf0\\x9F\\x98", "\\x8a", "\\x41b"], [3, 4, 9]),
        ("byte_fallback", "é<0xF>", ["<0xC3>", "<0xA9>", "<0xF>"], [1, 2, 7]),
    ],
)
def test_parts_of_characters_as_the_server_writes_them(
    engine: str, partial: str, text: str, tokens: list[str], ends: list[int]
) -> None:
    data = log(content(text, *(entry(word, -0.5) for word in tokens)), engine=engine)
    assert spans(data)["fit"][0] == "differs"
    assert spans(data, partial=partial)["end_byte"].tolist() == ends
    assert span(data, 0, 0, 1, partial=partial).count > 0
    own = log(content("\\x41", entry("\\x41", -0.5, bytes=list(b"\\x41"))), engine=engine)
    assert spans(own, partial=partial)["fit"] == ["exact"]  # bytes that were sent go before all reading of the text
    with pytest.raises(ValueError, match="partial='hex': use one of openai, backslash, byte_fallback"):
        spans(data, partial="hex")


def test_an_end_token_after_the_text_has_no_place(engine: str) -> None:
    """With an empty token, or with its name."""
    data = log(content("ab", entry("ab", -0.1), entry("<|end|>", -0.2)), engine=engine)
    assert (places(data), spans(data)["fit"][1]) == ([(0, 2, 0, 2), (None,) * 4], "prefix")
    empty = log(content("ab", entry("ab", -0.1), entry("", -0.2, bytes=[])), engine=engine)
    assert (places(empty), spans(empty)["fit"][1]) == ([(0, 2, 0, 2), (2, 2, 2, 2)], "exact")


def test_text_that_is_not_the_tokens(engine: str) -> None:
    data = log(content("other", entry("ab", -0.1)), response([("x", -1.0, ())], "s"), engine=engine)
    assert places(data) == [(None,) * 4, (0, 1, 0, 1)]


def test_each_list_has_its_own_text(engine: str) -> None:
    one = chunk({"reasoning_content": "hm", "content": "ok"}, "stop", logprobs=[entry("ok", -0.5)])
    one["choices"][0]["logprobs"]["reasoning_content"] = [entry("h", -0.25), entry("m", -0.75)]
    one["choices"][0]["logprobs"]["refusal"] = [entry("no", -0.125)]
    one["choices"][0]["delta"]["refusal"] = "no"
    data = log(event(one) + DONE, engine=engine)
    assert spans(data)["logprob"].tolist() == [-0.5]
    assert spans(data, "reasoning")["end_byte"].tolist() == [1, 2]
    assert spans(data, "refusal")["logprob"].tolist() == [-0.125]
    with pytest.raises(ValueError, match="list="):
        spans(data, "text")


def test_choices_are_kept_apart(engine: str) -> None:
    mixed = b"".join(
        event(chunk({"content": word}, id="r", index=index, logprobs=[entry(word, -1.0)]))
        for word, index in (("a", 1), ("bc", 0), ("d", 1))
    )
    found = spans(log(mixed + DONE, engine=engine))
    assert list(zip(found["index"].tolist(), found["start_byte"].tolist(), strict=True)) == [(0, 0), (1, 0), (1, 1)]


def test_figures_of_a_span(engine: str) -> None:
    data = log(
        response([("The ", -0.5, ()), ("café", -1.0, ()), (" is", -2.0, ()), (" shut", None, ())]), engine=engine
    )
    found = span(data, 0, 4, 9)  # "café "
    assert (found.first, found.last, found.tokens, found.count) == (1, 2, 2, 2)
    assert (found.logprob_sum, found.mean_logprob, found.min_logprob) == (-3.0, -1.5, -2.0)
    assert found.perplexity == pytest.approx(math.exp(1.5))
    assert span(data, 0, 4, 9, unit="byte").tokens == 1
    nothing = span(data, 0, 12, 13)
    assert (nothing.tokens, nothing.count) == (1, 0)
    assert math.isnan(nothing.perplexity)


def test_spans_that_cannot_be(engine: str) -> None:
    data = log(response([("ab", -0.5, ())]), content("other", entry("ab", -0.1), id="s"), engine=engine)
    for wrong in ((0, 3), (1, 1), (-1, 1)):
        with pytest.raises(ValueError, match="no range"):
            span(data, 0, *wrong)
    with pytest.raises(ssift.TableError, match="are not its content"):
        span(data, 1, 0, 1)
    with pytest.raises(ssift.TableError, match="no response 7"):
        span(data, 7, 0, 1)


def test_a_span_whose_sum_is_beyond_the_range(engine: str) -> None:
    found = ssift.statistics.span(log(response([("a", 1e308, ()), ("b", 1e308, ())]), engine=engine), 0, 0, 2)
    assert (found.logprob_sum, found.perplexity) == (math.inf, 0.0)


def test_no_tokens_no_spans(engine: str) -> None:
    assert len(spans(log(b"", engine=engine))) == 0
    assert len(spans(log(content("text"), engine=engine))) == 0

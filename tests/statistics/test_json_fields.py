"""Fields of answers that are JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.statistics import fields
from ssift.statistics.json_places import values
from tests.statistics.making import log, response

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-999, 999)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6)
)
objects = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
).filter(lambda value: isinstance(value, (dict, list)))


def leaves(value: object, path: str = "$"):
    """(path, value) of every scalar, by a plain walk."""
    if isinstance(value, dict):
        for key, inner in value.items():
            name = key if key.isascii() and key.isidentifier() else None
            yield from leaves(inner, f"{path}.{name}" if name else f"{path}[{json.dumps(key, ensure_ascii=False)}]")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{place}]")
    else:
        yield path, value


@given(objects, st.booleans(), st.sampled_from([None, 1]))
def test_all_values_are_found_where_they_are(value, escaped: bool, indent) -> None:
    text = json.dumps(value, ensure_ascii=escaped, indent=indent)
    answer, found = values(text)
    assert answer == "whole"
    scalars = [one for one in found if one.kind not in ("object", "array")]
    assert [(one.path, json.loads(text[one.start : one.end])) for one in scalars] == list(leaves(value))
    assert all(one.whole for one in found)
    for one in found:
        assert isinstance(json.loads(text[one.start : one.end]), dict) == (one.kind == "object")


@given(objects, st.data())
def test_a_cut_answer_keeps_what_was_said(value, data) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    answer, found = values(text[:cut])
    assert answer == "cut"
    whole = values(text)[1]
    assert [one.path for one in found] == [one.path for one in whole[: len(found)]]
    assert [one for one in found if one.whole] == [
        one for one in whole[: len(found)] if one.end <= cut and one in found
    ]
    for one in found:
        assert one.whole or one.end == cut


@pytest.mark.parametrize(
    ("text", "answer", "paths"),
    [
        ('```json\n{"a": 1}\n```', "whole", ["$", "$.a"]),
        ('Here it is:\n```\n[true]\n```\nDone.', "whole", ["$", "$[0]"]),
        ("hello", "none", []),
        ("", "none", []),
        ('"text"', "none", []),
        ('{"a": 1 "b": 2}', "broken", ["$", "$.a"]),
        ('{"a": maybe}', "broken", ["$"]),
        ("[1,]", "broken", ["$", "$[0]"]),
        ('{"a": 1}, and so on', "whole", ["$", "$.a"]),
        ('{"a', "cut", ["$"]),
        ('{"a": tr', "cut", ["$", "$.a"]),
        ("[" * 5000, "cut", None),
    ],
)  # fmt: skip
def test_answers_as_they_come(text: str, answer: str, paths: list[str] | None) -> None:
    found, places = values(text)
    assert found == answer
    if paths is not None:
        assert [one.path for one in places] == paths


def test_figures_are_those_of_the_tokens_of_a_value(engine: str) -> None:
    words = ['{"', "name", '": "', "Ann", " Lee", '", "', "age", '": ', "4", "2", ', "x": ""', "}"]
    logprobs = [-0.1, -0.2, -0.3, -1.0, -2.0, -0.4, -0.5, -0.6, -3.0, -5.0, -0.7, None]
    data = log(response([(word, value, ()) for word, value in zip(words, logprobs, strict=True)]), engine=engine)
    rows = {row["path"]: row for row in fields(data).rows()}
    assert list(rows) == ["$.name", "$.age", "$.x"]
    name, age, empty = rows.values()
    assert (name["kind"], name["text"], name["tokens"], name["mean_logprob"], name["min_logprob"]) == (
        "string",
        '"Ann Lee"',
        2,
        -1.5,
        -2.0,
    )
    assert (age["kind"], age["text"], age["logprob_sum"], age["count"]) == ("number", "42", -8.0, 2)
    assert (empty["text"], empty["mean_logprob"]) == ('""', -0.7)
    assert (name["answer"], name["fit"], name["whole"]) == ("whole", "exact", True)
    outer = fields(data, containers=True).row(0)
    assert (outer["path"], outer["kind"], outer["tokens"], outer["count"]) == ("$", "object", 12, 11)


def test_places_are_characters_and_tokens_are_bytes(engine: str) -> None:
    data = log(
        response([('{"é": "', -0.1, ()), ("ü😊", -1.0, ()), ('", "b": ', -0.2, ()), ("7", -2.0, ()), ("}", 0.0, ())]),
        engine=engine,
    )
    first, second = fields(data).rows()
    assert (first["path"], first["text"], first["mean_logprob"]) == ('$["é"]', '"ü😊"', -1.0)
    assert (second["start_character"], second["end_character"], second["mean_logprob"]) == (17, 18, -2.0)


def test_a_cut_answer_marks_its_last_value(engine: str) -> None:
    data = log(response([('{"a": 1, "b": "', -0.5, ()), ("unfin", -3.0, ())], finish="length"), engine=engine)
    first, last = fields(data).rows()
    assert (first["whole"], last["whole"], last["answer"], last["mean_logprob"]) == (True, False, "cut", -3.0)


def test_answers_that_are_no_json_have_no_row(engine: str) -> None:
    data = log(response([("Hello", -0.5, ())]), response([("[1]", -1.0, ())], "s"), engine=engine)
    assert fields(data)["response"].tolist() == [1]
    assert len(fields(log(b"", engine=engine))) == 0

"""Values at paths of a JSON text."""

from __future__ import annotations

import json

import pytest

from ssift.sources.containers.spans import Finder, first, parse

TEXT = ' {"a": {"b": [{"c": 1}, {"x": 0}, {"c": [2, 3]}], "d": "x"}, "b": 5, "a b": true} '


def at(path: str, text: str = TEXT) -> list[tuple[tuple[int, ...], str]]:
    spans, _ = Finder([parse(path)]).find(text)
    return [(span.places, text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("b", [((), "5")]),
        ("a.d", [((), '"x"')]),
        ("a.b[].c", [((0,), "1"), ((2,), "[2, 3]")]),
        ("a.b[].c[]", [((0, 0), "1"), ((2, 0), "2"), ((2, 1), "3")]),
        ("b[]", [((0,), "5")]),
        ("a b", [((), "true")]),
        ("[].b", [((0,), "5")]),
        ("none", []),
        ("b.c", []),
        ("a.b.c", []),
    ],
)
def test_paths(path: str, found: list[tuple[tuple[int, ...], str]]) -> None:
    assert at(path) == found


def test_several_paths_in_one_pass() -> None:
    spans, end = Finder([parse("a.b"), parse("a.b[].c"), parse("b")]).find(TEXT)
    assert [(span.path, span.start) for span in spans if span.path != 1] == [
        (0, TEXT.index("[{")),
        (2, TEXT.index("5")),
    ]
    assert TEXT[end:] == " "


@pytest.mark.parametrize(
    "text", ["", "{", '{"a"', '{"a":', '{"a": 1', '{"a": 1,}', '{,"a": 1}', '{"a": [1,]}', "{'a': 1}", "[" * 100_000]
)
def test_what_is_not_json(text: str) -> None:
    with pytest.raises(ValueError):
        Finder([parse("a[]")]).find(text)


@pytest.mark.parametrize(
    ("path", "value"), [("a.b[].c", 1), ("b", 5), ("a.d", "x"), ("none", None), ("b.c", None), ("a.b[].x", None)]
)
def test_the_first_value(path: str, value: object) -> None:
    assert first(TEXT, parse(path)) == value


def test_the_first_value_is_found_before_a_fault() -> None:
    assert first('{"id": 7, "x": [', parse("id")) == 7
    with pytest.raises(ValueError):
        first('{"x": [', parse("id"))


def test_elements_of_a_list() -> None:
    text = json.dumps([{"a": 1}, 2, {"a": [3]}])
    found = [text[start:end] for _, start, end in Finder([]).elements(text, 0)]
    assert found == ['{"a": 1}', "2", '{"a": [3]}']

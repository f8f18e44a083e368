"""VCR cassettes, in YAML and JSON."""

from __future__ import annotations

import base64
import gzip
import json
import sys
from typing import Any

import pytest

import ssift
from tests.containers.wrapping import container_of, tables, vcr_json
from tests.faces.logs import ANSWER, answer
from tests.need import need_module


def cassette(*responses: Any, key: str = "interactions") -> bytes:
    return json.dumps({key: [{"request": {}, "response": response} for response in responses]}).encode()


@pytest.mark.parametrize(
    "response",
    [
        {"body": {"string": ANSWER.decode()}},
        {"body": {"base64_string": base64.b64encode(ANSWER).decode()}},
        {"body": ANSWER.decode()},
        {"content": ANSWER.decode()},
    ],
)
def test_places_of_a_body(engine: str, response: dict[str, Any]) -> None:
    for key in ("interactions", "http_interactions"):
        log = ssift.read(cassette(response, key=key), engine=engine)
        assert tables(log, True) == tables(ssift.read(ANSWER, engine=engine), True)


def test_other_answers_are_left_alone(engine: str) -> None:
    log = ssift.read(cassette({"body": {"string": "<p>"}}, {"body": {"string": ANSWER.decode()}}, {}), engine=engine)
    assert (container_of(log).bodies, container_of(log).left) == (1, 2)


def test_yaml_with_bytes_that_were_compressed(engine: str) -> None:
    need_module("yaml")
    import yaml

    response = {"body": {"string": gzip.compress(ANSWER)}, "headers": {"Content-Encoding": ["gzip"]}}
    log = ssift.read(yaml.dump({"interactions": [{"request": {}, "response": response}]}).encode(), engine=engine)
    assert tables(log, True) == tables(ssift.read(ANSWER, engine=engine), True)


def test_all_members_of_a_compressed_body(engine: str) -> None:
    need_module("yaml")
    import yaml

    response = {"body": {"string": gzip.compress(ANSWER[:90]) + gzip.compress(ANSWER[90:]) + bytes(9)}}
    log = ssift.read(yaml.dump({"interactions": [{"response": response}]}).encode(), engine=engine)
    assert tables(log, True) == tables(ssift.read(ANSWER, engine=engine), True)


@pytest.mark.parametrize("cassette", [b"interactions: []\nversion: 1\n", b'{"version": 1, "interactions": []}'])
def test_a_cassette_that_recorded_nothing_is_no_problem(engine: str, cassette: bytes) -> None:
    if cassette.startswith(b"i"):
        need_module("yaml")
    log = ssift.read(cassette, engine=engine)
    assert [source.framing for source in log.sources] == ["container"]
    assert len(log.problems) == 0


def test_a_damaged_body(engine: str) -> None:
    need_module("yaml")
    import yaml

    response = {"body": {"string": gzip.compress(ANSWER)[:-20]}}
    log = ssift.read(yaml.dump({"interactions": [{"response": response}]}).encode(), engine=engine, format="vcr")
    assert log.problems["kind"].to_pylist() == ["container"]


def test_a_cut_cassette_gives_what_was_whole(engine: str) -> None:
    need_module("yaml")
    import yaml

    entries = [{"request": {}, "response": {"body": {"string": text.decode()}}} for text in (ANSWER, answer("r", "x"))]
    data = yaml.dump({"interactions": entries}).encode()
    for cut in (data[: data.rindex(b"stop")], data + b"- ]\n"):
        log = ssift.read(cut, engine=engine)
        assert log.choices["content"].to_pylist()[0] == "Hi you"
        (problem,) = log.problems.rows()
        assert problem["message"] == "the container ends early or is damaged from here on; what stands before was read"
        assert problem["line"] == cut[: problem["offset"]].count(b"\n") + 1


def test_cut_json(engine: str) -> None:
    log = ssift.read(vcr_json(ANSWER, ANSWER)[:-40], engine=engine)
    assert log.choices["content"].to_pylist() == ["Hi you"]
    assert log.problems["kind"].to_pylist() == ["container"]


@pytest.mark.parametrize("data", [b"interactions: 5\n", b"- a\n", b"{}", b"data: {}\n\n"])
def test_what_is_no_cassette_says_so(engine: str, data: bytes) -> None:
    need_module("yaml")
    log = ssift.read(data, engine=engine, format="vcr")
    assert log.problems["kind"].to_pylist() == ["container"]
    assert len(log.responses) == 0


def test_without_its_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ssift.ReadError, match=r"pip install 'ssift\[vcr\]'"):
        ssift.read(b"interactions:\n- request: {}\n")


def test_tags_that_would_run_code_do_not() -> None:
    need_module("yaml")
    data = b"interactions:\n- response: !!python/object/apply:os.getcwd []\n"
    assert ssift.read(data).problems["kind"].to_pylist() == ["container"]


@pytest.mark.parametrize("key", ["interactions", "http_interactions"])
def test_escapes_that_json_has_and_yaml_has_not(engine: str, key: str) -> None:
    """A string that was written as JSON into YAML; and JSON in a text without escapes means the same."""
    need_module("yaml")
    said = 'data: {"choices":[{"index":0,"delta":{"content":"%s"},"finish_reason":"stop"}]}'
    for text, content in (
        ("\U0001f30d", "\U0001f30d"),
        ("a\ud83cb", "a\ufffdb"),
        ("\U0001f30d\U0001f600", "\U0001f30d\U0001f600"),
    ):
        quoted = json.dumps(said % text + "\n\n")
        escaped = json.dumps(said % json.dumps("\U0001f30d")[1:-1] + "\n\n")  # the backslashes are JSON's own
        plain = "|\n        " + said % "\\ud83c\\udf0d" + "\n\n"
        log = f"{key}:\n" + "".join(
            f"- response:\n    body:\n      string: {string}\n" for string in (quoted, escaped, plain)
        )
        found = ssift.read(log.encode(), engine=engine)
        assert found.choices["content"].to_pylist() == [content, "\U0001f30d", "\U0001f30d"]
        assert len(found.problems) == 0


def test_what_stands_before_the_damage_is_read_with_such_escapes_too(engine: str) -> None:
    need_module("yaml")
    entry = '- response: {body: {string: "data: {\\"choices\\":[{\\"delta\\":{\\"content\\":\\"\\ud83c\\udf0d\\"}}]}\\n\\n"}}\n'
    log = "interactions:\n" + entry * 2 + "- [}\n"
    found = ssift.read(log.encode(), engine=engine)
    assert found.choices["content"].to_pylist() == ["\U0001f30d"] * 2
    assert [row["line"] for row in found.problems.rows()] == [4]


def test_what_is_no_yaml_is_no_cassette_that_ends_early(engine: str) -> None:
    need_module("yaml")
    log = ssift.read(b"\t{x: [", engine=engine, format="vcr")
    assert log.problems["message"].to_pylist() == [
        "not a container of the format that was asked for, or that its beginning looks like"
    ]


NO_SCALARS = {
    "a month of 99": "2001-99-99", "100,000 digits": "9" * 100_000, "base 60": "1:_", "an empty int": '!!int ""', "an empty float": '!!float ""',
    "no time": "!!timestamp x", "bad base64": '!!binary "\xe9"', "a list as key": "{[1]: 2}", "a merge of itself": "&m {<<: *m}",
}  # fmt: skip


@pytest.mark.parametrize("name", NO_SCALARS)
def test_values_that_are_none_are_problems_or_texts(engine: str, name: str) -> None:
    need_module("yaml")
    data = f"interactions:\n- response: {{body: {{string: {json.dumps(ANSWER.decode())}}}}}\n  request: {NO_SCALARS[name]}\n"
    log = ssift.read(data.encode(), engine=engine)
    assert len(log.responses) + len(log.problems) == 1


DEEP = {
    "lists": "interactions: " + "[" * 100_000,
    "mappings": "interactions:\n- " + "{a: " * 100_000,
    "blocks": "interactions:\n" + "- " * 100_000 + "a\n",
    "900 lists": "interactions:\n- " + "[" * 900 + "]" * 900 + "\n",
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("shape", DEEP)
def test_deep_nesting_is_a_problem(monkeypatch: pytest.MonkeyPatch, compiled: bool, shape: str) -> None:
    yaml = need_module("yaml")
    if not compiled:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert ssift.read(DEEP[shape].encode()).problems["kind"].to_pylist() == ["container"]


def test_merged_keys_do_not_multiply() -> None:
    need_module("yaml")
    level = "- &a%d {<<: [" + ", ".join(["*a%d"] * 9) + "]}\n"
    levels = "".join(level % (number, *[number - 1] * 9) for number in range(1, 12))
    log = ssift.read(f"interactions:\n- &a0 {{k: v}}\n{levels}".encode())
    assert len(log.problems) == 12


def test_one_body_for_many_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    need_module("yaml")
    monkeypatch.setattr("ssift.sources.containers.vcr.FREE", 20 * len(ANSWER))
    monkeypatch.setattr("ssift.sources.containers.vcr.MAX_RATIO", 1)
    shared = f"interactions:\n- response: {{body: &b {{string: {json.dumps(ANSWER.decode())}}}}}\n"
    few, many = (ssift.read((shared + "- response: {body: *b}\n" * count).encode()) for count in (19, 100))
    assert (len(few.responses), len(few.problems)) == (20, 0)
    assert 20 <= len(many.responses) < 25
    assert many.problems["message"].to_pylist() == [
        "this expands further than the limit max_ratio allows (--max-ratio); the rest was not read"
    ]

"""What RFC 8259 takes is taken, what it refuses is a `json` problem, wherever a value is read or passed over.

The exceptions are documented: NaN and infinities are numbers, and invalid UTF-8 inside strings is replaced.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable

import pytest

import ssift
from ssift.contract import Engine
from tests.conformance.cases import LEFT, REFUSED, REPAIRED, TAKEN
from tests.engines.feeding import feed

GOOD = (
    b'{"id":"r","object":"chat.completion.chunk","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"a"},'
    b'"logprobs":{"content":[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[{"token":"a","logprob":-0.5,'
    b'"bytes":[97]}]}],"refusal":null},"finish_reason":null}],"usage":null}'
)
"""A chunk whose shape is learned: what takes a place in it is met by the fast way first."""

PLACES: dict[str, bytes] = {
    # passed over: nobody reads these
    "an unknown key first": b'{"x":@,"choices":[]}',
    "an unknown key last": b'{"choices":[],"x":@}',
    "an unknown key with blanks": b'{"choices" : [] , "x" : @ }',
    "a list nobody reads": b'{"choices":[],"x":[1,@,"a"]}',
    "deep inside": b'{"choices":[],"x":{"y":[{"z":[@]}]}}',
    "beside a choice": b'{"choices":[{"index":0,"delta":{},"x":@}]}',
    "beside a text": b'{"choices":[{"index":0,"delta":{"content":"a","x":@}}]}',
    "inside usage": b'{"choices":[],"usage":{"prompt_tokens":1,"x":@}}',
    "inside the details of usage": b'{"choices":[],"usage":{"prompt_tokens_details":{"x":@}}}',
    "beside a token": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","logprob":-1,"x":@}]}}]}',
    "beside an alternative": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","top_logprobs":[{"token":"b","x":@}]}]}}]}',
    "inside a tool call": b'{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f"},"x":@}]}}]}',
    "a value that a later one replaces": b'{"id":@,"choices":[],"id":"r"}',
    "an object that is no chunk": b'{"type":"ping","x":@}',
    "an object of an error": b'{"error":{"message":"m","x":@}}',
    # read, or looked at: a wrong type may be a `type` problem, which is no `json` problem
    "the id": b'{"id":@,"choices":[]}',
    "the time": b'{"created":@,"choices":[]}',
    "the usage": b'{"choices":[],"usage":@}',
    "a figure of usage": b'{"choices":[],"usage":{"prompt_tokens":@}}',
    "the choices": b'{"choices":@}',
    "a choice": b'{"choices":[@]}',
    "a delta": b'{"choices":[{"delta":@}]}',
    "a text": b'{"choices":[{"delta":{"content":@}}]}',
    "a finish reason": b'{"choices":[{"delta":{},"finish_reason":@}]}',
    "logprobs": b'{"choices":[{"delta":{},"logprobs":@}]}',
    "a token": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":@}]}}]}',
    "a logprob": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","logprob":@}]}}]}',
    "the bytes": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","bytes":@}]}}]}',
    "one of the bytes": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","bytes":[1,@]}]}}]}',
    "alternatives": b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","top_logprobs":@}]}}]}',
    "arguments": b'{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":@}}]}}]}',
    "an error": b'{"error":@}',
    # in the places of a shape that was learned
    "a learned id": GOOD.replace(b'"r"', b"@", 1),
    "a learned time": GOOD.replace(b":7,", b":@,", 1),
    "a learned model": GOOD.replace(b'"m"', b"@", 1),
    "a learned text": GOOD.replace(b'"content":"a"', b'"content":@', 1),
    "a learned token": GOOD.replace(b'"token":"a"', b'"token":@', 1),
    "a learned logprob": GOOD.replace(b"-0.5", b"@", 1),
    "learned bytes": GOOD.replace(b"[97]", b"@", 1),
    "a learned byte": GOOD.replace(b"[97]", b"[@]", 1),
    "a learned alternative": GOOD.replace(b'[{"token":"a","logprob":-0.5,"bytes":[97]}]', b"[@]", 1),
    "a learned null": GOOD.replace(b"null", b"@", 1),
    "a learned usage": GOOD.replace(b'"usage":null', b'"usage":@', 1),
}
NO_JSON = ("type", "not_sse")
"""Problems that have nothing to do with JSON: a wrong type where one matters; a body with nothing in it to read."""

WHOLE = ("an unknown key first", "beside a token", "a learned token", "a learned logprob")
"""Places tried as a source of one JSON text each; in the others all cases go into one log."""

Right = Callable[[list[str]], bool]


def kinds_in_a_log(engine: type[Engine], framing: str, texts: Iterable[bytes]) -> list[list[str]]:
    """The kinds of problems that each text is, good chunks before, between and behind them."""
    around: Callable[[bytes], bytes] = (
        (lambda text: b"data: " + text + b"\n\n") if framing == "sse" else (lambda text: text + b"\n")
    )
    good, log, places = around(GOOD), bytearray(around(GOOD) * 3), []
    for text in texts:
        places.append(len(log))
        log += around(text) + good
    reading = feed(engine, [bytes(log)], framing=framing)
    assert "".join(text or "" for text in reading.contents()).count("a") >= 3 + len(places)
    found: dict[int, list[str]] = {place: [] for place in places}
    for problem in reading.problems:
        found[problem["offset"]].append(problem["kind"])
    return list(found.values())


def wrong(engine: type[Engine], place: str, cases: dict[str, bytes], right: Right) -> list[tuple[str, str, list[str]]]:
    """The cases that do not come out right in a place, in some framing."""
    texts = [PLACES[place].replace(b"@", case, 1) for case in cases.values()]
    by_framing = {framing: kinds_in_a_log(engine, framing, texts) for framing in ("sse", "jsonl")}
    if place in WHOLE:
        by_framing["json"] = [feed(engine, [text], framing="json").kinds() for text in texts]
    return [
        (framing, name, kinds)
        for framing, found in by_framing.items()
        for name, kinds in zip(cases, found, strict=True)
        if not right([kind for kind in kinds if kind not in NO_JSON])
    ]


@pytest.mark.parametrize("place", PLACES)
def test_taken(engine_class: type[Engine], place: str) -> None:
    assert wrong(engine_class, place, TAKEN | LEFT, lambda kinds: kinds == []) == []


@pytest.mark.parametrize("place", PLACES)
def test_refused(engine_class: type[Engine], place: str) -> None:
    # what is no UTF-8 either is an `encoding` problem beside it; no value in a list is an empty list, which is right
    cases = {name: case for name, case in REFUSED.items() if case.strip() or b"[@]" not in PLACES[place]}
    right: Right = lambda kinds: kinds in (["json"], ["encoding", "json"])  # noqa: E731
    assert wrong(engine_class, place, cases, right) == []


@pytest.mark.parametrize("place", PLACES)
def test_bad_utf8_in_strings_is_replaced(engine_class: type[Engine], place: str) -> None:
    assert wrong(engine_class, place, REPAIRED, lambda kinds: kinds == ["encoding"]) == []


def taken_by(read: Callable[[bytes], object], text: bytes) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def test_the_labels_are_those_of_the_standard_library() -> None:
    """The cases are right about what they are."""

    def read(case: bytes) -> object:
        return json.loads(case.decode("utf-8", "replace"))

    assert [name for name, case in (TAKEN | LEFT | REPAIRED).items() if not taken_by(read, case)] == []
    assert [name for name, case in REFUSED.items() if taken_by(read, case)] == []


@pytest.mark.parametrize("place", PLACES)
def test_the_parser_of_live_streams_says_the_same(place: str) -> None:
    for cases, taken in ((TAKEN | LEFT, True), (REFUSED, False)):
        texts = [
            PLACES[place].replace(b"@", case, 1)
            for case in cases.values()
            if case.strip() or b"[@]" not in PLACES[place]
        ]
        assert [text for text in texts if taken_by(ssift.loads, text) is not taken] == []


@pytest.mark.parametrize("where", ["beside the chunks", "inside a chunk", "in front"])
def test_records_of_a_container_are_no_exception(engine: str, where: str) -> None:
    chunk = GOOD.replace(b"null", b"@", 1) if where == "inside a chunk" else GOOD
    record = {
        "beside the chunks": b'{"c":[%b],"x":@}',
        "in front": b'{"x":[@],"c":[%b]}',
        "inside a chunk": b'{"c":[%b]}',
    }[where] % chunk
    cases = {**TAKEN, **LEFT, **{name: case for name, case in REFUSED.items() if case.strip()}}
    log, places = b"", {}
    for name, case in cases.items():
        places[len(log)] = name
        log += record.replace(b"@", case, 1) + b"\n" + record.replace(b"@", b"1") + b"\n"  # bad ones in a row are one
    found = ssift.read(log, engine=engine, format=ssift.Records("c[]"))
    names = list(places.values())
    bad = set()
    for row in found.problems.rows():
        if row["kind"] == "container":  # the record as a whole
            bad.add(places[row["offset"]])
        elif row["kind"] == "json":  # the chunk: its body is named by the number of its record
            bad.add(names[(int(row["source"].rpartition("#")[2]) - 1) // 2])
    assert bad == {name for name in cases if name in REFUSED}

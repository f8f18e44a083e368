"""Records in one list: however it is laid out, where it is cut, what in it is no record."""

from __future__ import annotations

import json

import pytest

import ssift
from ssift.sources.containers import body, splitting
from tests.containers.wrapping import container_of
from tests.faces.logs import chunk

FORM = ssift.Records("c[]")
RECORD = {"c": [chunk({"content": "a"}, "stop")], "x": {"y": "}]\n"}}
FLAT, INDENTED = json.dumps(RECORD), json.dumps(RECORD, indent=2)

LAYOUTS = {
    "one line": "[" + ", ".join([FLAT] * 40) + "]",
    "no blanks": "[" + ",".join([FLAT] * 40) + "]",
    "a line each": "[\n" + ",\n".join([FLAT] * 40) + "\n]",
    "indented": json.dumps([RECORD] * 40, indent=2),
    "indented, CRLF": json.dumps([RECORD] * 40, indent=2).replace("\n", "\r\n"),
    "indents that mean nothing": "[\n" + ",\n".join([INDENTED, FLAT, INDENTED.replace("\n  ", "\n")] * 14) + "\n]",
    "braces of records side by side": "[" + ",".join([INDENTED] * 40) + "]",
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_layouts(engine: str, layout: str) -> None:
    count = layout.count('"stop"')
    for size in (len(layout), 50):
        data = layout.encode()
        pieces = iter([data[at : at + size] for at in range(0, len(data), size)])
        log = ssift.read(pieces, engine=engine, format=FORM)
        assert (len(log.responses), len(log.problems)) == (count, 0)
    cut = ssift.read(layout.encode()[:-30], engine=engine, format=FORM)
    assert len(cut.responses) == count - 1
    (problem,) = cut.problems.rows()
    assert (problem["kind"], problem["offset"] + problem["length"]) == ("container", len(layout) - 30)
    without_end = ssift.read(layout.rstrip("]\r\n").encode() + b",", engine=engine, format=FORM)
    assert (len(without_end.responses), len(without_end.problems)) == (count, 1)


@pytest.mark.parametrize("between", [",", ",\n", ",\n  "])
def test_records_that_are_no_json_are_a_problem_each(engine: str, between: str) -> None:
    bad = '{"a":x}'
    data = ("[" + between.join([bad, FLAT, bad, bad]) + "]").encode()
    log = ssift.read(data, engine=engine, format=FORM)
    assert len(log.responses) == 1
    places = [(row["offset"], row["length"]) for row in log.problems.rows()]
    assert [data[offset : offset + length].decode() for offset, length in places] == [bad] * 3


@pytest.mark.parametrize("layout", [LAYOUTS["one line"], LAYOUTS["a line each"], LAYOUTS["indented"]])
def test_no_place_is_looked_at_for_every_record(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked through in all grows as the list does: twice the records, about twice the bytes."""

    class Looked(bytes):
        seen = 0

        def find(self, what: bytes, start: int = 0, end: int = 1 << 62) -> int:  # type: ignore[override]
            found = super().find(what, start, end)
            Looked.seen += (len(self) if found < 0 else found) - start
            return found

        def rfind(self, what: bytes, start: int = 0, end: int = 1 << 62) -> int:  # type: ignore[override]
            found = super().rfind(what, start, end)
            Looked.seen += min(len(self), end) - max(found, start)
            return found

    monkeypatch.setattr(splitting, "_octets", lambda view: (Looked(view), 0, len(view)))
    seen = []
    for times in (1, 8):
        text = layout[:-1].rstrip()
        data = (text + ("," + text[1:]) * (times - 1)).encode()
        Looked.seen = 0
        found = []
        for item in splitting.texts(iter([memoryview(data)])):
            if isinstance(item, splitting.Stretch):
                assert item.complete is not None
                assert item.complete() is not None
                found.append(item)
            else:
                assert isinstance(item, body.Fault)
        assert len(found) == 40 * times
        seen.append(Looked.seen)
    assert seen[1] <= 10 * seen[0] + 1000


def test_the_container_is_counted_once(engine: str) -> None:
    log = ssift.read(LAYOUTS["indented"].encode(), engine=engine, format=FORM)
    assert (container_of(log).bodies, container_of(log).left) == (40, 0)

"""The native reader of records takes out what the reference does: records made up from a seed, whole and damaged."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import settings

import ssift
from ssift.contract import TABLES
from tests.agreement.logs import MAKERS
from tests.agreement.values import chance
from tests.faces.logs import chunk, token

pytestmark = pytest.mark.usefixtures("both_engines")

FORMS = {
    "parts": ssift.Records("a.parts[].chunks[]", times="a.parts[].t"),
    "side by side": ssift.Records("a.chunks[]", times="a.times[]"),
    "joined": ssift.Records("c", times="t_ms"),
    "text": ssift.Records("body[]"),
    "named": ssift.Records("c[]", id="id"),
    "aiperf": "aiperf",
    "inference-perf": "inference-perf",
}


def a_chunk(random: Random) -> Any:
    content = "".join(random.choice('ab"\\/\n\r\t\x01é☃\u2028😀\ud83d{}[]:,') for _ in range(random.randint(0, 6)))
    found = chunk({"content": content}, random.choice((None, None, "stop")), id=random.choice("xyz"))
    if chance(random, 3):
        found["choices"][0]["logprobs"] = {"content": [token("t", -random.random(), ("u", -2.0))]}
    return found


def a_time(random: Random) -> Any:
    number = random.choice((5, 1.5, 1_772_359_200.125, 1_772_359_200_123, 10**17 - 1, 10**18 + 1, -3, 2**63, 1e300))
    return random.choice((number, number, number, None, "2026-03-01T10:00:00Z", True, [1]))


def as_sent(random: Random, found: Any) -> Any:
    """A chunk as an object, as a string, or something else in its place."""
    text = json.dumps(found, ensure_ascii=chance(random, 2), indent=1 if chance(random, 8) else None)
    return random.choice((found, text, text, text, f"data: {text}\n\n", f"data: {text}", "[DONE]", "", None, 7, " x"))


def several(random: Random, make: Any) -> list[Any]:
    return [make() for _ in range(random.randint(0, 4))]


def a_record(random: Random, form: str) -> Any:
    chunks = [as_sent(random, a_chunk(random)) for _ in range(random.randint(0, 4))]
    times = [a_time(random) for _ in range(random.randint(0, 4))]
    if form == "parts":
        parts = several(
            random, lambda: {"t": a_time(random), "chunks": several(random, lambda: as_sent(random, a_chunk(random)))}
        )
        return {"x": {"deep": [1, {"a": None}]}, "a": {"parts": parts}}
    if form == "side by side":
        return {"a": {"times": times, "chunks": chunks}}
    if form == "joined":
        return {"t_ms": a_time(random), "c": as_sent(random, a_chunk(random))}
    if form == "text":
        return {"body": MAKERS["sse"](random).decode("utf-8", "replace")}
    if form == "named":
        return {"id": random.choice((1, "n", None)), "c": chunks}
    if form == "aiperf":
        texts = [json.dumps(a_chunk(random)) for _ in range(3)]
        names = random.choice((["data"] * 3, ["data", "data", "event"], ["comment", "id", "data"]))
        packets = [{"name": name, "value": text} for name, text in zip(names, texts, strict=True)]
        split = [{"perf_ns": a_time(random), "packets": [packet]} for packet in packets]
        return {"responses": split if chance(random, 2) else [{"perf_ns": 1, "packets": packets}]}
    texts = [json.dumps(a_chunk(random), ensure_ascii=chance(random, 2)) for _ in range(4)]
    listed = [text for text in texts if not chance(random, 4)]
    ends = (
        ("\n\n",)
        if chance(random, 2)
        else ("\n\n", "\n\n\n", "\n\n\n\n", "\n", "\r\n\r\n", "\n\n:\n", "\n\nevent: x\n", "\n\n\u2028")
    )
    body = "".join(f"data: {text}{random.choice(ends)}" for text in texts) + random.choice(
        ("", "data: [DONE]\n\n", "\n", ": x\n")
    )
    metrics = {"response_chunks": listed, "chunk_times": [a_time(random) for _ in listed]}
    return {"start_time": 1, "request": "", "response": body, "info": {"response_metrics": metrics}}


def a_log(random: Random, form: str) -> bytes:
    records = [a_record(random, form) for _ in range(random.randint(1, 5))]
    ascii = chance(random, 2)

    def text(record: Any, indent: int | None = None) -> bytes:
        return json.dumps(record, ensure_ascii=ascii, indent=indent).encode("utf-8", "surrogatepass")

    if form == "inference-perf" or chance(random, 4):
        log = text(records, random.choice((None, 2)))
    else:
        log = b"".join(text(record) + random.choice((b"\n", b"\r\n", b" \n\n")) for record in records)
    if chance(random, 3):
        place = random.randint(0, len(log))
        log = random.choice(
            (log[:place], log[:place] + random.choice((b'"', b"\\", b"}", b"\xff", b"\n", b",")) + log[place:])
        )
    return log


def rows(log: ssift.Log) -> dict[str, list[str]]:
    found = {table: [repr(row) for row in log[table].rows()] for table in TABLES}
    return {**found, "sources": [repr(source) for source in log.sources]}


@pytest.mark.parametrize("name", FORMS)
def test_on_records_from_seeds(name: str) -> None:
    for seed in range(settings().max_examples * 2):
        random = Random(seed)
        log = a_log(random, name)
        size = random.choice((1 << 20, 1 << 20, 100, 1))

        def pieces(log: bytes = log, size: int = size) -> Any:
            return iter([log[at : at + size] for at in range(0, len(log), size)]) if size < len(log) else log

        native, python = (ssift.read(pieces(), engine=engine, format=FORMS[name]) for engine in ("native", "python"))
        expected = rows(python)
        for table, found in rows(native).items():
            assert found == expected[table], f"{table}, seed {seed}: {log!r}"


def test_escapes_anywhere_in_long_texts() -> None:
    """Blocks of 64 bytes, and the parts of a long text for which room is made, end in the middle of any escape."""
    odd = '"\\"' * 3 + 'é\n\t"😀"\\\\\\"\u2028' * 3
    for shift in range(140):
        sent = [
            chunk({"content": "x" * shift + odd * (shift % 7)}),
            chunk({"content": "y" * (65_300 + shift) + odd * 40}),
        ]
        texts = [json.dumps(one, ensure_ascii=bool(shift & 1)) for one in [*sent, *sent]]
        metrics = {"response_chunks": texts, "chunk_times": [1.5 + place for place in range(len(texts))]}
        body = "".join(f"data: {text}\n\n" for text in texts)
        record = {"start_time": 1, "request": "", "response": body, "info": {"response_metrics": metrics}}
        log = json.dumps([record], ensure_ascii=bool(shift & 2)).encode()
        native, python = (ssift.read(log, engine=engine, format="inference-perf") for engine in ("native", "python"))
        assert rows(native) == rows(python)
        assert len(native.problems) == 0


def test_common_records_are_not_refused() -> None:
    """What the tools write is read by the engine itself, not by the reference above it."""
    from ssift._native import NativeEngine
    from ssift.sources.containers.presets import aiperf, inference_perf
    from tests.containers.wrapping import aiperf as wrap_aiperf
    from tests.containers.wrapping import inference_perf as wrap_inference_perf
    from tests.faces.logs import ANSWER

    line = wrap_aiperf(ANSWER, ANSWER)
    engine = NativeEngine(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    stop, counts, lines = engine.records(0, line, 0, len(line), aiperf()._shapes[0], True)
    assert (stop, [count.chunks for count in counts]) == (len(line), [5, 5])
    assert lines == line.count(b"\n") == 2
    text = wrap_inference_perf(ANSWER, ANSWER) + bytes(64)
    start = text.index(b"{")
    stop, counts, lines = engine.records(2, text, start, len(text) - 64, inference_perf()._shapes[0], False)
    assert json.loads(text[start:stop])["start_time"] == 1.5
    assert [count.chunks for count in counts] == [5]
    assert lines == text.count(b"\n", start, stop)


def test_line_ends_in_a_record_are_counted() -> None:
    """Those between values, in values that nobody asked for, and in chunks that are objects; none are in strings."""
    from ssift._native import NativeEngine
    from ssift.sources.containers.records import record_format

    shape = record_format(ssift.Records("a[]", times="t"))._shapes[0]
    engine = NativeEngine(frozenset(TABLES), "auto", 1 << 20, 1024, 1024)
    record = {
        "x": {"deep": [1, {"a": "\n"}]},
        "y": [],
        "z": [[], "\n"],
        "t": 5,
        "a": [chunk({"content": "\n"}), "[DONE]"],
    }
    for number, indent in enumerate((None, 0, 1, 17, 40, "\t")):
        laid_out = json.dumps(record, indent=indent)
        for text in (laid_out, laid_out.replace("\n", "\r\n"), laid_out.replace("\n", " \n \n")):
            data = f" {text}\n".encode() + bytes(64)
            stop, counts, lines = engine.records(number, data, 1, len(data) - 64, shape, False)
            assert (stop, [count.chunks for count in counts]) == (1 + len(text), [1])
            assert lines == text.count("\n")

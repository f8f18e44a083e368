"""Chunks that only go on with their response, and one among them that does something else.

``read`` also feeds the log byte by byte and cut in two, so that each chunk is read beside its neighbours and alone.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.engines.feeding import DONE, event

ENTRY = {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": [{"token": "b", "logprob": -1.5, "bytes": [98]}]}


def choice(**said: Any) -> dict[str, Any]:
    return {"index": 0, "delta": {"content": "a"}, "finish_reason": None, "logprobs": {"content": [ENTRY]}, **said}


def chunk(**said: Any) -> bytes:
    head = {"id": "r", "object": "chat.completion.chunk", "created": 5, "model": "m"}
    return event({**head, "choices": [choice()], **said})


def entry(**said: Any) -> bytes:
    return chunk(choices=[choice(logprobs={"content": [{**ENTRY, **said}]})])


PLAIN = chunk() * 3

ODD = {
    "a comment": b": keep-alive\n\n",
    "a field": b"id: 4\n" + chunk(),
    "a comment in the block": b": c\n" + chunk(),
    "two blank lines": b"\n" + chunk(),
    "CRLF": chunk().replace(b"\n", b"\r\n"),
    "two data lines": b'data: {"id":"r",\ndata: "choices":[]}\n\n',
    "no blank line": chunk()[:-1],
    "not JSON": b"data: {\n\n",
    "no object": b"data: []\n\n",
    "no chunk": b'data: {"id":"r"}\n\n',
    "no field": b"junk\n\n",
    "a list of one dict in place of its dict": chunk(choices={"0": 1}),
    "done": DONE,
    "an error": chunk(error={"message": "m"}),
    "an error by its object": chunk(object="error"),
    "another id": chunk(id="s"),
    "no id": chunk(id=None),
    "a name that was missing": chunk(service_tier="default"),
    "usage": chunk(usage={"prompt_tokens": 1, "completion_tokens": 2}),
    "usage of groq": chunk(x_groq={"usage": {"prompt_tokens": 1}}),
    "usage of a choice": chunk(choices=[choice(usage={})]),
    "no choices": chunk(choices=[]),
    "two choices": chunk(choices=[choice(), choice(index=1)]),
    "another choice": chunk(choices=[choice(index=1)]),
    "an index that is true": chunk(choices=[choice(index=False)]),
    "an index of another spelling": chunk(choices=[choice(index=0.0)]),
    "a finish_reason": chunk(choices=[choice(finish_reason="stop")]),
    "a role": chunk(choices=[choice(delta={"role": "assistant", "content": "a"})]),
    "no content": chunk(choices=[choice(delta={})]),
    "content in parts": chunk(choices=[choice(delta={"content": ["a", {"type": "thinking", "thinking": "b"}]})]),
    "a wrong content": chunk(choices=[choice(delta={"content": 1})]),
    "refusal and reasoning": chunk(choices=[choice(delta={"refusal": "no", "reasoning": "so"})]),
    "a tool call": chunk(choices=[choice(delta={"tool_calls": [{"index": 0, "function": {"name": "f"}}]})]),
    "arguments as an object": chunk(choices=[choice(delta={"tool_calls": [{"function": {"name": "f", "arguments": {}}}]})]),
    "a message": chunk(choices=[{"index": 0, "message": {"content": "a"}}]),
    "logprobs of another shape": chunk(choices=[choice(logprobs={"tokens": ["a"], "token_logprobs": [-1]})]),
    "logprobs of the reasoning": chunk(choices=[choice(logprobs=None, reasoning_logprobs=[ENTRY])]),
    "a null entry": chunk(choices=[choice(logprobs={"content": [None, ENTRY]})]),
    "a wrong entry": chunk(choices=[choice(logprobs={"content": [1]})]),
    "a wrong token": entry(token=1),
    "a wrong alternative": entry(top_logprobs=[{"token": "a", "logprob": "x"}]),
    "a logprob that is true": entry(logprob=True),
    "minus zero": entry(logprob=-0.0).replace(b"-0.0", b"-0"),
    "no number": entry(logprob=float("nan")),
    "a number beyond float64": entry(logprob=-1.25).replace(b"-1.25", b"-1e999"),
    "half a pair of surrogates": chunk(choices=[choice(delta={"content": "\ud83d"})]),
    "invalid UTF-8": chunk(choices=[choice(delta={"content": "@"})]).replace(b"@", b"\xff"),
    "no bytes": entry(bytes=None),
    "bytes that are true": entry(bytes=[True]),
    "bytes that are a number": entry(bytes=3),
    "bytes with a fraction": entry(bytes=[97.0]),
    "bytes out of range": entry(bytes=[256]),
    "bytes 0 and 1": entry(bytes=[0, 1]),
    "bytes with minus zero": entry(bytes=[0]).replace(b"[0]", b"[-0]"),
    "the id twice": chunk().replace(b'"object"', b'"id": "s", "object"', 1),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_an_odd_one_among_plain_ones_is_read_as_if_alone(read, odd):
    reading = read(PLAIN + odd + PLAIN)
    assert reading.counts.chunks >= 6
    assert reading.contents()[0].startswith("aaa")


def test_what_follows_one_another_adds_up(read):
    reading = read(PLAIN + chunk(choices=[choice(finish_reason="stop")]) + DONE)
    assert reading.text == "aaaa"
    assert (reading.response["chunk_count"], reading.response["status"]) == (4, "complete")
    assert [row["position"] for row in reading.tokens] == [0, 1, 2, 3]
    assert [row["top_start"] for row in reading.tokens] == [0, 1, 2, 3]
    assert [row["bytes"] for row in reading.tokens] == [b"a"] * 4
    assert reading.choice["logprob_sum"] == -2.0
    assert reading.counts.chunk_bytes == 4 * (len(chunk()) - 1) + 2
    assert [row["offset"] for row in reading.chunks] == [place * len(chunk()) for place in range(4)]


def test_limits_hold_among_plain_ones(read):
    long = chunk(choices=[choice(delta={"content": "a" * 500})])
    deep = chunk(choices=[choice(other=[[[[[[[]]]]]]])])
    assert read(PLAIN + long + PLAIN, event_bytes=400).kinds() == ["too_long"]
    assert read(PLAIN + deep + PLAIN, depth=9).kinds() == ["too_long"]


def test_two_at_a_time_keep_apart(read):
    reading = read((chunk() * 2 + chunk(id="s", choices=[choice(delta={"role": "assistant", "content": "b"})]) * 2) * 2)
    assert reading.ids() == ["r", "s"]
    assert reading.contents() == ["aaaa", "bbbb"]

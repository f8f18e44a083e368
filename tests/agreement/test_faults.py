"""Of a chunk with one fault both engines say the same; of one with two they name the same one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations

import pytest

from ssift.contract import MESSAGES
from tests.agreement.comparing import TYPE_PROBLEM, Setting, read

pytestmark = pytest.mark.usefixtures("both_engines")

INDEX = ('"index":"x"', '"index":1.5')
DELTAS = ('"content":5', '"refusal":5', '"tool_calls":5', '"tool_calls":[5]', '"tool_calls":[{"index":"x"}]',
          '"tool_calls":[{"function":{"arguments":5}}]')  # fmt: skip
ENTRIES = ('"token":5', '"logprob":"x"', '"top_logprobs":5', '"top_logprobs":[5]', '"top_logprobs":[{"token":5}]',
           '"top_logprobs":[{"logprob":"x"}]', '"top_logprobs":[{"logprob":"x","token":5}]',
           '"top_logprobs":[{"logprob":1},5,{"token":5}]')  # fmt: skip
LISTS = ('"content":5', '"content":[5]', '"refusal":5', '"reasoning_content":[5]', '"tokens":5', '"tokens":[5]',
         '"token_logprobs":5', '"token_logprobs":["x"]', '"tokens":["a"],"top_logprobs":5',
         '"tokens":["a"],"top_logprobs":[5]', '"tokens":["a"],"top_logprobs":[{"a":"x"}]')  # fmt: skip
CALLS = ('"index":"x"', '"function":{"arguments":5}', '"function":{"arguments":true}')


def chunk(*choice: str) -> str:
    return f'{{"choices":[{{{",".join(choice)}}}]}}'


def in_delta(*pairs: str) -> str:
    return f'"delta":{{{",".join(pairs)}}}'


def in_logprobs(*pairs: str) -> str:
    return f'"logprobs":{{{",".join(pairs)}}}'


def in_entry(*pairs: str) -> str:
    return in_logprobs(f'"content":[{{{",".join(pairs)}}}]')


def in_call(*pairs: str) -> str:
    return in_delta(f'"tool_calls":[{{{",".join(pairs)}}}]')


CHOICES = (
    *INDEX, '"delta":5', '"delta":[]', '"message":5', '"reasoning_logprobs":[5]',
    *map(in_delta, DELTAS), *map(in_logprobs, LISTS), *map(in_entry, ENTRIES), *map(in_call, CALLS),
)  # fmt: skip
ONE = ['{"choices":5,"object":"chat.completion.chunk"}', '{"choices":[5]}', *map(chunk, CHOICES)]
TWO = {
    "in a choice": [chunk(*two) for two in permutations(CHOICES, 2)],
    "in two choices": [f'{{"choices":[{{{one}}},{{{two}}}]}}' for one, two in permutations(CHOICES, 2)],
    "in a delta": [chunk(in_delta(*two)) for two in permutations(DELTAS, 2)],
    "in logprobs": [chunk(in_logprobs(*two)) for two in permutations(LISTS, 2)],
    "in an entry": [chunk(in_entry(*two)) for two in permutations(ENTRIES, 2)],
    "in two entries": [
        chunk(in_logprobs(f'"content":[{one},{two}]'))
        for one, two in permutations((*(f"{{{fault}}}" for fault in ENTRIES), "5", "[]"), 2)
    ],
    "in a call": [chunk(in_call(*two)) for two in permutations(CALLS, 2)],
}


def differing(chunks: Iterable[str]) -> list[tuple[str, list[str], list[str]]]:
    """Each chunk of which the engines say different things, or not that one type is wrong."""
    from ssift._native import NativeEngine
    from ssift.python.engine import PythonEngine

    found = []
    for text in chunks:
        log = f"data: {text}\n\n".encode()
        problems = [read(engine, [log], Setting()).tables["problems"] for engine in (PythonEngine, NativeEngine)]
        one, two = ([MESSAGES[message] for message in each["message"]] for each in problems)
        if one != two or problems[0]["kind"] != [TYPE_PROBLEM]:
            found.append((text, one, two))
    return found


def test_one_fault() -> None:
    assert differing(ONE) == []


@pytest.mark.parametrize("where", TWO)
def test_two_faults(where: str) -> None:
    assert differing(TWO[where]) == []

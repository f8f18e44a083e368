"""``compat=True`` against the real client's decoder and stream, whatever comes: the same values and exceptions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ssift.live.frames import ClientFrames
from ssift.openai import accelerate
from tests.live.serving import http_library
from tests.live.streams import DONE, ENVELOPE, USAGE, event, token
from tests.live.test_accelerate import shown, view
from tests.live.test_frames import client_frames, cut, framed
from tests.live.test_twins import anything, places
from tests.need import need_module

openai = need_module("openai")
pytestmark = pytest.mark.filterwarnings("ignore")


@settings(max_examples=400)
@given(anything, places)
def test_frames_are_the_decoders(data, places):
    pieces = cut(data, places)
    assert framed(ClientFrames(), pieces) == client_frames(pieces)


class Response:
    """What a stream needs of a response."""

    http_version = "HTTP/1.1"
    is_closed = False

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self.request = http_library().Request("POST", "http://127.0.0.1/v1/chat/completions")

    def iter_bytes(self):
        yield from self._pieces

    def close(self) -> None:
        self.is_closed = True


VERSION = tuple(map(int, openai.__version__.split(".")[:2]))
PLAIN = openai.OpenAI(api_key="x", base_url="http://127.0.0.1/v1")
FAST = {types: accelerate(PLAIN, types=types, compat=True) for types in ("ssift", "openai")}


@pytest.fixture(scope="module", autouse=True)
def _closed():
    yield
    PLAIN.close()


def read(client: Any, pieces: list[bytes], look: Callable[[Any], str] = shown) -> list[str]:
    from openai.types.chat import ChatCompletionChunk

    from ssift.openai.streams import ChatStream

    kind = openai.Stream if client is PLAIN else ChatStream
    response = Response(pieces)
    found = []
    try:
        for chunk in kind[ChatCompletionChunk](cast_to=ChatCompletionChunk, response=response, client=client):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found.append(look(chunk))
    except Exception as error:
        body = getattr(error, "body", None)
        found.append(f"{type(error)} {error} {body!r} {getattr(error, 'code', None)!r}")
    closes = client is not PLAIN or VERSION >= (2, 9)  # before, a response closed itself when it was at its end
    return [*found, f"closed: {response.is_closed or not closes}"]


@settings(max_examples=400)
@example(b"data:[DONE]\n\n\xef\xbb", [])  # openai 1 reads on behind the end
@example(b"data:[DONE]\n\ndata: \xff\n\n", [3, 14])
@given(anything, places)
def test_streams_are_the_clients_whatever_comes(data, places):
    pieces = cut(data, places)
    assert read(FAST["openai"], pieces) == read(PLAIN, pieces)


odd: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 1 << 70) | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def mostly(usual: Any) -> st.SearchStrategy[Any]:
    return st.one_of(st.just(usual), st.just(usual), st.just(usual), odd)


entries = st.fixed_dictionaries(
    {"token": mostly("a"), "logprob": mostly(-0.5), "bytes": mostly([97])},
    optional={"top_logprobs": mostly([token("b", -1.5)]), "more": odd},
)
deltas = st.fixed_dictionaries(
    {},
    optional={
        "role": mostly("assistant"), "content": mostly("hé"), "refusal": mostly(None), "reasoning_content": odd,
        "tool_calls": mostly([{"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}]),
        "function_call": mostly({"name": "f", "arguments": ""}),
    },
)  # fmt: skip
choices = st.fixed_dictionaries(
    {"index": mostly(0), "delta": deltas | odd},
    optional={
        "finish_reason": mostly("stop"),
        "logprobs": st.none()
        | st.fixed_dictionaries({"content": st.lists(entries, max_size=2), "refusal": mostly(None)}),
        "more": odd,
    },
)
chunks = st.fixed_dictionaries(
    {},
    optional={
        **{name: mostly(value) for name, value in ENVELOPE.items()},
        "choices": st.lists(choices, max_size=2) | odd, "usage": mostly(USAGE), "service_tier": mostly("default"),
        "system_fingerprint": mostly("fp"), "error": odd, "more": odd,
    },
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(chunks, max_size=3))
def test_chunks_of_any_types_are_the_clients(values):
    stream = [b"data: " + event(**value).split(b": ", 1)[1] for value in values]
    assert read(FAST["openai"], [*stream, DONE]) == read(PLAIN, [*stream, DONE])


def test_chunks_of_the_right_types_are_the_clients_in_ssift_types():
    sound = [
        event(choices=[{"index": 0, "delta": {"content": "a", "reasoning_content": "r"}, "finish_reason": None}]),
        event(choices=[], usage=USAGE, service_tier=None),
        event(choices=[{"index": 0, "delta": {}, "logprobs": {"content": [token("b", -0.5)], "refusal": None}}]),
    ]
    look = view("ssift")
    assert read(FAST["ssift"], [*sound, DONE], look) == read(PLAIN, [*sound, DONE], look)

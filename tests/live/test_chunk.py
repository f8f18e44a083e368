"""Chunk objects against the openai client's own models: attributes, dumps, equality, pickles."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import pytest

import ssift
from ssift.live import chunk as ours
from tests.live.streams import SOUND, TEXT
from tests.need import need_module

openai = need_module("openai")
pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")

ALL = [
    chunk for name, data in SOUND.items() if name not in ("error", "error text", "json") for chunk in ssift.chunks(data)
]


def theirs(chunk: ssift.Chunk):
    """The client's model of the same text."""
    from openai._models import construct_type
    from openai.types.chat import ChatCompletionChunk

    return construct_type(type_=ChatCompletionChunk, value=json.loads(chunk.raw))


SOUND_TYPES = [chunk for chunk in ALL if b'"5"' not in chunk.raw and b"NaN" not in chunk.raw]


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("Chunk", "ChatCompletionChunk"), ("Choice", "Choice"), ("Delta", "ChoiceDelta"), ("ToolCall", "ChoiceDeltaToolCall"),
        ("FunctionCall", "ChoiceDeltaFunctionCall"), ("Audio", "ChoiceDeltaAudio"), ("Logprobs", "ChoiceLogprobs"),
        ("TokenLogprob", "ChatCompletionTokenLogprob"), ("Moderation", "Moderation"), ("Usage", "CompletionUsage"),
    ],
)  # fmt: skip
def test_fields_are_those_of_the_client_in_its_order(name, model):
    from openai.types.chat import chat_completion_chunk as module

    model = getattr(module, model)
    assert list(getattr(ours, name)._fields) == list(model.model_fields)


@pytest.mark.parametrize("options", [{}, {"exclude_unset": True}, {"exclude_none": True}, {"exclude_defaults": True}])
def test_dumps_are_the_same(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for chunk in SOUND_TYPES:
            if options.get("exclude_defaults") and b'"huge"' in chunk.raw:
                continue
            expected = theirs(chunk).model_dump(**options)
            found = chunk.model_dump(**options)
            if b'"huge"' in chunk.raw:  # an integer beyond 64 bits is a float here
                expected["huge"] = float(expected["huge"])
            assert found == expected
            assert list(found) == list(expected)


def test_json_texts_are_the_same():
    for chunk in ssift.chunks(SOUND["text"] + SOUND["tools"]):
        model = theirs(chunk)
        assert chunk.to_json() == model.to_json()
        assert chunk.to_json(indent=None) == model.to_json(indent=None)
        assert chunk.model_dump_json() == model.model_dump_json()
        assert chunk.to_dict() == model.to_dict()


def test_parts_of_dumps():
    for chunk in ssift.chunks(SOUND["logprobs"]):
        model = theirs(chunk)
        for parts in (
            {"id", "choices"},
            {"choices": {0: {"delta"}}},
            {"choices": {"__all__": {"delta": {"content"}, "index": True}}},
        ):
            assert chunk.model_dump(include=parts) == model.model_dump(include=parts)
            assert chunk.model_dump(exclude=parts) == model.model_dump(exclude=parts)


def test_attributes_are_the_same():
    [first, second, last] = ssift.chunks(SOUND["logprobs"])
    token = first.choices[0].logprobs.content[0]
    assert (token.token, token.logprob, token.bytes) == ("a", -0.1, [97])
    assert token.top_logprobs[1].logprob == -2.5
    zero = second.choices[0].logprobs.content[0]
    assert (zero.logprob, type(zero.logprob)) == (0.0, float)
    assert second.usage is None
    assert "usage" in second.model_fields_set
    assert "usage" not in first.model_fields_set
    assert last.usage.cost == 0.5
    assert last.usage.model_extra == {"cost": 0.5}
    assert last.usage.prompt_tokens_details.cached_tokens == 1
    assert last.usage.completion_tokens_details is None
    assert first.model_extra == {}


def test_what_was_looked_at_is_the_same_object_again():
    chunk = next(ssift.chunks(TEXT))
    assert chunk.choices is chunk.choices
    assert chunk.choices[0].delta is chunk.choices[0].delta


def test_unknown_attributes_raise():
    chunk = next(ssift.chunks(TEXT))
    with pytest.raises(AttributeError, match="'Chunk' object has no attribute 'nothing'"):
        chunk.nothing  # noqa: B018
    assert getattr(chunk.choices[0].delta, "reasoning_content", 5) == 5


def test_keys_that_are_names_of_methods_are_extras():
    chunk = ssift.loads(b'{"model_dump":1,"_values":2,"raw":3,"__class__":4}')
    assert chunk.model_extra == {"model_dump": 1, "_values": 2, "raw": 3, "__class__": 4}
    assert chunk.model_dump()["model_dump"] == 1
    assert isinstance(chunk.raw, bytes)
    assert dict(chunk)["model_dump"] == 1
    assert "model_dump=1" in repr(chunk)


def test_values_of_a_wrong_type_stay_as_sent():
    chunk = ssift.loads(b'{"choices":{"a":1},"usage":5,"created":"x"}')
    assert (chunk.choices, chunk.usage, chunk.created) == ({"a": 1}, 5, "x")
    assert chunk.to_dict() == {"choices": {"a": 1}, "created": "x", "usage": 5}
    mixed = ssift.loads(b'{"choices":[null,{"index":0},3]}')
    assert mixed.choices[1].index == 0
    assert mixed.to_dict() == {"choices": [None, {"index": 0}, 3]}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_and_copies_are_equal(protocol):
    for chunk in ALL:
        if b"NaN" in chunk.raw:
            continue
        chunk.choices  # noqa: B018
        for other in (
            pickle.loads(pickle.dumps(chunk, protocol)),
            copy.deepcopy(chunk),
            copy.copy(chunk),
            chunk.model_copy(deep=True),
        ):
            assert other == chunk
            assert type(other) is ssift.Chunk
            assert other.raw == chunk.raw


def test_equality_is_by_value():
    a, b = ssift.loads(b'{"id":"a","choices":[{"index":0}]}'), ssift.loads(b'{"choices":[{"index":0}],"id":"a"}')
    a.choices[0].index  # noqa: B018
    assert a == b
    assert a != ssift.loads(b'{"id":"b"}')
    assert a != {"id": "a"}
    with pytest.raises(TypeError):
        hash(a)


def test_null_equals_what_was_not_sent():
    texts = [
        b'{"choices":[{"index":0,"delta":{"content":"a"}}],"x":1}',
        b'{"choices":[{"index":0,"delta":{"content":"a","refusal":null},"logprobs":null}],"usage":null,"x":1}',
    ]
    for make in (ssift.loads, lambda text: theirs(ssift.loads(text))):
        a, b = map(make, texts)
        assert a == b
        assert a.choices[0] == b.choices[0]
    assert ssift.loads(b'{"x":null}') != ssift.loads(b"{}")


@pytest.mark.parametrize("indent", [None, 0, 2, 4])
def test_json_texts_are_json_whatever_was_sent(indent):
    for text in ('{"x":[NaN,-Infinity,1e400]}', '{"x":[NaN,123456789012345678901234567890,1e400]}', '{"x":"\\ud83d"}'):
        chunk = ssift.loads(text)
        for written in (chunk.model_dump_json(indent=indent), chunk.to_json(indent=indent)):
            assert "NaN" not in written
            assert "Infinity" not in written
            read = ssift.loads(written.encode()).x
            assert read == ("\ud83d" if type(read) is str else [None, chunk.x[1] if "1234" in text else None, None])


def test_json_texts_may_be_ascii():
    chunk = ssift.loads('{"choices":[],"x":"é☃😀"}')
    assert chunk.model_dump_json(ensure_ascii=True) == json.dumps(chunk.model_dump(), separators=(",", ":"))


def test_a_changed_copy_has_no_text_of_the_server():
    chunk = next(ssift.chunks(TEXT))
    assert json.loads(chunk.model_copy(update={"id": "other"}).raw)["id"] == "other"
    assert chunk.model_copy().raw == chunk.raw
    assert ssift.Chunk({"id": "\ud83d"}).raw == rb'{"id":"\ud83d"}'


def test_values_can_be_set():
    chunk = next(ssift.chunks(TEXT))
    chunk.choices[0].delta.content = "new"
    chunk.mine = 1
    assert chunk.to_dict()["choices"][0]["delta"]["content"] == "new"
    assert chunk.model_extra == {"mine": 1}
    del chunk.mine
    assert chunk.model_extra == {}
    with pytest.raises(AttributeError):
        chunk.raw = b""
    copied = chunk.model_copy(update={"id": "other"})
    assert (copied.id, chunk.id) == ("other", "c1")


def test_repr_names_fields_then_extras():
    chunk = ssift.loads(b'{"zz":1,"id":"a"}')
    assert repr(chunk).startswith("Chunk(id='a', choices=None")
    assert repr(chunk).endswith("usage=None, zz=1)")
    assert str(chunk) == repr(chunk)


def test_the_clients_accumulator_takes_our_chunks():
    from openai.lib.streaming.chat import ChatCompletionStreamState

    for name in ("text", "logprobs", "tools"):
        states = [ChatCompletionStreamState(), ChatCompletionStreamState()]
        for chunk in ssift.chunks(SOUND[name]):
            copied = copy.deepcopy(chunk)
            states[0].handle_chunk(theirs(chunk))
            states[1].handle_chunk(copied)
        assert states[1].current_completion_snapshot.to_dict() == states[0].current_completion_snapshot.to_dict()

"""The client's models made by readings, compiled and in Python, against those that the client makes itself."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
import weakref
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.live.streams import ENVELOPE, USAGE, token
from tests.need import need_module

openai = need_module("openai")
pytestmark = pytest.mark.filterwarnings("ignore")

from openai.types.chat import ChatCompletionChunk  # noqa: E402

from ssift.openai.models import reading_of  # noqa: E402
from ssift.openai.readings import EXACT, MODEL, REAL, PythonReading  # noqa: E402
from tests.live.test_compat import chunks  # noqa: E402

CALL = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{"}}
CHUNK: dict[str, Any] = {
    **ENVELOPE, "service_tier": "default", "system_fingerprint": "fp", "usage": USAGE, "more": {"deep": [1, 0.5]},
    "choices": [
        {"index": 0, "delta": {"role": "assistant", "content": "hé", "tool_calls": [CALL], "reasoning": "r"},
         "finish_reason": "stop", "logprobs": {"content": [token("a", -0.5), token("b", -1)], "refusal": None}},
        {"index": 1, "delta": {}},
    ],
}  # fmt: skip


@pytest.fixture(params=["native", "python"])
def read(request, both_engines):
    return reading(request.param)


def reading(engine: str) -> Any:
    if engine == "python":
        return reading_of(ChatCompletionChunk, False, PythonReading).read
    from ssift._native import Reading

    return reading_of(ChatCompletionChunk, False, Reading).read


def clients(value: Any) -> Any:
    """What the client's own constructor makes."""
    from openai._models import construct_type

    return construct_type(type_=ChatCompletionChunk, value=copy.deepcopy(value))


def inside(model: Any) -> Any:
    """All that a model consists of, with the order of its fields."""
    if isinstance(model, list):
        return [inside(entry) for entry in model]
    if not hasattr(model, "model_fields_set"):
        return type(model), repr(model)
    extra, private = model.__pydantic_extra__, model.__pydantic_private__
    fields = [(name, inside(value)) for name, value in vars(model).items()]
    return type(model), fields, sorted(model.__pydantic_fields_set__), list((extra or {}).items()), private


def test_models_are_the_clients(read):
    ours, theirs = read(copy.deepcopy(CHUNK)), clients(CHUNK)
    assert type(ours) is ChatCompletionChunk
    assert inside(ours) == inside(theirs)
    assert ours == theirs
    assert repr(ours) == repr(theirs)
    for make in (copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)), lambda m: m.model_copy()):
        assert inside(make(ours)) == inside(theirs)
    for how in ({}, {"exclude_unset": True}, {"exclude_none": True}, {"mode": "json"}):
        assert ours.model_dump(**how) == theirs.model_dump(**how)
    assert ours.to_json() == theirs.to_json()
    assert dict(ours) == dict(theirs)


def test_models_can_be_changed_and_share_nothing(read):
    sent = copy.deepcopy(CHUNK)
    one, other = read(sent), read(sent)
    one.choices[0].delta.content = "x"
    one.model = "y"
    one.brand_new = 5
    one.choices.append(one.choices[0])
    one.model_extra["z"] = 1
    del one.choices[1].delta.content
    assert inside(other) == inside(clients(CHUNK))
    assert one.brand_new == 5
    assert one.model_extra.keys() == {"more", "brand_new", "z"}
    assert other.model_extra.keys() == {"more"}


def test_models_are_freed(read):
    model = read(copy.deepcopy(CHUNK))
    model.choices[0].delta.loop = model.choices[0].delta
    model.witness = witness = type("Witness", (), {})()
    gone = weakref.ref(witness)
    model.itself = model
    del model, witness
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 5}, {"id": None}, {"created": 1.5}, {"created": True}, {"object": "other"}, {"object": ["x"]},
        {"choices": None}, {"choices": {}}, {"choices": [1]}, {"usage": []}, {"_fields_set": 1},
        {"more": 1e19}, {"more": [{"x": -1e19}]},
    ],
)  # fmt: skip
def test_what_is_not_as_declared_is_refused(read, wrong):
    with pytest.raises(ValueError, match="not "):
        read({**CHUNK, **wrong})


@pytest.mark.parametrize("missing", ["id", "choices", "created", "model", "object"])
def test_what_must_be_sent_is_missed(read, missing):
    with pytest.raises(ValueError, match="not sent"):
        read({name: value for name, value in CHUNK.items() if name != missing})


def test_integers_that_are_floats(read):
    def logprob(value: Any) -> Any:
        choice = {"index": 0, "delta": {}, "logprobs": {"content": [{**token("a", 0), "logprob": value}]}}
        return read({**CHUNK, "choices": [choice]}).choices[0].logprobs.content[0].logprob

    assert repr(logprob(-3)) == "-3.0"
    assert logprob(1 << 53) == float(1 << 53)
    for wrong in ((1 << 53) + 1, -(1 << 60), True, "1", None):
        with pytest.raises(ValueError, match="not as declared"):
            logprob(wrong)


def test_a_deep_value_that_nobody_declares(read):
    deep = orjson.loads(b"[" * 900 + b"1.5" + b"]" * 900)
    assert read({**CHUNK, "more": deep}).more is deep


@settings(max_examples=300)
@given(chunks | st.just(CHUNK))
def test_both_readings_are_the_same(values):
    found = []
    for engine in ("native", "python"):
        try:
            sent = orjson.loads(orjson.dumps(values))
        except orjson.JSONEncodeError:
            return
        try:
            found.append(inside(reading(engine)(sent)))
        except ValueError as refused:
            found.append(str(refused))
    assert found[0] == found[1]
    if not isinstance(found[0], str):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert found[0] == inside(clients(orjson.loads(orjson.dumps(values))))


def test_compiled_readings_refuse_what_does_not_fit(both_engines):
    from ssift._native import Reading

    slots = [vars(openai.BaseModel.__mro__[1])[name] for name in ("__pydantic_fields_set__",) * 3]
    for of in ((5, (), slots), (ChatCompletionChunk, (), (1, 2, 3)), (ChatCompletionChunk, (("a", 1, True),), slots)):
        with pytest.raises(TypeError):
            Reading(MODEL, of, False)
    with pytest.raises(TypeError):
        Reading(EXACT, 5, False)
    with pytest.raises(ValueError, match="not as declared"):
        Reading(99, None, False).read({})
    another = Reading(MODEL, (type("Plain", (), {}), (("a", Reading(REAL, None, True), False),), slots), False)
    with pytest.raises(TypeError):
        another.read({})

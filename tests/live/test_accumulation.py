"""Chunks put together live say what a log of them says: shapes, errors, tool calls, usage; and how sure an answer is."""

from __future__ import annotations

import math

import pytest

import ssift
from ssift.live.confidence import threshold
from tests.live.streams import DONE, LOGPROBS, SOUND, TEXT, TOOLS, USAGE, call, delta, event, token
from tests.need import need_module


def answer(*events: bytes) -> ssift.Answer:
    return ssift.accumulate(ssift.chunks(b"".join(events)))


def calls(*events: bytes) -> list[tuple[str, str, str]]:
    found = answer(*events).completion.choices[0].message.tool_calls or []
    return [(one.id, one.function.name, one.function.arguments) for one in found]


def test_a_text():
    found = answer(TEXT)
    assert (found.text, found.status, found.error) == ("Héllo ☃", "complete", None)
    completion = found.completion
    assert (completion.id, completion.model, completion.object, completion.usage) == (
        "c1",
        "m",
        "chat.completion",
        None,
    )
    assert (completion.choices[0].finish_reason, completion.choices[0].message.role) == ("stop", "assistant")


def test_logprobs_and_usage():
    completion = answer(LOGPROBS).completion
    tokens = completion.choices[0].logprobs.content
    assert [(one.token, one.logprob) for one in tokens] == [("a", -0.1), ("b", 0.0)]
    assert [one.token for one in tokens[0].top_logprobs] == ["a", "b"]
    assert tokens[0].bytes == [97]
    assert tokens[1].bytes is None
    assert (completion.usage.prompt_tokens, completion.usage.total_tokens) == (3, 5)
    assert completion.usage.prompt_tokens_details.cached_tokens == 1


@pytest.mark.parametrize("cut", [0, 1, 2, 3])
def test_partial_streams(cut):
    chunks = list(ssift.chunks(TEXT))[:cut]
    found = ssift.accumulate(chunks)
    assert found.text == ["", "", "Hé", "Héllo ☃"][cut]
    assert found.status == ("truncated" if cut else "empty")


def test_an_accumulator_may_be_asked_at_any_time():
    accumulator = ssift.Accumulator()
    texts = []
    for chunk in ssift.chunks(TEXT):
        accumulator.add(chunk)
        texts.append(accumulator.answer().text)
    assert texts == ["", "Hé", "Héllo ☃", "Héllo ☃"]
    accumulator.done()
    assert accumulator.answer().log.responses["done"].tolist() == [True]


@pytest.mark.parametrize("name", ["error", "error text"])
def test_errors_are_kept_with_what_came_before(name):
    found = answer(delta({"content": "before"}), SOUND[name])
    assert (found.status, found.text.startswith("before")) == ("errored", True)
    assert found.error in ("over", "boom")


def test_an_error_by_name_is_kept():
    found = answer(delta({"content": "a"}), b"event: error\ndata: Too many requests\n\n")
    assert (found.text, found.status, found.error) == ("a", "errored", "Too many requests")


def test_chunks_of_one_stream_belong_together_whatever_their_ids():
    assert (
        answer(
            delta({"content": "a"}, id="1"),
            delta({"content": "b"}, id="2"),
            delta({"role": "assistant", "content": "c"}, id=""),
        ).text
        == "abc"
    )


@pytest.mark.parametrize(
    ("events", "text"),
    [
        ([event(choices=None), event(), delta({"content": "a"})], "a"),
        ([delta(None, "stop")], ""),
        (
            [
                delta({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}]}),
                delta({"content": " x"}),
            ],
            "hi x",
        ),
        ([delta({"content": "a"}, ""), delta({"content": "b"}, "stop"), delta({}, None)], "ab"),
        ([delta({"content": "a", "tool_calls": None}), delta({"content": "b", "tool_calls": []})], "ab"),
    ],
)
def test_odd_shapes(events, text):
    assert answer(*events).text == text


def test_reasoning_roles_and_finish():
    found = answer(
        delta({"role": "assistant", "reasoning_content": "h"}),
        delta({"role": "assistant", "content": "a", "reasoning": "m"}, "stop"),
        delta({}, None),
    ).completion.choices[0]
    assert (found.message.reasoning_content, found.message.role, found.finish_reason) == ("hm", "assistant", "stop")


def test_refusals():
    found = answer(
        delta({"refusal": "I can"}, None, {"content": None, "refusal": [token("I", -0.1)]})
    ).completion.choices[0]
    assert (found.message.refusal, [one.token for one in found.logprobs.refusal]) == ("I can", ["I"])


def test_choices_are_apart():
    found = answer(delta({"content": "a"}), delta({"content": "b"}, index=1), delta({"content": "c"}))
    assert [choice.message.content for choice in found.completion.choices] == ["ac", "b"]


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (
            [
                call({"id": "a", "name": "f", "args": '{"x":'}),
                call({"args": "1}"}),
                call({"id": "b", "name": "g", "args": "{}"}),
            ],
            [("a", "f", '{"x":1}'), ("b", "g", "{}")],
        ),
        (
            [
                call({"index": 0, "id": "a", "name": "f", "args": ""}, {"index": 0, "args": '{"x":'}),
                call({"index": 0, "args": "1}"}),
            ],
            [("a", "f", '{"x":1}')],
        ),
        (
            [
                call({"index": 0, "id": "a", "name": "f", "args": '{"q":1}'}),
                call({"index": 0, "id": "b", "name": "f", "args": '{"q":2}'}),
            ],
            [("a", "f", '{"q":1}'), ("b", "f", '{"q":2}')],
        ),
        (
            [
                call({"index": 0, "id": "a", "name": "f", "args": "{"}),
                call({"index": 0, "id": "a", "name": "f", "args": "}"}),
            ],
            [("a", "f", "{}")],
        ),
        (
            [
                call({"index": 0, "id": "a", "name": "f", "args": "{"}),
                call({"index": 0, "id": "", "name": None, "args": "}"}),
            ],
            [("a", "f", "{}")],
        ),
        (
            [
                call(
                    {"index": 0, "id": "a", "name": "f", "args": None},
                    {"index": 1, "id": "b", "name": "g", "args": "{}"},
                )
            ],
            [("a", "f", ""), ("b", "g", "{}")],
        ),
        ([call({"index": 0, "id": "a", "name": "f", "args": {"x": 1}})], [("a", "f", '{"x": 1}')]),
        ([call({"index": 1, "id": "a", "name": "f", "args": "{}"})], [("a", "f", "{}")]),
        ([TOOLS], [("a", "f", '{"x":1}')]),
    ],
)
def test_tool_calls(events, expected):
    assert calls(*events) == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([delta({"content": "a"}, usage=None), event(choices=[], usage=USAGE)], (3, 2, 5)),
        ([delta({"content": "a"}, usage=USAGE), delta({}, "stop", usage=None)], (3, 2, 5)),
        ([delta({"content": "a"}, usage={**USAGE, "completion_tokens": n}) for n in (1, 2, 3)], (3, 3, 5)),
        ([delta({}, "stop", usage=USAGE), event(choices=[], usage=USAGE)], (3, 2, 5)),
        ([event(choices=[{"index": 0, "delta": {}, "usage": USAGE}])], (3, 2, 5)),
        ([event(choices=[], x_groq={"usage": USAGE})], (3, 2, 5)),
    ],
)
def test_usage(events, expected):
    usage = answer(*events).completion.usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == expected


def test_chunks_of_the_client_are_taken():
    types = need_module("openai.types.chat")
    chunks = [types.ChatCompletionChunk.model_construct(**chunk.to_dict()) for chunk in ssift.chunks(TEXT)]
    assert ssift.accumulate(types.ChatCompletionChunk.model_validate(one.to_dict()) for one in chunks).text == "Héllo ☃"


@pytest.mark.parametrize("ours", [False, True])
def test_halves_of_a_surrogate_pair_are_joined(ours):
    chat = need_module("openai.types.chat")
    chunks = list(ssift.chunks(b"".join(delta({"content": half}).replace(b"!", b"\\u") for half in ("!d83d", "!de00"))))
    assert chunks[0].choices[0].delta.content == "\ud83d"
    if not ours:
        chunks = [chat.ChatCompletionChunk.model_validate(one.to_dict()) for one in chunks]
    assert ssift.accumulate(chunks).text == "😀"


def test_what_is_no_chunk_is_refused():
    for wrong in ({"choices": []}, "data: {}", None, 5):
        with pytest.raises(TypeError, match=f"hands out, not {type(wrong).__name__}"):
            ssift.accumulate([wrong])
    with pytest.raises(TypeError, match="not int"):
        ssift.accumulate(TEXT)


def test_an_answer_has_the_attributes_of_a_completion():
    chat = need_module("openai.types.chat")
    completion = answer(TOOLS).completion
    message = completion.choices[0].message
    for model, found in ((chat.ChatCompletion, completion), (chat.ChatCompletionMessage, message)):
        for name in model.model_fields:
            getattr(found, name)
    assert (message.function_call, message.audio, message.annotations, completion.moderation) == (None,) * 4
    assert chat.ChatCompletion.model_validate(completion.to_dict()).choices[0].message.tool_calls[0].id == "a"


# ------------------------------------------------------------------------------------------------------ confidence


def sure(*confidences: float) -> list[bytes]:
    return [
        delta({"content": "x"}, None, {"content": [token("x", -value, [("x", -value), ("y", -value)])]})
        for value in confidences
    ]


@pytest.mark.parametrize("window", [1, 2, 3, 10])
def test_running_figures_are_those_of_the_log(window):
    events = [*sure(1.0, 3.0, 0.5, 0.25, 4.0, 2.0), delta({"content": "z"}, "stop", {"content": [token("z", -1.0)]})]
    running = ssift.RunningConfidence(window=window)
    for chunk in ssift.chunks(b"".join(events)):
        running.add(chunk)
    figures = ssift.statistics.choices(answer(*events).log, window=window)
    assert running.tokens == 6
    assert running.lowest == pytest.approx(figures["lowest_group_confidence"][0])
    assert running.group == pytest.approx(figures["tail_confidence"][0])


def test_an_answer_is_stopped_when_a_whole_group_is_unsure():
    running = ssift.RunningConfidence(2.0, window=2)
    stops = [running.add(chunk) for chunk in ssift.chunks(b"".join(sure(1.0, 4.0, 1.0, 0.5, 9.0)))]
    assert stops == [False, False, False, True, True]
    assert repr(running) == "<ssift.RunningConfidence, stopped: 5 tokens, group 4.75, lowest 0.75>"


def test_no_alternatives_no_confidence():
    running = ssift.RunningConfidence(5.0, window=1)
    for chunk in ssift.chunks(TEXT + DONE):
        assert not running.add(chunk)
    assert math.isnan(running.group)
    assert math.isnan(running.lowest)


def test_the_sampled_token_counts_once_and_sentinels_not_at_all():
    chunk = next(
        ssift.chunks(
            delta({}, None, {"content": [token("x", -1.0, [("x", -1.0), ("y", -3.0), ("z", -9999.0), ("x", -1.0)])]})
        )
    )
    running = ssift.RunningConfidence(window=1)
    running.add(chunk)
    assert running.group == 2.0


@pytest.mark.parametrize("wrong", [5, "x", [], {}, {"a": 1}, [None, 5, "x", [], {"token": 1}], {"content": [None, 5]}])
def test_values_of_a_wrong_type_have_no_confidence(wrong):
    running = ssift.RunningConfidence(5.0, window=1)
    choice = {"index": 0, "delta": {}, "logprobs": wrong}
    entry = {"token": "a", "logprob": -1.0, "top_logprobs": wrong}
    inside = [{**choice, "logprobs": {"content": content}} for content in (wrong, [entry])]
    for choices in (wrong, [choice], *([one] for one in inside)):
        assert not running.add(ssift.Chunk({"choices": choices}))
    assert running.tokens == 0


def test_threshold_of_a_warm_up():
    assert threshold([1.0, 2.0, 3.0, math.nan], keep=0.5) == 2.0
    assert threshold([5.0]) == 5.0
    with pytest.raises(ValueError, match="top_logprobs"):
        threshold([math.nan])
    with pytest.raises(ValueError, match="share"):
        threshold([1.0], keep=2)

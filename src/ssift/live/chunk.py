"""``chat.completion.chunk`` as objects, field by field as in the newest openai client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

from ssift.live.cells import Cell, Maker, Values
from ssift.live.nodes import Node, _plain, _set_values, _values

FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "function_call"]


class TopLogprob(Node):
    """An alternative of a token; ``logprob`` in nats, ``bytes`` the UTF-8 of the token as integers."""

    __slots__ = ()
    token: str
    bytes: list[int] | None
    logprob: float


class TokenLogprob(Node, many={"top_logprobs": TopLogprob}):
    """A token with its logprob (nats) and its alternatives, as sent."""

    __slots__ = ()
    token: str
    bytes: list[int] | None
    logprob: float
    top_logprobs: list[TopLogprob]


class Logprobs(Node, many={"content": TokenLogprob, "refusal": TokenLogprob}):
    """The tokens of a chunk's texts."""

    __slots__ = ()
    content: list[TokenLogprob] | None
    refusal: list[TokenLogprob] | None


class FunctionCall(Node):
    """Some characters of a function's arguments; its name in the first piece."""

    __slots__ = ()
    arguments: str | None
    name: str | None


class ToolCall(Node, one={"function": FunctionCall}):
    """A piece of a tool call."""

    __slots__ = ()
    index: int
    id: str | None
    function: FunctionCall | None
    type: Literal["function"] | None


class Audio(Node):
    """A piece of audio: base64 data or its transcript."""

    __slots__ = ()
    id: str | None
    data: str | None
    expires_at: int | None
    transcript: str | None


class Delta(Node, one={"audio": Audio, "function_call": FunctionCall}, many={"tool_calls": ToolCall}):
    """What a chunk adds to a choice."""

    __slots__ = ()
    audio: Audio | None
    content: str | None
    function_call: FunctionCall | None
    refusal: str | None
    role: Literal["developer", "system", "user", "assistant", "tool"] | None
    tool_calls: list[ToolCall] | None


class Choice(Node, one={"delta": Delta, "logprobs": Logprobs}):
    """One ``index`` of a chunk."""

    __slots__ = ()
    delta: Delta
    index: int
    finish_reason: FinishReason | None
    logprobs: Logprobs | None


class CompletionTokensDetails(Node):
    """Of which the completion tokens are."""

    __slots__ = ()
    accepted_prediction_tokens: int | None
    audio_tokens: int | None
    reasoning_tokens: int | None
    rejected_prediction_tokens: int | None
    text_tokens: int | None


class PromptTokensDetails(Node):
    """Of which the prompt tokens are."""

    __slots__ = ()
    audio_tokens: int | None
    cache_write_tokens: int | None
    cached_tokens: int | None
    image_tokens: int | None
    text_tokens: int | None


class Usage(
    Node,
    one={"completion_tokens_details": CompletionTokensDetails, "prompt_tokens_details": PromptTokensDetails},
):
    """Tokens that were paid for, as the server counts them."""

    __slots__ = ()
    completion_tokens: int
    prompt_tokens: int
    total_tokens: int
    completion_tokens_details: CompletionTokensDetails | None
    prompt_tokens_details: PromptTokensDetails | None


class ModerationResult(Node):
    """What a moderation model says of one text."""

    __slots__ = ()
    categories: dict[str, bool]
    category_applied_input_types: dict[str, list[str]]
    category_scores: dict[str, float]
    flagged: bool
    model: str
    type: str


class ModerationResults(Node, many={"results": ModerationResult}):
    """What a moderation model says."""

    __slots__ = ()
    model: str
    results: list[ModerationResult]
    type: str


class ModerationError(Node):
    """Why there is no moderation."""

    __slots__ = ()
    code: str
    message: str
    type: str


def _moderation(values: Values) -> type[Node]:
    return ModerationError if values.get("type") == "error" else ModerationResults


class Moderation(Node, one={"input": _moderation, "output": _moderation}):
    """Moderation of what was asked and of what was answered."""

    __slots__ = ()
    input: ModerationResults | ModerationError
    output: ModerationResults | ModerationError


class Chunk(Node, one={"moderation": Moderation, "usage": Usage}, many={"choices": Choice}):
    """One ``chat.completion.chunk``; stands in for openai's ``ChatCompletionChunk`` by its attributes."""

    __slots__ = ()
    id: str
    choices: list[Choice]
    created: int
    model: str
    object: Literal["chat.completion.chunk"]
    moderation: Moderation | None
    obfuscation: str | None
    service_tier: Literal["auto", "default", "flex", "scale", "priority", "fast"] | None
    system_fingerprint: str | None
    usage: Usage | None

    def __init__(self, values: Values | None = None, raw: bytes | None = None, /, **named: Any) -> None:
        _set_values(self, {**(values or {}), **named} if named or values is None else values)
        _set_raw(self, raw)

    @property
    def raw(self) -> bytes:
        """The JSON text as it was sent; of a chunk that was made otherwise, that of :meth:`to_dict`."""
        raw: bytes | None = _raw(self)
        return self.to_json(indent=None).encode() if raw is None else raw

    def __copy__(self) -> Self:
        return type(self)(dict(_values(self)), _raw(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (_plain(_values(self)), _raw(self))


_raw = Cell.__dict__["_raw"].__get__
_set_raw = Cell.__dict__["_raw"].__set__

chunk_of: Callable[[Any, bytes], Any] = Maker(Chunk)
"""The chunk of a JSON object and its text, the quick way; any other value stays as it is."""

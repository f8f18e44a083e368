"""Clients of a class of their own, which asks for our streams in place of ``Stream[ChatCompletionChunk]``.

All ways to a stream (``create``, ``stream``, raw and streaming responses, ``post``) meet in ``request``; a copy made by
``with_options`` has the class of its original. So this one method is all that is replaced.
"""

from __future__ import annotations

import copy
from functools import cache, cached_property
from typing import Any

import openai
from openai.types.chat import ChatCompletionChunk

from ssift.openai.streams import AsyncChatStream, ChatStream, Mode

_OURS: dict[Any, Any] = {
    openai.Stream[ChatCompletionChunk]: ChatStream[ChatCompletionChunk],
    openai.AsyncStream[ChatCompletionChunk]: AsyncChatStream[ChatCompletionChunk],
}


def accelerated(client: Any, types: str, compat: bool) -> Any:
    """A shallow copy of the client, of the class for this mode."""
    if not isinstance(client, openai.OpenAI | openai.AsyncOpenAI):
        raise TypeError(f"accelerate() takes an OpenAI or AsyncOpenAI client, not {type(client).__name__}")
    cls: type[Any] = getattr(type(client), "_ssift_base", type(client))
    ours = copy.copy(client)
    ours.__class__ = _class_for(cls, Mode(types, compat))  # type: ignore[arg-type, unused-ignore]
    for name in [name for name in vars(ours) if isinstance(getattr(cls, name, None), cached_property)]:
        del vars(ours)[name]  # resources (client.chat, ...) that lead to the client they were made for
    return ours


@cache
def _class_for(cls: type[Any], mode: Mode) -> type[Any]:
    def request(self: Any, *arguments: Any, **options: Any) -> Any:
        wanted = options.get("stream_cls")
        if wanted is not None:
            options["stream_cls"] = _OURS.get(wanted, wanted)
        return cls.request(self, *arguments, **options)

    names = {"request": request, "_ssift_base": cls, "_ssift_mode": mode, "__module__": cls.__module__}
    return type(cls.__name__, (cls,), {**names, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__})

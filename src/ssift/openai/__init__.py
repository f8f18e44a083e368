"""The openai client, with the parsing of its chat streams replaced.

::

    from openai import OpenAI
    from ssift.openai import accelerate

    client = accelerate(OpenAI())
    for chunk in client.chat.completions.create(..., stream=True):
        chunk.choices[0].delta.content

Requests, retries, timeouts, closing and errors stay the client's own: only what turns bytes into chunks is another.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from ssift.extras import need

__all__ = ["accelerate"]

_Client = TypeVar("_Client")


def accelerate(client: _Client, *, types: Literal["ssift", "openai"] = "ssift", compat: bool = False) -> _Client:
    """A client like ``client``, and with its connections, whose chat streams are parsed by ssift.

    Args:
        client: an ``OpenAI`` or ``AsyncOpenAI``, their Azure forms, or a subclass; of version 1, 2 or 3.
        types: ``"ssift"`` yields :class:`ssift.Chunk`, which has the attributes of ``ChatCompletionChunk`` and is the
            fastest; ``"openai"`` yields real ``ChatCompletionChunk`` objects, exactly those of the plain client.
        compat: keep the faults of the client's own decoder (see :class:`ssift.Parser`); by default a byte-order mark,
            invalid UTF-8, pings and empty blocks do no harm, and ``event: error`` raises ``APIError``.

    Raises:
        MissingError: openai is not installed.
        TypeError: ``client`` is no client of it.
        ValueError: ``types`` is neither.
    """
    need("openai", "openai")
    if types not in ("ssift", "openai"):
        raise ValueError(f"types={types!r}: use ssift or openai")
    from ssift.openai.clients import accelerated

    found: _Client = accelerated(client, types, compat)
    return found

"""Bytes of tokens that are parts of characters, where a server wrote them as text and sent no ``bytes``.

Nothing is guessed: a model can really write ``\\xf0``. Who knows the server names its way of writing.

===================  =======================  ====================================
``"openai"``         ``bytes: \\xe2\\x80``    a space and two bytes, after ``bytes:``
``"backslash"``      ``\\xf0\\x9f``           nothing but such bytes
``"byte_fallback"``  ``<0xF0>``               one byte, as SentencePiece writes it
===================  =======================  ====================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeAlias

PartialTokens: TypeAlias = Literal["openai", "backslash", "byte_fallback"]

_ESCAPE = re.compile(r"\\x([0-9a-f]{2})", re.IGNORECASE)
_ESCAPES = re.compile(r"(?:\\x[0-9a-f]{2})+", re.IGNORECASE)
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")
_PREFIX = "bytes:"


def decoder_of(name: PartialTokens | None) -> Callable[[str], bytes]:
    """What gives the bytes of a token that came without; without a name, their UTF-8.

    Raises:
        ValueError: no such way of writing.
    """
    if name is None:
        return str.encode
    if name not in _DECODERS:
        raise ValueError(f"partial={name!r}: use one of {', '.join(_DECODERS)}")
    return _DECODERS[name]


def _openai(token: str) -> bytes:
    return _unescaped(token.removeprefix(_PREFIX)) if token.startswith(_PREFIX) and "\\x" in token else token.encode()


def _backslash(token: str) -> bytes:
    return _unescaped(token) if _ESCAPES.fullmatch(token) else token.encode()


def _byte_fallback(token: str) -> bytes:
    found = _BYTE.fullmatch(token)
    return bytes.fromhex(found[1]) if found else token.encode()


def _unescaped(text: str) -> bytes:
    """The UTF-8 of a text, with each ``\\xHH`` as the byte it names."""
    parts = _ESCAPE.split(text)  # text, HH, text, HH, ..., text
    return b"".join(bytes.fromhex(part) if place % 2 else part.encode() for place, part in enumerate(parts))


_DECODERS: dict[str, Callable[[str], bytes]] = {
    "openai": _openai, "backslash": _backslash, "byte_fallback": _byte_fallback,
}  # fmt: skip

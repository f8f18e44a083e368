"""Text that was decoded with the wrong character set.

Event streams are UTF-8, but a recorder that sees no ``charset`` may have read the bytes as ISO 8859-1 or Windows-1252
and written them again as UTF-8. Then every character is one byte of the stream, and encoding it back gives the stream:
a repair without loss, done when the result is UTF-8 to the last byte.
"""

from __future__ import annotations

import re
from functools import cache

_UTF8 = re.compile(r"utf-?8", re.IGNORECASE)


def repaired(text: str, content_type: str = "") -> tuple[str, bool]:
    """The text, repaired where that is needed, and whether it is (still) damaged.

    Nothing is done where the content type says UTF-8. Damaged is a text that holds UTF-8 read as single bytes, but
    not throughout.
    """
    if text.isascii() or _UTF8.search(content_type):
        return text, False
    raw = _single_bytes(text)
    if raw is None:
        return text, False
    try:
        return raw.decode(), False
    except UnicodeDecodeError:
        return text, any(not mark.isascii() and mark != "\ufffd" for mark in raw.decode("utf-8", "replace"))


def _single_bytes(text: str) -> bytes | None:
    """The bytes that were read as these characters; None when they were more than single bytes."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        pass
    try:
        return text.translate(_windows()).encode("latin-1")
    except UnicodeEncodeError:
        return None


@cache
def _windows() -> dict[int, int]:
    """Windows-1252 as browsers have it (WHATWG Encoding): the five bytes without a character stand for themselves."""
    return {
        ord(character): byte
        for byte in range(0x80, 0xA0)
        for character in [bytes([byte]).decode("cp1252", "ignore") or chr(byte)]
    }


def utf8(text: str) -> bytes:
    """The text as UTF-8; a lone surrogate becomes U+FFFD, a byte kept by ``surrogateescape`` comes back."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        pass
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()

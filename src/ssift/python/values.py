"""What a JSON value means where a column wants a number, a text or bytes.

1. A float column takes every number, as ``float(text)`` would read it; beyond float64 it is inf.
2. An integer column takes the integral part of a number that fits int64. Whatever else stands there is missing.
3. bool is no number here, though Python says so; that is why this file asks ``type(value) is``.
4. Escapes may leave half a surrogate pair in a str. Pairs are joined, what is left alone becomes U+FFFD.
"""

from __future__ import annotations

from typing import Any

from ssift.python.json_text import INT_MAX, INT_MIN, LookAgain


class WrongType(Exception):
    """A field of the wrong type where it matters: the chunk adds nothing. Holds a number of ``contract.MESSAGES``."""

    def __init__(self, message: int) -> None:
        super().__init__(message)
        self.message = message


def integral(value: Any) -> int | None:
    """The integral part of a number, if it fits int64.

    Raises:
        LookAgain: that depends on how the number was written.
    """
    if type(value) is int:
        return value if INT_MIN <= value <= INT_MAX else None
    if type(value) is float and INT_MIN <= value < -INT_MIN:
        if value == INT_MIN:
            raise LookAgain
        return int(value)
    return None


def index_of(value: Any, place: int | None, message: int) -> int | None:
    """An index: a number with an integral value; ``place`` where none was sent.

    Raises:
        WrongType: anything else, with ``message``.
    """
    if value is None:
        return place
    index = integral(value)
    if index is None or index != value:
        raise WrongType(message)
    return index


def real(value: int | float) -> float:
    """A number as float64."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def text_of(value: Any) -> str:
    """A string that says something, else the empty one."""
    return value if type(value) is str else ""


def id_of(value: Any) -> str:
    """As :func:`text_of`, in the spelling in which ids are compared: that of their column."""
    text = text_of(value)
    return text if text.isascii() else join_surrogates(text)


def join_surrogates(text: str) -> str:
    """Valid Unicode: pairs of surrogates joined, U+FFFD for each that is alone."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return join_surrogates(text).encode()

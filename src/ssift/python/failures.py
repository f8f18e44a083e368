"""Errors that a server put into its stream.

1. An error is an object whose ``error`` says something, or with ``object: "error"``; any data under ``event: error``; a
   line ``error:``.
2. Its message is the string at ``error``, at ``error.message`` or at ``message``; else the data as sent.
3. Its code is a string or a number at ``error.code``, else at ``code``; a number keeps its own spelling.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ssift.python.json_text import Number, exact


class Failure(NamedTuple):
    message: str
    code: str | None


def is_failure(value: dict[str, Any]) -> bool:
    """Whether an object is an error by itself. null, false, 0 and what is empty say nothing."""
    return bool(value.get("error")) or value.get("object") == "error"


def failure_of(value: Any, text: str) -> Failure:
    """The error in ``value``; ``text`` is the data as sent. ``value`` is None where that is no JSON."""
    if type(value) is not dict:
        return Failure(text, None)
    inner = value.get("error")
    inner = inner if type(inner) is dict else {"message": inner}
    messages = (inner.get("message"), value.get("message"))
    message = next((one for one in messages if type(one) is str and one), text)
    return Failure(message, _code(inner.get("code"), value.get("code"), text))


def _code(inner: Any, outer: Any, text: str) -> str | None:
    if type(inner) is str and inner:
        return inner
    if _is_number(inner) or _is_number(outer):
        spelled = exact(text, Number).value
        error = spelled.get("error")
        if type(error) is dict and type(error.get("code")) is Number:
            return str(error["code"])
        if type(outer) is not str and type(spelled.get("code")) is Number:
            return str(spelled["code"])
    return outer if type(outer) is str and outer else None


def _is_number(value: Any) -> bool:
    return type(value) is int or type(value) is float

"""JSON values to the client's own models, fast where that is safe.

The client builds a model by asking pydantic at every field, again and again, how to read its annotation. Here the
annotations are read once, into one small function per model that sets the state of an instance directly. It *refuses*
whatever is not exactly of the declared type (a string for a number, an unknown word, a missing required field), and
then the client's own constructor builds the chunk from its text: the result is always the client's.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

_LARGEST = float(1 << 63)
_RESERVED = "_fields_set"  # a key that the client's constructor takes for its own argument

Convert = Callable[[Any], Any]


class _Refused(Exception):
    """Not exactly what is declared."""


class ModelBuilder:
    """Builds what the client would for the chunks of one stream."""

    def __init__(self, client: Any, cast_to: Any, response: Any) -> None:
        self._process = client._process_response_data
        self._cast_to = cast_to
        self._response = response
        strict = getattr(client, "_strict_response_validation", False)
        self._convert: Convert = _refuse if strict else _model(cast_to)

    def build(self, value: Any, data: bytes) -> Any:
        """The model; ``data`` is the text of ``value``."""
        try:
            return self._convert(value)
        except _Refused:
            pass  # and left behind: what the client raises below has nothing to do with it
        value = json.loads(data.decode("utf-8", "replace"))
        return self._process(data=value, cast_to=self._cast_to, response=self._response)


def _refuse(value: Any) -> Any:
    raise _Refused


@cache
def _model(cls: Any) -> Convert:
    """What makes an instance of ``cls`` from a dict."""
    fields = getattr(cls, "model_fields", None)
    if fields is None or any(field.alias for field in fields.values()):  # pydantic 1
        return _refuse
    plan = [(name, *_reading(field.annotation), _default(field)) for name, field in fields.items()]
    new = object.__new__
    put = object.__setattr__

    def convert(values: Any) -> Any:
        if type(values) is not dict:
            raise _Refused
        state = {}
        missing = []
        for name, exact, read, default in plan:
            if name in values:
                value = values[name]
                state[name] = value if type(value) is exact else read(value)
            elif default is _refuse:
                raise _Refused
            else:
                state[name] = default
                missing.append(name)
        extra = {}
        sent = values.keys()
        if len(values) + len(missing) > len(plan):
            extra = {name: value for name, value in values.items() if name not in state}
            if _RESERVED in extra or not _is_exact(extra):
                raise _Refused
        model = new(cls)
        put(model, "__dict__", state)
        put(model, "__pydantic_fields_set__", set(sent) - extra.keys() if extra else set(sent))
        put(model, "__pydantic_extra__", extra)
        put(model, "__pydantic_private__", None)
        return model

    return convert


def _default(field: Any) -> Any:
    """The default of a field; ``_refuse`` where there is none that may be shared."""
    return None if not field.is_required() and field.default is None else _refuse


def _reading(hint: Any) -> tuple[type | None, Convert]:
    """The type whose values stand for themselves, and what reads the others."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (str, int, bool):
        return hint, _refuse
    if hint is float:
        return float, _integer_as_float
    if origin is Literal:
        return None, _one_of(frozenset(arguments))
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        exact, read = _reading(others[0]) if len(others) == 1 else (None, _refuse)
        return exact, _or_none(read) if len(others) < len(arguments) else read
    if origin is list:
        return None, _list_of(*_reading(arguments[0]))
    if hasattr(hint, "model_fields"):
        return None, _model(hint)
    return None, _refuse


def _integer_as_float(value: Any) -> float:
    if type(value) is not int or abs(value) > 1 << 53:
        raise _Refused
    return float(value)


def _one_of(words: frozenset[Any]) -> Convert:
    def read(value: Any) -> Any:
        if type(value) is not str or value not in words:
            raise _Refused
        return value

    return read


def _or_none(read: Convert) -> Convert:
    return lambda value: None if value is None else read(value)


def _list_of(exact: type | None, read: Convert) -> Convert:
    def read_list(values: Any) -> list[Any]:
        if type(values) is not list:
            raise _Refused
        return [value if type(value) is exact else read(value) for value in values]

    return read_list


def _is_exact(value: Any) -> bool:
    """Whether the quick parser lost nothing: it makes floats of integers beyond 64 bits."""
    if type(value) is dict:
        return all(map(_is_exact, value.values()))
    if type(value) is list:
        return all(map(_is_exact, value))
    return type(value) is not float or -_LARGEST < value < _LARGEST

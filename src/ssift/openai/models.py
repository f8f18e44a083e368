"""JSON values to the client's own models, fast where that is safe.

The client builds a model by asking pydantic at every field, again and again, how to read its annotation. Here the
annotations are read once, into one reading per model that sets the state of an instance directly. It *refuses*
whatever is not exactly of the declared type (a string for a number, an unknown word, a missing required field), and
then the client's own constructor builds the chunk from its text: the result is always the client's.
"""

from __future__ import annotations

import json
import types
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin

from ssift.openai.readings import EXACT, MANY, MODEL, REAL, REFUSE, SLOTS, WORD, Reading


class ModelBuilder:
    """Builds what the client would for the chunks of one stream."""

    def __init__(self, client: Any, cast_to: Any, response: Any) -> None:
        self._process = client._process_response_data
        self._cast_to = cast_to
        self._response = response
        strict = getattr(client, "_strict_response_validation", False)
        reading = Reading(REFUSE, None, False) if strict else reading_of(cast_to)
        self._read: Callable[[Any], Any] = reading.read

    def build(self, value: Any, data: bytes) -> Any:
        """The model; ``data`` is the text of ``value``."""
        try:
            return self._read(value)
        except ValueError:
            pass  # and left behind: what the client raises below has nothing to do with it
        value = json.loads(data.decode("utf-8", "replace"))
        return self._process(data=value, cast_to=self._cast_to, response=self._response)


@cache
def reading_of(cls: Any, optional: bool = False, reading: Any = Reading) -> Any:
    """How instances of a model are made of dicts, by readings of this class."""
    fields = getattr(cls, "model_fields", None)
    slots = [_slot(cls, name) for name in SLOTS]
    if fields is None or None in slots or any(field.alias for field in fields.values()):  # pydantic 1
        return reading(REFUSE, None, optional)
    parts = []
    for name, field in fields.items():
        needed = field.is_required() or field.default is not None  # no default that may be shared
        parts.append((name, _of_annotation(field.annotation, False, reading), needed))
    return reading(MODEL, (cls, tuple(parts), tuple(slots)), optional)


def _slot(cls: Any, name: str) -> Any:
    """The descriptor of a slot; None where there is none."""
    found = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    return found if isinstance(found, types.MemberDescriptorType) else None


def _of_annotation(hint: Any, optional: bool, reading: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in (str, int, bool):
        return reading(EXACT, hint, optional)
    if hint is float:
        return reading(REAL, None, optional)
    if origin is Literal:
        return reading(WORD, frozenset(arguments), optional)
    if origin in (Union, types.UnionType):
        others = [argument for argument in arguments if argument is not type(None)]
        optional = optional or len(others) < len(arguments)
        return _of_annotation(others[0], optional, reading) if len(others) == 1 else reading(REFUSE, None, optional)
    if origin is list:
        return reading(MANY, _of_annotation(arguments[0], False, reading), optional)
    if hasattr(hint, "model_fields"):
        return reading_of(hint, optional, reading)
    return reading(REFUSE, None, optional)

"""How JSON values become the client's models: one *reading* for each annotation.

Theory. What the client does with a value depends on its annotation alone, and for a value that is exactly of the
declared type it does one of five things: take it, take an integer as a float, look whether a word is among those
allowed, do so for each entry of a list, or make a model of the fields of a dict. For anything else a reading *refuses*
with ValueError, and whoever asked has the client's own constructor do it.

A model is made by setting the state of an instance: a dict of its fields in their declared order, the names that were
sent, and the values of names that are not declared. Nothing of it is shared between instances.

These run for every value of every chunk, so there are two, with one behaviour: that here, and a compiled one
(ext/models.pxi), in use where the native engine is.
"""

from __future__ import annotations

from typing import Any

from ssift.engine import part

# Kinds of readings, and what they are given: nothing, a type, nothing, a frozenset of words, the reading of entries;
# for a model (class, ((name, reading, whether it must be sent), ...), the descriptors of the slots in SLOTS).
REFUSE, EXACT, REAL, WORD, MANY, MODEL = range(6)

SLOTS = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")

_EXACT_INTEGER = 1 << 53
_LARGEST = float(1 << 63)
_RESERVED = "_fields_set"  # a key that the client's constructor takes for its own argument


class PythonReading:
    """How the value of one annotation is read.

    ``read(value)`` is what the client makes of it; ValueError: it is not exactly as declared.
    """

    def __init__(self, kind: int, of: Any, optional: bool) -> None:
        self._of = of
        self._take = (self._refuse, self._exact, self._real, self._word, self._many, self._model)[kind]
        self.read = self._or_none if optional else self._take
        self.sure = of if kind == EXACT else float if kind == REAL else None  # the type whose values stay as they are
        if kind == MODEL:
            cls, fields, slots = of
            plan = [(name, reading.sure, reading.read, needed) for name, reading, needed in fields]
            self._of = cls, plan, [slot.__set__ for slot in slots]

    def _or_none(self, value: Any) -> Any:
        return None if value is None else self._take(value)

    def _refuse(self, value: Any) -> Any:
        raise ValueError("not as declared")

    def _exact(self, value: Any) -> Any:
        return value if type(value) is self._of else self._refuse(value)

    def _real(self, value: Any) -> Any:
        if type(value) is float:
            return value
        return float(value) if type(value) is int and abs(value) <= _EXACT_INTEGER else self._refuse(value)

    def _word(self, value: Any) -> Any:
        return value if type(value) is str and value in self._of else self._refuse(value)

    def _many(self, values: Any) -> Any:
        sure, read = self._of.sure, self._of.read
        if type(values) is not list:
            self._refuse(values)
        return [value if type(value) is sure else read(value) for value in values]

    def _model(self, values: Any) -> Any:
        if type(values) is not dict:
            self._refuse(values)
        cls, plan, (set_sent, set_extra, set_private) = self._of
        state = {}
        missing = 0
        for name, sure, read, needed in plan:
            if name in values:
                value = values[name]
                state[name] = value if type(value) is sure else read(value)
            elif needed:
                raise ValueError("not sent")
            else:
                state[name] = None
                missing += 1
        extra: dict[str, Any] = {}
        if len(values) + missing > len(plan):
            extra = {name: value for name, value in values.items() if name not in state}
        if extra and (_RESERVED in extra or not _is_exact(extra)):
            raise ValueError("not as the client would read it")
        model = object.__new__(cls)
        object.__setattr__(model, "__dict__", state)
        set_sent(model, values.keys() - extra.keys() if extra else set(values))
        set_extra(model, extra)
        set_private(model, None)
        return model


def _is_exact(values: dict[str, Any]) -> bool:
    """Whether the quick parser lost nothing: it makes floats of integers beyond 64 bits."""
    left: list[Any] = [values]
    while left:
        value = left.pop()
        if type(value) is dict:
            left += value.values()
        elif type(value) is list:
            left += value
        elif type(value) is float and not -_LARGEST < value < _LARGEST:
            return False
    return True


Reading: Any = part("Reading", PythonReading)

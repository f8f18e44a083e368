"""Objects over parsed JSON, with the manners of the openai client's models.

A node holds the dict that the parser made and nothing else (see :mod:`ssift.live.cells`). A declared field looks into
it, an object inside becomes a node of its own when it is first asked for, and any other key is an attribute too.

As in the client's models: a declared field that was not sent is None, and not in :attr:`Node.model_fields_set`; unknown
keys are in :attr:`Node.model_extra` and follow the declared ones in every dump; an attribute that is neither raises
AttributeError; nodes are equal by value and have no hash. Unlike them: a value of a wrong type stays as it was sent.

A class declares its fields as annotations, in the order of the client's model, and says with ``one=`` and ``many=``
which hold nodes or lists of them.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Self, TypeAlias

import orjson

from ssift.live.cells import Cell, Field, Values, real_of

Choose: TypeAlias = "Callable[[Values], type[Node]]"
Shape: TypeAlias = "Mapping[str, type[Node] | Choose]"
Parts: TypeAlias = "Iterable[str | int] | Mapping[str | int, Any] | None"
"""For ``include`` and ``exclude``: names (or places), or a mapping from these to True or to parts of the part."""


_SURROGATE = re.compile("[\ud800-\udfff]")


class Node(Cell):  # type: ignore[misc]
    """See the head of this file."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    _fields: ClassVar[dict[str, Kind]] = {}

    def __init_subclass__(cls, one: Shape | None = None, many: Shape | None = None) -> None:
        inner = {**(one or {}), **(many or {})}
        cls._fields = {}
        for name, annotation in inspect.get_annotations(cls).items():
            if name.startswith("_") or str(annotation).startswith("ClassVar"):
                continue
            said = str(annotation)
            kind = Kind(inner.get(name), name in (many or ()), said.startswith("float"), said.endswith("None"))
            cls._fields[name] = kind
            setattr(cls, name, Field(name, kind.inner, kind.many, kind.real))

    def __init__(self, values: Values | None = None, /, **named: Any) -> None:
        _set_values(self, {**(values or {}), **named} if named or values is None else values)

    # ------------------------------------------------------------------------------------------------- attributes

    def __getattr__(self, name: str) -> Any:
        try:
            return _values(self)[name]
        except KeyError:
            if name == "__pydantic_serializer__" and "pydantic_core" in sys.modules:
                return _serializer()
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(getattr(type(self), name, None), property) and name not in self._fields:
            raise AttributeError(f"{name} of a {type(self).__name__} cannot be set")
        _values(self)[name] = value

    def __delattr__(self, name: str) -> None:
        if _values(self).pop(name, self) is self:
            raise AttributeError(name)

    @property
    def model_fields_set(self) -> set[str]:
        """The declared fields that were sent, be it as null."""
        return {name for name in _values(self) if name in self._fields}

    @property
    def model_extra(self) -> dict[str, Any]:
        """The keys that are not declared, with their values."""
        return {name: value for name, value in _values(self).items() if name not in self._fields}

    # ------------------------------------------------------------------------------------------------------ dumps

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] | str = "python",
        include: Parts = None,
        exclude: Parts = None,
        by_alias: bool | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        **unused: Any,
    ) -> dict[str, Any]:
        """A plain dict: declared fields in their order, then the others.

        Args:
            mode: both give the same, for nothing but JSON is in a node.
            include, exclude: only these parts, or all but these.
            by_alias, unused: there for the signature of pydantic; no field has an alias.
            exclude_unset: leave out fields that were not sent.
            exclude_defaults: leave out fields that may be missing and are None.
            exclude_none: leave out whatever is None.
        """
        return _dump(type(self), _values(self), _Leave(exclude_unset, exclude_defaults, exclude_none), include, exclude)

    def to_dict(
        self, *, mode: str = "python", use_api_names: bool = True, exclude_unset: bool = True, **leave: Any
    ) -> dict[str, Any]:
        """As :meth:`model_dump`, by default of what was sent."""
        return self.model_dump(mode=mode, exclude_unset=exclude_unset, **leave)

    def model_dump_json(self, *, indent: int | None = None, ensure_ascii: bool = False, **dump: Any) -> str:
        """The JSON text of :meth:`model_dump`. NaN and the infinities are written as null, half a surrogate pair as
        an escape."""
        return _json(self.model_dump(**dump), indent, ensure_ascii)

    def to_json(
        self, *, indent: int | None = 2, use_api_names: bool = True, exclude_unset: bool = True, **leave: Any
    ) -> str:
        """The JSON text of :meth:`to_dict`."""
        return _json(self.model_dump(exclude_unset=exclude_unset, **leave), indent)

    # ---------------------------------------------------------------------------------------------------- copies

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with the values of ``update`` in place of its own; ``deep`` shares nothing with this one."""
        copied = deepcopy(self) if deep else self.__copy__()
        return type(self)({**_values(copied), **update}) if update else copied

    def __copy__(self) -> Self:
        return type(self)(dict(_values(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (_plain(_values(self)),)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or bool(self.model_dump() == other.model_dump())  # null is as if not sent

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """(name, value) of each field, as ``dict(node)`` takes them."""
        for name in self._fields:
            yield name, getattr(self, name)
        yield from self.model_extra.items()  # by key: a server may send one that is the name of a method

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self)})"

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *_values(self)})


_values: Callable[[Node], Values] = Cell.__dict__["_values"].__get__
_set_values: Callable[[Node, Values], None] = Cell.__dict__["_values"].__set__


@cache
def _serializer() -> Any:
    """How pydantic writes a node that somebody has put into a model, as the client's own stream helper does."""
    from pydantic_core import SchemaSerializer, core_schema

    def dump(node: Node, info: Any) -> dict[str, Any]:
        left_out = {name: getattr(info, name) for name in ("exclude_unset", "exclude_defaults", "exclude_none")}
        return node.model_dump(include=info.include, exclude=info.exclude, **left_out)

    written = core_schema.plain_serializer_function_ser_schema(dump, info_arg=True)
    return SchemaSerializer(core_schema.any_schema(serialization=written))


# ------------------------------------------------------------------------------------------------------- fields


@dataclass(frozen=True)
class Kind:
    """What a field holds: plain values, or nodes of a class (or of the one that a function chooses)."""

    inner: type[Node] | Choose | None
    many: bool
    real: bool
    optional: bool

    def of(self, values: Values) -> type[Node]:
        """The class of a node with these values."""
        assert self.inner is not None
        return self.inner if isinstance(self.inner, type) else self.inner(values)


# -------------------------------------------------------------------------------------------------------- dumps


@dataclass(frozen=True, slots=True)
class _Leave:
    """What a dump leaves out."""

    unset: bool
    defaults: bool
    none: bool


def _dump(cls: type[Node], values: Values, leave: _Leave, include: Parts, exclude: Parts) -> dict[str, Any]:
    dumped = {}
    for name, kind in cls._fields.items():
        sent = name in values
        value = values.get(name)
        if (not sent and leave.unset) or (value is None and (leave.none or (leave.defaults and kind.optional))):
            continue
        if _wanted(name, include, exclude):
            dumped[name] = _dump_field(kind, value, leave, _inside(include, name), _inside(exclude, name))
    for name, value in values.items():
        if name not in cls._fields and not (leave.none and value is None) and _wanted(name, include, exclude):
            dumped[name] = _plain(value)
    return dumped


def _dump_field(kind: Kind, value: Any, leave: _Leave, include: Parts, exclude: Parts) -> Any:
    if kind.inner is not None:
        if kind.many and type(value) is list:
            return [
                _dump_one(kind, entry, leave, _inside(include, place), _inside(exclude, place))
                for place, entry in enumerate(value)
                if _wanted(place, include, exclude)
            ]
        if not kind.many:
            return _dump_one(kind, value, leave, include, exclude)
    return real_of(value) if kind.real and type(value) is int else _plain(value)


def _dump_one(kind: Kind, value: Any, leave: _Leave, include: Parts, exclude: Parts) -> Any:
    if isinstance(value, Node):
        return _dump(type(value), _values(value), leave, include, exclude)
    return _dump(kind.of(value), value, leave, include, exclude) if type(value) is dict else _plain(value)


def _wanted(name: str | int, include: Parts, exclude: Parts) -> bool:
    if include is not None and not _names(name, include):
        return False
    if exclude is None or not _names(name, exclude):
        return True
    return isinstance(exclude, Mapping) and _part(exclude, name) not in (True, ...)


def _names(name: str | int, parts: Iterable[str | int] | Mapping[str | int, Any]) -> bool:
    return name in parts or (isinstance(name, int) and "__all__" in parts)


def _part(parts: Mapping[str | int, Any], name: str | int) -> Any:
    return parts[name] if name in parts else parts.get("__all__", True)


def _inside(parts: Parts, name: str | int) -> Parts:
    """What is said of the parts of ``name``."""
    if not isinstance(parts, Mapping) or not _names(name, parts):
        return None
    part = _part(parts, name)
    return None if part in (True, ...) else part


def _plain(value: Any) -> Any:
    """Without nodes, and sharing no container."""
    if type(value) is dict:
        return {name: _plain(inner) for name, inner in value.items()}
    if type(value) is list:
        return [_plain(inner) for inner in value]
    if isinstance(value, Node):
        return _plain(_values(value))
    return value


def _json(value: Any, indent: int | None, ensure_ascii: bool = False) -> str:
    if indent in (None, 2) and not ensure_ascii:
        try:
            return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None).decode()
        except orjson.JSONEncodeError:
            pass  # an integer beyond 64 bits, or half a surrogate pair: as the standard library writes them
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(_finite(value), indent=indent, separators=separators, ensure_ascii=ensure_ascii)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _finite(value: Any) -> Any:
    """With None for what JSON has no word for."""
    if type(value) is dict:
        return {name: _finite(inner) for name, inner in value.items()}
    if type(value) is list:
        return [_finite(inner) for inner in value]
    return None if type(value) is float and not math.isfinite(value) else value

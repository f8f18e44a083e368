"""Layout -> C structures -> capsules; and what a consumer asks for."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from ctypes import POINTER, c_void_p, pointer
from dataclasses import replace
from typing import Any

import numpy as np

from ssift.arrow import callbacks
from ssift.arrow.layout import SMALLER, Array, Field
from ssift.arrow.structures import CAPSULE_NAMES, NULLABLE, ArrowArray, ArrowArrayStream, ArrowSchema

_MOST_SMALL = 2**31 - 1
"""The largest offset of 32 bits."""

_DESTROY = {ArrowSchema: "destroy_schema", ArrowArray: "destroy_array", ArrowArrayStream: "destroy_stream"}


def schema_capsule(field: Field) -> Any:
    """An ``arrow_schema`` capsule."""
    schema = ArrowSchema()
    _write_schema(field, schema)
    return _capsule(schema)


def array_capsules(field: Field, array: Array, requested: Any = None) -> tuple[Any, Any]:
    """An ``arrow_schema`` and an ``arrow_array`` capsule; ``requested`` is the capsule of the schema wished for."""
    field, array = _agree(field, array, requested)
    structure = ArrowArray()
    _write_array(array, structure)
    return schema_capsule(field), _capsule(structure)


def stream_capsule(field: Field, arrays: Iterable[Array], requested: Any = None) -> Any:
    """An ``arrow_array_stream`` capsule over ``arrays``, which are made when they are asked for.

    ``requested`` changes the type only when ``arrays`` is a list: of others it is not known what fits.
    """
    if requested is not None and isinstance(arrays, list):
        agreed = [_agree(field, array, requested) for array in arrays]
        if all(one[0] == agreed[0][0] for one in agreed):
            field, arrays = agreed[0][0], [array for _, array in agreed]
    stream = Stream(field, arrays)
    structure = ArrowArrayStream()
    stream.write(structure)
    return _capsule(structure)


class Stream:
    """The holder of an ArrowArrayStream: what is left to hand over, and the last error as a C string."""

    def __init__(self, field: Field, arrays: Iterable[Array]) -> None:
        self._field = field
        self._arrays = iter(arrays)
        self.error: Any = None

    def write(self, structure: ArrowArrayStream) -> None:
        """Make ``structure`` this stream."""
        slots: Any = structure
        slots.get_schema = callbacks.GET_SCHEMA
        slots.get_next = callbacks.GET_NEXT
        slots.get_last_error = callbacks.GET_LAST_ERROR
        _own(slots, self, callbacks.CALLBACKS["release_stream"])

    def get_schema(self, out: int) -> int:
        """Write the type to the address ``out``; 0, or the number of an error."""
        return self._answer(lambda: _write_schema(self._field, ArrowSchema.from_address(out)))

    def get_next(self, out: int) -> int:
        """Write the next array to the address ``out``, a released one at the end; 0, or the number of an error."""
        return self._answer(lambda: self._next(ArrowArray.from_address(out)))

    def _next(self, out: Any) -> None:
        array = next(self._arrays, None)
        if array is None:
            out.release = None
        else:
            _write_array(array, out)

    def _answer(self, write: Callable[[], None]) -> int:
        try:
            write()
        except BaseException as error:  # nothing may pass through C
            text = f"{type(error).__name__}: {error}"
            self.error = ctypes.create_string_buffer(text.replace("\0", "").encode("utf-8", "backslashreplace"))
            return callbacks.status_of(error)
        return 0


# ---------------------------------------------------------------------------------------------------- structures


def _own(structure: Any, holder: Any, release: int) -> None:
    """Give ``structure`` its holder. After this it must be released."""
    callbacks.incref(holder)
    structure.private_data = id(holder)
    structure.release = release


def _write_schema(field: Field, schema: Any) -> None:
    name, kind = field.name.encode(), field.format.encode()
    children = [ArrowSchema() for _ in field.children]
    for part, child in zip(field.children, children, strict=True):
        _write_schema(part, child)
    words = None
    if field.dictionary is not None:
        words = ArrowSchema()
        _write_schema(field.dictionary, words)
    slots = _slots(ArrowSchema, children)
    schema.format, schema.name, schema.metadata = kind, name, None
    schema.flags = NULLABLE if field.nullable else 0
    schema.n_children, schema.children = len(children), slots
    schema.dictionary = pointer(words) if words else None
    _own(schema, (name, kind, children, slots, words), callbacks.CALLBACKS["release_schema"])


def _write_array(array: Array, structure: Any) -> None:
    children = [ArrowArray() for _ in array.children]
    for part, child in zip(array.children, children, strict=True):
        _write_array(part, child)
    words = None
    if array.dictionary is not None:
        words = ArrowArray()
        _write_array(array.dictionary, words)
    slots = _slots(ArrowArray, children)
    addresses = [None if buffer is None else buffer.ctypes.data for buffer in array.buffers]
    buffers = (c_void_p * len(addresses))(*addresses)
    structure.length, structure.null_count, structure.offset = array.length, array.nulls, 0
    structure.n_buffers = len(addresses)
    structure.buffers = ctypes.cast(buffers, POINTER(c_void_p))
    structure.n_children, structure.children = len(children), slots
    structure.dictionary = pointer(words) if words else None
    _own(structure, (array.buffers, buffers, children, slots, words), callbacks.CALLBACKS["release_array"])


def _slots(kind: type[Any], children: list[Any]) -> Any:
    """A C array of pointers to the children, or null."""
    if not children:
        return None
    return ctypes.cast((POINTER(kind) * len(children))(*map(pointer, children)), POINTER(POINTER(kind)))


def _capsule(structure: Any) -> Any:
    kind = type(structure)
    destroy = callbacks.CALLBACKS[_DESTROY[kind]]
    capsule = callbacks.new_capsule(ctypes.addressof(structure), CAPSULE_NAMES[kind], destroy)
    callbacks.incref(structure)
    callbacks.set_context(capsule, id(structure))
    return capsule


# --------------------------------------------------------------------------------------------- requested schemas


def _agree(field: Field, array: Array, requested: Any) -> tuple[Field, Array]:
    """The nearest to the requested type that says the same: 32-bit offsets where they are wished for and suffice.

    Raises:
        ValueError: the request is for other columns, which is no matter of representation.
    """
    if requested is None:
        return field, array
    address = callbacks.capsule_pointer(requested, CAPSULE_NAMES[ArrowSchema])
    return _fit(field, array, ArrowSchema.from_address(address))


def _fit(field: Field, array: Array, wish: Any) -> tuple[Field, Array]:
    if field.format == "+s":
        names = [wish.children[place].contents.name for place in range(wish.n_children)]
        if names != [child.name.encode() for child in field.children]:
            raise ValueError(
                f"the requested schema has the columns {[(name or b'').decode() for name in names]}, "
                f"these are {[child.name for child in field.children]}; choose columns before the hand-over"
            )
    if len(field.children) == wish.n_children and field.children:
        wishes = [wish.children[place].contents for place in range(wish.n_children)]
        parts = list(map(_fit, field.children, array.children, wishes))
        field = replace(field, children=tuple(part for part, _ in parts))
        array = replace(array, children=tuple(values for _, values in parts))
    smaller = SMALLER.get(field.format)
    offsets = array.buffers[1] if smaller else None
    if smaller is None or offsets is None or wish.format != smaller.encode() or offsets[-1] > _MOST_SMALL:
        return field, array
    buffers = (array.buffers[0], offsets.astype(np.int32), *array.buffers[2:])
    return replace(field, format=smaller), replace(array, buffers=buffers)

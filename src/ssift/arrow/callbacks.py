"""What a consumer calls back: to release a structure, to read a stream, to drop a capsule.

These run whenever and on whichever thread the consumer likes, some while Python's modules are torn down. So they are
made once and never freed, they use no global name (all is bound as a default or in a closure), and they do nothing
but mark the structure released and drop its holder.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_char_p, c_int, c_void_p, cast, py_object, pythonapi
from errno import EINTR, EIO
from typing import Any

from ssift.arrow.structures import CAPSULE_NAMES, ArrowArray, ArrowArrayStream, ArrowSchema

_RELEASE = CFUNCTYPE(None, c_void_p)

# Prototypes of our own: those of ctypes.pythonapi are shared by the whole process. Objects go by address, for a
# capsule that is being destroyed must not be touched by reference counting.
incref = PYFUNCTYPE(None, py_object)(("Py_IncRef", pythonapi))
_decref = PYFUNCTYPE(None, c_void_p)(("Py_DecRef", pythonapi))
new_capsule = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
capsule_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
set_context = PYFUNCTYPE(c_int, py_object, c_void_p)(("PyCapsule_SetContext", pythonapi))
_dying_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_dying_context = PYFUNCTYPE(c_void_p, c_void_p)(("PyCapsule_GetContext", pythonapi))


def _release_parts(kind: type[Any]) -> Any:
    """The release callback of schemas or arrays."""

    def release(address: int, kind: Any = kind, callback: Any = _RELEASE, decref: Any = _decref) -> None:
        structure = kind.from_address(address)
        for place in range(structure.n_children):
            child = structure.children[place].contents
            if child.release:
                callback(child.release)(ctypes_address(child))
        if structure.dictionary and structure.dictionary.contents.release:
            words = structure.dictionary.contents
            callback(words.release)(ctypes_address(words))
        holder = structure.private_data
        structure.release = None
        decref(holder)

    ctypes_address = ctypes.addressof
    return _RELEASE(release)


def _release_stream(address: int, kind: Any = ArrowArrayStream, decref: Any = _decref) -> None:
    stream = kind.from_address(address)
    holder = stream.private_data
    stream.release = None
    decref(holder)


def _destroy(kind: type[Any]) -> Any:
    """The destructor of capsules: what nobody took over is released, then the memory of the structure goes."""

    def destroy(
        capsule: int,
        kind: Any = kind,
        name: bytes = CAPSULE_NAMES[kind],
        callback: Any = _RELEASE,
        pointer: Any = _dying_pointer,
        context: Any = _dying_context,
        decref: Any = _decref,
    ) -> None:
        address = pointer(capsule, name)
        structure = kind.from_address(address)
        if structure.release:
            callback(structure.release)(address)
        decref(context(capsule))

    return _RELEASE(destroy)


def _get_schema(stream: int, out: int) -> int:
    return int(_holder(stream).get_schema(out))


def _get_next(stream: int, out: int) -> int:
    return int(_holder(stream).get_next(out))


def _get_last_error(stream: int) -> int | None:
    error = _holder(stream).error
    return None if error is None else cast(error, c_void_p).value


def _holder(stream: int) -> Any:
    return cast(ArrowArrayStream.from_address(stream).private_data, py_object).value


def status_of(error: BaseException) -> int:
    """The number of an error that a stream reports."""
    return EINTR if isinstance(error, KeyboardInterrupt) else EIO


def _forever(thunk: Any) -> int:
    """The address of a callback that is never freed."""
    incref(thunk)
    address = cast(thunk, c_void_p).value
    assert address
    return address


RELEASE_SCHEMA = _forever(_release_parts(ArrowSchema))
RELEASE_ARRAY = _forever(_release_parts(ArrowArray))
RELEASE_STREAM = _forever(_RELEASE(_release_stream))
DESTROY = {kind: _forever(_destroy(kind)) for kind in CAPSULE_NAMES}
GET_SCHEMA = CFUNCTYPE(c_int, c_void_p, c_void_p)(_get_schema)
GET_NEXT = CFUNCTYPE(c_int, c_void_p, c_void_p)(_get_next)
GET_LAST_ERROR = CFUNCTYPE(c_void_p, c_void_p)(_get_last_error)
for _callback in (GET_SCHEMA, GET_NEXT, GET_LAST_ERROR):
    incref(_callback)

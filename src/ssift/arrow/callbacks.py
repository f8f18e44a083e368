"""What a consumer calls back: to release a structure, to drop a capsule, to read a stream.

Consumers release and drop whenever and on whichever thread they like: while Python ends, and while an exception is on
its way. Python code that runs then loses that exception, so these functions come from the native module
(ext/capsule.pxd). Where it was not built their twins here stand in. They are right in all else, and cost this: when a
consumer fails while it holds something of ours, a SystemError says so in place of its own exception.

Streams are read when nothing is on its way; those functions are here for both.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import CFUNCTYPE, PYFUNCTYPE, c_char_p, c_int, c_void_p, cast, py_object, pythonapi
from errno import EINTR, EIO
from typing import Any

from ssift.arrow.structures import CAPSULE_NAMES, ArrowArray, ArrowArrayStream, ArrowSchema

# Prototypes of our own: those of ctypes.pythonapi are shared by the whole process.
incref = PYFUNCTYPE(None, py_object)(("Py_IncRef", pythonapi))
new_capsule = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))
capsule_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))
set_context = PYFUNCTYPE(c_int, py_object, c_void_p)(("PyCapsule_SetContext", pythonapi))

_VOID = CFUNCTYPE(None, c_void_p)


def _forever(thunk: Any) -> int:
    """The address of a callback that is never freed."""
    incref(thunk)
    address = cast(thunk, c_void_p).value
    assert address
    return address


# ----------------------------------------------------------------------------------------- twins of ext/capsule.pxd


def twins() -> dict[str, int]:
    """The functions of ext/capsule.pxd in Python: their addresses by name.

    They use no name of this module, which may be gone when they run; all is bound in closures. An exception on its way
    is cleared first, for nothing works while there is one.
    """
    address_of = ctypes.addressof
    clear = PYFUNCTYPE(None)(("PyErr_Clear", pythonapi))
    decref = PYFUNCTYPE(None, c_void_p)(("Py_DecRef", pythonapi))
    # A capsule that is being destroyed must not be touched by reference counting: it goes by its address.
    pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
    context = PYFUNCTYPE(c_void_p, c_void_p)(("PyCapsule_GetContext", pythonapi))
    void = _VOID

    def release(structure: Any) -> None:
        if structure.release:
            void(structure.release)(address_of(structure))

    def release_structure(kind: Any, parts: bool) -> Callable[[int], None]:
        def run(address: int) -> None:
            clear()
            structure = kind.from_address(address)
            if parts:
                for place in range(structure.n_children):
                    release(structure.children[place].contents)
                if structure.dictionary:
                    release(structure.dictionary.contents)
            structure.release = None
            decref(structure.private_data)

        return run

    def destroy(kind: Any, name: bytes) -> Callable[[int], None]:
        def run(capsule: int) -> None:
            clear()
            release(kind.from_address(pointer(capsule, name)))
            decref(context(capsule))

        return run

    functions = {
        "release_schema": release_structure(ArrowSchema, True),
        "release_array": release_structure(ArrowArray, True),
        "release_stream": release_structure(ArrowArrayStream, False),
        "destroy_schema": destroy(ArrowSchema, CAPSULE_NAMES[ArrowSchema]),
        "destroy_array": destroy(ArrowArray, CAPSULE_NAMES[ArrowArray]),
        "destroy_stream": destroy(ArrowArrayStream, CAPSULE_NAMES[ArrowArrayStream]),
    }
    return {name: _forever(_VOID(function)) for name, function in functions.items()}


def _callbacks() -> dict[str, int]:
    try:
        from ssift._native import arrow_callbacks
    except ModuleNotFoundError as error:
        if error.name != "ssift._native":
            raise
        return twins()
    return arrow_callbacks()


CALLBACKS = _callbacks()

# ---------------------------------------------------------------------------------------------------------- streams


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


GET_SCHEMA = CFUNCTYPE(c_int, c_void_p, c_void_p)(_get_schema)
GET_NEXT = CFUNCTYPE(c_int, c_void_p, c_void_p)(_get_next)
GET_LAST_ERROR = CFUNCTYPE(c_void_p, c_void_p)(_get_last_error)
for _callback in (GET_SCHEMA, GET_NEXT, GET_LAST_ERROR):
    _forever(_callback)

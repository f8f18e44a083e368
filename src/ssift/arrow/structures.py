"""The C structures of the Arrow C data and stream interfaces."""

from __future__ import annotations

from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from typing import Any, ClassVar

NULLABLE = 2
"""The flag of a field that may hold nulls."""


class ArrowSchema(Structure):
    """A type, with the name it has in its parent."""

    name: bytes | None


class ArrowArray(Structure):
    """Values: pointers to the buffers that the type prescribes."""


class ArrowArrayStream(Structure):
    """Arrays of one type, one after the other."""

    _fields_: ClassVar = [
        ("get_schema", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("get_next", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("get_last_error", CFUNCTYPE(c_void_p, c_void_p)),
        ("release", c_void_p),
        ("private_data", c_void_p),
    ]


ArrowSchema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]
ArrowArray._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))),
    ("dictionary", POINTER(ArrowArray)),
    ("release", c_void_p),
    ("private_data", c_void_p),
]

CAPSULE_NAMES: dict[type[Any], bytes] = {
    ArrowSchema: b"arrow_schema",
    ArrowArray: b"arrow_array",
    ArrowArrayStream: b"arrow_array_stream",
}

"""Bytes in one object: what is taken for them wherever bytes can be given."""

from __future__ import annotations

from typing import TypeAlias

Buffer: TypeAlias = "bytes | bytearray | memoryview"
"""What has the buffer protocol; as types these three stand for all, such as a memory map or an array."""


def is_buffer(what: object) -> bool:
    """Whether an object has the buffer protocol."""
    try:
        memoryview(what)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True

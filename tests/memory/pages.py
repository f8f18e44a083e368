"""Memory that ends where a page ends that nobody may read: one byte too far is a crash, not luck."""

from __future__ import annotations

import ctypes
import mmap

_PROTECTED = 0  # PROT_NONE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Guarded:
    """Pages with room for ``size`` bytes, and a protected page behind them."""

    def __init__(self, size: int) -> None:
        page = mmap.PAGESIZE
        self._room = -(-size // page) * page
        self._map = mmap.mmap(-1, self._room + page)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        if _libc.mprotect(self._address + self._room, page, _PROTECTED):
            raise OSError(ctypes.get_errno(), "mprotect")

    def holding(self, data: bytes) -> memoryview:
        """``data``, its last byte the last that can be read."""
        start = self._address + self._room - len(data)
        ctypes.memmove(start, data, len(data))
        return memoryview((ctypes.c_char * len(data)).from_address(start)).cast("B")

    @property
    def behind(self) -> int:
        """Address of the first protected byte."""
        return self._address + self._room

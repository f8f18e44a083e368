"""Waiting for what another process or thread does, without a guess at how long that takes."""

from __future__ import annotations

import fcntl
import sys
import termios
import time
from collections.abc import Callable
from typing import Any


def wait_for(what: Callable[[], Any], seconds: float = 60) -> Any:
    """What ``what`` gives, once it is true."""
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.005)
    return found


def unread(pipe: int) -> int:
    """Bytes in a pipe that nobody has taken."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)

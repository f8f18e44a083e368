"""How much memory a process has taken. ``ru_maxrss`` does not tell: in it a new process begins with that of its parent."""

from __future__ import annotations

import re
from pathlib import Path


def peak() -> int:
    """KiB that this process had at the most until now, since it began (Linux)."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])

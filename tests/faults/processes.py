"""Commands as processes of their own, and the limits they are given."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from typing import Any


def begin(*arguments: str, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ssift", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def run(*arguments: str, **options: Any) -> tuple[int, bytes, str]:
    """Status, output, errors."""
    process = begin(*arguments, **options)
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors.decode()


def limited(which: int, size: int) -> Callable[[], None]:
    """What a new process is told: a limit of ``resource``."""
    return lambda: resource.setrlimit(which, (size, size))

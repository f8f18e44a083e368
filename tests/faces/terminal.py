"""Terminals: one that a command has for its output, and one that keeps what is drawn on it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys


class Screen(io.StringIO):
    """Says that it is a terminal, and keeps what is drawn on it."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Exit status and output of the command with a terminal for its output."""
    master, slave = pty.openpty()
    variables = {**os.environ, "TERM": "xterm", **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "ssift", *arguments], stdout=slave, stderr=slave, env=variables, close_fds=True
    )
    os.close(slave)
    output = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        output += piece
    os.close(master)
    return process.wait(), output.decode()

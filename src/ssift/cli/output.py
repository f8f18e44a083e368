"""Output files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


@contextmanager
def whole_file(path: str) -> Iterator[TextIO]:
    """A file to write UTF-8 text to; it takes the place of ``path`` only when the block ends without an exception."""
    target = os.path.realpath(path)  # a link stays a link
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{os.getpid()}.part")
    try:
        with open(temporary, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise

"""Where a command writes its output: looked at before anything is read, whole or not at all.

1. What cannot work is said before the first byte is read: a folder, a missing folder, no permission.
2. An output never takes the place of an input: neither of a file that is read now nor of one that a second run of the
   same command would find (see :mod:`ssift.sources.reach`).
3. A file appears when it is complete, under its name, with the mode of the file it replaces. Until then there is a
   temporary file beside it, and none after a failure, an interrupt or a SIGTERM.
4. ``-``, a device and a pipe are written to as they stand.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from ssift.destination import whole_file
from ssift.errors import SsiftError
from ssift.sources import Source
from ssift.sources.reach import reaches


class Output:
    """The output ``path`` of a command that reads ``sources``, found at ``paths``.

    Attributes:
        path: as given; ``-`` is standard output.
        standard: whether standard output is written to, under whatever name.

    Raises:
        SsiftError: it cannot be written, or an input would be lost.
    """

    def __init__(self, path: str, paths: Sequence[str], sources: Sequence[Source]) -> None:
        self.path = path
        found = self._status()
        self.standard = path == "-" or _same(found, _standard(sys.stdout))
        self._target: str | None = None  # the file that a temporary one takes the place of
        if not self.standard and not _is_stream(found):
            self._target = os.path.realpath(path)  # a link stays a link
            self._check_file(found)
        self._check_inputs(found, paths, sources)

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The file to write to; what was written counts when the block ends without an exception.

        Raises:
            SsiftError: it cannot be written. Exceptions of the block itself are let through.
        """
        try:
            if self.standard:
                yield sys.stdout.buffer
                sys.stdout.buffer.flush()
            elif self._target is None:
                with open(self.path, "wb") as file:
                    yield file
            else:
                with whole_file(self.path) as file:
                    yield file
        except OSError as error:
            if isinstance(error, SsiftError) or (self.standard and isinstance(error, BrokenPipeError)):
                raise
            raise self._error(error.strerror or str(error)) from error

    def _status(self) -> os.stat_result | None:
        """What is there now; None for nothing, and a link that leads nowhere is nothing."""
        if self.path == "-":
            return _standard(sys.stdout)
        if not self.path:
            raise SsiftError("the output has no name; give a file, or - for standard output")
        try:
            return os.stat(self.path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise self._error(getattr(error, "strerror", None) or str(error)) from error

    def _check_file(self, found: os.stat_result | None) -> None:
        assert self._target is not None
        folder = os.path.dirname(self._target)
        if (found is not None and stat.S_ISDIR(found.st_mode)) or self.path.endswith(os.sep):
            raise self._error("it is a folder; give the name of a file")
        if not os.path.isdir(folder):
            raise self._error(f"there is no folder {os.path.dirname(self.path) or folder}")
        if not os.access(folder, os.W_OK | os.X_OK) or (found is not None and not os.access(self._target, os.W_OK)):
            raise self._error("no permission")

    def _check_inputs(self, found: os.stat_result | None, paths: Sequence[str], sources: Sequence[Source]) -> None:
        if found is not None and not stat.S_ISCHR(found.st_mode):
            for source in sources:
                if _same(found, _standard(sys.stdin) if source.name == "-" else _stat(source.name)):
                    raise self._error("it is one of the inputs, and would be lost")
        if self._target is not None:
            for path in paths:
                if reaches(path, self.path):
                    raise self._error(f"{path} is read, and would hold the output from then on; write it elsewhere")

    def _error(self, reason: str) -> SsiftError:
        return SsiftError(f"cannot write {'standard output' if self.path == '-' else self.path}: {reason}")


def _standard(stream: Any) -> os.stat_result | None:
    """What is behind standard input or output, if it is a stream of the system."""
    try:
        return os.fstat(stream.fileno())
    except (AttributeError, OSError, ValueError):
        return None


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def _same(one: os.stat_result | None, other: os.stat_result | None) -> bool:
    return one is not None and other is not None and os.path.samestat(one, other)


def _is_stream(found: os.stat_result | None) -> bool:
    """Whether bytes written there go somewhere at once: a device, a pipe, a socket."""
    return found is not None and not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode))

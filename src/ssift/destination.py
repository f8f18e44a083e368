"""Files and folders that appear whole or not at all: written beside their place under another name, then renamed."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ssift.errors import SsiftError

_TERMINATED = 128 + signal.SIGTERM


class OutputError(SsiftError):
    """An output cannot be written where it was asked for."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of ``path`` when the block ends without an exception.

    It keeps the mode of a file that it replaces. After a failure, an interrupt or a SIGTERM nothing is left of it.
    """
    target = os.path.realpath(path)  # a link stays a link
    temporary = _beside(target)
    with _termination_raises():
        try:
            with open(temporary, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise


@contextmanager
def whole_folder(path: str | os.PathLike[str], replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A folder to write into that becomes ``path`` when the block ends without an exception.

    A folder that is there must be one of which ``replaceable`` says that it may go; it goes when the new one is whole.

    Raises:
        OutputError: something else is there, before anything is written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_dir():
        raise OutputError(f"cannot write {path}: it is a file; give a folder, or the name of a file with its ending")
    if target.exists() and not replaceable(target):
        raise OutputError(
            f"cannot write {path}: the folder is not empty; give a new one, or overwrite one that holds an export alone"
        )
    if not target.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {target.parent}")
    temporary = Path(_beside(str(target)))
    with _termination_raises():
        try:
            temporary.mkdir()
            yield temporary
            _put(temporary, target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def _put(folder: Path, target: Path) -> None:
    """Rename ``folder`` to ``target``; what was there goes when that has worked, and is put back when it has not."""
    if not target.exists():
        os.rename(folder, target)
        return
    old = Path(_beside(str(target)))
    os.rename(target, old)
    try:
        os.rename(folder, target)
    except BaseException:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _beside(target: str) -> str:
    """A new name in the folder of ``target``."""
    return os.path.join(os.path.dirname(target), f".ssift-{os.urandom(6).hex()}.part")


@contextmanager
def _termination_raises() -> Iterator[None]:
    """SIGTERM leaves by an exception, so that what was begun is put away; a handler that is set already stays."""

    def leave(number: int, frame: object) -> None:
        sys.exit(_TERMINATED)

    try:
        before = signal.getsignal(signal.SIGTERM)
        if before is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, leave)
    except ValueError:  # not the main thread: signals do not come here
        before = None
    try:
        yield
    finally:
        if before is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, before)

"""Files and folders that appear whole or not at all: written beside their place under another name, then renamed.

The other name is ``.ssift-PLACE-RANDOM.part``, where PLACE stands for the machine and the name of the place. Who writes
there holds a lock on it to the end. A process that is killed lets go of the lock and leaves the name behind: so the
next one that writes to the same place knows what nobody needs any more, and removes it. What is locked, or of another
machine, or of a file system without locks, stays.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ssift.errors import SsiftError

if sys.platform != "win32":  # there nothing has such locks, and nothing is removed
    import fcntl

_TERMINATED = 128 + signal.SIGTERM

_NO_ROOM = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC), errno.EMFILE, errno.ENFILE}
"""What goes wrong with an output alone, whatever else is read and done meanwhile."""

_PART, _OLD = ".part", ".old"


class OutputError(SsiftError, OSError):
    """An output cannot be written where it was asked for."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of ``path`` when the block ends without an exception.

    It keeps the mode of a file that it replaces. After a failure, an interrupt or a SIGTERM nothing is left of it.

    Raises:
        OutputError: there is no room for it. Other exceptions of the block are let through.
    """
    target = os.path.realpath(path)  # a link stays a link
    with _termination_raises(), _named(path), _temporary(target, path, _make_file) as place:
        with open(place, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(target, place)
        os.replace(place, target)


@contextmanager
def whole_folder(path: str | os.PathLike[str], replaceable: Callable[[Path], bool]) -> Iterator[Path]:
    """A folder to write into that becomes ``path`` when the block ends without an exception.

    A folder that is there must be one of which ``replaceable`` says that it may go; it goes when the new one is whole.

    Raises:
        OutputError: something else is there, before anything is written; or there is no room.
    """
    target = Path(os.path.realpath(path))
    _remove_left(str(target))
    if target.exists() and not target.is_dir():
        raise OutputError(f"cannot write {path}: it is a file; give a folder, or the name of a file with its ending")
    if target.exists() and not replaceable(target):
        raise OutputError(
            f"cannot write {path}: the folder is not empty; give a new one, or overwrite one that holds an export alone"
        )
    if not target.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {target.parent}")
    with _termination_raises(), _named(path), _temporary(str(target), path, os.mkdir) as place:
        yield Path(place)
        _put(place, str(target))


def _put(folder: str, target: str) -> None:
    """Rename ``folder`` to ``target``; what was there goes when that has worked, and is put back when it has not."""
    if not os.path.exists(target):
        os.rename(folder, target)
        return
    old, lock = _beside(target, _OLD), _locked(target, wait=False)
    try:
        os.rename(target, old)
        try:
            os.rename(folder, target)
        except BaseException:
            os.rename(old, target)
            raise
        rest = _beside(target, _PART)
        os.rename(old, rest)  # from here on it is only something to remove
        shutil.rmtree(rest, ignore_errors=True)
    finally:
        _let_go(lock)


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Where there is no room the error names ``path``, not a file that nobody has heard of."""
    try:
        yield
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        reason = error.strerror or str(error)
        if error.errno in (errno.EMFILE, errno.ENFILE):
            reason += " (one for each table and value of a partition: ulimit -n raises the limit)"
        raise OutputError(f"cannot write {os.fspath(path)}: {reason}") from error


# ---------------------------------------------------------------------------------------------- the other name


@contextmanager
def _temporary(target: str, path: str | os.PathLike[str], make: Callable[[str], None]) -> Iterator[str]:
    """A new file or folder beside ``target``, made by ``make`` and locked; after a failure nothing is left of it."""
    _remove_left(target)
    lock: int | None = None
    try:
        while True:
            place = _beside(target, _PART)
            try:
                make(place)
            except OSError as error:
                raise OSError(error.errno, error.strerror, os.fspath(path)) from error
            lock = _locked(place, wait=True)
            if os.path.lexists(place):
                break
            _let_go(lock)  # another process took it for left behind, in the moment before the lock
            lock = None
        yield place
    except BaseException:
        _remove(place)
        raise
    finally:
        _let_go(lock)


def _make_file(place: str) -> None:
    open(place, "xb").close()


def _remove(place: str) -> None:
    with suppress(OSError):
        if os.path.isdir(place):
            shutil.rmtree(place, ignore_errors=True)
        else:
            os.unlink(place)


def _beside(target: str, ending: str) -> str:
    """A new name in the folder of ``target``."""
    return os.path.join(os.path.dirname(target), f"{_beginning(target)}{os.urandom(6).hex()}{ending}")


def _beginning(target: str) -> str:
    """How names beside ``target`` begin that processes of this machine give."""
    place = f"{socket.gethostname()}\0{os.path.basename(target)}"
    return f".ssift-{hashlib.sha256(os.fsencode(place)).hexdigest()[:12]}-"


def _remove_left(target: str) -> None:
    """Remove what killed processes left beside ``target``; put back what one had moved aside and not replaced."""
    folder, beginning = os.path.dirname(target), _beginning(target)
    try:
        names = [name for name in os.listdir(folder) if name.startswith(beginning) and name.endswith((_PART, _OLD))]
    except OSError:
        return
    for name in names:
        place = os.path.join(folder, name)
        lock = _locked(place, wait=False)
        if lock is None:
            continue
        if name.endswith(_OLD) and not os.path.lexists(target):
            with suppress(OSError):
                os.rename(place, target)
        else:
            _remove(place)
        _let_go(lock)


def _locked(path: str, wait: bool) -> int | None:
    """An open descriptor that holds the lock of a file or folder; None where it cannot be had."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _let_go(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


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

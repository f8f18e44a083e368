"""Whether a file that is not there yet would be found: by the rules of :func:`ssift.sources.finding.find`.

A command that writes into a folder it reads would find its own output in the next run.
"""

from __future__ import annotations

import glob
import os
from fnmatch import fnmatchcase

Names = tuple[str, ...]


def reaches(path: str, file: str) -> bool:
    """Whether ``path``, a folder or a pattern, finds ``file`` once that is written; other paths find themselves."""
    if path == "-":
        return False
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        return _holds(os.path.abspath(path), os.path.abspath(file)) or _holds(
            os.path.realpath(path), os.path.realpath(file)
        )
    if os.path.exists(path) or not glob.has_magic(path):
        return False
    return _matches(_names(os.path.abspath(path)), _names(os.path.abspath(file)))


def _names(path: str) -> Names:
    return tuple(name for name in os.path.normcase(path).split(os.sep) if name)


def _holds(folder: str, file: str) -> bool:
    above, names = _names(folder), _names(file)
    return names[: len(above)] == above and _is_seen(names[len(above) :])


def _is_seen(names: Names) -> bool:
    """A folder is read at any depth; hidden names are passed over."""
    return not any(name.startswith(".") for name in names)


def _matches(pattern: Names, names: Names) -> bool:
    """As ``glob`` does it, name by name; of a folder that matches everything below is read."""
    if not pattern:
        return _is_seen(names)
    first, rest = pattern[0], pattern[1:]
    if first == "**":
        return _matches(rest, names) or (bool(names) and _is_seen(names[:1]) and _matches(pattern, names[1:]))
    if not names or not fnmatchcase(names[0], first):
        return False
    return (_is_seen(names[:1]) or first.startswith(".")) and _matches(rest, names[1:])

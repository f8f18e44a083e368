"""Values of a field as the names of folders: ``model=gpt-4``, as Hive has them, a different one for each value."""

from __future__ import annotations

from hashlib import sha256
from urllib.parse import quote

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""What readers take for null: the folder of the empty string."""

VALUES = "partitions.json"
"""The file beside the tables that has the values of marked names; there only when there are some."""

_LONGEST = 255  # bytes in a name, on nearly every file system
_DIGITS = 32  # of the hash
_MARK = "@"  # in no other name


def folder_name(field: str, value: str) -> str:
    """The name of the folder of ``value``.

    Letters, digits, ``_ . - ~`` and blanks stand for themselves, the rest is ``%XX``. A name that would be longer than
    names of files can be is cut between two characters and marked: it ends in ``@`` and the beginning of the value's
    SHA-256. So does the name of a value that readers would take for null.
    """
    if not value:
        return f"{field}={NO_VALUE}"
    name = f"{field}={quote(value, safe=' ')}"
    if len(name) <= _LONGEST and value != NO_VALUE:
        return name
    kept, room = f"{field}=", _LONGEST - _DIGITS - len(_MARK)
    for character in value:
        escaped = quote(character, safe=" ")
        if len(kept) + len(escaped) > room:
            break
        kept += escaped
    return f"{kept}{_MARK}{sha256(value.encode()).hexdigest()[:_DIGITS]}"


def is_marked(name: str) -> bool:
    """Whether a value cannot be read from the name of its folder."""
    return _MARK in name

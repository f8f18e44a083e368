"""Times in logs, as nanoseconds.

ISO 8601 in its common forms (``T`` or a blank, ``.`` or ``,`` before the fraction, ``Z``, ``+02:00``, ``+0200`` or
nothing, which is taken for UTC; slashes for dashes), and numbers, whose unit is told by their size when nobody said it.
A clock that does not count from 1970 (a perf counter) is kept as it is: differences are what is asked of it.
"""

from __future__ import annotations

import re
from datetime import date

SECOND = 10**9
_LARGEST = 2**63 - 1

ISO = (
    r"\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,12})?"
    r"(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?"
)
_ISO = re.compile(
    r"(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,12}))?"
    r"(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?"
)
_NUMBER = re.compile(r"(-)?(\d+)(?:\.(\d*))?([eE][+-]?\d+)?")
_DIGITS = 40  # of text that is read to the last one; what is longer has no time in it, or none after its point
_EPOCH = date(1970, 1, 1).toordinal()

# From so many on, a number is no longer seconds, milliseconds, microseconds (1e11 s is the year 5138).
_UNITS = ((1e11, SECOND), (1e14, 10**6), (1e17, 10**3))


def nanoseconds(value: object, unit: int = 0) -> int | None:
    """``value`` in nanoseconds: a number of ``unit`` nanoseconds each (0: by its size), or text; None if it is none."""
    if isinstance(value, str):
        text = value.strip()
        number = _NUMBER.fullmatch(text)
        if number is None:
            return from_iso(text)
        sign, whole, fraction, power = number.groups()
        if power is None and len(text) <= _DIGITS:
            found = _exact(int(whole), fraction or "", unit)
            return -found if sign and found is not None else found
        value = float(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    unit = unit or _unit(value)
    if abs(value) * unit >= 2.0**63:
        return None
    whole = int(value)  # what is left is exact, and so the whole is as exact as the number
    found = whole * unit + round((value - whole) * unit)
    return found if -_LARGEST <= found <= _LARGEST else None


def _exact(whole: int, fraction: str, unit: int) -> int | None:
    """Nanoseconds of a decimal, cut off behind the last whole one; seconds since 1970 have more digits than a float."""
    unit = unit or _unit(whole)
    found = whole * unit + int(fraction or "0") * unit // 10 ** len(fraction)
    return found if found <= _LARGEST else None


def _unit(value: float) -> int:
    """Nanoseconds of a number, by its size."""
    return next((unit for most, unit in _UNITS if abs(value) < most), 1)


def from_iso(text: str) -> int | None:
    """Nanoseconds since 1970 of an ISO 8601 time."""
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        days = date(int(year), int(month), int(day)).toordinal() - _EPOCH
    except ValueError:
        return None
    if int(hour) > 23 or int(minute) > 59 or int(second) > 60:
        return None
    seconds = ((days * 24 + int(hour)) * 60 + int(minute)) * 60 + int(second) - _offset(zone)
    found = seconds * SECOND + int(((fraction or "") + "0" * 9)[:9])
    return found if -_LARGEST <= found <= _LARGEST else None


def _offset(zone: str | None) -> int:
    """Seconds that a zone is ahead of UTC."""
    if zone is None or zone in ("Z", "UTC"):
        return 0
    digits = zone[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:] or 0) * 60
    return -seconds if zone[0] == "-" else seconds

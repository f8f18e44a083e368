"""What people are shown: text from a log that cannot steer a terminal or disturb a layout, and figures."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL and C1: colours, cursor, window titles, the bell
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # direction marks: text that reads other than it is
    "\u2028\u2029\ufeff\ufff9-\ufffb"
    "\ud800-\udfff]"  # in names of files that are no UTF-8
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\x1b"}


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _SHORT.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def printable(text: str, keep: str = "") -> str:
    r"""``text`` with each control or direction character as an escape such as ``\x1b``; ``keep`` names exceptions."""
    if not keep:
        return _CONTROL.sub(_escape, text)
    return _CONTROL.sub(lambda match: match[0] if match[0] in keep else _escape(match), text)


def shortened(text: str, width: int) -> str:
    """``text`` cut to ``width`` characters, the last an ellipsis when something was cut."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def number(value: float, digits: int = 6) -> str:
    """A figure for people; undefined ones are a dash."""
    return "-" if math.isnan(value) else f"{value:,.{digits}g}"


def json_text(value: Any, indent: int | None = None) -> str:
    r"""``value`` as JSON that holds every other character as it is, and those of :func:`printable` as ``\uXXXX``."""
    return json_escaped(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent))


def json_escaped(text: str) -> str:
    r"""JSON text with the characters of :func:`printable` that it holds, all inside strings, as ``\uXXXX``."""
    return _CONTROL.sub(lambda match: match[0] if match[0] == "\n" else f"\\u{ord(match[0]):04x}", text)

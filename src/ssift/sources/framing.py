"""How a source is framed, told from its first window.

It is JSON when no line of the window is a ``data`` field and its first or second non-blank line begins with ``{``
or ``[``; then it is one body when the first line alone is not JSON and the whole is, and JSON lines otherwise.
Everything else is read as an event stream, which says so itself when it is none.
"""

from __future__ import annotations

import json
import re

from ssift.contract import Framing

FIRST_WINDOW = 64 << 10

_DATA_LINE = re.compile(rb"(?:\A|[\r\n])data(?:[:\r\n]|\Z)")
_NON_BLANK_LINE = re.compile(rb"^[ \t]*([^ \t\r\n])", re.MULTILINE)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BLANKS = b" \t\r\n"
_CUT = 16  # characters: a value cut short is reported to be wrong at most this far from its end

# Digits without end are legal JSON; int() refuses them beyond a limit.
_DECODER = json.JSONDecoder(parse_int=float)


# A container begins with one of these, and a line of an event stream with none but the blanks and numbers.
_FIRST_OF_CONTAINERS = frozenset(b"{[0123456789-#vih \t\r\n")


def begins_no_container(head: bytes) -> bool:
    """Whether a source that begins with ``head`` is for certain none of ``ssift.sources.containers``."""
    return not head or head[0] not in _FIRST_OF_CONTAINERS


def framing(window: bytes, whole: bool) -> Framing | None:
    """The framing of a source that begins with ``window``; ``whole``: there is no more.

    None means that only the rest can tell JSON lines whose first line is broken from one body.
    """
    if has_data_line(window) or not _looks_like_json(window):
        return "sse"
    first, line_end, _ = window.lstrip(_BLANKS).partition(b"\n")
    if not line_end or is_json(first) or not _may_go_on(first):
        return "jsonl"
    if whole:
        return "json" if is_json(window) else "jsonl"
    return None if _may_go_on(window) else "jsonl"


def framing_so_far(head: bytes) -> Framing | None:
    """The framing of a source that is still growing; None while too few lines are there to tell.

    What grows is no single JSON body.
    """
    lines = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]
    found = framing(lines, whole=False) or "jsonl"
    certain = found == "jsonl" or _DATA_LINE.search(lines) or len(_NON_BLANK_LINE.findall(lines)) > 1
    return found if certain or len(head) >= FIRST_WINDOW else None


def has_data_line(window: bytes) -> bool:
    """Whether some line is a ``data`` field."""
    return _DATA_LINE.search(window) is not None


def is_json(data: bytes) -> bool:
    """Whether ``data`` is one JSON value by the rules of Python's ``json.loads``, whatever its depth."""
    return _fault(data) is None


def _looks_like_json(window: bytes) -> bool:
    starts = [match[1] for _, match in zip(range(2), _NON_BLANK_LINE.finditer(window), strict=False)]
    return b"{" in starts or b"[" in starts


def _may_go_on(data: bytes) -> bool:
    """Whether ``data`` is no JSON only because it stops too early."""
    fault = _fault(data)
    return fault is not None and (
        fault.pos >= len(fault.doc.rstrip()) - _CUT or fault.msg.startswith("Unterminated string")
    )


def _fault(data: bytes) -> json.JSONDecodeError | None:
    text = data.decode("utf-8", "replace")
    try:
        _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return error
    except RecursionError:
        # Nested too deep for this decoder. Whether it is a whole is told by its brackets; the rest the engine decides.
        bare = _STRING.sub("", text)
        if sum(map(bare.count, "[{")) > sum(map(bare.count, "]}")):
            return json.JSONDecodeError("the brackets are not closed", text, len(text))
    return None

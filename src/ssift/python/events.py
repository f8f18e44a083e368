"""What the readers of all framings have in common: events and problems, and the account of bytes.

Each line belongs to one of ``contract.LINE_CLASSES``. Readers count the bytes that become no event; an event carries
the size of its own field lines, for whoever finds out what it is.

A reader does not know chunks. It asks of JSON only: is this whole?
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol, TypeAlias

from ssift.contract import LINE_CLASSES
from ssift.python.json_text import DONE, is_json
from ssift.python.lines import BLANKS


class Event(NamedTuple):
    """A dispatched event. Its place reaches from the first to the last of its field lines."""

    data: bytes
    offset: int
    length: int
    line: int
    size: int  # bytes of its field lines: less than the length where other lines stand between
    error: bool  # `event: error`, or a line `error:`
    data_lines: int


class Series(NamedTuple):
    """Events that follow one another, each in two lines that end in LF: ``data: `` with its text, and a blank one."""

    texts: list[bytes]
    offset: int
    line: int


LEAD, BORDER = b"data: ", b"\n\n"
"""What the events of a series begin with, and end with."""

EVENT_LINE, BLANK_LINE, LINES = len(LEAD) + 1, 1, 2
"""Of an event in a series: bytes of its line beside the text, of the blank line, and how many lines these are."""


class Problem(NamedTuple):
    """A place that could not be read: ``kind`` of ``contract.PROBLEM_KINDS``, ``message`` a number there."""

    kind: str
    offset: int
    length: int
    line: int
    message: int


Found: TypeAlias = Event | Problem
Stretch: TypeAlias = Found | Series


class Account:
    """Where the bytes of a source went."""

    def __init__(self) -> None:
        self.bytes_of = dict.fromkeys(LINE_CLASSES, 0)
        self.events = 0
        self.comments = 0


class Reader(Protocol):
    """Pieces of one source in, events and problems out."""

    account: Account

    @property
    def unread(self) -> int:
        """No event still to come ends before this offset."""

    @property
    def line(self) -> int:
        """Number of the next line."""

    def feed(self, piece: bytes) -> Iterator[Stretch]: ...

    def end(self) -> Iterator[Found]: ...


def is_whole(data: bytes, data_lines: int, depth: int) -> bool:
    """Whether the data of an event whose end is missing can be taken as it is."""
    text = data.lstrip(BLANKS)
    if text.startswith(DONE):
        return data_lines == 1
    return not text or text.startswith(b":") or is_json(data, depth)

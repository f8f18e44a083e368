"""Pieces of tool calls to whole ones.

Theory. A call is streamed in pieces: first its id and name, then its arguments, some characters at a time. By the
standard each piece carries the ``index`` of its call; real servers leave it out, give every call the index 0, or send
id and name again and again.

1. A piece with an index belongs to the latest call opened under it; one without to the call with its id; one with
   neither to the call that the piece before it went to.
2. A new call begins where there is none such, and where a name comes that cannot be meant for the old one.
3. The first id and type stay; a name is said once or in parts; arguments are appended as they come.
4. What never finds a name is no call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from ssift.contract import M_ARGUMENTS, M_CALL, M_CALL_INDEX, M_CALLS
from ssift.python.json_text import NotJson, loads_text
from ssift.python.lines import BLANKS
from ssift.python.values import WrongType, id_of, index_of, text_of

_BLANKS = BLANKS.decode()

Place: TypeAlias = "tuple[int, int, int]"
"""Offset, length and line of an event."""


@dataclass(slots=True)
class Piece:
    """One entry of ``delta.tool_calls``; what it does not say is None or empty. ``arguments`` may be a container."""

    index: int | None
    id: str
    type: str
    name: str
    arguments: Any


def read_pieces(entries: Any) -> list[Piece]:
    """The entries of ``delta.tool_calls``.

    Raises:
        WrongType: a list, an entry, an index or the arguments are not what they should be.
    """
    if type(entries) is not list:
        raise WrongType(M_CALLS)
    return [_piece(entry) for entry in entries if entry is not None]


def _piece(entry: Any) -> Piece:
    if type(entry) is not dict:
        raise WrongType(M_CALL)
    index = index_of(entry.get("index"), None, M_CALL_INDEX)
    function = entry.get("function")
    if type(function) is not dict:
        function = {}
    arguments = function.get("arguments")
    if type(arguments) not in (str, dict, list, type(None)):
        raise WrongType(M_ARGUMENTS)
    return Piece(index, id_of(entry.get("id")), text_of(entry.get("type")), text_of(function.get("name")), arguments)


class Call:
    """A call as far as it came; ``place`` is where its first piece was, ``order`` counts the calls of a choice."""

    def __init__(self, order: int, place: Place) -> None:
        self.order = order
        self.place = place
        self.id = ""
        self.type = ""
        self.name = ""
        self.arguments: list[str] = []
        self._last = ""  # the last character of the arguments that is not blank

    def add(self, piece: Piece) -> None:
        self.id = self.id or piece.id
        self.type = self.type or piece.type
        if piece.name != self.name:
            self.name += piece.name
        if piece.arguments:
            self.arguments.append(piece.arguments)
            self._last = piece.arguments.rstrip(_BLANKS)[-1:] or self._last

    def is_whole(self) -> bool:
        """Whether the arguments so far are a JSON object."""
        if self._last != "}":  # nearly always, and found without putting them together
            return False
        try:
            return type(loads_text("".join(self.arguments))) is dict
        except NotJson:
            return False


class Calls:
    """The calls of one choice, in the order in which they were opened."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._under: dict[int, Call] = {}
        self._with_id: dict[str, Call] = {}
        self._last: Call | None = None

    def add(self, piece: Piece, place: Place) -> None:
        call = self._target(piece)
        if call is None or self._begins_anew(call, piece):
            call = Call(len(self.calls), place)
            self.calls.append(call)
            if piece.index is not None:
                self._under[piece.index] = call
        call.add(piece)
        if call.id and self._with_id.get(call.id, call).order <= call.order:
            self._with_id[call.id] = call
        self._last = call

    def _target(self, piece: Piece) -> Call | None:
        if piece.index is not None:
            return self._under.get(piece.index)
        if piece.id:
            return self._with_id.get(piece.id)
        return self._last

    def _begins_anew(self, call: Call, piece: Piece) -> bool:
        if not piece.name:
            return False
        new_id = piece.id != "" and call.id != "" and piece.id != call.id
        unmarked = piece.id == "" and piece.index is None
        return (new_id or unmarked) and (piece.name != call.name or call.is_whole())

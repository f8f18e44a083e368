"""What the layers agree on: tables, problem kinds, limits, and the Engine protocol.

Two engines read bytes (``ssift.python`` and the extension ``ssift._native``); everything above them is
written once. This file is the border: an engine takes pieces of a source and hands back *raw columns*, which
:mod:`ssift.table` turns into the public tables. Nothing here imports another part of ssift.

Raw columns are what an engine can write without a second look; the rest is derived on demand:

* ``top_logprobs.token_row`` and ``.rank`` follow from ``tokens.top_start``,
* ``tokens.top_count`` is the distance to the next ``top_start``,
* ``tokens.response`` is ``chunks.response`` at the token's chunk,
* ``bytes`` that equal the token's own UTF-8 (nearly all) are a mark, not a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]

# ---------------------------------------------------------------------------------------------- public tables

ColumnType = Literal["int", "float", "bool", "str", "binary", "list"]


@dataclass(frozen=True)
class Column:
    """Name and type of one public column; ``nullable`` as in Arrow. A list is one of structs with these ``fields``."""

    name: str
    type: ColumnType
    nullable: bool = False
    fields: tuple[Column, ...] = ()


def _columns(text: str) -> tuple[Column, ...]:
    """Read ``"name:type name?:type"``; a ``?`` marks a nullable column."""
    parts = (word.split(":") for word in text.split())
    return tuple(Column(name.rstrip("?"), kind, name.endswith("?")) for name, kind in parts)  # type: ignore[arg-type]


SCHEMA: dict[str, tuple[Column, ...]] = {
    "responses": _columns(
        "response:int source:str offset:int length:int id:str object:str created?:int model:str "
        "system_fingerprint?:str service_tier?:str chunk_count:int done:bool status:str error_message?:str "
        "error_code?:str prompt_tokens?:int completion_tokens?:int total_tokens?:int cached_tokens?:int "
        "reasoning_tokens?:int started_ns?:int ended_ns?:int requested_ns?:int"
    ),
    "choices": _columns(
        "response:int index:int role?:str content?:str refusal?:str reasoning?:str finish_reason?:str "
        "token_count:int logprob_sum:float"
    ),
    "chunks": _columns(
        "chunk:int response:int offset:int length:int arrival_ns?:int choice_count:int token_count:int "
        "completion_tokens?:int text_bytes:int"
    ),
    "tokens": _columns(
        "response:int index:int position:int chunk:int list:str token:str bytes?:binary logprob?:float "
        "top_start:int top_count:int"
    ),
    "top_logprobs": _columns("token_row:int rank:int token:str bytes?:binary logprob?:float"),
    "tool_calls": _columns("response:int index:int call:int id:str type:str name:str arguments:str"),
    "problems": _columns("source:str offset:int length:int line:int kind:str message:str response?:int"),
}
TABLES: tuple[str, ...] = tuple(SCHEMA)

# ------------------------------------------------------------------------------------- codes written by engines

TOKEN_LISTS = ("content", "refusal", "reasoning")
STATUSES = ("complete", "truncated", "errored")
PROBLEM_KINDS = ("json", "type", "truncated", "too_long", "not_sse", "compression", "container", "encoding")
LINE_CLASSES = ("chunk", "error", "done", "skipped", "problem", "blank")
"""Every line of a source belongs to one of these; their bytes add up to the size of the source."""

HELD_PROBLEMS = 1 << 16
"""Problems of lines that are no fields wait for a sign that the source is a stream; so many of them are such a sign."""

BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN = 0, 1, 2
"""How the ``bytes`` of an entry are kept: none, equal to the UTF-8 of its token, or written out."""

FORMATS = (
    "sse", "jsonl", "json", "aiperf", "inference-perf", "helicone", "batch", "har", "vcr", "mitmproxy", "docker", "cri",
    "timestamped", "recording",
)  # fmt: skip
"""What a source may be by its content: the framings, and the containers of ``ssift.sources.containers``."""

# Problem messages, by number, so that both engines say the same: what is wrong, and what was or can be done about it.
# Where it is stands in the row; ``ssift check`` adds an excerpt.
MESSAGES = (
    "the data is not valid JSON",
    "the input ends inside this event",
    "the input ends inside this line",
    "the event is larger than the limit event_bytes allows (--event-bytes)",
    "the JSON is nested deeper than the limit depth allows",
    "not a line of an event stream: neither data, event, id, retry or error, nor a comment",
    "no event stream: nothing in this source could be read as a chunk, an error or [DONE]; format= (--format) says how "
    "a log in another form is to be read",
    "invalid UTF-8: each bad sequence was read as U+FFFD",
    "choices is not a list",
    "an entry of choices is not an object",
    "the index of a choice is not an integer",
    "the delta or message of a choice is not an object",
    "the content of a choice is neither a string nor a list of parts",
    "the refusal of a choice is not a string",
    "tool_calls is not a list",
    "an entry of tool_calls is not an object",
    "the index of a tool call is not an integer",
    "the arguments of a tool call are neither a string nor an object",
    "what stands for a list of logprobs is no list",
    "an entry of a list of logprobs is not an object",
    "the token of an entry of logprobs is not a string",
    "the logprob of an entry of logprobs is not a number",
    "the top_logprobs of an entry of logprobs is not a list",
    "an entry of top_logprobs is not an object",
    "a tool call has no name; it is left out",
    "the compressed data ends early or is damaged; what stands before was read",
    "UTF-16 that cannot be decoded; nothing of it was read",
    "something that is not compressed follows the compressed data; it was not read",
    "the file became shorter while it was followed; it is read again from its start",
    "not a container of the format that was asked for, or that its beginning looks like",
    "the container ends early or is damaged from here on; what stands before was read",
    "a record that is not valid JSON, or lacks what its format has; it was left out",
    "a record that is too large to be held in memory; it was left out",
    "an entry without the members that its format has",
    "an entry whose body is not valid base64, or compressed and damaged",
    "an entry whose stream was not recorded: its body is empty",
    "nothing in this container is a stream: no body has a chunk, an error or [DONE]",
    "text that was decoded with a wrong character set and cannot be repaired",
    "a flow that the library of mitmproxy cannot read",
    "no record of the first 1,000 has an arrival time where Records.times (--time-path) says",
    "this expands further than the limit max_ratio allows (--max-ratio); the rest was not read",
    "an entry whose compressed body expands to more than 1 GiB; it was left out",
    *(f"nothing was read in the format that was asked for; this looks like {form}" for form in FORMATS),
)
(
    M_JSON, M_CUT_EVENT, M_CUT_LINE, M_EVENT_BYTES, M_DEPTH, M_LINE, M_SOURCE, M_UTF8,
    M_CHOICES, M_CHOICE, M_INDEX, M_DELTA, M_CONTENT, M_REFUSAL, M_CALLS, M_CALL, M_CALL_INDEX, M_ARGUMENTS,
    M_LIST, M_ENTRY, M_TOKEN, M_LOGPROB, M_TOP, M_TOP_ENTRY, M_NAMELESS, M_COMPRESSION, M_UTF16, M_TRAILING, M_SHORTER,
    M_FORMAT, M_DAMAGED, M_RECORD, M_RECORD_BYTES, M_MEMBERS, M_BODY, M_NOT_RECORDED, M_NO_BODY, M_CHARSET,
    M_FLOW, M_NO_TIME, M_RATIO, M_BODY_BYTES, *_,
) = range(len(MESSAGES))  # fmt: skip
M_LOOKS_LIKE = {form: len(MESSAGES) - len(FORMATS) + place for place, form in enumerate(FORMATS)}

# --------------------------------------------------------------------------------------------------- raw columns


class NullableInts(NamedTuple):
    """int64 values; where ``valid`` (uint8) is 0 the value is 0 and means nothing."""

    values: Ints
    valid: Codes


class Text(NamedTuple):
    """Strings in Arrow's large layout: row i is ``data[offsets[i]:offsets[i + 1]]``, valid UTF-8.

    ``valid`` is None for a column without nulls; a null row is empty.
    """

    offsets: Ints
    data: Codes
    valid: Codes | None = None


class EntryBytes(NamedTuple):
    """``bytes`` of tokens or alternatives: ``how`` per row (BYTES_*); the k-th BYTES_OWN row is row k of the rest."""

    how: Codes
    offsets: Ints
    data: Codes


Raw: TypeAlias = Ints | Floats | Codes | NullableInts | Text | EntryBytes

RAW: dict[str, str] = {
    "responses": "response:int source:int offset:int length:int id:text object:text created:int? model:text "
    "system_fingerprint:text? service_tier:text? chunk_count:int done:code status:code error_message:text? "
    "error_code:text? prompt_tokens:int? completion_tokens:int? total_tokens:int? cached_tokens:int? "
    "reasoning_tokens:int? started_ns:int? ended_ns:int? requested_ns:int?",
    "choices": "response:int index:int role:text? content:text? refusal:text? reasoning:text? finish_reason:text? "
    "token_count:int logprob_sum:float",
    "chunks": "response:int offset:int length:int arrival_ns:int? choice_count:int token_count:int "
    "completion_tokens:int? text_bytes:int",
    "tokens": "index:int position:int chunk:int list:code token:text bytes:bytes logprob:float top_start:int",
    "top_logprobs": "token:text bytes:bytes logprob:float",
    "tool_calls": "response:int index:int call:int id:text type:text name:text arguments:text",
    "problems": "source:int offset:int length:int line:int kind:code message:code response:int?",
}
"""The raw columns of each table. ``chunk``, ``top_start``, ``response`` are row numbers over the whole call."""


class SourceCounts(NamedTuple):
    """What one source held. The six ``*_bytes`` add up to its size (see LINE_CLASSES)."""

    chunk_bytes: int
    error_bytes: int
    done_bytes: int
    skipped_bytes: int
    problem_bytes: int
    blank_bytes: int
    events: int  # dispatched events with data, [DONE] and error lines included
    chunks: int
    skipped: int
    comments: int  # comment lines
    done: int
    errors: int
    problems: int

    def plus(self, other: SourceCounts) -> SourceCounts:
        """The counts of two parts of a source together."""
        return SourceCounts(*map(sum, zip(self, other, strict=True)))

    @property
    def size(self) -> int:
        """Bytes of the source."""
        return sum(self[: len(LINE_CLASSES)])


class Batch(NamedTuple):
    """Finished rows since the last :meth:`Engine.take`.

    ``tables`` maps table -> column -> raw column. A table that was not asked for may be absent, but
    ``chunks.response`` is there whenever ``tokens`` is, ``tokens.top_start`` whenever ``top_logprobs`` is, and
    ``problems`` always. ``first`` gives the row number of row 0 of ``chunks``, ``tokens`` and ``top_logprobs``;
    ``totals`` how many rows each has. Rows of responses, choices and tool_calls are sorted by response.
    """

    tables: Mapping[str, Mapping[str, Raw]]
    first: Mapping[str, int]
    totals: Mapping[str, int]


Framing = Literal["sse", "jsonl", "json"]
Path: TypeAlias = tuple[str | None, ...]
"""Where values stand in a record: keys, and None for each element of a list; a value that is no list is the one."""


class RecordShape(NamedTuple):
    """Where a record of some log keeps a body; paths may be empty.

    ``chunks`` leads to the data of events: objects, or strings that hold one (a string that begins with none of
    ``{ [ "`` is text of an event stream and goes into the body as it is). ``times`` are their arrivals, as numbers
    of ``unit`` nanoseconds (0: by their size) or as text; a chunk has the time that shares most of its places.
    ``names`` are the fields the strings stood in, when not all are ``data``; what shares all but its last place is then
    one event. ``text`` leads to the whole body as a string; then ``chunks``, found in it again, only say to what the
    times belong. ``request`` leads to when it was asked for.
    """

    chunks: Path
    times: Path = ()
    names: Path = ()
    text: Path = ()
    request: Path = ()
    unit: int = 0

    @property
    def paths(self) -> tuple[Path, ...]:
        """All of them, in this order."""
        return tuple(self[:5])


Grouping = Literal["auto", "id", "done"]


@dataclass(frozen=True)
class Limits:
    """A breach of ``event_bytes`` or ``depth`` is a ``too_long`` problem; ``open_responses`` closes the oldest.

    ``max_ratio`` is to how many bytes each stored byte of a compressed source may expand, once it has expanded to more
    than 16 MiB in all: reading stops there with a ``compression`` problem.

    Raises:
        ValueError: a limit is not an int from 1 to 2**62 - 1.
    """

    event_bytes: int = 64 << 20
    depth: int = 1024
    open_responses: int = 1024
    max_ratio: int = 1000

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if type(value) is not int or not 1 <= value < 1 << 62:
                raise ValueError(f"{field.name}={value!r}: a limit is an int from 1 to 2**62 - 1")


class Engine(Protocol):
    """Reads sources one after the other, in pieces cut anywhere.

    ``begin``, any number of ``feed``, ``end``; ``take`` between any two calls. An engine knows neither names of
    sources nor files: ``source`` is a number that it writes into rows.
    """

    def __init__(
        self, tables: frozenset[str], group: str, event_bytes: int, depth: int, open_responses: int
    ) -> None: ...

    def begin(self, source: int, framing: str, offset: int = 0) -> None:
        """Open a source; the ``offset`` bytes before the first piece (a BOM, NULs) count as blank."""

    def resume(self, source: int, framing: str, offset: int) -> None:
        """In place of ``begin``: open a source that is a stream for certain behind its first ``offset`` bytes, where
        no line, event or response is open; lines count from 1 again."""

    def feed(self, piece: Any) -> None:
        """Read a piece (any C-contiguous bytes-like object)."""

    def arrived(self, ns: int | None, offset: int = -1) -> None:
        """The bytes of the open source from ``offset`` on, by default from the next one fed, arrived at ``ns``.

        It holds until the next call; before the first, and after None, nothing is known. An event arrived when its
        last byte did, the one at ``offset + length - 1`` of its place (the end of its last field line; not the blank
        line that dispatched it), however the source was cut into pieces. That time is ``arrival_ns`` of its chunk,
        ``started_ns`` of a response if it is its first event and ``ended_ns`` if it is its last, ``[DONE]`` and
        errors included; null where it is not known.

        Raises:
            ValueError: bytes from ``offset`` on were fed already, or an earlier call gave a place behind it.
        """

    def requested(self, ns: int | None) -> None:
        """Responses that begin in the open source from here on were asked for at ``ns``, by the clock of arrivals."""

    def records(
        self, source: int, text: Any, start: int, end: int, shape: RecordShape, lines: bool
    ) -> tuple[int, list[SourceCounts], int]:
        """Read the bodies in records as far as the engine is sure about them: a shortcut that it may have.

        The records are the ``lines`` of ``text[start:end]`` that are not blank, or there is one that begins at
        ``start``. Each body is a source, numbered from ``source`` on; or all go on in the open source, when
        ``source`` is -1. ``text`` is bytes or a bytearray.

        Returns:
            What was read ends there: where the first record begins that was not (``end`` when there is none), and of
            the one where it ends (``start`` when it was not read). The counts of each source. And how many line
            ends are in what was read. What has to come out is said by ``ssift.sources.containers.records``.
        """

    def problem(self, kind: int, offset: int, length: int, line: int, message: int) -> None:
        """Note a problem that a layer above found in the open source; it moves no bytes."""

    def end(self) -> SourceCounts:
        """Close the source: an unterminated last event is decided, open responses end."""

    def take(self) -> Batch:
        """Hand over the finished rows."""

    @property
    def counts(self) -> SourceCounts:
        """What the open source has held so far; an event that is not whole yet is in none of the counts."""

    @property
    def line(self) -> int:
        """Number of the next line in the open source; a CR at the end of what was fed may not be counted yet."""

    @property
    def problem_count(self) -> int:
        """Problems found so far over all sources (those of `not_sse` once they are certain)."""


class PartEngine(Engine, Protocol):
    """An engine whose like can read the parts of one source side by side.

    Where an engine is ``settled`` at some place of a source, reading on is the same as reading the rest with a new
    engine that has been told by ``resume`` where it stands; only row numbers and lines then count from another start.
    """

    @property
    def settled(self) -> bool:
        """Whether nothing is open (no line, no event, no response) in a source that is a stream for certain."""

    @property
    def response_count(self) -> int:
        """Responses opened so far over all sources: the number that the next one gets."""

# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=False
"""The native engine's Python boundary: buffers in, the GIL released, finished columns out. No parsing here."""

cimport cython
from cpython.bytearray cimport PyByteArray_FromStringAndSize
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItemWithError
from cpython.object cimport PyObject, PyTypeObject, Py_TYPE
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.tuple cimport PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy, memset

from alternatives cimport Listed, Lists, Words, listed_figures
from block cimport JSON_LINES, SSE, WHOLE, Frame
from capsule cimport (destroy_array, destroy_schema, destroy_stream, release_array, release_schema,
                      release_stream)
from chunk cimport KEEP_TOPS, WANT_CALLS, WANT_TEXT, WANT_TOKENS, WANT_TOPS
from column cimport Buffer, Entries, Text, buffer_free, byte, rows_begin, tops_read
from event cimport Account, Reader, report
from figures cimport (EXPONENTS, HALF, INFINITE, KEYS, SLOTS, TallyCell, Cells, Exponent, Places, Profile, Tally, clear_cells,
                      profile_choices, tally_column)
from finish cimport responses_begin
from frame cimport (frame_begin, frame_end, frame_feed, frame_mark, frame_resume, is_settled, may_mark, next_byte,
                    release_held)
from group cimport GROUP_AUTO, GROUP_DONE, GROUP_ID
from record cimport NO_ROOM_LEFT, REFUSED, Bodies, bodies_free, read_records
from quoted cimport ss_unquote_begin
from release cimport frame_free
from response cimport Place, Problem, ResponseColumns, Responses, note_request
from shape cimport AT_CHUNK, AT_NAME, AT_REQUEST, AT_TEXT, AT_TIME, Shape, shape_begin, shape_end, shape_step
from value cimport ss_byte_text_begin, ss_count_lf

from types import MemberDescriptorType

import numpy as np

from ssift.contract import TABLES, Batch, EntryBytes, NullableInts, SourceCounts
from ssift.contract import Text as TextColumn

cdef extern from "Python.h":
    object PyType_GenericAlloc(PyTypeObject* cls, Py_ssize_t size)
    int PyObject_GenericSetDict(object instance, object values, void* unused) except -1

ss_byte_text_begin()
ss_unquote_begin()


def arrow_callbacks():
    """Addresses of the functions in capsule.pxd by name, for ssift.arrow."""
    return {
        "release_schema": <size_t>&release_schema,
        "release_array": <size_t>&release_array,
        "release_stream": <size_t>&release_stream,
        "destroy_schema": <size_t>&destroy_schema,
        "destroy_array": <size_t>&destroy_array,
        "destroy_stream": <size_t>&destroy_stream,
    }


include "columns.pxi"


def count_lines(data, Py_ssize_t start, Py_ssize_t end):
    """Line ends in ``data[start:end]``."""
    cdef Py_buffer view
    cdef size_t count
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        if not 0 <= start <= end <= view.len:
            raise ValueError(f"there is no data[{start}:{end}]")
        with nogil:
            count = ss_count_lf(<const byte*>view.buf + start, <const byte*>view.buf + end)
    finally:
        PyBuffer_Release(&view)
    return count


# ---------------------------------------------------------------------------------------------------- shapes

cdef bint compile_shape(Shape* s, shape):
    """The paths of a RecordShape as a tree; False when it is not one that can be walked."""
    cdef int end, depth
    cdef bytes key
    shape_begin(s, shape.unit)
    for end, path in zip((AT_CHUNK, AT_TIME, AT_NAME, AT_TEXT, AT_REQUEST), shape.paths):
        at = 0
        for step in path:
            key = b"" if step is None else step.encode()
            at = shape_step(s, at, key, len(key), step is None)
            if at < 0:
                return False
        if path and not shape_end(s, at, end, path.count(None)):
            return False
    return True


# ---------------------------------------------------------------------------------------------------- engine


cdef object counts_of(const Account* a, int64_t problems):
    return SourceCounts(a.bytes[0], a.bytes[1], a.bytes[2], a.bytes[3], a.bytes[4], a.bytes[5], a.events, a.chunks,
                        a.skipped, a.comments, a.done, a.errors, problems)


cdef class NativeEngine:
    """Reads sources into raw columns; see :class:`ssift.contract.Engine`."""

    cdef Frame frame
    cdef bint open
    cdef bint held            # a method is at work; it stays so when one found no memory, for rows may be half written
    cdef Bodies bodies
    cdef Shape shape
    cdef object shape_taken   # what the shape was made of
    cdef bint shape_known     # it is one that can be walked
    cdef readonly frozenset tables

    name = "native"

    def __cinit__(self, tables=frozenset(TABLES), str group="auto", Py_ssize_t event_bytes=64 << 20,
                  Py_ssize_t depth=1024, Py_ssize_t open_responses=1024):
        cdef Reader* r = &self.frame.reader
        memset(&self.frame, 0, sizeof(Frame))
        memset(&self.bodies, 0, sizeof(Bodies))
        if group not in ("auto", "id", "done"):
            raise ValueError(f"group must be 'auto', 'id' or 'done', not {group!r}")
        if event_bytes < 1 or depth < 1 or open_responses < 1:
            raise ValueError("limits must be at least 1")
        self.tables = frozenset(tables)
        r.responses.want_responses = "responses" in self.tables
        r.responses.want_choices = "choices" in self.tables
        r.responses.want_calls = "tool_calls" in self.tables
        r.responses.want_chunks = "chunks" in self.tables
        r.responses.want_tokens = bool(self.tables & {"tokens", "top_logprobs", "choices", "chunks"})
        r.want = ((WANT_TEXT if r.responses.want_choices else 0) | (WANT_CALLS if r.responses.want_calls else 0)
                  | (WANT_TOKENS if r.responses.want_tokens else 0)
                  | (WANT_TOPS if self.tables & {"tokens", "top_logprobs"} else 0)
                  | (KEEP_TOPS if "top_logprobs" in self.tables else 0))
        r.event_limit = event_bytes
        r.depth_limit = depth
        r.groups.rule = {"auto": GROUP_AUTO, "id": GROUP_ID, "done": GROUP_DONE}[group]
        r.groups.limit = open_responses
        r.responses.latest = r.responses.silent = -1
        fetch_usual(&self.frame)
        if not rows_begin(&r.rows) or not responses_begin(&r.responses):
            raise MemoryError

    def __dealloc__(self):
        store_usual(&self.frame)
        frame_free(&self.frame)
        bodies_free(&self.bodies)

    cdef int hold(self) except -1:
        """Begin to work on the memory of the engine."""
        if self.held:
            raise RuntimeError("the engine is at work in another thread, or found no memory before: it reads no more")
        self.held = True
        return 0

    cdef int let_go(self, bint good) except -1:
        """The work is done, or there was no memory for it."""
        if not good:
            raise MemoryError("no memory for the columns")
        self.held = False
        return 0

    def begin(self, int64_t source, str framing, int64_t offset=0):
        """Open a source."""
        cdef int kind = {"sse": SSE, "jsonl": JSON_LINES, "json": WHOLE}[framing]
        if self.open:
            raise RuntimeError("the source before is still open: call end() first")
        self.hold()
        frame_begin(&self.frame, source, kind, offset)
        self.open = True
        self.let_go(True)

    def resume(self, int64_t source, str framing, int64_t offset):
        """Open a later part of a source; see :class:`ssift.contract.PartEngine`."""
        cdef int kind = {"sse": SSE, "jsonl": JSON_LINES}[framing]
        if self.open:
            raise RuntimeError("the source before is still open: call end() first")
        self.hold()
        frame_resume(&self.frame, source, kind, offset)
        self.open = True
        self.let_go(True)

    @property
    def settled(self):
        return is_settled(&self.frame)

    @property
    def line(self):
        return self.frame.line

    @property
    def response_count(self):
        return self.frame.reader.responses.next_number

    def feed(self, piece):
        """Read a piece of the open source; nothing of it is kept by reference."""
        cdef Py_buffer view
        cdef bint good
        if not self.open:
            raise RuntimeError("no source is open: call begin() first")
        PyObject_GetBuffer(piece, &view, PyBUF_SIMPLE)
        try:
            self.hold()
            with nogil:
                good = frame_feed(&self.frame, <const byte*>view.buf, <size_t>view.len)
        finally:
            PyBuffer_Release(&view)
        self.let_go(good)

    def problem(self, uint8_t kind, int64_t offset, int64_t length, int64_t line, uint8_t message):
        """Note a problem that a layer above found in the open source."""
        cdef Place place
        place.offset = offset
        place.length = length
        place.line = line
        place.size = 0
        self.hold()
        self.let_go(report(&self.frame.reader, kind, message, &place))

    def arrived(self, ns, int64_t offset=-1):
        """The bytes from ``offset`` on (from the next one fed) arrived at ``ns``."""
        cdef int64_t time
        cdef bint known
        cdef int64_t at = next_byte(&self.frame) if offset < 0 else offset
        if not self.open:
            raise RuntimeError("no source is open: call begin() first")
        if not may_mark(&self.frame, at):
            raise ValueError(f"bytes from {at} on were fed, or have their time, already")
        known = ns is not None
        time = ns if known else 0
        self.hold()
        self.let_go(frame_mark(&self.frame, at, time, known))

    def requested(self, ns):
        """The responses that begin from here on were asked for at ``ns``."""
        if not self.open:
            raise RuntimeError("no source is open: call begin() first")
        note_request(&self.frame.reader.responses, 0 if ns is None else ns, ns is not None)

    def records(self, int64_t source, text, Py_ssize_t start, Py_ssize_t end, shape, bint lines):
        """Read the bodies in the records text[start:end], as far as they are sure."""
        cdef Py_buffer view
        cdef int state = REFUSED
        cdef size_t stop = <size_t>start, i
        cdef Account* accounts
        if self.open == (source >= 0):
            raise RuntimeError("no source is open: call begin() first" if source < 0 else
                               "the source before is still open: call end() first")
        if shape is not self.shape_taken:
            self.shape_taken = shape
            self.shape_known = compile_shape(&self.shape, shape)
        if not self.shape_known:
            return start, [], 0
        if not isinstance(text, (bytes, bytearray)):
            raise TypeError("text must be bytes or a bytearray: behind them stands a 0")
        PyObject_GetBuffer(text, &view, PyBUF_SIMPLE)
        try:
            if not 0 <= start <= end <= view.len:
                raise ValueError(f"there is no text[{start}:{end}]")
            self.hold()
            with nogil:
                state = read_records(&self.frame, &self.bodies, &self.shape, <const byte*>view.buf, &stop, <size_t>end,
                                     <size_t>view.len, source, lines)
        finally:
            PyBuffer_Release(&view)
        self.let_go(state != NO_ROOM_LEFT)
        accounts = <Account*>self.bodies.accounts.data
        counts = [counts_of(&accounts[i], accounts[i].problems) for i in range(self.bodies.accounts.used // sizeof(Account))]
        return stop, counts, self.bodies.lines

    def end(self):
        """Close the source and say what it held."""
        cdef bint good
        if not self.open:
            raise RuntimeError("no source is open: call begin() first")
        self.hold()
        with nogil:
            good = frame_end(&self.frame)
        self.open = False
        self.let_go(good)
        return self.counts

    @property
    def counts(self):
        """What the open source has held so far."""
        return counts_of(&self.frame.reader.account, self.problem_count - self.frame.problems_before)

    @property
    def problem_count(self):
        if self.open:
            self.hold()
            self.let_go(release_held(&self.frame))
        return self.frame.reader.responses.problem_count

    def take(self):
        """Hand over the finished rows."""
        cdef Reader* r = &self.frame.reader
        cdef int64_t first_token = r.rows.first_token, first_top = r.rows.first_top
        cdef int64_t first_chunk = r.responses.chunks_out.first
        cdef int64_t tokens = <int64_t>r.rows.tokens.how.used, tops = <int64_t>tops_read(&r.rows)
        cdef int64_t chunks = <int64_t>(r.responses.chunks_out.response.used // 8)
        self.hold()
        if self.open and not release_held(&self.frame):
            raise MemoryError("no memory for the columns")
        tables = {
            "responses": self._responses(),
            "choices": self._choices(),
            "tool_calls": self._tool_calls(),
            "chunks": self._chunks(),
            "tokens": self._tokens(),
            "top_logprobs": entries_columns(&self.frame, &r.rows.tops),
            "problems": self._problems(),
        }
        self.frame.shapes.budget = 0
        if not (self.open and r.responses.arrivals.marks.used):
            r.responses.arrive = NULL
        self.let_go(rows_begin(&r.rows) and responses_begin(&r.responses))
        r.rows.first_token = first_token + tokens
        r.rows.first_top = first_top + tops
        r.responses.chunks_out.first = first_chunk + chunks
        return Batch(tables, {"chunks": first_chunk, "tokens": first_token, "top_logprobs": first_top},
                     {"chunks": chunks, "tokens": tokens, "top_logprobs": tops})

    cdef dict _responses(self):
        cdef ResponseColumns* out = &self.frame.reader.responses.responses_out
        cdef int k
        columns = {
            "response": column(&self.frame, &out.number, np.int64),
            "source": column(&self.frame, &out.source, np.int64),
            "offset": column(&self.frame, &out.offset, np.int64),
            "length": column(&self.frame, &out.length, np.int64),
        }
        for k, name in enumerate(("id", "object", "model", "system_fingerprint", "service_tier", "error_message",
                                  "error_code")):
            columns[name] = text_column(&self.frame, &out.strings[k], k > 2)
        columns["created"] = NullableInts(column(&self.frame, &out.created, np.int64),
                                          column(&self.frame, &out.created_valid, np.uint8))
        columns["chunk_count"] = column(&self.frame, &out.chunk_count, np.int64)
        columns["done"] = column(&self.frame, &out.done, np.uint8)
        columns["status"] = column(&self.frame, &out.status, np.uint8)
        for k, name in enumerate(("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens",
                                  "reasoning_tokens")):
            columns[name] = NullableInts(column(&self.frame, &out.figures[k], np.int64),
                                         column(&self.frame, &out.figures_valid[k], np.uint8))
        for k, name in enumerate(("started_ns", "ended_ns", "requested_ns")):
            columns[name] = NullableInts(column(&self.frame, &out.times[k], np.int64),
                                         column(&self.frame, &out.times_valid[k], np.uint8))
        return in_order(columns, (columns["response"],))

    cdef dict _choices(self):
        cdef Responses* r = &self.frame.reader.responses
        cdef int k
        columns = {
            "response": column(&self.frame, &r.choices_out.response, np.int64),
            "index": column(&self.frame, &r.choices_out.index, np.int64),
            "role": text_column(&self.frame, &r.choices_out.role, True),
        }
        for k, name in enumerate(("content", "refusal", "reasoning")):
            columns[name] = text_column(&self.frame, &r.choices_out.texts[k], True)
        columns["finish_reason"] = text_column(&self.frame, &r.choices_out.finish, True)
        columns["token_count"] = column(&self.frame, &r.choices_out.token_count, np.int64)
        columns["logprob_sum"] = column(&self.frame, &r.choices_out.logprob_sum, np.float64)
        return in_order(columns, (columns["response"],))

    cdef dict _tool_calls(self):
        cdef Responses* r = &self.frame.reader.responses
        columns = {
            "response": column(&self.frame, &r.calls_out.response, np.int64),
            "index": column(&self.frame, &r.calls_out.index, np.int64),
            "call": column(&self.frame, &r.calls_out.call, np.int64),
            "id": text_column(&self.frame, &r.calls_out.id, False),
            "type": text_column(&self.frame, &r.calls_out.type, False),
            "name": text_column(&self.frame, &r.calls_out.name, False),
            "arguments": text_column(&self.frame, &r.calls_out.arguments, False),
        }
        return in_order(columns, (columns["response"],))

    cdef dict _chunks(self):
        cdef Responses* r = &self.frame.reader.responses
        columns = {"response": column(&self.frame, &r.chunks_out.response, np.int64)}
        if not r.want_chunks:
            return columns
        columns["offset"] = column(&self.frame, &r.chunks_out.offset, np.int64)
        columns["length"] = column(&self.frame, &r.chunks_out.length, np.int64)
        if r.arrive != NULL:
            columns["arrival_ns"] = NullableInts(column(&self.frame, &r.chunks_out.arrival, np.int64),
                                                 column(&self.frame, &r.chunks_out.arrival_valid, np.uint8))
        else:
            none = np.zeros(len(columns["response"]), np.uint8)
            columns["arrival_ns"] = NullableInts(none.astype(np.int64), none)
        columns["choice_count"] = column(&self.frame, &r.chunks_out.choice_count, np.int64)
        columns["token_count"] = column(&self.frame, &r.chunks_out.token_count, np.int64)
        columns["completion_tokens"] = NullableInts(column(&self.frame, &r.chunks_out.completion_tokens, np.int64),
                                                    column(&self.frame, &r.chunks_out.completion_valid, np.uint8))
        columns["text_bytes"] = column(&self.frame, &r.chunks_out.text_bytes, np.int64)
        return columns

    cdef dict _tokens(self):
        cdef Reader* r = &self.frame.reader
        cdef size_t n = r.rows.tokens.how.used
        # written by row number when the chunk was placed
        r.rows.index.used = r.rows.position.used = r.rows.chunk.used = n * 8
        r.rows.list.used = n
        return {
            "index": column(&self.frame, &r.rows.index, np.int64),
            "position": column(&self.frame, &r.rows.position, np.int64),
            "chunk": column(&self.frame, &r.rows.chunk, np.int64),
            "list": column(&self.frame, &r.rows.list, np.uint8),
            "top_start": column(&self.frame, &r.rows.top_start, np.int64),
            **entries_columns(&self.frame, &r.rows.tokens),
        }

    cdef dict _problems(self):
        cdef Responses* r = &self.frame.reader.responses
        cdef size_t n = r.problems.used // sizeof(Problem), i
        cdef Problem* problem = <Problem*>r.problems.data
        cdef int64_t[:, ::1] numbers
        cdef uint8_t[:, ::1] codes
        wide = np.empty((5, n), np.int64)
        narrow = np.empty((3, n), np.uint8)
        if n:
            numbers = wide
            codes = narrow
            for i in range(n):
                numbers[0, i] = problem[i].source
                numbers[1, i] = problem[i].offset
                numbers[2, i] = problem[i].length
                numbers[3, i] = problem[i].line
                numbers[4, i] = problem[i].response
                codes[0, i] = problem[i].kind
                codes[1, i] = problem[i].message
                codes[2, i] = problem[i].has_response
        columns = {
            "source": wide[0],
            "offset": wide[1],
            "length": wide[2],
            "line": wide[3],
            "kind": narrow[0],
            "message": narrow[1],
            "response": NullableInts(wide[4], narrow[2]),
        }
        return in_order(columns, (columns["offset"], columns["source"]))


include "figures.pxi"
include "nodes.pxi"
include "live.pxi"
include "models.pxi"

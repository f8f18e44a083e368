"""One event: what its data is, and what becomes of it.

``read_event`` is the only door from bytes to rows. It decides in the order of the contract (blank, [DONE], comment,
too deep, no JSON, no object, error, chunk, anything else) and every way out says to which class the event's lines
belong, so that the bytes of a source add up.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp, memset

from apply cimport apply_chunk
from arena cimport settle
from chunk cimport (GOOD, M_CUT_EVENT, M_DEPTH, M_JSON, M_UTF8, NO_MEMORY, Chunk, Slice, chunk_clear)
from column cimport PAD, Buffer, Rows, RowsMark, buffer_reserve, byte, put_bytes, rows_mark, rows_undo
from decode cimport decode_chunk, decode_envelope, event_reserve, has_choices, is_chunk, is_error
from group cimport Groups, apply_done, apply_error, apply_error_envelope, place_chunk, place_error
from object cimport Span, is_kind, member, span_of
from response cimport (P_ENCODING, P_JSON, P_NOT_SSE, P_TOO_LONG, P_TRUNCATED, P_TYPE, Place, Responses, add_problem,
                       keep, response_at)
from tape cimport NUMBER, OBJECT, TAPE_DEEP, TAPE_MEMORY, TAPE_OK, Tape, skip_blanks, tape_check, tape_node
from value cimport ss_utf8_error, ss_utf8_repair

cdef enum:
    # contract.LINE_CLASSES
    L_CHUNK, L_ERROR, L_DONE, L_SKIPPED, L_PROBLEM, L_BLANK, LINE_CLASSES

cdef enum:
    ERROR_TEXTS = 3   # the message and the code of an error, and all of its data in place of a message

cdef struct Account:
    int64_t bytes[LINE_CLASSES]
    int64_t events
    int64_t chunks
    int64_t skipped
    int64_t comments
    int64_t done
    int64_t errors
    int64_t problems
    int64_t other_problems   # than not_sse

cdef struct Reader:
    int want
    size_t event_limit
    size_t depth_limit
    Responses responses
    Groups groups
    Rows rows
    Chunk chunk
    Tape tape
    Buffer repaired      # the event's data with its bad UTF-8 replaced
    Account account


cdef inline bint is_starved(const Reader* r) noexcept nogil:
    """Was there no memory where only a yes or no was asked for?"""
    return r.tape.starved or r.responses.scratch.starved


cdef inline bint report(Reader* r, uint8_t kind, uint8_t message, const Place* place) noexcept nogil:
    """Note a problem, with the response that had the latest event."""
    cdef int32_t latest = r.responses.latest
    r.account.other_problems += kind != P_NOT_SSE
    return add_problem(&r.responses, kind, message, place,
                       response_at(&r.responses, latest).number if latest >= 0 else 0, latest >= 0)


cdef inline bint close_event(Reader* r, int line_class, const Place* place) noexcept nogil:
    """An event was dispatched; its lines belong to ``line_class``."""
    r.account.events += 1
    r.account.bytes[line_class] += place.size
    return True


cdef inline bint problem_event(Reader* r, uint8_t kind, uint8_t message, const Place* place) noexcept nogil:
    return report(r, kind, message, place) and close_event(r, L_PROBLEM, place)


cdef inline bint cut_event(Reader* r, const Place* place) noexcept nogil:
    """The input ended inside this event: it was never dispatched."""
    r.account.bytes[L_PROBLEM] += place.size
    return report(r, P_TRUNCATED, M_CUT_EVENT, place)


cdef inline bint is_done_mark(const byte* p, const byte* end) noexcept nogil:
    return end - p >= 6 and memcmp(p, b"[DONE]", 6) == 0


cdef inline bint stands_alone(Tape* tape, const byte* p, const byte* end, size_t depth_limit) noexcept nogil:
    """Is this data line by itself a JSON object, [DONE] or a wrapped comment?"""
    p = skip_blanks(p, end)
    if p == end:
        return False
    if p[0] == c':' or is_done_mark(p, end):
        return True
    return tape_check(tape, p, end, depth_limit) == TAPE_OK and tape_node(tape, 0).kind == OBJECT


# ------------------------------------------------------------------------------------------------------ errors


cdef inline Slice kept_string(Reader* r, int32_t i) noexcept nogil:
    """The string at ``i`` if there is one and it is not empty."""
    cdef Slice none
    cdef Span span = span_of(&r.tape, i)
    if span.start != NULL:
        return keep(&r.responses, &span)
    memset(&none, 0, sizeof(Slice))
    return none


cdef inline Slice kept_code(Reader* r, int32_t i) noexcept nogil:
    """A string, or a number in its own spelling."""
    cdef Span span
    if is_kind(&r.tape, i, NUMBER):
        span.start = tape_node(&r.tape, i).start
        span.end = tape_node(&r.tape, i).end
        span.escaped = False
        return keep(&r.responses, &span)
    return kept_string(r, i)


cdef inline void read_error_fields(Reader* r, bint object, const byte* data, const byte* end, Slice* message,
                                   Slice* code) noexcept nogil:
    """Message and code of an error; data that is no object is its own message."""
    cdef int32_t error = member(&r.tape, 0, b"error", 5) if object else -1
    memset(message, 0, sizeof(Slice))
    memset(code, 0, sizeof(Slice))
    if object:
        message[0] = kept_string(r, error)
        if is_kind(&r.tape, error, OBJECT):
            message[0] = kept_string(r, member(&r.tape, error, b"message", 7))
            code[0] = kept_code(r, member(&r.tape, error, b"code", 4))
        if not message.set:
            message[0] = kept_string(r, member(&r.tape, 0, b"message", 7))
        if not code.set:
            code[0] = kept_code(r, member(&r.tape, 0, b"code", 4))
    if not message.set:
        message.start = r.responses.arena.used
        put_bytes(&r.responses.arena, data, end - data)
        message.end = r.responses.arena.used
        message.set = True
        r.responses.live += end - data


cdef inline bint read_error(Reader* r, bint object, const byte* data, const byte* end, const Place* place) noexcept nogil:
    """An error without choices."""
    cdef Slice message, code
    cdef int32_t i
    if not buffer_reserve(&r.responses.arena, ERROR_TEXTS * (end - data)):
        return False
    chunk_clear(&r.chunk)
    if object:
        decode_envelope(&r.tape, &r.chunk)
    read_error_fields(r, object, data, end, &message, &code)
    i = place_error(&r.groups, &r.responses, &r.chunk.id, place)
    if i == NO_MEMORY or not buffer_reserve(&r.responses.arena, end - data):
        return False
    apply_error_envelope(&r.responses, i, &r.chunk, place)
    r.account.errors += 1
    apply_error(&r.responses, i, &message, &code)
    return close_event(r, L_ERROR, place)


# ------------------------------------------------------------------------------------------------------ chunks


cdef inline bint read_chunk(Reader* r, bint error, const byte* data, const byte* end, const Place* place) noexcept nogil:
    """The object on the tape is a chunk: all of it becomes rows, or nothing."""
    cdef RowsMark mark = rows_mark(&r.rows)
    cdef Slice message, code
    cdef int32_t i
    cdef int wrong
    cdef size_t n = end - data, arena
    if not event_reserve(&r.tape, n, &r.rows, &r.responses.arena):
        return False
    arena = r.responses.arena.used
    wrong = decode_chunk(&r.tape, r.want, &r.chunk, &r.rows, &r.responses.arena)
    if wrong != GOOD:
        rows_undo(&r.rows, &mark)
        r.responses.arena.used = arena
        return wrong != NO_MEMORY and problem_event(r, P_TYPE, <uint8_t>wrong, place)
    i = place_chunk(&r.groups, &r.responses, &r.chunk, error, place)
    if i == NO_MEMORY or not apply_chunk(&r.responses, i, &r.chunk, place, n + 16, &r.rows):
        return False
    r.account.chunks += 1
    if not error:
        return close_event(r, L_CHUNK, place)
    if not buffer_reserve(&r.responses.arena, ERROR_TEXTS * n):
        return False
    read_error_fields(r, True, data, end, &message, &code)
    r.account.errors += 1
    apply_error(&r.responses, i, &message, &code)
    return close_event(r, L_CHUNK, place)


# ------------------------------------------------------------------------------------------------------ events


cdef inline bint read_json_event(Reader* r, const byte* data, const byte* end, const Place* place,
                                 bint damaged) noexcept nogil:
    """The tape holds the event's JSON."""
    if damaged and not report(r, P_ENCODING, M_UTF8, place):
        return False
    if tape_node(&r.tape, 0).kind == OBJECT:
        if is_error(&r.tape):
            if has_choices(&r.tape):
                return read_chunk(r, True, data, end, place)
            return read_error(r, True, data, end, place)
        if is_chunk(&r.tape):
            return read_chunk(r, False, data, end, place)
    r.account.skipped += 1
    return close_event(r, L_SKIPPED, place)


cdef inline bint read_plain_event(Reader* r, const byte* data, const byte* end, const Place* place, bint one_line,
                                  bint ended, bint damaged) noexcept nogil:
    """An event without the name ``error``."""
    cdef const byte* p = skip_blanks(data, end)
    cdef int state
    if p == end or p[0] == c':':
        r.account.skipped += 1
        return (not damaged or report(r, P_ENCODING, M_UTF8, place)) and close_event(r, L_SKIPPED, place)
    if one_line and is_done_mark(p, end):
        if damaged and not report(r, P_ENCODING, M_UTF8, place):
            return False
        r.account.done += 1
        return apply_done(&r.groups, &r.responses, place) and close_event(r, L_DONE, place)
    state = tape_check(&r.tape, data, end, r.depth_limit)
    if state == TAPE_OK:
        return read_json_event(r, data, end, place, damaged)
    if state == TAPE_MEMORY:
        return False
    if not ended:
        return cut_event(r, place)
    if state == TAPE_DEEP:
        return problem_event(r, P_TOO_LONG, M_DEPTH, place)
    if damaged and not report(r, P_ENCODING, M_UTF8, place):
        return False
    return problem_event(r, P_JSON, M_JSON, place)


cdef inline bint read_error_event(Reader* r, const byte* data, const byte* end, const Place* place, bint ended,
                                  bint damaged) noexcept nogil:
    """Any data under ``event: error``, or behind ``error:``."""
    cdef int state = tape_check(&r.tape, data, end, r.depth_limit)
    cdef const byte* p = skip_blanks(data, end)
    if state == TAPE_MEMORY:
        return False
    if state != TAPE_OK and not ended and not (p == end or p[0] == c':' or is_done_mark(p, end)):
        return cut_event(r, place)
    if damaged and not report(r, P_ENCODING, M_UTF8, place):
        return False
    if state != TAPE_OK or tape_node(&r.tape, 0).kind != OBJECT:
        return read_error(r, False, data, end, place)
    return read_chunk(r, True, data, end, place) if has_choices(&r.tape) else read_error(r, True, data, end, place)


cdef inline bint read_event(Reader* r, const byte* data, const byte* end, const Place* place, bint one_line,
                            bint error, bint ended) noexcept nogil:
    """Read an event's joined data [data, end), which a control character and PAD readable bytes follow.

    ``one_line``: it stood on one data line; ``error``: it is named so; ``ended``: the source did not end inside it.
    False when there is no memory.
    """
    cdef bint damaged = ss_utf8_error(data, end) != NULL
    cdef size_t n
    if not settle(&r.responses):
        return False
    if damaged:
        n = end - data
        if not buffer_reserve(&r.repaired, 3 * n + 1):
            return False
        n = ss_utf8_repair(data, end, r.repaired.data)
        memset(r.repaired.data + n, 0, PAD)
        data = r.repaired.data
        end = data + n
    if error:
        return read_error_event(r, data, end, place, ended, damaged)
    return read_plain_event(r, data, end, place, one_line, ended, damaged)

"""Bytes -> lines.

A source comes in pieces that may be cut anywhere. A *region* is a run of whole lines that is followed by PAD readable
bytes; all reading happens in regions, so nothing below this file thinks of cuts or of a buffer's end. Most of a piece
is one region, read in place; its rest, and what completes it later, goes through ``carry``.

An event that is one ``data`` line and a blank line, both in the region, is read where it lies: by its shape
(``recognise``) or by the generic path (``read_in_place``). Any other line goes to :mod:`block`.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memchr, memcmp, memmove, memset

from apply cimport begin_arrivals
from arena cimport settle
from arrival cimport Arrivals, add_mark, arrivals_begin, mark_at, mark_count
from block cimport (JSON_LINES, SSE, WHOLE, Frame, clear_block, close_run, dispatch, field_of, place_line,
                    take_json_line, take_line, take_long_line)
from chunk cimport M_SOURCE
from column cimport PAD, append_bytes, byte
from event cimport L_BLANK, LINE_CLASSES, Account, Reader, is_starved, read_event, report
from finish cimport end_response
from known cimport consider, read_known
from response cimport P_NOT_SSE, Place, Problem, Responses, note_request
from value cimport ss_ctz32, ss_equals16, ss_last_lf

cdef enum:
    LONGEST_PREFIX = 64   # more than any `name: ` that matters

# ----------------------------------------------------------------------------------------------------- regions


cdef inline const byte* line_end(const byte* p, const byte* end) noexcept nogil:
    """The LF or CR that ends the line at ``p``; ``end`` when there is none. Reads 15 bytes beyond ``end``."""
    cdef uint32_t hits
    while p < end:
        hits = ss_equals16(p, c'\n') | ss_equals16(p, c'\r')
        if hits:
            p += ss_ctz32(hits)
            return p if p < end else end
        p += 16
    return end


cdef inline const byte* after_line_end(const byte* p, const byte* end) noexcept nogil:
    """Behind the line end at ``p``; CR LF is one."""
    return p + 2 if p[0] == c'\r' and p + 1 < end and p[1] == c'\n' else p + 1


cdef inline const byte* read_in_place(Frame* f, const byte* p, const byte* end, bint* good) noexcept nogil:
    """The event at ``p`` if it is one data line and a blank line, both in the region; NULL when it is not."""
    cdef const byte* value
    cdef const byte* stop
    cdef const byte* following
    cdef const byte* after
    cdef Place place
    cdef int64_t chunks = f.reader.account.chunks, errors = f.reader.account.errors
    cdef int64_t problems = f.reader.responses.problem_count
    if memcmp(p, b"data:", 5) != 0:
        return NULL
    value = p + 6 if p[5] == c' ' else p + 5
    stop = line_end(value, end)
    if stop == end or <size_t>(stop - value) > f.reader.event_limit:
        return NULL
    following = after_line_end(stop, end)
    if following == end or (following[0] != c'\n' and following[0] != c'\r'):
        return NULL
    after = after_line_end(following, end)
    place_line(f, &place, following - p)
    good[0] = close_run(f) and read_event(&f.reader, value, stop, &place, True, False, True)
    if (good[0] and f.reader.account.chunks == chunks + 1 and f.reader.account.errors == errors
            and f.reader.responses.problem_count == problems):
        consider(&f.reader, &f.shapes, p, stop, after)
    f.shapes.budget = 0
    f.reader.account.bytes[L_BLANK] += after - following
    f.offset += after - p
    f.line += 2
    return after


cdef inline const byte* recognise(Frame* f, const byte* p, const byte* end, bint* good) noexcept nogil:
    """Read the event at ``p``, and those after it that are like it, if it has a shape seen before; else NULL."""
    cdef Place place
    cdef const byte* after
    place.offset = f.offset
    place.line = f.line
    after = read_known(&f.reader, &f.shapes, p, end, &place, good)
    if after != NULL:
        f.offset += after - p
        f.line = place.line
    return after


cdef inline bint read_region(Frame* f, const byte* p, const byte* end) noexcept nogil:
    """Read [p, end), which is whole lines, with PAD readable bytes behind."""
    cdef const byte* stop
    cdef const byte* after
    cdef bint good = True
    while p < end and good:
        if f.framing == JSON_LINES:
            stop = <const byte*>memchr(p, c'\n', end - p)
            good = take_json_line(f, p, stop, stop + 1 - p, True)
            p = stop + 1
            continue
        if not f.block.open:
            # a run of odd lines is closed first, in the generic path: its problem belongs to the response before
            after = recognise(f, p, end, &good) if not f.run_open else NULL
            if after == NULL:
                after = read_in_place(f, p, end, &good)
            if after != NULL:
                p = after
                continue
        stop = line_end(p, end)
        after = after_line_end(stop, end)
        good = take_line(f, p, stop, after - p, True)
        p = after
    return good


cdef inline const byte* last_line_end(const Frame* f, const byte* p, const byte* end) noexcept nogil:
    """Behind the last line in [p, end) whose end is certain; ``p`` when there is none.

    A CR that is the last byte may be half of a CR LF.
    """
    cdef const byte* lf
    cdef const byte* q
    if p >= end:
        return p
    lf = ss_last_lf(p, end)
    if lf != NULL:
        p = lf + 1
    if f.framing == SSE:
        q = end - 1
        while q > p:
            q -= 1
            if q[0] == c'\r':
                return q + 1
    return p


cdef inline const byte* first_line_end(const Frame* f, const byte* p, const byte* end) noexcept nogil:
    """Behind the first line end in [p, end) that is certain; NULL when there is none."""
    cdef const byte* q = <const byte*>memchr(p, c'\n', end - p)
    cdef const byte* cr
    if f.framing == SSE:
        cr = <const byte*>memchr(p, c'\r', (q if q != NULL else end) - p)
        if cr != NULL:
            if cr + 1 == end:
                return NULL
            return cr + 2 if cr[1] == c'\n' else cr + 1
    return q + 1 if q != NULL else NULL


cdef inline void pad_carry(Frame* f) noexcept nogil:
    memset(f.carry.data + f.carry.used, 0, PAD)


cdef inline bint drop_long_carry(Frame* f) noexcept nogil:
    """A line without an end that is longer than an event may be: from now on only measure it."""
    if f.carry.used > f.reader.event_limit + LONGEST_PREFIX and f.framing != WHOLE:
        f.long_field = field_of(f.carry.data, f.carry.used)
        f.long_size = f.carry.used
        f.long_cr = f.framing == SSE and f.carry.data[f.carry.used - 1] == c'\r'
        f.carry.used = 0
    return True


cdef inline const byte* feed_long(Frame* f, const byte* p, const byte* end, bint* good) noexcept nogil:
    """Measure on; returns where the next line begins, or ``end``."""
    cdef const byte* q
    good[0] = True
    if f.long_cr:
        q = p + 1 if p[0] == c'\n' else p
    else:
        q = first_line_end(f, p, end)
    if q == NULL:
        f.long_size += end - p
        f.long_cr = f.framing == SSE and end[-1] == c'\r'
        return end
    good[0] = take_long_line(f, f.long_size + (q - p), True)
    return q


cdef inline bint feed_carry(Frame* f) noexcept nogil:
    """Read the whole lines in ``carry`` and keep the rest."""
    cdef const byte* stop
    cdef size_t n
    pad_carry(f)
    stop = last_line_end(f, f.carry.data, f.carry.data + f.carry.used)
    n = stop - f.carry.data
    if n:
        if not read_region(f, f.carry.data, stop):
            return False
        memmove(f.carry.data, f.carry.data + n, f.carry.used - n)
        f.carry.used -= n
    return drop_long_carry(f)


cdef inline bint feed_piece(Frame* f, const byte* p, size_t n) noexcept nogil:
    cdef const byte* end = p + n
    cdef const byte* q
    cdef bint good = True
    if n == 0:
        return True
    if f.framing == WHOLE:
        return append_bytes(&f.carry, p, n)
    if f.long_size:
        p = feed_long(f, p, end, &good)
        if not good or p == end:
            return good
    if f.carry.used:
        if f.framing == SSE and f.carry.data[f.carry.used - 1] == c'\r':
            q = p + 1 if p[0] == c'\n' else p
        else:
            q = first_line_end(f, p, end)
        if q == NULL:
            return append_bytes(&f.carry, p, end - p) and drop_long_carry(f)
        if not append_bytes(&f.carry, p, q - p):
            return False
        pad_carry(f)
        if not read_region(f, f.carry.data, f.carry.data + f.carry.used):
            return False
        f.carry.used = 0
        p = q
    if end - p > PAD:
        q = last_line_end(f, p, end - PAD)
        if q > p:
            if not read_region(f, p, q):
                return False
            p = q
    return append_bytes(&f.carry, p, end - p) and (f.carry.used == 0 or feed_carry(f))


cdef inline bint frame_feed(Frame* f, const byte* p, size_t n) noexcept nogil:
    """Read a piece; False when there is no memory."""
    return feed_piece(f, p, n) and not is_starved(&f.reader)


cdef inline bint feed_region(Frame* f, const byte* p, size_t n) noexcept nogil:
    """As ``frame_feed``, of bytes that PAD readable ones follow: whole lines are read in place."""
    if n and f.framing == SSE and not f.carry.used and not f.long_size and p[n - 1] == c'\n':
        return read_region(f, p, p + n) and not is_starved(&f.reader)
    return frame_feed(f, p, n)


# ----------------------------------------------------------------------------------------------------- sources


cdef inline void frame_begin(Frame* f, int64_t source, int framing, int64_t offset) noexcept nogil:
    """Open a source whose first ``offset`` bytes (a byte-order mark, NULs) are blank."""
    cdef Reader* r = &f.reader
    memset(&r.account, 0, sizeof(r.account))
    r.account.bytes[L_BLANK] = offset
    r.groups.after_done = False
    f.problems_before = r.responses.problem_count
    r.responses.source = source
    r.responses.latest = r.responses.silent = -1
    arrivals_begin(&r.responses.arrivals)
    note_request(&r.responses, 0, False)
    f.framing = framing
    f.certain = False
    f.offset = offset
    f.line = 1
    f.carry.used = 0
    f.long_size = 0
    f.run_open = False
    f.held.used = 0
    clear_block(f)


cdef inline int64_t next_byte(const Frame* f) noexcept nogil:
    """Where the next piece begins."""
    return f.offset + <int64_t>(f.carry.used + f.long_size)


cdef inline bint may_mark(const Frame* f, int64_t offset) noexcept nogil:
    """Is ``offset`` behind all that was read or marked?"""
    cdef const Arrivals* a = &f.reader.responses.arrivals
    return offset >= next_byte(f) and (a.marks.used == 0 or offset >= mark_at(a, mark_count(a) - 1).offset)


cdef inline bint frame_mark(Frame* f, int64_t offset, int64_t ns, bint known) noexcept nogil:
    """The bytes from ``offset`` on arrived at ``ns``; False when there is no memory."""
    cdef Responses* r = &f.reader.responses
    return ((not known or begin_arrivals(r))
            and add_mark(&r.arrivals, offset, ns, known, f.block.place.offset if f.block.open else f.offset))


cdef inline void frame_resume(Frame* f, int64_t source, int framing, int64_t offset) noexcept nogil:
    """Open a later part of a source, ``offset`` bytes into it; lines count from 1 again."""
    frame_begin(f, source, framing, offset)
    f.reader.account.bytes[L_BLANK] = 0
    f.certain = True


cdef inline bint end_stream_lines(Frame* f, const byte* p, const byte* end) noexcept nogil:
    """Lines that only a CR ends, which may be the last byte of the source; then one without an end."""
    cdef const byte* stop
    cdef const byte* after
    while p < end:
        stop = line_end(p, end)
        if stop == end:
            return take_line(f, p, end, end - p, False)
        after = after_line_end(stop, end)
        if not take_line(f, p, stop, after - p, True):
            return False
        p = after
    return True


cdef inline bint end_lines(Frame* f) noexcept nogil:
    """Decide what the source ended in the middle of."""
    cdef const byte* p = f.carry.data
    cdef size_t n = f.carry.used
    cdef bint good = True
    if f.long_size:
        good = take_long_line(f, f.long_size, f.long_cr)
    elif n:
        pad_carry(f)
        f.carry.used = 0
        if f.framing == SSE:
            good = end_stream_lines(f, p, p + n)
        else:
            good = take_json_line(f, p, p + n, n, f.framing == WHOLE)
    return good and close_run(f) and dispatch(f, False)


cdef inline bint is_stream(const Frame* f) noexcept nogil:
    """Has this source shown that it is an event stream, if perhaps a bad one?"""
    cdef const Account* account = &f.reader.account
    return (f.certain or account.chunks > 0 or account.errors > 0 or account.done > 0
            or account.other_problems > 0)


cdef inline bint is_settled(const Frame* f) noexcept nogil:
    """Is nothing open or undecided? Then what follows does not depend on what came before."""
    return (is_stream(f) and f.carry.used == 0 and f.long_size == 0 and not f.block.open and not f.run_open
            and f.reader.responses.open_count == 0)


cdef inline bint release_held(Frame* f) noexcept nogil:
    """Once a source has shown that it is a stream, its lines that are no fields are problems for certain."""
    cdef Reader* r = &f.reader
    if not is_stream(f):
        return True
    if not append_bytes(&r.responses.problems, f.held.data, f.held.used):
        return False
    r.responses.problem_count += <int64_t>(f.held.used // sizeof(Problem))
    f.held.used = 0
    return True


cdef inline bint settle_held(Frame* f) noexcept nogil:
    """Lines that are no fields: problems of a stream, or one sign that this is none."""
    cdef Reader* r = &f.reader
    cdef Place whole
    cdef int64_t size = 0
    cdef int k
    for k in range(LINE_CLASSES):
        size += r.account.bytes[k]
    if is_stream(f):
        return release_held(f)
    if r.account.bytes[L_BLANK] == size:
        return True
    whole.offset = 0
    whole.line = 1
    whole.length = whole.size = size
    return report(r, P_NOT_SSE, M_SOURCE, &whole)


cdef inline bint frame_end(Frame* f) noexcept nogil:
    """Close the source: all its responses end."""
    cdef Reader* r = &f.reader
    if not end_lines(f):
        return False
    while r.responses.silent >= 0:
        if not end_response(&r.responses, r.responses.silent):
            return False
    if not settle_held(f) or not settle(&r.responses) or is_starved(r):
        return False
    r.account.problems = r.responses.problem_count - f.problems_before
    return True

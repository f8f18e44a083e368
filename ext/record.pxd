"""A record to a body: the chunks in it, unescaped into one buffer as an event stream, and when they arrived.

What has to come out is written in ``ssift.sources.containers.records``; this does the common cases at the speed of the
engine, and says no to the rest. A record is walked to its end before anything of it counts.
"""

from libc.math cimport fabs, rint
from libc.stdint cimport int64_t
from libc.string cimport memchr, memcmp, memset

from block cimport SSE, Frame
from column cimport PAD, Buffer, append_bytes, buffer_free, buffer_reserve, byte
from event cimport Account
from frame cimport feed_region, frame_begin, frame_end, frame_mark, next_byte
from quoted cimport Break
from response cimport note_request
from shape cimport (AT_CHUNK, AT_TIME, Found, Shape, Walk, found_at, found_count, walk_value)
from tape cimport skip_blanks
from value cimport ss_int64, ss_number

cdef enum:
    READ, REFUSED, NO_ROOM_LEFT

cdef enum:
    TOGETHER = 1 << 16   # bytes of one body, from many records, that are read at once: they stay in a cache

cdef struct BodyMark:
    size_t at
    int64_t ns
    bint known

cdef struct Bodies:
    Buffer text      # a record without readable bytes behind it
    Buffer body
    Buffer chunks    # Found
    Buffer times     # Found
    Buffer breaks    # Break
    Buffer marks     # BodyMark
    Buffer accounts  # Account, of the sources read in one call
    size_t lines     # line ends in what was read in one call
    int64_t request  # when the body was asked for
    bint is_known    # is that known?


cdef inline void bodies_free(Bodies* r) noexcept nogil:
    buffer_free(&r.text)
    buffer_free(&r.body)
    buffer_free(&r.chunks)
    buffer_free(&r.times)
    buffer_free(&r.breaks)
    buffer_free(&r.marks)
    buffer_free(&r.accounts)


# --------------------------------------------------------------------------------------------------------- times


cdef inline bint is_integer(const byte* p, const byte* end) noexcept nogil:
    while p < end:
        if p[0] == c'.' or p[0] | 32 == c'e':
            return False
        p += 1
    return True


cdef inline int64_t unit_of(double size) noexcept nogil:
    """Nanoseconds of a number of this size: seconds, milliseconds, microseconds or nanoseconds since 1970."""
    if size < 1e11:
        return 1000000000
    if size < 1e14:
        return 1000000
    return 1000 if size < 1e17 else 1


cdef inline bint near_border(double size) noexcept nogil:
    """Is a number so close to where its unit changes that its exact value matters?"""
    return 9.99e16 < size < 1.01e17


cdef inline bint read_time(const Found* found, int64_t unit, int64_t* ns) noexcept nogil:
    """The number of a time in nanoseconds; False where it is none, or too large to be sure."""
    cdef double value = 0
    cdef int integral = 0
    cdef byte first = found.start[0]
    if not (first == c'-' or c'0' <= first <= c'9'):
        return False
    ss_number(found.start, &value, &integral)
    if unit == 0:
        if near_border(fabs(value)):
            return False
        unit = unit_of(fabs(value))
    if not fabs(value) * unit < 9e18:   # int64 ends at 9.2e18
        return False
    if is_integer(found.start, found.end):
        if not ss_int64(found.start, found.end, ns):
            return False
        ns[0] *= unit
    else:
        ns[0] = <int64_t>value * unit + <int64_t>rint((value - <double><int64_t>value) * <double>unit)
    return True


cdef inline int compare_places(const Found* a, const Found* b, int depth) noexcept nogil:
    cdef int i
    for i in range(depth):
        if a.places[i] != b.places[i]:
            return -1 if a.places[i] < b.places[i] else 1
    return 0


cdef inline bint add_body_mark(Bodies* r, size_t at, int64_t ns, bint known) noexcept nogil:
    cdef BodyMark mark
    memset(&mark, 0, sizeof(BodyMark))
    mark.at = at
    mark.ns = ns
    mark.known = known
    return append_bytes(&r.marks, <const byte*>&mark, sizeof(BodyMark))


cdef inline int time_of(const Bodies* r, const Shape* s, const Found* chunk, size_t* next, int64_t* ns) noexcept nogil:
    """When a chunk arrived: 1, or 0 when that is not known; -1 when it is not sure. ``next`` goes on with the chunks."""
    cdef size_t count = found_count(&r.times)
    cdef int order
    if s.depths[AT_TIME] > s.depths[AT_CHUNK]:
        return 0
    while next[0] < count:
        order = compare_places(found_at(&r.times, next[0]), chunk, s.depths[AT_TIME])
        if order == 0:
            return 1 if read_time(found_at(&r.times, next[0]), s.unit, ns) else -1
        if order > 0:
            return 0
        next[0] += 1
    return 0


# --------------------------------------------------------------------------------------------------------- bodies


cdef inline int mark_chunks(Bodies* r, const Shape* s) noexcept nogil:
    """The times of the chunks in the body."""
    cdef size_t i, next = 0
    cdef int64_t ns = 0, last = 0
    cdef int known, last_known = -1
    for i in range(found_count(&r.chunks)):
        if s.has_names and i and compare_places(found_at(&r.chunks, i), found_at(&r.chunks, i - 1),
                                                s.depths[AT_CHUNK] - 1) == 0:
            return REFUSED   # several fields of one event
        if not s.has_times:
            continue
        ns = 0
        known = time_of(r, s, found_at(&r.chunks, i), &next, &ns)
        if known < 0:
            return REFUSED
        if known != last_known or ns != last:
            if not add_body_mark(r, found_at(&r.chunks, i).at, ns, known == 1):
                return NO_ROOM_LEFT
            last_known = known
            last = ns
    return READ


cdef inline bint find_written(const Walk* w, const byte* p, size_t* next, size_t* at) noexcept nogil:
    """Where in the body that stands which stands at ``p`` in the text: behind a line end. ``next`` goes on with ``p``.

    False when nothing but line ends lead from ``p`` to no such place.
    """
    cdef const Break* breaks = <const Break*>w.breaks.data
    cdef size_t count = w.breaks.used // sizeof(Break), place = p - w.text
    while next[0] < count and breaks[next[0]].read < place:
        next[0] += 1
    if next[0] == count:
        return False
    at[0] = breaks[next[0]].written
    while place < breaks[next[0]].read:
        if memcmp(w.text + place, b"\\n", 2) != 0:
            return False
        place += 2
        at[0] -= 1
    return True


cdef inline const byte* find_field(const byte* p, const byte* end) noexcept nogil:
    """The next ``data: `` in [p, end); NULL when there is none."""
    while True:
        p = <const byte*>memchr(p, c'd', end - p) if p < end else NULL
        if p == NULL or end - p < 6:
            return NULL
        if memcmp(p, b"data: ", 6) == 0:
            return p
        p += 1


cdef inline const byte* find_chunk(const byte* p, const byte* end, const Found* chunk) noexcept nogil:
    """Where in a text, as it stands in the record, the event of a chunk begins; NULL when it is not there."""
    cdef size_t size = chunk.end - chunk.start
    cdef const byte* found = p
    while True:
        if <size_t>(end - found) < size + 8:
            return NULL
        if (memcmp(found, b"data: ", 6) == 0 and memcmp(found + 6, chunk.start, size) == 0
                and memcmp(found + 6 + size, b"\\n", 2) == 0):
            return found
        found = find_field(found + 1, end)
        if found == NULL:
            return NULL


cdef inline int read_text(Bodies* r, const Walk* w) noexcept nogil:
    """The body is the text; the chunks, found in it again, tell to what the times belong."""
    cdef const byte* p = w.text
    cdef const byte* found
    cdef const byte* end = w.text_end
    cdef size_t i, at = 0, next = 0, next_break = 0
    cdef int64_t ns
    cdef int known
    cdef Found* chunk
    if p == NULL or found_count(&r.chunks) == 0:
        return REFUSED
    for i in range(found_count(&r.chunks)):
        chunk = found_at(&r.chunks, i)
        # found in the walk, where nothing but chunks stood before it; else looked for
        found = w.text + chunk.at - 1 if chunk.at and w.text + chunk.at > p else find_chunk(p, end, chunk)
        if found == NULL:
            return REFUSED
        ns = 0
        known = time_of(r, w.shape, chunk, &next, &ns)
        if known < 0:
            return REFUSED
        if found > p and i:
            if not find_written(w, p, &next_break, &at):
                return REFUSED
            if not add_body_mark(r, at, 0, False):
                return NO_ROOM_LEFT
        if not find_written(w, found, &next_break, &at):
            return REFUSED
        if not add_body_mark(r, at, ns, known == 1):
            return NO_ROOM_LEFT
        p = found + (chunk.end - chunk.start) + 8
        if end - p >= 2 and memcmp(p, b"\\n", 2) == 0:
            p += 2
    if not find_written(w, p, &next_break, &at):
        return REFUSED
    return READ if add_body_mark(r, at, 0, False) else NO_ROOM_LEFT


cdef inline bint keep_account(Frame* f, Bodies* r) noexcept nogil:
    return append_bytes(&r.accounts, <const byte*>&f.reader.account, sizeof(Account))


cdef inline int take_chunks(Bodies* r, const Walk* w, size_t body) noexcept nogil:
    """What the walk found: when it was asked for, and the times of its chunks, or its text."""
    r.is_known = w.request.start != NULL
    if r.is_known and not read_time(&w.request, w.shape.unit, &r.request):
        return REFUSED
    if w.shape.has_text:
        return read_text(r, w)
    return mark_chunks(r, w.shape) if r.body.used > body else REFUSED


cdef inline int take_body(Bodies* r, const Shape* s, const byte* p, const byte* end, bint joined,
                          const byte** after) noexcept nogil:
    """The body of the record at ``p``, with the marks of its times, behind what ``body`` holds; all of it or nothing.

    ``after`` is what follows the record. PAD bytes behind ``end`` can be read.
    """
    cdef size_t body = r.body.used, marks = r.marks.used
    cdef int state = REFUSED
    cdef Walk w
    r.chunks.used = r.times.used = r.breaks.used = 0
    memset(&w, 0, sizeof(Walk))
    w.shape = s
    w.end = end
    w.body = &r.body
    w.chunks = &r.chunks
    w.times = &r.times
    w.breaks = &r.breaks
    w.joined = joined
    p = skip_blanks(p, end)
    if p < end:
        p = walk_value(&w, 0, p)
        if p != NULL:
            after[0] = p
            state = take_chunks(r, &w, body)
            r.lines += w.lines if state == READ else 0
    if state == READ and joined and r.body.data[r.body.used - 1] != c'\n':
        state = REFUSED   # what follows may not fit to it
    if state != READ:
        r.body.used = body
        r.marks.used = marks
    return state


cdef inline bint feed_bodies(Frame* f, Bodies* r) noexcept nogil:
    """Read what has been taken; False when there is no room."""
    cdef int64_t base = next_byte(f)
    cdef size_t i
    cdef BodyMark* mark
    for i in range(r.marks.used // sizeof(BodyMark)):
        mark = <BodyMark*>r.marks.data + i
        if not frame_mark(f, base + <int64_t>mark.at, mark.ns, mark.known):
            return False
    if not buffer_reserve(&r.body, 1):
        return False
    memset(r.body.data + r.body.used, 0, PAD)
    if not feed_region(f, r.body.data, r.body.used):
        return False
    r.body.used = r.marks.used = 0
    return True


cdef inline int read_body(Frame* f, Bodies* r, int64_t source) noexcept nogil:
    """Read the body that was taken as a source, or into the open one; its account is kept then."""
    if source < 0:
        if r.is_known:
            note_request(&f.reader.responses, r.request, True)
        return READ if feed_bodies(f, r) else NO_ROOM_LEFT
    frame_begin(f, source, SSE, 0)
    if r.is_known:
        note_request(&f.reader.responses, r.request, True)
    return READ if feed_bodies(f, r) and frame_end(f) and keep_account(f, r) else NO_ROOM_LEFT


cdef inline int take_line(Bodies* r, const Shape* s, const byte* p, const byte* end, size_t behind,
                          bint joined) noexcept nogil:
    """Take the body of the record [p, end), which ``behind`` readable bytes follow."""
    cdef const byte* after = NULL
    cdef size_t body = r.body.used, marks = r.marks.used
    cdef int state
    if behind < PAD:
        r.text.used = 0
        if not append_bytes(&r.text, p, end - p):
            return NO_ROOM_LEFT
        p = r.text.data
        end = p + r.text.used
        memset(r.text.data + r.text.used, 0, PAD)
    state = take_body(r, s, p, end, joined, &after)
    if state == READ and skip_blanks(after, end) != end:   # more than one value
        r.body.used = body
        r.marks.used = marks
        return REFUSED
    return state


cdef inline int read_lines(Frame* f, Bodies* r, const Shape* s, const byte* text, size_t* at, size_t end, size_t size,
                           int64_t source) noexcept nogil:
    """Read the records in the lines of text[at:end]. Those of one body are taken one by one and read together."""
    cdef const byte* p
    cdef const byte* stop
    cdef size_t body, marks
    cdef int state = READ
    while at[0] < end:
        p = text + at[0]
        body = r.body.used
        marks = r.marks.used
        stop = <const byte*>memchr(p, c'\n', end - at[0])
        if stop == NULL:
            stop = text + end
        if skip_blanks(p, stop) < stop:
            state = take_line(r, s, p, stop, text + size - stop, source < 0)
            if state == READ and source >= 0:
                state = read_body(f, r, source)
                source += 1
            elif state == READ and r.is_known:   # which holds from here on: what was taken before is read before
                r.body.used = body
                r.marks.used = marks
                if body and not feed_bodies(f, r):
                    return NO_ROOM_LEFT
                state = take_line(r, s, p, stop, text + size - stop, True)
                if state == READ:
                    state = read_body(f, r, source)
            elif state == READ and r.body.used >= TOGETHER:
                state = READ if feed_bodies(f, r) else NO_ROOM_LEFT
            if state != READ:
                break
        r.lines += stop < text + end
        at[0] = stop - text + (stop < text + end)
    if state != NO_ROOM_LEFT and r.body.used and not feed_bodies(f, r):
        return NO_ROOM_LEFT
    return state


cdef inline int read_value(Frame* f, Bodies* r, const Shape* s, const byte* text, size_t* at, size_t end, size_t size,
                           int64_t source) noexcept nogil:
    """Read the record that begins at text[at]; ``at`` is then where it ends, not too near to the end of the text."""
    cdef const byte* after = NULL
    cdef int state = REFUSED
    cdef size_t limit = end if size - end >= PAD else (size - PAD if size > PAD else 0)
    if limit > at[0]:
        state = take_body(r, s, text + at[0], text + limit, source < 0, &after)
        if state == READ:
            state = read_body(f, r, source)
            at[0] = after - text
    return state


cdef inline int read_records(Frame* f, Bodies* r, const Shape* s, const byte* text, size_t* at, size_t end, size_t size,
                             int64_t source, bint lines) noexcept nogil:
    """Read the records in text[at:end], of ``size`` bytes in all; ``at`` is then where the first refused one begins."""
    r.accounts.used = r.body.used = r.marks.used = r.lines = 0
    if source < 0 and (f.carry.used or f.long_size):
        return REFUSED   # a line is open: what follows may not fit to it
    if lines:
        return read_lines(f, r, s, text, at, end, size, source)
    return read_value(f, r, s, text, at, end, size, source)

"""Lines -> events.

Lines make blocks; a blank line ends one and dispatches its event:

* the data lines of a block are joined in ``joined``, each remembered as a DataLine;
* a log without blank lines shows as a block whose first data line is whole by itself; then the block is *split* and
  every data line is an event of its own;
* a line longer than any event may be is not kept, only measured: it comes with its size alone.

Each line is looked at once, whatever the cuts, so time is linear in the input.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memcmp, memset

from chunk cimport M_CUT_LINE, M_EVENT_BYTES, M_LINE
from column cimport PAD, Buffer, append_bytes, buffer_reserve, byte
from event cimport (L_BLANK, L_PROBLEM, Reader, cut_event, problem_event, read_event, report, stands_alone)
from known cimport Shapes
from response cimport P_NOT_SSE, P_TOO_LONG, P_TRUNCATED, Place, Problem
from tape cimport TAPE_OK, skip_blanks, tape_check

cdef enum:
    HELD_PROBLEMS = 65536   # contract.HELD_PROBLEMS

cdef enum:
    SSE, JSON_LINES, WHOLE

cdef enum:
    DATA, EVENT, OTHER_FIELD, ERROR_LINE, COMMENT, NO_FIELD

cdef struct DataLine:
    size_t start     # in joined
    size_t end
    Place place      # as an event by itself: from the first field line after the data line before
    bint error       # the last event name since the data line before is `error`

cdef struct Block:
    bint open
    bint split
    bint overflow    # joined data beyond the limit
    bint error
    bint first_seen  # the first data line that is not blank has been looked at
    Place place
    Place own        # field lines since the last data line
    bint own_open
    bint own_error
    size_t lines

cdef struct Frame:
    Reader reader
    int framing
    int64_t offset      # of the next unread line
    int64_t line
    Buffer carry        # a line whose end has not come yet
    size_t long_size    # bytes so far of a line too long to keep; 0: there is none
    int long_field
    bint long_cr        # its last byte was a CR
    Block block
    Buffer joined
    Buffer lines        # DataLine
    Place run           # of adjacent lines that are no fields
    bint run_open
    Shapes shapes
    Buffer held         # Problem: of lines that are no fields, until the source has shown that it is a stream
    int64_t problems_before  # found in earlier sources
    bint certain        # that it is a stream: an earlier part showed it, or too much is held back to wait for a sign


# ------------------------------------------------------------------------------------------------------ places


cdef inline void place_line(Frame* f, Place* place, size_t size) noexcept nogil:
    """The line being read as a place."""
    place.offset = f.offset
    place.length = <int64_t>size
    place.line = f.line
    place.size = <int64_t>size


cdef inline void extend_place(Place* place, bint* is_open, const Place* line) noexcept nogil:
    """Take a further line into a place that may not have begun."""
    if not is_open[0]:
        is_open[0] = True
        place[0] = line[0]
    else:
        place.length = line.offset + line.length - place.offset
        place.size += line.size


cdef inline bint hold(Frame* f, uint8_t kind, uint8_t message, const Place* place) noexcept nogil:
    """Note a problem that counts only if this source is a stream at all."""
    cdef Reader* r = &f.reader
    cdef size_t before = r.responses.problems.used
    cdef int64_t others = r.account.other_problems
    if not report(r, kind, message, place):
        return False
    r.account.other_problems = others
    r.responses.problem_count -= 1
    if not append_bytes(&f.held, r.responses.problems.data + before, sizeof(Problem)):
        return False
    r.responses.problems.used = before
    f.certain |= f.held.used >= HELD_PROBLEMS * sizeof(Problem)
    return True


cdef inline bint close_run(Frame* f) noexcept nogil:
    """A run of lines that are no fields has ended: hold it back until it is clear what this source is."""
    if not f.run_open:
        return True
    f.run_open = False
    return hold(f, P_NOT_SSE, M_LINE, &f.run)


# ------------------------------------------------------------------------------------------------------ blocks


cdef inline void clear_block(Frame* f) noexcept nogil:
    memset(&f.block, 0, sizeof(Block))
    f.joined.used = 0
    f.lines.used = 0


cdef inline DataLine* data_line(const Frame* f, size_t i) noexcept nogil:
    return <DataLine*>f.lines.data + i


cdef inline bint read_data_line(Frame* f, const DataLine* line, bint ended) noexcept nogil:
    """A remembered data line as an event by itself."""
    return read_event(&f.reader, f.joined.data + line.start, f.joined.data + line.end, &line.place, True, line.error,
                      ended)


cdef inline bint split_block(Frame* f, bint ended) noexcept nogil:
    """Read the data lines so far one by one; ``ended``: the last of them is not cut by the end of the source."""
    cdef size_t i
    f.block.split = True
    for i in range(f.block.lines):
        if not read_data_line(f, data_line(f, i), ended or i + 1 < f.block.lines):
            return False
    f.joined.used = 0
    f.lines.used = 0
    f.block.lines = 0
    return True


cdef inline bint line_stands_alone(Frame* f, size_t i) noexcept nogil:
    cdef DataLine* line = data_line(f, i)
    return stands_alone(&f.reader.tape, f.joined.data + line.start, f.joined.data + line.end, f.reader.depth_limit)


cdef inline bint any_line_stands_alone(Frame* f) noexcept nogil:
    cdef size_t i
    for i in range(f.block.lines):
        if line_stands_alone(f, i):
            return True
    return False


cdef inline bint first_line_stands_alone(Frame* f) noexcept nogil:
    """Does the first data line that is not blank stand alone? Asked once, when the second one comes."""
    cdef size_t i
    cdef DataLine* line
    if f.block.first_seen:
        return False
    for i in range(f.block.lines):
        line = data_line(f, i)
        if skip_blanks(f.joined.data + line.start, f.joined.data + line.end) < f.joined.data + line.end:
            f.block.first_seen = True
            return line_stands_alone(f, i)
    return False


cdef inline bint dispatch(Frame* f, bint ended) noexcept nogil:
    """A blank line, or the end of the source: the block's event is decided."""
    cdef Block* b = &f.block
    cdef Reader* r = &f.reader
    cdef bint good = True
    if not b.open:
        return True
    if b.split:
        if b.own_open:
            r.account.bytes[L_BLANK] += b.own.size
    elif b.overflow:
        good = problem_event(r, P_TOO_LONG, M_EVENT_BYTES, &b.place)
    elif b.lines == 0:
        r.account.bytes[L_BLANK] += b.place.size
    elif (b.lines > 1 and tape_check(&r.tape, f.joined.data, f.joined.data + f.joined.used, r.depth_limit) != TAPE_OK
          and any_line_stands_alone(f)):
        good = split_block(f, ended)
        if b.own_open:
            r.account.bytes[L_BLANK] += b.own.size
    else:
        good = read_event(r, f.joined.data, f.joined.data + f.joined.used, &b.place, b.lines == 1, b.error, ended)
    clear_block(f)
    return good


cdef inline bint keep_data_line(Frame* f, const byte* data, size_t n, bint too_long, bint ended) noexcept nogil:
    """Join a data line to the block's; ``too_long``: it is longer than any event, and was not kept."""
    cdef Block* b = &f.block
    cdef DataLine* line
    cdef size_t more = n + (b.lines > 0)
    if b.overflow:
        return True
    if too_long or f.joined.used + more > f.reader.event_limit:
        if any_line_stands_alone(f):
            return split_block(f, True) and split_data_line(f, data, n, too_long, ended)
        b.overflow = True
        f.joined.used = 0
        f.lines.used = 0
        b.lines = 0
        return True
    if not buffer_reserve(&f.joined, more) or not buffer_reserve(&f.lines, sizeof(DataLine)):
        return False
    if b.lines:
        f.joined.data[f.joined.used] = c'\n'
        f.joined.used += 1
    line = data_line(f, b.lines)
    f.lines.used += sizeof(DataLine)
    b.lines += 1
    line.start = f.joined.used
    if not append_bytes(&f.joined, data, n):
        return False
    memset(f.joined.data + f.joined.used, 0, PAD)
    line.end = f.joined.used
    line.place = b.own
    line.error = b.own_error
    b.own_open = b.own_error = False
    return True


cdef inline bint split_data_line(Frame* f, const byte* data, size_t n, bint too_long, bint ended) noexcept nogil:
    """A data line of a split block, read at once."""
    cdef Block* b = &f.block
    cdef Place place = b.own
    cdef bint error = b.own_error
    b.own_open = b.own_error = False
    if too_long or n > f.reader.event_limit:
        return problem_event(&f.reader, P_TOO_LONG, M_EVENT_BYTES, &place)
    return read_event(&f.reader, data, data + n, &place, True, error, ended)


cdef inline bint take_data_line(Frame* f, const byte* data, size_t n, bint too_long, bint ended) noexcept nogil:
    if not f.block.split and f.block.lines and not f.block.overflow:
        if too_long or skip_blanks(data, data + n) < data + n:
            if first_line_stands_alone(f) and not split_block(f, True):
                return False
    if f.block.split:
        return split_data_line(f, data, n, too_long, ended)
    return keep_data_line(f, data, n, too_long, ended)


# ------------------------------------------------------------------------------------------------------- lines


cdef inline bint is_name(const byte* p, size_t n, const char* name, size_t length) noexcept nogil:
    """Does the line [p, p + n) begin with this field name?"""
    return n >= length and memcmp(p, name, length) == 0 and (n == length or p[length] == c':')


cdef inline int field_of(const byte* p, size_t n) noexcept nogil:
    """What kind of line this is (it is not empty)."""
    if p[0] == c':':
        return COMMENT
    if is_name(p, n, b"data", 4):
        return DATA
    if is_name(p, n, b"event", 5):
        return EVENT
    if is_name(p, n, b"id", 2) or is_name(p, n, b"retry", 5):
        return OTHER_FIELD
    if n >= 6 and memcmp(p, b"error:", 6) == 0:
        return ERROR_LINE
    return NO_FIELD


cdef inline const byte* field_value(const byte* p, const byte* end, size_t name) noexcept nogil:
    """After the name, its colon and one blank."""
    p += name
    if p < end:
        p += 1
    if p < end and p[0] == c' ':
        p += 1
    return p


cdef inline bint take_field(Frame* f, int field, const byte* p, const byte* end, size_t size, bint too_long,
                            bint ended) noexcept nogil:
    """A line that is not blank. A line too long to keep comes with its size alone."""
    cdef Reader* r = &f.reader
    cdef Block* b = &f.block
    cdef Place place
    place_line(f, &place, size)
    if field == NO_FIELD:
        r.account.bytes[L_PROBLEM] += <int64_t>size
        if not ended:
            return close_run(f) and hold(f, P_TRUNCATED, M_CUT_LINE, &place)
        extend_place(&f.run, &f.run_open, &place)
        return True
    if not close_run(f):
        return False
    if field == COMMENT:
        r.account.comments += 1
        r.account.bytes[L_BLANK] += <int64_t>size
        return True
    if field == ERROR_LINE:
        p = field_value(p, end, 5)
        if too_long or <size_t>(end - p) > r.event_limit:
            return problem_event(r, P_TOO_LONG, M_EVENT_BYTES, &place)
        if not ended and tape_check(&r.tape, p, end, r.depth_limit) != TAPE_OK:
            return cut_event(r, &place)
        return read_event(r, p, end, &place, True, True, ended)
    extend_place(&b.place, &b.open, &place)
    extend_place(&b.own, &b.own_open, &place)
    if field == EVENT and not too_long:
        p = field_value(p, end, 5)
        b.error = b.own_error = end - p == 5 and memcmp(p, b"error", 5) == 0
    elif field == EVENT:
        b.error = b.own_error = False
    elif field == DATA:
        p = field_value(p, end, 4) if not too_long else end
        return take_data_line(f, p, end - p, too_long, ended)
    return True


cdef inline bint take_line(Frame* f, const byte* p, const byte* end, size_t size, bint ended) noexcept nogil:
    """One line of an event stream: its text is [p, end), ``size`` counts its line end too."""
    cdef bint good
    if p == end:
        f.reader.account.bytes[L_BLANK] += <int64_t>size
        good = close_run(f) and dispatch(f, True)
    else:
        good = take_field(f, field_of(p, end - p), p, end, size, False, ended)
    f.offset += <int64_t>size
    f.line += 1
    return good


cdef inline bint take_json_line(Frame* f, const byte* p, const byte* end, size_t size, bint ended) noexcept nogil:
    """One line of JSON lines."""
    cdef Place place
    cdef bint good = True
    place_line(f, &place, size)
    if skip_blanks(p, end) == end:
        f.reader.account.bytes[L_BLANK] += <int64_t>size
    elif <size_t>(end - p) > f.reader.event_limit:
        good = problem_event(&f.reader, P_TOO_LONG, M_EVENT_BYTES, &place)
    else:
        good = read_event(&f.reader, p, end, &place, True, False, ended)
    f.offset += <int64_t>size
    f.line += 1
    return good


cdef inline bint take_long_line(Frame* f, size_t size, bint ended) noexcept nogil:
    """The end of a line too long to keep."""
    cdef Place place
    cdef bint good
    cdef byte nothing = 0
    place_line(f, &place, size)
    if f.framing == JSON_LINES:
        good = close_run(f) and problem_event(&f.reader, P_TOO_LONG, M_EVENT_BYTES, &place)
    else:
        good = take_field(f, f.long_field, &nothing, &nothing, size, True, ended)
    f.offset += <int64_t>size
    f.line += 1
    f.long_size = 0
    return good

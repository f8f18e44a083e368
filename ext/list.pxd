"""Lists of tokens by their shape: tokens, and the alternatives of each.

Plain alternatives follow each other without a choice to make: from the last value of one to the first of the next is one
literal. The first alternative mostly repeats its token byte for byte, and is then copied.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from chunk cimport BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN, KEEP_TOPS, WANT_TOPS
from column cimport Entries, EntriesMark, Rows, byte, drop_tops, entries_mark
from entry cimport (E_END, EntryShape, Literal, Pen, end_row, lay_down, match_row, next_row, plain_row,
                    same_literal, same_short, straight_row, take_pen, write_text)
from tape cimport scan_number
from tokens cimport open_token
from value cimport SS_PREFETCH, ss_same_long

ctypedef const byte* (*PlainReader)(const EntryShape* shape, const byte* p, uint32_t gap, Pen* pen,
                                    const byte* stop) noexcept nogil

cdef struct ListShape:
    EntryShape token
    EntryShape top
    uint32_t gap       # blanks after a comma between entries
    uint32_t top_gap
    bint twins         # the first alternative may repeat the token's bytes
    PlainReader read_plain  # of alternatives, when they are plain


cdef inline bint ends_list(const byte* p) noexcept nogil:
    """A bracket right behind an entry (and not behind a comma)."""
    return p[0] == c']' and p[-1] == c'}'


cdef inline const byte* copy_twin(const EntryShape* shape, const byte* p, const byte* twin, size_t size, const byte* text,
                                  size_t n, double logprob, uint8_t how, Pen* pen) noexcept nogil:
    """From the first value of an alternative to behind it, when it repeats the ``size`` bytes of its token; else NULL.

    ``text``, ``logprob`` and ``how`` are the token's.
    """
    if not ss_same_long(p, twin, size) or not same_literal(p + size, &shape.literals[shape.count - 1]):
        return NULL
    write_text(pen, text, n)
    pen.logprobs[pen.row] = logprob
    end_row(pen, n, how)
    return p + size + shape.literals[shape.count - 1].n


cdef inline bint joins(const byte* p, const Literal* joint) noexcept nogil:
    return joint.n > 0 and same_literal(p, joint)


cdef inline const byte* match_rows(const EntryShape* shape, const byte* p, uint32_t gap, Pen* pen, const byte* stop,
                                   bint straight) noexcept nogil:
    """Plain alternatives, as many as are, to the bracket that ends their list or to one that is not so.

    ``p`` is where the first value of the first one begins.
    """
    cdef const Literal* last = &shape.literals[shape.count - 1]
    cdef uint8_t how = BYTES_OF_TOKEN if shape.bytes else BYTES_MISSING
    cdef const byte* q
    cdef size_t size = 0
    while p < stop:
        SS_PREFETCH(p + 4096)
        q = straight_row(shape, p, pen, stop, &size) if straight else plain_row(shape, p, pen, stop, &size)
        if q == NULL:
            break
        if same_short(q, &shape.joint) if straight else joins(q, &shape.joint):
            end_row(pen, size, how)
            p = q + shape.joint.n
            continue
        if not (same_short(q, last) if straight else same_literal(q, last)):
            break
        end_row(pen, size, how)
        q += last.n
        return q + 1 + gap if q[0] == c',' else q
    return p - shape.literals[0].n


cdef inline const byte* read_straight(const EntryShape* shape, const byte* p, uint32_t gap, Pen* pen,
                                      const byte* stop) noexcept nogil:
    """The loop of ``match_rows`` for straight alternatives behind short literals; a function alone in the registers."""
    return match_rows(shape, p, gap, pen, stop, True)


cdef inline const byte* read_any_order(const EntryShape* shape, const byte* p, uint32_t gap, Pen* pen,
                                       const byte* stop) noexcept nogil:
    return match_rows(shape, p, gap, pen, stop, False)


cdef inline PlainReader plain_reader(const EntryShape* shape) noexcept nogil:
    return read_straight if shape.straight and 0 < shape.joint.n <= 16 else read_any_order


cdef inline const byte* match_twin(const ListShape* shape, const byte* p, const byte* twin, const byte* twin_end,
                                   const Entries* tokens, Pen* pen) noexcept nogil:
    """The first alternative, if it repeats the token whose row was written last. NULL when it does not."""
    cdef size_t row = tokens.how.used - 1, start = <size_t>(<int64_t*>tokens.offsets.data)[row]
    if not same_literal(p, &shape.top.literals[0]):
        return NULL
    return copy_twin(&shape.top, p + shape.top.literals[0].n, twin, twin_end - twin, tokens.text.data + start,
                     tokens.text.used - start, (<double*>tokens.logprob.data)[row], tokens.how.data[row], pen)


cdef inline const byte* match_tops(const ListShape* shape, const byte* p, const byte* twin, const byte* twin_end,
                                   Rows* rows, const byte* stop) noexcept nogil:
    """Alternatives, to the bracket that ends their list."""
    cdef Pen pen
    cdef const byte* q
    cdef int end = 0
    if p[0] == c']':
        return p
    pen = take_pen(&rows.tops)
    if shape.twins and twin != NULL:
        q = match_twin(shape, p, twin, twin_end, &rows.tokens, &pen)
        if q != NULL:
            p = q + 1 + shape.top_gap if q[0] == c',' else q
    while p < stop and not ends_list(p):
        if shape.top.plain and same_literal(p, &shape.top.literals[0]):
            p = shape.read_plain(&shape.top, p + shape.top.literals[0].n, shape.top_gap, &pen, stop)
            if ends_list(p):
                break
        lay_down(&pen, &rows.tops)
        p = match_row(&shape.top, p, &rows.tops, stop, &end)
        if p == NULL:
            return NULL
        pen = take_pen(&rows.tops)
        if p[0] == c',':
            p += 1 + shape.top_gap
    lay_down(&pen, &rows.tops)
    return p


cdef inline const byte* match_token(const EntryShape* shape, const byte* p, Entries* e, const byte* stop,
                                    int* next) noexcept nogil:
    """As ``match_row``, by the short way when the entry is plain."""
    cdef int k = shape.values
    cdef const byte* q
    cdef size_t size = 0
    cdef Pen pen
    if shape.plain and same_literal(p, &shape.literals[0]):
        pen = take_pen(e)
        q = next_row(shape, p + shape.literals[0].n, &pen, stop, &size)
        if q != NULL and same_literal(q, &shape.literals[k]):
            end_row(&pen, size, BYTES_OF_TOKEN if shape.bytes else BYTES_MISSING)
            lay_down(&pen, e)
            next[0] = k
            return q + shape.literals[k].n
    return match_row(shape, p, e, stop, next)


cdef inline const byte* match_token_entry(const ListShape* shape, const byte* p, Rows* rows, const byte* stop) noexcept nogil:
    """One token and its alternatives."""
    cdef const EntryShape* entry = &shape.token
    cdef const byte* twin = p + entry.literals[0].n
    cdef int k = 0
    open_token(rows)
    p = match_token(entry, p, &rows.tokens, stop, &k)
    if p == NULL or entry.ops[k] == E_END:
        return p
    if rows.tokens.how.data[rows.tokens.how.used - 1] == BYTES_OWN:
        twin = NULL
    p = match_tops(shape, p, twin, p - entry.literals[k].n, rows, stop)
    while p != NULL:
        k += 1
        if not same_literal(p, &entry.literals[k]):
            return NULL
        p += entry.literals[k].n
        if entry.ops[k] == E_END:
            return p
        p = scan_number(p)
    return NULL


cdef inline const byte* match_list(const ListShape* shape, const byte* p, Rows* rows, int want,
                                   const byte* stop) noexcept nogil:
    """Tokens, to the bracket that ends their list."""
    cdef EntriesMark mark
    if p[0] == c']':
        return p
    while p < stop:
        if not want & KEEP_TOPS:
            mark = entries_mark(&rows.tops)
        p = match_token_entry(shape, p, rows, stop)
        if p == NULL:
            return NULL
        if not want & KEEP_TOPS:
            drop_tops(rows, &mark, want & WANT_TOPS != 0)
        if p[0] == c']':
            return p
        if p[0] != c',':
            return NULL
        p += 1 + shape.gap
    return NULL

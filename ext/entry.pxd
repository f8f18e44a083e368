"""Entries of a list of tokens by their shape: the innermost part of the fast path.

An entry of a list of logprobs is a few literals with a token, a number and bytes between them. An EntryShape holds those
literals and what stands behind each. Rows are written as they are read; NULL means that the text is not of this shape,
and the caller undoes the rows.

``match_row`` reads any entry, ``plain_row`` one with a token, a logprob, perhaps bytes that are the token's, in any order,
and ``straight_row`` those in this order, as most servers have them. The latter two write with a Pen, which knows where the
next row goes; what a pen has written becomes rows when it is laid down.
"""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memcpy

from chunk cimport BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN
from column cimport Entries, byte, put_code, put_float, put_int
from tape cimport is_digit, scan_number, scan_string
from value cimport (ss_byte_text_match, ss_copy16, ss_ctz32, ss_decimal_fast, ss_decimal_small, ss_equals16, ss_number,
                    ss_plain_stops16, ss_same16_masked, ss_same_long, ss_string_stops16, ss_utf8_error, ss_value_ends16, unescape)

cdef enum:
    ENTRY_STEPS = 6

cdef enum:
    # what a step of an entry reads
    E_END, E_TOKEN, E_LOGPROB, E_BYTES, E_TOPS, E_NUMBER

cdef struct Literal:
    const byte* text
    uint32_t n
    uint32_t mask      # of its first 16 bytes

cdef struct EntryShape:
    Literal literals[ENTRY_STEPS]
    int ops[ENTRY_STEPS]
    int count          # steps, the closing E_END included
    bint bytes_first   # bytes stand before their token
    bint spaced        # a blank stands behind colons and commas
    int values         # steps before the alternatives, or before the end if it has none
    bint plain         # these are a token, a logprob, perhaps bytes, perhaps numbers without a meaning
    bint straight      # these are a token, a logprob, perhaps bytes, in this order and behind short literals
    bint bytes         # it has bytes
    Literal joint      # of alternatives: what stands between one's last value and the next one's token

cdef struct Pen:
    # where the next row of tokens or alternatives is written
    byte* text
    int64_t* offsets
    double* logprobs
    byte* hows
    size_t used        # of text
    size_t row

cdef inline bint same_short(const byte* p, const Literal* literal) noexcept nogil:
    """For literals of at most 16 bytes."""
    return ss_same16_masked(p, literal.text, literal.mask)


cdef inline bint same_literal(const byte* p, const Literal* literal) noexcept nogil:
    if literal.n <= 16:
        return same_short(p, literal)
    return ss_same_long(p, literal.text, literal.n)


cdef inline const byte* match_long_text(const byte* p, byte** out, const byte* stop, bint* surrogates) noexcept nogil:
    """A string of any kind, to its closing quote; NULL when it is invalid or goes on beyond ``stop``."""
    cdef uint8_t escaped = False
    cdef const byte* end = p
    cdef uint32_t stops
    while True:
        stops = ss_string_stops16(end)
        if stops == 0:
            end += 16
            if end > stop:
                return NULL
            continue
        end += ss_ctz32(stops)
        if end[0] == c'"':
            break
        end = scan_string(end, &escaped)
        if end == NULL or end > stop:
            return NULL
        break
    if ss_utf8_error(p, end) != NULL:
        return NULL
    if escaped:
        out[0] = unescape(p, end, out[0], surrogates)
    else:
        memcpy(out[0], p, end - p)
        out[0] += end - p
    return end


cdef inline const byte* match_text(const byte* p, byte** out, const byte* stop, bint* surrogates) noexcept nogil:
    """A string into ``out``, most often a short plain one; returns its closing quote."""
    cdef int n = ss_ctz32(ss_plain_stops16(p) | 0x10000)
    ss_copy16(out[0], p)
    if p[n] == c'"' and n < 16:
        out[0] += n
        return p + n
    return match_long_text(p, out, stop, surrogates)


cdef inline const byte* match_logprob(const byte* p, double* out) noexcept nogil:
    """A number, to the comma or bracket behind it."""
    cdef uint32_t ends = ss_value_ends16(p)
    cdef const byte* end
    cdef int integral = 0
    if ends == 0:
        ends = ss_value_ends16(p + 16)
        if ends == 0:
            return ss_number(p, out, &integral)
        end = p + 16 + ss_ctz32(ends)
    else:
        end = p + ss_ctz32(ends)
    if ss_decimal_fast(p, end, out) or ss_decimal_small(p, end, out):
        return end
    return ss_number(p, out, &integral)


cdef inline const byte* match_byte(const byte* p, int* value) noexcept nogil:
    """One to three digits that are at most 255, as JSON spells them."""
    cdef int v
    if not is_digit(p[0]):
        return NULL
    v = p[0] - c'0'
    p += 1
    if v and is_digit(p[0]):
        v = v * 10 + (p[0] - c'0')
        p += 1
        if is_digit(p[0]):
            v = v * 10 + (p[0] - c'0')
            p += 1
    value[0] = v
    return p if v < 256 else NULL


cdef inline const byte* match_any_bytes(const byte* p, const Entries* e, size_t* size, const byte* stop) noexcept nogil:
    """A list of bytes, to its bracket, written behind those kept so far but not yet kept."""
    cdef byte* start = e.own.data + e.own.used
    cdef byte* out = start
    cdef int value = 0
    if p[0] != c']':
        while True:
            p = match_byte(p, &value)
            if p == NULL or p > stop:
                return NULL
            out[0] = <byte>value
            out += 1
            if p[0] == c']':
                break
            if p[0] != c',':
                return NULL
            p += 2 if p[1] == c' ' else 1
    size[0] = out - start
    return p


cdef inline bint keep_bytes(Entries* e, const byte* token, size_t n, size_t size) noexcept nogil:
    """Keep the ``size`` bytes just written, unless they are the ``n`` bytes of the token. Were they kept?"""
    if size == n and memcmp(e.own.data + e.own.used, token, n) == 0:
        return False
    e.own.used += size
    put_int(&e.own_offsets, <int64_t>e.own.used)
    return True


cdef inline const byte* match_row(const EntryShape* shape, const byte* p, Entries* e, const byte* stop,
                                  int* next) noexcept nogil:
    """Token, logprob and bytes of an entry as a row; stops behind the literal of step ``next``: alternatives or end."""
    cdef byte* token = e.text.data + e.text.used
    cdef byte* text = token
    cdef byte* long_text
    cdef const byte* q
    cdef double logprob = NAN
    cdef uint8_t how = BYTES_MISSING
    cdef size_t size = 0
    cdef bint surrogates = False
    cdef int k = 0, op, n
    while True:
        if not same_literal(p, &shape.literals[k]):
            return NULL
        p += shape.literals[k].n
        op = shape.ops[k]
        if op == E_TOKEN:   # match_text, written out: no address of `text` is taken, so it stays in a register
            ss_copy16(text, p)
            n = ss_ctz32(ss_plain_stops16(p) | 0x10000)
            if p[n] == c'"' and n < 16:
                text += n
                p += n
            else:
                long_text = text
                p = match_long_text(p, &long_text, stop, &surrogates)
                text = long_text
                if p == NULL or surrogates:
                    return NULL
        elif op == E_LOGPROB:
            p = match_logprob(p, &logprob)
        elif op == E_BYTES:
            how = BYTES_OF_TOKEN
            q = ss_byte_text_match(p, token, text, shape.spaced) if not shape.bytes_first else NULL
            if q == NULL:
                how = BYTES_OWN
                q = match_any_bytes(p, e, &size, stop)
            p = q
        elif op == E_NUMBER:
            p = scan_number(p)
        else:
            break
        if p == NULL:
            return NULL
        k += 1
    if how == BYTES_OWN and not keep_bytes(e, token, text - token, size):
        how = BYTES_OF_TOKEN
    next[0] = k
    e.text.used += text - token
    put_int(&e.offsets, <int64_t>e.text.used)
    put_float(&e.logprob, logprob)
    put_code(&e.how, how)
    return p


cdef inline Pen take_pen(const Entries* e) noexcept nogil:
    cdef Pen pen
    pen.text = e.text.data
    pen.offsets = <int64_t*>e.offsets.data
    pen.logprobs = <double*>e.logprob.data
    pen.hows = e.how.data
    pen.used = e.text.used
    pen.row = e.how.used
    return pen


cdef inline void lay_down(const Pen* pen, Entries* e) noexcept nogil:
    """The rows written so far are rows of the columns now."""
    e.text.used = pen.used
    e.how.used = pen.row
    e.logprob.used = pen.row * sizeof(double)
    e.offsets.used = (pen.row + 1) * sizeof(int64_t)


cdef inline void end_row(Pen* pen, size_t n, uint8_t how) noexcept nogil:
    """A logprob and a text of ``n`` bytes have been written: they are a row."""
    pen.used += n
    pen.hows[pen.row] = how
    pen.row += 1
    pen.offsets[pen.row] = <int64_t>pen.used


cdef inline void write_text(Pen* pen, const byte* text, size_t n) noexcept nogil:
    """The text of the row that is ended next; up to 15 bytes behind it are written too."""
    cdef size_t i = 0
    while i < n:
        ss_copy16(pen.text + pen.used + i, text + i)
        i += 16


cdef inline const byte* straight_row(const EntryShape* shape, const byte* p, const Pen* pen, const byte* stop,
                                     size_t* size) noexcept nogil:
    """From inside the quotes of a token to behind the last value before its next literal.

    Writes text and logprob, which count when the caller ends the row; ``size`` is that of the text. NULL when the entry
    is not of the plainest kind: surrogates in its text, an odd number, bytes that are not the token's.
    """
    cdef byte* text = pen.text + pen.used
    cdef byte* text_end = text
    cdef bint surrogates = False
    p = match_text(p, &text_end, stop, &surrogates)
    if p == NULL or surrogates:
        return NULL
    size[0] = text_end - text
    return straight_values(shape, p, text, text_end, pen.logprobs + pen.row)


cdef inline const byte* straight_values(const EntryShape* shape, const byte* p, const byte* text, const byte* text_end,
                                        double* logprob) noexcept nogil:
    """From a token's closing quote to behind the last value: its logprob, and perhaps the bytes of the text."""
    cdef const byte* end
    cdef uint32_t ends
    if not same_short(p, &shape.literals[1]):
        return NULL
    p += shape.literals[1].n
    ends = ss_value_ends16(p)
    end = p
    if ends == 0:
        end += 16
        ends = ss_value_ends16(end)
        if ends == 0:
            return NULL
    end += ss_ctz32(ends)
    if not (ss_decimal_fast(p, end, logprob) or ss_decimal_small(p, end, logprob)):
        return NULL
    if not shape.bytes:
        return end
    if not same_short(end, &shape.literals[2]):
        return NULL
    return ss_byte_text_match(end + shape.literals[2].n, text, text_end, shape.spaced)


cdef inline const byte* end_of_bytes(const byte* p, const byte* stop) noexcept nogil:
    """The bracket behind a list of numbers that is read later."""
    cdef uint32_t ends
    while p < stop:
        ends = ss_equals16(p, c']')
        if ends:
            return p + ss_ctz32(ends)
        p += 16
    return NULL


cdef inline const byte* plain_row(const EntryShape* shape, const byte* p, const Pen* pen, const byte* stop,
                                  size_t* size) noexcept nogil:
    """As ``straight_row``, for values in any order; ``p`` is where the first one begins."""
    cdef byte* text = pen.text + pen.used
    cdef byte* text_end = text
    cdef const byte* bytes = NULL
    cdef const byte* bytes_end = NULL
    cdef bint surrogates = False
    cdef int k
    for k in range(shape.values):
        if k > 0:
            if not same_literal(p, &shape.literals[k]):
                return NULL
            p += shape.literals[k].n
        if shape.ops[k] == E_TOKEN:
            p = match_text(p, &text_end, stop, &surrogates)
        elif shape.ops[k] == E_LOGPROB:
            p = match_logprob(p, pen.logprobs + pen.row)
        elif shape.ops[k] == E_NUMBER:
            p = scan_number(p)
        elif shape.bytes_first:
            bytes = p
            p = bytes_end = end_of_bytes(p, stop)
        else:
            p = ss_byte_text_match(p, text, text_end, shape.spaced)
        if p == NULL or surrogates:
            return NULL
    size[0] = text_end - text
    if bytes != NULL and ss_byte_text_match(bytes, text, text_end, shape.spaced) != bytes_end:
        return NULL
    return p


cdef inline const byte* next_row(const EntryShape* shape, const byte* p, const Pen* pen, const byte* stop,
                                 size_t* size) noexcept nogil:
    """A plain entry's row, from the beginning of its first value to behind its last one before alternatives or end."""
    if shape.straight:
        return straight_row(shape, p, pen, stop, size)
    return plain_row(shape, p, pen, stop, size)

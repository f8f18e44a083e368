"""Strings and values inside a record: passed over or unescaped, checked either way.

A record holds JSON inside of strings, where every quote is an escape: one in six or seven bytes. So blocks of 16 and of
64 bytes (``unquote.h``) are taken at once where they hold no other escape. PAD bytes behind a text must be readable, and
a number must end there; what is written may overshoot by 64 bytes, and by those of an escape that begins before an end.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp

from column cimport Buffer, append_bytes, buffer_reserve, byte
from tape cimport scan_number, skip_blanks
from value cimport hex4, hex_digit, put_utf8, ss_ctz32, ss_equals16, ss_string_stops16

cdef extern from "unquote.h" nogil:
    void ss_unquote_begin()
    bint ss_only_quotes(const byte* p, uint32_t stops, uint32_t slashes)
    void ss_unquote(const byte** p, byte** out, const byte* end)

cdef extern from "structure.h" nogil:
    size_t ss_same(const byte* a, const byte* b, size_t size)
    const byte* ss_object_end(const byte* p, const byte* end, int* controls)

cdef enum:
    DEEPEST_WORDS = 4
    DEEPEST = 64 * DEEPEST_WORDS   # nested values in a part of a record that nobody asked for
    AROUND_DATA = 96   # bytes around the data of an event, and such as are written beyond what counts
    STEP = 1 << 16     # bytes of a text for which room is made at once


cdef struct Break:
    # places behind a line end
    size_t read      # in the text, as it stands in the record
    size_t written   # in the body


cdef inline bint note_break(Buffer* breaks, size_t read, size_t written) noexcept nogil:
    """False when there is no memory."""
    cdef Break found
    found.read = read
    found.written = written
    return append_bytes(breaks, <const byte*>&found, sizeof(Break))


cdef inline byte escaped_byte(byte c) noexcept nogil:
    """What a backslash and ``c`` stand for; 0 for none and for ``u``."""
    if c == c'"' or c == c'\\' or c == c'/':
        return c
    if c == c'n':
        return c'\n'
    if c == c't':
        return c'\t'
    if c == c'r':
        return c'\r'
    if c == c'b':
        return 8
    return 12 if c == c'f' else 0


cdef inline bint is_hex4(const byte* p) noexcept nogil:
    return hex_digit(p[0]) >= 0 and hex_digit(p[1]) >= 0 and hex_digit(p[2]) >= 0 and hex_digit(p[3]) >= 0


cdef inline const byte* pass_string(const byte* p, const byte* end) noexcept nogil:
    """From the first byte inside the quotes to the closing quote; NULL when the string is not valid."""
    cdef uint32_t stops, slashes, i, step
    while p < end:
        stops = ss_string_stops16(p)
        slashes = ss_equals16(p, c'\\')
        if ss_only_quotes(p, stops, slashes):   # none at all, or what JSON in a string is full of
            p += 16 + (slashes >> 15)
            continue
        step = 16
        while stops:
            i = <uint32_t>ss_ctz32(stops)
            if p[i] == c'"':
                return p + i
            if p[i] != c'\\':
                return NULL
            if escaped_byte(p[i + 1]):
                stops &= ~(<uint32_t>3 << i)
                if i == 15:
                    step = 17
            elif p[i + 1] == c'u' and is_hex4(p + i + 2):
                step = i + 6
                break
            else:
                return NULL
        p += step
    return NULL


cdef inline const byte* copy_escape(const byte* p, byte** out) noexcept nogil:
    """Resolve ``\\uXXXX`` at ``p``, and the pair that it begins; NULL when it is not valid, or half of a pair."""
    cdef uint32_t code, low
    if not is_hex4(p + 2):
        return NULL
    code = hex4(p + 2)
    if code < 0xD800 or code > 0xDFFF:
        out[0] = put_utf8(out[0], code)
        return p + 6
    if code > 0xDBFF or p[6] != c'\\' or p[7] != c'u' or not is_hex4(p + 8):
        return NULL
    low = hex4(p + 8)
    if low < 0xDC00 or low > 0xDFFF:
        return NULL
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
    out[0][0] = <byte>(0xF0 | (code >> 18))
    out[0][1] = <byte>(0x80 | ((code >> 12) & 63))
    out[0][2] = <byte>(0x80 | ((code >> 6) & 63))
    out[0][3] = <byte>(0x80 | (code & 63))
    out[0] += 4
    return p + 12


cdef inline const byte* copy_escapes(const byte* p, const byte* end, byte** out, bint one_line) noexcept nogil:
    """Resolve the escapes from ``p`` on that stand one behind the other, as long as they begin before ``end``.

    NULL when one is not valid, or half of a surrogate pair, or a line end where ``one_line`` is asked for.
    """
    cdef byte* d = out[0]
    cdef byte c
    while p < end and p[0] == c'\\':
        c = escaped_byte(p[1])
        if c:
            d[0] = c
            d += 1
            p += 2
        elif p[1] == c'u':
            p = copy_escape(p, &d)
            if p == NULL:
                return NULL
            c = d[-1]
        else:
            return NULL
        if c < 32 and one_line and (c == c'\n' or c == c'\r'):
            return NULL
    out[0] = d
    return p


cdef inline const byte* copy_string(const byte* p, const byte* end, byte** out, bint one_line) noexcept nogil:
    """Write the inside of a string from ``p`` on, to the quote that ends it, and return that.

    NULL when there is none before ``end``, when the string is not valid, holds half of a surrogate pair, or line ends
    where ``one_line`` is asked for.
    """
    while True:
        ss_unquote(&p, out, end)
        if p >= end:
            return NULL
        if p[0] == c'"':
            return p
        if p[0] != c'\\':
            return NULL
        p = copy_escapes(p, end, out, one_line)
        if p == NULL or p >= end:
            return NULL


cdef inline const byte* copy_text(const byte* p, const byte* end, Buffer* body, Buffer* breaks) noexcept nogil:
    """The same into ``body``, for which room is made; the places behind its line ends are noted.

    Where several escapes stand one behind the other, of which the last is a line end, that is the place behind all.
    """
    cdef const byte* start = p
    cdef const byte* stop
    cdef byte* out
    while True:
        if end - p > STEP:
            stop = p + STEP
        else:
            stop = end
        if not buffer_reserve(body, (stop - p) + AROUND_DATA):
            return NULL
        out = body.data + body.used
        while p < stop:
            ss_unquote(&p, &out, stop)
            if p >= stop:
                break
            if p[0] != c'\\':
                body.used = out - body.data
                return p if p[0] == c'"' else NULL
            p = copy_escapes(p, stop, &out, False)
            if p == NULL:
                return NULL
            if out[-1] == c'\n' and not note_break(breaks, p - start, out - body.data):
                return NULL
        body.used = out - body.data
        if p >= end:
            return NULL


cdef inline const byte* pass_scalar(const byte* p, const byte* end) noexcept nogil:
    if p[0] == c'"':
        p = pass_string(p + 1, end)
        return p + 1 if p != NULL else NULL
    if p[0] == c't':
        return p + 4 if memcmp(p, b"true", 4) == 0 else NULL
    if p[0] == c'f':
        return p + 5 if memcmp(p, b"false", 5) == 0 else NULL
    if p[0] == c'n':
        return p + 4 if memcmp(p, b"null", 4) == 0 else NULL
    return scan_number(p)


cdef inline const byte* pass_key(const byte* p, const byte* end) noexcept nogil:
    """Behind the key at ``p`` and its colon, to the value; NULL when there is none."""
    if p >= end or p[0] != c'"':
        return NULL
    p = pass_string(p + 1, end)
    if p == NULL:
        return NULL
    p = skip_blanks(p + 1, end)
    return skip_blanks(p + 1, end) if p < end and p[0] == c':' else NULL


cdef inline const byte* pass_value(const byte* p, const byte* end) noexcept nogil:
    """Behind the value at ``p``; NULL when it is not valid, or nested deeper than DEEPEST."""
    cdef uint64_t objects[DEEPEST_WORDS]   # a bit by depth: is it an object?
    cdef int depth = 0
    cdef bint is_object
    while True:
        # a value is expected
        if p >= end:
            return NULL
        if p[0] == c'{' or p[0] == c'[':
            if depth == DEEPEST:
                return NULL
            is_object = p[0] == c'{'
            if is_object:
                objects[depth >> 6] |= <uint64_t>1 << (depth & 63)
            else:
                objects[depth >> 6] &= ~(<uint64_t>1 << (depth & 63))
            depth += 1
            p = skip_blanks(p + 1, end)
            if p >= end:
                return NULL
            if p[0] != (c'}' if is_object else c']'):
                if is_object:
                    p = pass_key(p, end)
                    if p == NULL:
                        return NULL
                continue
        else:
            p = pass_scalar(p, end)
            if p == NULL or p > end:
                return NULL
            if depth == 0:
                return p
        # a value has ended, or the bracket that ends a container stands here
        while True:
            p = skip_blanks(p, end)
            if p >= end:
                return NULL
            is_object = objects[(depth - 1) >> 6] >> ((depth - 1) & 63) & 1
            if p[0] == (c'}' if is_object else c']'):
                p += 1
                depth -= 1
                if depth == 0:
                    return p
                continue
            if p[0] != c',':
                return NULL
            p = skip_blanks(p + 1, end)
            if is_object:
                p = pass_key(p, end)
                if p == NULL:
                    return NULL
            break

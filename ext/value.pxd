"""Strings and numbers: what stands between two quotes, or between two commas.

Everything here takes text that the tape or a template has already found to be one whole value.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy

from column cimport byte

cdef extern from "vector.h" nogil:
    uint32_t ss_string_stops16(const byte* p)
    uint32_t ss_plain_stops16(const byte* p)
    uint32_t ss_equals16(const byte* p, int c)
    bint ss_same16(const byte* p, const byte* q)
    bint ss_same16_masked(const byte* p, const byte* q, uint32_t mask)
    bint ss_same_run(const byte* p, const byte* q, size_t n)
    bint ss_same_long(const byte* p, const byte* q, size_t n)
    uint32_t ss_value_ends16(const byte* p)
    void ss_copy16(byte* d, const byte* s)
    int ss_ctz32(uint32_t m)
    void SS_PREFETCH(const void* p)
    void SS_PREFETCH_ALL(const byte* p, size_t size)
    const byte* ss_last_lf(const byte* begin, const byte* end)
    size_t ss_count_lf(const byte* begin, const byte* end)

cdef extern from "decimal.h" nogil:
    const byte* ss_number(const byte* p, double* out, int* integral)
    bint ss_decimal_fast(const byte* p, const byte* end, double* out)
    bint ss_decimal_small(const byte* p, const byte* end, double* out)
    bint ss_int64(const byte* p, const byte* end, int64_t* out)

cdef extern from "byte_text.h" nogil:
    void ss_byte_text_begin()
    const byte* ss_byte_text_match(const byte* p, const byte* text, const byte* end, bint spaced)

cdef extern from "utf8.h" nogil:
    const byte* ss_utf8_error(const byte* p, const byte* end)
    size_t ss_utf8_repair(const byte* p, const byte* end, byte* out)
    size_t ss_utf8_join(const byte* p, size_t n, byte* out)
    size_t ss_utf8_pairs(const byte* p, size_t n)


cdef inline int hex_digit(byte c) noexcept nogil:
    """Value of a hexadecimal digit, or -1."""
    if c'0' <= c <= c'9':
        return c - c'0'
    c |= 32
    if c'a' <= c <= c'f':
        return c - c'a' + 10
    return -1


cdef inline uint32_t hex4(const byte* p) noexcept nogil:
    """Value of four hexadecimal digits, which they must be."""
    return <uint32_t>((hex_digit(p[0]) << 12) | (hex_digit(p[1]) << 8) | (hex_digit(p[2]) << 4) | hex_digit(p[3]))


cdef inline byte* put_utf8(byte* out, uint32_t code) noexcept nogil:
    """Write a code point of the basic plane; a surrogate gets its three bytes as if it were a character."""
    if code < 0x80:
        out[0] = <byte>code
        return out + 1
    if code < 0x800:
        out[0] = <byte>(0xC0 | (code >> 6))
        out[1] = <byte>(0x80 | (code & 63))
        return out + 2
    out[0] = <byte>(0xE0 | (code >> 12))
    out[1] = <byte>(0x80 | ((code >> 6) & 63))
    out[2] = <byte>(0x80 | (code & 63))
    return out + 3


cdef inline byte* unescape_one(const byte* p, byte* out, bint* surrogates) noexcept nogil:
    """Resolve the valid escape at ``p`` (a backslash); the text goes on 6 bytes later after ``\\u``, else 2."""
    cdef uint32_t code
    cdef byte c = p[1]
    if c == c'u':
        code = hex4(p + 2)
        if 0xD800 <= code < 0xE000:
            surrogates[0] = True
        return put_utf8(out, code)
    if c == c'n':
        c = c'\n'
    elif c == c't':
        c = c'\t'
    elif c == c'r':
        c = c'\r'
    elif c == c'b':
        c = 8
    elif c == c'f':
        c = 12
    out[0] = c
    return out + 1


cdef inline byte* unescape(const byte* p, const byte* end, byte* out, bint* surrogates) noexcept nogil:
    """Write the inside of a valid JSON string; never longer than it was. Returns the end of what was written.

    Surrogates stay as they are (three bytes each) and are reported: who ends the text joins pairs.
    """
    cdef const byte* stop
    while p < end:
        stop = p
        while stop < end and stop[0] != c'\\':
            stop += 1
        memcpy(out, p, stop - p)
        out += stop - p
        p = stop
        if p < end:
            out = unescape_one(p, out, surrogates)
            p += 6 if p[1] == c'u' else 2
    return out

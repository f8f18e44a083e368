"""Objects on the tape: finding a member, asking what it is, taking it.

A duplicate key's last value wins: ``member`` looks at all keys of an object and returns the last that fits.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcmp

from column cimport byte
from tape cimport ARRAY, NULL_, NUMBER, OBJECT, STRING, TRUE, Node, Tape, tape_node
from value cimport ss_int64, ss_number, unescape

cdef struct Span:
    # the inside of a JSON string as it stands in the text; start is NULL when there is none
    const byte* start
    const byte* end
    bint escaped


cdef inline bint key_is(const Node* key, const char* name, size_t n) noexcept nogil:
    """Does this key spell ``name``? Escaped keys are resolved first (names are ASCII, so 6n bytes are enough)."""
    cdef byte plain[256]
    cdef size_t length = key.end - key.start
    cdef bint surrogates = False
    if not key.escaped:
        return length == n and memcmp(key.start, name, n) == 0
    if length > sizeof(plain) or length < n:
        return False
    length = unescape(key.start, key.end, plain, &surrogates) - plain
    return length == n and memcmp(plain, name, n) == 0


cdef inline int32_t member(const Tape* t, int32_t i, const char* name, size_t n) noexcept nogil:
    """The value of the last member of this name in the object at ``i``; -1 when there is none."""
    cdef int32_t end = tape_node(t, i).next, found = -1
    i += 1
    while i < end:
        if key_is(tape_node(t, i), name, n):
            found = i + 1
        i = tape_node(t, i + 1).next
    return found


cdef inline bint is_kind(const Tape* t, int32_t i, uint8_t kind) noexcept nogil:
    return i >= 0 and tape_node(t, i).kind == kind


cdef inline bint given(const Tape* t, int32_t i) noexcept nogil:
    """Is there a value, and is it not null?"""
    return i >= 0 and tape_node(t, i).kind != NULL_


cdef inline Span span_of(const Tape* t, int32_t i) noexcept nogil:
    """The string at ``i`` if it is one and not empty."""
    cdef Span span
    cdef Node* node
    span.start = span.end = NULL
    span.escaped = False
    if is_kind(t, i, STRING):
        node = tape_node(t, i)
        if node.end > node.start:
            span.start = node.start
            span.end = node.end
            span.escaped = node.escaped
    return span


cdef inline bint integer_at(const Tape* t, int32_t i, int64_t* out) noexcept nogil:
    """The integral part of the number at ``i``; False when it is none or does not fit."""
    return is_kind(t, i, NUMBER) and ss_int64(tape_node(t, i).start, tape_node(t, i).end, out)


cdef inline bint whole_number_at(const Tape* t, int32_t i, int64_t* out) noexcept nogil:
    """A number without a fraction that fits 64 bits, however it is spelled."""
    cdef double value = 0
    cdef int integral = 0
    if not integer_at(t, i, out):
        return False
    ss_number(tape_node(t, i).start, &value, &integral)
    return integral or value == <double>out[0]


cdef inline bint is_true(const Tape* t, int32_t i) noexcept nogil:
    """Truth as in Python: not null, false, zero or empty."""
    cdef double value = 0
    cdef int integral = 0
    cdef Node* node
    if not given(t, i):
        return False
    node = tape_node(t, i)
    if node.kind == NUMBER:
        ss_number(node.start, &value, &integral)
        return value != 0
    if node.kind == STRING:
        return node.end > node.start
    if node.kind == OBJECT or node.kind == ARRAY:
        return node.count > 0
    return node.kind == TRUE


cdef inline bint starts_with(const Node* node, const char* text, size_t n) noexcept nogil:
    """Does a string begin with ``text``? One with escapes is resolved first."""
    cdef byte plain[512]
    cdef bint surrogates = False
    cdef const byte* start = node.start
    cdef const byte* end = node.end
    cdef const byte* cut
    if node.escaped:
        # 6 bytes of source per byte of text at the most, and no text has 42; cut at an escape's border
        cut = start
        while cut < end and cut - start < 256:
            if cut[0] == c'\\':
                cut += 6 if cut[1] == c'u' else 2
            else:
                cut += 1
        end = unescape(start, cut, plain, &surrogates)
        start = plain
    return <size_t>(end - start) >= n and memcmp(start, text, n) == 0

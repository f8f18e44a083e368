"""Single chunks: one text, and at most one token, which is that text.

Most chunks of most logs say one token, and say it three times: as the text, as the token, and as its first alternative.
So it is read once and compared twice. All constant text between two places that vary is one literal here, made when the
template is learned, and rows are written with pens that stay in registers from chunk to chunk.

As everywhere in the fast path, NULL means "not of this kind", and nothing has been said then: a row counts only when its
pen is laid down. The caller reads such a chunk by its template's steps, and whatever those refuse by the generic path.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t

from chunk cimport BYTES_MISSING, BYTES_OF_TOKEN
from column cimport byte
from entry cimport EntryShape, Literal, Pen, end_row, match_text, straight_row, straight_values
from list cimport ListShape
from value cimport SS_PREFETCH, ss_copy16, ss_same16_masked, ss_same_long

cdef enum:
    MAX_PAUSE = 64

cdef struct SingleShape:
    bint able
    bint tokens        # it has a token
    bint tops          # the token has alternatives
    int which          # the text
    int rest           # the step behind ``tail``
    Literal head       # from behind the text to the token's text
    Literal open       # from behind the token's values to the first alternative's text
    Literal tail       # from behind the alternatives, or the token's values, or the text, to the next hole or the end
    uint32_t pause     # chunks to be read by steps before the next attempt ...
    uint32_t next_pause  # ... and after the next failure

cdef struct SinglePens:
    byte* text         # of the chunk: where the next one goes
    Pen tokens
    Pen tops
    int64_t* top_starts


cdef inline void write_text(Pen* pen, const byte* text, size_t n) noexcept nogil:
    """A text that ends a row soon; up to 15 bytes behind it are written too."""
    cdef size_t i = 0
    while i < n:
        ss_copy16(pen.text + pen.used + i, text + i)
        i += 16


cdef inline const byte* match_alternatives(const EntryShape* shape, const byte* p, Pen* pen, const byte* stop) noexcept nogil:
    """From inside the quotes of an alternative's token to the bracket behind the last one."""
    cdef const Literal* last = &shape.literals[shape.count - 1]
    cdef uint8_t how = BYTES_OF_TOKEN if shape.bytes else BYTES_MISSING
    cdef size_t size = 0
    while p < stop:
        SS_PREFETCH(p + 4096)
        p = straight_row(shape, p, pen, stop, &size)
        if p == NULL:
            return NULL
        end_row(pen, size, how)
        if shape.joint.n and ss_same16_masked(p, shape.joint.text, shape.joint.mask):
            p += shape.joint.n
            continue
        if not ss_same16_masked(p, last.text, last.mask):
            return NULL
        return p + last.n
    return NULL


cdef inline const byte* match_twin_and_others(const SingleShape* s, const ListShape* list, const byte* p, const byte* twin,
                                              size_t twin_size, const byte* text, size_t n, SinglePens* pens,
                                              const byte* stop) noexcept nogil:
    """Alternatives from inside the first one's quotes, where mostly the token's bytes, ``twin``, stand once more."""
    cdef const EntryShape* shape = &list.top
    cdef const Literal* last = &shape.literals[shape.count - 1]
    if not list.twins or not ss_same_long(p, twin, twin_size):
        return match_alternatives(shape, p, &pens.tops, stop)
    p += twin_size
    write_text(&pens.tops, text, n)
    pens.tops.logprobs[pens.tops.row] = pens.tokens.logprobs[pens.tokens.row]
    end_row(&pens.tops, n, BYTES_OF_TOKEN if shape.bytes else BYTES_MISSING)
    if shape.joint.n and ss_same16_masked(p, shape.joint.text, shape.joint.mask):
        return match_alternatives(shape, p + shape.joint.n, &pens.tops, stop)
    return p + last.n if ss_same16_masked(p, last.text, last.mask) else NULL


cdef inline const byte* match_single(const SingleShape* s, const ListShape* list, const byte* p, SinglePens* pens,
                                     const byte* stop) noexcept nogil:
    """From inside the text's quotes to behind ``tail``. The token's row is written, but not ended."""
    cdef byte* text = pens.text
    cdef byte* text_end = text
    cdef const byte* said = p
    cdef const byte* twin
    cdef bint surrogates = False
    cdef size_t n
    p = match_text(p, &text_end, stop, &surrogates)
    if p == NULL or surrogates:
        return NULL
    pens.text = text_end
    if s.tokens:
        n = p - said
        if not ss_same_long(p, s.head.text, s.head.n):
            return NULL
        p += s.head.n
        # its closing quote is compared as well
        if not ss_same_long(p, said, n + 1):
            return NULL
        twin = p
        p = straight_values(&list.token, p + n, text, text_end, pens.tokens.logprobs + pens.tokens.row)
        if p == NULL:
            return NULL
        write_text(&pens.tokens, text, text_end - text)
        if s.tops:
            n = p - twin
            if not ss_same_long(p, s.open.text, s.open.n):
                return NULL
            p = match_twin_and_others(s, list, p + s.open.n, twin, n, text, text_end - text, pens, stop)
            if p == NULL:
                return NULL
    return p + s.tail.n if p <= stop and ss_same_long(p, s.tail.text, s.tail.n) else NULL

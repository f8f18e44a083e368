"""Single chunks: the chunk before once more, with another text and at most one other token.

Most chunks of most logs say one token, and say it three times: as the text, as the token, and as its first alternative.
So it is read once and compared twice. All that stands between text and token, before and behind them, envelope and index
included, is taken from the chunk before as three long literals. Rows are written with pens that stay in registers from
chunk to chunk.

As everywhere in the fast path, NULL means "not of this kind", and nothing has been said then: a row counts only when its
pen is laid down. The caller reads such a chunk by its template's steps, and whatever those refuse by the generic path.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from chunk cimport BYTES_MISSING, BYTES_OF_TOKEN
from column cimport PAD, byte
from entry cimport Literal, Pen, match_text, next_row, same_literal, straight_values, write_text
from list cimport ListShape, copy_twin, ends_list
from value cimport ss_same_long

cdef enum:
    SINGLE_BYTES = 1024   # of literals
    SINGLE_ROOM = SINGLE_BYTES + PAD

cdef struct SingleShape:
    bint able
    bint tokens        # it has a token
    bint tops          # the token has alternatives
    int text_step      # of the template
    int list_step
    int rest           # the step behind ``tail``
    Literal open       # from behind the token's values to the first value of an alternative
    Literal prefix     # of the event, to its text
    Literal head       # from behind the text to the first value of the token
    Literal tail       # from behind the alternatives, or the token's values, or the text, to the rest
    byte literals[SINGLE_ROOM]
    uint32_t pause     # chunks to be read by steps before the next attempt ...
    uint32_t next_pause  # ... and after the next failure

cdef struct SinglePens:
    byte* text         # of the chunk: where the next one goes
    Pen tokens
    Pen tops
    size_t size        # of the token's text


cdef inline byte* put_literal(Literal* literal, byte* out, const byte* start, const byte* end) noexcept nogil:
    literal.text = out
    literal.n = <uint32_t>(end - start)
    literal.mask = 0xFFFF if literal.n >= 16 else (<uint32_t>1 << literal.n) - 1
    memcpy(out, start, literal.n)
    return out + literal.n


cdef inline const byte* match_single(const SingleShape* s, const ListShape* list, const byte* p, SinglePens* pens,
                                     const byte* stop) noexcept nogil:
    """From inside the text's quotes to behind ``tail``. The token's row is written, but not ended."""
    cdef byte* text = pens.text
    cdef byte* text_end = text
    cdef const byte* said = p
    cdef const byte* token
    cdef bint surrogates = False
    p = match_text(p, &text_end, stop, &surrogates)
    if p == NULL or surrogates:
        return NULL
    pens.text = text_end
    if s.tokens:
        if not ss_same_long(p, s.head.text, s.head.n):
            return NULL
        token = p + s.head.n
        # the text, and its closing quote?
        if list.token.straight and ss_same_long(token, said, p - said + 1):
            p = straight_values(&list.token, token + (p - said), text, text_end, pens.tokens.logprobs + pens.tokens.row)
            pens.size = text_end - text
            write_text(&pens.tokens, text, pens.size)
        else:
            p = next_row(&list.token, token, &pens.tokens, stop, &pens.size)
        if p == NULL:
            return NULL
        if s.tops:
            p = match_single_tops(s, list, token, p, pens, stop)
            if p == NULL:
                return NULL
    return p + s.tail.n if p <= stop and ss_same_long(p, s.tail.text, s.tail.n) else NULL


cdef inline const byte* match_single_tops(const SingleShape* s, const ListShape* list, const byte* token, const byte* p,
                                          SinglePens* pens, const byte* stop) noexcept nogil:
    """Alternatives of the token whose values are [token, p), to the bracket behind them."""
    cdef uint8_t how = BYTES_OF_TOKEN if list.token.bytes else BYTES_MISSING
    cdef const byte* q
    cdef size_t size = p - token
    if not ss_same_long(p, s.open.text, s.open.n):
        return NULL
    p += s.open.n
    if list.twins:
        q = copy_twin(&list.top, p, token, size, pens.tokens.text + pens.tokens.used, pens.size,
                      pens.tokens.logprobs[pens.tokens.row], how, &pens.tops)
        if q != NULL:
            if q[0] == c']':
                return q
            p = q + 1 + list.top_gap
            if q[0] != c',' or not same_literal(p, &list.top.literals[0]):
                return NULL
            p += list.top.literals[0].n
    p = list.read_plain(&list.top, p, list.top_gap, &pens.tops, stop)
    return p if ends_list(p) else NULL

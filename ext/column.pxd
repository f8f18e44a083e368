"""Growable memory and the columns made of it.

A Buffer is raw memory with a length. Its rule: *room is reserved before an event is read, never while it is
read*. ``buffer_reserve`` is the only function that can fail, so the readers above write without asking.
Every buffer keeps SLACK bytes beyond its room, so that 16-byte stores may overshoot its end and a text in it can be
followed by PAD zeros.

Offsets, not pointers, are kept in columns: growth moves memory and rebases nothing.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

ctypedef unsigned char byte

cdef enum:
    PAD = 64      # readable bytes behind any text that is read
    SLACK = PAD

cdef struct Buffer:
    byte* data
    size_t used
    size_t room


cdef inline bint buffer_reserve(Buffer* b, size_t more) noexcept nogil:
    """Make room for ``more`` further bytes; False when there is no memory (the buffer is then unchanged)."""
    cdef size_t room
    cdef byte* data
    if b.room - b.used >= more and b.data != NULL:
        return True
    room = b.used + more
    room = room + (room >> 1) + 256
    data = <byte*>realloc(b.data, room + SLACK)
    if data == NULL:
        return False
    b.data = data
    b.room = room
    return True


cdef inline void buffer_free(Buffer* b) noexcept nogil:
    free(b.data)
    memset(b, 0, sizeof(Buffer))


cdef inline void put_int(Buffer* b, int64_t value) noexcept nogil:
    (<int64_t*>(b.data + b.used))[0] = value
    b.used += sizeof(int64_t)


cdef inline void put_float(Buffer* b, double value) noexcept nogil:
    (<double*>(b.data + b.used))[0] = value
    b.used += sizeof(double)


cdef inline void put_code(Buffer* b, uint8_t value) noexcept nogil:
    b.data[b.used] = value
    b.used += 1


cdef inline void put_bytes(Buffer* b, const byte* data, size_t n) noexcept nogil:
    memcpy(b.data + b.used, data, n)
    b.used += n


cdef inline bint append_bytes(Buffer* b, const byte* data, size_t n) noexcept nogil:
    """Reserve and put."""
    if not buffer_reserve(b, n):
        return False
    if n:
        put_bytes(b, data, n)
    return True


# ------------------------------------------------------------------------------------------------ strings


cdef struct Text:
    # row i is data[offsets[i] : offsets[i + 1]]; offsets[0] = 0 is written by text_begin
    Buffer offsets
    Buffer data
    Buffer valid


cdef inline bint text_begin(Text* t) noexcept nogil:
    if not buffer_reserve(&t.offsets, sizeof(int64_t)):
        return False
    t.offsets.used = 0
    t.data.used = 0
    t.valid.used = 0
    put_int(&t.offsets, 0)
    return True


cdef inline bint text_reserve(Text* t, size_t rows, size_t n) noexcept nogil:
    return (buffer_reserve(&t.offsets, rows * sizeof(int64_t)) and buffer_reserve(&t.data, n)
            and buffer_reserve(&t.valid, rows))


cdef inline void text_close_row(Text* t, bint valid) noexcept nogil:
    """End the row whose bytes have been put into ``data``."""
    put_int(&t.offsets, <int64_t>t.data.used)
    put_code(&t.valid, valid)


cdef inline void text_free(Text* t) noexcept nogil:
    buffer_free(&t.offsets)
    buffer_free(&t.data)
    buffer_free(&t.valid)


# ---------------------------------------------------------------- tokens and alternatives, row by row as sent


cdef struct Entries:
    # token, bytes and logprob of either tokens or alternatives
    Buffer offsets      # int64, of token text; offsets[0] = 0
    Buffer text
    Buffer how          # uint8: BYTES_*
    Buffer own_offsets  # int64, of the bytes written out (BYTES_OWN); own_offsets[0] = 0
    Buffer own
    Buffer logprob      # double


cdef struct EntriesMark:
    size_t text
    size_t rows
    size_t own_rows
    size_t own


cdef inline bint entries_begin(Entries* e) noexcept nogil:
    e.offsets.used = e.text.used = e.how.used = e.own_offsets.used = e.own.used = e.logprob.used = 0
    if not buffer_reserve(&e.offsets, 8) or not buffer_reserve(&e.own_offsets, 8):
        return False
    put_int(&e.offsets, 0)
    put_int(&e.own_offsets, 0)
    return True


cdef inline bint entries_reserve(Entries* e, size_t rows, size_t n) noexcept nogil:
    return (buffer_reserve(&e.offsets, rows * 8) and buffer_reserve(&e.text, n) and buffer_reserve(&e.how, rows)
            and buffer_reserve(&e.own_offsets, rows * 8) and buffer_reserve(&e.own, n)
            and buffer_reserve(&e.logprob, rows * 8))


cdef inline void entries_free(Entries* e) noexcept nogil:
    buffer_free(&e.offsets)
    buffer_free(&e.text)
    buffer_free(&e.how)
    buffer_free(&e.own_offsets)
    buffer_free(&e.own)
    buffer_free(&e.logprob)


cdef inline EntriesMark entries_mark(const Entries* e) noexcept nogil:
    cdef EntriesMark mark
    mark.text = e.text.used
    mark.rows = e.how.used
    mark.own_rows = e.own_offsets.used
    mark.own = e.own.used
    return mark


cdef inline void entries_undo(Entries* e, const EntriesMark* mark) noexcept nogil:
    e.text.used = mark.text
    e.how.used = mark.rows
    e.logprob.used = mark.rows * 8
    e.offsets.used = mark.rows * 8 + 8
    e.own_offsets.used = mark.own_rows
    e.own.used = mark.own


cdef struct Rows:
    Entries tokens
    Entries tops
    Buffer top_start   # int64 a token: row number of its first alternative, over the whole call
    Buffer index       # int64 a token, written by row number when its chunk is placed, as are the next three
    Buffer position    # int64
    Buffer chunk       # int64
    Buffer list        # uint8
    int64_t first_token  # row numbers of row 0 of this batch
    int64_t first_top
    size_t dropped     # alternatives that were read and not kept


cdef struct RowsMark:
    EntriesMark tokens
    EntriesMark tops
    size_t dropped


cdef inline bint rows_begin(Rows* r) noexcept nogil:
    r.top_start.used = r.index.used = r.position.used = r.chunk.used = r.list.used = 0
    r.dropped = 0
    return entries_begin(&r.tokens) and entries_begin(&r.tops)


cdef inline bint rows_reserve(Rows* r, size_t rows, size_t n) noexcept nogil:
    """Room for as many tokens, and as many alternatives, as ``rows``, with ``n`` bytes of text each."""
    r.index.used = r.position.used = r.chunk.used = r.tokens.how.used * 8
    r.list.used = r.tokens.how.used
    return (entries_reserve(&r.tokens, rows, n) and entries_reserve(&r.tops, rows, n)
            and buffer_reserve(&r.top_start, rows * 8) and buffer_reserve(&r.index, rows * 8)
            and buffer_reserve(&r.position, rows * 8) and buffer_reserve(&r.chunk, rows * 8)
            and buffer_reserve(&r.list, rows))


cdef inline RowsMark rows_mark(const Rows* r) noexcept nogil:
    cdef RowsMark mark
    mark.tokens = entries_mark(&r.tokens)
    mark.tops = entries_mark(&r.tops)
    mark.dropped = r.dropped
    return mark


cdef inline void rows_undo(Rows* r, const RowsMark* mark) noexcept nogil:
    """All or nothing: forget what a chunk has written."""
    entries_undo(&r.tokens, &mark.tokens)
    entries_undo(&r.tops, &mark.tops)
    r.dropped = mark.dropped
    r.top_start.used = mark.tokens.rows * 8


cdef inline size_t tops_read(const Rows* r) noexcept nogil:
    """Alternatives of this batch so far, kept or not."""
    return r.tops.how.used + r.dropped


cdef inline void drop_tops(Rows* r, const EntriesMark* mark, bint count) noexcept nogil:
    """Do not keep the alternatives since the mark; ``count`` them perhaps."""
    if count:
        r.dropped += r.tops.how.used - mark.rows
    entries_undo(&r.tops, mark)


cdef inline void rows_free(Rows* r) noexcept nogil:
    entries_free(&r.tokens)
    entries_free(&r.tops)
    buffer_free(&r.top_start)
    buffer_free(&r.index)
    buffer_free(&r.position)
    buffer_free(&r.chunk)
    buffer_free(&r.list)

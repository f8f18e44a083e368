"""What a chunk says to its response.

A chunk is applied as a whole: room for its rows and texts is reserved first. Where there is none for a new record it
stops half-way, and the engine reads no more. ``apply_plain`` is the short way for a chunk that only goes on with text,
tokens and perhaps usage.
"""

from libc.math cimport fabs, isnan
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from arrival cimport arrival_at
from calls cimport apply_call
from chunk cimport (COMPLETION_TOKENS, FIGURES, LISTS, USAGE_LEVELS, USAGE_TOP, CallPiece, Chunk, Piece, Slice, Usage,
                    best_figure, call_at, piece_at, piece_count)
from column cimport Rows, buffer_reserve, put_code, put_int
from object cimport Span
from response cimport (S_FINGERPRINT, S_ID, S_MODEL, S_OBJECT, S_TIER, Choice, ChunkColumns, Place, Response, Responses,
                       Segment, chain_append, choice_at, find_choice, forget, keep, note_arrival,
                       open_choice, response_at, touch)
from value cimport ss_utf8_pairs

cdef inline void set_once(Responses* r, Slice* to, const Span* span) noexcept nogil:
    if not to.set and span.start != NULL:
        to[0] = keep(r, span)


cdef inline void take_usage(Usage* to, const Usage* other) noexcept nogil:
    cdef int figure
    if not other.seen:
        return
    for figure in range(FIGURES):
        if other.present & (1 << figure):
            to.figures[figure] = other.figures[figure]
    to.present |= other.present
    to.seen = True


cdef inline void add_logprob(Choice* choice, double x) noexcept nogil:
    """Neumaier's sum: the lost low part of each addition is kept."""
    cdef double t
    if isnan(x):
        return
    t = choice.sum + x
    if fabs(choice.sum) >= fabs(x):
        choice.correction += (choice.sum - t) + x
    else:
        choice.correction += (x - t) + choice.sum
    choice.sum = t
    choice.valued += 1


cdef inline void apply_tokens(Responses* r, Choice* choice, const Piece* piece, int64_t chunk, Rows* rows) noexcept nogil:
    """Index, position, chunk and list of the tokens that a piece has written."""
    cdef int k
    cdef size_t row, end
    for k in range(LISTS):
        row = piece.first_token[k]
        end = row + piece.token_count[k]
        while row < end:
            (<int64_t*>rows.index.data)[row] = piece.index
            (<int64_t*>rows.position.data)[row] = choice.positions[k]
            (<int64_t*>rows.chunk.data)[row] = chunk
            rows.list.data[row] = <uint8_t>k
            choice.positions[k] += 1
            add_logprob(choice, (<double*>rows.tokens.logprob.data)[row])
            row += 1


cdef inline bint apply_piece(Responses* r, int32_t i, const Piece* piece, const Chunk* chunk, const Place* place,
                             int64_t chunk_row, Rows* rows) noexcept nogil:
    """One entry of choices."""
    cdef int32_t c = find_choice(r, i, piece.index)
    cdef size_t k
    cdef Choice* choice
    if c < 0:
        c = open_choice(r, i, piece.index)
        if c < 0:
            return False
    choice = choice_at(r, c)
    set_once(r, &choice.role, &piece.role)
    if piece.finish.start != NULL:
        if not choice.finish.set:
            response_at(r, i).finished_choices += 1
        forget(r, &choice.finish)
        choice.finish = keep(r, &piece.finish)
    if r.want_choices:
        for k in range(LISTS):
            chain_append(r, &choice.texts[k], &piece.texts[k])
    if r.want_tokens:
        apply_tokens(r, choice, piece, chunk_row, rows)
    if r.want_calls:
        for k in range(piece.call_count):
            if not apply_call(r, c, call_at(chunk, piece.first_call + k), place):
                return False
    return True


cdef inline size_t tokens_of(const Piece* piece) noexcept nogil:
    return piece.token_count[0] + piece.token_count[1] + piece.token_count[2]


cdef inline int64_t text_of(const Responses* r, const Piece* piece) noexcept nogil:
    """Bytes of content, refusal and reasoning that a piece adds, in UTF-8."""
    cdef const Slice* text
    cdef size_t n = 0
    cdef int k
    for k in range(LISTS):
        text = &piece.texts[k]
        n += text.end - text.start
        if text.surrogates:
            n -= 2 * ss_utf8_pairs(r.arena.data + text.start, text.end - text.start)
    return <int64_t>n


cdef inline bint chunks_reserve(Responses* r, size_t rows) noexcept nogil:
    """Room for rows of chunks."""
    cdef ChunkColumns* out = &r.chunks_out
    if not buffer_reserve(&out.response, rows * 8):
        return False
    return not r.want_chunks or (
        buffer_reserve(&out.offset, rows * 8) and buffer_reserve(&out.length, rows * 8)
        and buffer_reserve(&out.choice_count, rows * 8) and buffer_reserve(&out.token_count, rows * 8)
        and buffer_reserve(&out.completion_tokens, rows * 8) and buffer_reserve(&out.completion_valid, rows)
        and buffer_reserve(&out.text_bytes, rows * 8)
        and (r.arrive == NULL or arrivals_reserve(r, rows)))


cdef inline bint segments_reserve(Responses* r, size_t n) noexcept nogil:
    return buffer_reserve(&r.segments.items, n * sizeof(Segment))


cdef inline void write_arrival(Responses* r, const Place* place) noexcept nogil:
    """When the chunk arrived (room is there)."""
    cdef int64_t ns
    if not r.want_chunks:
        return
    put_code(&r.chunks_out.arrival_valid, arrival_at(&r.arrivals, place.offset + place.length - 1, &ns))
    put_int(&r.chunks_out.arrival, ns)


cdef inline void chunk_arrived(void* responses, void* response, const Place* place) noexcept nogil:
    """The latest chunk of a response arrived (room is there)."""
    write_arrival(<Responses*>responses, place)
    note_arrival(<Responses*>responses, <Response*>response, place)


cdef inline bint arrivals_reserve(Responses* r, size_t rows) noexcept nogil:
    return buffer_reserve(&r.chunks_out.arrival, rows * 8) and buffer_reserve(&r.chunks_out.arrival_valid, rows)


cdef inline bint begin_arrivals(Responses* r) noexcept nogil:
    """From now on chunks have arrivals; the rows of the batch before have none. False when there is no memory."""
    cdef ChunkColumns* out = &r.chunks_out
    cdef size_t rows = out.response.used // 8
    if r.arrive == NULL and r.want_chunks:
        # as much room as the other columns have, which may have been reserved for many chunks to come
        if not arrivals_reserve(r, out.response.room // 8 + 1):
            return False
        memset(out.arrival.data, 0, rows * 8)
        memset(out.arrival_valid.data, 0, rows)
        out.arrival.used = rows * 8
        out.arrival_valid.used = rows
    r.arrive = chunk_arrived
    return True


cdef inline void write_chunk(Responses* r, int64_t number, const Place* place, size_t choices, size_t tokens,
                             int64_t text_bytes, bint reported, int64_t completion_tokens) noexcept nogil:
    """The chunk's row (room is there). Its response is kept even when only tokens are wanted, which take theirs from it."""
    cdef ChunkColumns* out = &r.chunks_out
    put_int(&out.response, number)
    if not r.want_chunks:
        return
    put_int(&out.offset, place.offset)
    put_int(&out.length, place.length)
    put_int(&out.choice_count, <int64_t>choices)
    put_int(&out.token_count, <int64_t>tokens)
    put_int(&out.text_bytes, text_bytes)
    put_code(&out.completion_valid, reported)
    put_int(&out.completion_tokens, completion_tokens)


cdef inline bint apply_chunk(Responses* r, int32_t i, const Chunk* chunk, const Place* place, size_t n,
                             Rows* rows) noexcept nogil:
    """Say all that a chunk of ``n`` bytes says to response ``i``; False when there is no memory."""
    cdef Response* a
    cdef int64_t row = r.chunks_out.first + <int64_t>(r.chunks_out.response.used // 8)
    cdef size_t pieces = piece_count(chunk), tokens = 0, k
    cdef int64_t completion_tokens = 0, text_bytes = 0
    cdef bint reported = best_figure(chunk.usage, COMPLETION_TOKENS, &completion_tokens)
    for k in range(pieces):
        tokens += tokens_of(piece_at(chunk, k))
        text_bytes += text_of(r, piece_at(chunk, k))
    if not (buffer_reserve(&r.arena, n) and chunks_reserve(r, 1)
            and segments_reserve(r, LISTS * pieces + 2 * (chunk.calls.used // sizeof(CallPiece)))):
        return False
    write_chunk(r, response_at(r, i).number, place, pieces, tokens, text_bytes, reported, completion_tokens)
    a = response_at(r, i)
    touch(r, i, place)
    if r.arrive != NULL:
        write_arrival(r, place)
    a.chunk_count += 1
    a.text |= chunk.has_text
    a.role |= chunk.has_role
    a.usage |= chunk.has_usage
    set_once(r, &a.strings[S_ID], &chunk.id)
    set_once(r, &a.strings[S_OBJECT], &chunk.object)
    set_once(r, &a.strings[S_MODEL], &chunk.model)
    set_once(r, &a.strings[S_FINGERPRINT], &chunk.fingerprint)
    set_once(r, &a.strings[S_TIER], &chunk.tier)
    if chunk.created_sent and (not a.created_sent or a.created == 0):
        a.created_sent = True
        a.created = chunk.created
    for k in range(USAGE_LEVELS):
        take_usage(&a.figures[k], &chunk.usage[k])
    for k in range(pieces):
        if not apply_piece(r, i, piece_at(chunk, k), chunk, place, row, rows):
            return False
    return True


cdef inline bint apply_plain(Responses* r, const Piece* piece, bint text, const Usage* usage, const Place* place,
                             Rows* rows) noexcept nogil:
    """A chunk that adds one choice's text and tokens, and perhaps usage, to the latest response (room is there)."""
    cdef bint reported = usage.seen and usage.present & (1 << COMPLETION_TOKENS) != 0
    cdef int32_t i = r.latest, c
    cdef Response* a = response_at(r, i)
    cdef Choice* choice
    cdef int64_t row = r.chunks_out.first + <int64_t>(r.chunks_out.response.used // 8)
    cdef int k
    write_chunk(r, a.number, place, 1, tokens_of(piece), text_of(r, piece), reported,
                usage.figures[COMPLETION_TOKENS] if reported else 0)
    c = find_choice(r, i, piece.index)
    if c < 0:
        c = open_choice(r, i, piece.index)
        if c < 0:
            return False
    choice = choice_at(r, c)
    a.end = place.offset + place.length
    if r.arrive != NULL:
        r.arrive(r, a, place)
    a.chunk_count += 1
    a.text |= text
    if usage.seen:
        a.usage = True
        take_usage(&a.figures[USAGE_TOP], usage)
    if r.want_choices:
        for k in range(LISTS):
            chain_append(r, &choice.texts[k], &piece.texts[k])
    if r.want_tokens:
        apply_tokens(r, choice, piece, row, rows)
    return True

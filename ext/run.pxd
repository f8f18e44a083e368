"""Runs: chunk after chunk of one shape and one envelope, for one choice of the latest response.

Most of a log is runs. Chunks of a run differ in texts, tokens and figures alone, so each is matched, gets its row, and
that is all; what they mean for the response is said once, at the end of the run. Their text lies in one piece in the
arena then, and their tokens in adjacent rows.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from apply cimport add_logprob, take_usage, write_chunk
from chunk cimport COMPLETION_TOKENS, FIGURES, LISTS, USAGE_TOP, WANT_TOKENS, Slice, Usage
from column cimport Rows, RowsMark, byte, rows_mark, rows_undo
from event cimport L_BLANK, L_CHUNK, Reader
from response cimport Choice, Place, Responses, chain_append, choice_at, find_choice, response_at
from template cimport STEP_BYTES, Match, Template, memo_matches, read_payload


cdef inline size_t token_room(const Reader* r, int64_t budget) noexcept nogil:
    """How far a run may read with the room that is reserved, less what one event more could need."""
    cdef size_t room = r.responses.arena.room - r.responses.arena.used
    if budget < <int64_t>room:
        room = <size_t>budget if budget > 0 else 0
    return room - 2 * STEP_BYTES if room > 2 * STEP_BYTES else 0


cdef inline void name_tokens(Rows* rows, Choice* choice, int k, size_t row, size_t end) noexcept nogil:
    """Index, position, list and sum of adjacent tokens of one list."""
    cdef int64_t* index = <int64_t*>rows.index.data
    cdef int64_t* position = <int64_t*>rows.position.data
    cdef const double* logprob = <const double*>rows.tokens.logprob.data
    cdef int64_t shift = choice.positions[k] - <int64_t>row
    cdef size_t i
    for i in range(row, end):
        index[i] = choice.index
    for i in range(row, end):
        position[i] = <int64_t>i + shift
    memset(rows.list.data + row, k, end - row)
    choice.positions[k] += <int64_t>(end - row)
    for i in range(row, end):
        add_logprob(choice, logprob[i])


cdef inline const byte* read_run(Reader* r, Template* t, Match* m, const byte* p, const byte* end, size_t limit,
                                 int64_t budget, Place* place) noexcept nogil:
    """Read on while chunk follows chunk; returns the place behind the last one, which may be ``p``.

    The chunk before was of this template and was applied, so all that ``continues`` found holds for these as well.
    """
    cdef Responses* responses = &r.responses
    cdef Rows* rows = &r.rows
    cdef int32_t c = find_choice(responses, responses.latest, m.piece.index)
    cdef Choice* choice = choice_at(responses, c)
    cdef int64_t number = response_at(responses, responses.latest).number
    cdef int64_t first = responses.chunks_out.first + <int64_t>(responses.chunks_out.response.used // 8), chunk = first
    cdef int64_t blank = t.ending_size >> 1
    cdef size_t first_row = rows.tokens.how.used, row = first_row, i, room = token_room(r, budget)
    cdef bint wanted = r.want & WANT_TOKENS != 0, one_text = t.text_steps == 1
    cdef const byte* start = p
    cdef const byte* stop = end if <size_t>(end - p) <= room else p + room
    cdef const byte* after
    cdef RowsMark mark
    cdef size_t arena = responses.arena.used, before
    cdef Usage usage = t.proto.usage[USAGE_TOP]
    cdef bint reported = usage.seen and usage.present & (1 << COMPLETION_TOKENS) != 0
    cdef Slice text
    cdef int k
    text.set = text.surrogates = False
    text.start = arena
    while p < stop and memo_matches(t, p):
        before = responses.arena.used
        if t.list_steps:
            mark = rows_mark(rows)
        after = read_payload(t, p + t.memo_size, end if <size_t>(end - p) < limit else p + limit, r.want, m, rows,
                             &responses.arena)
        if after == NULL or m.piece.index != choice.index:
            responses.arena.used = before
            if t.list_steps:
                rows_undo(rows, &mark)
            break
        if t.list_steps and not wanted:
            rows_undo(rows, &mark)
        place.length = after - p - blank
        write_chunk(responses, number, place, 1, rows.tokens.how.used - row, reported,
                    m.figures[COMPLETION_TOKENS] if reported else 0)
        if responses.arrive != NULL:
            responses.arrive(responses, response_at(responses, responses.latest), place)
        while row < rows.tokens.how.used:
            (<int64_t*>rows.chunk.data)[row] = chunk
            row += 1
        if one_text:
            text.surrogates |= m.piece.texts[t.text_which].surrogates
        elif responses.want_choices:
            for k in range(LISTS):
                chain_append(responses, &choice.texts[k], &m.piece.texts[k])
        if usage.seen:
            for k in range(FIGURES):
                usage.figures[k] = m.figures[k]
        chunk += 1
        place.offset += after - p
        p = after
    if p == start:
        return p
    if one_text and responses.want_choices:
        text.set = True
        text.end = responses.arena.used
        chain_append(responses, &choice.texts[t.text_which], &text)
    if row > first_row and responses.want_tokens:
        name_tokens(rows, choice, t.list_which, first_row, row)
    close_run(r, p - start, chunk - first, blank, responses.arena.used > arena, &usage, place)
    return p


cdef inline void close_run(Reader* r, int64_t size, int64_t chunks, int64_t blank, bint text, const Usage* usage,
                           Place* place) noexcept nogil:
    """What so many chunks mean for their response and for the account; ``place`` is behind them."""
    cdef int32_t latest = r.responses.latest
    response_at(&r.responses, latest).end = place.offset - blank
    response_at(&r.responses, latest).chunk_count += chunks
    response_at(&r.responses, latest).text |= text
    if usage.seen:
        response_at(&r.responses, latest).usage = True
        take_usage(&response_at(&r.responses, latest).figures[USAGE_TOP], usage)
    place.line += 2 * chunks
    r.account.events += chunks
    r.account.chunks += chunks
    r.account.bytes[L_CHUNK] += size - chunks * blank
    r.account.bytes[L_BLANK] += chunks * blank

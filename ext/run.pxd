"""Runs: chunk after chunk of one shape and one envelope, for one choice of the latest response.

Most of a log is runs. Chunks of a run differ in texts, tokens and figures alone, so each is matched, gets its row, and
that is all; what they mean for the response is said once, at the end of the run. Their text lies in one piece in the
arena then, and their tokens in adjacent rows.

Most of a run is *single* chunks, of which even the rows are mostly the same or count up: only what differs is written
chunk by chunk.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from apply cimport add_logprob, take_usage, text_of, write_chunk
from chunk cimport (BYTES_MISSING, BYTES_OF_TOKEN, COMPLETION_TOKENS, FIGURES, KEEP_TOPS, LISTS, USAGE_TOP, WANT_TOKENS,
                    WANT_TOPS, Slice, Usage)
from column cimport Buffer, Rows, RowsMark, byte, rows_mark, rows_undo
from entry cimport EntryShape, Pen, lay_down, take_pen
from event cimport L_BLANK, L_CHUNK, Reader
from list cimport ListShape
from response cimport (ChunkColumns, Choice, Place, Response, Responses, chain_append, choice_at, find_choice,
                       response_at)
from single cimport SINGLE_BYTES, SinglePens, SingleShape, match_single, put_literal
from template cimport STEP_BYTES, Match, Template, memo_matches, read_holes, read_payload
from value cimport SS_PREFETCH_ALL, ss_same_long

cdef enum:
    MAX_PAUSE = 64   # chunks
    OWN_BYTES = 512  # of a single chunk, without most of its alternatives

cdef struct Run:
    # of the latest response
    int32_t choice
    int64_t number       # of the response
    int64_t first_chunk  # row numbers
    int64_t chunk        # of the next chunk
    size_t first_row     # of tokens
    size_t row           # of the next token
    int64_t blank        # line ends behind a chunk that are blank lines
    bint one_text        # all chunks say the same kind of text, which is one slice then
    Slice text
    Usage usage


cdef inline size_t input_room(const Reader* r, int64_t budget) noexcept nogil:
    """How many bytes a run may read with the room that is reserved, less what one event more could need."""
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


cdef inline void fill(Buffer* b, size_t n, int64_t value) noexcept nogil:
    cdef int64_t* out = <int64_t*>(b.data + b.used)
    cdef size_t i
    for i in range(n):
        out[i] = value
    b.used += n * sizeof(int64_t)


cdef inline void fill_codes(Buffer* b, size_t n, uint8_t value) noexcept nogil:
    memset(b.data + b.used, value, n)
    b.used += n


cdef inline void write_singles(Reader* r, int64_t number, size_t chunks, bint tokens) noexcept nogil:
    """What the rows of so many single chunks have in common; offsets, lengths and bytes of text have been written."""
    cdef ChunkColumns* out = &r.responses.chunks_out
    fill(&out.response, chunks, number)
    if not r.responses.want_chunks:
        return
    out.offset.used += chunks * sizeof(int64_t)
    out.length.used += chunks * sizeof(int64_t)
    out.text_bytes.used += chunks * sizeof(int64_t)
    fill(&out.choice_count, chunks, 1)
    fill(&out.token_count, chunks, tokens)
    fill(&out.completion_tokens, chunks, 0)
    fill_codes(&out.completion_valid, chunks, False)


cdef inline void lay_singles(Rows* rows, const SingleShape* s, const Pen* tokens, const Pen* tops, int64_t chunk,
                             uint8_t how) noexcept nogil:
    """The tokens of single chunks become rows, and with them their alternatives."""
    cdef size_t first = rows.tokens.how.used, i
    cdef int64_t* chunks = <int64_t*>rows.chunk.data
    for i in range(first, tokens.row):
        chunks[i] = chunk + <int64_t>(i - first)
    memset(rows.tokens.how.data + first, how, tokens.row - first)
    rows.top_start.used = tokens.row * sizeof(int64_t)
    lay_down(tokens, &rows.tokens)
    lay_down(tops, &rows.tops)


cdef inline bint is_time(SingleShape* s) noexcept nogil:
    """Is it time to try single chunks? Where they keep failing, they are tried less and less often."""
    if s.pause:
        s.pause -= 1
        return False
    return True


cdef inline void note_singles(SingleShape* s, bint found) noexcept nogil:
    """The attempt has ended at a chunk that is none."""
    if found:
        s.next_pause = 0
        return
    s.pause = s.next_pause
    s.next_pause = 2 * s.next_pause + 1 if s.next_pause < MAX_PAUSE else MAX_PAUSE


cdef inline bint say_again(Template* t, const Match* m, const byte* event, const byte* after) noexcept nogil:
    """Make the literals of single chunks from the event just read. False when it says more than they hold, or no token."""
    cdef SingleShape* s = &t.single
    cdef const EntryShape* shape = &t.lists[t.list_which].token
    cdef const byte* text = m.holes[s.text_step]
    cdef const byte* text_end = end_of_hole(t, m, s.text_step, after)
    cdef const byte* token = text_end
    cdef const byte* tail = text_end
    cdef const byte* rest = m.holes[s.rest] if s.rest < t.count - 1 else after
    cdef byte* out = s.literals
    if s.tokens:
        if m.piece.token_count[t.list_which] == 0:
            return False
        token = m.holes[s.list_step] + shape.literals[0].n
        tail = end_of_hole(t, m, s.list_step, after) - shape.literals[shape.count - 1].n
    if (text - event) + (token - text_end) + (rest - tail) > SINGLE_BYTES:
        return False
    out = put_literal(&s.prefix, out, event, text)
    out = put_literal(&s.head, out, text_end, token)
    put_literal(&s.tail, out, tail, rest)
    return True


cdef inline const byte* end_of_hole(const Template* t, const Match* m, int k, const byte* after) noexcept nogil:
    return (m.holes[k + 1] if k + 1 < t.count - 1 else after) - t.steps[k + 1].literal.n


cdef inline const byte* read_singles(Reader* r, Template* t, Match* m, Run* run, const byte* p, const byte* stop,
                                     const byte* end, size_t limit, Place* place) noexcept nogil:
    """Read single chunks while they follow each other; returns the place behind the last one, which may be ``p``."""
    cdef SingleShape* s = &t.single
    cdef const ListShape* list = &t.lists[t.list_which]
    cdef Responses* responses = &r.responses
    cdef Rows* rows = &r.rows
    cdef bint tokens = s.tokens and r.want & WANT_TOKENS != 0, keep_tops = r.want & KEEP_TOPS != 0
    cdef bint want_chunks = responses.want_chunks
    cdef int64_t blank = run.blank
    cdef size_t first = responses.chunks_out.response.used // sizeof(int64_t), row = first
    cdef int64_t* offsets = <int64_t*>responses.chunks_out.offset.data
    cdef int64_t* lengths = <int64_t*>responses.chunks_out.length.data
    cdef int64_t* text_bytes = <int64_t*>responses.chunks_out.text_bytes.data
    cdef int64_t* top_starts = <int64_t*>rows.top_start.data
    cdef int64_t top = rows.first_top + <int64_t>rows.dropped
    cdef const byte* base = p - place.offset
    cdef const byte* chunk_stop
    cdef const byte* q
    cdef size_t ahead = OWN_BYTES   # as many as the chunk before had; its alternatives ask for theirs by themselves
    cdef SinglePens pens
    cdef Pen tops
    cdef size_t used = responses.arena.used, n
    pens.text = responses.arena.data + used
    pens.tokens = take_pen(&rows.tokens)
    pens.tops = tops = take_pen(&rows.tops)
    while p < stop and ss_same_long(p, s.prefix.text, s.prefix.n):
        SS_PREFETCH_ALL(p + 4096, ahead)
        chunk_stop = end if <size_t>(end - p) < limit else p + limit
        q = match_single(s, list, p + s.prefix.n, &pens, chunk_stop)
        if q != NULL and s.rest < t.count - 1:
            q = read_holes(t, q, s.rest, t.count - 1, chunk_stop, r.want, m, rows, &responses.arena)
        if q == NULL or q > chunk_stop:
            break
        n = pens.text - (responses.arena.data + used)
        if want_chunks:
            offsets[row] = p - base
            lengths[row] = q - p - blank
            text_bytes[row] = <int64_t>n
        row += 1
        if responses.arrive != NULL:
            place.offset = p - base
            place.length = q - p - blank
            responses.arrive(responses, response_at(responses, responses.latest), place)
        ahead = q - p if q - p < OWN_BYTES else OWN_BYTES
        p = q
        used += n
        if tokens:
            top_starts[pens.tokens.row] = top + <int64_t>tops.row
            pens.tokens.used += pens.size
            pens.tokens.row += 1
            pens.tokens.offsets[pens.tokens.row] = <int64_t>pens.tokens.used
            if keep_tops:
                tops = pens.tops
            else:
                if r.want & WANT_TOPS:
                    top += <int64_t>(pens.tops.row - tops.row)
                pens.tops = tops
        else:
            pens.tops = tops
    responses.arena.used = used
    place.offset = p - base
    if row > first:
        write_singles(r, run.number, row - first, tokens)
        rows.dropped = <size_t>(top - rows.first_top)
        if tokens:
            lay_singles(rows, s, &pens.tokens, &tops, run.chunk, BYTES_OF_TOKEN if list.token.bytes else BYTES_MISSING)
    run.chunk += <int64_t>(row - first)
    run.row = rows.tokens.how.used
    note_singles(s, row > first)
    return p


cdef inline Run begin_run(Reader* r, const Template* t, const Match* m) noexcept nogil:
    cdef Run run
    cdef Responses* responses = &r.responses
    run.choice = find_choice(responses, responses.latest, m.piece.index)
    run.number = response_at(responses, responses.latest).number
    run.first_chunk = run.chunk = next_chunk(responses)
    run.first_row = run.row = r.rows.tokens.how.used
    run.blank = t.ending_size >> 1
    run.usage = t.proto.usage[USAGE_TOP]
    run.one_text = t.text_steps == 1
    run.text.set = run.text.surrogates = False
    run.text.start = run.text.end = responses.arena.used
    return run


cdef inline int64_t next_chunk(const Responses* responses) noexcept nogil:
    return responses.chunks_out.first + <int64_t>(responses.chunks_out.response.used // sizeof(int64_t))


cdef inline const byte* read_next(Reader* r, Template* t, Match* m, Run* run, const byte* p, const byte* stop,
                                  Place* place) noexcept nogil:
    """One more chunk of the run by the template's steps; NULL when it is none."""
    cdef Responses* responses = &r.responses
    cdef Rows* rows = &r.rows
    cdef Choice* choice = choice_at(responses, run.choice)
    cdef size_t arena = responses.arena.used
    cdef bint reported = run.usage.seen and run.usage.present & (1 << COMPLETION_TOKENS) != 0
    cdef const byte* after
    cdef RowsMark mark
    cdef int k
    if not memo_matches(t, p):
        return NULL
    if t.list_steps:
        mark = rows_mark(rows)
    after = read_payload(t, p + t.memo_size, stop, r.want, m, rows, &responses.arena)
    if after == NULL or m.piece.index != choice.index:
        responses.arena.used = arena
        if t.list_steps:
            rows_undo(rows, &mark)
        return NULL
    if t.list_steps and not r.want & WANT_TOKENS:
        rows_undo(rows, &mark)
    place.length = after - p - run.blank
    write_chunk(responses, run.number, place, 1, rows.tokens.how.used - run.row, text_of(responses, &m.piece),
                reported, m.figures[COMPLETION_TOKENS] if reported else 0)
    if responses.arrive != NULL:
        responses.arrive(responses, response_at(responses, responses.latest), place)
    while run.row < rows.tokens.how.used:
        (<int64_t*>rows.chunk.data)[run.row] = run.chunk
        run.row += 1
    if run.one_text:
        run.text.surrogates |= m.piece.texts[t.text_which].surrogates
    elif responses.want_choices:
        for k in range(LISTS):
            chain_append(responses, &choice.texts[k], &m.piece.texts[k])
    if run.usage.seen:
        for k in range(FIGURES):
            run.usage.figures[k] = m.figures[k]
    run.chunk += 1
    place.offset += after - p
    return after


cdef inline const byte* read_run(Reader* r, Template* t, Match* m, const byte* event, const byte* p, const byte* end,
                                 size_t limit, int64_t budget, Place* place) noexcept nogil:
    """Read on while chunk follows chunk; returns the place behind the last one, which may be ``p``.

    The chunk before, [event, p), was of this template and was applied, so all that ``continues`` found holds for these
    as well.
    """
    cdef Run run = begin_run(r, t, m)
    cdef size_t room = input_room(r, budget)
    cdef const byte* start = p
    cdef const byte* stop = end if <size_t>(end - p) <= room else p + room
    cdef const byte* after
    cdef bint singles = t.single.able and is_time(&t.single) and say_again(t, m, event, p)
    if singles:
        p = read_singles(r, t, m, &run, p, stop, end, limit, place)
    while t.runs and p < stop:
        after = read_next(r, t, m, &run, p, end if <size_t>(end - p) < limit else p + limit, place)
        if after == NULL:
            break
        p = after
        if singles and is_time(&t.single):
            p = read_singles(r, t, m, &run, p, stop, end, limit, place)
    if p > start:
        close_run(r, t, &run, p - start, place)
    return p


cdef inline void close_run(Reader* r, const Template* t, Run* run, int64_t size, Place* place) noexcept nogil:
    """What so many chunks mean for their response and for the account; ``place`` is behind them."""
    cdef Responses* responses = &r.responses
    cdef Choice* choice = choice_at(responses, run.choice)
    cdef Response* response = response_at(responses, responses.latest)
    cdef int64_t chunks = run.chunk - run.first_chunk
    if run.one_text and responses.want_choices:
        run.text.set = True
        run.text.end = responses.arena.used
        chain_append(responses, &choice.texts[t.text_which], &run.text)
    if run.row > run.first_row and responses.want_tokens:
        name_tokens(&r.rows, choice, t.list_which, run.first_row, run.row)
    response.end = place.offset - run.blank
    response.chunk_count += chunks
    response.text |= responses.arena.used > run.text.start
    if run.usage.seen:
        response.usage = True
        take_usage(&response.figures[USAGE_TOP], &run.usage)
    place.line += 2 * chunks
    r.account.events += chunks
    r.account.chunks += chunks
    r.account.bytes[L_CHUNK] += size - chunks * run.blank
    r.account.bytes[L_BLANK] += chunks * run.blank

"""Shapes seen before: which template to try, what its match means for the response, when to learn.

Most chunks say nothing but a text and tokens for the response of the chunk before. Then placing is a comparison of
numbers (``continues``) and applying is short (``apply_plain``). Any other match is laid out as a Chunk from the template's
prototype and takes the generic way: :mod:`group` decides, :mod:`apply` applies.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from apply cimport apply_chunk, apply_plain, chunks_reserve, segments_reserve
from arena cimport ARENA_LARGE, settle
from chunk cimport (FIGURES, LISTS, NO_MEMORY, USAGE_TOP, WANT_CALLS, WANT_TOKENS, CallPiece, Chunk, Piece, Usage, call_at,
                    piece_at)
from column cimport Buffer, RowsMark, buffer_reserve, byte, rows_mark, rows_reserve, rows_undo
from event cimport L_BLANK, L_CHUNK, Reader
from group cimport place_chunk
from learn cimport learn
from response cimport (S_FINGERPRINT, S_MODEL, S_TIER, Place, Response, Responses, choice_at, find_choice, is_finished,
                       response_at)
from run cimport read_run
from template cimport (NAME_FINGERPRINT, NAME_MODEL, NAME_TIER, STEP_BYTES, TEMPLATES, Match, Template,
                       template_match)

cdef enum:
    RESERVE = 8 * STEP_BYTES   # of input; a token or alternative takes 2 bytes of it at least, a chunk or segment 16
    TEMPLATES_AND_NEW = TEMPLATES + 1   # one more than are kept: the one that is on trial
    HITS_PER_LESSON = 16   # once the store is full, a shape replaces another only after so many hits

cdef struct Shapes:
    Template* items[TEMPLATES_AND_NEW]
    int order[TEMPLATES]  # latest hit first
    int count
    int last           # the template that matched last
    int64_t hits       # since the last lesson
    int64_t budget     # bytes of input for which room in columns and arena is reserved
    Match match


cdef inline void shapes_free(Shapes* s) noexcept nogil:
    cdef int i
    for i in range(s.count):
        free(s.items[i].text)
        free(s.items[i])
    s.count = 0


cdef inline bint continues(const Reader* r, const Template* t, const Match* m) noexcept nogil:
    """Does this match, for certain, just go on with the latest response?"""
    cdef const Responses* responses = &r.responses
    cdef Response* a
    if not t.plain or not m.same_id or responses.latest < 0 or t.generation != responses.generation:
        return False
    a = response_at(responses, responses.latest)
    if t.proto.has_role and not has_role(responses, m.piece.index):
        return False
    return (a.number == t.response and not is_finished(a) and (t.id_size > 0 or not r.groups.after_done)
            and envelope_known(a, m))


cdef inline bint has_role(const Responses* r, int64_t index) noexcept nogil:
    """Has this choice of the latest response a role already?"""
    cdef int32_t c = find_choice(r, r.latest, index)
    return c >= 0 and choice_at(r, c).role.set


cdef inline bint envelope_known(const Response* a, const Match* m) noexcept nogil:
    """Has the response all that this envelope could say first?"""
    return ((not m.created or a.created != 0)
            and (m.names[NAME_MODEL].start == NULL or a.strings[S_MODEL].set)
            and (m.names[NAME_FINGERPRINT].start == NULL or a.strings[S_FINGERPRINT].set)
            and (m.names[NAME_TIER].start == NULL or a.strings[S_TIER].set))


cdef inline bint lay_out(Reader* r, const Template* t, const Match* m) noexcept nogil:
    """The match as a chunk; spans of the id point into the event or the template."""
    cdef Chunk* c = &r.chunk
    cdef Buffer pieces = c.pieces, calls = c.calls
    cdef Piece* piece
    cdef int k
    c[0] = t.proto
    c.pieces = pieces
    c.calls = calls
    c.pieces.used = c.calls.used = 0
    c.id.escaped = False
    c.id.start = m.id if m.id_size else NULL
    c.id.end = m.id + m.id_size if m.id_size else NULL
    if m.created:
        c.created = m.created_value
    for k in range(FIGURES):
        c.usage[USAGE_TOP].figures[k] = m.figures[k]
    if m.names[NAME_MODEL].start != NULL:
        c.model = m.names[NAME_MODEL]
    if m.names[NAME_FINGERPRINT].start != NULL:
        c.fingerprint = m.names[NAME_FINGERPRINT]
    if m.names[NAME_TIER].start != NULL:
        c.tier = m.names[NAME_TIER]
    c.has_answer = c.has_text = False
    if not t.has_piece:
        return True
    if not buffer_reserve(&c.pieces, sizeof(Piece)):
        return False
    piece = piece_at(c, 0)
    c.pieces.used = sizeof(Piece)
    piece[0] = t.piece
    piece.index = m.piece.index
    for k in range(LISTS):
        piece.texts[k] = m.piece.texts[k]
        piece.first_token[k] = m.piece.first_token[k]
        piece.token_count[k] = m.piece.token_count[k]
    c.has_answer = has_text(&m.piece)
    c.has_text = c.has_answer or t.has_call
    piece.first_call = piece.call_count = 0
    if t.has_call and r.want & WANT_CALLS:
        if not buffer_reserve(&c.calls, sizeof(CallPiece)):
            return False
        c.calls.used = sizeof(CallPiece)
        call_at(c, 0)[0] = t.call
        call_at(c, 0).arguments = m.arguments
        piece.call_count = 1
    return True


cdef inline bint has_text(const Piece* piece) noexcept nogil:
    cdef int k
    for k in range(LISTS):
        if piece.texts[k].end > piece.texts[k].start:
            return True
    return False


cdef inline bint apply_plain_match(Reader* r, const Template* t, const Match* m, const Place* place) noexcept nogil:
    """Say what a chunk says that just goes on with the latest response."""
    cdef Usage usage
    cdef int k
    usage = t.proto.usage[USAGE_TOP]
    if usage.seen:
        for k in range(FIGURES):
            usage.figures[k] = m.figures[k]
    return apply_plain(&r.responses, &m.piece, has_text(&m.piece), &usage, place, &r.rows)


cdef inline bint apply_match(Reader* r, Template* t, const Match* m, bint plain, const Place* place) noexcept nogil:
    """Say what a matched chunk says; False when there is no memory."""
    cdef int32_t i
    if plain:
        r.groups.after_done = False
        return apply_plain_match(r, t, m, place)
    if not lay_out(r, t, m):
        return False
    i = place_chunk(&r.groups, &r.responses, &r.chunk, False, place)
    if i == NO_MEMORY or not apply_chunk(&r.responses, i, &r.chunk, place, <size_t>place.length + 16, &r.rows):
        return False
    t.response = response_at(&r.responses, i).number
    t.generation = r.responses.generation
    return True


cdef inline bint make_room(Reader* r, Shapes* s) noexcept nogil:
    """Room for the next events, once for many."""
    if (r.responses.open_count == 0 or r.responses.arena.used > ARENA_LARGE) and not settle(&r.responses):
        return False
    if s.budget < 2 * STEP_BYTES or r.responses.arena.room - r.responses.arena.used < 2 * STEP_BYTES:
        if not (rows_reserve(&r.rows, RESERVE // 2, RESERVE) and buffer_reserve(&r.responses.arena, RESERVE)
                and chunks_reserve(&r.responses, RESERVE // 16) and segments_reserve(&r.responses, RESERVE // 16)):
            return False
        s.budget = RESERVE
    return True


cdef inline size_t limit_of(const Reader* r) noexcept nogil:
    """The longest event that a template may read (somewhat less than the contract's limit, which decides)."""
    return r.event_limit if r.event_limit < STEP_BYTES else STEP_BYTES


cdef inline const byte* stop_of(const Reader* r, const byte* p, const byte* end) noexcept nogil:
    return end if <size_t>(end - p) < limit_of(r) else p + limit_of(r)


cdef inline void drop_tokens(Reader* r, Match* m, const RowsMark* mark) noexcept nogil:
    """Tokens were read to check them; nobody wants their rows."""
    cdef int k
    rows_undo(&r.rows, mark)
    for k in range(LISTS):
        m.piece.token_count[k] = 0


cdef inline const byte* try_template(Reader* r, Shapes* s, int i, const byte* p, const byte* end) noexcept nogil:
    """Match, or leave no trace."""
    cdef RowsMark mark = rows_mark(&r.rows)
    cdef size_t arena = r.responses.arena.used
    cdef const byte* after = template_match(s.items[i], p, stop_of(r, p, end), r.want, &s.match, &r.rows,
                                            &r.responses.arena)
    if after == NULL:
        rows_undo(&r.rows, &mark)
        r.responses.arena.used = arena
        return NULL
    if not r.want & WANT_TOKENS:
        drop_tokens(r, &s.match, &mark)
    return after


cdef inline void to_front(Shapes* s, int position) noexcept nogil:
    cdef int i = s.order[position]
    while position > 0:
        s.order[position] = s.order[position - 1]
        position -= 1
    s.order[0] = i


cdef inline const byte* read_known(Reader* r, Shapes* s, const byte* p, const byte* end, Place* place,
                                   bint* good) noexcept nogil:
    """Read the event at ``p``, and the run that it begins, by a template; NULL when none fits.

    ``place`` has offset and line of the event; it comes back with the line behind what was read.
    """
    cdef const byte* after
    cdef const byte* event
    cdef bint plain
    cdef int position, i, guess
    cdef Template* t
    if s.count == 0:
        return NULL
    if not make_room(r, s):
        good[0] = False
        return NULL
    guess = i = s.items[s.last].successor
    after = try_template(r, s, i, p, end)
    if after == NULL:
        for position in range(s.count):
            i = s.order[position]
            if i != guess:
                after = try_template(r, s, i, p, end)
                if after != NULL:
                    to_front(s, position)
                    break
        if after == NULL:
            return NULL
    t = s.items[i]
    s.items[s.last].successor = i
    s.last = i
    s.hits += 1
    s.budget -= after - p
    place.length = place.size = (after - p) - (t.ending_size >> 1)
    r.account.events += 1
    r.account.chunks += 1
    r.account.bytes[L_CHUNK] += place.size
    r.account.bytes[L_BLANK] += t.ending_size >> 1
    plain = continues(r, t, &s.match)
    good[0] = apply_match(r, t, &s.match, plain, place)
    place.line += 2
    if plain and good[0] and (t.runs or t.single.able):
        place.offset += after - p
        event = p
        p = after
        after = read_run(r, t, &s.match, event, p, end, limit_of(r), s.budget, place)
        s.budget -= after - p
    return after


cdef inline bint is_regular_ending(const byte* p, const byte* end) noexcept nogil:
    """Two LFs, or twice CR LF."""
    if end - p == 2:
        return p[0] == c'\n' and p[1] == c'\n'
    return end - p == 4 and p[0] == c'\r' and p[1] == c'\n' and p[2] == c'\r' and p[3] == c'\n'


cdef inline bint learn_and_try(Reader* r, Shapes* s, int i, const byte* start, const byte* json_end,
                               const byte* after) noexcept nogil:
    """Make template ``i`` of the event just read, and prove it on that event."""
    cdef RowsMark mark = rows_mark(&r.rows)
    cdef size_t arena = r.responses.arena.used
    cdef bint right
    if not learn(s.items[i], &r.tape, &r.chunk, start, json_end, after):
        return False
    if not make_room(r, s):
        right = False
    else:
        right = template_match(s.items[i], start, stop_of(r, start, after), r.want, &s.match, &r.rows,
                               &r.responses.arena) == after
    rows_undo(&r.rows, &mark)
    r.responses.arena.used = arena
    s.items[i].memo_size = 0
    s.items[i].id_size = 0
    s.items[i].generation = -1
    if not right:
        free(s.items[i].text)
        s.items[i].text = NULL
    return right


cdef inline void consider(Reader* r, Shapes* s, const byte* start, const byte* json_end, const byte* after) noexcept nogil:
    """The generic path has read the event [start, after) as a chunk without a fault: learn its shape."""
    cdef Template* t
    cdef int i
    s.budget = 0
    if not is_regular_ending(json_end, after) or (s.count == TEMPLATES and s.hits < HITS_PER_LESSON):
        return
    # a template too many is made first: the one unused longest goes only when the new one is right
    t = <Template*>malloc(sizeof(Template))
    if t == NULL:
        return
    i = s.count
    s.items[i] = t
    if not learn_and_try(r, s, i, start, json_end, after):
        free(t)
        return
    s.hits = 0
    if s.count < TEMPLATES:
        t.successor = i
        s.order[i] = i
        s.count += 1
        to_front(s, i)
        return
    i = s.order[TEMPLATES - 1]
    t.successor = i
    free(s.items[i].text)
    free(s.items[i])
    s.items[i] = t
    to_front(s, TEMPLATES - 1)

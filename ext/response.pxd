"""Open responses: what has been said so far of each, and the rows written when one ends.

Text is not copied while it grows. All strings of open responses lie in one arena, in the order in which they came; a
Chain lists the segments that make one text, and a delta that follows its predecessor directly just makes the last
segment longer. When a response ends its chains are copied into the finished columns, once. The arena starts anew
whenever no response is open, and is packed when most of it is dead.

Records are kept in pools and named by index, since pools move when they grow. A chunk is applied as a whole: memory is
reserved first, so that nothing stops half-way.
"""

from libc.math cimport NAN, fabs, isfinite, isnan
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from chunk cimport (CACHED_TOKENS, COMPLETION_TOKENS, FIGURES, LISTS, USAGE_LEVELS, USAGE_TOP, CallPiece, Chunk, Piece, Slice,
                    Span, Usage, call_at, piece_at, piece_count)
from column cimport (Buffer, Rows, Text, append_bytes, buffer_free, buffer_reserve, byte, put_bytes, put_code,
                     put_float, put_int, text_begin, text_close_row, text_free, text_reserve)
from map cimport Map, hash_bytes, map_add, map_clear, map_free, map_next, map_remove, mix
from tape cimport OBJECT, TAPE_OK, Tape, tape_node, tape_read
from value cimport ss_utf8_join, unescape

cdef enum:
    COMPLETE, TRUNCATED, ERRORED

cdef enum:
    # strings of a response
    S_ID, S_OBJECT, S_MODEL, S_FINGERPRINT, S_TIER, S_ERROR_MESSAGE, S_ERROR_CODE, STRINGS

cdef struct Place:
    # where an event stands in its source
    int64_t offset
    int64_t length
    int64_t line
    int64_t size   # bytes of its own lines (length may hold comments too)

cdef struct Pool:
    Buffer items
    int32_t free
    bint any_free

cdef struct Segment:
    int32_t next
    size_t start
    size_t end

cdef struct Chain:
    int32_t first
    int32_t last
    size_t length
    bint set
    bint surrogates

cdef struct Call:
    int32_t next     # older call of the choice
    int64_t index
    bint indexed
    Slice id
    Slice type
    Slice name
    Chain arguments
    Place place

cdef struct Choice:
    int32_t next
    int64_t index
    int64_t response    # its number
    Slice role
    Slice finish
    Chain texts[3]
    int64_t positions[3]
    double sum
    double correction
    int64_t valued
    int32_t newest_call
    int32_t entry_call  # the call the entry before went to
    int32_t call_count

cdef struct Id:
    int32_t next
    uint64_t hash
    size_t start
    size_t end
    int32_t response

cdef struct Response:
    int32_t newer      # neighbours by latest event; -1 at the ends
    int32_t older
    int32_t first_choice
    int32_t first_id
    int64_t number
    int64_t offset
    int64_t end
    int64_t chunk_count
    int64_t choice_count
    int64_t finished_choices
    bint done
    bint error
    bint text          # has had content, refusal, reasoning or a tool call
    bint role
    bint usage
    bint created_sent
    int64_t created
    Slice strings[7]
    Usage figures[3]

cdef struct ResponseColumns:
    Buffer number
    Buffer source
    Buffer offset
    Buffer length
    Buffer chunk_count
    Buffer done
    Buffer status
    Buffer created
    Buffer created_valid
    Buffer figures[5]
    Buffer figures_valid[5]
    Text strings[7]

cdef struct ChoiceColumns:
    Buffer response
    Buffer index
    Buffer token_count
    Buffer logprob_sum
    Text role
    Text texts[3]
    Text finish

cdef struct CallColumns:
    Buffer response
    Buffer index
    Buffer call
    Text id
    Text type
    Text name
    Text arguments

cdef struct ChunkColumns:
    Buffer response
    Buffer offset
    Buffer length
    Buffer choice_count
    Buffer token_count
    Buffer completion_tokens
    Buffer completion_valid
    int64_t first      # row number of row 0 of this batch

cdef struct Problem:
    int64_t source
    int64_t offset
    int64_t length
    int64_t line
    int64_t response
    uint8_t kind
    uint8_t message
    uint8_t has_response

cdef struct Responses:
    # wanted tables
    bint want_responses
    bint want_choices
    bint want_calls
    bint want_chunks
    bint want_tokens
    # open
    Buffer arena
    size_t live         # bytes of the arena that a record names
    Pool segments
    Pool calls
    Pool choices
    Pool ids
    Pool open
    Map choice_map      # (response, index) -> choice
    Map id_map          # hash -> Id
    int32_t latest
    int32_t silent      # the one silent longest
    size_t open_count
    int64_t next_number
    int64_t generation  # goes up whenever an id gets another owner, or none
    int64_t source
    Tape scratch        # for the question whether arguments are a whole object
    Buffer scratch_text
    # finished
    ResponseColumns responses_out
    ChoiceColumns choices_out
    CallColumns calls_out
    ChunkColumns chunks_out
    Buffer problems     # Problem
    int64_t problem_count   # over all sources


# ------------------------------------------------------------------------------------------------------ pools


cdef inline int32_t pool_take(Pool* p, size_t size) noexcept nogil:
    """The index of a zeroed record (room was reserved)."""
    cdef int32_t i
    if p.any_free:
        i = p.free
        p.free = (<int32_t*>(p.items.data + <size_t>i * size))[0]
        p.any_free = p.free >= 0
    else:
        i = <int32_t>(p.items.used // size)
        p.items.used += size
    memset(p.items.data + <size_t>i * size, 0, size)
    return i


cdef inline void pool_give(Pool* p, size_t size, int32_t i) noexcept nogil:
    (<int32_t*>(p.items.data + <size_t>i * size))[0] = p.free if p.any_free else -1
    p.free = i
    p.any_free = True


cdef inline void pool_clear(Pool* p) noexcept nogil:
    p.items.used = 0
    p.any_free = False


cdef inline Segment* segment_at(const Responses* r, int32_t i) noexcept nogil:
    return <Segment*>r.segments.items.data + i


cdef inline Call* call_record(const Responses* r, int32_t i) noexcept nogil:
    return <Call*>r.calls.items.data + i


cdef inline Choice* choice_at(const Responses* r, int32_t i) noexcept nogil:
    return <Choice*>r.choices.items.data + i


cdef inline Id* id_at(const Responses* r, int32_t i) noexcept nogil:
    return <Id*>r.ids.items.data + i


cdef inline Response* response_at(const Responses* r, int32_t i) noexcept nogil:
    return <Response*>r.open.items.data + i


# --------------------------------------------------------------------------------------------- text in the arena


cdef inline Slice keep(Responses* r, const Span* span) noexcept nogil:
    """A string of the event, unescaped into the arena as valid UTF-8 (room for it is there)."""
    cdef Slice out
    cdef byte* start = r.arena.data + r.arena.used
    cdef byte* end
    out.surrogates = False
    end = unescape(span.start, span.end, start, &out.surrogates)
    if out.surrogates:
        end = start + ss_utf8_join(start, end - start, start)
        out.surrogates = False
    out.start = r.arena.used
    r.arena.used += end - start
    out.end = r.arena.used
    out.set = True
    r.live += out.end - out.start
    return out


cdef inline Slice keep_raw(Responses* r, const Span* span) noexcept nogil:
    """As ``keep``, with surrogates left for the end of the response."""
    cdef Slice out
    cdef byte* start = r.arena.data + r.arena.used
    out.surrogates = False
    out.start = r.arena.used
    r.arena.used += unescape(span.start, span.end, start, &out.surrogates) - start
    out.end = r.arena.used
    out.set = True
    r.live += out.end - out.start
    return out


cdef inline void forget(Responses* r, const Slice* text) noexcept nogil:
    """These bytes are named by no record any more."""
    r.live -= text.end - text.start


cdef inline void chain_append(Responses* r, Chain* chain, const Slice* text) noexcept nogil:
    """Add a delta to a text; room for a segment is there."""
    cdef int32_t i
    if not text.set:
        return
    chain.surrogates |= text.surrogates
    if text.end == text.start:
        chain.set = True
        return
    r.live += text.end - text.start
    if chain.length and segment_at(r, chain.last).end == text.start:
        segment_at(r, chain.last).end = text.end
    else:
        i = pool_take(&r.segments, sizeof(Segment))
        segment_at(r, i).start = text.start
        segment_at(r, i).end = text.end
        segment_at(r, i).next = -1
        if chain.length:
            segment_at(r, chain.last).next = i
        else:
            chain.first = i
        chain.last = i
    chain.set = True
    chain.length += text.end - text.start


cdef inline void chain_copy(const Responses* r, const Chain* chain, byte* out) noexcept nogil:
    cdef int32_t i = chain.first
    cdef Segment* segment
    if chain.length == 0:
        return
    while i >= 0:
        segment = segment_at(r, i)
        memcpy(out, r.arena.data + segment.start, segment.end - segment.start)
        out += segment.end - segment.start
        i = segment.next


cdef inline void chain_free(Responses* r, Chain* chain) noexcept nogil:
    cdef int32_t i = chain.first, following
    if chain.length == 0:
        return
    while i >= 0:
        following = segment_at(r, i).next
        pool_give(&r.segments, sizeof(Segment), i)
        i = following


cdef inline bint is_whole_object(Responses* r, const Chain* chain) noexcept nogil:
    """Are these arguments a JSON object, complete?"""
    if chain.length == 0 or not buffer_reserve(&r.scratch_text, chain.length + 1):
        return False
    chain_copy(r, chain, r.scratch_text.data)
    memset(r.scratch_text.data + chain.length, 0, 1)
    return (tape_read(&r.scratch, r.scratch_text.data, r.scratch_text.data + chain.length, 1024) == TAPE_OK
            and tape_node(&r.scratch, 0).kind == OBJECT)


# -------------------------------------------------------------------------------------------- order of events


cdef inline void unlink(Responses* r, int32_t i) noexcept nogil:
    cdef Response* a = response_at(r, i)
    if a.newer >= 0:
        response_at(r, a.newer).older = a.older
    else:
        r.latest = a.older
    if a.older >= 0:
        response_at(r, a.older).newer = a.newer
    else:
        r.silent = a.newer


cdef inline void link_latest(Responses* r, int32_t i) noexcept nogil:
    cdef Response* a = response_at(r, i)
    a.newer = -1
    a.older = r.latest
    if r.latest >= 0:
        response_at(r, r.latest).newer = i
    else:
        r.silent = i
    r.latest = i


cdef inline void touch(Responses* r, int32_t i, const Place* place) noexcept nogil:
    """An event of this response: it is the latest now, and reaches to the event's end."""
    response_at(r, i).end = place.offset + place.length
    if r.latest != i:
        unlink(r, i)
        link_latest(r, i)


cdef inline bint is_finished(const Response* a) noexcept nogil:
    return a.error or (a.choice_count > 0 and a.finished_choices == a.choice_count)


# ---------------------------------------------------------------------------------------------------- records


cdef inline int32_t find_by_id(const Responses* r, const byte* id, size_t n, uint64_t hash) noexcept nogil:
    """The newest open response that has had this id; -1 when there is none."""
    cdef size_t at = 0
    cdef int32_t i = map_next(&r.id_map, hash, &at), found = -1
    cdef int64_t number = -1
    while i >= 0:
        if (id_at(r, i).end - id_at(r, i).start == n
                and memcmp(r.arena.data + id_at(r, i).start, id, n) == 0
                and response_at(r, id_at(r, i).response).number > number):
            found = id_at(r, i).response
            number = response_at(r, found).number
        i = map_next(&r.id_map, hash, &at)
    return found


cdef inline bint own_id(Responses* r, int32_t i, const byte* id, size_t n, uint64_t hash) noexcept nogil:
    """This response owns the id from now on."""
    cdef int32_t record
    cdef Id* node
    if not buffer_reserve(&r.ids.items, sizeof(Id)) or not buffer_reserve(&r.arena, n):
        return False
    record = pool_take(&r.ids, sizeof(Id))
    node = id_at(r, record)
    node.start = r.arena.used
    put_bytes(&r.arena, id, n)
    node.end = r.arena.used
    node.hash = hash
    r.live += n
    r.generation += 1
    node.response = i
    node.next = response_at(r, i).first_id
    response_at(r, i).first_id = record
    return map_add(&r.id_map, node.hash, record)


cdef inline int32_t find_choice(const Responses* r, int32_t i, int64_t index) noexcept nogil:
    cdef size_t at = 0
    cdef int32_t c = response_at(r, i).first_choice
    cdef uint64_t key
    if c >= 0 and choice_at(r, c).index == index:
        return c
    if response_at(r, i).choice_count < 2:
        return -1
    key = mix(<uint64_t>index, <uint64_t>response_at(r, i).number + 1)
    c = map_next(&r.choice_map, key, &at)
    while c >= 0:
        if choice_at(r, c).index == index and choice_at(r, c).response == response_at(r, i).number:
            return c
        c = map_next(&r.choice_map, key, &at)
    return -1


cdef inline int32_t open_choice(Responses* r, int32_t i, int64_t index) noexcept nogil:
    """A new choice of response ``i``; -1 when there is no memory."""
    cdef int32_t c
    cdef Choice* choice
    if not buffer_reserve(&r.choices.items, sizeof(Choice)):
        return -1
    c = pool_take(&r.choices, sizeof(Choice))
    choice = choice_at(r, c)
    choice.index = index
    choice.response = response_at(r, i).number
    choice.newest_call = choice.entry_call = -1
    choice.next = response_at(r, i).first_choice
    response_at(r, i).first_choice = c
    response_at(r, i).choice_count += 1
    if not map_add(&r.choice_map, mix(<uint64_t>index, <uint64_t>response_at(r, i).number + 1), c):
        return -1
    return c


cdef inline int32_t open_response(Responses* r, const Place* place) noexcept nogil:
    """A new response that begins with the event at ``place``; -1 when there is no memory."""
    cdef int32_t i
    cdef Response* a
    if not buffer_reserve(&r.open.items, sizeof(Response)):
        return -1
    i = pool_take(&r.open, sizeof(Response))
    a = response_at(r, i)
    a.number = r.next_number
    a.offset = place.offset
    a.end = place.offset + place.length
    a.first_choice = a.first_id = -1
    r.next_number += 1
    r.open_count += 1
    link_latest(r, i)
    return i


# ------------------------------------------------------------------------------------------------ what is said


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


cdef inline bint best_figure(const Usage* levels, int figure, int64_t* out) noexcept nogil:
    cdef int level
    for level in range(USAGE_LEVELS):
        if levels[level].present & (1 << figure):
            out[0] = levels[level].figures[figure]
            return True
    return False


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


cdef inline double logprob_sum(const Choice* choice) noexcept nogil:
    if choice.valued == 0:
        return NAN
    return choice.sum + choice.correction if isfinite(choice.sum) else choice.sum


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


cdef inline int32_t find_call(Responses* r, const Choice* choice, const CallPiece* piece, const Slice* id) noexcept nogil:
    """The call that an entry speaks of, by index, by id, or by being the one before; -1 when it is new."""
    cdef int32_t i = choice.newest_call
    cdef Call* call
    if not piece.indexed and not id.set:
        return choice.entry_call
    while i >= 0:
        call = call_record(r, i)
        if piece.indexed:
            if call.indexed and call.index == piece.index:
                return i
        elif (call.id.set and call.id.end - call.id.start == id.end - id.start
              and memcmp(r.arena.data + call.id.start, r.arena.data + id.start, id.end - id.start) == 0):
            return i
        i = call.next
    return -1


cdef inline bint same_slice(const Responses* r, const Slice* a, const Slice* b) noexcept nogil:
    return (a.end - a.start == b.end - b.start
            and memcmp(r.arena.data + a.start, r.arena.data + b.start, a.end - a.start) == 0)


cdef inline bint begins_call(Responses* r, const Call* call, const CallPiece* piece, const Slice* id,
                             const Slice* name) noexcept nogil:
    """Does an entry that points to ``call`` open another one all the same?"""
    cdef bint other_id = id.set and call.id.set and not same_slice(r, id, &call.id)
    if not name.set or not (other_id or (not id.set and not piece.indexed)):
        return False
    return not (call.name.set and same_slice(r, name, &call.name)) or is_whole_object(r, &call.arguments)


cdef inline void extend_name(Responses* r, Slice* to, const Slice* name) noexcept nogil:
    """A name equal to what stands is a repetition; any other is the next part of it."""
    cdef size_t start
    if not to.set:
        to[0] = name[0]
    elif same_slice(r, to, name):
        forget(r, name)
    else:
        start = r.arena.used
        put_bytes(&r.arena, r.arena.data + to.start, to.end - to.start)
        put_bytes(&r.arena, r.arena.data + name.start, name.end - name.start)
        to.start = start
        to.end = r.arena.used
        to.surrogates |= name.surrogates


cdef inline bint apply_call(Responses* r, int32_t c, const CallPiece* piece, const Place* place) noexcept nogil:
    """One entry of tool_calls."""
    cdef Choice* choice = choice_at(r, c)
    cdef Slice id, name, type
    cdef int32_t i
    cdef Call* call
    memset(&id, 0, sizeof(Slice))
    memset(&name, 0, sizeof(Slice))
    memset(&type, 0, sizeof(Slice))
    if piece.id.start != NULL:
        id = keep(r, &piece.id)
    if piece.name.start != NULL:
        name = keep_raw(r, &piece.name)
    if piece.type.start != NULL:
        type = keep(r, &piece.type)
    i = find_call(r, choice, piece, &id)
    if i < 0 or begins_call(r, call_record(r, i), piece, &id, &name):
        if not buffer_reserve(&r.calls.items, sizeof(Call)):
            return False
        i = pool_take(&r.calls, sizeof(Call))
        call = call_record(r, i)
        call.next = choice.newest_call
        call.place = place[0]
        choice.newest_call = i
        choice.call_count += 1
    call = call_record(r, i)
    choice.entry_call = i
    if piece.indexed and not call.indexed:
        call.indexed = True
        call.index = piece.index
    if id.set:
        if call.id.set:
            forget(r, &id)
        else:
            call.id = id
    if type.set:
        if call.type.set:
            forget(r, &type)
        else:
            call.type = type
    if name.set:
        if not buffer_reserve(&r.arena, (call.name.end - call.name.start) + (name.end - name.start)):
            return False
        extend_name(r, &call.name, &name)
    chain_append(r, &call.arguments, &piece.arguments)
    return True


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


cdef inline bint write_chunk(Responses* r, int64_t number, const Place* place, size_t choices, size_t tokens,
                             bint reported, int64_t completion_tokens) noexcept nogil:
    """The chunk's row. Its response is kept even when only tokens are wanted, which take theirs from it."""
    cdef ChunkColumns* out = &r.chunks_out
    if not buffer_reserve(&out.response, 8):
        return False
    put_int(&out.response, number)
    if not r.want_chunks:
        return True
    if not (buffer_reserve(&out.offset, 8) and buffer_reserve(&out.length, 8) and buffer_reserve(&out.choice_count, 8)
            and buffer_reserve(&out.token_count, 8) and buffer_reserve(&out.completion_tokens, 8)
            and buffer_reserve(&out.completion_valid, 1)):
        return False
    put_int(&out.offset, place.offset)
    put_int(&out.length, place.length)
    put_int(&out.choice_count, <int64_t>choices)
    put_int(&out.token_count, <int64_t>tokens)
    put_code(&out.completion_valid, reported)
    put_int(&out.completion_tokens, completion_tokens)
    return True


cdef inline bint apply_chunk(Responses* r, int32_t i, const Chunk* chunk, const Place* place, size_t n,
                             Rows* rows) noexcept nogil:
    """Say all that a chunk of ``n`` bytes says to response ``i``; False when there is no memory."""
    cdef Response* a
    cdef int64_t row = r.chunks_out.first + <int64_t>(r.chunks_out.response.used // 8)
    cdef size_t pieces = piece_count(chunk), tokens = 0, k
    cdef int64_t completion_tokens = 0
    cdef bint reported = best_figure(chunk.usage, COMPLETION_TOKENS, &completion_tokens)
    for k in range(pieces):
        tokens += tokens_of(piece_at(chunk, k))
    if not (buffer_reserve(&r.arena, n) and buffer_reserve(&r.segments.items, (3 * pieces + chunk.calls.used //
            sizeof(CallPiece)) * sizeof(Segment)) and write_chunk(r, response_at(r, i).number, place, pieces, tokens,
                                                         reported, completion_tokens)):
        return False
    a = response_at(r, i)
    touch(r, i, place)
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
    """A chunk that adds one choice's text and tokens, and perhaps usage, to the latest response."""
    cdef bint reported = usage.seen and usage.present & (1 << COMPLETION_TOKENS) != 0
    cdef int32_t i = r.latest, c
    cdef Response* a = response_at(r, i)
    cdef Choice* choice
    cdef int64_t row = r.chunks_out.first + <int64_t>(r.chunks_out.response.used // 8)
    cdef int k
    if not (buffer_reserve(&r.segments.items, 3 * sizeof(Segment))
            and write_chunk(r, a.number, place, 1, tokens_of(piece), reported,
                            usage.figures[COMPLETION_TOKENS] if reported else 0)):
        return False
    c = find_choice(r, i, piece.index)
    if c < 0:
        c = open_choice(r, i, piece.index)
        if c < 0:
            return False
    choice = choice_at(r, c)
    a.end = place.offset + place.length
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


# --------------------------------------------------------------------------------------------- a response ends


cdef inline bint close_slice(Responses* r, Text* column, const Slice* text, bint nullable) noexcept nogil:
    """Write a string as the next row of a column."""
    cdef size_t n = text.end - text.start
    cdef byte* out
    if not text_reserve(column, 1, n):
        return False
    out = column.data.data + column.data.used
    memcpy(out, r.arena.data + text.start, n)
    if text.surrogates:
        n = ss_utf8_join(out, n, out)
    column.data.used += n
    text_close_row(column, text.set or not nullable)
    r.live -= text.end - text.start
    return True


cdef inline bint close_chain(Responses* r, Text* column, Chain* chain, bint nullable) noexcept nogil:
    cdef size_t n = chain.length
    cdef byte* out
    if not text_reserve(column, 1, n):
        return False
    out = column.data.data + column.data.used
    chain_copy(r, chain, out)
    if chain.surrogates:
        n = ss_utf8_join(out, n, out)
    column.data.used += n
    text_close_row(column, chain.set or not nullable)
    r.live -= chain.length
    chain_free(r, chain)
    return True


cdef inline int32_t in_order_opened(Responses* r, int32_t newest) noexcept nogil:
    """Turn a choice's calls round: oldest first."""
    cdef int32_t before = -1, following
    while newest >= 0:
        following = call_record(r, newest).next
        call_record(r, newest).next = before
        before = newest
        newest = following
    return before


cdef inline bint add_problem(Responses* r, uint8_t kind, uint8_t message, const Place* place, int64_t response,
                             bint has_response) noexcept nogil:
    cdef Problem* problem
    if not buffer_reserve(&r.problems, sizeof(Problem)):
        return False
    problem = <Problem*>(r.problems.data + r.problems.used)
    memset(problem, 0, sizeof(Problem))
    problem.source = r.source
    problem.offset = place.offset
    problem.length = place.length
    problem.line = place.line
    problem.kind = kind
    problem.message = message
    problem.response = response if has_response else 0
    problem.has_response = has_response
    r.problems.used += sizeof(Problem)
    r.problem_count += 1
    return True


cdef inline bint close_calls(Responses* r, Choice* choice, int64_t number, uint8_t type_kind,
                             uint8_t nameless) noexcept nogil:
    cdef int32_t i = in_order_opened(r, choice.newest_call), following
    cdef CallColumns* out = &r.calls_out
    cdef Call* call
    cdef int64_t place = 0
    while i >= 0:
        call = call_record(r, i)
        following = call.next
        if not call.name.set:
            if not add_problem(r, type_kind, nameless, &call.place, number, True):
                return False
            r.live -= call.id.end - call.id.start + call.type.end - call.type.start + call.arguments.length
            chain_free(r, &call.arguments)
        else:
            if not (buffer_reserve(&out.response, 8) and buffer_reserve(&out.index, 8) and buffer_reserve(&out.call, 8)
                    and close_slice(r, &out.id, &call.id, False) and close_slice(r, &out.type, &call.type, False)
                    and close_slice(r, &out.name, &call.name, False)
                    and close_chain(r, &out.arguments, &call.arguments, False)):
                return False
            put_int(&out.response, number)
            put_int(&out.index, choice.index)
            put_int(&out.call, place)
            place += 1
        pool_give(&r.calls, sizeof(Call), i)
        i = following
    return True


cdef inline int32_t sort_choices(Responses* r, int32_t first) noexcept nogil:
    """Order a list of choices by index: merge sort of a linked list, runs of 1, 2, 4, ..."""
    cdef int32_t a, b, tail, out, chosen
    cdef size_t run = 1, merges, a_size, b_size
    while True:
        a = first
        first = tail = -1
        merges = 0
        while a >= 0:
            merges += 1
            b = a
            a_size = 0
            while a_size < run and b >= 0:
                a_size += 1
                b = choice_at(r, b).next
            b_size = run
            while a_size > 0 or (b_size > 0 and b >= 0):
                if a_size == 0 or (b_size > 0 and b >= 0 and choice_at(r, b).index < choice_at(r, a).index):
                    chosen = b
                    b = choice_at(r, b).next
                    b_size -= 1
                else:
                    chosen = a
                    a = choice_at(r, a).next
                    a_size -= 1
                if tail >= 0:
                    choice_at(r, tail).next = chosen
                else:
                    first = chosen
                tail = chosen
            a = b
        if tail >= 0:
            choice_at(r, tail).next = -1
        if merges <= 1:
            return first
        run *= 2


cdef inline bint close_choice(Responses* r, Choice* choice, int64_t number) noexcept nogil:
    cdef ChoiceColumns* out = &r.choices_out
    cdef int64_t tokens = 0
    cdef int k
    if not (buffer_reserve(&out.response, 8) and buffer_reserve(&out.index, 8) and buffer_reserve(&out.token_count, 8)
            and buffer_reserve(&out.logprob_sum, 8) and close_slice(r, &out.role, &choice.role, True)
            and close_slice(r, &out.finish, &choice.finish, True)):
        return False
    for k in range(LISTS):
        tokens += choice.positions[k]
        if not close_chain(r, &out.texts[k], &choice.texts[k], True):
            return False
    put_int(&out.response, number)
    put_int(&out.index, choice.index)
    put_int(&out.token_count, tokens)
    put_float(&out.logprob_sum, logprob_sum(choice))
    return True


cdef inline bint write_response(Responses* r, Response* a) noexcept nogil:
    cdef ResponseColumns* out = &r.responses_out
    cdef int64_t figure
    cdef int k
    if not (buffer_reserve(&out.number, 8) and buffer_reserve(&out.source, 8) and buffer_reserve(&out.offset, 8)
            and buffer_reserve(&out.length, 8) and buffer_reserve(&out.chunk_count, 8) and buffer_reserve(&out.done, 1)
            and buffer_reserve(&out.status, 1) and buffer_reserve(&out.created, 8)
            and buffer_reserve(&out.created_valid, 1)):
        return False
    for k in range(FIGURES):
        if not (buffer_reserve(&out.figures[k], 8) and buffer_reserve(&out.figures_valid[k], 1)):
            return False
    for k in range(STRINGS):
        if not close_slice(r, &out.strings[k], &a.strings[k], not (k == S_ID or k == S_OBJECT or k == S_MODEL)):
            return False
    put_int(&out.number, a.number)
    put_int(&out.source, r.source)
    put_int(&out.offset, a.offset)
    put_int(&out.length, a.end - a.offset)
    put_int(&out.chunk_count, a.chunk_count)
    put_code(&out.done, a.done)
    put_code(&out.status, ERRORED if a.error else COMPLETE if a.done or is_finished(a) else TRUNCATED)
    put_int(&out.created, a.created if a.created_sent else 0)
    put_code(&out.created_valid, a.created_sent)
    for k in range(FIGURES):
        figure = 0
        put_code(&out.figures_valid[k], best_figure(a.figures, k, &figure))
        put_int(&out.figures[k], figure)
    return True


cdef inline bint end_response(Responses* r, int32_t i, uint8_t type_kind, uint8_t nameless) noexcept nogil:
    """Write the rows of an open response and forget it; False when there is no memory."""
    cdef Response* a = response_at(r, i)
    cdef int32_t c, following
    cdef Choice* choice
    if r.want_responses and not write_response(r, a):
        return False
    c = sort_choices(r, a.first_choice)
    while c >= 0:
        choice = choice_at(r, c)
        following = choice.next
        if not close_calls(r, choice, a.number, type_kind, nameless):
            return False
        if r.want_choices and not close_choice(r, choice, a.number):
            return False
        map_remove(&r.choice_map, mix(<uint64_t>choice.index, <uint64_t>a.number + 1), c)
        pool_give(&r.choices, sizeof(Choice), c)
        c = following
    c = a.first_id
    while c >= 0:
        following = id_at(r, c).next
        map_remove(&r.id_map, id_at(r, c).hash, c)
        r.live -= id_at(r, c).end - id_at(r, c).start
        pool_give(&r.ids, sizeof(Id), c)
        c = following
    unlink(r, i)
    r.generation += 1
    pool_give(&r.open, sizeof(Response), i)
    r.open_count -= 1
    return True


# ------------------------------------------------------------------------------------------------ the arena


cdef inline void move_slice(Responses* r, Buffer* to, Slice* text) noexcept nogil:
    cdef size_t start = to.used
    if text.set:
        put_bytes(to, r.arena.data + text.start, text.end - text.start)
        text.start = start
        text.end = to.used


cdef inline void move_chain(Responses* r, Buffer* to, Chain* chain) noexcept nogil:
    cdef size_t start = to.used
    cdef int32_t i, following
    if chain.length == 0:
        return
    chain_copy(r, chain, to.data + start)
    to.used += chain.length
    i = segment_at(r, chain.first).next
    while i >= 0:
        following = segment_at(r, i).next
        pool_give(&r.segments, sizeof(Segment), i)
        i = following
    chain.last = chain.first
    segment_at(r, chain.first).next = -1
    segment_at(r, chain.first).start = start
    segment_at(r, chain.first).end = to.used


cdef inline bint pack_arena(Responses* r) noexcept nogil:
    """Move what open responses name into a new arena."""
    cdef Buffer to
    cdef int32_t i = r.latest, c, call, id
    cdef Choice* choice
    cdef Call* record
    cdef int k
    memset(&to, 0, sizeof(Buffer))
    if not buffer_reserve(&to, r.arena.used):
        return False
    while i >= 0:
        id = response_at(r, i).first_id
        while id >= 0:
            put_bytes(&to, r.arena.data + id_at(r, id).start, id_at(r, id).end - id_at(r, id).start)
            id_at(r, id).start = to.used - (id_at(r, id).end - id_at(r, id).start)
            id_at(r, id).end = to.used
            id = id_at(r, id).next
        for k in range(STRINGS):
            move_slice(r, &to, &response_at(r, i).strings[k])
        c = response_at(r, i).first_choice
        while c >= 0:
            choice = choice_at(r, c)
            move_slice(r, &to, &choice.role)
            move_slice(r, &to, &choice.finish)
            for k in range(LISTS):
                move_chain(r, &to, &choice.texts[k])
            call = choice.newest_call
            while call >= 0:
                record = call_record(r, call)
                move_slice(r, &to, &record.id)
                move_slice(r, &to, &record.type)
                move_slice(r, &to, &record.name)
                move_chain(r, &to, &record.arguments)
                call = record.next
            c = choice.next
        i = response_at(r, i).older
    buffer_free(&r.arena)
    r.arena = to
    r.live = to.used
    return True


cdef inline bint settle(Responses* r) noexcept nogil:
    """Between two events: start the arena anew when nothing is open, pack it when three quarters are dead."""
    if r.open_count == 0:
        r.arena.used = r.live = 0
        pool_clear(&r.segments)
        pool_clear(&r.calls)
        pool_clear(&r.choices)
        pool_clear(&r.ids)
        pool_clear(&r.open)
        map_clear(&r.choice_map)
        map_clear(&r.id_map)
        return True
    if r.arena.used > (1 << 20) and r.arena.used // 4 > r.live:
        return pack_arena(r)
    return True


# ------------------------------------------------------------------------------------------- columns, as a whole


cdef inline bint responses_begin(Responses* r) noexcept nogil:
    """Empty all finished columns."""
    cdef ResponseColumns* a = &r.responses_out
    cdef ChoiceColumns* b = &r.choices_out
    cdef CallColumns* c = &r.calls_out
    cdef ChunkColumns* d = &r.chunks_out
    cdef bint good = True
    cdef int k
    a.number.used = a.source.used = a.offset.used = a.length.used = a.chunk_count.used = 0
    a.done.used = a.status.used = a.created.used = a.created_valid.used = 0
    for k in range(FIGURES):
        a.figures[k].used = a.figures_valid[k].used = 0
    for k in range(STRINGS):
        good = good and text_begin(&a.strings[k])
    b.response.used = b.index.used = b.token_count.used = b.logprob_sum.used = 0
    good = good and text_begin(&b.role) and text_begin(&b.finish)
    for k in range(LISTS):
        good = good and text_begin(&b.texts[k])
    c.response.used = c.index.used = c.call.used = 0
    good = good and text_begin(&c.id) and text_begin(&c.type) and text_begin(&c.name) and text_begin(&c.arguments)
    d.response.used = d.offset.used = d.length.used = d.choice_count.used = d.token_count.used = 0
    d.completion_tokens.used = d.completion_valid.used = 0
    r.problems.used = 0
    return good

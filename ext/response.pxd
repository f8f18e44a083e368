"""Open responses: what has been said so far of each, and the rows written when one ends.

Text is not copied while it grows. All strings of open responses lie in one arena, in the order in which they came; a
Chain lists the segments that make one text, and a delta that follows its predecessor directly just makes the last
segment longer. When a response ends its chains are copied into the finished columns, once. The arena starts anew
whenever no response is open, and is packed when most of it is dead.

Records are kept in pools and named by index, since pools move when they grow.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from arrival cimport Arrivals, arrival_at
from chunk cimport FIGURES, LISTS, USAGE_LEVELS, Slice, Usage
from column cimport Buffer, Text, buffer_reserve, byte, put_bytes
from map cimport Map, map_add, map_next, mix
from object cimport Span
from tape cimport Tape
from value cimport ss_utf8_join, unescape

cdef enum:
    # numbers of contract.STATUSES
    COMPLETE, TRUNCATED, ERRORED

cdef enum:
    # numbers of contract.PROBLEM_KINDS; those of compression and containers are found above the engine
    P_JSON, P_TYPE, P_TRUNCATED, P_TOO_LONG, P_NOT_SSE, P_COMPRESSION, P_CONTAINER, P_ENCODING

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

cdef struct Outline:
    # how far arguments have been looked through for the brace that closes them
    int32_t segment
    size_t at         # in that segment; both are 0 at first, and again when segments have moved
    int64_t depth
    bint inside       # a string
    bint escaped      # the next byte belongs to a backslash
    bint closed
    bint beyond       # something stands behind the closing brace, or no brace stands first

cdef struct Call:
    int32_t next      # older call of the choice
    int32_t choice    # its record
    int32_t order     # among the calls of its choice
    int64_t index
    bint indexed
    Slice id
    Slice type
    Chain name
    Chain arguments
    Outline outline
    Place place

cdef struct Choice:
    int32_t next
    int64_t index
    int64_t response    # its number
    Slice role
    Slice finish
    Chain texts[LISTS]
    int64_t positions[LISTS]
    double sum
    double correction
    int64_t valued
    int32_t newest_call
    int32_t entry_call  # the call the entry before went to
    int32_t call_count

cdef enum:
    # times of a response: arrival of its first and of its latest event, and when it was asked for
    STARTED, ENDED, REQUESTED, TIMES

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
    int64_t times[TIMES]
    bint timed[TIMES]
    Slice strings[STRINGS]
    Usage figures[USAGE_LEVELS]

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
    Buffer figures[FIGURES]
    Buffer figures_valid[FIGURES]
    Buffer times[TIMES]
    Buffer times_valid[TIMES]
    Text strings[STRINGS]

cdef struct ChoiceColumns:
    Buffer response
    Buffer index
    Buffer token_count
    Buffer logprob_sum
    Text role
    Text texts[LISTS]
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
    Buffer text_bytes
    Buffer completion_tokens
    Buffer completion_valid
    Buffer arrival      # only where some row of the batch may have one, as is the next
    Buffer arrival_valid
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
    Map call_map        # (choice, index) -> the newest call opened under it; (choice, hash of id) -> the newest of this id
    int32_t latest
    int32_t silent      # the one silent longest
    size_t open_count
    int64_t next_number
    int64_t generation  # goes up whenever an id gets another owner, or none
    int64_t source
    # chunk_arrived where arrivals are known in this batch, or were; else NULL. A pointer keeps it out of the fast path.
    void (*arrive)(void* responses, void* response, const Place* place) noexcept nogil
    Arrivals arrivals   # of this source
    int64_t request     # when it was asked for
    bint request_known
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


cdef inline bint same_slice(const Responses* r, const Slice* a, const Slice* b) noexcept nogil:
    return (a.end - a.start == b.end - b.start
            and memcmp(r.arena.data + a.start, r.arena.data + b.start, a.end - a.start) == 0)


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


cdef inline bint chain_equals(const Responses* r, const Chain* chain, const Slice* text) noexcept nogil:
    """Is this text what the chain says so far? Both are set and not empty, or the chain says nothing yet."""
    cdef const byte* p = r.arena.data + text.start
    cdef int32_t i = chain.first
    cdef Segment* segment
    if chain.length == 0 or chain.length != text.end - text.start:
        return False
    while i >= 0:
        segment = segment_at(r, i)
        if memcmp(r.arena.data + segment.start, p, segment.end - segment.start) != 0:
            return False
        p += segment.end - segment.start
        i = segment.next
    return True


cdef inline void chain_free(Responses* r, Chain* chain) noexcept nogil:
    cdef int32_t i = chain.first, following
    if chain.length == 0:
        return
    while i >= 0:
        following = segment_at(r, i).next
        pool_give(&r.segments, sizeof(Segment), i)
        i = following


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


cdef inline void note_arrival(Responses* r, Response* a, const Place* place) noexcept nogil:
    """An event of this response arrived."""
    a.timed[ENDED] = arrival_at(&r.arrivals, place.offset + place.length - 1, &a.times[ENDED])
    if place.offset == a.offset:
        a.timed[STARTED] = a.timed[ENDED]
        a.times[STARTED] = a.times[ENDED]


cdef inline void touch(Responses* r, int32_t i, const Place* place) noexcept nogil:
    """An event of this response: it is the latest now, and reaches to the event's end."""
    response_at(r, i).end = place.offset + place.length
    if r.arrive != NULL:
        note_arrival(r, response_at(r, i), place)
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


cdef inline uint64_t choice_key(int64_t response, int64_t index) noexcept nogil:
    return mix(<uint64_t>index, <uint64_t>response + 1)


cdef inline int32_t find_choice(const Responses* r, int32_t i, int64_t index) noexcept nogil:
    cdef size_t at = 0
    cdef int32_t c = response_at(r, i).first_choice
    cdef uint64_t key
    if c >= 0 and choice_at(r, c).index == index:
        return c
    if response_at(r, i).choice_count < 2:
        return -1
    key = choice_key(response_at(r, i).number, index)
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
    if not map_add(&r.choice_map, choice_key(response_at(r, i).number, index), c):
        return -1
    return c


cdef inline void note_request(Responses* r, int64_t ns, bint known) noexcept nogil:
    """When the responses that begin from here on were asked for."""
    r.request = ns if known else 0
    r.request_known = known


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
    a.times[REQUESTED] = r.request
    a.timed[REQUESTED] = r.request_known
    r.next_number += 1
    r.open_count += 1
    link_latest(r, i)
    return i


# --------------------------------------------------------------------------------------------------- problems


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

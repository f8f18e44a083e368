"""Which response an event belongs to.

The rules are those of ``group="auto"``, ``"id"`` and ``"done"``, and of :mod:`ssift.python.grouping`. A response is
open until ``[DONE]`` or the end of its source; ``latest`` is the open one with the latest event. Who gives a response gives
NO_MEMORY where there is none to open it.
"""

from libc.stdint cimport int32_t, uint64_t

from apply cimport set_once, take_usage
from chunk cimport NO_MEMORY, USAGE_GROQ, USAGE_TOP, Chunk, Slice, piece_at, piece_count
from column cimport Buffer, buffer_reserve
from finish cimport end_response
from map cimport hash_bytes
from object cimport Span
from response cimport (S_ERROR_CODE, S_ERROR_MESSAGE, S_ID, S_MODEL, Place, Response, Responses, find_by_id,
                       find_choice, forget, is_finished, open_response, own_id, response_at, touch)
from value cimport ss_utf8_join, unescape

cdef enum:
    GROUP_AUTO, GROUP_ID, GROUP_DONE

cdef struct Groups:
    int rule
    size_t limit        # of open responses
    bint after_done     # a [DONE] came, and no chunk or error since
    Buffer id           # the id of the event, unescaped
    uint64_t id_hash


cdef inline bint read_id(Groups* g, const Span* id) noexcept nogil:
    """The event's id into ``g.id``, empty when it has none."""
    cdef bint surrogates = False
    cdef size_t n
    g.id.used = 0
    if id.start == NULL:
        return True
    if not buffer_reserve(&g.id, id.end - id.start):
        return False
    n = unescape(id.start, id.end, g.id.data, &surrogates) - g.id.data
    if surrogates:
        n = ss_utf8_join(g.id.data, n, g.id.data)
    g.id.used = n
    g.id_hash = hash_bytes(g.id.data, n)
    return True


cdef inline int32_t known(const Groups* g, const Responses* r) noexcept nogil:
    """The open response that has had the event's id."""
    return find_by_id(r, g.id.data, g.id.used, g.id_hash) if g.id.used else -1


cdef inline int32_t begin(Groups* g, Responses* r, const Place* place) noexcept nogil:
    """A new response, which owns the event's id; the one silent longest makes room for it."""
    cdef int32_t i
    if r.open_count >= g.limit and not end_response(r, r.silent):
        return NO_MEMORY
    i = open_response(r, place)
    if i < 0 or (g.id.used and not own_id(r, i, g.id.data, g.id.used, g.id_hash)):
        return NO_MEMORY
    return i


cdef inline bint begins_anew(const Groups* g, const Responses* r, int32_t i, const Chunk* c,
                            bint error) noexcept nogil:
    """Does this chunk start over what the finished response ``i`` has said?"""
    cdef Response* a = response_at(r, i)
    cdef size_t k
    if not is_finished(a):
        return False
    if c.has_role and not (c.has_finish or c.has_usage or error):
        for k in range(piece_count(c)):
            if piece_at(c, k).role.start != NULL and find_choice(r, i, piece_at(c, k).index) >= 0:
                return True
    if g.id.used:
        return False
    return (a.error and piece_count(c) > 0) or (piece_count(c) == 0 and not c.has_usage)


cdef inline bint is_gateways_first(const Response* a, const Chunk* c) noexcept nogil:
    """One chunk with nothing in it but a role, sent ahead by a gateway of the chunk's own server."""
    return (a.chunk_count == 1 and a.role and not a.text and not a.usage and not a.error and a.finished_choices == 0
            and c.has_answer)


cdef inline int32_t place_new_id(Groups* g, Responses* r, const Chunk* c, const Place* place) noexcept nogil:
    """A chunk with an id that no open response has had: a new response, or the id drifted."""
    cdef Response* a
    cdef bint opens
    if r.latest < 0:
        return begin(g, r, place)
    a = response_at(r, r.latest)
    if not is_finished(a) and (a.first_id < 0 or is_gateways_first(a, c)):
        opens = False
    else:
        opens = ((c.has_role and (c.has_text or not c.has_finish))
                 or (piece_count(c) == 0 and not c.has_usage)
                 or (c.has_text and is_finished(a)))
    if opens:
        return begin(g, r, place)
    if not own_id(r, r.latest, g.id.data, g.id.used, g.id_hash):
        return NO_MEMORY
    return r.latest


cdef inline int32_t place_chunk(Groups* g, Responses* r, const Chunk* c, bint error, const Place* place) noexcept nogil:
    """The open response that a chunk belongs to, opened if need be; ``error``: the chunk carries one too."""
    cdef int32_t i
    cdef bint after_done = g.after_done
    g.after_done = False
    if not read_id(g, &c.id):
        return NO_MEMORY
    if g.rule == GROUP_DONE:
        return r.latest if r.latest >= 0 else begin(g, r, place)
    i = known(g, r)
    if g.rule == GROUP_ID:
        if g.id.used == 0:
            i = r.latest
        return i if i >= 0 else begin(g, r, place)
    if g.id.used == 0:
        if r.latest < 0 or after_done or begins_anew(g, r, r.latest, c, error):
            return begin(g, r, place)
        return r.latest
    if i >= 0:
        return begin(g, r, place) if begins_anew(g, r, i, c, error) else i
    return place_new_id(g, r, c, place)


cdef inline int32_t place_error(Groups* g, Responses* r, const Span* id, const Place* place) noexcept nogil:
    """The response that an error without choices belongs to."""
    cdef int32_t i
    if not read_id(g, id):
        return NO_MEMORY
    g.after_done = False
    if g.rule == GROUP_DONE:
        return r.latest if r.latest >= 0 else begin(g, r, place)
    i = known(g, r)
    if i >= 0:
        return i
    if g.rule == GROUP_ID:
        return r.latest if r.latest >= 0 and g.id.used == 0 else begin(g, r, place)
    if r.latest < 0 or is_finished(response_at(r, r.latest)):
        return begin(g, r, place)
    if g.id.used and not own_id(r, r.latest, g.id.data, g.id.used, g.id_hash):
        return NO_MEMORY
    return r.latest


cdef inline void apply_error(Responses* r, int32_t i, const Slice* message, const Slice* code) noexcept nogil:
    """The first error of a response stays."""
    cdef Response* a = response_at(r, i)
    if a.error:
        forget(r, message)
        forget(r, code)
        return
    a.error = True
    a.strings[S_ERROR_MESSAGE] = message[0]
    a.strings[S_ERROR_CODE] = code[0]


cdef inline void apply_error_envelope(Responses* r, int32_t i, const Chunk* c, const Place* place) noexcept nogil:
    """What an error without choices says beside its message."""
    cdef Response* a = response_at(r, i)
    touch(r, i, place)
    set_once(r, &a.strings[S_ID], &c.id)
    set_once(r, &a.strings[S_MODEL], &c.model)
    take_usage(&a.figures[USAGE_TOP], &c.usage[USAGE_TOP])
    take_usage(&a.figures[USAGE_GROQ], &c.usage[USAGE_GROQ])
    a.usage |= c.has_usage


cdef inline bint apply_done(Groups* g, Responses* r, const Place* place) noexcept nogil:
    """[DONE] ends the finished response with the latest event, else the one with the latest event."""
    cdef int32_t i = r.latest, chosen = -1
    g.after_done = True
    while i >= 0:
        if not response_at(r, i).done:
            if chosen < 0:
                chosen = i
            if is_finished(response_at(r, i)):
                chosen = i
                break
        i = response_at(r, i).older
    if chosen < 0:
        return True
    touch(r, chosen, place)
    response_at(r, chosen).done = True
    return g.rule == GROUP_ID or end_response(r, chosen)

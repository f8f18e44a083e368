"""The arena of open responses: started anew when nothing is open, packed when most of it is dead.

Text of responses that ended stays where it is until then, so that ending one moves nothing.
"""

from libc.stdint cimport int32_t
from libc.string cimport memset

from chunk cimport LISTS, Slice
from column cimport Buffer, buffer_free, buffer_reserve, put_bytes
from map cimport map_clear
from response cimport (STRINGS, Call, Chain, Choice, Responses, Segment, call_record, chain_copy, choice_at, id_at,
                       pool_clear, pool_give, response_at, segment_at)

cdef enum:
    ARENA_LARGE = 1 << 20   # below this the arena is not worth packing


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
                move_chain(r, &to, &record.name)
                move_chain(r, &to, &record.arguments)
                record.outline.at = 0
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
        map_clear(&r.call_map)
        return True
    if r.arena.used > ARENA_LARGE and r.arena.used // 4 > r.live:
        return pack_arena(r)
    return True

"""Tool calls of open responses: which call an entry goes on, and what it adds.

By the standard each entry carries the ``index`` of its call; real servers leave it out, give every call the index 0, or
send id and name again and again. The rules are those of :mod:`ssift.python.calls`. Every look is a hash or a comparison
with the call before, and arguments are looked through once, so that time is linear in the entries.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from chunk cimport CallPiece, Slice
from column cimport buffer_reserve, byte
from map cimport hash_bytes, map_add, map_next, map_remove, map_replace, mix
from response cimport (Call, Chain, Choice, Outline, Place, Responses, call_record, chain_append, chain_copy,
                       chain_equals, choice_at, forget, keep, keep_raw, pool_take, same_slice, segment_at)
from tape cimport OBJECT, TAPE_OK, is_blank, starve, tape_node, tape_read

# ------------------------------------------------------------------------------------------- is an object whole?


cdef inline void outline_byte(Outline* o, byte c) noexcept nogil:
    """Follow braces, brackets and strings through one more byte."""
    if o.inside:
        if o.escaped:
            o.escaped = False
        elif c == c'\\':
            o.escaped = True
        elif c == c'"':
            o.inside = False
    elif is_blank(c):
        return
    elif o.closed or (o.depth == 0 and c != c'{'):
        o.beyond = True
    elif c == c'"':
        o.inside = True
    elif c == c'{' or c == c'[':
        o.depth += 1
    elif c == c'}' or c == c']':
        o.depth -= 1
        o.closed = o.depth == 0


cdef inline bint is_closed(Responses* r, Call* call) noexcept nogil:
    """Does the brace that closes the first one stand last? Looks only at what was added since it was asked before."""
    cdef Outline* o = &call.outline
    cdef const byte* p
    cdef const byte* end
    cdef int32_t i
    if call.arguments.length == 0:
        return False
    if o.at == 0:
        memset(o, 0, sizeof(Outline))
        o.segment = call.arguments.first
    i = o.segment
    while i >= 0 and not o.beyond:
        p = r.arena.data + segment_at(r, i).start + (o.at if i == o.segment else 0)
        end = r.arena.data + segment_at(r, i).end
        while p < end:
            outline_byte(o, p[0])
            p += 1
        o.segment = i
        o.at = segment_at(r, i).end - segment_at(r, i).start
        i = segment_at(r, i).next
    return o.closed and not o.beyond


cdef inline bint is_whole_object(Responses* r, Call* call) noexcept nogil:
    """Are its arguments a JSON object, complete?"""
    cdef Chain* chain = &call.arguments
    if not is_closed(r, call):
        return False
    if not buffer_reserve(&r.scratch_text, chain.length + 1):
        starve(&r.scratch)
        return False
    chain_copy(r, chain, r.scratch_text.data)
    memset(r.scratch_text.data + chain.length, 0, 1)
    # however deep: a text is never nested deeper than it is long
    if (tape_read(&r.scratch, r.scratch_text.data, r.scratch_text.data + chain.length, chain.length) == TAPE_OK
            and tape_node(&r.scratch, 0).kind == OBJECT):
        return True
    call.outline.beyond = True   # closed, and yet no JSON: what comes behind will not mend it
    return False


# ------------------------------------------------------------------------------------------------ finding a call


cdef inline uint64_t index_key(int32_t choice, int64_t index) noexcept nogil:
    return mix(<uint64_t>index, 2 * <uint64_t>choice + 1)


cdef inline uint64_t id_key(const Responses* r, int32_t choice, const Slice* id) noexcept nogil:
    return mix(hash_bytes(r.arena.data + id.start, id.end - id.start), 2 * <uint64_t>choice + 2)


cdef inline int32_t call_of_index(const Responses* r, int32_t c, int64_t index) noexcept nogil:
    """The newest call of choice ``c`` that was opened under this index; -1 when there is none."""
    cdef uint64_t key = index_key(c, index)
    cdef size_t at = 0
    cdef int32_t i = map_next(&r.call_map, key, &at)
    while i >= 0:
        if call_record(r, i).choice == c and call_record(r, i).indexed and call_record(r, i).index == index:
            return i
        i = map_next(&r.call_map, key, &at)
    return -1


cdef inline int32_t call_of_id(const Responses* r, int32_t c, const Slice* id) noexcept nogil:
    """The newest call of choice ``c`` with this id; -1 when there is none."""
    cdef uint64_t key = id_key(r, c, id)
    cdef size_t at = 0
    cdef int32_t i = map_next(&r.call_map, key, &at)
    while i >= 0:
        if call_record(r, i).choice == c and call_record(r, i).id.set and same_slice(r, &call_record(r, i).id, id):
            return i
        i = map_next(&r.call_map, key, &at)
    return -1


cdef inline bint find_under(Responses* r, uint64_t key, int32_t before, int32_t i) noexcept nogil:
    """From now on ``key`` leads to call ``i``, not to ``before`` (-1: to none)."""
    if before < 0:
        return map_add(&r.call_map, key, i)
    map_replace(&r.call_map, key, before, i)
    return True


cdef inline void forget_call(Responses* r, int32_t i) noexcept nogil:
    """The call ends: nothing leads to it any more."""
    cdef Call* call = call_record(r, i)
    if call.indexed:
        map_remove(&r.call_map, index_key(call.choice, call.index), i)
    if call.id.set:
        map_remove(&r.call_map, id_key(r, call.choice, &call.id), i)


cdef inline int32_t find_call(const Responses* r, int32_t c, const CallPiece* piece, const Slice* id) noexcept nogil:
    """The call that an entry speaks of, by index, by id, or by being the one before; -1 when it is new."""
    if piece.indexed:
        return call_of_index(r, c, piece.index)
    return call_of_id(r, c, id) if id.set else choice_at(r, c).entry_call


# --------------------------------------------------------------------------------------------- applying an entry


cdef inline bint begins_call(Responses* r, Call* call, const CallPiece* piece, const Slice* id,
                             const Slice* name) noexcept nogil:
    """Does an entry that points to ``call`` open another one all the same?"""
    cdef bint other_id = id.set and call.id.set and not same_slice(r, id, &call.id)
    if not name.set or not (other_id or (not id.set and not piece.indexed)):
        return False
    return not chain_equals(r, &call.name, name) or is_whole_object(r, call)


cdef inline int32_t open_call(Responses* r, int32_t c, const CallPiece* piece, const Place* place) noexcept nogil:
    """A new call of choice ``c``; -1 when there is no memory."""
    cdef Choice* choice = choice_at(r, c)
    cdef int32_t i
    cdef Call* call
    if not buffer_reserve(&r.calls.items, sizeof(Call)):
        return -1
    i = pool_take(&r.calls, sizeof(Call))
    call = call_record(r, i)
    call.next = choice.newest_call
    call.choice = c
    call.order = choice.call_count
    call.place = place[0]
    choice.newest_call = i
    choice.call_count += 1
    if piece.indexed:
        if not find_under(r, index_key(c, piece.index), call_of_index(r, c, piece.index), i):
            return -1
        call.indexed = True
        call.index = piece.index
    return i


cdef inline bint take_id(Responses* r, int32_t i, const Slice* id) noexcept nogil:
    """An entry of call ``i`` carries this id: the first one stays."""
    cdef Call* call = call_record(r, i)
    cdef int32_t other
    if call.id.set:
        forget(r, id)
        return True
    call.id = id[0]
    other = call_of_id(r, call.choice, id)
    if other >= 0 and call_record(r, other).order > call.order:
        return True
    return find_under(r, id_key(r, call.choice, id), other, i)


cdef inline void take_name(Responses* r, Call* call, const Slice* name) noexcept nogil:
    """A name equal to what stands is a repetition; any other is the next part of it."""
    if chain_equals(r, &call.name, name):
        forget(r, name)
    else:
        r.live -= name.end - name.start  # chain_append counts it again
        chain_append(r, &call.name, name)


cdef inline bint apply_call(Responses* r, int32_t c, const CallPiece* piece, const Place* place) noexcept nogil:
    """One entry of tool_calls."""
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
    i = find_call(r, c, piece, &id)
    if i < 0 or begins_call(r, call_record(r, i), piece, &id, &name):
        i = open_call(r, c, piece, place)
        if i < 0:
            return False
    choice_at(r, c).entry_call = i
    if id.set and not take_id(r, i, &id):
        return False
    call = call_record(r, i)
    if type.set:
        if call.type.set:
            forget(r, &type)
        else:
            call.type = type
    if name.set:
        take_name(r, call, &name)
    chain_append(r, &call.arguments, &piece.arguments)
    return True

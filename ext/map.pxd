"""A hash map from a 64-bit key to an index, with open addressing.

Keys are hashes or mixed pairs of numbers; two different things may share one, so values are *candidates*: whoever asks
checks what the index points to, and goes on with ``map_next``.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

from column cimport Buffer, buffer_free, buffer_reserve, byte

cdef enum:
    EMPTY = 0      # a slot's index is stored + 2
    REMOVED = 1

cdef struct MapSlot:
    uint64_t key
    int32_t stored

cdef struct Map:
    Buffer slots      # MapSlot, a power of two of them
    size_t size
    size_t filled     # slots that are not EMPTY


cdef inline uint64_t mix(uint64_t a, uint64_t b) noexcept nogil:
    """Two numbers into one well-spread key."""
    a ^= b * <uint64_t>0x9E3779B97F4A7C15
    a ^= a >> 32
    a *= <uint64_t>0xD6E8FEB86659FD93
    a ^= a >> 29
    return a


cdef inline uint64_t hash_bytes(const byte* p, size_t n) noexcept nogil:
    cdef uint64_t h = n
    cdef size_t i
    for i in range(n):
        h = (h ^ p[i]) * <uint64_t>0x100000001B3
    return mix(h, 1)


cdef inline MapSlot* map_slots(const Map* m) noexcept nogil:
    return <MapSlot*>m.slots.data


cdef inline void map_free(Map* m) noexcept nogil:
    buffer_free(&m.slots)
    m.size = m.filled = 0


cdef inline void map_clear(Map* m) noexcept nogil:
    """Forget all; a large table is given back, so that clearing costs no more than filling did."""
    if m.size > 1024:
        map_free(m)
    elif m.filled:
        memset(m.slots.data, 0, m.size * sizeof(MapSlot))
        m.filled = 0


cdef inline int32_t map_next(const Map* m, uint64_t key, size_t* at) noexcept nogil:
    """The next index kept under ``key`` after probe ``at`` (0 at first, advanced here); -1 when there is none more."""
    cdef MapSlot* slot
    if m.size == 0:
        return -1
    while True:
        slot = map_slots(m) + ((key + at[0]) & (m.size - 1))
        at[0] += 1
        if slot.stored == EMPTY:
            return -1
        if slot.stored != REMOVED and slot.key == key:
            return slot.stored - 2


cdef inline void map_place(Map* m, uint64_t key, int32_t index) noexcept nogil:
    cdef size_t i = key & (m.size - 1)
    while map_slots(m)[i].stored != EMPTY:
        i = (i + 1) & (m.size - 1)
    map_slots(m)[i].key = key
    map_slots(m)[i].stored = index + 2
    m.filled += 1


cdef inline bint map_add(Map* m, uint64_t key, int32_t index) noexcept nogil:
    """Keep ``index`` under ``key``; False when there is no memory."""
    cdef Map old = m[0]
    cdef size_t i, alive = 0
    if (m.filled + 1) * 2 > m.size:
        for i in range(m.size):
            alive += map_slots(m)[i].stored > REMOVED
        memset(m, 0, sizeof(Map))
        m.size = 64
        while m.size < (alive + 1) * 4:
            m.size *= 2
        if not buffer_reserve(&m.slots, m.size * sizeof(MapSlot)):
            m[0] = old
            return False
        memset(m.slots.data, 0, m.size * sizeof(MapSlot))
        for i in range(old.size):
            if map_slots(&old)[i].stored > REMOVED:
                map_place(m, map_slots(&old)[i].key, map_slots(&old)[i].stored - 2)
        buffer_free(&old.slots)
    map_place(m, key, index)
    return True


cdef inline void map_replace(Map* m, uint64_t key, int32_t index, int32_t other) noexcept nogil:
    """Keep ``other`` under ``key`` in place of ``index``, which must be there."""
    cdef size_t i = key & (m.size - 1)
    while map_slots(m)[i].key != key or map_slots(m)[i].stored != index + 2:
        i = (i + 1) & (m.size - 1)
    map_slots(m)[i].stored = other + 2


cdef inline void map_remove(Map* m, uint64_t key, int32_t index) noexcept nogil:
    cdef size_t i
    if m.size == 0:
        return
    i = key & (m.size - 1)
    while map_slots(m)[i].stored != EMPTY:
        if map_slots(m)[i].stored == index + 2 and map_slots(m)[i].key == key:
            map_slots(m)[i].stored = REMOVED
            return
        i = (i + 1) & (m.size - 1)

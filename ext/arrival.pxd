"""When bytes arrived.

A Mark says that the bytes from its offset on arrived at its time, until the next mark. An event arrived when its last
byte did: that does not depend on how the source was cut into pieces. Events come nearly in order, so a cursor stays
close to the mark in force.
"""

from libc.stdint cimport int64_t
from libc.string cimport memmove

from column cimport Buffer, buffer_reserve

cdef enum:
    MARKS_KEPT = 256   # fewer are not worth dropping

cdef struct Mark:
    int64_t offset
    int64_t ns      # 0 when it is not known
    bint known

cdef struct Arrivals:
    Buffer marks    # Mark, by offset
    size_t cursor
    size_t full     # marks from which on old ones are dropped


cdef inline Mark* mark_at(const Arrivals* a, size_t i) noexcept nogil:
    return <Mark*>a.marks.data + i


cdef inline size_t mark_count(const Arrivals* a) noexcept nogil:
    return a.marks.used // sizeof(Mark)


cdef inline void arrivals_begin(Arrivals* a) noexcept nogil:
    a.marks.used = a.cursor = 0
    a.full = MARKS_KEPT


cdef inline void seek_mark(Arrivals* a, int64_t offset) noexcept nogil:
    """Move the cursor to the mark in force at ``offset`` (there is one mark at least)."""
    cdef size_t count = mark_count(a)
    while a.cursor + 1 < count and mark_at(a, a.cursor + 1).offset <= offset:
        a.cursor += 1
    while a.cursor > 0 and mark_at(a, a.cursor).offset > offset:
        a.cursor -= 1


cdef inline bint arrival_at(Arrivals* a, int64_t offset, int64_t* ns) noexcept nogil:
    """When the byte at ``offset`` arrived; False when that is not known."""
    cdef Mark* mark
    ns[0] = 0
    if a.marks.used == 0:
        return False
    seek_mark(a, offset)
    mark = mark_at(a, a.cursor)
    if mark.offset > offset:
        return False
    ns[0] = mark.ns
    return mark.known


cdef inline void drop_marks(Arrivals* a, int64_t unread) noexcept nogil:
    """Forget the marks that no event from ``unread`` on can need."""
    cdef size_t kept
    seek_mark(a, unread)
    kept = mark_count(a) - a.cursor
    memmove(a.marks.data, mark_at(a, a.cursor), kept * sizeof(Mark))
    a.marks.used = kept * sizeof(Mark)
    a.cursor = 0
    a.full = kept + (kept if kept > MARKS_KEPT else MARKS_KEPT)


cdef inline bint add_mark(Arrivals* a, int64_t offset, int64_t ns, bint known, int64_t unread) noexcept nogil:
    """The bytes from ``offset`` on, behind all marks so far, arrived at ``ns``; False when there is no memory."""
    cdef Mark* mark
    if mark_count(a) >= a.full:
        drop_marks(a, unread)
    if not buffer_reserve(&a.marks, sizeof(Mark)):
        return False
    mark = mark_at(a, mark_count(a))
    a.marks.used += sizeof(Mark)
    mark.offset = offset
    mark.ns = ns if known else 0
    mark.known = known
    return True

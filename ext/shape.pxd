"""Finds in a record what a shape names: the values at some paths, in one pass over the text.

Paths are a tree: a node is a key of an object, or ``each`` element of a list. What no path leads to is passed over, but
checked. The walk *refuses* (NULL) whatever it is not sure of, such as an escaped key, a wanted key that comes twice,
or a path that ends in the middle of another; the caller then reads the record in its own, slower way.
"""

from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memset

from column cimport Buffer, buffer_reserve, byte, put_bytes
from quoted cimport AROUND_DATA, copy_string, copy_text, note_break, pass_string, pass_value, ss_object_end, ss_same
from tape cimport is_blank
from value cimport ss_count_lf, ss_ctz32, ss_equals16

cdef enum:
    NODES = 64
    PLACES = 4      # [] in a path
    LONGEST_KEY = 48

cdef enum:
    # what a path leads to
    AT_CHUNK = 1
    AT_TIME = 2
    AT_NAME = 4
    AT_TEXT = 8
    AT_REQUEST = 16
    AT_ENDS = 17   # room for something of each

cdef struct Node:
    int32_t each      # node of the elements; -1: none
    int32_t member    # first of the members that are named; -1: none
    int32_t sibling   # next member of the same object; -1: none
    int ends          # AT_*: paths that end here
    size_t size
    byte key[LONGEST_KEY]

cdef struct Shape:
    Node nodes[NODES]
    int32_t count
    int depths[AT_ENDS]   # by AT_*: [] in the path
    bint has_times
    bint has_names
    bint has_text
    int64_t unit

cdef struct Found:
    # a chunk or a time
    int32_t places[PLACES]
    const byte* start   # as it stands in the record
    const byte* end
    size_t at           # of a chunk that was written: where it begins in the body; of one that was found in the text
                        # at once: one more than where its event begins there; else 0

cdef struct Walk:
    const Shape* shape
    const byte* end
    Buffer* body
    Buffer* chunks      # Found
    Buffer* times       # Found
    Buffer* breaks      # Break: where a line of the text ends
    const byte* text    # the string at the path of the text: inside its quotes; NULL when there is none
    const byte* text_end
    const byte* next    # in the text: behind the chunk that was found last
    Found request       # when the answer was asked for; start is NULL where that is not told
    int32_t places[PLACES]
    int depth
    size_t lines        # line ends in what was passed: they stand between values, or in objects
    bint joined         # the body goes on that of the record before


cdef inline size_t found_count(const Buffer* b) noexcept nogil:
    return b.used // sizeof(Found)


cdef inline Found* found_at(const Buffer* b, size_t i) noexcept nogil:
    return <Found*>b.data + i


cdef inline Found* keep_found(Walk* w, Buffer* b, const byte* start, const byte* end) noexcept nogil:
    """Note a value with the places it stands at; NULL when there is no memory."""
    cdef Found* found
    cdef int i
    if not buffer_reserve(b, sizeof(Found)):
        return NULL
    found = found_at(b, found_count(b))
    b.used += sizeof(Found)
    for i in range(PLACES):
        found.places[i] = w.places[i] if i < w.depth else 0
    found.start = start
    found.end = end
    found.at = w.body.used
    return found


# ------------------------------------------------------------------------------------------------------ the tree


cdef inline int32_t new_node(Shape* s) noexcept nogil:
    """-1 when there are too many."""
    cdef int32_t i = s.count
    if i == NODES:
        return -1
    s.count += 1
    s.nodes[i].each = s.nodes[i].member = s.nodes[i].sibling = -1
    return i


cdef inline void shape_begin(Shape* s, int64_t unit) noexcept nogil:
    """A tree without paths."""
    memset(s, 0, sizeof(Shape))
    s.unit = unit
    new_node(s)


cdef inline int32_t shape_step(Shape* s, int32_t i, const byte* key, size_t size, bint each) noexcept nogil:
    """The node one step below node ``i``; -1 when the tree is full or a key too long."""
    cdef int32_t found
    if each:
        if s.nodes[i].each < 0:
            s.nodes[i].each = new_node(s)
        return s.nodes[i].each
    if size > LONGEST_KEY:
        return -1
    found = member_of(s, i, key, size)
    if found < 0:
        found = new_node(s)
        if found >= 0:
            s.nodes[found].size = size
            memcpy(s.nodes[found].key, key, size)
            s.nodes[found].sibling = s.nodes[i].member
            s.nodes[i].member = found
    return found


cdef inline bint shape_end(Shape* s, int32_t i, int end, int depth) noexcept nogil:
    """A path with ``depth`` [] ends at node ``i``; False when there is another, or it has too many."""
    if s.nodes[i].ends or depth > PLACES:
        return False
    s.nodes[i].ends = end
    s.depths[end] = depth
    s.has_times |= end == AT_TIME
    s.has_names |= end == AT_NAME
    s.has_text |= end == AT_TEXT
    return True


cdef inline int32_t member_of(const Shape* s, int32_t node, const byte* key, size_t size) noexcept nogil:
    """The node of a key in an object; -1 when nobody asks for it."""
    cdef int32_t i = s.nodes[node].member
    while i >= 0:
        if s.nodes[i].size == size and memcmp(s.nodes[i].key, key, size) == 0:
            return i
        i = s.nodes[i].sibling
    return -1


# ---------------------------------------------------------------------------------------- what lies between, and else


cdef inline const byte* pass_blanks(Walk* w, const byte* p) noexcept nogil:
    """What is not blank, or the end; line ends are counted. Indents are long."""
    while p < w.end and is_blank(p[0]):
        if p[0] == c' ':
            p += ss_ctz32(ss_equals16(p, c' ') ^ 0x1FFFF)
        else:
            w.lines += p[0] == c'\n'
            p += 1
    return min(p, w.end)


cdef inline const byte* pass_other(Walk* w, const byte* p) noexcept nogil:
    """Behind a value that nobody asked for; NULL when it is not valid. Strings hold no line ends."""
    cdef const byte* end = pass_value(p, w.end)
    if end != NULL and (p[0] == c'{' or p[0] == c'['):
        w.lines += ss_count_lf(p, end)
    return end


# ------------------------------------------------------------------------------------------------- what is found


cdef inline const byte* write_string(Walk* w, const byte* p, bint is_data) noexcept nogil:
    """The string at ``p`` into the body, as the data of an event or as it is; returns what follows it."""
    cdef byte* out
    # its end is not known yet; what is left of the record is more than enough
    if not buffer_reserve(w.body, (w.end - p) + AROUND_DATA):
        return NULL
    if is_data:
        put_bytes(w.body, b"data: ", 6)
    out = w.body.data + w.body.used
    p = copy_string(p + 1, w.end, &out, is_data)
    if p == NULL:
        return NULL
    w.body.used = out - w.body.data
    if is_data:
        put_bytes(w.body, b"\n\n", 2)
    return p + 1


cdef inline const byte* write_object(Walk* w, const byte* p) noexcept nogil:
    """The object at ``p`` into the body as the data of an event, on one line; returns what follows it.

    Whether it is valid JSON is the event's matter.
    """
    cdef int controls
    cdef const byte* end = ss_object_end(p, w.end, &controls)
    cdef byte* out
    cdef byte* stop
    if end == NULL or not buffer_reserve(w.body, (end - p) + AROUND_DATA):
        return NULL
    if w.body.used and w.body.data[w.body.used - 1] != c'\n':
        put_bytes(w.body, b"\n", 1)
    put_bytes(w.body, b"data: ", 6)
    out = w.body.data + w.body.used
    put_bytes(w.body, p, end - p)
    if controls:   # outside of strings, which hold none, line ends are blanks
        stop = w.body.data + w.body.used
        while out < stop:
            if out[0] == c'\n' or out[0] == c'\r':
                w.lines += out[0] == c'\n'
                out[0] = c' '
            out += 1
    put_bytes(w.body, b"\n\n", 2)
    return end


cdef inline const byte* find_in_text(Walk* w, const byte* p) noexcept nogil:
    """The closing quote of the string whose inside begins at ``p``, if that is the data of the next event of the text.

    The text has been checked and written, so what equals a part of it that ends where an escape begins needs no look
    of its own. NULL when it does not equal it, or there is no text yet.
    """
    cdef const byte* q = w.next
    cdef size_t same
    if q == NULL or w.text_end - q < 6 or memcmp(q, b"data: ", 6) != 0:
        return NULL
    same = ss_same(q + 6, p, min(w.text_end - q - 6, w.end - p))
    if same < 2 or w.text_end - q < <ptrdiff_t>same + 8 or p + same >= w.end:
        return NULL
    # a brace is no part of an escape: what stands behind it is what it seems
    if p[same] != c'"' or p[same - 1] != c'}' or memcmp(q + 6 + same, b"\\n", 2) != 0:
        return NULL
    w.next = q + 8 + same
    if w.text_end - w.next >= 2 and memcmp(w.next, b"\\n", 2) == 0:
        w.next += 2
    return p + same


cdef inline bint begins_data(const byte* p) noexcept nogil:
    """Does the inside of a string begin as JSON does, or [DONE]?"""
    return p[0] == c'{' or p[0] == c'[' or (p[0] == c'\\' and p[1] == c'"')


cdef inline bint begins_field(const byte* p) noexcept nogil:
    return (memcmp(p, b"data", 4) == 0 or memcmp(p, b"event", 5) == 0 or memcmp(p, b"id", 2) == 0
            or memcmp(p, b"retry", 5) == 0)


cdef inline bint in_comment(const Buffer* body) noexcept nogil:
    """Does a body stop inside of a comment?"""
    cdef size_t i = body.used
    while i > 0 and body.data[i - 1] != c'\n' and body.data[i - 1] != c'\r':
        i -= 1
    return i < body.used and body.data[i] == c':'


cdef inline const byte* take_chunk(Walk* w, const byte* p) noexcept nogil:
    cdef const byte* end
    cdef const byte* begin
    cdef byte first = p[1]
    cdef bint in_line, known
    if w.shape.has_text:
        if p[0] != c'"':
            return NULL
        begin = w.next
        end = find_in_text(w, p + 1)
        known = end != NULL
        if not known:
            end = pass_string(p + 1, w.end)
        if end == NULL or end >= w.end or keep_found(w, w.chunks, p + 1, end) == NULL:
            return NULL
        found_at(w.chunks, found_count(w.chunks) - 1).at = <size_t>(begin - w.text) + 1 if known else 0
        return end + 1
    if p[0] == c'{':
        return write_object(w, p) if keep_found(w, w.chunks, p, p) != NULL else NULL
    if p[0] != c'"':
        return pass_other(w, p)
    if keep_found(w, w.chunks, p, p) == NULL:
        return NULL
    in_line = w.body.used > 0 and w.body.data[w.body.used - 1] != c'\n'
    if w.shape.has_names or (begins_data(p + 1) and not in_line):
        return write_string(w, p, True)
    # text of an event stream: not where its beginning, or its fit to what stands before, must be thought about
    if in_line:
        if begins_field(p + 1) or (begins_data(p + 1) and in_comment(w.body)):
            return NULL
        return write_string(w, p, False)
    if first == c'"' or first == c'\\' or first == c' ' or first < 32:
        return NULL
    if w.body.used == 0 and not w.joined and memcmp(p + 1, b"data:", 5) != 0:
        return NULL
    return write_string(w, p, False)


cdef inline const byte* take_value(Walk* w, int ends, const byte* p) noexcept nogil:
    """The value at the end of a path; returns what follows it."""
    cdef const byte* end
    if ends == AT_CHUNK:
        return take_chunk(w, p)
    if ends == AT_TIME:
        if p[0] == c'"' or p[0] == c'{' or p[0] == c'[':
            return NULL
        end = pass_value(p, w.end)
        return end if end != NULL and keep_found(w, w.times, p, end) != NULL else NULL
    if ends == AT_REQUEST:
        w.request.start = p
        w.request.end = pass_other(w, p)
        return w.request.end if w.depth == 0 else NULL
    if ends == AT_NAME:
        return p + 6 if w.end - p > 6 and memcmp(p, b'"data"', 6) == 0 else NULL
    if ends == AT_TEXT:
        if p[0] != c'"' or w.text != NULL:
            return NULL
        if w.end - p < 6 or memcmp(p + 1, b"data:", 5) != 0:
            return NULL
        if not note_break(w.breaks, 0, w.body.used):
            return NULL
        end = copy_text(p + 1, w.end, w.body, w.breaks)
        if end == NULL or not note_break(w.breaks, end - p - 1, w.body.used):
            return NULL
        w.text = w.next = p + 1
        w.text_end = end
        return end + 1
    return NULL


# ------------------------------------------------------------------------------------------------------ the walk


cdef inline const byte* walk_members(Walk* w, int32_t node, const byte* p) noexcept nogil:
    """The object at ``p``; returns what follows it."""
    cdef const byte* key
    cdef const byte* key_end
    cdef int32_t i
    cdef uint64_t seen = 0   # a bit for each of NODES
    p = pass_blanks(w, p + 1)
    if p < w.end and p[0] == c'}':
        return p + 1
    while True:
        if p >= w.end or p[0] != c'"':
            return NULL
        key = p + 1
        key_end = pass_string(key, w.end)
        if key_end == NULL or memchr(key, c'\\', key_end - key) != NULL:
            return NULL
        p = pass_blanks(w, key_end + 1)
        if p >= w.end or p[0] != c':':
            return NULL
        p = pass_blanks(w, p + 1)
        if p >= w.end:
            return NULL
        i = member_of(w.shape, node, key, key_end - key)
        if i < 0:
            p = pass_other(w, p)
        else:
            if seen >> i & 1:
                return NULL
            seen |= <uint64_t>1 << i
            p = walk_value(w, i, p)
        if p == NULL:
            return NULL
        p = pass_blanks(w, p)
        if p >= w.end:
            return NULL
        if p[0] == c'}':
            return p + 1
        if p[0] != c',':
            return NULL
        p = pass_blanks(w, p + 1)


cdef inline const byte* walk_elements(Walk* w, int32_t node, const byte* p) noexcept nogil:
    """The list at ``p``; returns what follows it."""
    cdef int32_t place = 0
    p = pass_blanks(w, p + 1)
    if p < w.end and p[0] == c']':
        return p + 1
    w.depth += 1
    while True:
        w.places[w.depth - 1] = place
        if p >= w.end:
            return NULL
        p = walk_value(w, node, p)
        if p == NULL:
            return NULL
        p = pass_blanks(w, p)
        if p >= w.end:
            return NULL
        if p[0] == c']':
            w.depth -= 1
            return p + 1
        if p[0] != c',':
            return NULL
        p = pass_blanks(w, p + 1)
        place += 1


cdef inline const byte* walk_value(Walk* w, int32_t i, const byte* p) noexcept nogil:
    """The value at ``p``, to which node ``i`` leads; returns what follows it, NULL where the walk is not sure."""
    cdef const Node* node = &w.shape.nodes[i]
    if node.each >= 0:
        if node.ends or node.member >= 0:
            return NULL
        if p[0] == c'[':
            return walk_elements(w, node.each, p)
        # no list: the value itself
        w.depth += 1
        w.places[w.depth - 1] = 0
        p = walk_value(w, node.each, p)
        w.depth -= 1
        return p
    if node.member >= 0:
        if node.ends:
            return NULL
        return walk_members(w, i, p) if p[0] == c'{' else pass_other(w, p)
    return take_value(w, node.ends, p)

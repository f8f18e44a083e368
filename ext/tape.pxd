"""JSON text -> tape: every value of the text in one array, in order, checked.

The tape is the generic path: it reads any JSON that Python's json.loads reads, in any order and spacing, and refuses
all else. A node knows where its value stands in the text and where the next sibling's node is; a member of an object is
two nodes, key and value. Nothing is converted here: :mod:`decode` takes from the text what it wants.

The text must be followed by a control character (a line end, or 0) and PAD readable bytes: strings and numbers end
there by themselves, so only white space needs to look at ``end``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp

from column cimport Buffer, buffer_free, buffer_reserve, byte
from map cimport Map, map_free
from value cimport hex_digit, ss_ctz32, ss_string_stops16

cdef enum:
    TAPE_OK, TAPE_BAD, TAPE_DEEP, TAPE_MEMORY

cdef enum:
    MOST_NODES = 1 << 30   # with the half by which a buffer grows there are int32 indices for all

cdef enum:
    OBJECT, ARRAY, STRING, NUMBER, TRUE, FALSE, NULL_

cdef struct Node:
    const byte* start  # of the value; of a string, the first byte inside the quotes
    const byte* end    # after the value; of a string, its closing quote
    int32_t next       # index of the node after this value and all in it
    uint8_t kind
    uint8_t escaped    # a string with a backslash in it
    uint32_t count     # values in an array, members in an object

cdef struct Tape:
    Buffer nodes
    Buffer open        # indices (int32) of the containers around the place being read
    Map names          # hash -> key of an object, for who asks which of its keys are the same
    bint starved       # there was no memory once: what was said to be no JSON since may be some


cdef inline Node* tape_node(const Tape* t, int32_t i) noexcept nogil:
    return <Node*>t.nodes.data + i


cdef inline int32_t tape_length(const Tape* t) noexcept nogil:
    return <int32_t>(t.nodes.used // sizeof(Node))


cdef inline void tape_free(Tape* t) noexcept nogil:
    buffer_free(&t.nodes)
    buffer_free(&t.open)
    map_free(&t.names)


cdef inline bint is_blank(byte c) noexcept nogil:
    return c == c' ' or c == c'\n' or c == c'\r' or c == c'\t'


cdef inline const byte* skip_blanks(const byte* p, const byte* end) noexcept nogil:
    while p < end and is_blank(p[0]):
        p += 1
    return p


cdef inline const byte* scan_string(const byte* p, uint8_t* escaped) noexcept nogil:
    """From the first byte inside the quotes to the closing quote; NULL when the string is not valid."""
    cdef uint32_t stops
    cdef int i
    while True:
        stops = ss_string_stops16(p)
        if stops == 0:
            p += 16
            continue
        p += ss_ctz32(stops)
        if p[0] == c'"':
            return p
        if p[0] != c'\\':
            return NULL
        escaped[0] = True
        p += 1
        if p[0] == c'u':
            for i in range(1, 5):
                if hex_digit(p[i]) < 0:
                    return NULL
            p += 5
        elif (p[0] == c'"' or p[0] == c'\\' or p[0] == c'/' or p[0] == c'n' or p[0] == c't' or p[0] == c'r'
              or p[0] == c'b' or p[0] == c'f'):
            p += 1
        else:
            return NULL


cdef inline bint is_digit(byte c) noexcept nogil:
    return <byte>(c - c'0') < 10


cdef inline const byte* scan_number(const byte* p) noexcept nogil:
    """To the end of the number at ``p``; NULL when there is none. Python's NaN and Infinity are numbers."""
    if p[0] == c'N':
        return p + 3 if memcmp(p, b"NaN", 3) == 0 else NULL
    if p[0] == c'-':
        p += 1
    if p[0] == c'I':
        return p + 8 if memcmp(p, b"Infinity", 8) == 0 else NULL
    if not is_digit(p[0]):
        return NULL
    if p[0] == c'0':
        p += 1
    else:
        while is_digit(p[0]):
            p += 1
    if p[0] == c'.':
        if not is_digit(p[1]):
            return NULL
        p += 2
        while is_digit(p[0]):
            p += 1
    if p[0] | 32 == c'e':
        p += 1
        if p[0] == c'-' or p[0] == c'+':
            p += 1
        if not is_digit(p[0]):
            return NULL
        while is_digit(p[0]):
            p += 1
    return p


cdef inline const byte* tape_scalar(Node* node, const byte* p) noexcept nogil:
    """Read the scalar at ``p`` into ``node``; returns the place after it, or NULL."""
    cdef const byte* q
    cdef byte c = p[0]
    node.start = p
    node.escaped = False
    node.count = 0
    if c == c'"':
        node.kind = STRING
        node.start = p + 1
        q = scan_string(p + 1, &node.escaped)
        node.end = q
        return q + 1 if q != NULL else NULL
    if c == c't' and memcmp(p, b"true", 4) == 0:
        node.kind = TRUE
        q = p + 4
    elif c == c'f' and memcmp(p, b"false", 5) == 0:
        node.kind = FALSE
        q = p + 5
    elif c == c'n' and memcmp(p, b"null", 4) == 0:
        node.kind = NULL_
        q = p + 4
    else:
        node.kind = NUMBER
        q = scan_number(p)
    node.end = q
    return q


cdef inline int starve(Tape* t) noexcept nogil:
    """No memory: those who only ask whether a text is JSON are told no, and the reading as a whole fails later."""
    t.starved = True
    return TAPE_MEMORY


cdef inline bint has_room(Tape* t) noexcept nogil:
    """Is there room for two nodes, an object and its first key? It is made if need be."""
    if t.nodes.room - t.nodes.used >= 2 * sizeof(Node):
        return True
    return t.nodes.used // sizeof(Node) < MOST_NODES and buffer_reserve(&t.nodes, 64 * sizeof(Node))


cdef inline int tape_read(Tape* t, const byte* p, const byte* end, size_t depth_limit) noexcept nogil:
    """Fill the tape from the text [p, end); TAPE_OK, or why not."""
    cdef Node* node
    cdef int32_t i, parent = -1
    cdef size_t depth = 0
    cdef byte close
    t.nodes.used = 0
    t.open.used = 0
    while True:
        # a value is expected
        p = skip_blanks(p, end)
        if p >= end:
            return TAPE_BAD
        if not has_room(t):
            return starve(t)
        i = tape_length(t)
        node = tape_node(t, i)
        t.nodes.used += sizeof(Node)
        if p[0] == c'{' or p[0] == c'[':
            if depth == depth_limit:
                return TAPE_DEEP
            depth += 1
            node.kind = OBJECT if p[0] == c'{' else ARRAY
            node.start = p
            node.count = 0
            node.escaped = False
            if not buffer_reserve(&t.open, sizeof(int32_t)):
                return starve(t)
            (<int32_t*>(t.open.data + t.open.used))[0] = parent
            t.open.used += sizeof(int32_t)
            parent = i
            p = skip_blanks(p + 1, end)
            if p >= end:
                return TAPE_BAD
            if p[0] != (c'}' if node.kind == OBJECT else c']'):
                if node.kind == OBJECT:
                    p = tape_key(t, p, end)
                    if p == NULL:
                        return TAPE_BAD
                continue
        else:
            p = tape_scalar(node, p)
            if p == NULL:
                return TAPE_BAD
            node.next = i + 1
            if parent >= 0:
                tape_node(t, parent).count += 1
        # a value has ended, or the bracket that ends a container stands here
        while True:
            if parent < 0:
                return TAPE_OK if skip_blanks(p, end) == end else TAPE_BAD
            p = skip_blanks(p, end)
            if p >= end:
                return TAPE_BAD
            node = tape_node(t, parent)
            close = c'}' if node.kind == OBJECT else c']'
            if p[0] == close:
                p += 1
                node.end = p
                node.next = tape_length(t)
                t.open.used -= sizeof(int32_t)
                parent = (<int32_t*>(t.open.data + t.open.used))[0]
                depth -= 1
                if parent >= 0:
                    tape_node(t, parent).count += 1
                continue
            if p[0] != c',':
                return TAPE_BAD
            p += 1
            if node.kind == OBJECT:
                p = skip_blanks(p, end)
                if not has_room(t):
                    return starve(t)
                p = tape_key(t, p, end)
                if p == NULL:
                    return TAPE_BAD
            break


cdef inline const byte* tape_key(Tape* t, const byte* p, const byte* end) noexcept nogil:
    """Read a key and its colon (room for the node is there); NULL when there is none."""
    cdef int32_t i = tape_length(t)
    cdef Node* node
    if p >= end or p[0] != c'"':
        return NULL
    node = tape_node(t, i)
    t.nodes.used += sizeof(Node)
    p = tape_scalar(node, p)
    if p == NULL:
        return NULL
    node.next = i + 1
    p = skip_blanks(p, end)
    if p >= end or p[0] != c':':
        return NULL
    return p + 1


cdef inline bint is_too_deep(const byte* p, const byte* end, size_t limit) noexcept nogil:
    """Do brackets outside strings open more than ``limit`` levels, also in text that is no JSON?"""
    cdef int64_t depth = 0
    cdef bint inside = False
    while p < end:
        if inside:
            if p[0] == c'\\':
                p += 1
            elif p[0] == c'"':
                inside = False
        elif p[0] == c'"':
            inside = True
        elif p[0] == c'{' or p[0] == c'[':
            depth += 1
            if depth > <int64_t>limit:
                return True
        elif p[0] == c'}' or p[0] == c']':
            depth -= 1
        p += 1
    return False


cdef inline int tape_check(Tape* t, const byte* p, const byte* end, size_t depth_limit) noexcept nogil:
    """As ``tape_read``, but too deep a nesting wins over text that is no JSON, wherever either stands."""
    cdef int state = tape_read(t, p, end, depth_limit)
    if state == TAPE_BAD and is_too_deep(p, end, depth_limit):
        return TAPE_DEEP
    return state

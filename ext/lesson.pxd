"""Lessons: how literals and holes are cut out of a chunk, and the shape of its lists of tokens.

The tape of the chunk is walked in the order of its text. Text between two holes becomes a literal. Each ``learn_*``
returns False when the shape is none for a template; the caller then drops the attempt.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.string cimport memset

from chunk cimport CONTENT, REASONING, REFUSAL
from column cimport byte
from entry cimport (E_BYTES, E_END, E_LOGPROB, E_NUMBER, E_TOKEN, E_TOPS, ENTRY_STEPS, EntryShape, Literal)
from list cimport ListShape, plain_reader
from object cimport given, is_kind, key_is, member
from tape cimport ARRAY, NULL_, NUMBER, OBJECT, STRING, Node, Tape, is_digit, tape_node
from template cimport SKIP_NUMBER, SKIP_NUMBERS, SKIP_STRING, STEPS, TOKENS, Step, Template
from value cimport ss_same_run

cdef enum:
    MANY_KEYS = 64

cdef struct Lesson:
    Template* t
    const Tape* tape
    const byte* start    # of the event's text
    const byte* at       # where the next literal begins
    int last_list        # the list of tokens learned last; they must come in order
    bint reasoning       # a reasoning text has been learned


cdef inline const byte* in_copy(const Lesson* l, const byte* p) noexcept nogil:
    """The place in the template's own copy of the text."""
    return l.t.text + (p - l.start)


cdef inline Literal literal_of(const Lesson* l, const byte* start, const byte* end) noexcept nogil:
    cdef Literal literal
    literal.text = in_copy(l, start)
    literal.n = <uint32_t>(end - start)
    literal.mask = 0xFFFF if literal.n >= 16 else (<uint32_t>1 << literal.n) - 1
    return literal


cdef inline bint hole(Lesson* l, int op, int which, const byte* start, const byte* end) noexcept nogil:
    """The text up to ``start`` is a literal, [start, end) is read by ``op``."""
    cdef Step* step
    if l.t.count >= STEPS - 1:
        return False
    step = &l.t.steps[l.t.count]
    step.literal = literal_of(l, l.at, start)
    step.op = op
    step.which = which
    l.t.count += 1
    l.at = end
    return True


cdef inline bint string_hole(Lesson* l, int op, int which, const Node* node) noexcept nogil:
    return hole(l, op, which, node.start, node.end)


cdef inline bint is_plain_integer(const Node* node) noexcept nogil:
    """Digits only, few enough for 64 bits."""
    cdef const byte* p = node.start
    if node.kind != NUMBER or node.end - p > 18:
        return False
    while p < node.end:
        if not is_digit(p[0]):
            return False
        p += 1
    return True


cdef inline bint has_repeats(const Tape* t, int32_t object) noexcept nogil:
    """Does the object have two keys of the same spelling, or one with escapes? Of very many keys that is assumed."""
    cdef int32_t end = tape_node(t, object).next, a = object + 1, b
    cdef Node* x
    cdef Node* y
    cdef size_t n, i
    if tape_node(t, object).count > MANY_KEYS:
        return True
    while a < end:
        x = tape_node(t, a)
        if x.escaped:
            return True
        b = tape_node(t, a + 1).next
        while b < end:
            y = tape_node(t, b)
            n = x.end - x.start
            if <size_t>(y.end - y.start) == n:
                i = 0
                while i < n and x.start[i] == y.start[i]:
                    i += 1
                if i == n:
                    return True
            b = tape_node(t, b + 1).next
        a = tape_node(t, a + 1).next
    return False


# ------------------------------------------------------------------------------------------- what nobody reads


cdef inline bint learn_skipped(Lesson* l, int32_t i) noexcept nogil:
    """A value without a meaning: its scalars may vary, its structure may not."""
    cdef Node* node = tape_node(l.tape, i)
    cdef int32_t end = node.next, k
    if node.kind == STRING:
        return string_hole(l, SKIP_STRING, 0, node)
    if node.kind == NUMBER:
        return hole(l, SKIP_NUMBER, 0, node.start, node.end)
    if node.kind == ARRAY:
        k = i + 1
        while k < end and tape_node(l.tape, k).kind == NUMBER:
            k += 1
        if k == end and node.count > 0:
            return hole(l, SKIP_NUMBERS, 0, node.start + 1, node.end - 1)
        k = i + 1
        while k < end:
            if not learn_skipped(l, k):
                return False
            k = tape_node(l.tape, k).next
    elif node.kind == OBJECT:
        k = i + 1
        while k < end:
            if not learn_skipped(l, k + 1):
                return False
            k = tape_node(l.tape, k + 1).next
    return True


# ------------------------------------------------------------------------------------------------------ tokens


cdef inline bint entry_step(Lesson* l, EntryShape* shape, int op, const byte* start, const byte* end,
                            const byte** at) noexcept nogil:
    if shape.count >= ENTRY_STEPS - 1:
        return False
    shape.literals[shape.count] = literal_of(l, at[0], start)
    shape.ops[shape.count] = op
    shape.count += 1
    at[0] = end
    return True


cdef inline bint learn_entry(Lesson* l, int32_t i, EntryShape* shape, int32_t* tops) noexcept nogil:
    """The shape of a token or of an alternative; ``tops`` gets the list of alternatives (-1: none)."""
    cdef const Tape* t = l.tape
    cdef Node* node = tape_node(t, i)
    cdef Node* value
    cdef Node* key
    cdef const byte* at = node.start
    cdef int32_t end = node.next, k = i + 1
    cdef bint good = True
    tops[0] = -1
    shape.count = shape.values = 0
    if node.kind != OBJECT or has_repeats(t, i):
        return False
    while k < end and good:
        key = tape_node(t, k)
        value = tape_node(t, k + 1)
        if key_is(key, b"token", 5):
            good = value.kind == STRING and entry_step(l, shape, E_TOKEN, value.start, value.end, &at)
        elif key_is(key, b"logprob", 7):
            if value.kind == NUMBER:
                good = entry_step(l, shape, E_LOGPROB, value.start, value.end, &at)
            else:
                good = value.kind == NULL_
        elif key_is(key, b"bytes", 5):
            if value.kind == ARRAY:
                shape.bytes_first = not shape_has(shape, E_TOKEN)
                good = entry_step(l, shape, E_BYTES, value.start + 1, value.end - 1, &at)
            else:
                good = value.kind == NULL_
        elif key_is(key, b"top_logprobs", 12):
            if value.kind == ARRAY:
                tops[0] = k + 1
                good = value.count == 0 or entry_step(l, shape, E_TOPS, value.start + 1, value.end - 1, &at)
            else:
                good = value.kind == NULL_
        elif value.kind == NUMBER:
            good = entry_step(l, shape, E_NUMBER, value.start, value.end, &at)
        else:
            good = value.kind == NULL_
        k = value.next
    if not good:
        return False
    shape.literals[shape.count] = literal_of(l, at, node.end)
    shape.ops[shape.count] = E_END
    shape.count += 1
    shape.spaced = spaced(shape)
    note_kind(shape)
    # alternatives are read when the token's row is written: all that belongs to the row must stand before them
    return ends_with_tops(shape)


cdef inline void note_kind(EntryShape* shape) noexcept nogil:
    """Is the entry plain, or even straight?"""
    cdef int k, tokens = 0, logprobs = 0, lists = 0
    while shape.ops[shape.values] != E_TOPS and shape.ops[shape.values] != E_END:
        tokens += shape.ops[shape.values] == E_TOKEN
        logprobs += shape.ops[shape.values] == E_LOGPROB
        lists += shape.ops[shape.values] == E_BYTES
        shape.values += 1
    shape.bytes = lists > 0
    shape.plain = tokens == 1 and logprobs == 1 and lists < 2
    shape.straight = (shape.plain and shape.values == 2 + lists and shape.ops[0] == E_TOKEN
                      and shape.ops[1] == E_LOGPROB)
    for k in range(shape.values):
        if shape.literals[k].n > 16:
            shape.straight = False


cdef inline void join_entries(Lesson* l, EntryShape* shape, uint32_t gap, const byte* end) noexcept nogil:
    """The text from an alternative's last value to the next one's first, if there is one.

    ``end`` is that of the first alternative.
    """
    cdef const Literal* last = &shape.literals[shape.count - 1]
    cdef const Literal* first = &shape.literals[0]
    shape.joint = last[0]
    shape.joint.n = last.n + 1 + gap + first.n
    if not ss_same_run(in_copy(l, end) + 1 + gap, first.text, first.n):
        shape.joint.n = 0
    shape.joint.mask = 0xFFFF if shape.joint.n >= 16 else (<uint32_t>1 << shape.joint.n) - 1


cdef inline bint shape_has(const EntryShape* shape, int op) noexcept nogil:
    cdef int k
    for k in range(shape.count):
        if shape.ops[k] == op:
            return True
    return False


cdef inline bint ends_with_tops(const EntryShape* shape) noexcept nogil:
    """Are there no alternatives, or do they come after token, logprob and bytes?"""
    cdef int k
    for k in range(shape.count - 2):
        if shape.ops[k] == E_TOPS and shape.ops[k + 1] != E_NUMBER:
            return False
    return True


cdef inline bint are_twins(const EntryShape* token, const EntryShape* top) noexcept nogil:
    """Do token and alternative have the same inner text, so that their bytes can be compared as a whole?"""
    cdef int k
    cdef uint32_t i
    if token.count != top.count + 1 or token.ops[top.count - 1] != E_TOPS:
        return False
    for k in range(top.count - 1):
        if token.ops[k] != top.ops[k]:
            return False
        if k > 0:
            if token.literals[k].n != top.literals[k].n:
                return False
            for i in range(token.literals[k].n):
                if token.literals[k].text[i] != top.literals[k].text[i]:
                    return False
    return True


cdef inline bint gap_of(const Tape* t, int32_t list, uint32_t* gap) noexcept nogil:
    """Blanks behind the commas of a list of objects."""
    cdef int32_t first = list + 1, second = tape_node(t, list + 1).next
    gap[0] = 0
    if tape_node(t, list).count > 1:
        gap[0] = <uint32_t>(tape_node(t, second).start - tape_node(t, first).end - 1)
        return tape_node(t, first).end[0] == c',' and gap[0] < 2
    return True


cdef inline bint learn_list(Lesson* l, int32_t i, int which) noexcept nogil:
    """A list of tokens. An empty one is a literal: it shows no shape."""
    cdef const Tape* t = l.tape
    cdef Node* node = tape_node(t, i)
    cdef ListShape* shape = &l.t.lists[which]
    cdef int32_t tops = -1, none = -1, k
    if node.kind == NULL_:
        return True
    if node.kind != ARRAY or which <= l.last_list:
        return False
    if node.count == 0:
        return True
    l.last_list = which
    memset(shape, 0, sizeof(ListShape))
    if not learn_entry(l, i + 1, &shape.token, &tops) or not gap_of(t, i, &shape.gap):
        return False
    # blanks between entries are the style of the whole text: a list of one shows them after its keys
    if tops >= 0 and tape_node(t, tops).count > 0:
        if not learn_entry(l, tops + 1, &shape.top, &none) or none >= 0 or not gap_of(t, tops, &shape.top_gap):
            return False
        if shape_has(&shape.top, E_TOPS):
            return False
        if tape_node(t, tops).count == 1:
            shape.top_gap = spaced(&shape.token)
        join_entries(l, &shape.top, shape.top_gap, tape_node(t, tops + 1).end)
        shape.read_plain = plain_reader(&shape.top)
        shape.twins = are_twins(&shape.token, &shape.top)
    if node.count == 1:
        shape.gap = spaced(&shape.token)
    return hole(l, TOKENS, which, node.start + 1, node.end - 1)


cdef inline uint32_t spaced(const EntryShape* shape) noexcept nogil:
    """Does this text put a blank behind its colons? Then it does behind commas too."""
    cdef uint32_t i
    cdef int k
    for k in range(shape.count):
        for i in range(1, shape.literals[k].n):
            if shape.literals[k].text[i] == c' ' and shape.literals[k].text[i - 1] == c':':
                return 1
    return 0


cdef inline bint learn_logprobs(Lesson* l, int32_t i) noexcept nogil:
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, i).next, k = i + 1
    cdef Node* key
    cdef bint good = True
    if not is_kind(t, i, OBJECT):
        return not is_kind(t, i, ARRAY) and learn_skipped(l, i)
    if has_repeats(t, i):
        return False
    if not given(t, member(t, i, b"content", 7)) and (given(t, member(t, i, b"tokens", 6))
            or given(t, member(t, i, b"token_logprobs", 14)) or given(t, member(t, i, b"top_logprobs", 12))):
        return False
    while k < end and good:
        key = tape_node(t, k)
        if key_is(key, b"content", 7):
            good = learn_list(l, k + 1, CONTENT)
        elif key_is(key, b"refusal", 7):
            good = learn_list(l, k + 1, REFUSAL)
        elif key_is(key, b"reasoning_content", 17):
            good = learn_list(l, k + 1, REASONING)
        elif key_is(key, b"tokens", 6) or key_is(key, b"token_logprobs", 14) or key_is(key, b"top_logprobs", 12):
            # with `content` null these would count
            good = not given(t, k + 1) or is_kind(t, member(t, i, b"content", 7), ARRAY) and learn_skipped(l, k + 1)
        else:
            good = learn_skipped(l, k + 1)
        k = tape_node(t, k + 1).next
    return good

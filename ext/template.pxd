"""The fast path: a chunk like one seen before, recognised by its constant text.

Servers write chunk after chunk with the same program, so most bytes of a log repeat. A Template is a chunk's text with
holes: *steps*, each a literal and then a value that may vary (a text, a list of tokens, an index, a number). It is
learned from a chunk that the generic path has read, and matched by comparing literals and reading holes, with no look
at keys or structure.

A template refuses, by returning NULL, whatever it is not sure of: any other byte in a literal, an escape or number out
of the ordinary, invalid UTF-8, an event that ends differently. Then the generic path reads the event from the start. So
a template may only ever be narrower than the contract, never wider; ``learn`` sees to that:

* scalars that decide something (role, finish_reason, object, error, ...) stay in literals; only the envelope (id, model,
  ``created``, ...), the index, texts, tokens and usage figures are read, and unknown scalars are checked and skipped;
* a shape whose meaning depends on more than its place (duplicate keys, two reasoning texts, a tool call that opens,
  legacy logprobs, ...) is not learned.

The *envelope* (id, created, model and what stands around them) mostly repeats byte for byte within a response. The bytes before
the first hole that matters, as matched last, are kept as the memo: one comparison replaces those steps, and says that the
chunk has the id of the chunk before.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from chunk cimport FIGURES, LISTS, CallPiece, Chunk, Piece, Slice
from column cimport PAD, Buffer, Rows, byte
from entry cimport Literal, match_text, same_literal
from list cimport ListShape, match_list
from object cimport Span
from single cimport SingleShape
from tape cimport is_digit, scan_number, scan_string
from value cimport SS_PREFETCH, ss_ctz32, ss_plain_stops16, ss_same_long, ss_utf8_error

cdef enum:
    TEMPLATES = 64
    STEPS = 48
    LONGEST_MEMO = 1024
    MEMO_ROOM = LONGEST_MEMO + PAD
    LONGEST_ID = 256
    STEP_BYTES = 1 << 15   # the longest event that a template reads

cdef enum:
    # a TEXT step's place beside the texts of a choice
    ARGUMENTS = 3

cdef enum:
    # what a step reads after its literal
    END, ID, NAME, CREATED, INDEX, TEXT, TOKENS, FIGURE, SKIP_STRING, SKIP_NUMBER, SKIP_NUMBERS

cdef enum:
    # the strings of the envelope that a NAME step reads
    NAME_MODEL, NAME_FINGERPRINT, NAME_TIER, NAMES

cdef struct Step:
    Literal literal
    int op
    int which          # the list or text, or the figure

cdef struct Template:
    byte* text         # of the event it was learned from; literals and the prototype's spans point into it
    Step steps[STEPS]
    int count
    int memo_steps     # steps that the memo replaces
    int text_steps     # how many texts, and which was the last
    int text_which
    int list_steps     # the same of lists of tokens
    int list_which
    bint runs          # its chunks may be read as a run
    bint memo_whole    # no step of the envelope comes after them
    ListShape lists[LISTS]
    SingleShape single
    uint32_t ending_size  # of the line ends, which the last literal includes
    Chunk proto        # without its buffers
    Piece piece
    bint has_piece
    CallPiece call     # of a tool call that goes on, whose arguments are a hole
    bint has_call
    bint plain         # no finish_reason, no tool call: text and tokens, perhaps usage, perhaps a role again
    byte memo[MEMO_ROOM]
    uint32_t memo_size
    bint memo_has_id   # the id stands in the memo
    Span memo_names[NAMES]  # in the memo
    int index_step     # that reads the index, if the memo holds it; else -1
    int64_t memo_index
    bint memo_has_created
    int64_t memo_created
    byte id[LONGEST_ID]  # of the chunk before
    size_t id_size
    int64_t response   # the number of the response that a chunk of this id was placed in last ...
    int64_t generation # ... when ids were owned as at this generation; -1: ask
    int32_t successor  # the template that matched after this one

cdef struct Match:
    # what a template has read of an event
    const byte* id
    size_t id_size
    bint same_id       # as the template's chunk before, or both have none
    Span names[NAMES]
    bint created
    int64_t created_value
    Piece piece        # index, texts and tokens
    Slice arguments    # of a tool call
    int64_t figures[FIGURES]
    const byte* holes[STEPS]  # where they begin, from the first one behind the memo


# ---------------------------------------------------------------------------------------------------- reading


cdef inline const byte* match_digits(const byte* p, int64_t* out) noexcept nogil:
    """One to 18 digits, as JSON spells them; NULL for anything else."""
    cdef const byte* start = p
    cdef uint64_t value = 0   # 19 digits fit
    while is_digit(p[0]):
        value = value * 10 + (p[0] - c'0')
        p += 1
        if p - start > 18:
            return NULL
    if p == start or (start[0] == c'0' and p - start > 1):
        return NULL
    out[0] = <int64_t>value
    return p


cdef inline const byte* match_numbers(const byte* p, const byte* stop) noexcept nogil:
    """A list of numbers, checked and skipped, to its bracket."""
    if p[0] == c']':
        return p
    while p < stop:
        p = scan_number(p)
        if p == NULL or p[0] == c']':
            return p
        if p[0] != c',':
            return NULL
        p += 2 if p[1] == c' ' else 1
    return NULL


cdef inline const byte* match_skipped(const byte* p, const byte* stop) noexcept nogil:
    """A string, checked and skipped, to its closing quote."""
    cdef uint8_t escaped = False
    cdef const byte* end
    cdef int n = ss_ctz32(ss_plain_stops16(p) | 0x10000)
    if p[n] == c'"' and n < 16:
        return p + n
    end = scan_string(p, &escaped)
    if end == NULL or end > stop or ss_utf8_error(p, end) != NULL:
        return NULL
    return end


cdef inline const byte* match_name(const byte* p, Span* out, const byte* stop) noexcept nogil:
    """A string of the envelope, to its closing quote; an empty one, which would say nothing, is refused."""
    cdef uint8_t escaped = False
    cdef const byte* end = scan_string(p, &escaped)
    if end == NULL or end > stop or end == p or ss_utf8_error(p, end) != NULL:
        return NULL
    out.start = p
    out.end = end
    out.escaped = escaped
    return end


cdef inline const byte* read_holes(Template* t, const byte* p, int k, int until, const byte* stop, int want, Match* m,
                                   Rows* rows, Buffer* arena) noexcept nogil:
    """From hole ``k``, at ``p``, to hole ``until``: read each, and compare the literal behind it."""
    cdef Step* step = &t.steps[k]
    cdef Slice* text
    cdef byte* out
    while k < until:
        SS_PREFETCH(p + 4096)
        m.holes[k] = p
        if step.op == TEXT:
            text = &m.piece.texts[step.which] if step.which != ARGUMENTS else &m.arguments
            out = arena.data + arena.used
            text.start = arena.used
            text.surrogates = False
            text.set = True
            p = match_text(p, &out, stop, &text.surrogates)
            arena.used = out - arena.data
            text.end = arena.used
        elif step.op == TOKENS:
            m.piece.first_token[step.which] = rows.tokens.how.used
            p = match_list(&t.lists[step.which], p, rows, want, stop)
            m.piece.token_count[step.which] = rows.tokens.how.used - m.piece.first_token[step.which]
        elif step.op == SKIP_STRING:
            p = match_skipped(p, stop)
        elif step.op == INDEX:
            p = match_digits(p, &m.piece.index)
        elif step.op == SKIP_NUMBER:
            p = scan_number(p)
        elif step.op == SKIP_NUMBERS:
            p = match_numbers(p, stop)
        elif step.op == FIGURE:
            p = match_digits(p, &m.figures[step.which])
        elif step.op == ID:
            p = match_id(t, p, stop, m)
        elif step.op == NAME:
            p = match_name(p, &m.names[step.which], stop)
        else:
            m.created = True
            p = match_digits(p, &m.created_value)
        k += 1
        step += 1
        if p == NULL or not same_literal(p, &step.literal):
            return NULL
        p += step.literal.n
    return p


cdef inline const byte* read_payload(Template* t, const byte* p, const byte* stop, int want, Match* m, Rows* rows,
                                     Buffer* arena) noexcept nogil:
    """From the first hole behind the memo to behind the blank line."""
    p = read_holes(t, p, t.memo_steps, t.count - 1, stop, want, m, rows, arena)
    return p if p <= stop else NULL


cdef inline bint memo_matches(const Template* t, const byte* p) noexcept nogil:
    """Does this event begin with the very envelope of the template's chunk before?"""
    return t.memo_size > 0 and ss_same_long(p, t.memo, t.memo_size)


cdef inline void recall_envelope(const Template* t, Match* m) noexcept nogil:
    """What the memo says."""
    cdef int k
    if t.memo_has_id:
        m.same_id = True
        m.id = <const byte*>t.id
        m.id_size = t.id_size
    for k in range(NAMES):
        m.names[k] = t.memo_names[k]
    m.created = t.memo_has_created
    m.created_value = t.memo_created
    m.piece.index = t.memo_index


cdef inline const byte* read_envelope(Template* t, const byte* p, const byte* stop, int want, Match* m, Rows* rows,
                                      Buffer* arena) noexcept nogil:
    """From the event's start to the first hole behind the envelope, which is remembered."""
    cdef const byte* start = p
    cdef int k
    for k in range(NAMES):
        m.names[k].start = NULL
    if not same_literal(p, &t.steps[0].literal):
        return NULL
    p = read_holes(t, p + t.steps[0].literal.n, 0, t.memo_steps, stop, want, m, rows, arena)
    if p != NULL and t.memo_steps and <size_t>(p - start) <= LONGEST_MEMO:
        remember_envelope(t, start, p, m)
    return p


cdef inline const byte* template_match(Template* t, const byte* p, const byte* stop, int want, Match* m, Rows* rows,
                                       Buffer* arena) noexcept nogil:
    """Read the event at ``p``; returns the place behind its blank line, or NULL when it is another shape.

    An event that goes on beyond ``stop`` is refused. Texts go to the arena, tokens to their columns; on NULL the caller
    undoes both.
    """
    cdef Piece* piece = &m.piece
    cdef int k
    piece.index = t.piece.index
    for k in range(LISTS):
        piece.texts[k].set = False
        piece.texts[k].start = piece.texts[k].end = 0
        piece.token_count[k] = 0
    m.same_id = t.id_size == 0
    m.created = False
    m.id_size = 0
    if memo_matches(t, p):
        recall_envelope(t, m)
        p += t.memo_size
    else:
        p = read_envelope(t, p, stop, want, m, rows, arena)
        if p == NULL:
            return NULL
    return read_payload(t, p, stop, want, m, rows, arena)


cdef inline const byte* match_id(Template* t, const byte* p, const byte* stop, Match* m) noexcept nogil:
    m.id = p
    p = match_skipped(p, stop)
    if p == NULL:
        return NULL
    m.id_size = p - m.id
    m.same_id = m.id_size == t.id_size and memcmp(m.id, t.id, m.id_size) == 0
    return p if m.same_id or remember_id(t, m) else NULL


cdef inline bint remember_id(Template* t, const Match* m) noexcept nogil:
    """The id changed; an empty, escaped or very long one is left to the generic path."""
    cdef size_t i
    if m.id_size == 0 or m.id_size > LONGEST_ID:
        return False
    for i in range(m.id_size):
        if m.id[i] == c'\\':
            return False
    memcpy(t.id, m.id, m.id_size)
    t.id_size = m.id_size
    t.memo_size = 0
    t.generation = -1
    return True


cdef inline void remember_envelope(Template* t, const byte* start, const byte* p, const Match* m) noexcept nogil:
    """These bytes are what the next chunk of this response will most likely begin with.

    Where choices take turns, their index is no part of that.
    """
    cdef int i
    if t.index_step >= 0:
        if t.memo_size and m.same_id and t.memo_index != m.piece.index:
            t.memo_steps = t.index_step
            t.index_step = -1
            t.memo_size = 0
            return
        t.memo_index = m.piece.index
    t.memo_size = <uint32_t>(p - start)
    memcpy(t.memo, start, t.memo_size)
    t.memo_has_id = m.id_size > 0
    t.memo_has_created = m.created
    t.memo_created = m.created_value
    for i in range(NAMES):
        t.memo_names[i] = m.names[i]
        if m.names[i].start != NULL:
            t.memo_names[i].start = t.memo + (m.names[i].start - start)
            t.memo_names[i].end = t.memo + (m.names[i].end - start)

"""Tape -> chunk: walks the schema and collects what an event says.

``decode_chunk`` returns GOOD or the number of the message that says what is wrong; then the caller undoes the rows.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from chunk cimport (CACHED_TOKENS, COMPLETION_TOKENS, CONTENT, FIGURES, GOOD, LISTS, M_ARGUMENTS, M_CALL, M_CALL_INDEX,
                    M_CALLS, M_CHOICE, M_CHOICES, M_CONTENT, M_DELTA, M_INDEX, M_REFUSAL, NO_MEMORY, PROMPT_TOKENS,
                    REASONING, REASONING_TOKENS, REFUSAL, TOTAL_TOKENS, USAGE_CHOICE, USAGE_GROQ, USAGE_LEVELS,
                    USAGE_TOP, WANT_CALLS, WANT_TEXT, WANT_TOKENS, CallPiece, Chunk, Piece, Slice, Usage, call_at,
                    chunk_clear, piece_at, piece_count)
from column cimport Buffer, Rows, buffer_reserve, byte, put_bytes, rows_reserve
from object cimport given, integer_at, is_kind, is_true, key_is, member, span_of, starts_with, whole_number_at
from tape cimport ARRAY, NULL_, OBJECT, STRING, Tape, tape_length, tape_node
from tokens cimport decode_logprobs
from value cimport unescape

# ------------------------------------------------------------------------------------------------------ usage


cdef inline void take_figure(const Tape* t, int32_t i, Usage* u, int figure) noexcept nogil:
    if integer_at(t, i, &u.figures[figure]):
        u.present |= 1 << figure


cdef inline void decode_usage(const Tape* t, int32_t i, Usage* u) noexcept nogil:
    """Figures of this object replace those read before, one by one."""
    cdef Usage own
    cdef int32_t details
    cdef int figure
    if not is_kind(t, i, OBJECT):
        return
    memset(&own, 0, sizeof(Usage))
    u.seen = True
    take_figure(t, member(t, i, b"prompt_tokens", 13), &own, PROMPT_TOKENS)
    take_figure(t, member(t, i, b"completion_tokens", 17), &own, COMPLETION_TOKENS)
    take_figure(t, member(t, i, b"total_tokens", 12), &own, TOTAL_TOKENS)
    details = member(t, i, b"prompt_tokens_details", 21)
    if is_kind(t, details, OBJECT):
        take_figure(t, member(t, details, b"cached_tokens", 13), &own, CACHED_TOKENS)
    if not own.present & (1 << CACHED_TOKENS):
        take_figure(t, member(t, i, b"cached_tokens", 13), &own, CACHED_TOKENS)
    if not own.present & (1 << CACHED_TOKENS):
        take_figure(t, member(t, i, b"prompt_cache_hit_tokens", 23), &own, CACHED_TOKENS)
    details = member(t, i, b"completion_tokens_details", 25)
    if is_kind(t, details, OBJECT):
        take_figure(t, member(t, details, b"reasoning_tokens", 16), &own, REASONING_TOKENS)
    if not own.present & (1 << REASONING_TOKENS):
        take_figure(t, member(t, i, b"reasoning_tokens", 16), &own, REASONING_TOKENS)
    for figure in range(FIGURES):
        if own.present & (1 << figure):
            u.figures[figure] = own.figures[figure]
    u.present |= own.present


# ------------------------------------------------------------------------------------------------------ texts


cdef inline void append_string(const Tape* t, int32_t i, Buffer* arena, Slice* out) noexcept nogil:
    """Add the string at ``i`` to a slice that ends where the arena ends (room is there)."""
    cdef byte* start = arena.data + arena.used
    arena.used += unescape(tape_node(t, i).start, tape_node(t, i).end, start, &out.surrogates) - start
    out.set = True
    out.end = arena.used


cdef inline void open_slice(Slice* out, const Buffer* arena) noexcept nogil:
    out.start = out.end = arena.used
    out.set = False
    out.surrogates = False


cdef inline void decode_thinking(const Tape* t, int32_t i, Buffer* arena, Slice* out) noexcept nogil:
    """``thinking`` of a part: a string, or the texts of a list of objects."""
    cdef int32_t end, text
    if is_kind(t, i, STRING):
        append_string(t, i, arena, out)
    elif is_kind(t, i, ARRAY):
        out.set = True
        end = tape_node(t, i).next
        i += 1
        while i < end:
            if tape_node(t, i).kind == OBJECT:
                text = member(t, i, b"text", 4)
                if is_kind(t, text, STRING):
                    append_string(t, text, arena, out)
            i = tape_node(t, i).next


cdef inline void decode_parts(const Tape* t, int32_t list, Buffer* arena, Slice* out, bint thinking) noexcept nogil:
    """The text of a list of typed parts: either its text parts or its thinking parts."""
    cdef int32_t end = tape_node(t, list).next, i = list + 1, kind, text
    while i < end:
        if tape_node(t, i).kind == STRING:
            if not thinking:
                append_string(t, i, arena, out)
        elif tape_node(t, i).kind == OBJECT:
            kind = member(t, i, b"type", 4)
            if is_kind(t, kind, STRING):
                if thinking and key_is(tape_node(t, kind), b"thinking", 8):
                    decode_thinking(t, member(t, i, b"thinking", 8), arena, out)
                elif not thinking and key_is(tape_node(t, kind), b"text", 4):
                    text = member(t, i, b"text", 4)
                    if is_kind(t, text, STRING):
                        append_string(t, text, arena, out)
        i = tape_node(t, i).next


cdef inline void decode_details(const Tape* t, int32_t list, Buffer* arena, Slice* out) noexcept nogil:
    """reasoning_details: the text, else the summary, of each entry."""
    cdef int32_t end = tape_node(t, list).next, i = list + 1, text
    while i < end:
        if tape_node(t, i).kind == OBJECT:
            text = member(t, i, b"text", 4)
            if not is_kind(t, text, STRING):
                text = member(t, i, b"summary", 7)
            if is_kind(t, text, STRING):
                append_string(t, text, arena, out)
        i = tape_node(t, i).next


cdef inline void decode_reasoning(const Tape* t, int32_t delta, int32_t content, Buffer* arena,
                                  Slice* out) noexcept nogil:
    """The first of the four places that is not empty; an empty string still says that there was one."""
    cdef int32_t i
    open_slice(out, arena)
    i = member(t, delta, b"reasoning_content", 17)
    if is_kind(t, i, STRING):
        append_string(t, i, arena, out)
    if out.end > out.start:
        return
    i = member(t, delta, b"reasoning", 9)
    if is_kind(t, i, STRING):
        append_string(t, i, arena, out)
    if out.end > out.start:
        return
    i = member(t, delta, b"reasoning_details", 17)
    if is_kind(t, i, ARRAY):
        decode_details(t, i, arena, out)
    if out.end > out.start:
        return
    if is_kind(t, content, ARRAY):
        decode_parts(t, content, arena, out, True)


cdef inline int decode_content(const Tape* t, int32_t i, int want, Buffer* arena, Slice* out) noexcept nogil:
    open_slice(out, arena)
    if is_kind(t, i, STRING):
        append_string(t, i, arena, out)
    elif is_kind(t, i, ARRAY):
        out.set = True
        decode_parts(t, i, arena, out, False)
    elif given(t, i) and want & WANT_TEXT:
        return M_CONTENT
    return GOOD


cdef inline int decode_call(const Tape* t, int32_t i, CallPiece* call, Buffer* arena) noexcept nogil:
    """The object at ``i`` as an entry of tool_calls."""
    cdef int32_t index = member(t, i, b"index", 5), function = member(t, i, b"function", 8), arguments
    memset(call, 0, sizeof(CallPiece))
    if given(t, index):
        if not whole_number_at(t, index, &call.index):
            return M_CALL_INDEX
        call.indexed = True
    call.id = span_of(t, member(t, i, b"id", 2))
    call.type = span_of(t, member(t, i, b"type", 4))
    open_slice(&call.arguments, arena)
    if not is_kind(t, function, OBJECT):
        return GOOD
    call.name = span_of(t, member(t, function, b"name", 4))
    arguments = member(t, function, b"arguments", 9)
    if is_kind(t, arguments, STRING):
        append_string(t, arguments, arena, &call.arguments)
    elif is_kind(t, arguments, OBJECT) or is_kind(t, arguments, ARRAY):
        put_bytes(arena, tape_node(t, arguments).start, tape_node(t, arguments).end - tape_node(t, arguments).start)
        call.arguments.set = True
        call.arguments.end = arena.used
    elif given(t, arguments):
        return M_ARGUMENTS
    return GOOD


cdef inline int decode_calls(const Tape* t, int32_t i, int want, Piece* piece, Chunk* c, Buffer* arena) noexcept nogil:
    """tool_calls of a delta, each entry as sent."""
    cdef int32_t end
    cdef int wrong
    piece.first_call = c.calls.used // sizeof(CallPiece)
    piece.call_count = 0
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, ARRAY):
        return M_CALLS if want & WANT_CALLS else GOOD
    end = tape_node(t, i).next
    i += 1
    while i < end:
        if tape_node(t, i).kind == OBJECT:
            c.has_text = True
            if want & WANT_CALLS:
                if not buffer_reserve(&c.calls, sizeof(CallPiece)):
                    return NO_MEMORY
                wrong = decode_call(t, i, call_at(c, piece.first_call + piece.call_count), arena)
                if wrong != GOOD:
                    return wrong
                c.calls.used += sizeof(CallPiece)
                piece.call_count += 1
        elif tape_node(t, i).kind != NULL_ and want & WANT_CALLS:
            return M_CALL
        i = tape_node(t, i).next
    return GOOD


# ---------------------------------------------------------------------------------------------------- a chunk


cdef inline int decode_delta(const Tape* t, int32_t choice, int want, Piece* piece, Chunk* c,
                             Buffer* arena) noexcept nogil:
    """Texts, role and tool calls of a choice: from its delta, else its message, else its text."""
    cdef int32_t delta = member(t, choice, b"delta", 5), content = -1, refusal, text
    cdef int wrong
    cdef int k
    for k in range(LISTS):
        open_slice(&piece.texts[k], arena)
    if given(t, delta) and not is_kind(t, delta, OBJECT):
        return M_DELTA
    if not given(t, delta):
        delta = member(t, choice, b"message", 7)
        if given(t, delta) and not is_kind(t, delta, OBJECT):
            return M_DELTA
    if not given(t, delta):
        text = member(t, choice, b"text", 4)
        if is_kind(t, text, STRING):
            append_string(t, text, arena, &piece.texts[CONTENT])
    else:
        piece.role = span_of(t, member(t, delta, b"role", 4))
        content = member(t, delta, b"content", 7)
        wrong = decode_content(t, content, want, arena, &piece.texts[CONTENT])
        if wrong != GOOD:
            return wrong
        open_slice(&piece.texts[REFUSAL], arena)
        refusal = member(t, delta, b"refusal", 7)
        if is_kind(t, refusal, STRING):
            append_string(t, refusal, arena, &piece.texts[REFUSAL])
        elif given(t, refusal) and want & WANT_TEXT:
            return M_REFUSAL
        decode_reasoning(t, delta, content, arena, &piece.texts[REASONING])
        wrong = decode_calls(t, member(t, delta, b"tool_calls", 10), want, piece, c, arena)
        if wrong != GOOD:
            return wrong
    for k in range(LISTS):
        if piece.texts[k].end > piece.texts[k].start:
            c.has_answer = True
            c.has_text = True
    return GOOD


cdef inline int decode_choice(Tape* t, int32_t i, int64_t place, int want, Piece* piece, Chunk* c, Rows* rows,
                              Buffer* arena) noexcept nogil:
    cdef int32_t index
    cdef int wrong
    if tape_node(t, i).kind != OBJECT:
        return M_CHOICE
    memset(piece, 0, sizeof(Piece))
    piece.index = place
    index = member(t, i, b"index", 5)
    if given(t, index) and not whole_number_at(t, index, &piece.index):
        return M_INDEX
    wrong = decode_delta(t, i, want, piece, c, arena)
    if wrong != GOOD:
        return wrong
    piece.finish = span_of(t, member(t, i, b"finish_reason", 13))
    c.has_finish |= piece.finish.start != NULL
    c.has_role |= piece.role.start != NULL
    decode_usage(t, member(t, i, b"usage", 5), &c.usage[USAGE_CHOICE])
    if want & WANT_TOKENS:
        return decode_logprobs(t, i, piece, rows, want)
    return GOOD


cdef inline void decode_envelope(const Tape* t, Chunk* c) noexcept nogil:
    """What stands around the choices."""
    cdef int32_t groq = member(t, 0, b"x_groq", 6), created = member(t, 0, b"created", 7)
    cdef int level
    c.id = span_of(t, member(t, 0, b"id", 2))
    c.object = span_of(t, member(t, 0, b"object", 6))
    c.model = span_of(t, member(t, 0, b"model", 5))
    c.fingerprint = span_of(t, member(t, 0, b"system_fingerprint", 18))
    c.tier = span_of(t, member(t, 0, b"service_tier", 12))
    c.created_sent = integer_at(t, created, &c.created)
    decode_usage(t, member(t, 0, b"usage", 5), &c.usage[USAGE_TOP])
    if is_kind(t, groq, OBJECT):
        decode_usage(t, member(t, groq, b"usage", 5), &c.usage[USAGE_GROQ])
    for level in range(USAGE_LEVELS):
        c.has_usage |= c.usage[level].seen


cdef inline int decode_chunk(Tape* t, int want, Chunk* c, Rows* rows, Buffer* arena) noexcept nogil:
    """Read the object on the tape as a chunk; GOOD or the number of a message. Room must have been reserved."""
    cdef int32_t choices = member(t, 0, b"choices", 7), i, end
    cdef int64_t place = 0
    cdef int wrong
    chunk_clear(c)
    if given(t, choices):
        if not is_kind(t, choices, ARRAY):
            return M_CHOICES
        end = tape_node(t, choices).next
        i = choices + 1
        while i < end:
            if tape_node(t, i).kind != NULL_:
                if not buffer_reserve(&c.pieces, sizeof(Piece)):
                    return NO_MEMORY
                wrong = decode_choice(t, i, place, want, piece_at(c, piece_count(c)), c, rows, arena)
                if wrong != GOOD:
                    return wrong
                c.pieces.used += sizeof(Piece)
            place += 1
            i = tape_node(t, i).next
    decode_envelope(t, c)
    return GOOD


cdef inline bint event_reserve(const Tape* t, size_t n, Rows* rows, Buffer* arena) noexcept nogil:
    """Room for whatever an event of ``n`` bytes can hold: no more rows than values on its tape, no more text."""
    return rows_reserve(rows, <size_t>tape_length(t) + 1, n + 16) and buffer_reserve(arena, n + 16)


# ---------------------------------------------------------------------------------------- what an object is


cdef inline bint is_error(const Tape* t) noexcept nogil:
    cdef int32_t object = member(t, 0, b"object", 6)
    return (is_true(t, member(t, 0, b"error", 5))
            or (is_kind(t, object, STRING) and key_is(tape_node(t, object), b"error", 5)))


cdef inline bint has_choices(const Tape* t) noexcept nogil:
    cdef int32_t choices = member(t, 0, b"choices", 7)
    return is_kind(t, choices, ARRAY) and tape_node(t, choices).count > 0


cdef inline bint is_chunk(const Tape* t) noexcept nogil:
    cdef int32_t choices = member(t, 0, b"choices", 7), object
    if choices >= 0 and (tape_node(t, choices).kind == ARRAY or tape_node(t, choices).kind == NULL_):
        return True
    object = member(t, 0, b"object", 6)
    return is_kind(t, object, STRING) and (starts_with(tape_node(t, object), b"chat.completion", 15)
                                           or starts_with(tape_node(t, object), b"text_completion", 15))

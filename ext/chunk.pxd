"""Tape -> chunk: walks the schema, writes token rows, collects the rest for whoever places the chunk.

A Chunk is one decoded event: scalars as spans of the event's text, choices and tool calls as small records, texts
already unescaped at the end of the arena, tokens already in their columns. Nothing of it counts before the chunk is
placed; ``decode_chunk`` returns the number of the message that says what is wrong, and then the caller undoes the rows.

A duplicate key's last value wins: ``member`` looks at all keys of an object and returns the last that fits.
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcmp, memset

from column cimport (Buffer, Entries, Rows, buffer_free, buffer_reserve, byte, put_bytes, put_code, put_float,
                     put_int, rows_reserve)
from tape cimport (ARRAY, FALSE, NULL_, NUMBER, OBJECT, STRING, TRUE, Node, Tape, is_digit, skip_blanks, tape_length,
                   tape_node)
from value cimport ss_int64, ss_number, ss_utf8_join, unescape

cdef enum:
    # numbers of contract.MESSAGES
    NO_MEMORY = -2
    GOOD = -1
    M_JSON = 0
    M_CUT_EVENT = 1
    M_CUT_LINE = 2
    M_EVENT_BYTES = 3
    M_DEPTH = 4
    M_LINE = 5
    M_SOURCE = 6
    M_UTF8 = 7
    M_CHOICES = 8
    M_CHOICE = 9
    M_INDEX = 10
    M_DELTA = 11
    M_CONTENT = 12
    M_REFUSAL = 13
    M_CALLS = 14
    M_CALL = 15
    M_CALL_INDEX = 16
    M_ARGUMENTS = 17
    M_LIST = 18
    M_ENTRY = 19
    M_TOKEN = 20
    M_LOGPROB = 21
    M_TOP = 22
    M_TOP_ENTRY = 23
    M_NAMELESS = 24

cdef enum:
    # which tables are wanted
    WANT_TEXT = 1
    WANT_CALLS = 2
    WANT_TOKENS = 4
    WANT_TOPS = 8

cdef enum:
    BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN

cdef enum:
    PROMPT_TOKENS, COMPLETION_TOKENS, TOTAL_TOKENS, CACHED_TOKENS, REASONING_TOKENS, FIGURES

cdef enum:
    # where a usage object stands; the first level that has a figure wins
    USAGE_TOP, USAGE_CHOICE, USAGE_GROQ, USAGE_LEVELS

cdef enum:
    CONTENT, REFUSAL, REASONING, LISTS

cdef struct Span:
    # the inside of a JSON string as it stands in the text; start is NULL when there is none
    const byte* start
    const byte* end
    bint escaped

cdef struct Usage:
    int64_t figures[5]
    uint32_t present  # bit i: figure i
    bint seen         # there was an object

cdef struct Slice:
    # bytes in the arena
    size_t start
    size_t end
    bint set
    bint surrogates

cdef struct CallPiece:
    bint indexed
    int64_t index
    Span id
    Span type
    Span name
    Slice arguments

cdef struct Piece:
    # one entry of choices
    int64_t index
    Span role
    Span finish
    Slice texts[3]
    size_t first_token[3]  # rows of the batch, by list
    size_t token_count[3]
    size_t first_call
    size_t call_count

cdef struct Chunk:
    Span id
    Span object
    Span model
    Span fingerprint
    Span tier
    bint created_sent
    int64_t created
    Usage usage[3]
    Buffer pieces  # Piece
    Buffer calls   # CallPiece
    bint has_usage
    bint has_text    # content, refusal, reasoning or a tool call
    bint has_answer  # content, refusal or reasoning
    bint has_role
    bint has_finish


cdef inline size_t piece_count(const Chunk* c) noexcept nogil:
    return c.pieces.used // sizeof(Piece)


cdef inline Piece* piece_at(const Chunk* c, size_t i) noexcept nogil:
    return <Piece*>c.pieces.data + i


cdef inline CallPiece* call_at(const Chunk* c, size_t i) noexcept nogil:
    return <CallPiece*>c.calls.data + i


cdef inline void chunk_clear(Chunk* c) noexcept nogil:
    cdef Buffer pieces = c.pieces, calls = c.calls
    memset(c, 0, sizeof(Chunk))
    c.pieces = pieces
    c.calls = calls
    c.pieces.used = 0
    c.calls.used = 0


cdef inline void chunk_free(Chunk* c) noexcept nogil:
    buffer_free(&c.pieces)
    buffer_free(&c.calls)


# ---------------------------------------------------------------------------------------------------- objects


cdef inline bint key_is(const Node* key, const char* name, size_t n) noexcept nogil:
    """Does this key spell ``name``? Escaped keys are resolved first (names are ASCII, so 6n bytes are enough)."""
    cdef byte plain[256]
    cdef size_t length = key.end - key.start
    cdef bint surrogates = False
    if not key.escaped:
        return length == n and memcmp(key.start, name, n) == 0
    if length > sizeof(plain) or length < n:
        return False
    length = unescape(key.start, key.end, plain, &surrogates) - plain
    return length == n and memcmp(plain, name, n) == 0


cdef inline int32_t member(const Tape* t, int32_t i, const char* name, size_t n) noexcept nogil:
    """The value of the last member of this name in the object at ``i``; -1 when there is none."""
    cdef int32_t end = tape_node(t, i).next, found = -1
    i += 1
    while i < end:
        if key_is(tape_node(t, i), name, n):
            found = i + 1
        i = tape_node(t, i + 1).next
    return found


cdef inline bint is_kind(const Tape* t, int32_t i, uint8_t kind) noexcept nogil:
    return i >= 0 and tape_node(t, i).kind == kind


cdef inline bint given(const Tape* t, int32_t i) noexcept nogil:
    """Is there a value, and is it not null?"""
    return i >= 0 and tape_node(t, i).kind != NULL_


cdef inline Span span_of(const Tape* t, int32_t i) noexcept nogil:
    """The string at ``i`` if it is one and not empty."""
    cdef Span span
    cdef Node* node
    span.start = span.end = NULL
    span.escaped = False
    if is_kind(t, i, STRING):
        node = tape_node(t, i)
        if node.end > node.start:
            span.start = node.start
            span.end = node.end
            span.escaped = node.escaped
    return span


cdef inline bint integer_at(const Tape* t, int32_t i, int64_t* out) noexcept nogil:
    """The integral part of the number at ``i``; False when it is none or does not fit."""
    return is_kind(t, i, NUMBER) and ss_int64(tape_node(t, i).start, tape_node(t, i).end, out)


cdef inline bint whole_number_at(const Tape* t, int32_t i, int64_t* out) noexcept nogil:
    """A number without a fraction that fits 64 bits, however it is spelled."""
    cdef double value = 0
    cdef int integral = 0
    if not integer_at(t, i, out):
        return False
    ss_number(tape_node(t, i).start, &value, &integral)
    return integral or value == <double>out[0]


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


# ----------------------------------------------------------------------------------------------------- tokens


cdef inline void write_token(Entries* e, const Node* node) noexcept nogil:
    """The token's text as a row of its own (``node`` NULL: an empty one); surrogates are settled at once."""
    cdef byte* start = e.text.data + e.text.used
    cdef byte* end = start
    cdef bint surrogates = False
    if node != NULL:
        end = unescape(node.start, node.end, start, &surrogates)
        if surrogates:
            end = start + ss_utf8_join(start, end - start, start)
    e.text.used += end - start
    put_int(&e.offsets, <int64_t>e.text.used)


cdef inline void write_logprob(const Tape* t, int32_t i, Entries* e) noexcept nogil:
    cdef double value = NAN
    cdef int integral = 0
    if is_kind(t, i, NUMBER):
        ss_number(tape_node(t, i).start, &value, &integral)
    put_float(&e.logprob, value)


cdef inline void write_bytes(const Tape* t, int32_t i, Entries* e) noexcept nogil:
    """``bytes`` of the row whose token was just written: a mark when they are the token's own, else a copy."""
    cdef const int64_t* offsets = <const int64_t*>(e.offsets.data + e.offsets.used) - 2
    cdef const byte* token = e.text.data + offsets[0]
    cdef size_t n = <size_t>(offsets[1] - offsets[0])
    cdef byte* start = e.own.data + e.own.used
    cdef byte* out = start
    cdef const Node* node
    cdef const byte* p
    cdef int32_t end
    cdef int value
    if not is_kind(t, i, ARRAY):
        put_code(&e.how, BYTES_MISSING)
        return
    end = tape_node(t, i).next
    i += 1
    while i < end:
        node = tape_node(t, i)
        value = 256
        if node.kind == NUMBER and node.end - node.start <= 3 and is_digit(node.start[0]):
            value = 0
            p = node.start
            while p < node.end and is_digit(p[0]):
                value = value * 10 + (p[0] - c'0')
                p += 1
            if p < node.end:
                value = 256
        if value > 255:
            put_code(&e.how, BYTES_MISSING)
            return
        out[0] = <byte>value
        out += 1
        i = node.next
    if <size_t>(out - start) == n and memcmp(start, token, n) == 0:
        put_code(&e.how, BYTES_OF_TOKEN)
        return
    put_code(&e.how, BYTES_OWN)
    e.own.used += out - start
    put_int(&e.own_offsets, <int64_t>e.own.used)


cdef inline int decode_entry(const Tape* t, int32_t i, Entries* e) noexcept nogil:
    """token, logprob and bytes of one entry as a row."""
    cdef int32_t token, logprob
    if tape_node(t, i).kind != OBJECT:
        return M_ENTRY
    token = member(t, i, b"token", 5)
    if given(t, token) and not is_kind(t, token, STRING):
        return M_TOKEN
    logprob = member(t, i, b"logprob", 7)
    if given(t, logprob) and not is_kind(t, logprob, NUMBER):
        return M_LOGPROB
    write_token(e, tape_node(t, token) if is_kind(t, token, STRING) else NULL)
    write_logprob(t, logprob, e)
    write_bytes(t, member(t, i, b"bytes", 5), e)
    return GOOD


cdef inline void open_token(Rows* rows) noexcept nogil:
    """The alternatives of the next token begin here."""
    put_int(&rows.top_start, rows.first_top + <int64_t>rows.tops.how.used)


cdef inline int decode_list(const Tape* t, int32_t i, Rows* rows, int want) noexcept nogil:
    """A list of tokens with their alternatives."""
    cdef int32_t end, tops, top_end
    cdef int wrong
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, ARRAY):
        return M_LIST
    end = tape_node(t, i).next
    i += 1
    while i < end:
        if tape_node(t, i).kind != NULL_:
            wrong = decode_entry(t, i, &rows.tokens)
            if wrong != GOOD:
                return wrong
            open_token(rows)
            tops = member(t, i, b"top_logprobs", 12) if want & WANT_TOPS else -1
            if given(t, tops):
                if not is_kind(t, tops, ARRAY):
                    return M_TOP
                top_end = tape_node(t, tops).next
                tops += 1
                while tops < top_end:
                    if tape_node(t, tops).kind != NULL_:
                        wrong = decode_entry(t, tops, &rows.tops)
                        if wrong != GOOD:
                            return wrong
                    tops = tape_node(t, tops).next
        i = tape_node(t, i).next
    return GOOD


cdef inline bint same_key(const Node* a, const Node* b, byte* scratch) noexcept nogil:
    """Do two keys spell the same text? ``scratch`` has room for both."""
    cdef bint surrogates = False
    cdef byte* a_end
    cdef byte* b_end
    if not a.escaped and not b.escaped:
        return a.end - a.start == b.end - b.start and memcmp(a.start, b.start, a.end - a.start) == 0
    a_end = unescape(a.start, a.end, scratch, &surrogates)
    b_end = unescape(b.start, b.end, a_end, &surrogates)
    return a_end - scratch == b_end - a_end and memcmp(scratch, a_end, a_end - scratch) == 0


cdef inline int decode_legacy_tops(Tape* t, int32_t i, Rows* rows) noexcept nogil:
    """Alternatives as an object, name to logprob; as in a Python dict the first place and the last value count."""
    cdef int32_t key = i + 1, end, other, value
    cdef bint first
    cdef byte* scratch
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, OBJECT):
        return M_TOP_ENTRY
    end = tape_node(t, i).next
    scratch = rows.tops.own.data + rows.tops.own.used  # room for the whole event's text
    while key < end:
        first = True
        other = i + 1
        while other < key:
            if same_key(tape_node(t, other), tape_node(t, key), scratch):
                first = False
                break
            other = tape_node(t, other + 1).next
        if first:
            value = key + 1
            other = tape_node(t, value).next
            while other < end:
                if same_key(tape_node(t, other), tape_node(t, key), scratch):
                    value = other + 1
                other = tape_node(t, other + 1).next
            if given(t, value) and not is_kind(t, value, NUMBER):
                return M_LOGPROB
            write_token(&rows.tops, tape_node(t, key))
            write_logprob(t, value, &rows.tops)
            put_code(&rows.tops.how, BYTES_MISSING)
        key = tape_node(t, key + 1).next
    return GOOD


cdef inline int32_t first_item(const Tape* t, int32_t i) noexcept nogil:
    """The first value of the array at ``i``, -1 when there is none."""
    return i + 1 if is_kind(t, i, ARRAY) and tape_node(t, i).count > 0 else -1


cdef inline int32_t next_item(const Tape* t, int32_t i, int32_t end) noexcept nogil:
    if i < 0:
        return -1
    i = tape_node(t, i).next
    return i if i < end else -1


cdef inline int decode_legacy(Tape* t, int32_t i, Rows* rows, int want) noexcept nogil:
    """The shape of /v1/completions: three lists side by side, the longest of the first two gives the rows."""
    cdef int32_t tokens = member(t, i, b"tokens", 6), logprobs = member(t, i, b"token_logprobs", 14)
    cdef int32_t tops = member(t, i, b"top_logprobs", 12) if want & WANT_TOPS else -1
    cdef int32_t token, logprob, top
    cdef int32_t tokens_end = 0, logprobs_end = 0, tops_end = 0
    cdef int wrong
    if given(t, tokens):
        if not is_kind(t, tokens, ARRAY):
            return M_LIST
        tokens_end = tape_node(t, tokens).next
    if given(t, logprobs):
        if not is_kind(t, logprobs, ARRAY):
            return M_LIST
        logprobs_end = tape_node(t, logprobs).next
    if given(t, tops):
        if not is_kind(t, tops, ARRAY):
            return M_TOP
        tops_end = tape_node(t, tops).next
    token = first_item(t, tokens)
    logprob = first_item(t, logprobs)
    top = first_item(t, tops)
    while token >= 0 or logprob >= 0:
        if given(t, token) and not is_kind(t, token, STRING):
            return M_TOKEN
        if given(t, logprob) and not is_kind(t, logprob, NUMBER):
            return M_LOGPROB
        write_token(&rows.tokens, tape_node(t, token) if is_kind(t, token, STRING) else NULL)
        write_logprob(t, logprob, &rows.tokens)
        put_code(&rows.tokens.how, BYTES_MISSING)
        open_token(rows)
        wrong = decode_legacy_tops(t, top, rows)
        if wrong != GOOD:
            return wrong
        token = next_item(t, token, tokens_end)
        logprob = next_item(t, logprob, logprobs_end)
        top = next_item(t, top, tops_end)
    return GOOD


cdef inline int decode_logprobs(Tape* t, int32_t choice, Piece* piece, Rows* rows, int want) noexcept nogil:
    """All lists of a choice, in the order content, refusal, reasoning whatever the order of the keys."""
    cdef int32_t i = member(t, choice, b"logprobs", 8)
    cdef int32_t content = -1, refusal = -1, reasoning = -1
    cdef int wrong = GOOD
    if is_kind(t, i, OBJECT):
        content = member(t, i, b"content", 7)
        refusal = member(t, i, b"refusal", 7)
        reasoning = member(t, i, b"reasoning_content", 17)
    if not given(t, reasoning):
        reasoning = member(t, choice, b"reasoning_logprobs", 18)
        if is_kind(t, reasoning, OBJECT):
            reasoning = member(t, reasoning, b"content", 7)
        elif not is_kind(t, reasoning, ARRAY):
            reasoning = -1
    piece.first_token[CONTENT] = rows.tokens.how.used
    if given(t, content):
        wrong = decode_list(t, content, rows, want)
    elif is_kind(t, i, OBJECT):
        wrong = decode_legacy(t, i, rows, want)
    if wrong != GOOD:
        return wrong
    piece.first_token[REFUSAL] = rows.tokens.how.used
    wrong = decode_list(t, refusal, rows, want)
    if wrong != GOOD:
        return wrong
    piece.first_token[REASONING] = rows.tokens.how.used
    wrong = decode_list(t, reasoning, rows, want)
    piece.token_count[CONTENT] = piece.first_token[REFUSAL] - piece.first_token[CONTENT]
    piece.token_count[REFUSAL] = piece.first_token[REASONING] - piece.first_token[REFUSAL]
    piece.token_count[REASONING] = rows.tokens.how.used - piece.first_token[REASONING]
    return wrong


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


cdef inline void decode_parts(const Tape* t, int32_t list, Buffer* arena, Slice* out, bint thinking) noexcept nogil:
    """The text of a list of typed parts: either its text parts or its thinking parts."""
    cdef int32_t end = tape_node(t, list).next, i = list + 1, kind, inner, inner_end, text
    while i < end:
        if tape_node(t, i).kind == STRING:
            if not thinking:
                append_string(t, i, arena, out)
        elif tape_node(t, i).kind == OBJECT:
            kind = member(t, i, b"type", 4)
            if is_kind(t, kind, STRING):
                if not thinking and key_is(tape_node(t, kind), b"text", 4):
                    text = member(t, i, b"text", 4)
                    if is_kind(t, text, STRING):
                        append_string(t, text, arena, out)
                elif thinking and key_is(tape_node(t, kind), b"thinking", 8):
                    inner = member(t, i, b"thinking", 8)
                    if is_kind(t, inner, STRING):
                        append_string(t, inner, arena, out)
                    elif is_kind(t, inner, ARRAY):
                        out.set = True
                        inner_end = tape_node(t, inner).next
                        inner += 1
                        while inner < inner_end:
                            if tape_node(t, inner).kind == OBJECT:
                                text = member(t, inner, b"text", 4)
                                if is_kind(t, text, STRING):
                                    append_string(t, text, arena, out)
                            inner = tape_node(t, inner).next
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


cdef inline int decode_calls(const Tape* t, int32_t i, int want, Piece* piece, Chunk* c, Buffer* arena) noexcept nogil:
    """tool_calls of a delta, each entry as sent."""
    cdef int32_t end, call_index, function, arguments
    cdef CallPiece* call
    piece.first_call = c.calls.used // sizeof(CallPiece)
    piece.call_count = 0
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, ARRAY):
        return M_CALLS if want & WANT_CALLS else GOOD
    end = tape_node(t, i).next
    i += 1
    while i < end:
        if tape_node(t, i).kind != NULL_:
            if tape_node(t, i).kind != OBJECT:
                if want & WANT_CALLS:
                    return M_CALL
            elif not want & WANT_CALLS:
                c.has_text = True
            else:
                c.has_text = True
                if not buffer_reserve(&c.calls, sizeof(CallPiece)):
                    return NO_MEMORY
                call = call_at(c, piece.first_call + piece.call_count)
                memset(call, 0, sizeof(CallPiece))
                c.calls.used += sizeof(CallPiece)
                piece.call_count += 1
                call_index = member(t, i, b"index", 5)
                if given(t, call_index):
                    if not whole_number_at(t, call_index, &call.index):
                        return M_CALL_INDEX
                    call.indexed = True
                call.id = span_of(t, member(t, i, b"id", 2))
                call.type = span_of(t, member(t, i, b"type", 4))
                open_slice(&call.arguments, arena)
                function = member(t, i, b"function", 8)
                if is_kind(t, function, OBJECT):
                    call.name = span_of(t, member(t, function, b"name", 4))
                    arguments = member(t, function, b"arguments", 9)
                    if is_kind(t, arguments, STRING):
                        append_string(t, arguments, arena, &call.arguments)
                    elif is_kind(t, arguments, OBJECT) or is_kind(t, arguments, ARRAY):
                        put_bytes(arena, tape_node(t, arguments).start,
                                     tape_node(t, arguments).end - tape_node(t, arguments).start)
                        call.arguments.set = True
                        call.arguments.end = arena.used
                    elif given(t, arguments):
                        return M_ARGUMENTS
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


cdef inline bint is_true(const Tape* t, int32_t i) noexcept nogil:
    """Truth as in Python: not null, false, zero or empty."""
    cdef double value = 0
    cdef int integral = 0
    cdef Node* node
    if not given(t, i):
        return False
    node = tape_node(t, i)
    if node.kind == NUMBER:
        ss_number(node.start, &value, &integral)
        return value != 0
    if node.kind == STRING:
        return node.end > node.start
    if node.kind == OBJECT or node.kind == ARRAY:
        return node.count > 0
    return node.kind == TRUE


cdef inline bint starts_with(const Node* node, const char* text, size_t n) noexcept nogil:
    """Does a string begin with ``text``? One with escapes is resolved first."""
    cdef byte plain[512]
    cdef bint surrogates = False
    cdef const byte* start = node.start
    cdef const byte* end = node.end
    cdef const byte* cut
    if node.escaped:
        # 6 bytes of source per byte of text at the most; cut at an escape's border
        cut = start
        while cut < end and cut - start < 256:
            if cut[0] == c'\\':
                cut += 6 if cut[1] == c'u' else 2
            else:
                cut += 1
        end = unescape(start, cut, plain, &surrogates)
        start = plain
    return <size_t>(end - start) >= n and memcmp(start, text, n) == 0


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

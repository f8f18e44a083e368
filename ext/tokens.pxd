"""Tape -> token rows: the lists of logprobs, and the older shape of /v1/completions.

Rows are written straight into the columns (room was reserved), in the order content, refusal, reasoning whatever the
order of the keys. GOOD, or the number of the message that says what is wrong.
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp

from chunk cimport (BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN, CONTENT, GOOD, M_ENTRY, M_LIST, M_LOGPROB, M_TOKEN, M_TOP,
                    M_TOP_ENTRY, KEEP_TOPS, NO_MEMORY, REASONING, REFUSAL, WANT_TOPS, Piece)
from column cimport (Entries, EntriesMark, Rows, byte, drop_tops, entries_mark, put_code, put_float, put_int,
                     tops_read)
from map cimport hash_bytes, map_add, map_clear, map_next
from object cimport given, is_kind, member
from tape cimport ARRAY, NULL_, NUMBER, OBJECT, STRING, Node, Tape, is_digit, tape_node
from value cimport ss_number, ss_utf8_join, unescape

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


cdef inline int decode_entry(const Tape* t, int32_t i, Entries* e, int no_object) noexcept nogil:
    """token, logprob and bytes of one entry as a row; ``no_object`` is the message for an entry that is none."""
    cdef int32_t token, logprob
    if tape_node(t, i).kind != OBJECT:
        return no_object
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
    put_int(&rows.top_start, rows.first_top + <int64_t>tops_read(rows))


cdef inline int decode_list(const Tape* t, int32_t i, Rows* rows, int want) noexcept nogil:
    """A list of tokens with their alternatives."""
    cdef int32_t end, tops, top_end
    cdef int wrong
    cdef EntriesMark mark
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, ARRAY):
        return M_LIST
    end = tape_node(t, i).next
    i += 1
    while i < end:
        if tape_node(t, i).kind != NULL_:
            wrong = decode_entry(t, i, &rows.tokens, M_ENTRY)
            if wrong != GOOD:
                return wrong
            open_token(rows)
            mark = entries_mark(&rows.tops)
            tops = member(t, i, b"top_logprobs", 12) if want & WANT_TOPS else -1
            if given(t, tops):
                if not is_kind(t, tops, ARRAY):
                    return M_TOP
                top_end = tape_node(t, tops).next
                tops += 1
                while tops < top_end:
                    if tape_node(t, tops).kind != NULL_:
                        wrong = decode_entry(t, tops, &rows.tops, M_TOP_ENTRY)
                        if wrong != GOOD:
                            return wrong
                    tops = tape_node(t, tops).next
            if not want & KEEP_TOPS:
                drop_tops(rows, &mark, True)
        i = tape_node(t, i).next
    return GOOD


cdef inline uint64_t key_hash(const Node* key, byte* scratch) noexcept nogil:
    """The hash of the text that a key spells. ``scratch`` has room for it."""
    cdef bint surrogates = False
    if key.escaped:
        return hash_bytes(scratch, unescape(key.start, key.end, scratch, &surrogates) - scratch)
    return hash_bytes(key.start, key.end - key.start)


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


cdef inline bint unite_keys(Tape* t, int32_t i, byte* scratch) noexcept nogil:
    """As in a Python dict: the first key of a name gets (in ``count``) the node of its last value, the others get 0.

    ``scratch`` has room for any two keys.
    """
    cdef int32_t key = i + 1, end = tape_node(t, i).next, first
    cdef uint64_t hash
    cdef size_t at
    map_clear(&t.names)
    while key < end:
        hash = key_hash(tape_node(t, key), scratch)
        at = 0
        first = map_next(&t.names, hash, &at)
        while first >= 0 and not same_key(tape_node(t, first), tape_node(t, key), scratch):
            first = map_next(&t.names, hash, &at)
        if first < 0:
            first = key
            if not map_add(&t.names, hash, key):
                return False
        tape_node(t, key).count = 0
        tape_node(t, first).count = <uint32_t>(key + 1)
        key = tape_node(t, key + 1).next
    return True


cdef inline int decode_legacy_tops(Tape* t, int32_t i, Rows* rows) noexcept nogil:
    """Alternatives as an object, name to logprob; the first place and the last value of a name count."""
    cdef int32_t key = i + 1, value
    if not given(t, i):
        return GOOD
    if not is_kind(t, i, OBJECT):
        return M_TOP_ENTRY
    # behind the bytes kept so far there is room for the whole event's text
    if not unite_keys(t, i, rows.tops.own.data + rows.tops.own.used):
        return NO_MEMORY
    while key < tape_node(t, i).next:
        value = <int32_t>tape_node(t, key).count
        if value:
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
    cdef EntriesMark mark
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
        mark = entries_mark(&rows.tops)
        wrong = decode_legacy_tops(t, top, rows)
        if wrong != GOOD:
            return wrong
        if not want & KEEP_TOPS:
            drop_tops(rows, &mark, True)
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

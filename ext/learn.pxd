"""Learning a template from a chunk that the generic path has just read.

What decides what a chunk means stays in literals, what only varies becomes a hole. What is learned is tried on the very
chunk it came from before it is used.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from chunk cimport (CACHED_TOKENS, COMPLETION_TOKENS, CONTENT, PROMPT_TOKENS, REASONING, REASONING_TOKENS, REFUSAL,
                    TOTAL_TOKENS, USAGE_TOP, Chunk, Piece, call_at, piece_at, piece_count)
from column cimport PAD, byte
from entry cimport E_END, E_TOPS, EntryShape
from lesson cimport (Lesson, has_repeats, hole, in_copy, is_plain_integer, learn_logprobs, learn_skipped, string_hole)
from list cimport ListShape
from object cimport Span, given, is_kind, key_is, member
from single cimport SingleShape
from tape cimport ARRAY, NULL_, NUMBER, OBJECT, STRING, Node, Tape, tape_node
from template cimport (ARGUMENTS, CREATED, END, FIGURE, ID, INDEX, NAME, NAME_FINGERPRINT, NAME_MODEL, NAME_TIER,
                       SKIP_NUMBER, SKIP_NUMBERS, SKIP_STRING, STEP_BYTES, TEXT, TOKENS, Step, Template)

# ------------------------------------------------------------------------------------------------------ a choice


cdef inline bint learn_text(Lesson* l, int32_t i, int which) noexcept nogil:
    """A string that is text; null stays in the literal, anything else is for the generic path."""
    if not given(l.tape, i):
        return True
    return is_kind(l.tape, i, STRING) and string_hole(l, TEXT, which, tape_node(l.tape, i))


cdef inline bint learn_call(Lesson* l, int32_t list) noexcept nogil:
    """One entry that only goes on with its call's arguments. What opens a call comes once: that is not worth learning."""
    cdef const Tape* t = l.tape
    cdef int32_t call = list + 1, function, arguments
    cdef Node* index
    if tape_node(t, list).count != 1 or not is_kind(t, call, OBJECT) or has_repeats(t, call):
        return False
    function = member(t, call, b"function", 8)
    if not is_kind(t, function, OBJECT) or has_repeats(t, function):
        return False
    arguments = member(t, function, b"arguments", 9)
    if (says_something(t, member(t, call, b"id", 2)) or says_something(t, member(t, function, b"name", 4))
            or not is_kind(t, arguments, STRING)):
        return False
    l.t.has_call = True
    return string_hole(l, TEXT, ARGUMENTS, tape_node(t, arguments))


cdef inline bint says_something(const Tape* t, int32_t i) noexcept nogil:
    """Is it anything but absent, null or an empty string?"""
    return given(t, i) and not (is_kind(t, i, STRING) and tape_node(t, i).end == tape_node(t, i).start)


cdef inline bint learn_delta(Lesson* l, int32_t i) noexcept nogil:
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, i).next, k = i + 1
    cdef Node* key
    cdef Node* value
    cdef bint good = True
    if has_repeats(t, i):
        return False
    while k < end and good:
        key = tape_node(t, k)
        value = tape_node(t, k + 1)
        if key_is(key, b"role", 4):
            good = value.kind == STRING or value.kind == NULL_
        elif key_is(key, b"content", 7):
            good = learn_text(l, k + 1, CONTENT)
        elif key_is(key, b"refusal", 7):
            good = learn_text(l, k + 1, REFUSAL)
        elif key_is(key, b"reasoning_content", 17) or key_is(key, b"reasoning", 9):
            # of two reasoning texts the first that is not empty counts: that is more than a place can say
            if given(t, k + 1):
                good = not l.reasoning and learn_text(l, k + 1, REASONING)
                l.reasoning = True
        elif key_is(key, b"tool_calls", 10):
            good = not given(t, k + 1) or (value.kind == ARRAY and (value.count == 0 or learn_call(l, k + 1)))
        elif key_is(key, b"reasoning_details", 17):
            good = not given(t, k + 1) or (value.kind == ARRAY and value.count == 0)
        else:
            good = learn_skipped(l, k + 1)
        k = value.next
    return good


cdef inline bint learn_choice(Lesson* l, int32_t i) noexcept nogil:
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, i).next, k = i + 1
    cdef bint delta = is_kind(t, member(t, i, b"delta", 5), OBJECT)
    cdef Node* key
    cdef Node* value
    cdef bint good = True
    if has_repeats(t, i) or given(t, member(t, i, b"reasoning_logprobs", 18)):
        return False
    if not delta and given(t, member(t, i, b"message", 7)):
        return False
    while k < end and good:
        key = tape_node(t, k)
        value = tape_node(t, k + 1)
        if key_is(key, b"index", 5):
            if value.kind == NUMBER:
                good = is_plain_integer(value) and hole(l, INDEX, 0, value.start, value.end)
            else:
                good = value.kind == NULL_
        elif key_is(key, b"delta", 5):
            good = learn_delta(l, k + 1) if delta else value.kind == NULL_
        elif key_is(key, b"text", 4) and not delta:
            good = learn_text(l, k + 1, CONTENT)
        elif key_is(key, b"finish_reason", 13):
            good = value.kind == STRING or value.kind == NULL_
        elif key_is(key, b"logprobs", 8):
            good = value.kind == NULL_ or learn_logprobs(l, k + 1)
        elif key_is(key, b"usage", 5):
            good = value.kind != OBJECT and learn_skipped(l, k + 1)
        elif key_is(key, b"reasoning_logprobs", 18) or (key_is(key, b"message", 7) and not delta):
            good = value.kind == NULL_
        else:
            good = learn_skipped(l, k + 1)
        k = value.next
    return good


# ----------------------------------------------------------------------------------------------------- envelope


cdef inline bint learn_figure(Lesson* l, int32_t i, int figure) noexcept nogil:
    cdef Node* node = tape_node(l.tape, i)
    if node.kind == NULL_:
        return True
    return is_plain_integer(node) and hole(l, FIGURE, figure, node.start, node.end)


cdef inline bint learn_details(Lesson* l, int32_t i, const char* name, size_t n, int figure) noexcept nogil:
    """prompt_tokens_details or completion_tokens_details, of which one figure is read."""
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, i).next, k = i + 1
    if not is_kind(t, i, OBJECT):
        return learn_skipped(l, i)
    if has_repeats(t, i):
        return False
    while k < end:
        if key_is(tape_node(t, k), name, n):
            if not learn_figure(l, k + 1, figure):
                return False
        elif not learn_skipped(l, k + 1):
            return False
        k = tape_node(t, k + 1).next
    return True


cdef inline bint learn_usage(Lesson* l, int32_t i) noexcept nogil:
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, i).next, k = i + 1
    cdef Node* key
    cdef bint good = True
    if not is_kind(t, i, OBJECT):
        return not is_kind(t, i, ARRAY) and learn_skipped(l, i)
    if has_repeats(t, i):
        return False
    while k < end and good:
        key = tape_node(t, k)
        if key_is(key, b"prompt_tokens", 13):
            good = learn_figure(l, k + 1, PROMPT_TOKENS)
        elif key_is(key, b"completion_tokens", 17):
            good = learn_figure(l, k + 1, COMPLETION_TOKENS)
        elif key_is(key, b"total_tokens", 12):
            good = learn_figure(l, k + 1, TOTAL_TOKENS)
        elif key_is(key, b"prompt_tokens_details", 21):
            good = learn_details(l, k + 1, b"cached_tokens", 13, CACHED_TOKENS)
        elif key_is(key, b"completion_tokens_details", 25):
            good = learn_details(l, k + 1, b"reasoning_tokens", 16, REASONING_TOKENS)
        elif (key_is(key, b"cached_tokens", 13) or key_is(key, b"prompt_cache_hit_tokens", 23)
              or key_is(key, b"reasoning_tokens", 16)):
            # second choices: whether they count depends on the first
            good = not given(t, k + 1)
        else:
            good = learn_skipped(l, k + 1)
        k = tape_node(t, k + 1).next
    return good


cdef inline bint learn_name(Lesson* l, const Node* value, int which) noexcept nogil:
    """model, system_fingerprint or service_tier: a string that says something is read, the rest is literal."""
    if value.kind == STRING and value.end > value.start:
        return string_hole(l, NAME, which, value)
    return value.kind == STRING or value.kind == NULL_


cdef inline bint learn_choices(Lesson* l, int32_t i) noexcept nogil:
    """No choice, or one."""
    cdef Node* node = tape_node(l.tape, i)
    if node.kind == NULL_ or (node.kind == ARRAY and node.count == 0):
        return True
    return node.kind == ARRAY and node.count == 1 and is_kind(l.tape, i + 1, OBJECT) and learn_choice(l, i + 1)


cdef inline bint learn_root(Lesson* l) noexcept nogil:
    cdef const Tape* t = l.tape
    cdef int32_t end = tape_node(t, 0).next, k = 1
    cdef Node* key
    cdef Node* value
    cdef bint good = True
    if has_repeats(t, 0):
        return False
    while k < end and good:
        key = tape_node(t, k)
        value = tape_node(t, k + 1)
        if key_is(key, b"id", 2):
            if value.kind == STRING and value.end > value.start:
                good = not value.escaped and string_hole(l, ID, 0, value)
            else:
                good = value.kind == STRING or value.kind == NULL_
        elif key_is(key, b"created", 7):
            good = value.kind == NULL_ or (is_plain_integer(value) and hole(l, CREATED, 0, value.start, value.end))
        elif key_is(key, b"model", 5):
            good = learn_name(l, value, NAME_MODEL)
        elif key_is(key, b"system_fingerprint", 18):
            good = learn_name(l, value, NAME_FINGERPRINT)
        elif key_is(key, b"service_tier", 12):
            good = learn_name(l, value, NAME_TIER)
        elif key_is(key, b"object", 6) or key_is(key, b"error", 5):
            good = value.kind != OBJECT and value.kind != ARRAY
        elif key_is(key, b"choices", 7):
            good = learn_choices(l, k + 1)
        elif key_is(key, b"usage", 5):
            good = learn_usage(l, k + 1)
        elif key_is(key, b"x_groq", 6):
            good = value.kind == NULL_
        else:
            good = learn_skipped(l, k + 1)
        k = value.next
    return good


# ------------------------------------------------------------------------------------------------------ the whole


cdef inline Span moved(const Lesson* l, const Span* span) noexcept nogil:
    cdef Span out = span[0]
    if out.start != NULL:
        out.start = in_copy(l, out.start)
        out.end = in_copy(l, out.end)
    return out


cdef inline void learn_prototype(Lesson* l, const Chunk* c) noexcept nogil:
    """What the literals say, as the generic path has read it."""
    cdef Template* t = l.t
    t.proto = c[0]
    memset(&t.proto.pieces, 0, sizeof(t.proto.pieces))
    memset(&t.proto.calls, 0, sizeof(t.proto.calls))
    t.proto.object = moved(l, &c.object)
    t.proto.model = moved(l, &c.model)
    t.proto.fingerprint = moved(l, &c.fingerprint)
    t.proto.tier = moved(l, &c.tier)
    t.has_piece = piece_count(c) == 1
    t.plain = t.has_piece and not c.has_finish and not t.has_call
    memset(&t.piece, 0, sizeof(Piece))
    if t.has_piece:
        t.piece.index = piece_at(c, 0).index
        t.piece.role = moved(l, &piece_at(c, 0).role)
        t.piece.finish = moved(l, &piece_at(c, 0).finish)
    if t.has_call and c.calls.used:
        t.call = call_at(c, 0)[0]
        t.call.type = moved(l, &t.call.type)


cdef inline bint is_envelope(const Step* step) noexcept nogil:
    """Is it what a chunk repeats from the one before?"""
    return step.op == ID or step.op == CREATED or step.op == NAME or step.op == INDEX


cdef inline void learn_memo(Template* t) noexcept nogil:
    """The memo replaces the steps before the first hole that is not of the envelope; the index is taken into it."""
    cdef int k
    t.memo_steps = 0
    t.index_step = -1
    while is_envelope(&t.steps[t.memo_steps]):
        if t.steps[t.memo_steps].op == INDEX:
            t.index_step = t.memo_steps
        t.memo_steps += 1
    t.memo_index = t.piece.index
    t.memo_whole = t.memo_steps > 0
    for k in range(t.memo_steps, t.count):
        if is_envelope(&t.steps[k]) and t.steps[k].op != INDEX:
            t.memo_whole = False
    t.memo_size = 0
    t.id_size = 0
    t.generation = -1


cdef inline void learn_runs(Template* t) noexcept nogil:
    """May chunks of this template be read as a run? Of several lists of tokens the rows would not be adjacent."""
    cdef int k
    for k in range(t.count):
        if t.steps[k].op == TEXT:
            t.text_steps += 1
            t.text_which = t.steps[k].which
        elif t.steps[k].op == TOKENS:
            t.list_steps += 1
            t.list_which = t.steps[k].which
    t.runs = t.plain and t.memo_whole and t.list_steps < 2


cdef inline bint is_skipped(const Step* step) noexcept nogil:
    return step.op == SKIP_STRING or step.op == SKIP_NUMBER or step.op == SKIP_NUMBERS


cdef inline bint learn_single_list(SingleShape* s, const ListShape* list, byte* out) noexcept nogil:
    """Are token and alternatives plain, and nothing behind them? The literal between them is written at ``out``."""
    cdef const EntryShape* token = &list.token
    cdef int k = token.values
    s.tokens = True
    if not token.plain:
        return False
    if token.ops[k] == E_TOPS:
        if not list.top.plain:
            return False
        s.tops = True
        memcpy(out, token.literals[k].text, token.literals[k].n)
        memcpy(out + token.literals[k].n, list.top.literals[0].text, list.top.literals[0].n)
        s.open.text = out
        s.open.n = token.literals[k].n + list.top.literals[0].n
        k += 1
    return token.ops[k] == E_END


cdef inline void learn_single(Template* t, byte* out) noexcept nogil:
    """May chunks of this template be read as single ones? They have a text, then perhaps a list of tokens, and no more."""
    cdef SingleShape* s = &t.single
    cdef int k = 0
    if not t.plain or t.text_steps != 1 or t.list_steps > 1 or t.proto.usage[USAGE_TOP].seen:
        return
    while is_envelope(&t.steps[k]):
        k += 1
    s.text_step = s.list_step = k
    if t.steps[k].op != TEXT:
        return
    k += 1
    while is_envelope(&t.steps[k]):
        k += 1
    if t.list_steps:
        s.list_step = k
        if t.steps[k].op != TOKENS or not learn_single_list(s, &t.lists[t.list_which], out):
            return
        k += 1
        while is_envelope(&t.steps[k]):
            k += 1
    s.rest = k
    while is_skipped(&t.steps[k]):
        k += 1
    s.able = t.steps[k].op == END


cdef inline bint learn(Template* t, const Tape* tape, const Chunk* c, const byte* start, const byte* json_end,
                       const byte* end) noexcept nogil:
    """Make a template of the event [start, end): ``data: ``, the tape's JSON up to ``json_end``, line ends."""
    cdef Lesson l
    cdef size_t n = json_end - start
    cdef byte* text
    cdef size_t size = end - start + PAD
    if n > STEP_BYTES // 2 or end - json_end > 4 or tape_node(tape, 0).end != json_end:
        return False
    # the event's text, and room for a joint literal
    text = <byte*>malloc(2 * size)
    if text == NULL:
        return False
    memset(text, 0, 2 * size)
    memcpy(text, start, end - start)
    memset(t, 0, sizeof(Template))
    t.text = text
    t.ending_size = <uint32_t>(end - json_end)
    l.t = t
    l.tape = tape
    l.start = l.at = start
    l.last_list = -1
    l.reasoning = False
    if not learn_root(&l) or not hole(&l, END, 0, end, end):
        free(text)
        t.text = NULL
        return False
    learn_prototype(&l, c)
    learn_memo(t)
    learn_runs(t)
    learn_single(t, text + size)
    return True

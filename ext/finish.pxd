"""A response ends: its rows are written into the finished columns, its records are given back."""

from libc.math cimport NAN, isfinite
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from calls cimport forget_call
from chunk cimport FIGURES, LISTS, M_NAMELESS, Slice, best_figure
from column cimport (Text, buffer_reserve, byte, put_code, put_float, put_int, text_begin, text_close_row,
                     text_reserve)
from map cimport map_remove
from response cimport (COMPLETE, ERRORED, P_TYPE, S_ID, S_MODEL, S_OBJECT, STRINGS, TIMES, TRUNCATED, Call,
                       CallColumns, Chain, Choice, ChoiceColumns, ChunkColumns, Id, Response, ResponseColumns,
                       Responses, add_problem, call_record, chain_copy, chain_free, choice_at, choice_key, forget,
                       id_at, is_finished, pool_give, response_at, unlink)
from value cimport ss_utf8_join


cdef inline bint close_slice(Responses* r, Text* column, const Slice* text, bint nullable) noexcept nogil:
    """Write a string as the next row of a column."""
    cdef size_t n = text.end - text.start
    cdef byte* out
    if not text_reserve(column, 1, n):
        return False
    out = column.data.data + column.data.used
    memcpy(out, r.arena.data + text.start, n)
    if text.surrogates:
        n = ss_utf8_join(out, n, out)
    column.data.used += n
    text_close_row(column, text.set or not nullable)
    r.live -= text.end - text.start
    return True


cdef inline bint close_chain(Responses* r, Text* column, Chain* chain, bint nullable) noexcept nogil:
    cdef size_t n = chain.length
    cdef byte* out
    if not text_reserve(column, 1, n):
        return False
    out = column.data.data + column.data.used
    chain_copy(r, chain, out)
    if chain.surrogates:
        n = ss_utf8_join(out, n, out)
    column.data.used += n
    text_close_row(column, chain.set or not nullable)
    r.live -= chain.length
    chain_free(r, chain)
    return True


cdef inline int32_t in_order_opened(Responses* r, int32_t newest) noexcept nogil:
    """Turn a choice's calls round: oldest first."""
    cdef int32_t before = -1, following
    while newest >= 0:
        following = call_record(r, newest).next
        call_record(r, newest).next = before
        before = newest
        newest = following
    return before


cdef inline bint close_calls(Responses* r, Choice* choice, int64_t number) noexcept nogil:
    cdef int32_t i = in_order_opened(r, choice.newest_call), following
    cdef CallColumns* out = &r.calls_out
    cdef Call* call
    cdef int64_t place = 0
    while i >= 0:
        call = call_record(r, i)
        following = call.next
        forget_call(r, i)
        if not call.name.set:
            if not add_problem(r, P_TYPE, M_NAMELESS, &call.place, number, True):
                return False
            r.live -= call.id.end - call.id.start + call.type.end - call.type.start + call.arguments.length
            chain_free(r, &call.arguments)
        else:
            if not (buffer_reserve(&out.response, 8) and buffer_reserve(&out.index, 8) and buffer_reserve(&out.call, 8)
                    and close_slice(r, &out.id, &call.id, False) and close_slice(r, &out.type, &call.type, False)
                    and close_chain(r, &out.name, &call.name, False)
                    and close_chain(r, &out.arguments, &call.arguments, False)):
                return False
            put_int(&out.response, number)
            put_int(&out.index, choice.index)
            put_int(&out.call, place)
            place += 1
        pool_give(&r.calls, sizeof(Call), i)
        i = following
    return True


cdef inline int32_t sort_choices(Responses* r, int32_t first) noexcept nogil:
    """Order a list of choices by index: merge sort of a linked list, runs of 1, 2, 4, ..."""
    cdef int32_t a, b, tail, out, chosen
    cdef size_t run = 1, merges, a_size, b_size
    while True:
        a = first
        first = tail = -1
        merges = 0
        while a >= 0:
            merges += 1
            b = a
            a_size = 0
            while a_size < run and b >= 0:
                a_size += 1
                b = choice_at(r, b).next
            b_size = run
            while a_size > 0 or (b_size > 0 and b >= 0):
                if a_size == 0 or (b_size > 0 and b >= 0 and choice_at(r, b).index < choice_at(r, a).index):
                    chosen = b
                    b = choice_at(r, b).next
                    b_size -= 1
                else:
                    chosen = a
                    a = choice_at(r, a).next
                    a_size -= 1
                if tail >= 0:
                    choice_at(r, tail).next = chosen
                else:
                    first = chosen
                tail = chosen
            a = b
        if tail >= 0:
            choice_at(r, tail).next = -1
        if merges <= 1:
            return first
        run *= 2


cdef inline double logprob_sum(const Choice* choice) noexcept nogil:
    if choice.valued == 0:
        return NAN
    return choice.sum + choice.correction if isfinite(choice.sum) else choice.sum


cdef inline bint close_choice(Responses* r, Choice* choice, int64_t number) noexcept nogil:
    cdef ChoiceColumns* out = &r.choices_out
    cdef int64_t tokens = 0
    cdef int k
    if not (buffer_reserve(&out.response, 8) and buffer_reserve(&out.index, 8) and buffer_reserve(&out.token_count, 8)
            and buffer_reserve(&out.logprob_sum, 8) and close_slice(r, &out.role, &choice.role, True)
            and close_slice(r, &out.finish, &choice.finish, True)):
        return False
    for k in range(LISTS):
        tokens += choice.positions[k]
        if not close_chain(r, &out.texts[k], &choice.texts[k], True):
            return False
    put_int(&out.response, number)
    put_int(&out.index, choice.index)
    put_int(&out.token_count, tokens)
    put_float(&out.logprob_sum, logprob_sum(choice))
    return True


cdef inline bint write_response(Responses* r, Response* a) noexcept nogil:
    cdef ResponseColumns* out = &r.responses_out
    cdef int64_t figure
    cdef int k
    if not (buffer_reserve(&out.number, 8) and buffer_reserve(&out.source, 8) and buffer_reserve(&out.offset, 8)
            and buffer_reserve(&out.length, 8) and buffer_reserve(&out.chunk_count, 8) and buffer_reserve(&out.done, 1)
            and buffer_reserve(&out.status, 1) and buffer_reserve(&out.created, 8)
            and buffer_reserve(&out.created_valid, 1)):
        return False
    for k in range(FIGURES):
        if not (buffer_reserve(&out.figures[k], 8) and buffer_reserve(&out.figures_valid[k], 1)):
            return False
    for k in range(TIMES):
        if not (buffer_reserve(&out.times[k], 8) and buffer_reserve(&out.times_valid[k], 1)):
            return False
    for k in range(STRINGS):
        if not close_slice(r, &out.strings[k], &a.strings[k], not (k == S_ID or k == S_OBJECT or k == S_MODEL)):
            return False
    put_int(&out.number, a.number)
    put_int(&out.source, r.source)
    put_int(&out.offset, a.offset)
    put_int(&out.length, a.end - a.offset)
    put_int(&out.chunk_count, a.chunk_count)
    put_code(&out.done, a.done)
    put_code(&out.status, ERRORED if a.error else COMPLETE if a.done or is_finished(a) else TRUNCATED)
    put_int(&out.created, a.created if a.created_sent else 0)
    put_code(&out.created_valid, a.created_sent)
    for k in range(FIGURES):
        figure = 0
        put_code(&out.figures_valid[k], best_figure(a.figures, k, &figure))
        put_int(&out.figures[k], figure)
    for k in range(TIMES):
        put_code(&out.times_valid[k], a.timed[k])
        put_int(&out.times[k], a.times[k])
    return True


cdef inline bint end_response(Responses* r, int32_t i) noexcept nogil:
    """Write the rows of an open response and forget it; False when there is no memory."""
    cdef Response* a = response_at(r, i)
    cdef int32_t c, following
    cdef Choice* choice
    cdef int k
    if not r.want_responses:
        for k in range(STRINGS):
            forget(r, &a.strings[k])
    elif not write_response(r, a):
        return False
    c = sort_choices(r, a.first_choice)
    while c >= 0:
        choice = choice_at(r, c)
        following = choice.next
        if not close_calls(r, choice, a.number):
            return False
        if not r.want_choices:   # texts were not kept then
            forget(r, &choice.role)
            forget(r, &choice.finish)
        elif not close_choice(r, choice, a.number):
            return False
        map_remove(&r.choice_map, choice_key(a.number, choice.index), c)
        pool_give(&r.choices, sizeof(Choice), c)
        c = following
    c = a.first_id
    while c >= 0:
        following = id_at(r, c).next
        map_remove(&r.id_map, id_at(r, c).hash, c)
        r.live -= id_at(r, c).end - id_at(r, c).start
        pool_give(&r.ids, sizeof(Id), c)
        c = following
    unlink(r, i)
    r.generation += 1
    pool_give(&r.open, sizeof(Response), i)
    r.open_count -= 1
    return True


# ------------------------------------------------------------------------------------------- columns, as a whole


cdef inline bint responses_begin(Responses* r) noexcept nogil:
    """Empty all finished columns."""
    cdef ResponseColumns* a = &r.responses_out
    cdef ChoiceColumns* b = &r.choices_out
    cdef CallColumns* c = &r.calls_out
    cdef ChunkColumns* d = &r.chunks_out
    cdef bint good = True
    cdef int k
    a.number.used = a.source.used = a.offset.used = a.length.used = a.chunk_count.used = 0
    a.done.used = a.status.used = a.created.used = a.created_valid.used = 0
    for k in range(FIGURES):
        a.figures[k].used = a.figures_valid[k].used = 0
    for k in range(TIMES):
        a.times[k].used = a.times_valid[k].used = 0
    for k in range(STRINGS):
        good = good and text_begin(&a.strings[k])
    b.response.used = b.index.used = b.token_count.used = b.logprob_sum.used = 0
    good = good and text_begin(&b.role) and text_begin(&b.finish)
    for k in range(LISTS):
        good = good and text_begin(&b.texts[k])
    c.response.used = c.index.used = c.call.used = 0
    good = good and text_begin(&c.id) and text_begin(&c.type) and text_begin(&c.name) and text_begin(&c.arguments)
    d.response.used = d.offset.used = d.length.used = d.choice_count.used = d.token_count.used = 0
    d.text_bytes.used = d.completion_tokens.used = d.completion_valid.used = d.arrival.used = d.arrival_valid.used = 0
    r.problems.used = 0
    return good

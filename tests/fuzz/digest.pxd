"""What an engine has read, column by column, as sums that do not depend on where rows were handed over."""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

from chunk cimport FIGURES, LISTS
from column cimport Buffer, Entries, Text, byte
from event cimport Account, Reader
from response cimport STRINGS, Problem, Responses

cdef enum:
    SUMS = 160

cdef struct Digest:
    uint64_t sums[160]
    int at              # the column that is added to
    Account account     # all sources together


cdef extern from "digest.h" nogil:
    uint64_t ss_mixed(uint64_t sum, uint64_t word)
    uint64_t ss_mixed_bytes(uint64_t sum, const byte* data, size_t n)
    uint64_t ss_mixed_lengths(uint64_t sum, const int64_t* offsets, size_t rows, size_t size)
    int ss_first_difference(const uint64_t* ones, const uint64_t* others, int n)


cdef inline void add_bytes(Digest* d, const byte* data, size_t n) noexcept nogil:
    """The bytes of a column, in the order in which they came."""
    d.sums[d.at] = ss_mixed_bytes(d.sums[d.at], data, n)
    d.at += 1


cdef inline void add_fixed(Digest* d, const Buffer* b, size_t width, size_t rows) noexcept nogil:
    """A column of ``rows`` values."""
    if b.used != width * rows:
        d.sums[d.at] = ss_mixed(d.sums[d.at], 1 + b.used)
    add_bytes(d, b.data, width * rows)


cdef inline void add_lengths(Digest* d, const Buffer* offsets, size_t rows, const Buffer* data) noexcept nogil:
    """Offsets of strings."""
    d.sums[d.at] = ss_mixed_lengths(d.sums[d.at], <const int64_t*>offsets.data, rows, data.used)
    d.at += 1


cdef inline void add_text(Digest* d, const Text* t) noexcept nogil:
    cdef size_t rows = t.offsets.used // 8 - 1
    add_lengths(d, &t.offsets, rows, &t.data)
    add_bytes(d, t.data.data, t.data.used)
    add_fixed(d, &t.valid, 1, rows)


cdef inline void add_entries(Digest* d, const Entries* e) noexcept nogil:
    cdef size_t rows = e.how.used
    add_lengths(d, &e.offsets, rows, &e.text)
    add_bytes(d, e.text.data, e.text.used)
    add_fixed(d, &e.how, 1, rows)
    add_lengths(d, &e.own_offsets, e.own_offsets.used // 8 - 1, &e.own)
    add_bytes(d, e.own.data, e.own.used)
    add_fixed(d, &e.logprob, 8, rows)


cdef inline void add_problems(Digest* d, const Buffer* problems) noexcept nogil:
    """In any order: they are sorted when they are handed over."""
    cdef const Problem* p = <const Problem*>problems.data
    cdef uint64_t row
    cdef size_t i
    for i in range(problems.used // sizeof(Problem)):
        row = ss_mixed(ss_mixed(ss_mixed(1, p[i].source), p[i].offset), p[i].length)
        row = ss_mixed(ss_mixed(ss_mixed(row, p[i].line), p[i].kind), p[i].message)
        d.sums[d.at] += ss_mixed(ss_mixed(row, p[i].has_response), p[i].response if p[i].has_response else 0)
    d.at += 1


cdef inline void add_responses(Digest* d, const Responses* r) noexcept nogil:
    cdef size_t rows = r.responses_out.number.used // 8
    cdef int k
    add_fixed(d, &r.responses_out.number, 8, rows)
    if r.want_responses:
        add_fixed(d, &r.responses_out.source, 8, rows)
        add_fixed(d, &r.responses_out.offset, 8, rows)
        add_fixed(d, &r.responses_out.length, 8, rows)
        add_fixed(d, &r.responses_out.chunk_count, 8, rows)
        add_fixed(d, &r.responses_out.done, 1, rows)
        add_fixed(d, &r.responses_out.status, 1, rows)
        add_fixed(d, &r.responses_out.created, 8, rows)
        add_fixed(d, &r.responses_out.created_valid, 1, rows)
        for k in range(FIGURES):
            add_fixed(d, &r.responses_out.figures[k], 8, rows)
            add_fixed(d, &r.responses_out.figures_valid[k], 1, rows)
        for k in range(STRINGS):
            add_text(d, &r.responses_out.strings[k])
    if r.want_choices:
        rows = r.choices_out.response.used // 8
        add_fixed(d, &r.choices_out.response, 8, rows)
        add_fixed(d, &r.choices_out.index, 8, rows)
        add_fixed(d, &r.choices_out.token_count, 8, rows)
        add_fixed(d, &r.choices_out.logprob_sum, 8, rows)
        add_text(d, &r.choices_out.role)
        add_text(d, &r.choices_out.finish)
        for k in range(LISTS):
            add_text(d, &r.choices_out.texts[k])
    if r.want_calls:
        rows = r.calls_out.response.used // 8
        add_fixed(d, &r.calls_out.response, 8, rows)
        add_fixed(d, &r.calls_out.index, 8, rows)
        add_fixed(d, &r.calls_out.call, 8, rows)
        add_text(d, &r.calls_out.id)
        add_text(d, &r.calls_out.type)
        add_text(d, &r.calls_out.name)
        add_text(d, &r.calls_out.arguments)


cdef inline void add_chunks(Digest* d, const Responses* r) noexcept nogil:
    cdef size_t rows = r.chunks_out.response.used // 8
    add_fixed(d, &r.chunks_out.response, 8, rows)
    if r.want_chunks:
        add_fixed(d, &r.chunks_out.offset, 8, rows)
        add_fixed(d, &r.chunks_out.length, 8, rows)
        add_fixed(d, &r.chunks_out.choice_count, 8, rows)
        add_fixed(d, &r.chunks_out.token_count, 8, rows)
        add_fixed(d, &r.chunks_out.completion_tokens, 8, rows)
        add_fixed(d, &r.chunks_out.completion_valid, 1, rows)
        add_fixed(d, &r.chunks_out.text_bytes, 8, rows)


cdef inline void digest_rows(Digest* d, const Reader* r) noexcept nogil:
    """Add the finished rows."""
    cdef size_t tokens = r.rows.tokens.how.used
    d.at = 0
    add_problems(d, &r.responses.problems)
    add_responses(d, &r.responses)
    add_chunks(d, &r.responses)
    add_entries(d, &r.rows.tokens)
    add_entries(d, &r.rows.tops)
    add_fixed(d, &r.rows.top_start, 8, tokens)
    add_bytes(d, r.rows.index.data, tokens * 8)
    add_bytes(d, r.rows.position.data, tokens * 8)
    add_bytes(d, r.rows.chunk.data, tokens * 8)
    add_bytes(d, r.rows.list.data, tokens)


cdef inline void digest_account(Digest* d, const Account* a) noexcept nogil:
    """Add what a source held."""
    cdef int64_t* to = <int64_t*>&d.account
    cdef const int64_t* values = <const int64_t*>a
    cdef size_t i
    for i in range(sizeof(Account) // 8):
        to[i] += values[i]


cdef inline int first_difference(const Digest* a, const Digest* b) noexcept nogil:
    """The number of the first column that differs, 1000 and more for a count; -1 when none does."""
    cdef int found = ss_first_difference(<const uint64_t*>&a.account, <const uint64_t*>&b.account, sizeof(Account) // 8)
    return 1000 + found if found >= 0 else ss_first_difference(a.sums, b.sums, SUMS)

# cython: cdivision=True
"""Figures of the alternatives of each token: the pass over lists, beside those of figures.pxd over columns.

Most lists are plain, and have a loop without much to decide; the others are read one by one.
"""

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, NAN
from libc.stdint cimport int64_t, uint8_t, uint32_t

from figures cimport least_kept

cdef enum:
    BLOCK = 2048   # alternatives whose probabilities are made at once


cdef extern from "exponential.h" nogil:
    double ss_exp(double x) noexcept
    void ss_exp_all(const double* x, double* out, size_t n) noexcept

cdef extern from "vector.h" nogil:
    bint ss_same_within(const uint8_t* p, const uint8_t* q, size_t n) noexcept


cdef struct Words:
    # a column of texts
    const int64_t* offsets
    const uint8_t* data


cdef enum:
    # seat of a token among its alternatives
    ASKED = 1      # it has a logprob, and alternatives
    BELOW = 2      # an alternative is above it
    UNLISTED = 4   # it is not among them

cdef struct Listed:
    # what listed_figures writes, a row for each token; doubles are NaN where there is nothing to tell. When entries
    # is NULL, above, best and second are not written either.
    int64_t* entries     # alternatives with a value, the sampled token once
    int64_t* above       # of all alternatives, those above the sampled token
    uint8_t* seat        # ASKED, BELOW, UNLISTED
    double* confidence   # minus the mean of their logprobs
    double* mass         # sum of their probabilities
    double* entropy      # -sum of p ln p
    double* best         # highest logprob, and the second
    double* second
    double* margin       # difference of their probabilities


cdef inline bint holds_replacement(const uint8_t* text, size_t n) noexcept nogil:
    """Whether the text has a U+FFFD, which stands for bytes that are no UTF-8 and so does not tell tokens apart."""
    cdef size_t i
    for i in range(2, n):
        if text[i] == 0xBD and text[i - 1] == 0xBF and text[i - 2] == 0xEF:
            return True
    return False


cdef inline bint same_text(const Words* a, int64_t i, const Words* b, int64_t j) noexcept nogil:
    cdef int64_t at = a.offsets[i], n = a.offsets[i + 1] - at
    if n != b.offsets[j + 1] - b.offsets[j]:
        return False
    return n == 0 or ss_same_within(a.data + at, b.data + b.offsets[j], <size_t>n)


cdef inline bint is_listed(const Words* words, size_t i, const Words* top_words, int64_t start,
                           int64_t stop) noexcept nogil:
    """Whether an alternative has the text of token i, when none has its logprob too."""
    cdef int64_t a, at = words.offsets[i]
    for a in range(start, stop):
        if same_text(words, <int64_t>i, top_words, a):
            return not holds_replacement(words.data + at, <size_t>(words.offsets[i + 1] - at))
    return False


cdef inline uint8_t seat_of(bint asked, bint below, bint listed) noexcept nogil:
    return <uint8_t>((ASKED | BELOW * below | UNLISTED * (not listed)) * asked)


cdef struct Lists:
    # columns of tokens and alternatives; those of token i are start[i] - first to start[i + 1] - first
    size_t rows
    const double* logprob
    const Words* words
    const int64_t* start
    int64_t first
    int64_t end
    const double* top
    const Words* top_words
    double floor         # the sentinel


cdef inline int64_t end_of(const Lists* lists, size_t i) noexcept nogil:
    return (lists.start[i + 1] if i + 1 < lists.rows else lists.end) - lists.first


cdef inline double least_plain(const Lists* lists) noexcept nogil:
    """The least logprob of a plain list: p ln p is a product of finite numbers."""
    return least_kept(lists.floor if lists.floor > -INFINITY else -DBL_MAX)


cdef inline size_t plain_rows(const Lists* lists, size_t begin, size_t end, const double* p, uint32_t* odd,
                              Listed* out) noexcept nogil:
    """Figures of the tokens whose list is as most are: there, descending, above the floor, with the sampled token's
    logprob once or not at all. Since they descend, all are above the floor when the last one is. Which of begin to end
    are not so is written to odd, their number given back. The probabilities of the alternatives of begin and what
    follows are at p."""
    cdef size_t i, left = 0
    cdef int64_t a, n, start, at, above, equal, stop = lists.start[begin] - lists.first
    cdef double x, q, before, own, total, mass, entropy
    cdef double low = least_plain(lists)
    cdef const double* top
    cdef const double* logprobs = lists.logprob
    cdef const int64_t* starts = lists.start
    cdef int64_t first = lists.first
    cdef Words words = lists.words[0], top_words = lists.top_words[0]
    cdef uint8_t* seat = out.seat
    cdef double* confidences = out.confidence
    cdef double* masses = out.mass
    cdef double* entropies = out.entropy
    cdef double* margins = out.margin
    cdef bint is_odd, found
    top = lists.top + stop
    for i in range(begin, end):
        start = stop
        stop = starts[i + 1] - first if i + 1 < lists.rows else end_of(lists, i)
        own = logprobs[i]
        n = stop - start
        if n == 0:
            odd[left] = <uint32_t>(i - begin)
            left += 1
            continue
        # the first one as a pass of the loop would have it: it is the only one, or the token's own, in most lists
        x = top[0]
        q = p[0]
        is_odd = not x >= low
        above = x > own
        equal = x == own
        at = 0
        total = 0.0 + x
        mass = q
        entropy = 0.0 - q * (x if x < 0 else 0.0)
        for a in range(1, n):
            before = x
            x = top[a]
            q = p[a]
            is_odd |= not x <= before
            above += x > own
            if x == own:
                equal += 1
                at = a
            total = total + x
            mass = mass + q
            entropy = entropy - q * (x if x < 0 else 0.0)
        if n > 1:
            is_odd |= (not x >= low) | (equal > 1)
        if is_odd:
            odd[left] = <uint32_t>(i - begin)
            left += 1
            top += n
            p += n
            continue
        found = ((equal and same_text(&words, <int64_t>i, &top_words, start + at))
                 or is_listed(&words, i, &top_words, start, stop))
        seat[i] = seat_of(own == own, above > 0, found)
        confidences[i] = -total / <double>n
        masses[i] = mass
        entropies[i] = entropy
        margins[i] = p[0] - p[1] if n > 1 else NAN
        if out.entries != NULL:
            out.entries[i] = n
            out.above[i] = above
            out.best[i] = top[0]
            out.second[i] = top[1] if n > 1 else NAN
        top += n
        p += n
    return left


cdef inline size_t single_rows(const Lists* lists, size_t begin, size_t end, const double* p, uint32_t* odd,
                               Listed* out) noexcept nogil:
    """The same of tokens that have one alternative each: figures without a list to go through, many at once."""
    cdef size_t i, left = 0, n = end - begin
    cdef int64_t start = lists.start[begin] - lists.first
    cdef double x, own, low = least_plain(lists)
    cdef const double* top = lists.top + start
    cdef const double* logprobs = lists.logprob + begin
    cdef const Words* words = lists.words
    cdef const Words* top_words = lists.top_words
    cdef double* confidences = out.confidence + begin
    cdef double* masses = out.mass + begin
    cdef double* entropies = out.entropy + begin
    cdef double* margins = out.margin + begin
    for i in range(n):
        x = top[i]
        confidences[i] = -(0.0 + x)
        masses[i] = p[i]
        entropies[i] = 0.0 - p[i] * (x if x < 0 else 0.0)
    for i in range(n):
        margins[i] = NAN
    for i in range(n):
        x = top[i]
        own = logprobs[i]
        if not x >= low:
            odd[left] = <uint32_t>i
            left += 1
            continue
        out.seat[begin + i] = seat_of(own == own, x > own,
                                      (x == own and same_text(words, <int64_t>(begin + i), top_words, start + <int64_t>i))
                                      or is_listed(words, begin + i, top_words, start + <int64_t>i,
                                                   start + <int64_t>i + 1))
        if out.entries != NULL:
            out.entries[begin + i] = 1
            out.above[begin + i] = x > own
            out.best[begin + i] = x
            out.second[begin + i] = NAN
    return left


cdef inline void any_row(const Lists* lists, size_t i, Listed* out) noexcept nogil:
    """Figures of one token, whatever its list is like."""
    cdef int64_t a, start = lists.start[i] - lists.first, stop = end_of(lists, i), entries = 0, above = 0
    cdef double x, p, own = lists.logprob[i], total = 0.0, mass = 0.0, entropy = 0.0
    cdef double best = -INFINITY, second = -INFINITY, best_p = 0.0, second_p = 0.0, low = least_kept(lists.floor)
    cdef bint found = False
    for a in range(start, stop):
        x = lists.top[a]
        if x == own and same_text(lists.words, <int64_t>i, lists.top_words, a):
            if found:
                continue
            found = True
        above += x > own
        if not x >= low:
            continue
        p = ss_exp(x)
        entries += 1
        total = total + x
        mass = mass + p
        if p > 0:
            entropy = entropy - p * (x if x < 0 else 0.0)
        if entries == 1 or x > best:
            second, second_p = best, best_p
            best, best_p = x, p
        elif entries == 2 or x > second:
            second, second_p = x, p
    found = found or is_listed(lists.words, i, lists.top_words, start, stop)
    out.seat[i] = seat_of(entries > 0 and own == own, above > 0, found)
    out.confidence[i] = -total / <double>entries if entries > 0 else NAN
    out.mass[i] = mass if entries > 0 else NAN
    out.entropy[i] = entropy if entries > 0 else NAN
    out.margin[i] = best_p - second_p if entries > 1 else NAN
    if out.entries != NULL:
        out.entries[i] = entries
        out.above[i] = above
        out.best[i] = best if entries > 0 else NAN
        out.second[i] = second if entries > 1 else NAN


cdef inline void listed_figures(const Lists* lists, Listed* out) noexcept nogil:
    """Figures of all alternatives, block by block; a block is as many tokens as have BLOCK alternatives together."""
    cdef double[BLOCK] probability
    cdef uint32_t[BLOCK] odd
    cdef size_t k, left, begin = 0, end
    cdef int64_t start, stop, next_stop
    cdef bint single
    while begin < lists.rows:
        start = stop = lists.start[begin] - lists.first
        end = begin
        single = True
        while end < lists.rows and end - begin < BLOCK:
            next_stop = end_of(lists, end)
            if next_stop - start > BLOCK:
                break
            single &= next_stop - stop == 1
            stop = next_stop
            end += 1
        if end == begin:
            any_row(lists, begin, out)
            begin += 1
            continue
        ss_exp_all(lists.top + start, probability, <size_t>(stop - start))
        if single:
            left = single_rows(lists, begin, end, probability, odd, out)
        else:
            left = plain_rows(lists, begin, end, probability, odd, out)
        for k in range(left):
            any_row(lists, begin + odd[k], out)
        begin = end

# cython: cdivision=True
"""Figures over finished columns of logprobs: of whole columns, of whole choices; alternatives.pxd has the third pass.

This file stands apart from reading: it sees arrays of doubles and text buffers, never JSON. Its twin is
``ssift.statistics.plain``, and the two give the same doubles: every operation is one that IEEE 754 rounds correctly,
in the order written here (the build forbids fused multiply-add); exponential.h makes exp of such operations too.
"""

from libc.math cimport INFINITY, NAN, nextafter
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

cdef enum:
    FRACTION = 52
    KEY_SHIFT = 45        # a key of the sketch is the bits of a double from here on
    KEYS = 1 << 19
    OF_EXPONENT = 1 << 7  # keys of one sign and exponent
    INFINITE = 0x7FF      # the exponent of infinities
    EXPONENTS = 4096      # and signs
    SLICE = 1 << 19       # so many rests of 45 bits fit into 64
    HALF = 32             # significands are summed in two parts, so that no sum of 2**40 of them overflows
    PART = 27             # and sums by place
    SLOTS = 256           # places of by_position: 0 to 15 each, then eight to the octave


cdef inline uint64_t bits_of(double value) noexcept nogil:
    cdef uint64_t bits
    memcpy(&bits, &value, 8)
    return bits


cdef inline double least_kept(double floor) noexcept nogil:
    """The least value above floor; a floor of minus infinity keeps all values. A value is kept when it is no less, which
    NaN never is."""
    return nextafter(floor, INFINITY) if floor > -INFINITY else floor


cdef extern from "exponential.h" nogil:
    const double ROUNDER "SS_ROUNDER"

cdef extern from *:
    """
    #define SS_GRID 68719476736.0  /* 2**36 */
    #define SS_PLACED 1024.0
    """
    const double GRID "SS_GRID"       # sums by place are of multiples of its inverse
    const double PLACED "SS_PLACED"   # and of values smaller than this


# ---------------------------------------------------------------------------------------------- of one column

cdef struct Tally:
    int64_t count       # values above the floor
    int64_t apart       # values at or below it
    int64_t positive
    int64_t zeros       # values of the two keys that have neither exponent nor fraction
    int64_t infinite[2] # plus, minus
    double least        # of count; NaN when there are none
    double most
    int64_t key[4]      # first and last other key of positive values, then of negative ones; first > last: none
    size_t exponents    # how many signs and exponents came


cdef enum:
    CELL_SHIFT = 4        # a cell has 2**4 bytes: see tally_slice

cdef struct TallyCell:
    # one key of the sketch: the top bits of a double, sign and exponent among them
    int64_t count
    uint64_t rest       # sum of the bits below


cdef struct Exponent:
    # what the values of one sign and exponent sum up to: significands, low + 2**HALF * high
    int64_t number      # the top bits of these doubles
    int64_t low
    int64_t high


cdef struct Cells:
    # room for a tally, all zero before and after it
    TallyCell* cell     # KEYS of them
    uint8_t* touched    # which signs and exponents came
    Exponent* exponent  # EXPONENTS of them, in use as many as came


cdef inline void tally_slice(const double* values, size_t n, double floor, TallyCell* cells, uint8_t* touched,
                             Tally* out) noexcept nogil:
    """Add up to SLICE values to their cells: a double is its key and the bits below, so these have the exact sum."""
    cdef size_t i
    cdef double x, least = out.least, most = out.most, low = least_kept(floor)
    cdef uint64_t bits
    cdef TallyCell* cell
    cdef int64_t apart = 0, missing = 0
    for i in range(n):
        x = values[i]
        if not x >= low:
            apart += x < low
            missing += x != x
            continue
        bits = bits_of(x)
        touched[bits >> FRACTION] = True
        cell = <TallyCell*>(<uint8_t*>cells + (bits >> (KEY_SHIFT - CELL_SHIFT) & ~<uint64_t>(sizeof(TallyCell) - 1)))
        cell.count += 1
        cell.rest += bits & ((<uint64_t>1 << KEY_SHIFT) - 1)
        least = x if x < least else least
        most = x if x > most else most
    out.count += <int64_t>n - apart - missing
    out.apart += apart
    out.least, out.most = least, most


cdef inline int64_t count_tiny(const double* values, size_t n) noexcept nogil:
    """How many values are above zero and have the key of zero."""
    cdef size_t i
    cdef int64_t found = 0
    for i in range(n):
        found += 0 < <int64_t>bits_of(values[i]) < <int64_t>1 << KEY_SHIFT
    return found


cdef inline void sum_rests(Cells* cells) noexcept nogil:
    """Move the rests of cells to the sums of their exponents, which stand at their own numbers meanwhile."""
    cdef size_t e, key
    for e in range(EXPONENTS):
        if cells.touched[e]:
            for key in range(e * OF_EXPONENT, (e + 1) * OF_EXPONENT):
                cells.exponent[e].low += <int64_t>(cells.cell[key].rest & ((<uint64_t>1 << HALF) - 1))
                cells.exponent[e].high += <int64_t>(cells.cell[key].rest >> HALF)
                cells.cell[key].rest = 0


cdef inline void settle(Cells* cells, Tally* out) noexcept nogil:
    """Sum up what leads in the keys, find the first and last ones, and move the exponents in use to the front."""
    cdef size_t e, at
    cdef int64_t key, count, sign, leading
    cdef Exponent found
    out.exponents = 0
    out.zeros = out.infinite[0] = out.infinite[1] = 0
    for e in range(EXPONENTS):
        if not cells.touched[e]:
            continue
        sign = e > INFINITE
        found = cells.exponent[e]
        cells.exponent[e].low = cells.exponent[e].high = 0
        found.number = <int64_t>e
        for at in range(OF_EXPONENT):
            key = <int64_t>(e * OF_EXPONENT + at)
            count = cells.cell[key].count
            if count == 0:
                continue
            leading = <int64_t>at + (0 if e & INFINITE == 0 else OF_EXPONENT)
            found.high += count * leading << (KEY_SHIFT - HALF)
            if leading == 0:
                out.zeros += count
                cells.cell[key].count = 0
                continue
            if not sign:
                out.positive += count
            if e & INFINITE == INFINITE:
                out.infinite[sign] += count
            out.key[2 * sign] = min(out.key[2 * sign], key)
            out.key[2 * sign + 1] = key
        cells.exponent[out.exponents] = found
        out.exponents += 1


cdef inline void tally_column(const double* values, size_t n, double floor, Cells* cells, Tally* out) noexcept nogil:
    """Tally the values above floor; clear_cells follows when counts and sums have been fetched from the cells."""
    cdef size_t done = 0, step
    out.count = out.apart = out.positive = 0
    out.least, out.most = INFINITY, -INFINITY
    out.key[0] = out.key[2] = KEYS
    out.key[1] = out.key[3] = -1
    while done < n:
        step = n - done if n - done < SLICE else SLICE
        tally_slice(values + done, step, floor, cells.cell, cells.touched, out)
        if cells.cell[0].rest:
            out.positive += count_tiny(values + done, step)
        sum_rests(cells)
        done += step
    settle(cells, out)
    # of the two zeros the positive one, in whatever order they came
    out.least = out.least + 0.0 if out.count else NAN
    out.most = out.most + 0.0 if out.count else NAN


cdef inline void clear_cells(Cells* cells, const Tally* tally) noexcept nogil:
    """Make the room zero again where the tally has left something."""
    cdef size_t i
    cdef int64_t e
    for i in range(tally.exponents):
        e = cells.exponent[i].number
        cells.touched[e] = False
        memset(&cells.cell[e * OF_EXPONENT], 0, OF_EXPONENT * sizeof(TallyCell))
    memset(cells.exponent, 0, tally.exponents * sizeof(Exponent))


# ------------------------------------------------------------------------------------------ of whole choices

cdef struct Sum:
    # the sum is value + rest: Neumaier's, whose error terms are those of Knuth's addition, which needs no branch
    double value
    double rest


cdef inline void sum_add(Sum* s, double x) noexcept nogil:
    cdef double t = s.value + x
    cdef double back = t - s.value
    s.rest = s.rest + ((s.value - (t - back)) + (x - back))
    s.value = t


cdef inline double sum_of(const Sum* s) noexcept nogil:
    return s.value + s.rest if -INFINITY < s.value < INFINITY else s.value


cdef inline void sift(double* heap, size_t n, size_t at) noexcept nogil:
    """Let heap[at] sink in a heap whose least value is at the top; heap[n] is no less than the last one."""
    cdef double x = heap[at]
    cdef size_t child = 2 * at + 1
    while child < n:
        child += heap[child + 1] < heap[child]  # which of two is at random: without a branch
        if heap[child] >= x:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = x


cdef inline void largest(const double* values, size_t n, size_t m, double* heap) noexcept nogil:
    """The m largest of n values, descending (m <= n; no NaN); heap has room for one more."""
    cdef size_t i
    cdef double x, least
    if m == 0:
        return
    memcpy(heap, values, m * sizeof(double))
    heap[m] = INFINITY
    for i in range(m // 2, 0, -1):
        sift(heap, m, i - 1)
    for i in range(m, n):
        if values[i] > heap[0]:
            heap[0] = values[i]
            sift(heap, m, 0)
    for i in range(m - 1, 0, -1):
        x = heap[i]
        least = heap[0]
        heap[0] = x
        heap[i] = INFINITY
        sift(heap, i, 0)
        heap[i] = least


cdef inline size_t slot_end(size_t slot) noexcept nogil:
    """The first position after a slot: positions 0 to 15 have one each, larger ones an eighth of their octave."""
    return slot + 1 if slot < 16 else (8 + (slot - 15) % 8) << (1 + (slot - 15) // 8)


cdef struct Groups:
    # DeepConf's figures of one choice
    double mean
    double lowest
    double bottom
    double tail


cdef inline Groups groups_of(const double* values, size_t n, double mean, size_t window, double share, double* means,
                             double* heap) noexcept nogil:
    """Means of ``window`` values in a row, of n > 0 values with that mean; all are one group when there are no more.

    Infinities are counted apart from the sum, which could not lose them again; a group that has both has no mean, and
    is none of the lowest."""
    cdef Groups out
    cdef Sum all, s
    cdef size_t i, m, groups
    cdef double x
    cdef int64_t[2] infinite
    infinite[0] = infinite[1] = 0
    all.value = all.rest = s.value = s.rest = 0.0
    out.mean = out.lowest = out.bottom = out.tail = mean
    if n <= window:
        return out
    groups = n - window + 1
    for i in range(n):
        x = values[i]
        if -INFINITY < x < INFINITY:
            sum_add(&s, x)
        else:
            infinite[x < 0] += 1
        if i + 1 < window:
            continue
        if i >= window:
            x = values[i - window]
            if -INFINITY < x < INFINITY:
                sum_add(&s, -x)
            else:
                infinite[x < 0] -= 1
        x = sum_of(&s) / <double>window
        if infinite[0] or infinite[1]:
            x = NAN if infinite[0] and infinite[1] else -INFINITY if infinite[1] else INFINITY
        out.tail = x
        means[i + 1 - window] = -x if x == x else -INFINITY  # negated: the largest are the lowest groups
    m = <size_t>(share * <double>groups)
    m = m if m > 0 else 1
    largest(means, groups, m, heap)
    all.value = all.rest = 0.0
    for i in range(m):
        sum_add(&all, -heap[i])
    out.lowest = -heap[0]
    out.bottom = sum_of(&all) / <double>m
    return out


cdef struct Profile:
    # what profile_choices writes, a row for each choice
    int64_t* count
    int64_t* missing
    int64_t* sentinels
    int64_t* positive
    int64_t* low_run        # longest run of tokens below the limit, and where it starts
    int64_t* low_start
    int64_t* listed         # tokens with a confidence
    double* sum
    double* least
    double* surprise_p95
    double* surprise_tail
    double* entropy
    double* confidence
    double* lowest
    double* bottom
    double* tail


cdef struct Places:
    # by position: SLOTS each; sums are of multiples of 2**-36, in two halves
    int64_t* count
    int64_t* low
    int64_t* high
    int64_t* listed
    int64_t* listed_low
    int64_t* listed_high


cdef struct Place:
    # the sum of one slot of one choice; 2**17 values of 2**10 in multiples of 2**-36 fit
    int64_t count
    uint64_t bits   # of what was added, each rounded to a multiple by adding ROUNDER: units, and as often those of ROUNDER


cdef inline void place(double x, Place* into) noexcept nogil:
    if -PLACED < x < PLACED:
        into.count += 1
        into.bits += bits_of(x * GRID + ROUNDER)


cdef inline void put_place(Place* own, int64_t* count, int64_t* low, int64_t* high) noexcept nogil:
    """Add what a slot has, and begin anew."""
    cdef int64_t units = <int64_t>(own.bits - <uint64_t>own.count * bits_of(ROUNDER))
    count[0] += own.count
    low[0] += units & ((1 << PART) - 1)
    high[0] += units >> PART
    own.count = 0
    own.bits = 0


cdef inline void put_places(Places* places, size_t slot, Place* own, Place* listed) noexcept nogil:
    put_place(own, &places.count[slot], &places.low[slot], &places.high[slot])
    put_place(listed, &places.listed[slot], &places.listed_low[slot], &places.listed_high[slot])


cdef inline void profile_choices(const int64_t* offsets, size_t choices, const double* logprob, const double* entropy,
                                 const double* confidence, size_t window, double share, double floor, double limit,
                                 double* room, Profile* out, Places* places) noexcept nogil:
    """Figures of the choices whose tokens are offsets[c] to offsets[c + 1]; room: three doubles a token."""
    cdef size_t c, i, n, k, m, run, longest, tail, slot, until
    cdef int64_t begin, positive, sentinels, low_start
    cdef double x, least, at, low, high, worth = least_kept(floor)
    cdef const double* own
    cdef const double* own_entropy
    cdef const double* own_confidence
    cdef double* values
    cdef double* confidences
    cdef Sum total, bits, peaks
    cdef Groups groups
    cdef Place own_place, listed_place
    own_place.count = 0
    own_place.bits = 0
    listed_place = own_place
    for c in range(choices):
        begin = offsets[c]
        n = <size_t>(offsets[c + 1] - begin)
        values = room
        confidences = room + n
        k = m = run = longest = slot = 0
        until = 1
        total.value = total.rest = bits.value = bits.rest = peaks.value = peaks.rest = 0.0
        least = INFINITY
        positive = sentinels = 0
        low_start = -1
        own, own_entropy, own_confidence = logprob + begin, entropy + begin, confidence + begin
        for i in range(n):
            x = own[i]
            if i == until:
                put_places(places, slot, &own_place, &listed_place)
                slot += 1
                until = slot_end(slot)
            if x >= worth:
                values[k] = -x
                k += 1
                sum_add(&total, x)
                positive += x > 0
                least = x if x < least else least
                place(x, &own_place)
            else:
                sentinels += x < worth
            run = (run + 1) * <size_t>(x < limit)
            if run > longest:
                longest = run
                low_start = <int64_t>(i + 1 - run)
            x = own_confidence[i]
            if x == x:
                confidences[m] = x
                m += 1
                sum_add(&bits, own_entropy[i])
                sum_add(&peaks, x)
                place(x, &listed_place)
        put_places(places, slot, &own_place, &listed_place)
        out.count[c] = <int64_t>k
        out.missing[c] = <int64_t>(n - k) - sentinels
        out.sentinels[c] = sentinels
        out.positive[c] = positive
        out.low_run[c] = <int64_t>longest
        out.low_start[c] = low_start
        out.listed[c] = <int64_t>m
        out.sum[c] = sum_of(&total) if k else NAN
        out.least[c] = least + 0.0 if k else NAN
        out.surprise_p95[c] = out.surprise_tail[c] = NAN
        if k:
            # the 95th percentile between two ranks from the top, and the mean of the top tenth
            at = 0.95 * <double>(k - 1)
            run = k - 1 - <size_t>at
            tail = (k + 9) // 10
            i = tail if tail > run + 1 else run + 1
            largest(values, k, i, room + 2 * n)
            low = room[2 * n + run]
            high = room[2 * n + (run - 1 if run else 0)]
            out.surprise_p95[c] = low if low == high else low + (high - low) * (at - <double>(<size_t>at))
            total.value = total.rest = 0.0
            for i in range(tail):
                sum_add(&total, room[2 * n + i])
            out.surprise_tail[c] = sum_of(&total) / <double>tail
        out.entropy[c] = out.confidence[c] = out.lowest[c] = out.bottom[c] = out.tail[c] = NAN
        if m:
            out.entropy[c] = sum_of(&bits) / <double>m
            groups = groups_of(confidences, m, sum_of(&peaks) / <double>m, window, share, values, room + 2 * n)
            out.confidence[c] = groups.mean
            out.lowest[c] = groups.lowest
            out.bottom[c] = groups.bottom
            out.tail[c] = groups.tail

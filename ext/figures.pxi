# Statistics over finished columns: the Python face of figures.pxd; a part of _native.pyx.

cdef class Figures:
    """Figures over finished columns; what the methods give is said by ssift.statistics.kernel, and their twin is
    ssift.statistics.plain. One instance belongs to one thread: it has memory of its own."""

    cdef int64_t[:, ::1] cells
    cdef uint8_t[::1] touched
    cdef int64_t[:, ::1] exponents
    cdef double[:, ::1] values
    cdef uint8_t[::1] seat

    def __init__(self):
        self.cells = np.zeros((KEYS, 2), np.int64)
        self.touched = np.zeros(EXPONENTS, np.uint8)
        self.exponents = np.zeros((EXPONENTS, 3), np.int64)
        self.values = np.empty((4, 0), np.float64)
        self.seat = np.empty(0, np.uint8)

    def listed(self, const double[::1] logprob, token, const int64_t[::1] starts, int64_t first,
               const double[::1] top_logprob, top_token, double floor, bint lean):
        cdef Listed out
        cdef Lists lists
        cdef Words words, top_words
        cdef const int64_t[::1] offsets = token.offsets, top_offsets = top_token.offsets
        cdef const uint8_t[::1] data = token.data, top_data = top_token.data
        cdef size_t rows = len(logprob)
        cdef int64_t[:, ::1] numbers = np.empty((2, 0 if lean else rows), np.int64)
        cdef double[:, ::1] more = np.empty((2, 0 if lean else rows), np.float64)
        cdef double[:, ::1] values
        cdef uint8_t[::1] seat
        if not lean:
            values = np.empty((4, rows), np.float64)
            seat = np.empty(rows, np.uint8)
        else:
            if len(self.seat) < rows:  # kept: fresh pages would cost as much as the figures
                self.values = np.empty((4, rows + rows // 8), np.float64)
                self.seat = np.empty(rows + rows // 8, np.uint8)
            values, seat = self.values, self.seat
        if rows:
            words.offsets, words.data = &offsets[0], address(data)
            top_words.offsets, top_words.data = &top_offsets[0], address(top_data)
            memset(&out, 0, sizeof(Listed))
            if not lean:
                out.entries, out.above, out.best, out.second = &numbers[0, 0], &numbers[1, 0], &more[0, 0], &more[1, 0]
            out.seat, out.confidence, out.mass = &seat[0], &values[0, 0], &values[1, 0]
            out.entropy, out.margin = &values[2, 0], &values[3, 0]
            lists.rows, lists.logprob, lists.words, lists.floor = rows, &logprob[0], &words, floor
            lists.start, lists.first, lists.end = &starts[0], first, first + len(top_logprob)
            lists.top, lists.top_words = &top_logprob[0] if len(top_logprob) else NULL, &top_words
            with nogil:
                listed_figures(&lists, &out)
        confidence, mass, entropy, margin = np.asarray(values)[:, :rows]
        return (*np.asarray(numbers), np.asarray(seat)[:rows], confidence, mass, entropy, *np.asarray(more), margin)

    def tally(self, const double[::1] values, double floor):
        cdef Tally out
        cdef Cells cells
        cdef size_t n = len(values), i
        cells.cell, cells.touched = <TallyCell*>&self.cells[0, 0], &self.touched[0]
        cells.exponent = <Exponent*>&self.exponents[0, 0]
        with nogil:
            tally_column(&values[0] if n else NULL, n, floor, &cells, &out)
        units = 0
        for i in range(out.exponents):
            exponent = cells.exponent[i].number & INFINITE
            if exponent != INFINITE:
                size = ((<object>cells.exponent[i].high << HALF) + cells.exponent[i].low) << max(exponent - 1, 0)
                units += -size if cells.exponent[i].number > INFINITE else size
        counts = np.asarray(self.cells)[:, 0]
        keys = [(out.key[i], counts[out.key[i] : out.key[i + 1] + 1].copy())
                for i in range(0, 4, 2) if out.key[i] <= out.key[i + 1]]
        clear_cells(&cells, &out)
        return (out.count, out.apart, n - out.count - out.apart, out.positive, out.infinite[0], out.infinite[1],
                out.least, out.most, units, out.zeros, keys)

    def profile(self, const int64_t[::1] offsets, const double[::1] logprob, const double[::1] entropy,
                const double[::1] confidence, size_t window, double share, double floor, double limit):
        cdef Profile out
        cdef Places places
        cdef size_t choices = len(offsets) - 1
        cdef int64_t[:, ::1] numbers = np.empty((7, choices), np.int64)
        cdef double[:, ::1] values = np.empty((9, choices), np.float64)
        cdef int64_t[:, ::1] slots = np.zeros((6, SLOTS), np.int64)
        cdef double[::1] room = np.empty(3 * max(np.diff(offsets), default=0) + 8, np.float64)
        if choices and len(logprob):
            (out.count, out.missing, out.sentinels, out.positive, out.low_run, out.low_start, out.listed) = (
                &numbers[0, 0], &numbers[1, 0], &numbers[2, 0], &numbers[3, 0], &numbers[4, 0], &numbers[5, 0],
                &numbers[6, 0])
            (out.sum, out.least, out.surprise_p95, out.surprise_tail, out.entropy, out.confidence, out.lowest,
             out.bottom, out.tail) = (
                &values[0, 0], &values[1, 0], &values[2, 0], &values[3, 0], &values[4, 0], &values[5, 0],
                &values[6, 0], &values[7, 0], &values[8, 0])
            places.count, places.low, places.high = &slots[0, 0], &slots[1, 0], &slots[2, 0]
            places.listed, places.listed_low, places.listed_high = &slots[3, 0], &slots[4, 0], &slots[5, 0]
            with nogil:
                profile_choices(&offsets[0], choices, &logprob[0], &entropy[0], &confidence[0], window, share, floor,
                                limit, &room[0], &out, &places)
        elif choices:
            numbers[:] = 0
            numbers[5] = -1
            values[:] = np.nan
        return (*np.asarray(numbers), *np.asarray(values), np.asarray(slots))


cdef const uint8_t* address(const uint8_t[::1] data) noexcept:
    return &data[0] if len(data) else NULL

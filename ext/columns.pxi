# The columns' way to Python; a part of _native.pyx.
#
# Memory: columns grow in C. ``column`` hands each to Python as a Block, on which numpy arrays stand without a copy; when
# the last array is gone the block's memory goes back to a small store, from which the next batch writes into pages
# that are already there. A new engine begins with columns as large as the last ones of this kind were.

cdef enum:
    SMALL = 1 << 16          # columns up to this size are copied
    STORED_BLOCKS = 96
    PLACES = 1024            # of columns in an engine, at the most
    STORED_BYTES = 160 << 20

cdef dict EMPTY = {dtype: np.empty(0, dtype) for dtype in (np.uint8, np.int64, np.float64)}

cdef Buffer stored[STORED_BLOCKS]
cdef size_t stored_count = 0
cdef size_t stored_bytes = 0


cdef void store(Buffer* b) noexcept:
    """Keep memory for a later column, or free it when there is enough in store."""
    global stored_count, stored_bytes
    if b.data != NULL and stored_count < STORED_BLOCKS and stored_bytes + b.room <= STORED_BYTES:
        b.used = 0
        stored[stored_count] = b[0]
        stored_count += 1
        stored_bytes += b.room
        memset(b, 0, sizeof(Buffer))
    else:
        buffer_free(b)


cdef void fetch(Buffer* b, size_t size) noexcept:
    """Give an empty buffer memory from the store, when there is some of about this size."""
    global stored_count, stored_bytes
    cdef size_t i, best = STORED_BLOCKS
    for i in range(stored_count):
        if size <= stored[i].room <= 4 * size and (best == STORED_BLOCKS or stored[i].room < stored[best].room):
            best = i
    if best < STORED_BLOCKS:
        b[0] = stored[best]
        stored_count -= 1
        stored_bytes -= b.room
        stored[best] = stored[stored_count]


cdef class Block:
    """Memory of one column, owned by the arrays that stand on it."""

    cdef Buffer memory

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.memory.data, <Py_ssize_t>self.memory.used, 0, flags)

    def __dealloc__(self):
        store(&self.memory)


cdef struct Usual:
    size_t place      # of a column in the engine
    size_t size       # of the last one that was handed over

cdef Usual usual[PLACES]
assert sizeof(Frame) < PLACES * sizeof(Buffer)


cdef void note_size(const Frame* f, const Buffer* b) noexcept:
    cdef size_t place = <const char*>b - <const char*>f
    usual[place // sizeof(Buffer)].place = place
    usual[place // sizeof(Buffer)].size = b.used


cdef void fetch_usual(Frame* f) noexcept:
    """Give a new engine memory for its columns, as far as there is some in store."""
    cdef size_t i
    for i in range(PLACES):
        if usual[i].size > SMALL:
            fetch(<Buffer*>(<char*>f + usual[i].place), usual[i].size)


cdef void store_usual(Frame* f) noexcept:
    """An engine ends: its columns' memory may serve the next one."""
    cdef size_t i
    for i in range(PLACES):
        if usual[i].size > SMALL:
            store(<Buffer*>(<char*>f + usual[i].place))


cdef object column(Frame* f, Buffer* b, object dtype):
    """The buffer's content as an array; the buffer is empty afterwards."""
    cdef Block block
    cdef size_t size = b.used
    note_size(f, b)
    if size == 0:
        return EMPTY[dtype]
    if size <= SMALL:
        b.used = 0
        return np.frombuffer(PyByteArray_FromStringAndSize(<const char*>b.data, <Py_ssize_t>size), dtype)
    block = Block.__new__(Block)
    block.memory = b[0]
    memset(b, 0, sizeof(Buffer))
    fetch(b, size)
    return np.frombuffer(block, dtype)


cdef object text_column(Frame* f, Text* t, bint nullable):
    valid = column(f, &t.valid, np.uint8)
    return TextColumn(column(f, &t.offsets, np.int64), column(f, &t.data, np.uint8), valid if nullable else None)


cdef dict entries_columns(Frame* f, Entries* e):
    """token, bytes and logprob of tokens or alternatives."""
    return {
        "token": TextColumn(column(f, &e.offsets, np.int64), column(f, &e.text, np.uint8), None),
        "bytes": EntryBytes(column(f, &e.how, np.uint8), column(f, &e.own_offsets, np.int64),
                            column(f, &e.own, np.uint8)),
        "logprob": column(f, &e.logprob, np.float64),
    }


# --------------------------------------------------------------------------------------------- rows in order


cdef object gather_text(object text, object order):
    """The rows of a string column in another order."""
    cdef const int64_t[::1] old = text.offsets
    cdef const int64_t[::1] rows = order
    cdef const uint8_t[::1] data = text.data
    cdef int64_t[::1] offsets
    cdef uint8_t[::1] out
    cdef size_t i, n
    cdef int64_t at = 0
    new_offsets = np.zeros(len(order) + 1, np.int64)
    new_data = np.empty(len(text.data), np.uint8)
    offsets = new_offsets
    out = new_data
    for i in range(<size_t>len(order)):
        n = <size_t>(old[rows[i] + 1] - old[rows[i]])
        if n:
            memcpy(&out[at], &data[old[rows[i]]], n)
        at += n
        offsets[i + 1] = at
    return TextColumn(new_offsets, new_data, None if text.valid is None else text.valid[order])


cdef dict in_order(dict columns, object keys):
    """All columns sorted by the key arrays (the last is the first key), rows of equal keys as they came."""
    if len(keys[0]) < 2:
        return columns
    order = np.lexsort(keys)
    if bool((np.diff(order) > 0).all()):
        return columns
    out = {}
    for name, raw in columns.items():
        if isinstance(raw, TextColumn):
            out[name] = gather_text(raw, order)
        elif isinstance(raw, NullableInts):
            out[name] = NullableInts(raw.values[order], raw.valid[order])
        else:
            out[name] = raw[order]
    return out

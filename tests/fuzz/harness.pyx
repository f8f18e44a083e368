# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The native engine as functions of bytes, for fuzzers: no interpreter is needed, or started.

An input is four bytes of settings (``inputs.py`` says what they mean) and a text. Each harness reads it more than one
way and stops the program where two ways differ; the sanitizers, and heap.c, stop it where memory is misused. As in the
engine, a function that gives False found no memory.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdio cimport fprintf, stderr
from libc.stdlib cimport abort, free, malloc
from libc.string cimport memchr, memcpy, memset

from block cimport JSON_LINES, SSE, WHOLE, Frame
from chunk cimport KEEP_TOPS, WANT_CALLS, WANT_TEXT, WANT_TOKENS, WANT_TOPS
from column cimport byte, rows_begin, tops_read
from digest cimport Digest, digest_account, digest_rows, first_difference
from event cimport Account, Reader
from finish cimport responses_begin
from frame cimport frame_begin, frame_end, frame_feed, frame_resume, is_settled, release_held
from group cimport GROUP_AUTO, GROUP_DONE, GROUP_ID
from known cimport shapes_free
from quoted cimport ss_unquote_begin
from record cimport NO_ROOM_LEFT, Bodies, bodies_free, read_records
from release cimport frame_free
from shape cimport AT_CHUNK, AT_NAME, AT_TEXT, AT_TIME, Shape, shape_begin, shape_end, shape_step
from value cimport ss_byte_text_begin

cdef extern from "heap.h" nogil:
    void ss_heap_begin()
    void ss_heap_end()
    size_t ss_heap_requests()
    void ss_heap_refuse(size_t request)

cdef enum:
    HEADER = 4
    RECORDS = 128       # in the first byte: `starved` reads lines as records
    ALL_TABLES = 63     # responses, choices, tool_calls, chunks, tokens, top_logprobs
    REFUSALS = 6        # of memory, tried with an input

cdef struct Setting:
    int framing
    int group
    int tables          # bit k: the k-th of contract.TABLES, problems left out
    bint twice          # the text is read as two sources
    size_t event_bytes
    size_t depth
    size_t open_responses
    int64_t offset
    uint32_t seed       # of cuts


cdef Setting setting_of(const uint8_t* data) noexcept nogil:
    cdef Setting s
    cdef size_t* event_bytes = [64 << 20, 1000, 300, 100, 60, 20, 5, 1]
    cdef size_t* depths = [1024, 1024, 12, 7, 5, 3, 2, 1]
    cdef size_t* open_responses = [1024, 1024, 2, 1]
    cdef int* framings = [SSE, JSON_LINES, WHOLE, SSE]
    cdef int* groups = [GROUP_AUTO, GROUP_ID, GROUP_DONE, GROUP_AUTO]
    s.framing = framings[data[0] & 3]
    s.group = groups[(data[0] >> 2) & 3]
    s.twice = data[0] & 16 != 0
    s.offset = 3 if data[0] & 32 else 0
    s.tables = ALL_TABLES if data[0] & 64 or data[1] & 192 == 0 else data[1] & ALL_TABLES
    s.event_bytes = event_bytes[data[2] & 7]
    s.depth = depths[(data[2] >> 3) & 7]
    s.open_responses = open_responses[data[2] >> 6]
    s.seed = data[3] | 256
    return s


cdef uint32_t next_random(uint32_t* state) noexcept nogil:
    state[0] ^= state[0] << 13
    state[0] ^= state[0] >> 17
    state[0] ^= state[0] << 5
    return state[0]


cdef void check(bint good, const char* what) noexcept nogil:
    if not good:
        fprintf(stderr, "ssift: %s\n", what)
        abort()


# ---------------------------------------------------------------------------------------------------- an engine


cdef bint engine_begin(Frame* f, const Setting* s) noexcept nogil:
    """As NativeEngine.__cinit__."""
    cdef Reader* r = &f.reader
    memset(f, 0, sizeof(Frame))
    r.responses.want_responses = s.tables & 1 != 0
    r.responses.want_choices = s.tables & 2 != 0
    r.responses.want_calls = s.tables & 4 != 0
    r.responses.want_chunks = s.tables & 8 != 0
    r.responses.want_tokens = s.tables & (16 | 32 | 2 | 8) != 0
    r.want = ((WANT_TEXT if r.responses.want_choices else 0) | (WANT_CALLS if r.responses.want_calls else 0)
              | (WANT_TOKENS if r.responses.want_tokens else 0) | (WANT_TOPS if s.tables & 48 else 0)
              | (KEEP_TOPS if s.tables & 32 else 0))
    r.event_limit = s.event_bytes
    r.depth_limit = s.depth
    r.groups.rule = s.group
    r.groups.limit = s.open_responses
    r.responses.latest = r.responses.silent = -1
    return rows_begin(&r.rows) and responses_begin(&r.responses)


cdef bint engine_take(Frame* f, Digest* d, bint open) noexcept nogil:
    """As NativeEngine.take: the rows go into the digest."""
    cdef Reader* r = &f.reader
    cdef int64_t tokens = <int64_t>r.rows.tokens.how.used, tops = <int64_t>tops_read(&r.rows)
    cdef int64_t chunks = <int64_t>(r.responses.chunks_out.response.used // 8)
    cdef int64_t first_token = r.rows.first_token, first_top = r.rows.first_top
    if open and not release_held(f):
        return False
    digest_rows(d, r)
    f.shapes.budget = 0
    if not (rows_begin(&r.rows) and responses_begin(&r.responses)):
        return False
    r.rows.first_token = first_token + tokens
    r.rows.first_top = first_top + tops
    r.responses.chunks_out.first += chunks
    return True


cdef bint engine_feed(Frame* f, const byte* data, size_t n) noexcept nogil:
    """Feed a copy that ends where its memory ends, and is gone afterwards."""
    cdef byte* piece = <byte*>malloc(n)
    cdef bint good
    if piece == NULL:
        return False
    memcpy(piece, data, n)
    good = frame_feed(f, piece, n)
    free(piece)
    return good


cdef bint engine_end(Frame* f, Digest* d, size_t size) noexcept nogil:
    """Close a source of ``size`` bytes: each of them has been accounted for."""
    cdef Account* account = &f.reader.account
    cdef int64_t total = 0
    cdef int k
    if not frame_end(f):
        return False
    for k in range(6):
        check(account.bytes[k] >= 0, "a class of lines has less than no bytes")
        total += account.bytes[k]
    check(total == <int64_t>size, "the byte account does not add up to the size of the source")
    digest_account(d, account)
    return True


# ---------------------------------------------------------------------------------------------------- a reading

# reads a source, and gives where its last part begins
ctypedef bint (*Feeder)(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil


cdef bint read_source(Frame* f, int64_t source, const byte* p, size_t n, const Setting* s, Feeder feeder, Digest* d) noexcept nogil:
    cdef size_t part = 0
    frame_begin(f, source, s.framing, s.offset)
    return feeder(f, p, n, s, d, &part) and engine_end(f, d, n - part + <size_t>(0 if part else s.offset))


cdef bint read_sources(Frame* f, const byte* text, size_t size, const Setting* s, Feeder feeder, Digest* d) noexcept nogil:
    cdef size_t half = size // 2 if s.twice else size
    return (engine_begin(f, s) and read_source(f, 0, text, half, s, feeder, d)
            and (not s.twice or read_source(f, 1, text + half, size - half, s, feeder, d))
            and engine_take(f, d, False))


cdef bint try_to_read(const byte* text, size_t size, const Setting* s, Feeder feeder, Digest* d) noexcept nogil:
    """Read a text with an engine of its own, which ends whatever comes."""
    cdef Frame f
    cdef bint good
    memset(d, 0, sizeof(Digest))
    good = read_sources(&f, text, size, s, feeder, d)
    frame_free(&f)
    return good


cdef void read_text(const byte* text, size_t size, const Setting* s, Feeder feeder, Digest* d) noexcept nogil:
    check(try_to_read(text, size, s, feeder, d), "no memory")


cdef bint feed_whole(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    return engine_feed(f, p, n)


cdef bint feed_bytes(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    cdef size_t i
    for i in range(n):
        if not engine_feed(f, p + i, 1):
            return False
    return True


cdef bint feed_cut(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    """Pieces of random sizes, short and long, empty ones among them; rows are taken in between."""
    cdef uint32_t state = s.seed
    cdef size_t at = 0, size
    while at < n:
        size = next_random(&state) % 7 if state & 64 else next_random(&state) % 300
        if size > n - at:
            size = n - at
        if not engine_feed(f, p + at, size):
            return False
        at += size
        if next_random(&state) % 8 == 0 and not engine_take(f, d, True):
            return False
    return True


cdef const byte* next_line(const byte* p, const byte* end) noexcept nogil:
    cdef const byte* stop = <const byte*>memchr(p, c'\n', end - p)
    return end if stop == NULL else stop + 1


cdef bint feed_lines_forgetting(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    """Line by line, and no shape is remembered: everything goes the generic path."""
    cdef const byte* end = p + n
    cdef const byte* stop
    while p < end:
        stop = next_line(p, end)
        if not engine_feed(f, p, stop - p):
            return False
        shapes_free(&f.shapes)
        f.shapes.last = 0
        p = stop
    return True


cdef bint feed_parts(Frame* f, const byte* p, size_t n, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    """Line by line; where the engine is settled, now and then, a new one goes on with its numbers (see PartEngine)."""
    cdef const byte* begin = p
    cdef const byte* end = p + n
    cdef const byte* stop
    cdef uint32_t state = s.seed
    while p < end:
        stop = next_line(p, end)
        if not engine_feed(f, p, stop - p):
            return False
        p = stop
        if p < end and s.framing != WHOLE and is_settled(f) and next_random(&state) % 4 and not go_on(f, p - begin, s, d, part):
            return False
    return True


cdef bint go_on(Frame* f, size_t at, const Setting* s, Digest* d, size_t* part) noexcept nogil:
    """Another engine in the place of this one, ``at`` so many bytes of the source; as a reading with threads does."""
    cdef int64_t line = f.line, response = f.reader.responses.next_number, source = f.reader.responses.source
    cdef int64_t token, top, chunk
    if not (engine_end(f, d, at - part[0] + <size_t>(0 if part[0] else s.offset)) and engine_take(f, d, False)):
        return False
    token, top, chunk = f.reader.rows.first_token, f.reader.rows.first_top, f.reader.responses.chunks_out.first
    frame_free(f)
    if not engine_begin(f, s):
        return False
    frame_resume(f, source, s.framing, <int64_t>at + s.offset)
    f.line, f.reader.responses.next_number = line, response
    f.reader.rows.first_token, f.reader.rows.first_top, f.reader.responses.chunks_out.first = token, top, chunk
    part[0] = at
    return True


cdef void check_same(const Digest* one, const Digest* other, const char* what) noexcept nogil:
    cdef int found = first_difference(one, other)
    if found >= 0:
        fprintf(stderr, "ssift: %s differ (%d)\n", what, found)
        abort()


# --------------------------------------------------------------------------------------------------- harnesses


cdef public void ssift_fuzz_begin() noexcept nogil:
    ss_byte_text_begin()
    ss_unquote_begin()


cdef public void ssift_fuzz_framing(const uint8_t* data, size_t size) noexcept nogil:
    """Events, with no table wanted: a source is the same whole, byte by byte, and cut at random."""
    cdef Setting s
    cdef Digest whole, bytewise, cut
    if size < HEADER:
        return
    s = setting_of(data)
    s.tables = 1
    read_text(data + HEADER, size - HEADER, &s, feed_whole, &whole)
    read_text(data + HEADER, size - HEADER, &s, feed_bytes, &bytewise)
    read_text(data + HEADER, size - HEADER, &s, feed_cut, &cut)
    check_same(&whole, &bytewise, "whole and byte by byte")
    check_same(&whole, &cut, "whole and cut")


cdef public void ssift_fuzz_chunk(const uint8_t* data, size_t size) noexcept nogil:
    """Chunks: each line is an event, read three times; the way of known shapes is the same as the generic one."""
    cdef Setting s
    cdef byte* log
    cdef size_t n = 0
    cdef const byte* p
    cdef const byte* stop
    cdef int k
    cdef Digest known, generic
    if size < HEADER or size > 1 << 16:
        return
    s = setting_of(data)
    s.framing = SSE
    log = <byte*>malloc(3 * (9 * size + 9))
    check(log != NULL, "no memory")
    p = data + HEADER
    while p < data + size:
        stop = <const byte*>memchr(p, c'\n', data + size - p)
        if stop == NULL:
            stop = data + size
        for k in range(3):
            memcpy(log + n, b"data: ", 6)
            memcpy(log + n + 6, p, stop - p)
            memcpy(log + n + 6 + (stop - p), b"\n\n", 2)
            n += 8 + (stop - p)
        p = stop + 1
    read_text(log, n, &s, feed_whole, &known)
    read_text(log, n, &s, feed_lines_forgetting, &generic)
    check_same(&known, &generic, "known shapes and the generic path")
    free(log)


cdef public void ssift_fuzz_whole(const uint8_t* data, size_t size) noexcept nogil:
    """Whole files: any framing, limits, tables; cut at random, with rows taken in between, and without shapes."""
    cdef Setting s
    cdef Digest whole, cut, generic
    if size < HEADER:
        return
    s = setting_of(data)
    read_text(data + HEADER, size - HEADER, &s, feed_whole, &whole)
    read_text(data + HEADER, size - HEADER, &s, feed_cut, &cut)
    read_text(data + HEADER, size - HEADER, &s, feed_lines_forgetting, &generic)
    check_same(&whole, &cut, "whole and cut")
    check_same(&whole, &generic, "whole and the generic path")


cdef public void ssift_fuzz_parts(const uint8_t* data, size_t size) noexcept nogil:
    """Event streams and JSON lines: the same as a whole, and in parts that are read by engines of their own."""
    cdef Setting s
    cdef Digest whole, parts
    if size < HEADER:
        return
    s = setting_of(data)
    read_text(data + HEADER, size - HEADER, &s, feed_whole, &whole)
    read_text(data + HEADER, size - HEADER, &s, feed_parts, &parts)
    check_same(&whole, &parts, "whole and in parts")


# ----------------------------------------------------------------------------------------------------- records


cdef void add_path(Shape* s, int end, const char** steps, int count) noexcept nogil:
    """``steps``: keys, an empty one for each element of a list."""
    cdef int32_t at = 0
    cdef int k, lists = 0
    cdef size_t n
    for k in range(count):
        n = 0
        while steps[k][n] != 0:
            n += 1
        lists += n == 0
        at = shape_step(s, at, <const byte*>steps[k], n, n == 0)
    check(at >= 0 and shape_end(s, at, end, lists), "no shape")


cdef void choose_shape(Shape* s, int which) noexcept nogil:
    cdef const char** chunks = [b"r", b"", b"p", b"", b"v"]
    cdef const char** names = [b"r", b"", b"p", b"", b"n"]
    cdef const char** times = [b"r", b"", b"t"]
    cdef const char** flat = [b"c", b""]
    cdef const char** flat_times = [b"t", b""]
    cdef const char** one = [b"x"]
    cdef const char** time = [b"t"]
    shape_begin(s, 0 if which & 4 else 1000)
    if which & 3 == 0:
        add_path(s, AT_CHUNK, chunks, 5)
        add_path(s, AT_NAME, names, 5)
        add_path(s, AT_TIME, times, 3)
    elif which & 3 == 1:
        add_path(s, AT_CHUNK, flat, 2)
        add_path(s, AT_TIME, flat_times, 2)
    elif which & 3 == 2:
        add_path(s, AT_CHUNK, one, 1)
        add_path(s, AT_TIME, time, 1)
    else:
        add_path(s, AT_CHUNK, flat, 2)
        add_path(s, AT_TIME, flat_times, 2)
        add_path(s, AT_TEXT, one, 1)


cdef bint take_records(Frame* f, Bodies* bodies, const Shape* shape, const byte* p, size_t n, int64_t* source, Digest* d,
                       bint* more) noexcept nogil:
    """Read a copy of some lines; ``more`` is False where the engine leaves the rest to others."""
    cdef byte* text = <byte*>malloc(n + 1)   # as bytes of Python, a 0 stands behind them
    cdef size_t at = 0, k
    cdef bint good
    if text == NULL:
        return False
    memcpy(text, p, n)
    text[n] = 0
    good = read_records(f, bodies, shape, text, &at, n, n, source[0], True) != NO_ROOM_LEFT
    check(at <= n, "read behind the end")
    free(text)
    more[0] = at == n
    if not good:
        return False
    source[0] += <int64_t>(bodies.accounts.used // sizeof(Account))
    for k in range(bodies.accounts.used // sizeof(Account)):
        digest_account(d, <Account*>bodies.accounts.data + k)
    return True


cdef bint try_to_read_records(const byte* p, size_t size, const Setting* s, bint each, Digest* d) noexcept nogil:
    """The lines of a text as records: ``each`` in a call and a memory of its own, or all in one."""
    cdef Frame f
    cdef Bodies bodies
    cdef Shape shape
    cdef const byte* end = p + size
    cdef const byte* stop
    cdef int64_t source = 0
    cdef bint good, more = True
    memset(d, 0, sizeof(Digest))
    memset(&bodies, 0, sizeof(Bodies))
    choose_shape(&shape, s.seed & 7)
    good = engine_begin(&f, s)
    while p < end and good and more:
        stop = next_line(p, end) if each else end
        good = take_records(&f, &bodies, &shape, p, stop - p, &source, d, &more)
        p = stop
    good = good and engine_take(&f, d, False)
    frame_free(&f)
    bodies_free(&bodies)
    return good


cdef public void ssift_fuzz_records(const uint8_t* data, size_t size) noexcept nogil:
    """Bodies inside JSON records: the same when all lines are handed over at once, or one by one."""
    cdef Setting s
    cdef Digest a, b
    if size < HEADER:
        return
    s = setting_of(data)
    check(try_to_read_records(data + HEADER, size - HEADER, &s, False, &a), "no memory")
    check(try_to_read_records(data + HEADER, size - HEADER, &s, True, &b), "no memory")
    check_same(&a, &b, "records at once and one by one")


# ------------------------------------------------------------------------------------------- want of memory


cdef bint try_either(const uint8_t* data, size_t size, const Setting* s, Digest* d) noexcept nogil:
    if data[0] & RECORDS:
        return try_to_read_records(data + HEADER, size - HEADER, s, True, d)
    return try_to_read(data + HEADER, size - HEADER, s, feed_cut, d)


cdef public void ssift_fuzz_starved(const uint8_t* data, size_t size) noexcept nogil:
    """Files and records, and once memory is refused: the engine says so, or reads the same; all of it is given back."""
    cdef Setting s
    cdef Digest whole, starved
    cdef uint32_t state
    cdef size_t requests
    cdef int k
    if size < HEADER:
        return
    s = setting_of(data)
    state = s.seed
    requests = ss_heap_requests()
    check(try_either(data, size, &s, &whole), "no memory")
    requests = ss_heap_requests() - requests
    for k in range(REFUSALS):
        ss_heap_refuse(ss_heap_requests() + 1 + next_random(&state) % requests)
        if try_either(data, size, &s, &starved) and not data[0] & RECORDS:  # records can be left to others
            check_same(&whole, &starved, "with and without the memory that was refused")

"""A decoded chunk: what one event says, before anything of it counts.

Scalars are spans of the event's text, choices and tool calls are small records, texts are already unescaped at the end of
the arena, tokens already in their columns. Whoever places the chunk makes it count; else all is undone.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset

from column cimport Buffer, buffer_free
from object cimport Span

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
    WANT_TOPS = 8    # alternatives are read, at least to count them
    KEEP_TOPS = 16   # their rows are kept

cdef enum:
    BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN

cdef enum:
    PROMPT_TOKENS, COMPLETION_TOKENS, TOTAL_TOKENS, CACHED_TOKENS, REASONING_TOKENS, FIGURES

cdef enum:
    # where a usage object stands; the first level that has a figure wins
    USAGE_TOP, USAGE_CHOICE, USAGE_GROQ, USAGE_LEVELS

cdef enum:
    CONTENT, REFUSAL, REASONING, LISTS

cdef struct Usage:
    int64_t figures[FIGURES]
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
    Slice texts[LISTS]
    size_t first_token[LISTS]  # rows of the batch, by list
    size_t token_count[LISTS]
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
    Usage usage[USAGE_LEVELS]
    Buffer pieces  # Piece
    Buffer calls   # CallPiece
    bint has_usage
    bint has_text    # content, refusal, reasoning or a tool call
    bint has_answer  # content, refusal or reasoning
    bint has_role
    bint has_finish


cdef inline bint best_figure(const Usage* levels, int figure, int64_t* out) noexcept nogil:
    """A figure of the first level that has it; False when none has."""
    cdef int level
    for level in range(USAGE_LEVELS):
        if levels[level].present & (1 << figure):
            out[0] = levels[level].figures[figure]
            return True
    return False


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

"""The end of an engine: all its memory is given back."""

from block cimport Frame
from chunk cimport FIGURES, LISTS, chunk_free
from column cimport Buffer, buffer_free, rows_free, text_free
from event cimport Reader
from known cimport shapes_free
from map cimport map_free
from response cimport STRINGS, Responses
from tape cimport tape_free


cdef inline void text_columns_free(Responses* r) noexcept nogil:
    cdef int k
    for k in range(STRINGS):
        text_free(&r.responses_out.strings[k])
    for k in range(LISTS):
        text_free(&r.choices_out.texts[k])
    text_free(&r.choices_out.role)
    text_free(&r.choices_out.finish)
    text_free(&r.calls_out.id)
    text_free(&r.calls_out.type)
    text_free(&r.calls_out.name)
    text_free(&r.calls_out.arguments)


cdef inline void columns_free(Responses* r) noexcept nogil:
    cdef int k
    cdef Buffer* each
    cdef Buffer* all[34]   # Cython refuses a list of another length
    all[:] = [
        &r.responses_out.number, &r.responses_out.source, &r.responses_out.offset, &r.responses_out.length,
        &r.responses_out.chunk_count, &r.responses_out.done, &r.responses_out.status, &r.responses_out.created,
        &r.responses_out.created_valid, &r.choices_out.response, &r.choices_out.index, &r.choices_out.token_count,
        &r.choices_out.logprob_sum, &r.calls_out.response, &r.calls_out.index, &r.calls_out.call,
        &r.chunks_out.response, &r.chunks_out.offset, &r.chunks_out.length, &r.chunks_out.choice_count,
        &r.chunks_out.token_count, &r.chunks_out.completion_tokens, &r.chunks_out.completion_valid, &r.problems,
        &r.chunks_out.text_bytes, &r.chunks_out.arrival, &r.chunks_out.arrival_valid, &r.arrivals.marks,
        &r.responses_out.times[0], &r.responses_out.times[1], &r.responses_out.times[2],
        &r.responses_out.times_valid[0], &r.responses_out.times_valid[1], &r.responses_out.times_valid[2],
    ]
    for each in all:
        buffer_free(each)
    for k in range(FIGURES):
        buffer_free(&r.responses_out.figures[k])
        buffer_free(&r.responses_out.figures_valid[k])
    text_columns_free(r)


cdef inline void frame_free(Frame* f) noexcept nogil:
    """All memory of an engine."""
    cdef Reader* r = &f.reader
    cdef Buffer* each
    cdef Buffer* all[13]
    all[:] = [
        &f.carry, &f.joined, &f.lines, &f.held, &r.repaired, &r.groups.id, &r.responses.arena,
        &r.responses.segments.items, &r.responses.calls.items, &r.responses.choices.items, &r.responses.ids.items,
        &r.responses.open.items, &r.responses.scratch_text,
    ]
    for each in all:
        buffer_free(each)
    shapes_free(&f.shapes)
    map_free(&r.responses.choice_map)
    map_free(&r.responses.id_map)
    map_free(&r.responses.call_map)
    tape_free(&r.tape)
    tape_free(&r.responses.scratch)
    chunk_free(&r.chunk)
    rows_free(&r.rows)
    columns_free(&r.responses)

"""What a consumer of Arrow structures calls to give them back. The structures themselves are written in Python
(src/ssift/arrow), which has twins of these functions for where this module was not built.

These can do what Python code cannot: run while an exception is on its way without losing it, and after the interpreter
has ended without touching it.
"""

from libc.stdint cimport int64_t

cdef extern from "Python.h":
    ctypedef struct PyObject
    void Py_DecRef(PyObject*) noexcept
    int Py_IsInitialized() noexcept nogil
    void* PyCapsule_GetContext(PyObject*) noexcept
    void* PyCapsule_GetPointer(PyObject*, const char*) noexcept
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**) noexcept
    void PyErr_Restore(PyObject*, PyObject*, PyObject*) noexcept

cdef struct ArrowSchema:
    const char* format
    const char* name
    const char* metadata
    int64_t flags
    int64_t n_children
    ArrowSchema** children
    ArrowSchema* dictionary
    void (*release)(ArrowSchema*) noexcept nogil
    void* private_data

cdef struct ArrowArray:
    int64_t length
    int64_t null_count
    int64_t offset
    int64_t n_buffers
    int64_t n_children
    const void** buffers
    ArrowArray** children
    ArrowArray* dictionary
    void (*release)(ArrowArray*) noexcept nogil
    void* private_data

cdef struct ArrowArrayStream:
    void* get_schema
    void* get_next
    void* get_last_error
    void (*release)(ArrowArrayStream*) noexcept nogil
    void* private_data

ctypedef fused Parted:
    ArrowSchema
    ArrowArray


cdef inline void drop(void* holder) noexcept nogil:
    """Let go of a Python object, on any thread; what an exception on its way holds is left as it is."""
    cdef PyObject* kind
    cdef PyObject* value
    cdef PyObject* trace
    if not Py_IsInitialized():
        return
    with gil:
        PyErr_Fetch(&kind, &value, &trace)
        Py_DecRef(<PyObject*>holder)
        PyErr_Restore(kind, value, trace)


cdef inline void release_parts(Parted* structure) noexcept nogil:
    """Release the children that nobody has moved out, then the structure."""
    cdef int64_t place
    for place in range(structure.n_children):
        if structure.children[place].release != NULL:
            structure.children[place].release(structure.children[place])
    if structure.dictionary != NULL and structure.dictionary.release != NULL:
        structure.dictionary.release(structure.dictionary)
    structure.release = NULL
    drop(structure.private_data)


cdef inline void release_schema(ArrowSchema* schema) noexcept nogil:
    release_parts(schema)


cdef inline void release_array(ArrowArray* array) noexcept nogil:
    release_parts(array)


cdef inline void release_stream(ArrowArrayStream* stream) noexcept nogil:
    stream.release = NULL
    drop(stream.private_data)


# Destructors of capsules: what nobody took over is released; then the memory of the structure goes, which the
# context of the capsule owns.

cdef inline void destroy_schema(PyObject* capsule) noexcept:
    cdef ArrowSchema* schema = <ArrowSchema*>PyCapsule_GetPointer(capsule, "arrow_schema")
    if schema.release != NULL:
        schema.release(schema)
    drop(PyCapsule_GetContext(capsule))


cdef inline void destroy_array(PyObject* capsule) noexcept:
    cdef ArrowArray* array = <ArrowArray*>PyCapsule_GetPointer(capsule, "arrow_array")
    if array.release != NULL:
        array.release(array)
    drop(PyCapsule_GetContext(capsule))


cdef inline void destroy_stream(PyObject* capsule) noexcept:
    cdef ArrowArrayStream* stream = <ArrowArrayStream*>PyCapsule_GetPointer(capsule, "arrow_array_stream")
    if stream.release != NULL:
        stream.release(stream)
    drop(PyCapsule_GetContext(capsule))

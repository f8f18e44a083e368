# Pieces of a live stream to events and to chunks; a part of _native.pyx.
#
# The theory, and the twin: src/ssift/live/frames.py. What is odd in the content of a frame (errors, [DONE], what is not
# JSON, what is no chunk) goes to the Python reader; here is only what nearly every frame is.
#
# The GIL is kept: a live piece is small, and all that comes out is objects.

cdef bytes BYTE_ORDER_MARK = b"\xef\xbb\xbf"

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t size, Py_UCS4 largest)
    void* PyUnicode_DATA(object text)
    PyObject* PyIter_Next(object iterator) except? NULL

cdef extern from "utf8.h" nogil:
    bint ss_ascii64(const byte* p)
    uint32_t ss_high16(const byte* p)


cdef struct PieceAt:
    # how far a piece was read, and the next line end of each kind, where it is known
    Py_ssize_t at
    Py_ssize_t lf
    Py_ssize_t cr


cdef class Framer:
    """Lines to fields to frames. What is done with a frame is said by ``emit`` of a class below."""

    cdef bytes head           # the first bytes, until it is clear whether they are a BOM; then None
    cdef bint after_cr
    cdef bint pending         # the open block has a field
    cdef bint stopped         # nothing is wanted any more
    cdef list parts           # the open line
    cdef list data            # the data lines of the open block
    cdef str event
    cdef str last_id
    cdef object retry
    cdef object item          # what was made of a frame, where it is asked for one by one

    def __cinit__(self):
        self.head = b""
        self.parts = []
        self.data = []
        self.event = self.last_id = ""
        self.retry = None

    cdef bint emit(self, const char* text, Py_ssize_t size, list items) except -1:
        """Take a frame; False when no more is wanted. What is made of it goes to ``items``, or is ``item``."""
        raise NotImplementedError

    cdef int read(self, bytes piece, list items) except -1:
        """Every frame that ends in the piece goes to ``emit``, which may add to ``items``."""
        cdef PieceAt place
        if not self.stopped:
            piece = self.open(piece, &place)
            self.scan(piece, &place, items)
        return 0

    cdef bytes open(self, bytes piece, PieceAt* place):
        """The bytes that are to be scanned, and where they begin."""
        place.at = 0
        place.lf = place.cr = -1
        if self.head is not None:
            piece = self.begin(piece)
        if self.after_cr and PyBytes_GET_SIZE(piece):
            self.after_cr = False
            place.at = PyBytes_AS_STRING(piece)[0] == c"\n"
        return piece

    cdef bint scan(self, bytes piece, PieceAt* place, list items) except -1:
        """Read on from a place; without ``items`` up to an ``item``. False: the piece, or the stream, is at its end."""
        cdef const char* begin = PyBytes_AS_STRING(piece)
        cdef const char* end = begin + PyBytes_GET_SIZE(piece)
        cdef const char* at = begin + place.at
        cdef const char* lf = begin + place.lf
        cdef const char* cr = begin + place.cr
        cdef const char* stop
        cdef const char* line
        cdef Py_ssize_t size
        cdef bytes whole
        while at < end:
            if lf < at:
                lf = first(at, end, c"\n")
            if cr < at:
                cr = first(at, end, c"\r")
            stop = lf if lf < cr else cr
            if stop == end:
                self.parts.append(PyBytes_FromStringAndSize(at, end - at))
                return False
            line = at
            size = stop - at
            at = self.after(stop, end)
            if self.parts:
                self.parts.append(PyBytes_FromStringAndSize(line, size))
                whole = b"".join(self.parts)
                self.parts = []
                line = PyBytes_AS_STRING(whole)
                size = PyBytes_GET_SIZE(whole)
            if at < end and (at[0] == c"\n" or at[0] == c"\r") and not self.data and is_data(line, size):
                at = self.after(at, end)  # a block of one data line: its text stays where it is
                if not self.dispatch(line + value_of(line, size, 4), size - value_of(line, size, 4), items):
                    return False
            elif size:
                self.field(line, size)
                continue
            elif self.data:
                whole = <bytes>self.data[0] if len(self.data) == 1 else b"\n".join(self.data)
                if not self.dispatch(PyBytes_AS_STRING(whole), PyBytes_GET_SIZE(whole), items):
                    return False
            else:
                if self.pending:
                    self.clear()
                continue
            if self.item is not None:
                place.at, place.lf, place.cr = at - begin, lf - begin, cr - begin
                return at < end
        return False

    cdef bytes begin(self, bytes piece):
        """The first bytes without a BOM; none while that is open."""
        piece = self.head + piece
        if len(piece) < 3 and BYTE_ORDER_MARK.startswith(piece):
            self.head = piece
            return b""
        self.head = None
        return piece[3:] if piece.startswith(BYTE_ORDER_MARK) else piece

    cdef inline const char* after(self, const char* stop, const char* end) noexcept:
        """Behind the line end at ``stop``. A CR ends its line at once; an LF that then comes first is dropped."""
        if stop[0] == c"\r":
            if stop + 1 == end:
                self.after_cr = True
            elif stop[1] == c"\n":
                return stop + 2
        return stop + 1

    cdef int field(self, const char* line, Py_ssize_t size) except -1:
        cdef Py_ssize_t name = first(line, line + size, c":") - line
        cdef Py_ssize_t at = value_of(line, size, name)
        cdef bytes value
        if is_data(line, size):
            self.data.append(PyBytes_FromStringAndSize(line + at, size - at))
        elif name == 5 and memcmp(line, "event", 5) == 0:
            self.event = PyUnicode_DecodeUTF8(line + at, size - at, "replace")
        elif name == 2 and memcmp(line, "id", 2) == 0:
            if memchr(line + at, 0, size - at) == NULL:
                self.last_id = PyUnicode_DecodeUTF8(line + at, size - at, "replace")
            return 0
        elif name == 5 and memcmp(line, "retry", 5) == 0:
            value = PyBytes_FromStringAndSize(line + at, size - at)
            if value.isdigit():
                try:
                    self.retry = int(value)
                except ValueError:
                    pass  # more digits than Python reads: as if it had not been sent
        else:
            return 0
        self.pending = True
        return 0

    cdef inline bint dispatch(self, const char* text, Py_ssize_t size, list items) except -1:
        cdef bint more = self.emit(text, size, items)
        if self.pending:
            self.clear()
        self.stopped = not more
        return more

    cdef void clear(self):
        self.data = []
        self.event = ""
        self.retry = None
        self.pending = False


cdef inline const char* first(const char* at, const char* end, int byte_) noexcept:
    """The first such byte, or ``end``."""
    cdef const char* found = <const char*>memchr(at, byte_, end - at)
    return end if found == NULL else found


cdef inline bint is_data(const char* line, Py_ssize_t size) noexcept:
    return size >= 4 and memcmp(line, "data", 4) == 0 and (size == 4 or line[4] == c":")


cdef inline Py_ssize_t value_of(const char* line, Py_ssize_t size, Py_ssize_t name) noexcept:
    """Where the value begins behind a name of this length: after the colon and one blank."""
    if name >= size:
        return size
    return name + 2 if name + 1 < size and line[name + 1] == c" " else name + 1


cdef inline str text_of(const char* text, Py_ssize_t size):
    """These bytes as text, what is no UTF-8 as U+FFFD. Nearly all are ASCII, and that is for copying."""
    cdef const byte* at = <const byte*>text
    cdef const byte* last = at + size - 16
    cdef object copied
    if size < 16:
        return PyUnicode_DecodeUTF8(text, size, "replace")
    while last - at >= 48 and ss_ascii64(at):
        at += 64
    while at < last and not ss_high16(at):
        at += 16
    if at < last or ss_high16(last):
        return PyUnicode_DecodeUTF8(text, size, "replace")
    copied = PyUnicode_New(size, 127)
    memcpy(PyUnicode_DATA(copied), text, size)
    return <str>copied


cdef inline bint is_end(const char* text, Py_ssize_t size) noexcept:
    """Whether this is the data of ``[DONE]``: one line that begins so after blanks."""
    cdef Py_ssize_t at = 0
    while at < size and (text[at] == c" " or text[at] == c"\t" or text[at] == c"\r"):
        at += 1
    return size - at >= 6 and memcmp(text + at, "[DONE]", 6) == 0 and memchr(text, c"\n", size) == NULL


cdef class EventFeed(Framer):
    """The events of a stream, each a tuple of the class given: name, data, id, retry."""

    cdef type cls
    cdef readonly bint done

    def __init__(self, type cls):
        if not issubclass(cls, tuple):
            raise TypeError(f"{cls.__name__} is no class of tuples")
        self.cls = cls

    def feed(self, bytes piece not None):
        """The events that end in ``piece``, none after ``[DONE]``."""
        cdef list events = []
        self.read(piece, events)
        return events

    cdef bint emit(self, const char* text, Py_ssize_t size, list items) except -1:
        cdef str data = text_of(text, size)
        event = PyType_GenericAlloc(<PyTypeObject*>self.cls, 4)
        put(event, 0, self.event if self.event else "message")
        put(event, 1, data)
        put(event, 2, self.last_id)
        put(event, 3, self.retry)
        if items is None:
            self.item = event
        else:
            items.append(event)
        self.done = is_end(text, size)
        return not self.done


cdef inline void put(object event, Py_ssize_t place, object value):
    Py_INCREF(value)
    PyTuple_SET_ITEM(event, place, value)


cdef class ChunkFeed(Framer):
    """What ``build`` makes of each chunk of a stream.

    ``loads`` reads JSON and refuses what is odd with ValueError. With ``objects`` every JSON object that is no error is
    built.
    """

    cdef object loads, build, odd
    cdef bint objects

    def __init__(self, loads, build, bint objects):
        self.loads = loads
        self.build = build
        self.objects = objects

    def feed(self, bytes piece not None, odd):
        """What was built of the chunks that end in ``piece``.

        ``odd(frame, items)`` reads a frame that is no plain chunk and says whether to go on.
        """
        cdef list items = []
        self.odd = odd
        try:
            self.read(piece, items)
        finally:
            self.odd = None
        return items

    cdef bint emit(self, const char* text, Py_ssize_t size, list items) except -1:
        cdef bytes data = PyBytes_FromStringAndSize(text, size)
        if self.event != "error":
            try:
                value = self.loads(data)
            except ValueError:
                pass
            else:
                if type(value) is dict and self.is_plain(<dict>value):
                    if type(self.build) is Maker:
                        made = cell_of((<Maker>self.build).cls, <dict>value, data)
                    else:
                        made = self.build(value, data)
                    if items is None:
                        self.item = made
                    else:
                        items.append(made)
                    return True
        if items is not None:
            return self.odd((data, self.event, self.last_id, self.retry), items)
        read = []
        more = self.odd((data, self.event, self.last_id, self.retry), read)
        if read:
            self.item = read[0]
        return more

    cdef bint is_plain(self, dict value) except -1:
        """A chunk for certain, and no error."""
        cdef PyObject* found = PyDict_GetItemWithError(value, "error")
        if found != NULL and <object>found:
            return False
        found = PyDict_GetItemWithError(value, "object")
        if found != NULL and type(<object>found) is str and <str>found == "error":
            return False
        if self.objects:
            return True
        found = PyDict_GetItemWithError(value, "choices")
        return found != NULL and (type(<object>found) is list or <object>found is None)


cdef class Flow:
    """What a feed makes of the pieces of a stream, one after the other.

    Nothing is read before it is asked for: no frame before the one before it is handed out, no piece before all of the
    one before is. This stands inside of a generator, whose manners it has: that one says what closing, errors and
    being asked twice at once mean.
    """

    cdef object pieces        # their iterator
    cdef Framer feed
    cdef ChunkFeed chunks     # the same where it is one of chunks
    cdef object octets        # makes bytes of a piece of another type, or refuses it
    cdef object odd           # what a feed of chunks is given
    cdef bytes piece          # the one that is being read, None when it is at its end
    cdef PieceAt place

    def __init__(self, pieces, Framer feed not None, octets, odd=None):
        self.pieces = iter(pieces)
        self.feed = feed
        self.octets = octets
        self.odd = odd
        self.chunks = feed if isinstance(feed, ChunkFeed) else None

    def __iter__(self):
        return self

    def of(self, bytes piece not None):
        """What one more piece gives, as it is asked for: for those who await their pieces."""
        if not self.feed.stopped:
            self.piece = self.feed.open(piece, &self.place)
        return self

    def __next__(self):
        cdef PyObject* found
        cdef bytes piece
        while True:
            piece = self.piece
            if piece is None:
                found = NULL if self.feed.stopped else PyIter_Next(self.pieces)
                if found == NULL:
                    raise StopIteration
                taken = <object>found
                Py_DECREF(taken)
                piece = self.feed.open(<bytes?>(taken if type(taken) is bytes else self.octets(taken)), &self.place)
            self.piece = None
            if self.go_on(piece):
                self.piece = piece
            item = self.feed.item
            if item is not None:
                self.feed.item = None
                return item

    cdef bint go_on(self, bytes piece) except -1:
        """Read up to an item; False at the end of the piece."""
        if self.chunks is None:
            return self.feed.scan(piece, &self.place, None)
        self.chunks.odd = self.odd
        try:
            return self.chunks.scan(piece, &self.place, None)
        finally:
            self.chunks.odd = None

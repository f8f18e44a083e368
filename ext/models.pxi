# Models of the openai client, made of JSON values; a part of _native.pyx. The theory, and the twin:
# src/ssift/openai/readings.py.

cdef enum:
    # numbers of ssift.openai.readings
    REFUSE, EXACT, REAL, WORD, MANY, MODEL

cdef object EXACT_INTEGER = 1 << 53
cdef double LARGEST = 9223372036854775808.0


cdef class Reading:
    """How the value of one annotation is read; ValueError for what is not exactly as declared."""

    cdef int kind
    cdef bint optional
    cdef type exact
    cdef frozenset words
    cdef Reading inner
    # of a model
    cdef object cls
    cdef list names
    cdef list readings        # of each name
    cdef list needed          # whether it must have been sent
    cdef dict blank           # all names, in their order
    cdef object fields_set, extra, private  # descriptors of the slots

    def __init__(self, int kind, of, bint optional):
        self.kind = kind
        self.optional = optional
        if kind == EXACT:
            self.exact = of
        elif kind == WORD:
            self.words = of
        elif kind == MANY:
            self.inner = of
        elif kind == MODEL:
            self.cls, fields, (self.fields_set, self.extra, self.private) = of
            if not isinstance(self.cls, type):
                raise TypeError(f"{self.cls!r} is no class")
            if not all(isinstance(slot, MemberDescriptorType) for slot in (self.fields_set, self.extra, self.private)):
                raise TypeError(f"{self.cls.__name__} has no slots for its state")
            self.names = [name for name, _, _ in fields]
            self.readings = [reading for _, reading, _ in fields]
            self.needed = [needed for _, _, needed in fields]
            self.blank = dict.fromkeys(self.names)
            if not all(type(reading) is Reading for reading in self.readings):
                raise TypeError("fields are read by readings")

    def read(self, value):
        """What the client makes of this value."""
        return self.take(value)

    cdef object take(self, object value):
        if self.kind == EXACT:
            if type(value) is self.exact:
                return value
        elif self.kind == MODEL:
            if type(value) is dict:
                return self.model(<dict>value)
        elif self.kind == MANY:
            if type(value) is list:
                return self.many(<list>value)
        elif self.kind == WORD:
            if type(value) is str and value in self.words:
                return value
        elif self.kind == REAL:
            if type(value) is float:
                return value
            if type(value) is int and -EXACT_INTEGER <= value <= EXACT_INTEGER:
                return float(value)
        if value is None and self.optional:
            return None
        raise ValueError("not as declared")

    cdef list many(self, list values):
        cdef list made = []
        for value in values:
            made.append(self.inner.take(value))
        return made

    cdef object model(self, dict values):
        cdef dict state = self.blank.copy()
        cdef dict extra = {}
        cdef set sent = set(values)
        cdef Py_ssize_t place, count = 0
        cdef PyObject* found
        for place in range(len(self.names)):
            name = self.names[place]
            found = PyDict_GetItemWithError(values, name)
            if found != NULL:
                state[name] = (<Reading>self.readings[place]).take(<object>found)
                count += 1
            elif self.needed[place]:
                raise ValueError("not sent")
        if count < len(values):
            for name, value in values.items():
                if name not in self.blank:
                    extra[name] = value
                    sent.discard(name)
            if "_fields_set" in extra or not is_exact(extra):
                raise ValueError("not as the client would read it")
        model = PyType_GenericAlloc(<PyTypeObject*>self.cls, 0)
        PyObject_GenericSetDict(model, state, NULL)
        set_slot(self.fields_set, model, sent)
        set_slot(self.extra, model, extra)
        set_slot(self.private, model, None)
        return model


cdef inline int set_slot(object slot, object model, object value) except -1:
    return Py_TYPE(slot).tp_descr_set(slot, model, value)


cdef bint is_exact(dict values) except -1:
    """Whether the quick parser lost nothing: it makes floats of integers beyond 64 bits."""
    cdef list left = [values]
    while left:
        value = left.pop()
        if type(value) is dict:
            left.extend((<dict>value).values())
        elif type(value) is list:
            left.extend(<list>value)
        elif type(value) is float and not -LARGEST < <double>value < LARGEST:
            return False
    return True

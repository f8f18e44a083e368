# The objects of live chunks; a part of _native.pyx. The theory, and the twin: src/ssift/live/cells.py.

cdef tuple NOTHING = ()


cdef class Cell:
    """A dict of values, seen through its fields."""

    cdef public dict _values
    cdef public object _raw


cdef inline Cell cell_of(type cls, dict values, object raw):
    """A new object of a class of cells, without its ``__init__``."""
    cdef Cell cell = <Cell>(<PyTypeObject*>cls).tp_new(cls, <PyObject*>NOTHING, NULL)
    cell._values = values
    cell._raw = raw
    return cell


cdef class Maker:
    """Makes an object of a class of cells of what a parser found; what is no dict stays as it is."""

    cdef type cls

    def __init__(self, type cls):
        if not issubclass(cls, Cell):
            raise TypeError(f"{cls.__name__} is no class of cells")
        self.cls = cls

    def __call__(self, values, raw=None):
        return cell_of(self.cls, <dict>values, raw) if type(values) is dict else values


cdef class Field:
    """One name of a cell: a plain value, a float, a cell inside, or a list of them."""

    cdef str name
    cdef object inner        # None, a class of cells, or what chooses one by the values
    cdef bint many, real

    def __init__(self, str name, inner, bint many, bint real):
        self.name = name
        self.inner = inner
        self.many = many
        self.real = real

    cdef object node(self, dict values):
        cls = self.inner if isinstance(self.inner, type) else self.inner(values)
        if not (isinstance(cls, type) and issubclass(cls, Cell)):
            raise TypeError(f"{cls!r} is no class of cells")
        return cell_of(<type>cls, values, None)

    @cython.boundscheck(True)  # whoever holds the list may shorten it in between
    cdef object nodes(self, list values):
        cdef Py_ssize_t place = 0
        while place < len(values):
            if type(values[place]) is dict:
                values[place] = self.node(<dict>values[place])
            place += 1
        return values

    def __get__(self, cell, owner):
        cdef dict values
        cdef PyObject* found
        if cell is None:
            return self
        values = values_of(cell)
        found = PyDict_GetItemWithError(values, self.name)
        if found == NULL:
            return None
        value = <object>found
        if self.inner is not None:
            if self.many:
                return self.nodes(<list>value) if type(value) is list else value
            if type(value) is dict:
                value = self.node(<dict>value)
                values[self.name] = value
            return value
        return real_of(value) if self.real and type(value) is int else value

    def __set__(self, cell, value):
        values_of(cell)[self.name] = value


cdef inline dict values_of(object cell):
    if not isinstance(cell, Cell):
        raise TypeError(f"a field of cells, not of {type(cell).__name__}")
    if (<Cell>cell)._values is None:
        raise AttributeError("_values")
    return (<Cell>cell)._values


cdef object real_of(object value):
    """An integer as a float; one that is too large as an infinity."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")

"""The Arrow PyCapsule protocol: columns handed to other libraries without a copy.

An object with ``__arrow_c_schema__``, ``__arrow_c_array__`` or ``__arrow_c_stream__`` is understood by pyarrow, polars,
pandas, DuckDB, nanoarrow and others; none of them is needed here. What travels are the C structures of
https://arrow.apache.org/docs/format/CDataInterface.html, in capsules
(https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).

============  =================================================================================================
structures    the three C structures
callbacks     what a consumer calls: to read a stream, and to give things back
layout        types and arrays as plain values: :class:`Field`, :class:`Array`
capsules      layout -> structures -> capsules, and the types that a consumer asks for
column        the protocol: what tables and columns inherit
values        numpy arrays and columns -> layout
============  =================================================================================================

**Lifetimes.** Each structure owns one Python object, its *holder*, through ``private_data``: the buffers it points to,
and the memory of its children. Releasing a structure releases the children that nobody has moved out, and drops the
holder. So every array lives as long as the last one who looks at it, on either side, and in any order.
"""

from __future__ import annotations

from ssift.arrow.capsules import Stream, array_capsules, schema_capsule, stream_capsule
from ssift.arrow.column import ArrowColumn
from ssift.arrow.layout import Array, Field, field_of, struct_array, struct_field
from ssift.arrow.values import array_of, bitmap, read_only

__all__ = [
    "Array",
    "ArrowColumn",
    "Field",
    "Stream",
    "array_capsules",
    "array_of",
    "bitmap",
    "field_of",
    "read_only",
    "schema_capsule",
    "stream_capsule",
    "struct_array",
    "struct_field",
]

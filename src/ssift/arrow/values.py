"""Columns as Arrow arrays: the engine's buffers as they are, and a bitmap beside them where something is null."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ssift.arrow.column import ArrowColumn
from ssift.arrow.layout import Array


def array_of(values: Any, nullable: bool) -> Array:
    """A column of a table (see :mod:`ssift.columns`) as an Arrow array.

    In a nullable column of floats NaN becomes null; its value buffer is shared all the same.
    """
    if isinstance(values, ArrowColumn):
        return values.arrow_array()
    if isinstance(values, np.ma.MaskedArray):
        data, valid = values.data, ~np.ma.getmaskarray(values)
    elif nullable and values.dtype.kind == "f":
        data, valid = values, values == values  # NaN is the one value unequal to itself
    else:
        data, valid = values, None
    bits, nulls = bitmap(valid)
    if data.dtype == np.bool_:
        return Array(len(data), (bits, np.packbits(data, bitorder="little")), nulls)
    return Array(len(data), (bits, np.ascontiguousarray(data)), nulls)


def read_only(values: Any) -> Any:
    """The same array, or masked array, as one that nobody can write to.

    Columns are handed on as they are, and whoever got one believes it from then on: a number that changes under
    polars is wrong, an offset that changes leads out of its buffer.
    """
    if type(values) is not np.ndarray and isinstance(values, np.ma.MaskedArray):  # numpy imports ma when it is named
        data, mask = values.data, np.ma.getmaskarray(values)
        if not (data.flags.writeable or mask.flags.writeable):
            return values
        return np.ma.MaskedArray(read_only(data), mask=read_only(mask), copy=False)
    if not values.flags.writeable:
        return values
    view = values.view()
    view.flags.writeable = False
    return view


def bitmap(valid: npt.NDArray[Any] | None) -> tuple[npt.NDArray[np.uint8] | None, int]:
    """Arrow's bitmap of what is valid (one bit a row, lowest first) and the number of nulls; None when there are none.

    ``valid`` is bool, or uint8 of 0 and 1; None says that all are.
    """
    if valid is None:
        return None, 0
    nulls = len(valid) - int(np.count_nonzero(valid))
    return (np.packbits(valid, bitorder="little"), nulls) if nulls else (None, 0)

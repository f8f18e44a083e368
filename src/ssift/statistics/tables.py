"""Figures as tables: the same :class:`~ssift.table.Table` as those of a log, so they print and export alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from ssift.contract import Column, ColumnType
from ssift.strings import Binaries, Ragged
from ssift.table import Table


def table(name: str, **columns: Any) -> Table:
    """A table of finished columns of equal length; the kind of each column gives its type.

    int64, a masked array of int64 (nullable), float64 (nullable: NaN is missing), bool,
    :class:`~ssift.strings.Strings` and :class:`~ssift.strings.Binaries`.
    """
    schema = tuple(_column(word, values) for word, values in columns.items())
    return Table(name, schema, len(next(iter(columns.values()))), columns.__getitem__)


def _column(name: str, values: Any) -> Column:
    if isinstance(values, Ragged):
        kind: ColumnType = "binary" if isinstance(values, Binaries) else "str"
        return Column(name, kind, values.valid is not None)
    kinds: dict[str, ColumnType] = {"i": "int", "f": "float", "b": "bool"}
    kind = kinds[values.dtype.kind]
    return Column(name, kind, kind == "float" or isinstance(values, np.ma.MaskedArray))

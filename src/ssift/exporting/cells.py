"""Cells that a format cannot hold as they are.

Bytes are written as the list of numbers that the API sends, ``[72,105]``: valid JSON, and a list for DuckDB. A cell
that a spreadsheet would run as a formula gets an apostrophe before it; so does one that begins with apostrophes and
then such a character, so that taking one apostrophe off gives the text back.
"""

from __future__ import annotations

from math import isinf
from typing import Any

import orjson

FORMULA = "^'*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]"
"""What begins a formula in one spreadsheet or another (https://owasp.org/www-community/attacks/CSV_Injection)."""


def plain(rows: Any, formulas: bool) -> Any:
    """A pyarrow Table with bytes as text, and texts safe for spreadsheets unless ``formulas`` may stay."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in rows.columns:
        if pa.types.is_large_binary(column.type):
            columns.append(_numbers(column))
        elif pa.types.is_large_string(column.type) and not formulas:
            runs = pc.match_substring_regex(column, FORMULA)
            columns.append(pc.if_else(runs, _after_apostrophe(column), column) if pc.any(runs).as_py() else column)
        else:
            columns.append(column)
    return pa.table(columns, names=rows.schema.names)


def _after_apostrophe(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    nothing, apostrophe = pa.scalar("", pa.large_string()), pa.scalar("'", pa.large_string())
    return pc.binary_join_element_wise(apostrophe, column, nothing)


def _numbers(column: Any) -> Any:
    """Bytes as text; each different value is written once."""
    import pyarrow as pa

    encoded = column.combine_chunks().dictionary_encode()
    words = [numbers_of(word) for word in encoded.dictionary.to_pylist()]
    return pa.array(words, pa.large_string()).take(encoded.indices)


def numbers_of(value: bytes) -> str:
    """``b"Hi"`` as ``"[72,105]"``."""
    return f"[{','.join(map(str, value))}]"


def json_value(value: Any) -> Any:
    """A cell as orjson takes it.

    JSON has no infinities: they are written as numbers beyond the range of doubles. Python, JavaScript and DuckDB take
    these for infinity; stricter readers refuse them, which is better than a null that nobody sees.
    """
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, float) and isinf(value):
        return orjson.Fragment(b"1e999" if value > 0 else b"-1e999")
    return value


def json_line(row: dict[str, Any]) -> bytes:
    """A row as one line of JSON."""
    plain_row = {name: json_value(value) for name, value in row.items()}
    return orjson.dumps(plain_row, option=orjson.OPT_APPEND_NEWLINE)

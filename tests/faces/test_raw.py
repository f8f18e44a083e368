"""Rows of raw columns, chosen and put together, against the same in plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ssift.contract import BYTES_MISSING, BYTES_OF_TOKEN, BYTES_OWN, EntryBytes, NullableInts, Raw, Text
from ssift.raw import concatenate, length, take
from ssift.strings import Strings, joined

Row = tuple[int, int | None, str, str | None, bytes | int]
rows = st.lists(
    st.tuples(
        st.integers(-5, 5),
        st.none() | st.integers(0, 9),
        st.text(max_size=3),
        st.none() | st.text(max_size=3),
        st.sampled_from([BYTES_MISSING, BYTES_OF_TOKEN]) | st.binary(max_size=3),
    ),
    max_size=60,
)


def columns(values: list[Row]) -> dict[str, Raw]:
    ints, figures, texts, nullable, own = [list(column) for column in zip(*values, strict=True)] or [[]] * 5
    plain, maybe = Strings.of(texts), Strings.of(nullable, nullable=True)
    assert maybe.valid is not None
    how = np.array([BYTES_OWN if isinstance(row, bytes) else row for row in own], np.uint8)
    return {
        "int": np.array(ints, np.int64),
        "figure": NullableInts(
            np.array([row or 0 for row in figures], np.int64), np.array([row is not None for row in figures], np.uint8)
        ),
        "text": Text(plain.offsets, plain.data),
        "nullable": Text(maybe.offsets, maybe.data, maybe.valid),
        "bytes": EntryBytes(how, *joined([row for row in own if isinstance(row, bytes)])),
    }


def plain(found: dict[str, Raw]) -> list[Row]:
    ints, figures, text, nullable, own = (found[name] for name in ("int", "figure", "text", "nullable", "bytes"))
    assert isinstance(figures, NullableInts)
    assert isinstance(text, Text)
    assert isinstance(nullable, Text)
    assert isinstance(own, EntryBytes)
    assert {length(raw) for raw in found.values()} == {len(own.how)}
    written = iter([own.data[start:end].tobytes() for start, end in zip(own.offsets, own.offsets[1:], strict=False)])
    figure: list[Any] = [
        value if valid else None for value, valid in zip(figures.values.tolist(), figures.valid, strict=True)
    ]
    data = [next(written) if how == BYTES_OWN else how for how in own.how.tolist()]
    assert next(written, None) is None
    texts = Strings(*text).to_pylist(), Strings(*nullable).to_pylist()
    return list(zip(np.asarray(ints).tolist(), figure, *texts, data, strict=True))


@given(rows, st.data())
def test_take(values: list[Row], data: st.DataObject) -> None:
    few_runs = data.draw(st.booleans())
    if few_runs:
        start, stop = sorted(data.draw(st.tuples(st.integers(0, len(values)), st.integers(0, len(values)))))
        chosen = [*range(start, stop)]
    else:
        chosen = sorted(data.draw(st.sets(st.integers(0, max(len(values) - 1, 0)), max_size=len(values))))
    found = take(columns(values), np.array(chosen, np.int64))
    assert plain(found) == [values[row] for row in chosen]


@given(st.lists(rows, min_size=1, max_size=4))
def test_concatenate(parts: list[list[Row]]) -> None:
    found = concatenate([columns(part) for part in parts])
    assert plain(found) == [row for part in parts for row in part]

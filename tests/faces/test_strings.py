"""Columns of strings and bytes behave like lists that share buffers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ssift
from ssift.strings import Binaries, Strings, gather
from tests.faces.logs import ANSWER

ROWS = ["Hi", "", None, "größer", "☃😊", "end"]
rows = st.lists(st.none() | st.text(max_size=6), max_size=30)


def binaries(values: list[bytes | None]) -> Binaries:
    offsets = np.cumsum([0, *(len(value or b"") for value in values)]).astype(np.int64)
    data = np.frombuffer(b"".join(value or b"" for value in values), np.uint8)
    return Binaries(offsets, data, np.array([value is not None for value in values], np.uint8))


def test_rows_by_index() -> None:
    column = Strings.of(ROWS)
    assert len(column) == 6
    assert [column[index] for index in range(6)] == ROWS
    assert (column[-1], column[-6], column[np.int64(3)]) == ("end", "Hi", "größer")
    for outside in (6, -7):
        with pytest.raises(IndexError):
            column[outside]


@given(rows, st.slices(30))
def test_slices_are_those_of_a_list(values: list[str | None], cut: slice) -> None:
    column = Strings.of(values)
    assert column[cut].to_pylist() == values[cut]
    assert list(column[cut]) == values[cut]
    assert column[cut] == values[cut]


def test_a_slice_shares_the_buffers() -> None:
    column = Strings.of(ROWS)
    part = column[1:4]
    assert part.data is column.data
    assert np.shares_memory(part.offsets, column.offsets)


@given(rows, rows)
def test_equality_is_that_of_the_rows(first: list[str | None], second: list[str | None]) -> None:
    one, other = Strings.of(first), Strings.of(second)
    assert (one == other) == (first == second)
    assert one == Strings.of(["x", *first])[1:]
    assert (one == second) == (first == second)


def test_equality_with_other_things() -> None:
    assert Strings.of(["a"]) != binaries([b"a"])
    assert Strings.of(["a"]) != "a"
    assert Strings.of([None]) != Strings.of([""])
    with pytest.raises(TypeError):
        hash(Strings.of([]))


@given(rows.filter(len), st.data())
def test_take_is_indexing(values: list[str | None], data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(values) - 1), max_size=40))
    assert Strings.of(values).take(np.array(wanted, np.int64)).to_pylist() == [values[row] for row in wanted]


def test_gather_beyond_one_block() -> None:
    data = np.frombuffer(bytes(range(256)) * 8192, np.uint8)
    starts = np.array([5, 0, 7, 100, 3], np.int64)
    lengths = np.array([3, 1_500_000, 0, 700_000, 600_000], np.int64)
    offsets, gathered = gather(data, starts, lengths)
    expected = [data[start : start + length].tobytes() for start, length in zip(starts, lengths, strict=True)]
    assert gathered.tobytes() == b"".join(expected)
    assert offsets.tolist() == [0, *np.cumsum(lengths).tolist()]


def test_nulls_that_keep_bytes_are_still_null() -> None:
    column = Binaries(np.array([0, 1, 3, 4], np.int64), np.frombuffer(b"abcd", np.uint8), np.array([1, 0, 1], np.uint8))
    assert column.to_pylist() == [b"a", None, b"d"]
    assert (column[1], column.lengths().tolist()) == (None, [1, 0, 1])
    assert column == binaries([b"a", None, b"d"])


def test_numpy_objects() -> None:
    column = Strings.of(ROWS)
    array = np.asarray(column)
    assert array.dtype == object
    assert array.tolist() == ROWS
    with pytest.raises(ValueError, match="copy"):
        np.array(column, copy=False)


def test_numpy_strings() -> None:
    column = Strings.of(ROWS)
    dtype = np.dtypes.StringDType(na_object=None)
    assert column.to_numpy(dtype).dtype == dtype
    assert column.to_numpy(dtype).tolist() == np.asarray(column, dtype).tolist() == ROWS
    plain = Strings.of(["a", "é"])
    assert np.array(plain, np.dtypes.StringDType()).tolist() == ["a", "é"]
    with pytest.raises(ValueError, match="None"):
        column.to_numpy(np.dtypes.StringDType())


@given(rows)
def test_dictionary_encoding(values: list[str | None]) -> None:
    encoded = Strings.of(values).dictionary_encode()
    assert encoded.decode() == values
    assert encoded.words.to_pylist() == list(dict.fromkeys(value for value in values if value is not None))
    assert encoded.codes.dtype == np.int32
    assert len(encoded) == len(values)


@given(st.lists(st.sampled_from(["", "a", "b", "ab", "☃", None]), max_size=4))
def test_uniform_columns(values: list[str | None]) -> None:
    assert Strings.of(values).is_uniform() == (len(set(values)) == 1 and None not in values)
    padded = Strings.of(["a", *values, "b"])[1:-1]
    assert padded.is_uniform() == Strings.of(values).is_uniform()


@given(st.lists(st.sampled_from(["", "a", "content", "☃"]), min_size=1, max_size=4), st.data())
def test_take_of_one_row_over_and_over(values: list[str], data: st.DataObject) -> None:
    row, times = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(0, 30))
    assert Strings.of(values).take(np.full(times, row)).to_pylist() == [values[row]] * times


def test_repr_is_short() -> None:
    assert repr(Strings.of(["a", None])) == "Strings(['a', None], len=2)"
    assert repr(Strings.of(["a"] * 1000)).endswith("…], len=1000)")
    assert repr(Strings.of([])) == "Strings([], len=0)"


def test_a_row_that_is_not_there_is_told_with_how_many_there_are(engine: str) -> None:
    log = ssift.read(ANSWER, engine=engine)
    for wrong in (
        lambda: log.tokens["token"][3],
        lambda: log.tokens["bytes"][-4],
        lambda: log.tokens.row(3),
        lambda: log.tokens.nested()["top_logprobs"][3],
    ):
        with pytest.raises(IndexError, match=r"has 3 rows, and no row (3|-4)$"):
            wrong()
    with pytest.raises(IndexError, match="has 1 row, and no row 1"):
        log.tokens.by_response("logprob")[1]

"""Who holds what, and for how long: structures are released once, in any order, on any thread, and nothing is left."""

from __future__ import annotations

import ctypes
import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import ssift
from ssift.arrow import Array, Field, array_capsules, callbacks, stream_capsule
from ssift.arrow.structures import ArrowArray, ArrowArrayStream, ArrowSchema
from ssift.strings import Strings
from tests.arrow.mixed import LOG


@pytest.fixture(params=["built", "twins"])
def _callbacks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The release functions of the native module (where it was built) and their twins in Python."""
    if request.param == "twins":
        monkeypatch.setattr(callbacks, "CALLBACKS", callbacks.twins())


pytestmark = pytest.mark.usefixtures("_callbacks")

NUMBERS = Field("", "l")


class Watched(np.ndarray[Any, Any]):
    """An array that can be asked whether it is still alive."""


def watched(rows: int = 3) -> tuple[Array, weakref.ref[Any]]:
    values = np.arange(rows, dtype=np.int64).view(Watched)
    return Array(rows, (None, values)), weakref.ref(values)


def structure(capsule: Any, kind: Any) -> Any:
    name = {ArrowSchema: b"arrow_schema", ArrowArray: b"arrow_array", ArrowArrayStream: b"arrow_array_stream"}[kind]
    return kind.from_address(callbacks.capsule_pointer(capsule, name))


def release(what: Any) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(what.release)(ctypes.addressof(what))


def moved(what: Any) -> Any:
    """The structure as a consumer takes it: its bytes elsewhere, the original marked released."""
    copy = type(what).from_buffer_copy(what)
    what.release = None
    return copy


def test_a_capsule_that_nobody_takes_gives_everything_back() -> None:
    array, alive = watched()
    capsules = array_capsules(NUMBERS, array)
    del array
    assert alive() is not None
    del capsules
    assert alive() is None


def test_what_is_taken_lives_until_it_is_released() -> None:
    array, alive = watched()
    capsules = array_capsules(NUMBERS, array)
    del array
    taken = moved(structure(capsules[1], ArrowArray))
    del capsules
    gc.collect()
    assert alive() is not None
    assert ctypes.cast(taken.buffers[1], ctypes.POINTER(ctypes.c_int64))[2] == 2
    release(taken)
    assert taken.release is None
    assert alive() is None


def test_children_taken_out_outlive_their_parent() -> None:
    first, first_alive = watched()
    second, second_alive = watched()
    field = Field("", "+s", children=(Field("a", "l"), Field("b", "l")))
    capsules = array_capsules(field, Array(3, (None,), 0, (first, second)))
    del first, second
    parent = structure(capsules[1], ArrowArray)
    child = moved(parent.children[1].contents)
    release(parent)
    assert (first_alive(), second_alive() is None) == (None, False)
    release(child)
    assert second_alive() is None


def test_schemas_are_released_with_all_their_children() -> None:
    from ssift.arrow import schema_capsule

    field = Field("t", "+s", children=(Field("a", "i", True, dictionary=Field("", "U")),))
    capsule = schema_capsule(field)
    schema = structure(capsule, ArrowSchema)
    assert (schema.name, schema.format, schema.children[0].contents.flags) == (b"t", b"+s", 2)
    assert schema.children[0].contents.dictionary.contents.format == b"U"
    taken = moved(schema)
    del capsule
    assert taken.children[0].contents.name == b"a"
    release(taken)
    assert taken.release is None


def test_a_table_can_be_handed_over_again_and_again() -> None:
    tokens = ssift.read(LOG).tokens
    tables = [pa.table(tokens) for _ in range(3)]
    frames = [pl.DataFrame(tokens) for _ in range(3)]
    assert all(table.equals(tables[0]) for table in tables)
    assert all(frame.equals(frames[0]) for frame in frames)
    stream = tokens.__arrow_c_stream__()
    assert pa.RecordBatchReader._import_from_c_capsule(stream).read_all().equals(tables[0])
    with pytest.raises(Exception, match="released"):
        pa.RecordBatchReader._import_from_c_capsule(stream)


def test_the_consumer_keeps_what_the_log_let_go() -> None:
    expected = ssift.read(LOG).tokens.to_pydict()
    table, frame = pa.table(ssift.read(LOG).tokens), pl.DataFrame(ssift.read(LOG).tokens)
    gc.collect()
    _ = [ssift.read(LOG) for _ in range(5)]  # memory that was let go would be written over
    assert table.to_pydict() == frame.to_dict(as_series=False) == expected


def test_releasing_on_other_threads() -> None:
    def consume(tables: list[pa.Table]) -> None:
        for _ in range(50):
            tables.append(pa.table(tokens))
            tables.pop(0)

    tokens = ssift.read(LOG).tokens
    threads = [threading.Thread(target=consume, args=([pa.table(tokens)],)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pa.table(tokens).num_rows == len(tokens)


def test_a_log_goes_with_its_last_user() -> None:
    gc.collect()
    gc.disable()
    try:
        log = ssift.read(LOG)
        alive = weakref.ref(log.tokens["logprob"])
        log.tokens.nested()["top_logprobs"].to_pylist()
        frame = pl.DataFrame(log.tokens)
        del log
        assert alive() is not None
        del frame
        assert alive() is None
    finally:
        gc.enable()


# ------------------------------------------------------------------------------------------------------- streams


class Streamed:
    def __init__(self, arrays: Iterator[Array]) -> None:
        self._arrays = arrays

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return stream_capsule(Field("", "+s", children=(Field("n", "l"),)), self._arrays, requested_schema)


def rows(count: int) -> Array:
    return Array(count, (None,), 0, (Array(count, (None, np.arange(count, dtype=np.int64))),))


def test_a_stream_makes_its_arrays_when_they_are_read() -> None:
    made: list[int] = []

    def arrays() -> Iterator[Array]:
        for count in (2, 0, 3):
            made.append(count)
            yield rows(count)

    reader = pa.RecordBatchReader.from_stream(Streamed(arrays()))
    assert made == []
    assert reader.read_next_batch().num_rows == 2
    assert made == [2]
    assert reader.read_all().num_rows == 3


def test_an_abandoned_stream_is_closed() -> None:
    closed: list[bool] = []

    def arrays() -> Iterator[Array]:
        try:
            while True:
                yield rows(1)
        finally:
            closed.append(True)

    reader = pa.RecordBatchReader.from_stream(Streamed(arrays()))
    reader.read_next_batch()
    del reader
    assert closed == [True]


def test_an_error_in_a_stream_reaches_the_consumer() -> None:
    def arrays() -> Iterator[Array]:
        yield rows(1)
        raise ssift.ReadError("the disk is gone")

    with pytest.raises(pl.exceptions.ComputeError, match="the disk is gone"):
        pl.DataFrame(Streamed(arrays()))


def test_the_exception_of_a_consumer_is_its_own(request: pytest.FixtureRequest) -> None:
    if "twins" in request.node.name:
        expected: tuple[type[Exception], str] = (SystemError, "without setting an exception")
    else:
        expected = pa.ArrowInvalid, "Failed to parse string"
    tokens = ssift.read(LOG).tokens
    with pytest.raises(expected[0], match=expected[1]):
        pa.table(tokens, schema=pa.schema([(name, pa.int8()) for name in tokens]))
    assert pa.table(tokens).num_rows == len(tokens)


def test_strings_share_until_the_last_user_is_gone() -> None:
    values = np.frombuffer(b"abc", np.uint8).view(Watched)
    alive = weakref.ref(values)
    column = Strings(np.array([0, 1, 3], np.int64), values)
    array = pa.array(column)
    del values, column
    assert alive() is not None
    assert array.to_pylist() == ["a", "bc"]
    del array
    assert alive() is None

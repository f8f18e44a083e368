"""Buffers that others still hold, change or let go: what was fed is not looked at again, what came out lives on."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import ssift
from ssift.contract import TABLES, Engine
from tests.conftest import ENGINES
from tests.faces.logs import ANSWER, answer, chunk, event, token
from tests.need import LONG, need


def begun(engine_class: type[Engine]) -> Engine:
    reader = engine_class(frozenset(TABLES), "auto", 64 << 20, 1024, 1024)
    reader.begin(0, "sse")
    return reader


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
def test_a_bytearray_can_be_resized_and_reused_at_once(engine_class: type[Engine], size: int) -> None:
    reader, buffer = begun(engine_class), bytearray()
    for at in range(0, len(ANSWER), size):
        buffer[:] = ANSWER[at : at + size]
        reader.feed(buffer)
        buffer[:] = b"\xff" * (2 * size)  # nobody has a hold on it: no BufferError
        buffer.clear()
    assert reader.end().chunks == 5
    assert bytes(reader.take().tables["choices"]["content"].data) == b"Hi you"  # type: ignore[union-attr]


def test_a_buffer_is_released_when_it_is_refused() -> None:
    need("native" in ENGINES, "the native engine")
    from ssift._native import NativeEngine

    reader = begun(NativeEngine)
    reader.end()
    buffer = bytearray(ANSWER)
    with pytest.raises(RuntimeError):
        reader.feed(buffer)
    buffer.clear()


@pytest.mark.parametrize("piece", ["text", 3, None, [1], np.zeros((4, 4), np.uint8)[:, ::2]], ids=str)
def test_what_is_no_buffer_is_refused_and_nothing_happens(engine_class: type[Engine], piece: object) -> None:
    reader = begun(engine_class)
    with pytest.raises((TypeError, BufferError, ValueError)):
        reader.feed(piece)
    reader.feed(ANSWER)
    assert reader.end().chunks == 5


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, np.uint8), lambda data: memoryview(data).cast("B")])  # fmt: skip
def test_every_kind_of_buffer(engine_class: type[Engine], kind: type) -> None:
    reader = begun(engine_class)
    reader.feed(kind(ANSWER))
    assert reader.end().chunks == 5


def test_a_buffer_that_changes_after_the_reading(engine: str) -> None:
    """A log keeps no reference to what it was read from."""
    data = bytearray(ANSWER)
    log = ssift.read(data, engine=engine)
    data[:] = b"#" * len(data)
    data.clear()
    assert log.choices["content"].to_pylist() == ["Hi you"]
    assert log.tokens["token"].to_pylist() == ["Hi", " y", "ou"]


def test_columns_outlive_their_log(engine: str) -> None:
    entries = [event(chunk({"content": f"t{n}"}, logprobs=[token(f"t{n}", -n / 8)])) for n in range(5_000)]
    log = ssift.read(b"".join(entries), engine=engine)  # beyond the size up to which columns are copied
    logprob, words = log.tokens["logprob"], log.tokens["token"]
    part, own = logprob[100:200], logprob.copy()
    texts = words.to_pylist()
    table = log.tokens
    del log, logprob
    gc.collect()
    for _ in range(5):  # memory that was given back is used again
        ssift.read(b"".join(reversed(entries)), engine=engine)
    assert np.array_equal(part, own[100:200])
    assert words.to_pylist() == texts
    assert np.array_equal(table["logprob"], own)


def test_engines_let_go_of_everything(engine: str) -> None:
    """References and memory after many readings are those after a few."""
    few = 15 if engine == "native" or LONG else 5
    program = (
        "import gc, sys, ssift\n"
        "from tests.faces.logs import ANSWER, BROKEN, CUT\n"
        "from tests.memory.peak import peak\n"
        "def once():\n"
        f"    log = ssift.read([ANSWER * 40, BROKEN + ANSWER, CUT, b'', b'oops'], engine={engine!r})\n"
        "    log.tokens['logprob'].sum(); log.choices['content'].to_pylist(); list(log.problems.rows())\n"
        f"    for batch in ssift.scan(ANSWER * 40, engine={engine!r}, batch_size=4000): batch.tokens['token'][0]\n"
        f"    next(iter(ssift.scan(ANSWER * 40, engine={engine!r}, batch_size=4000)))\n"
        "    try: ssift.read(BROKEN, errors='raise')\n"
        "    except ssift.SsiftError: pass\n"
        "def objects():\n"
        "    gc.collect(); return len(gc.get_objects())\n"
        f"for _ in range({few}): once()\n"
        "before, size = objects(), peak()\n"
        "nones = sys.getrefcount(None)\n"
        f"for _ in range({4 * few}): once()\n"
        "after, grown = objects(), peak() - size\n"
        "assert after - before < 50, (before, after)\n"
        "assert grown < 8_000, grown\n"
        "assert abs(sys.getrefcount(None) - nones) < 200, (nones, sys.getrefcount(None))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_responses_that_overlap_without_end_leave_nothing() -> None:
    """One is always open, and nobody wants what they say: it is forgotten all the same when they end."""
    need("native" in ENGINES, "the native engine")
    program = (
        "from ssift._native import NativeEngine\n"
        "from tests.memory.peak import peak\n"
        "engine = NativeEngine(frozenset(['tokens']))\n"
        "engine.begin(0, 'sse')\n"
        'opens = b\'data: {"id":"%d","model":"\' + b\'m\' * 40_000 + b\'","choices":[{"delta":{"role":"r"}}]}\\n\\n\'\n'
        'ends = b\'data: {"id":"%d","choices":[{"delta":{},"finish_reason":"stop"}]}\\n\\ndata: [DONE]\\n\\n\'\n'
        "engine.feed(opens % 0)\n"
        "def go_on(start, stop):\n"
        "    for number in range(start, stop): engine.feed(opens % number + ends % (number - 1))\n"
        "go_on(1, 200)\n"
        "size = peak()\n"
        "go_on(200, 2000)\n"
        "grown = peak() - size\n"
        "assert engine.response_count == 2000\n"
        "assert grown < 8_000, grown\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_engine_that_found_no_memory_reads_no_more() -> None:
    """Rows may be half written then: none of them is handed over."""
    need("native" in ENGINES, "the native engine")
    program = (
        "import resource\n"
        "from ssift._native import NativeEngine\n"
        "engine = NativeEngine(event_bytes=1 << 30)\n"
        "engine.begin(0, 'sse')\n"
        "piece = b'data: {\"choices\":[' + b'{},' * 3_000_000\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))\n"
        "def said(call, *arguments):\n"
        "    try: return call(*arguments)\n"
        "    except (MemoryError, RuntimeError) as error: return type(error).__name__\n"
        "while (found := said(engine.feed, piece)) is None: pass\n"
        "print(found, said(engine.feed, b'x'), said(engine.take), said(engine.end), said(lambda: engine.counts))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["MemoryError", *["RuntimeError"] * 4]


def test_an_engine_is_not_used_by_two_threads_at_once() -> None:
    need("native" in ENGINES, "the native engine")
    from ssift._native import NativeEngine

    event, refused = b'data: {"choices":[],"x":[' + b"1," * 10_000_000 + b"1]}\n\n", 0
    for _ in range(50):
        reader = begun(NativeEngine)
        reading = threading.Thread(target=reader.feed, args=(event,))
        reading.start()
        while reading.is_alive():
            try:
                reader.feed(b"")
            except RuntimeError:
                refused += 1
        assert reader.end().chunks == 1
        if refused:
            break
    assert refused


def test_a_file_that_shrinks_while_it_is_read(tmp_path: Path, engine: str) -> None:
    """Files are read, not mapped: what is gone is missing, and that is a problem or an end, never a crash."""
    path = tmp_path / "log.sse"
    path.write_bytes(b"".join(answer(f"r{number}", "some words of an answer") for number in range(1_000)))
    size, read = path.stat().st_size, 0
    for number, batch in enumerate(ssift.scan(path, engine=engine, batch_size="256KB", threads=1)):
        if number == 0:
            with path.open("r+b") as file:
                file.truncate(size // 2 + 33)
        read += len(batch.chunks)
        assert set(batch.problems["kind"].to_pylist()) <= {"truncated"}
    assert 0 < read < 1_000 * 25

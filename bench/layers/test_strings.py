"""JSON strings to UTF-8: chunks whose content is most of their bytes."""

from __future__ import annotations

import json

import pytest
from layers.conftest import Timed
from layers.reading import SIZES, log_of, new_engine, read, repeated

TEXTS = {
    "plain": ("the quick brown fox jumps over the lazy dog ", False),
    "line_ends_and_quotes": ('if x == "a":\n\treturn "b"\n', False),
    "utf8": ("das größte Übel — 你好，世界 😀 ", False),
    "escaped_as_ascii": ("das größte Übel — 你好，世界 😀 ", True),
}


@pytest.mark.parametrize("length", ["tokens", "paragraphs"])
@pytest.mark.parametrize("kind", TEXTS)
def test_strings(engine: str, kind: str, length: str, timed: Timed) -> None:
    text, ascii_alone = TEXTS[kind]

    def content(number: int) -> str:
        return f"{text * 40}{number}" if length == "paragraphs" else f"{text[number % 11 :][:12]}{number}"

    def chunk(number: int) -> bytes:
        value = json.dumps(content(number), ensure_ascii=ascii_alone).encode()
        return b'{"id":"a","choices":[{"index":0,"delta":{"content":%b}}]}' % value

    chunks, times = repeated(chunk, SIZES[engine])
    data, reader = log_of(chunks, times), new_engine(engine)
    reading = read(reader, data)
    assert (reading.counts.chunks, reading.counts.problems) == (len(chunks) * times, 0)
    wanted = sum(len(content(number).encode()) for number in range(len(chunks))) * times
    assert reading.text_bytes("choices", "content") == wanted
    timed(len(data), lambda: read(reader, data))

"""The plain path: chunks that only go on with the response before them.

Theory. Nearly all chunks of a log say what their neighbours said (id, model, ...) and add a text and some tokens to one
choice that is there already. Such a chunk changes little, so it need not go through the whole engine: one loop reads
as many as follow one another.

1. It reads what it is sure of. A chunk that may be an error, say something new about its response, open a choice, end
   one, or belong elsewhere is left alone, and so is whatever has another shape: the general path reads it.
2. A chunk is read whole before it changes anything.
3. What the parts of a chunk mean is decided where the general path has it decided: this file has no rules of its own.
4. orjson refuses what needs a second look: invalid UTF-8, lone surrogates, NaN, numbers beyond float64. What it takes
   is what the general path would have read.
"""

from __future__ import annotations

from typing import Any

from orjson import loads

from ssift.python.arrivals import Arrivals
from ssift.python.chunks import Chunk, ChunkReader, Delta, ReportedUsage, read_usage
from ssift.python.events import BLANK_LINE, EVENT_LINE
from ssift.python.failures import is_failure
from ssift.python.flat import FlatRows
from ssift.python.grouping import ByDone
from ssift.python.json_text import LookAgain, too_deep
from ssift.python.logprobs import Alternative, LogprobReader
from ssift.python.responses import Row
from ssift.python.values import WrongType, id_of

_OTHER_SHAPE = (KeyError, TypeError, ValueError, AttributeError, WrongType, LookAgain)
_NO_NAME = object()


class PlainReader:
    """Reads with the parts of ``reader`` and writes to ``flat``."""

    def __init__(self, reader: ChunkReader, flat: FlatRows, depth: int) -> None:
        self._reader = reader
        self._flat = flat
        self._depth = depth

    def read(
        self, texts: list[bytes], start: int, offset: int, line: int, grouping: ByDone, arrivals: Arrivals
    ) -> tuple[int, int]:
        """Read from ``texts[start]`` on, whose event begins at ``offset`` in ``line``, what goes on with the latest.

        Returns:
            How many events were read, and the bytes of their lines.
        """
        response = grouping.latest
        if response is None or response.finished:
            return 0, 0
        with_texts, with_tokens, with_top = self._reader.with_texts, self._reader.with_tokens, self._reader.with_top
        depth = self._depth
        choices = response.choices
        chunk_rows: list[Row] = []
        token_rows: list[Row] = []
        alternatives: list[Alternative] = []
        usages: list[ReportedUsage] = []
        row, top, size = self._flat.chunks, self._flat.alternatives, 0
        has_text = False
        name: Any = _NO_NAME
        arrival: int | None = None
        for text in texts[start:]:
            other = completion = tokens = None
            try:
                if len(text) > depth and too_deep(text, depth):
                    break
                value = loads(text)
                say = value.get
                if say("id") != name:
                    if not grouping.goes_on(id_of(say("id"))):
                        break
                    name = say("id")
                if is_failure(value) or say("x_groq") is not None or response.lacks(value):
                    break
                usage = say("usage")
                if usage is not None:
                    usage = read_usage(value)
                    completion = usage[0][1][1] if usage else None
                [choice] = value["choices"]
                index = choice["index"]
                if type(index) is not int or choice.get("finish_reason") or choice.get("usage") is not None:
                    break
                target = choices[index]
                delta = choice["delta"]
                content = delta.get("content")
                if type(content) is not str or len(delta) != 1:
                    chunk, other = Chunk(value), Delta()
                    self._reader.read_delta(choice, other, chunk, None)
                    if other.role and not target.role:
                        break
                if with_tokens and (choice.get("logprobs") is not None or "reasoning_logprobs" in choice):
                    logprobs = LogprobReader(with_top, text)
                    tokens = logprobs.read(choice)
            except _OTHER_SHAPE:
                break
            length = len(text) + EVENT_LINE
            if other is not None:
                target.add(other, (offset, length, line + 2 * len(chunk_rows)), with_texts)
                if chunk.has_text or chunk.has_calls:
                    has_text = True
            else:
                if with_texts:
                    target.content.add(content)
                if content:
                    has_text = True
            if usage:
                usages += usage
            count = 0
            if tokens:
                token_rows += target.place_tokens(index, tokens, row, top)
                alternatives += logprobs.alternatives
                count = len(tokens)
                top += sum([token[-1] for token in tokens])
            if arrivals:
                arrival = arrivals.at(offset + length - 1)
            chunk_rows.append((response.number, offset, length, arrival, 1, count, completion))
            row += 1
            size += length
            offset += length + BLANK_LINE
        if chunk_rows:
            response.go_on(len(chunk_rows), offset - BLANK_LINE, arrival, has_text, usages)
            self._flat.extend(chunk_rows, token_rows, alternatives, top - self._flat.alternatives)
        return len(chunk_rows), size

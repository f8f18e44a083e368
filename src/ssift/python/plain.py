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

from collections.abc import Sequence
from itertools import islice
from typing import Any

from orjson import loads

from ssift.python.arrivals import Arrivals
from ssift.python.chunks import TOP, Chunk, ChunkReader, Delta, ReportedUsage, figures_of, text_bytes
from ssift.python.events import BLANK_LINE, EVENT_LINE, LINES
from ssift.python.failures import is_failure
from ssift.python.flat import FlatRows
from ssift.python.grouping import ByDone
from ssift.python.json_text import LookAgain, too_deep
from ssift.python.logprobs import Alternative, LogprobReader, Token
from ssift.python.responses import Row
from ssift.python.values import WrongType, id_of

_OTHER_SHAPE = (KeyError, TypeError, ValueError, AttributeError, WrongType, LookAgain)
"""What reading a chunk of another shape ends in; a text that is not JSON too."""

_NO_NAME = object()


class PlainReader:
    """Reads with the parts of ``reader`` and writes to ``flat``; a text nested deeper than ``depth`` is not plain."""

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
        choices, number = response.choices, response.number
        with_texts, with_tokens, with_top = self._reader.with_texts, self._reader.with_tokens, self._reader.with_top
        chunks: list[Row] = []
        tokens: list[Row] = []
        tops: list[Alternative] = []
        usages: list[ReportedUsage] = []
        first, first_top = self._flat.chunks, self._flat.alternatives
        size = 0
        arrival: int | None = None
        is_lacking, is_timed, has_text = response.is_lacking, bool(arrivals), False
        name: Any = _NO_NAME  # the id that was looked up last
        for text in islice(texts, start, None):
            try:
                if len(text) > self._depth and too_deep(text, self._depth):
                    break
                value = loads(text)
                if value.get("id") != name:
                    if not grouping.goes_on(id_of(value.get("id"))):
                        break
                    name = value.get("id")
                if is_failure(value) or value.get("x_groq") is not None or (is_lacking and response.lacks(value)):
                    break
                [choice] = value["choices"]
                index = choice["index"]
                if type(index) is not int or choice.get("finish_reason") or choice.get("usage") is not None:
                    break
                target = choices[index]
                said = choice["delta"]
                content = said.get("content")
                only_content = type(content) is str and len(said) == 1
                if not only_content:
                    chunk, delta = Chunk(value), Delta()
                    self._reader.read_delta(choice, delta, chunk, None)
                    if delta.role and not target.role:
                        break
                logprobs = None
                entries: Sequence[Token] = ()
                if with_tokens and (choice.get("logprobs") is not None or "reasoning_logprobs" in choice):
                    logprobs = LogprobReader(with_top, text)
                    entries = logprobs.read(choice)
                usage = value.get("usage")
                figures = figures_of(usage) if type(usage) is dict else None
            except _OTHER_SHAPE:
                break
            # Nothing was changed so far, and nothing can fail from here on.
            length = len(text) + EVENT_LINE
            if only_content:
                said_bytes = len(content) if content.isascii() else len(content.encode())
                has_text = has_text or said_bytes > 0
                if with_texts:
                    target.content.add(content)
            else:
                said_bytes = text_bytes(delta)
                has_text = has_text or chunk.has_text or chunk.has_calls
                target.add(delta, (offset, length, line + LINES * len(chunks)), with_texts)
            if logprobs is not None:
                tokens += target.place_tokens(index, entries, first + len(chunks), first_top + len(tops))
                tops += logprobs.alternatives
            if figures is not None:
                usages.append((TOP, figures))
            if is_timed:
                arrival = arrivals.at(offset + length - 1)
            chunks.append((number, offset, length, arrival, 1, len(entries), figures and figures[1], said_bytes))
            size += length
            offset += length + BLANK_LINE
        if chunks:
            response.go_on(len(chunks), offset - BLANK_LINE, arrival, has_text, usages)
            self._flat.extend(chunks, tokens, tops)
        return len(chunks), size

"""Rows of chunks, tokens and alternatives: finished as they are read.

1. Rows have numbers over the whole call, whether their table is wanted or not: other rows point at them.
2. Tokens and alternatives stand in the order of their chunks, and in a chunk as sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ssift.python.chunks import Chunk, text_bytes
from ssift.python.columns import Rows
from ssift.python.logprobs import Alternative
from ssift.python.responses import Response, Row

FLAT = ("chunks", "tokens", "top_logprobs")


class FlatRows:
    """Writes to those of ``rows`` that are wanted. ``chunks``, ``tokens`` and ``alternatives`` count rows so far."""

    def __init__(self, rows: Mapping[str, Rows]) -> None:
        self._chunk_rows, self._token_rows, self._top_rows = [rows.get(table) for table in FLAT]
        self.chunks = self.tokens = self.alternatives = 0

    def write(self, chunk: Chunk, response: Response, offset: int, length: int, arrival: int | None) -> None:
        """The rows of one chunk, of which ``response`` knows already."""
        tokens: list[Row] = []
        top = self.alternatives
        for delta in chunk.deltas:
            if delta.tokens:
                choice = response.choices[delta.index]
                tokens += choice.place_tokens(delta.index, delta.tokens, self.chunks, top)
                top += sum([token[-1] for token in delta.tokens])
        places = (response.number, offset, length, arrival)
        row = (*places, len(chunk.deltas), len(tokens), chunk.completion_tokens, sum(map(text_bytes, chunk.deltas)))
        self.extend([row], tokens, chunk.alternatives)

    def extend(self, chunks: Sequence[Row], tokens: Sequence[Row], tops: Sequence[Alternative]) -> None:
        """Rows of some chunks."""
        self.chunks += len(chunks)
        self.tokens += len(tokens)
        self.alternatives += len(tops)
        if self._chunk_rows is not None:
            self._chunk_rows.extend(chunks)
        if self._token_rows is not None:
            self._token_rows.extend(tokens)
        if self._top_rows is not None:
            self._top_rows.extend(tops)

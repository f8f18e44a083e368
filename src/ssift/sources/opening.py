"""Opens a source: stored bytes become the decoded pieces that an engine reads.

In this order: compression, UTF-16, a byte-order mark and NULs in front, the framing. Each step looks at the head of
what comes and hands on an iterator; nothing is held back but that head.
"""

from __future__ import annotations

import codecs
import re
from itertools import chain
from typing import TYPE_CHECKING, Self, cast, get_args

from ssift.contract import M_COMPRESSION, M_RATIO, M_TRAILING, Framing
from ssift.sources.ahead import Ahead
from ssift.sources.compression import HEAD, MAX_RATIO, Decompressed, recognised
from ssift.sources.framing import FIRST_WINDOW, begins_no_container, framing, is_json
from ssift.sources.line_ends import LineEnds
from ssift.sources.source import WINDOW, Source

if TYPE_CHECKING:
    from tempfile import SpooledTemporaryFile

    from ssift.sources.containers import Format, Records
    from ssift.sources.containers.body import Pieces

FRAMINGS = get_args(Framing)

_NOT_NUL = re.compile(rb"[^\0]")
_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_IN_MEMORY = 16 << 20


class Opened:
    """An open source. Iterating gives its decoded pieces, each valid until the next is asked for.

    Attributes:
        container: the format of what holds bodies; None for a plain source.
        looks: what it looks like by its content, where ``form`` says how it is to be read; None where nothing tells.
        framing: ``"sse"``, ``"jsonl"`` or ``"json"``; of a container how its lines end.
        offset: decoded bytes before the first piece: a byte-order mark, NULs.
        compression: ``"gzip"``, ``"zstd"``, ``"bzip2"``, ``"xz"``, ``"lz4"`` or None.
        pieces: the iterator over the decoded pieces.
        plain: whether decoded bytes are the stored ones, in the same places.
        taken: stored bytes read so far, for progress.
        undecodable: bytes of a UTF-16 source that could not be decoded; then there are no pieces.
    """

    def __init__(
        self,
        source: Source,
        buffer: bytearray,
        event_bytes: int,
        form: str | Records | None = None,
        max_ratio: int = MAX_RATIO,
    ) -> None:
        self.taken = 0
        self.undecodable = 0
        self.plain = True
        self.compression: str | None = None
        self._decompressed: Decompressed | None = None
        self._ahead: Ahead | None = None
        self._source = source
        self._max_ratio = max_ratio
        self._size = 0  # bytes of the pieces, where they are decompressed
        self._stored = source.windows(buffer)
        try:
            pieces = self._read_ahead(self._decompress(self._counted(), source), source)
            pieces = self._from_utf16(pieces)
            self.offset, pieces = without_front(pieces)
            self.container, self.looks, pieces = _contained(pieces, form)
            self.framing, pieces = _framed(pieces, event_bytes, "jsonl" if self.container else form)
            self._ends = LineEnds(self.framing)
            self.pieces = self._measured(pieces)
        except BaseException:
            self.close()
            raise

    @property
    def damage(self) -> int | None:
        """Message of what is wrong with the compressed data, if anything is; known once all pieces were taken."""
        found = self._decompressed
        if found is None or not (found.damaged or found.trailing or found.expanded):
            return None
        if found.expanded:
            return M_RATIO
        return M_COMPRESSION if found.damaged else M_TRAILING

    def place_of_end(self) -> tuple[int, int]:
        """Offset and line of the end of what could be decoded, once all pieces were taken."""
        if self._source.repeatable:
            self._count_lines()
        return self.offset + self._size, self._ends.line

    def __iter__(self) -> Pieces:
        return self.pieces

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading ahead, and close the file behind it if it was opened here."""
        if self._ahead is not None:
            self._ahead.close()
            if self._ahead.running:  # a network that does not answer: its thread closes what it holds
                return
        close = getattr(self._stored, "close", None)
        if close is not None:
            close()

    def _counted(self) -> Pieces:
        for window in self._stored:
            self.taken += len(window)
            yield window

    def _decompress(self, pieces: Pieces, source: Source) -> Pieces:
        head, pieces = _peek(pieces, HEAD)
        compression = recognised(bytes(head[:HEAD]))
        if compression is None:
            return pieces
        self.compression = compression.name
        self.plain = False
        self._decompressed = Decompressed(pieces, compression, source.name, self._max_ratio)
        return iter(self._decompressed)

    def _read_ahead(self, pieces: Pieces, source: Source) -> Pieces:
        """Let another thread make the pieces: decompress, or wait for a network."""
        if not source.ahead or (self._decompressed is None and not source.slow):
            return pieces
        self._ahead = Ahead(pieces)
        return self._ahead

    def _measured(self, pieces: Pieces) -> Pieces:
        """The same pieces. Lines are counted only where that cannot be done afterwards: it takes its time."""
        if self._decompressed is None:
            return pieces
        return self._sized(pieces)

    def _sized(self, pieces: Pieces) -> Pieces:
        count = not self._source.repeatable
        for piece in pieces:
            self._size += len(piece)
            if count:
                self._ends.feed(piece)
            yield piece

    def _count_lines(self) -> None:
        with Opened(self._source, bytearray(WINDOW), FIRST_WINDOW, max_ratio=self._max_ratio) as again:
            for piece in again:
                self._ends.feed(piece[: self._size - self._ends.size])  # it may have grown

    def _from_utf16(self, pieces: Pieces) -> Pieces:
        """UTF-16 as UTF-8, its byte-order mark kept. All of it is tried first: it is decoded whole or not at all."""
        head, pieces = _peek(pieces, 2)
        encoding = _UTF16.get(bytes(head[:2]))
        if encoding is None:
            return pieces
        self.plain = False
        from tempfile import SpooledTemporaryFile  # late: few files need one

        decoder = codecs.getincrementaldecoder(encoding)("strict")
        # Not "with": the file is read after this method has returned, and is gone once nobody refers to it.
        decoded = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
        size = 0
        try:
            for piece in pieces:
                size += len(piece)
                decoded.write(decoder.decode(piece).encode())
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            decoded.close()
            self.undecodable = size + sum(map(len, pieces))
            return iter(())
        decoded.seek(0)
        return _spooled(decoded)


def _spooled(file: SpooledTemporaryFile[bytes]) -> Pieces:
    with file:
        while window := file.read(WINDOW):
            yield memoryview(window)


def _peek(pieces: Pieces, need: int) -> tuple[memoryview, Pieces]:
    """The head, of ``need`` bytes or more unless there are fewer in all, and all pieces from the start again."""
    first = next(pieces, memoryview(b""))
    if len(first) >= need:
        return first, chain([first], pieces)
    head = bytearray(first)
    for piece in pieces:  # a window is only valid until the next one: copied
        head += piece
        if len(head) >= need:
            break
    view = memoryview(bytes(head))
    return view, chain([view] if head else [], pieces)


def without_front(pieces: Pieces) -> tuple[int, Pieces]:
    """Drop one byte-order mark and all NULs in front, in either order: how many bytes, and what follows."""
    mark, pieces = _without_mark(pieces)
    nuls = 0
    for piece in pieces:
        found = _NOT_NUL.search(piece)
        if found:
            nuls += found.start()
            pieces = chain([piece[found.start() :]], pieces)
            break
        nuls += len(piece)
    if nuls and not mark:
        mark, pieces = _without_mark(pieces)
    return mark + nuls, pieces


def _without_mark(pieces: Pieces) -> tuple[int, Pieces]:
    head, pieces = _peek(pieces, len(codecs.BOM_UTF8))
    if bytes(head[:3]) != codecs.BOM_UTF8:
        return 0, pieces
    first = next(pieces)
    return 3, chain([first[3:]], pieces)


def _contained(pieces: Pieces, form: str | Records | None) -> tuple[Format | None, str | None, Pieces]:
    view, pieces = _peek(pieces, FIRST_WINDOW)
    head = bytes(view[:FIRST_WINDOW])
    if form is None and begins_no_container(head):
        return None, None, pieces
    from ssift.sources.containers import detect, likeness, named

    if form is not None:
        return named(form), likeness(head), pieces
    return detect(head), None, pieces


def _framed(pieces: Pieces, event_bytes: int, form: str | Records | None) -> tuple[Framing, Pieces]:
    if form in FRAMINGS:
        return cast(Framing, form), pieces
    head, pieces = _peek(pieces, FIRST_WINDOW)
    whole = len(head) < FIRST_WINDOW
    found = framing(bytes(head[:FIRST_WINDOW]), whole)
    if found is None:
        most = max(event_bytes, FIRST_WINDOW) + 1
        head, pieces = _peek(pieces, most)
        found = "json" if len(head) < most and is_json(bytes(head)) else "jsonl"
    return found, pieces

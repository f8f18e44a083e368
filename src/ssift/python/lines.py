"""Pieces to lines.

Theory. A piece is some bytes as they arrived; it may be cut anywhere, also inside a line, between CR and LF, or inside
a character. A line is what stands between two line ends. In an event stream LF, CR and CRLF all end a line, mixed
at will (WHATWG HTML 9.2.6); in JSON lines only LF does. Nothing else is a line end: U+2028, U+2029 and U+0085 are text,
which is one reason why lines are cut from bytes and not from characters. (``bytes.splitlines`` knows exactly LF, CR
and CRLF.)

1. The lines do not depend on how the input was cut into pieces.
2. A CR at the end of a piece may be half a CRLF. The line is held back until the next byte tells; ``eager`` lines,
   for a live stream where nobody wants to wait, are handed out at once and the LF is dropped when it comes.
3. Each byte is looked at once or twice, however small the pieces: an open line is a list, joined when it ends.
4. Memory is bounded: of a line longer than ``limit`` bytes only a head is kept, at least ``limit`` bytes long, and
   perhaps one byte more that tells whether anything but blanks came behind it. Its size is still exact.

This file does not know what a line means.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

BLANKS = b" \t\r\n"
"""JSON white space."""

Line: TypeAlias = tuple[bytes, int]
"""The text without its line end (of a line over the limit: a head of it), and the size with it."""


class Rest(NamedTuple):
    """What stood after the last certain line end. ``ended``: there was a CR, so it is a whole line."""

    text: bytes
    size: int
    ended: bool


class Lines:
    """Cuts pieces into lines; see the head of this file."""

    def __init__(self, limit: int, *, only_lf: bool = False, eager: bool = False) -> None:
        self._limit = limit
        self._only_lf = only_lf
        self._eager = eager
        self._parts: list[bytes] = []  # the open line
        self._kept = 0  # bytes in the parts
        self._size = 0  # bytes of the open line, kept or not, CR included
        self._after_cr = False  # the last byte was a CR

    @property
    def is_open(self) -> bool:
        """Whether a line has begun, or its end is not certain."""
        return self._size > 0 or self._after_cr

    def feed(self, piece: bytes) -> list[Line]:
        """The lines that are certain with this piece."""
        lines: list[Line] = []
        if self._after_cr and piece:
            self._after_cr = False
            half = piece.startswith(b"\n")
            if not self._eager:
                lines.append(self._close(1 if half else 0))
            if half:
                piece = piece[1:]
        if self._only_lf or b"\r" not in piece:
            self._cut_at_lf(piece, lines)
        else:
            self._cut_at_any(piece, lines)
        return lines

    def end(self) -> Rest:
        """Close the input; a ``Rest`` of size 0 means that there was none."""
        ended = self._after_cr and not self._eager
        text, size = self._close(0)
        return Rest(text, size, ended)

    def _cut_at_lf(self, piece: bytes, lines: list[Line]) -> None:
        texts = piece.split(b"\n")
        rest = texts.pop()
        if texts and self._size:
            self._keep(texts.pop(0))
            lines.append(self._close(1))
        lines += [(text, len(text) + 1) for text in texts]
        self._keep(rest)

    def _cut_at_any(self, piece: bytes, lines: list[Line]) -> None:
        rows = piece.splitlines(keepends=True)
        for row in rows:
            text = row.rstrip(b"\r\n")
            self._keep(text)
            if len(row) > len(text):
                lines.append(self._close(len(row) - len(text)))
        if rows[-1].endswith(b"\r"):
            self._hold(lines)

    def _hold(self, lines: list[Line]) -> None:
        """The piece ends in CR: what follows decides whether the last line is certain."""
        self._after_cr = True
        if not self._eager:
            text, self._size = lines.pop()
            self._parts, self._kept = [text], len(text)

    def _keep(self, text: bytes) -> None:
        """Add to the open line."""
        self._size += len(text)
        if text and self._kept < self._limit:
            head = text[: self._limit - self._kept]
            self._parts.append(head)
            self._kept += len(head)
            text = text[len(head) :]
        if text and self._kept == self._limit:
            sign = text.strip(BLANKS)[:1]
            self._parts.append(sign)
            self._kept += len(sign)

    def _close(self, end: int) -> Line:
        """The open line, ended by ``end`` more bytes."""
        line = b"".join(self._parts), self._size + end
        self._parts = []
        self._kept = self._size = 0
        return line

"""Pieces of a live stream to frames: what one dispatched event says, still as bytes.

Theory. An event stream is lines, ended by LF, CR or CRLF; lines make blocks, ended by a blank line; a block that has a
``data`` field is an event (WHATWG HTML 9.2.6). A server writes nearly every event as one line, ``data: {...}``, and
one blank line. So text is brought to LF alone first, cut at ``LF LF``, and only a block that is not of that one form is
taken apart line by line.

1. The frames do not depend on how the stream was cut into pieces.
2. What is open between two pieces is one line without its end, and the fields of its block. The line is a list of
   parts, joined when its end comes: each byte is looked at a bounded number of times.
3. A CR at the end of a piece ends its line at once; an LF that then comes first is the other half of it and is dropped.
4. Nothing is decoded but names and ids: :attr:`Frame` data may be invalid UTF-8.

:class:`ClientFrames` is the same with the faults of the openai client's decoder, to the letter.
"""

from __future__ import annotations

from typing import TypeAlias

Frame: TypeAlias = "tuple[bytes, str, str | None, int | None]"
"""data, name of the event (empty when there is none), last id, retry."""

BOM = b"\xef\xbb\xbf"
_DATA = b"data: "


class Frames:
    """The frames of a stream, to the letter of the standard.

    Attributes:
        failure: an exception that ended the stream; only :class:`ClientFrames` knows one.
    """

    failure: Exception | None = None

    def __init__(self) -> None:
        self._head: bytes | None = b""  # the first bytes, until it is clear whether they are a BOM
        self._after_cr = False
        self._parts: list[bytes] = []  # the open line
        self._id: str | None = ""
        self._at_border = False  # nothing is open: a piece may be one whole event of the common form
        self._clear()

    def _clear(self) -> None:
        self._data: list[bytes] = []
        self._event = ""
        self._retry: int | None = None
        self._pending = False  # the open block has a field

    def feed(self, piece: bytes) -> list[Frame]:
        """The frames that end in ``piece``."""
        if self._at_border and piece[:6] == _DATA and piece.find(b"\n") == len(piece) - 2 and b"\r" not in piece:
            return [(piece[6:-2], "", self._id, None)] if piece.endswith(b"\n\n") else self._read(piece)
        return self._read(piece)

    def _read(self, piece: bytes) -> list[Frame]:
        if self._head is not None:
            piece = self._begin(piece)
        if self._after_cr and piece:
            self._after_cr = False
            if piece[0] == 10:
                piece = piece[1:]
        if b"\r" in piece:
            self._after_cr = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if b"\n" not in piece:
            if piece:
                self._parts.append(piece)
                self._at_border = False
            return []
        if self._parts:
            self._parts.append(piece)
            piece = b"".join(self._parts)
            self._parts = []
        frames = self._frames(piece)
        self._at_border = not (self._parts or self._pending or self._after_cr)
        return frames

    def finish(self) -> list[Frame]:
        """The end of the stream: an open block is dropped."""
        return []

    def _begin(self, piece: bytes) -> bytes:
        """The first bytes without a BOM; none while that is open."""
        assert self._head is not None
        piece = self._head + piece
        if len(piece) < len(BOM) and BOM.startswith(piece):
            self._head = piece
            return b""
        self._head = None
        return piece.removeprefix(BOM)

    def _frames(self, text: bytes) -> list[Frame]:
        """Of text that has a line end, and begins with the open line."""
        frames: list[Frame] = []
        blocks = text.split(b"\n\n")
        rest = blocks.pop()
        for block in blocks:
            if block[:6] == _DATA and not self._pending and b"\n" not in block:
                frames.append((block[6:], "", self._id, None))
            else:
                self._lines(block.split(b"\n"), frames)
                self._dispatch(frames)
        lines = rest.split(b"\n")
        rest = lines.pop()
        self._lines(lines, frames)
        if rest:
            self._parts.append(rest)
        return frames

    def _lines(self, lines: list[bytes], frames: list[Frame]) -> None:
        for line in lines:
            if line:
                self._field(line)
            else:
                self._dispatch(frames)

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        elif name == b"id":
            if b"\0" not in value:
                self._id = value.decode("utf-8", "replace")
            return
        elif name == b"retry":
            if value.isdigit():
                self._retry = _milliseconds(value, self._retry)
        else:
            return
        self._pending = True

    def _dispatch(self, frames: list[Frame]) -> None:
        if self._data:
            frames.append((b"\n".join(self._data), self._event, self._id, self._retry))
        if self._pending:
            self._clear()


class ClientFrames(Frames):
    """As openai's ``SSEDecoder``, newest: a BOM stays, every line must be UTF-8, blocks without data are events too.

    A line that is not UTF-8 is the :attr:`failure`; the frames before it are handed out, none after it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._head = None
        self._id = None
        self.failure = None

    def feed(self, piece: bytes) -> list[Frame]:
        return [] if self.failure else self._read(piece)

    def finish(self) -> list[Frame]:
        try:
            b"".join(self._parts).decode()
        except UnicodeDecodeError as error:
            self.failure = self.failure or error
        return []

    def _frames(self, text: bytes) -> list[Frame]:
        if text.isascii():
            return super()._frames(text)
        frames: list[Frame] = []
        lines = text.split(b"\n")
        rest = lines.pop()
        try:
            self._lines(lines, frames)
        except UnicodeDecodeError as error:
            self.failure = error
        if rest:
            self._parts.append(rest)
        return frames

    def _field(self, line: bytes) -> None:
        name, _, text = line.decode().partition(":")
        text = text.removeprefix(" ")
        if line.startswith(b":"):
            return
        if name == "data":
            self._data.append(text.encode())
        elif name == "event":
            self._event = text
        elif name == "id":
            self._id = self._id if "\0" in text else text
        elif name == "retry":
            try:
                self._retry = int(text)
            except ValueError:
                return
        self._pending = True

    def _dispatch(self, frames: list[Frame]) -> None:
        if self._event or self._data or self._id or self._retry is not None:
            frames.append((b"\n".join(self._data), self._event, self._id, self._retry))
            self._clear()


def _milliseconds(digits: bytes, otherwise: int | None) -> int | None:
    """The number; ``otherwise`` where Python declines to read one so long."""
    try:
        return int(digits)
    except ValueError:
        return otherwise

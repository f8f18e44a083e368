"""Exceptions, each saying what went wrong, where, and what to do.

Below this file problems are values (a row of ``log.problems``); only ``errors="raise"`` turns one into an
exception. Everything ssift raises on its own account is a :class:`SsiftError`; a wrong argument is a plain
``ValueError`` or ``TypeError`` as anywhere in Python.
"""

from __future__ import annotations


class SsiftError(Exception):
    """Base of all exceptions of ssift."""


class EngineError(SsiftError):
    """The engine asked for cannot be had: an unknown name, or ``native`` where it was not built."""


class TableError(SsiftError, LookupError):
    """A table was used that was left out by ``tables=``, or a column that does not exist."""


class ReadError(SsiftError, OSError):
    """A source cannot be opened, or reading it broke off.

    Attributes:
        source: the path or name as given, ``""`` for bytes, ``-`` for standard input.
        offset: bytes of the (decoded) source read before, or None when it could not be opened.
        line: always None; there for symmetry with :class:`ProblemError`.
        kind: ``"read"``.
    """

    kind = "read"

    def __init__(self, message: str, source: str = "", offset: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.offset = offset
        self.line: int | None = None

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type, tuple[str, str, int | None]]:
        return type(self), (self.message, self.source, self.offset)


class NotFoundError(ReadError, FileNotFoundError):
    """A path does not exist, a pattern matches nothing, or a folder holds no file."""


class ProblemError(SsiftError):
    """The first problem of the input, raised by ``errors="raise"``.

    Attributes:
        source: name of the source, as in ``log.problems["source"]``.
        offset: where the bad event or line begins, in bytes of the decoded source, from 0.
        length: its bytes.
        line: number of its first line, from 1.
        kind: one of ``ssift.contract.PROBLEM_KINDS``.
        message: what is wrong.
    """

    def __init__(self, source: str, offset: int, length: int, line: int, kind: str, message: str) -> None:
        super().__init__(source, offset, length, line, kind, message)
        self.source = source
        self.offset = offset
        self.length = length
        self.line = line
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        name = self.source or "the input"
        return (
            f"{name}, line {self.line} (byte {self.offset}, {self.length} bytes): {self.kind}: {self.message}; "
            'read with errors="collect" to go on and find it in log.problems'
        )


def row_at(index: int, rows: int, what: str) -> int:
    """``index``, which may count from the end, as one of ``rows``.

    Raises:
        IndexError: ``what`` has no such row.
    """
    try:
        return range(rows)[index]
    except IndexError:
        raise IndexError(f"{what} has {rows:,} {'row' if rows == 1 else 'rows'}, and no row {index}") from None


class StreamError(SsiftError):
    """A live stream said that it failed, or sent what cannot be read.

    Attributes:
        kind: ``"error"`` for an error that the server sent, ``"json"`` for data that is not JSON, ``"encoding"`` for
            bytes that are not UTF-8 (only with ``compat=True``).
        message: what the server says is wrong, or what is wrong with the data.
        code: the server's code as a string, None when it gave none.
        raw: the data of the event as sent.
    """

    def __init__(self, kind: str, message: str, code: str | None, raw: bytes) -> None:
        super().__init__(kind, message, code, raw)
        self.kind = kind
        self.message = message
        self.code = code
        self.raw = raw

    def __str__(self) -> str:
        if self.kind == "error":
            return f"the server broke the stream off: {self.message}" + (f" (code {self.code})" if self.code else "")
        return f"an event of the stream could not be read: {self.kind}: {self.message}"

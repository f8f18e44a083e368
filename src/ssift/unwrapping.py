"""The bytes of each source as they were sent: what ``offset`` and ``length`` of tables count in."""

from __future__ import annotations

from collections.abc import Iterator

from ssift.contract import Limits
from ssift.sources import Opened, Readable, Records, Source, find
from ssift.sources.containers import contents
from ssift.sources.source import WINDOW


def bodies(
    source: Readable, *, format: str | Records | None = None, limits: Limits | None = None
) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each source, nothing left out: comments, event names and blank lines too.

    Names are those of ``responses["source"]``; of a container (a HAR file, a cassette, a log of records) each body is
    one. Compression is undone, UTF-16 is UTF-8, and what stands before the first line (a byte order mark, zeros) is
    zeros, so that offsets hold. A body is held whole. What cannot be read is not there; ``ssift.read`` tells why.

    Args:
        source, format: as for :func:`ssift.read`.
        limits: ``event_bytes`` and ``max_ratio`` count; None is the defaults.

    Raises:
        NotFoundError, ReadError: as :func:`ssift.read`.
    """
    limits = limits or Limits()
    for found in find(source):
        yield from _of(found, format, limits)


def _of(source: Source, form: str | Records | None, limits: Limits) -> Iterator[tuple[str, bytes]]:
    with Opened(source, bytearray(WINDOW), limits.event_bytes, form, limits.max_ratio) as opened:
        if opened.container is None:
            yield source.name, bytes(opened.offset) + b"".join(bytes(piece) for piece in opened)
            return
        for label, body in contents(opened.container.read(opened.pieces, source.name)):
            yield (f"{source.name}#{label}" if label else source.name), body

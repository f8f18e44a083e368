"""The bytes of bodies, one after the other, for whoever wants to look at them again."""

from __future__ import annotations

from collections.abc import Iterator

from ssift.sources.containers.body import Body, Fault, Item, Left, Run, begins_line, in_comment
from ssift.sources.containers.splitting import single


def contents(items: Iterator[Item]) -> Iterator[tuple[str, bytes]]:
    """Label and bytes of each body. A body is held whole."""
    joined = bytearray()
    label = None
    for item in items:
        if isinstance(item, Run) and item.joined:
            if label != item.label and label is not None:
                yield label, bytes(joined)
                joined.clear()
            label = item.label
            for data in _records(item, joined):
                if _in_line(joined) and begins_line(data):
                    joined += b"\n"
                joined += data
        elif isinstance(item, Run):
            for data in _records(item, b""):
                yield item.label or str(item.number - 1), data
        elif isinstance(item, Body):
            yield item.label, b"".join(piece.data for piece in item.pieces)
    if label is not None:
        yield label, bytes(joined)


def _in_line(data: bytes | bytearray) -> bool:
    return bool(data) and data[-1] not in b"\r\n"


def _records(run: Run, before: bytes | bytearray) -> Iterator[bytes]:
    """The body, or part of a body, in each record; ``run.number`` is one ahead of it, ``before`` grows with it."""
    if run.complete is None:
        found = single(run.text)
    else:
        text = run.complete()
        found = iter(() if text is None else (text,))
    for text in found:
        item = run.item(text, run.label or str(run.number), _in_line(before) and not in_comment(before))
        run.number += 1
        if not isinstance(item, (Fault, Left)):
            yield b"".join(piece.data for piece in item.pieces)

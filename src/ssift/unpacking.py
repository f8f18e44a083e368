"""Reads the bodies of a container with an engine, each as a source by itself.

Problems of the container's own bytes belong to a source that has its name and no bytes; in the list of sources it is
there once, with the framing ``container``, and tells how many bodies were left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ssift.contract import M_NO_BODY, PROBLEM_KINDS, Engine, Framing, SourceCounts
from ssift.log import SourceInfo
from ssift.sources.containers import Body, Fault, Format, Left, Record

NO_COUNTS = SourceCounts(*[0] * len(SourceCounts._fields))


class Unpacker:
    """Reads one container. ``number`` is that of its own source, ``new_source`` gives one to a name."""

    def __init__(
        self,
        engine: Engine,
        form: Format,
        name: str,
        compression: str | None,
        number: int,
        new_source: Callable[[str], int],
        ended: Callable[[SourceInfo], None],
    ) -> None:
        self._engine = engine
        self._form = form
        self._name = name
        self._compression = compression
        self._number = number
        self._new_source = new_source
        self._ended = ended
        self._faults: SourceCounts = NO_COUNTS
        self._bodies = self._left = 0
        self._waiting: list[Fault] = []  # problems found while a body is open
        self._open: SourceInfo | None = None
        self._label = ""  # of the open body

    def read(self, pieces: Iterator[memoryview]) -> Iterator[int]:
        """Read everything; after each step the bytes of bodies in it."""
        for item in self._form.read(pieces, self._name):
            if isinstance(item, Record) and item.joined:
                self._go_on(item)
                yield item.text.end - item.text.start
            elif isinstance(item, Record):
                self._record(item)
                yield item.text.end - item.text.start
            else:
                yield from self._item(item, None)
        self._close()
        if not self._bodies and not self._faults.problems and self._left:
            self.fault(Fault(M_NO_BODY))

    def _item(self, item: Body | Fault | Left, number: int | None) -> Iterator[int]:
        if isinstance(item, Left):
            self._left += 1
        elif isinstance(item, Fault):
            self._waiting.append(item)
            if self._open is None:
                self._report()
        else:
            self._begin(item.label, item.framing, number)
            for piece in item.pieces:
                for offset, ns in piece.marks:
                    self._engine.arrived(ns, offset)
                self._engine.feed(piece.data)
                yield len(piece.data)
            self._close()

    def _record(self, record: Record) -> None:
        self._close()
        name = self._name_of(record.label)
        number = self._new_source(name)
        text = record.text
        counts = self._engine.record(number, text.window, text.start, text.end, record.shape)
        if counts is None:
            for _ in self._item(record.body(), number):
                pass
        else:
            self._bodies += 1
            self._ended(self._info(name, "sse", counts))

    def _go_on(self, record: Record) -> None:
        """A record that is a part of a body."""
        if self._open is None or self._label != record.label:
            self._begin(record.label, "sse", None)
        text = record.text
        if self._engine.record(-1, text.window, text.start, text.end, record.shape) is not None:
            return
        found = record.body()
        if isinstance(found, Left):
            self._left += 1
        elif isinstance(found, Fault):
            self._waiting.append(found)
        else:
            for piece in found.pieces:
                at = 0
                for offset, ns in piece.marks:
                    self._engine.feed(piece.data[at:offset])
                    self._engine.arrived(ns)
                    at = offset
                self._engine.feed(piece.data[at:])

    def _begin(self, label: str, framing: Framing, number: int | None) -> None:
        self._close()
        name = self._name_of(label)
        self._engine.begin(self._new_source(name) if number is None else number, framing)
        self._open = self._info(name, framing, NO_COUNTS)
        self._label = label
        self._bodies += 1

    def _close(self) -> None:
        if self._open is not None:
            counts = self._engine.end()
            self._ended(self._info(self._open.name, self._open.framing, counts))
            self._open = None
        self._report()

    def _info(self, name: str, framing: str, counts: SourceCounts) -> SourceInfo:
        return SourceInfo(name, sum(counts[:6]), framing, self._compression, counts, self._form.name)

    def _name_of(self, label: str) -> str:
        return f"{self._name}#{label}" if label else self._name

    def _report(self) -> None:
        waiting, self._waiting = self._waiting, []
        for fault in waiting:
            self.fault(fault)

    def end(self) -> None:
        """All that was to say of the container is said."""
        info = SourceInfo(
            self._name, 0, "container", self._compression, self._faults, self._form.name, self._bodies, self._left
        )
        self._ended(info)

    def fault(self, fault: Fault) -> None:
        """A problem of the container."""
        self._engine.begin(self._number, "sse")
        kind = PROBLEM_KINDS.index(fault.kind)
        self._engine.problem(kind, fault.offset, fault.length, fault.line, fault.message)
        counts = self._engine.end()
        self._faults = self._faults._replace(problems=self._faults.problems + counts.problems)

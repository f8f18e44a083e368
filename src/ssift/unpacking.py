"""Reads the bodies of a container with an engine, each as a source by itself.

Problems of the container's own bytes belong to a source that has its name and no bytes; in the list of sources it is
there once, with the framing ``container``, and tells how many bodies were left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

from ssift.contract import M_FORMAT, M_LOOKS_LIKE, M_NO_BODY, PROBLEM_KINDS, Engine, Framing, SourceCounts
from ssift.log import SourceInfo
from ssift.names import Names
from ssift.sources.containers import Body, Fault, Format, Left, Piece, Run, Text, begins_line, in_comment

NO_COUNTS = SourceCounts(*[0] * len(SourceCounts._fields))
_LINE_ENDS = (b"\n", b"\r")


def is_misread(looks: str | None, form: str, chunks: int, errors: int) -> bool:
    """Whether a source that was read as ``form``, and gave so many chunks and errors, is what it ``looks`` like."""
    if looks is None or looks == form or chunks:
        return False
    return not errors or looks not in get_args(Framing)  # an error has the same form in all framings


def note(engine: Engine, number: int, fault: Fault) -> None:
    """Write down a problem of a source that is not open."""
    engine.begin(number, "sse")
    engine.problem(PROBLEM_KINDS.index(fault.kind), fault.offset, fault.length, fault.line, fault.message)
    engine.end()


class Unpacker:
    """Reads one container. ``number`` is that of its own source; ``ended`` is told of each source.

    ``looks``: what it looks like, where it is read as ``form`` because somebody said so.
    """

    def __init__(
        self,
        engine: Engine,
        form: Format,
        name: str,
        compression: str | None,
        number: int,
        names: Names,
        ended: Callable[[SourceInfo], None],
        looks: str | None = None,
    ) -> None:
        self._engine = engine
        self._form = form
        self._name = name
        self._compression = compression
        self._number = number
        self._names = names
        self._ended = ended
        self._looks = looks if looks != form.name else None
        self._problems = self._bodies = self._left = self._chunks = self._errors = 0
        self._waiting: list[Fault] = []  # found while a body is open
        self._tail = 0  # behind the latest of them, and the blanks after it
        self._open = ""  # name of the open body
        self._framing: Framing | None = None  # of the open body; None: there is none
        self._in_line = False  # the open body stopped inside a line
        self._in_comment = False  # and that is a comment

    def read(self, pieces: Iterator[memoryview]) -> Iterator[int]:
        """Read everything; after each step the bytes that it took."""
        for item in self._form.read(pieces, self._name):
            if isinstance(item, Run):
                yield from self._run(item)
            else:
                yield from self._item(item)
        self._close()
        if is_misread(self._looks, self._form.name, self._chunks, self._errors):
            self.fault(Fault(M_FORMAT))
        elif self._left and not self._bodies and not self._problems:
            self.fault(Fault(M_NO_BODY))

    def fault(self, fault: Fault) -> None:
        """A problem of the container."""
        if fault.message == M_FORMAT and self._looks is not None:
            fault.message = M_LOOKS_LIKE[self._looks]
            self._looks = None  # said once
        note(self._engine, self._number, fault)
        self._problems += 1

    def end(self) -> None:
        """All that was to say of the container is said."""
        counts = NO_COUNTS._replace(problems=self._problems)
        self._ended(
            SourceInfo(self._name, 0, "container", self._compression, counts, self._form.name, self._bodies, self._left)
        )

    # ------------------------------------------------------------------------------------------------------ bodies

    def _item(self, item: Body | Fault | Left) -> Iterator[int]:
        if isinstance(item, Left):
            self._left += 1
        elif isinstance(item, Fault):
            self._waiting.append(item)
            self._tail = item.offset + item.length
        else:
            self._close()
            self._begin(self._name_of(item.label), item.framing)
            self._engine.requested(item.requested)
            for piece in item.pieces:
                for offset, ns in piece.marks:
                    self._engine.arrived(ns, offset)
                self._engine.feed(piece.data)
                yield len(piece.data)
            self._close()

    def _begin(self, name: str, framing: Framing) -> None:
        self._engine.begin(self._names.add(name), framing)
        self._open = name
        self._framing = framing
        self._in_line = self._in_comment = False
        self._bodies += 1

    def _close(self) -> None:
        if self._framing is not None:
            self._tell(self._open, self._framing, self._engine.end())
            self._framing = None
        self._report()

    def _report(self) -> None:
        waiting, self._waiting = self._waiting, []
        for fault in waiting:
            self.fault(fault)

    def _tell(self, name: str, framing: Framing, counts: SourceCounts) -> None:
        self._chunks += counts.chunks
        self._errors += counts.errors
        self._ended(SourceInfo(name, counts.size, framing, self._compression, counts, self._form.name))

    def _name_of(self, label: str) -> str:
        return f"{self._name}#{label}" if label else self._name

    # ----------------------------------------------------------------------------------------------------- records

    def _run(self, run: Run) -> Iterator[int]:
        """Records: as far as the engine goes by itself, the next one here, and so on."""
        name = self._name_of(run.label)
        if not run.joined:
            self._close()
        elif self._framing is None or self._open != name:
            self._close()
            self._begin(name, "sse")
        yield from self._element(run) if run.complete else self._lines(run)

    def _lines(self, run: Run) -> Iterator[int]:
        window, at, end, offset, line = run.text
        while at < end:
            stop, lines = self._by_engine(run, run.text, at)
            if stop > at:
                self._widen(Text(window, at, stop, offset, line))
                yield stop - at
            line += lines
            if stop == end:
                break
            offset += stop - at
            at = window.find(b"\n", stop, end) + 1 or end
            yield from self._by_hand(run, Text(window, stop, at, offset, line))
            line += window[at - 1] == ord("\n")
            offset += at - stop
        run.lines = line - run.text.line

    def _element(self, run: Run) -> Iterator[int]:
        """One record, the end of which is not known yet."""
        assert run.complete is not None
        stop, lines = self._by_engine(run, run.text, run.text.start)
        if stop > run.text.start:
            run.stop, run.lines = stop, lines
            yield stop - run.text.start
            return
        text = run.complete()
        if text is None:
            return
        stop, _ = self._by_engine(run, text, text.start)
        yield text.end - text.start
        if stop == text.start:
            yield from self._by_hand(run, text)

    def _by_engine(self, run: Run, text: Text, at: int) -> tuple[int, int]:
        """As far as the engine goes by itself; where it stopped, and the line ends until there."""
        source = -1 if run.joined else self._names.latest + 1
        if (run.joined and self._in_line) or run.by_hand():
            return at, 0
        stop, counts, lines = self._engine.records(source, text.window, at, text.end, run.shape, run.complete is None)
        for found in counts:
            name = self._name_of(run.label or str(run.number))
            self._names.add(name)
            self._tell(name, "sse", found)
            run.number += 1
        if counts:
            self._bodies += len(counts)
            self._report()
        return stop, lines

    def _by_hand(self, run: Run, text: Text) -> Iterator[int]:
        """One record that the engine was not sure about."""
        if text.is_blank():
            self._widen(text)
            return
        found = run.item(text, run.label or str(run.number), run.joined and self._in_line and not self._in_comment)
        run.number += 1
        if run.joined and isinstance(found, Body):
            if found.requested is not None:
                self._engine.requested(found.requested)
            for piece in found.pieces:
                self._go_on(piece)
                yield len(piece.data)
        elif not (isinstance(found, Fault) and self._widen(text, found.message)):
            yield from self._item(found)

    def _widen(self, text: Text, message: int | None = None) -> bool:
        """Let the latest problem reach over the text, if that is the same and nothing but blanks stand between."""
        if not self._waiting or text.offset != self._tail or message not in (None, self._waiting[-1].message):
            return False
        if message is None and not text.is_blank():
            return False
        self._tail = text.offset + text.end - text.start
        if message is not None:
            self._waiting[-1].length = self._tail - self._waiting[-1].offset
        return True

    def _go_on(self, piece: Piece) -> None:
        """The next piece of the open body; lines that were recorded without their ends get them back."""
        if self._in_line and begins_line(piece.data):
            self._engine.feed(b"\n")
        at = 0
        for offset, ns in piece.marks:
            self._engine.feed(piece.data[at:offset])
            self._engine.arrived(ns)
            at = offset
        self._engine.feed(piece.data[at:])
        if not self._in_line or begins_line(piece.data) or any(end in piece.data for end in _LINE_ENDS):
            self._in_comment = in_comment(piece.data)
        self._in_line = not piece.data.endswith(_LINE_ENDS)

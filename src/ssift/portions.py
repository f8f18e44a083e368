"""Reads whole sources with one engine, portion by portion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ssift.contract import M_LOOKS_LIKE, M_UTF16, PROBLEM_KINDS, Batch, Engine, Limits
from ssift.joining import join
from ssift.log import SourceInfo
from ssift.names import Names
from ssift.sources import Opened, Source
from ssift.sources.source import WINDOW

if TYPE_CHECKING:  # most sources are no containers, and whoever reads these imports what opens them
    from ssift.sources import Records
    from ssift.sources.containers import Format

_PROBLEMS = 1 << 17  # in a portion, looked at after each window


class Portion(NamedTuple):
    """The rows of a stretch of input.

    ``names`` are those of the sources that its rows speak of, by number; ``ended`` the sources that ended in it. It
    took ``size`` decoded bytes of input; ``taken`` counts the stored ones.
    """

    batch: Batch
    names: Mapping[int, str]
    ended: list[SourceInfo]
    size: int
    taken: int


def merged(portions: Sequence[Portion]) -> Portion:
    """Portions that follow each other, as one; there is at least one."""
    if len(portions) == 1:
        return portions[0]
    names = {number: name for portion in portions for number, name in portion.names.items()}
    ended = [source for portion in portions for source in portion.ended]
    batch = join([portion.batch for portion in portions])
    return Portion(batch, names, ended, sum(part.size for part in portions), sum(part.taken for part in portions))


class SourceReader:
    """Reads sources one after the other; row numbers count over all that it reads.

    ``watch`` is called after each window with the stored bytes taken since the call before. With ``until_problem`` the
    first window with a problem is the last one.
    """

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        watch: Callable[[int], object] | None = None,
        until_problem: bool = False,
        form: str | Records | None = None,
    ) -> None:
        self._form = form
        self._engine = engine
        self._limits = limits
        self._watch = watch
        self._until_problem = until_problem
        self._buffer = bytearray(0)
        self._names = Names()
        self._at_hand = 0  # number of the source; the latest may be a body in it
        self._ended: list[SourceInfo] = []
        self._size = self._taken = self._problems = 0

    def read(self, sources: Iterable[Source], portion_bytes: int | None) -> Iterator[Portion]:
        """Portions of ``portion_bytes`` of input each, or one of all when that is None; the last may hold nothing."""
        self._names = Names()
        self._at_hand = 0
        for source in sources:
            number = self._at_hand = self._names.add(source.name)
            limits = self._limits
            with Opened(source, self._buffer_for(source), limits.event_bytes, self._form, limits.max_ratio) as opened:
                if opened.container is not None:
                    yield from self._unpack(source, opened, opened.container, number, portion_bytes)
                    if self._until_problem and self._engine.problem_count:
                        return
                    continue
                self._engine.begin(number, opened.framing, opened.offset + opened.undecodable)
                taken = 0
                for piece in opened:
                    start = 0
                    while start < len(piece):
                        left = WINDOW if portion_bytes is None else portion_bytes - self._size
                        step = min(WINDOW, len(piece) - start, left)
                        self._engine.feed(piece[start : start + step])
                        self._note(step, opened.taken - taken)
                        start, taken = start + step, opened.taken
                        if self._until_problem and self._engine.problem_count:
                            yield self._take()
                            return
                        if portion_bytes is not None and (self._size >= portion_bytes or self._many_problems()):
                            yield self._take()
                self._end(source, number, opened)
                self._note(0, opened.taken - taken)
        yield self._take()

    def _unpack(
        self, source: Source, opened: Opened, form: Format, number: int, portion_bytes: int | None
    ) -> Iterator[Portion]:
        """Portions of the bodies of a container."""
        from ssift.sources.containers import Fault
        from ssift.unpacking import Unpacker

        unpacker = Unpacker(
            self._engine, form, source.name, opened.compression, number, self._names, self._ended.append, opened.looks
        )
        taken = 0
        for size in unpacker.read(opened.pieces):
            self._note(size, opened.taken - taken)
            taken = opened.taken
            if self._until_problem and self._engine.problem_count:
                yield self._take()
                return
            if portion_bytes is not None and (self._size >= portion_bytes or self._many_problems()):
                yield self._take()
        if opened.damage is not None:
            offset, line = opened.place_of_end()
            unpacker.fault(Fault(opened.damage, offset, 0, line, "compression"))
        unpacker.end()
        self._note(0, opened.taken - taken)
        if self._until_problem and self._engine.problem_count:
            yield self._take()

    def _take(self) -> Portion:
        """What was read since the portion before."""
        portion = Portion(self._engine.take(), dict(self._names.by_number), list(self._ended), self._size, self._taken)
        self._names.keep(self._at_hand)
        self._ended.clear()
        self._size = self._taken = 0
        self._problems = self._engine.problem_count
        return portion

    def _buffer_for(self, source: Source) -> bytearray:
        wanted = WINDOW if source.size is None else min(WINDOW, max(source.size + 1, 64 << 10))
        if len(self._buffer) < wanted:
            self._buffer = bytearray(wanted)
        return self._buffer

    def _many_problems(self) -> bool:
        """A problem's row takes more memory than the line it stands for."""
        return self._engine.problem_count - self._problems >= _PROBLEMS

    def _note(self, size: int, taken: int) -> None:
        self._size += size
        self._taken += taken
        if self._watch is not None and (size or taken):
            self._watch(taken)

    def _end(self, source: Source, number: int, opened: Opened) -> None:
        if opened.damage is not None:
            offset, line = opened.place_of_end()
            self._engine.problem(PROBLEM_KINDS.index("compression"), offset, 0, line, opened.damage)
        if opened.undecodable:
            self._engine.problem(PROBLEM_KINDS.index("encoding"), 0, opened.undecodable, 1, M_UTF16)
        counts = self._engine.end()
        if opened.undecodable:  # the engine saw blanks; what could not be decoded is the problem's
            counts = counts._replace(problem_bytes=opened.undecodable, blank_bytes=0)
        if opened.looks is not None:
            from ssift.sources.containers import Fault
            from ssift.unpacking import is_misread, note

            if is_misread(opened.looks, opened.framing, counts.chunks, counts.errors):
                note(self._engine, number, Fault(M_LOOKS_LIKE[opened.looks]))
                counts = counts._replace(problems=counts.problems + 1)
        self._ended.append(SourceInfo(source.name, counts.size, opened.framing, opened.compression, counts))

"""Reads parts of sources in several threads, and hands on what they hold in order.

Theory. The native engine works without the interpreter lock, so threads help. Large event streams are divided where a
response ends (:mod:`ssift.sources.parts`), any other source is one part. Each thread has an engine and takes the next
part; what it reads goes into the part's *lane*, and the lanes are emptied in order, so that rows come as from one
engine once they are renumbered.

Whether a part could be read by itself is known when the part before has been read: its engine must be settled then.
If it is not, its thread reads on into the next part, which becomes *void*: what another thread made of it is dropped.
Logs whose responses interleave are thus read right, if with one thread.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ssift.contract import Limits, PartEngine, SourceCounts
from ssift.joining import Numbers, renumber
from ssift.log import SourceInfo
from ssift.portions import Portion, SourceReader
from ssift.sources import Source
from ssift.sources.parts import Part, divide
from ssift.sources.source import WINDOW

if TYPE_CHECKING:
    from ssift.sources import Records

_WAITING = 1  # portions that a lane holds before its thread has to wait

Work: TypeAlias = "Source | Part"


class _Stretch(NamedTuple):
    """A portion as its thread numbers it; ``before`` were the engine's numbers where the lane begins.

    The last one of a part has what the part held in all (``counts``), and says whether the source ends with it.
    """

    portion: Portion
    before: Numbers
    counts: SourceCounts | None = None
    last: bool = False


class _End(NamedTuple):
    """The end of a lane: how far its numbers went, and, of a part, its lines."""

    numbers: Numbers
    lines: int = 0


_Item: TypeAlias = "_Stretch | _End | BaseException"


class _Lane:
    """What one part holds, on the way from the thread that reads it."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self._items: deque[_Item] = deque()
        self._changed = threading.Condition()
        self._dropped = False

    def put(self, item: _Item) -> bool:
        """Hand on, when there is room; False when nobody wants it."""
        with self._changed:
            while isinstance(item, _Stretch) and len(self._items) >= _WAITING and not self._dropped:
                self._changed.wait()
            if not self._dropped:
                self._items.append(item)
                self._changed.notify_all()
            return not self._dropped

    def get(self) -> _Stretch | _End:
        with self._changed:
            while not self._items:
                self._changed.wait()
            item = self._items.popleft()
            self._changed.notify_all()
        if isinstance(item, BaseException):
            raise item
        return item

    def drop(self) -> None:
        """Nobody wants what comes."""
        with self._changed:
            self._dropped = True
            self._items.clear()
            self._changed.notify_all()


class _Worker:
    """One thread's engine, and the numbers it has counted to."""

    def __init__(self, engine: PartEngine, limits: Limits, portion_bytes: int, form: str | Records | None) -> None:
        self._engine = engine
        self._portion_bytes = portion_bytes
        self._reader = SourceReader(engine, limits, form=form)
        self._buffer = bytearray(WINDOW)
        self._chunks = self._tokens = self._tops = 0

    def read(self, lane: _Lane) -> None:
        if isinstance(lane.work, Part):
            self._read_part(lane.work, lane)
        else:
            self._read_source(lane.work, lane)

    def _read_source(self, source: Source, lane: _Lane) -> None:
        before = self._numbers()
        names = 0
        for portion in self._reader.read([source], self._portion_bytes):
            names = max(names, *portion.names) + 1
            if not lane.put(_Stretch(self._counted(portion), before)):
                return
        lane.put(_End(self._numbers() - before + Numbers(sources=names)))

    def _read_part(self, part: Part, lane: _Lane) -> None:
        begin = part.border
        before = self._numbers()
        if begin is None or part.void:
            lane.put(_End(Numbers()))
            return
        if part.nominal:
            self._engine.resume(0, "sse", begin)
        else:
            self._engine.begin(0, "sse", begin)
        stop = self._feed(part, lane, before, begin)
        lines, counts = self._engine.line - 1, self._engine.end()
        last = stop is None
        if lane.put(_Stretch(self._take(part), before, counts, last)):
            lane.put(_End(self._numbers() - before + Numbers(sources=int(last)), 0 if last else lines))

    def _feed(self, part: Part, lane: _Lane, before: Numbers, start: int) -> int | None:
        """Read the part, and on through the next ones until the engine is settled; where that is (None: at the end)."""
        own = part
        while True:
            following = part.next_part()
            stop = None if following is None else following.border
            for window in part.source.stretch(self._buffer, start, stop):
                for step in range(0, len(window), WINDOW):
                    self._engine.feed(window[step : step + WINDOW])
                if own.void:
                    return stop
            if following is None or stop is None or self._engine.settled:
                return stop
            following.void = True
            if not lane.put(_Stretch(self._take(part), before)):
                return stop
            part, start = following, stop

    def _take(self, part: Part) -> Portion:
        size = part.limit - part.nominal  # as near as matters
        return self._counted(Portion(self._engine.take(), {0: part.source.name}, [], size, size))

    def _counted(self, portion: Portion) -> Portion:
        totals = portion.batch.totals
        self._chunks += totals["chunks"]
        self._tokens += totals["tokens"]
        self._tops += totals["top_logprobs"]
        return portion

    def _numbers(self) -> Numbers:
        return Numbers(0, self._engine.response_count, self._chunks, self._tokens, self._tops)


class Team:
    """Threads at work on ``sources``; iterating gives portions of about ``portion_bytes`` of input, in order."""

    def __init__(
        self,
        sources: list[Source],
        threads: int,
        engine: Callable[[], PartEngine],
        limits: Limits,
        portion_bytes: int,
        form: str | Records | None = None,
    ) -> None:
        self._form = form
        self._engine = engine
        self._limits = limits
        self._portion_bytes = portion_bytes
        self._work = self._divided(sources)
        self._planning = threading.Lock()
        self._room = threading.Semaphore(threads + 1)  # for lanes that are begun and not emptied
        self._lanes: deque[_Lane | None] = deque()
        self._changed = threading.Condition()
        self._stopped = False
        self._threads = [
            threading.Thread(target=self._run, name=f"ssift reading {number}", daemon=True) for number in range(threads)
        ]

    def __iter__(self) -> Iterator[Portion]:
        for thread in self._threads:
            thread.start()
        try:
            yield from self._in_order()
        finally:
            self._stop()

    # --------------------------------------------------------------------------------------------- in the threads

    def _divided(self, sources: list[Source]) -> Iterator[Work]:
        for source in sources:
            parts = divide(source, self._portion_bytes, self._limits.event_bytes, self._form)
            yield from parts if parts else (source,)

    def _run(self) -> None:
        worker = _Worker(self._engine(), self._limits, self._portion_bytes, self._form)
        while (lane := self._next_lane()) is not None:
            try:
                worker.read(lane)
            except BaseException as error:  # raised where the lane is emptied
                lane.put(error)
                return

    def _next_lane(self) -> _Lane | None:
        """The lane of the next part; None when there is none, or nobody wants it."""
        self._room.acquire()
        with self._planning:
            if self._stopped:
                return None
            try:
                work = next(self._work, None)
                lane = None if work is None else _Lane(work)
            except BaseException as error:
                lane = _Lane(Source("", None))
                lane.put(error)
            with self._changed:
                self._lanes.append(lane)
                self._changed.notify()
            return lane

    # -------------------------------------------------------------------------------------- where lanes are emptied

    def _in_order(self) -> Iterator[Portion]:
        numbers = Numbers()
        counts: SourceCounts | None = None
        lines = 0
        while (lane := self._first()) is not None:
            part = lane.work if isinstance(lane.work, Part) else None
            if part is None or not part.void:
                while isinstance(item := lane.get(), _Stretch):
                    portion = _renumbered(item, numbers, lines)
                    if item.counts is not None:
                        counts = item.counts if counts is None else counts.plus(item.counts)
                        if item.last:
                            lines = 0
                            portion.ended.append(
                                SourceInfo(portion.names[numbers.sources], counts.size, "sse", None, counts)
                            )
                            counts = None
                    yield portion
                numbers += item.numbers
                lines += item.lines
            lane.drop()
            with self._changed:
                self._lanes.popleft()
            self._room.release()

    def _first(self) -> _Lane | None:
        with self._changed:
            while not self._lanes:
                self._changed.wait()
            return self._lanes[0]

    def _stop(self) -> None:
        with self._planning:
            self._stopped = True
        with self._changed:
            lanes = [lane for lane in self._lanes if lane is not None]
        for lane in lanes:
            lane.drop()
        for _ in self._threads:
            self._room.release()
        for thread in self._threads:
            thread.join()


def _renumbered(item: _Stretch, numbers: Numbers, lines: int) -> Portion:
    batch = renumber(item.portion.batch, numbers - item.before, lines)
    names = {numbers.sources + number: name for number, name in item.portion.names.items()}
    return item.portion._replace(batch=batch, names=names)

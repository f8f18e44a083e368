"""Which response does a chunk belong to?

Theory. A log holds the chunks of many responses, back to back or interleaved. Chunks carry an ``id``, but servers leave
it empty, change it in the middle, or use it again; a stream ends with ``[DONE]``, but not always. So a response is
*open* until ``[DONE]`` or the end of the source, and *finished* when all its choices have a finish_reason or an error
came. Rules for a chunk, in order (group "auto"):

1. An open response has had its id: it belongs there. No id: it belongs to the response with the latest event.
   Unless that one is finished and the chunk begins it anew.
2. A new id opens a response when the chunk looks like a first one.
3. Otherwise the id drifted: the latest response owns both.

Group "id" believes the id alone, across ``[DONE]``; group "done" believes ``[DONE]`` alone.

This file does not know what is in a response, but for what these rules ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ssift.python.chunks import Chunk
from ssift.python.responses import Response


class ByDone:
    """Group "done": all belongs to the only open response. Holds what the other rules share.

    ``opening`` makes a response, ``ending`` takes one that ended.
    """

    def __init__(self, limit: int, opening: Callable[[], Response], ending: Callable[[Response], None]) -> None:
        self._limit = limit
        self._opening = opening
        self._ending = ending
        self._open: dict[int, Response] = {}  # by number, the one with the latest event last
        self._owners: dict[str, list[Response]] = {}  # open responses that had an id, the newest last
        self.latest: Response | None = None  # of the open ones, the one with the latest event

    def place(self, chunk: Chunk) -> Response:
        """The response of a chunk."""
        return self._touch(self.latest or self._start(), chunk)

    def place_error(self, chunk: Chunk) -> Response:
        """The response of an error without choices."""
        return self._touch(self.latest or self._start(), chunk)

    def goes_on(self, name: str) -> bool:
        """Whether a chunk with this id surely belongs to the latest response, which is unfinished, and changes nothing
        about whose turn or whose id it is."""
        latest = self.latest
        return latest is not None and not latest.finished and (not name or self._owner(name) is latest)

    def done(self) -> Response | None:
        """A `[DONE]`: the response it belongs to."""
        response = self._latest_of(lambda response: response.finished) or self.latest
        if response is not None:
            response.done = True
        return response

    def after_done(self, response: Response) -> None:
        """The `[DONE]` of ``response`` was counted to it: it ends."""
        self._end(response)

    def end(self) -> None:
        """The source ends, and with it all that is open."""
        for response in sorted(self._open.values(), key=lambda response: response.number):
            self._end(response)

    def _start(self) -> Response:
        if len(self._open) >= self._limit:
            self._end(next(iter(self._open.values())))
        response = self._opening()
        self._open[response.number] = response
        self.latest = response
        return response

    def _touch(self, response: Response, chunk: Chunk | None) -> Response:
        """``response`` has the latest event; with it the id of ``chunk`` is its own."""
        if response is not self.latest:
            self._open[response.number] = self._open.pop(response.number)
            self.latest = response
        if chunk is not None and chunk.id and chunk.id not in response.ids:
            response.ids.add(chunk.id)
            self._owners.setdefault(chunk.id, []).append(response)
        return response

    def _owner(self, name: str) -> Response | None:
        """The newest open response that had this id."""
        owners = self._owners.get(name) if name else None
        return owners[-1] if owners else None

    def _latest_of(self, wanted: Callable[[Response], bool]) -> Response | None:
        return next((response for response in self._by_latest() if wanted(response)), None)

    def _by_latest(self) -> Iterator[Response]:
        return reversed(self._open.values())

    def _end(self, response: Response) -> None:
        del self._open[response.number]
        if response is self.latest:
            self.latest = next(self._by_latest(), None)
        for name in response.ids:
            owners = self._owners[name]
            owners.remove(response)
            if not owners:
                del self._owners[name]
        self._ending(response)


class ById(ByDone):
    """Group "id": the same id in the same source is the same response. `[DONE]` ends nothing."""

    def place(self, chunk: Chunk) -> Response:
        known = self._owner(chunk.id) if chunk.id else self.latest
        return self._touch(known or self._start(), chunk)

    def place_error(self, chunk: Chunk) -> Response:
        return self.place(chunk)

    def done(self) -> Response | None:
        response = self._latest_of(lambda response: response.finished and not response.done)
        response = response or self._latest_of(lambda response: not response.done)
        if response is not None:
            response.done = True
            self._touch(response, None)
        return response

    def after_done(self, response: Response) -> None:
        """It stays open."""


class ByRules(ByDone):
    """Group "auto"; see the head of this file."""

    _done_since = False  # a `[DONE]` came since the last chunk or error was placed

    def place(self, chunk: Chunk) -> Response:
        if chunk.id in self._owners:
            owner = self._owners[chunk.id][-1]
            if owner is self.latest and not owner.finished:  # what most chunks come to
                self._done_since = False
                return owner
        response = self._with_id(chunk) if chunk.id else self._without_id(chunk)
        self._done_since = False
        return self._touch(response or self._start(), chunk)

    def place_error(self, chunk: Chunk) -> Response:
        response = self._owner(chunk.id)
        if response is None and self.latest is not None and not self.latest.finished:
            response = self.latest
        self._done_since = False
        return self._touch(response or self._start(), chunk)

    def goes_on(self, name: str) -> bool:
        return not self._done_since and super().goes_on(name)

    def done(self) -> Response | None:
        self._done_since = True
        return super().done()

    def _with_id(self, chunk: Chunk) -> Response | None:
        owner = self._owner(chunk.id)
        if owner is not None:
            return None if owner.finished and _repeats_role(owner, chunk) else owner
        latest = self.latest
        if latest is None or (not _claims(latest, chunk) and _looks_first(chunk, latest.finished)):
            return None
        return latest

    def _without_id(self, chunk: Chunk) -> Response | None:
        latest = self.latest
        if latest is None or self._done_since:
            return None
        return None if latest.finished and _begins_anew(latest, chunk) else latest


def _repeats_role(response: Response, chunk: Chunk) -> bool:
    """A role for a choice that is there already, in a chunk that brings no end."""
    if not chunk.has_role or chunk.has_finish or chunk.usage or chunk.has_error:
        return False
    return any(delta.role and delta.index in response.choices for delta in chunk.deltas)


def _begins_anew(response: Response, chunk: Chunk) -> bool:
    """The same question for a chunk without an id."""
    if response.error is not None and chunk.deltas:
        return True
    return _is_frame(chunk) or _repeats_role(response, chunk)


def _is_frame(chunk: Chunk) -> bool:
    """Neither choices nor usage: a filter frame, as some servers send it first."""
    return not chunk.deltas and not chunk.usage


def _claims(response: Response, chunk: Chunk) -> bool:
    """An unfinished response takes a new id for its own: it has had none, or is a gateway's own first chunk."""
    if response.finished:
        return False
    if not response.ids:
        return True
    only_role = response.had_role and not (response.had_text or response.had_finish or response.had_usage)
    return response.chunk_count == 1 and only_role and chunk.has_text


def _looks_first(chunk: Chunk, latest_finished: bool) -> bool:
    """A chunk with a new id opens a response when it has a role and is no bare end, or is a frame, or brings text
    after a response that is finished."""
    has_text = chunk.has_text or chunk.has_calls
    bare_end = chunk.has_finish and not has_text
    return (chunk.has_role and not bare_end) or _is_frame(chunk) or (has_text and latest_finished)


GROUPINGS = {"auto": ByRules, "id": ById, "done": ByDone}

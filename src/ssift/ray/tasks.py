"""A task for each partition: sent so that the cluster is busy and the driver holds little, told as they end."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal, TypeVar

from ssift.extras import need
from ssift.partitioning import Partition, partitions
from ssift.progress import Bar
from ssift.reading import Progress
from ssift.sources import Readable

Unreadable = Literal["raise", "skip"]

RETRIES = 8
"""How often a task is begun anew when its worker or node is gone."""

_AHEAD = 2  # tasks sent for each that can run now
_LOOK = 20  # tasks sent between two looks at how large the cluster is: nodes come and go
_GRACE = 30  # seconds that tasks have to end when they are of no use any more

Item = TypeVar("Item")


class UnreadWarning(UserWarning):
    """Some files could not be read, or not whole; all others were.

    Attributes:
        unread: name -> what is wrong.
    """

    def __init__(self, unread: dict[str, str]) -> None:
        self.unread = unread
        files = "1 file" if len(unread) == 1 else f"{len(unread):,} files"
        super().__init__(f"{files} could not be read whole, and the others were: {'; '.join(unread.values())}")


def cluster(address: str | None = None) -> Any:
    """Ray, connected: to what it is connected to, to ``address``, or to what Ray finds or starts where none is given.

    Raises:
        MissingError: Ray is not installed.
    """
    ray = need("ray", "ray")
    if not ray.is_initialized():
        ray.init(address or None, log_to_driver=False, include_dashboard=False, logging_level=logging.WARNING)
    return ray


def run(
    function: Callable[[Item], Any], items: Sequence[Item], told: Callable[[Item, Any], object] | None = None
) -> list[Any]:
    """References to ``function(item)`` for each item, in order, computed on the cluster.

    As each ends, ``told`` is called with the item and its reference. After the first that raises no more are sent, and
    what it raised is raised here, when those that were sent have ended; so it is after an interrupt.
    """
    ray = cluster()
    remote = ray.remote(_call).options(name="ssift", num_returns=2, max_retries=RETRIES, scheduling_strategy="SPREAD")
    code = ray.put(function)
    references: list[Any] = []
    running: dict[Any, tuple[Item, Any]] = {}
    room = 0
    try:
        for number, item in enumerate(items):
            if number % _LOOK == 0:
                room = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
            if len(running) >= room:
                _one_ended(ray, running, told)
            reference, ended = remote.remote(code, item)
            references.append(reference)
            running[ended] = item, reference
        while running:
            _one_ended(ray, running, told)
    except BaseException:
        _end(ray, running)
        raise
    return references


def _call(function: Callable[[Item], Any], item: Item) -> tuple[Any, None]:
    """What ``function`` gives, which stays where it is, and nothing, which says here that it is there."""
    return function(item), None


def _one_ended(ray: Any, running: dict[Any, tuple[Item, Any]], told: Callable[[Item, Any], object] | None) -> None:
    (ended,), _ = ray.wait(list(running), num_returns=1)
    original(ray.get, ended)
    item, reference = running.pop(ended)
    if told is not None:
        told(item, reference)


def _end(ray: Any, running: dict[Any, tuple[Item, Any]]) -> None:
    """Wait for what was sent. What it raised is asked for, since Ray prints errors that nobody has seen.

    It is not cancelled: when a task comes to its end in that moment Ray takes the driver's process down ("Tried to
    complete task that was not pending"; seen with 2.60, and in other forms before).
    """
    if not running:
        return
    stopped, _ = ray.wait(list(running), num_returns=len(running), timeout=_GRACE)
    for ended in stopped:
        for reference in (ended, running[ended][1]):
            with suppress(Exception):
                ray.get(reference, timeout=1)


def spread(function: Callable[[Item], Any], items: Iterable[Item]) -> Iterator[Any]:
    """``map`` on the cluster; one item alone is not worth a task elsewhere."""
    work = list(items)
    if len(work) == 1:
        return iter([function(work[0])])
    return iter(original(cluster().get, run(function, work)))


def original(get: Callable[[Any], Any], references: Any) -> Any:
    """What ``references`` stand for; what a task raised is raised as it was there."""
    from ray.exceptions import RayTaskError

    try:
        return get(references)
    except RayTaskError as error:
        raise error.cause from error


def divided(source: Readable, unreadable: Unreadable, unread: dict[str, str], **options: Any) -> list[Partition]:
    """The partitions of ``source``, looked for on the cluster."""
    if unreadable not in ("raise", "skip"):
        raise ValueError(f"unreadable={unreadable!r}: use raise or skip")
    return partitions(source, unread=unread if unreadable == "skip" else None, map=spread, **options)


def warn(unread: dict[str, str]) -> None:
    """Tell of files that were not read."""
    if unread:
        warnings.warn(UnreadWarning(dict(sorted(unread.items()))), stacklevel=3)


class Told:
    """Progress in stored bytes over partitions."""

    def __init__(self, parts: Sequence[Partition], progress: bool | Progress) -> None:
        self._report: Progress | None = Bar() if progress is True else progress or None
        self._total = sum(part.size or 0 for part in parts)
        self._done = 0

    def __call__(self, part: Partition, reference: Any) -> None:
        self._done += part.size or 0
        if self._report is not None:
            self._report(self._done, self._total)

    def clear(self) -> None:
        """Take the bar away."""
        if isinstance(self._report, Bar):
            self._report.clear()

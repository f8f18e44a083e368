"""A summary of each partition, merged in a tree: merging is exact, so these are the figures of one machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ssift.extras import need
from ssift.partitioning import SIZE, Partition, scan_partition
from ssift.ray.tasks import RETRIES, Told, Unreadable, cluster, divided, original, run, warn
from ssift.reading import Progress
from ssift.sources import Readable
from ssift.statistics import Summary
from ssift.statistics.choices import LOW, WINDOW
from ssift.statistics.logprobs import Sentinels
from ssift.statistics.summary import BATCH, TABLES, By

_BRANCHES = 16  # summaries that one task merges


@dataclass(frozen=True)
class _How:
    sentinels: Sentinels
    by: By | None
    window: int
    low: float
    skip: bool

    def new(self) -> Summary:
        return Summary(self.sentinels, by=self.by, window=self.window, low=self.low)


_Found = tuple[Summary, dict[str, str]]


def summarize(
    source: Readable,
    *,
    by: By | None = None,
    sentinels: Sentinels = "exclude",
    window: int = WINDOW,
    low: float = LOW,
    size: int | str = SIZE,
    unreadable: Unreadable = "raise",
    progress: bool | Progress = False,
    **reading: Any,
) -> Summary:
    """The :class:`ssift.Summary` of ``source``, equal to that of ``ssift.summarize`` on one machine.

    Counts are equal to the last bit, and so are figures that are sums and all figures of sketches: merging them gives
    the same whatever the split. A task whose worker or node is gone is begun anew, and counts once.

    Args:
        source: paths, patterns, folders, URLs, or a list of these; each worker must see them under the same names.
        by, sentinels, window, low: as for ``ssift.summarize``.
        size: stored bytes of a partition; see ``ssift.partitions``.
        unreadable: ``"raise"`` at the first file that cannot be opened or breaks off while it is read, or ``"skip"``:
            what can be read of it counts, and an UnreadWarning tells of it when the others are read.
        progress: as for ``ssift.read``.
        **reading: ``engine``, ``group``, ``errors``, ``limits``, ``format`` of ``ssift.read``.

    Raises:
        MissingError: Ray is not installed.
        SsiftError: as ``ssift.summarize``.
    """
    need("ray", "ray")
    how = _How(sentinels, by, window, low, unreadable == "skip")
    how.new()  # what is wrong with the arguments is known before anything is read
    unread: dict[str, str] = {}
    parts = divided(source, unreadable, unread, size=size, tables=TABLES, **reading)
    told = Told(parts, progress)
    ray = cluster()
    try:
        found = run(partial(_summary, how), parts, told)
        merge = ray.remote(_merged).options(max_retries=RETRIES)
        while len(found) > 1:
            found = [merge.remote(*found[at : at + _BRANCHES]) for at in range(0, len(found), _BRANCHES)]
        summary: Summary
        summary, unopened = original(ray.get, found[0]) if found else (how.new(), {})
    finally:
        told.clear()
    warn(unread | unopened)
    return summary


def _summary(how: _How, part: Partition) -> _Found:
    unread: dict[str, str] = {}
    summary = how.new()
    for log in scan_partition(part, batch_size=BATCH, unread=unread if how.skip else None):
        summary.add(log)
    return summary, unread


def _merged(*found: _Found) -> _Found:
    unread: dict[str, str] = {}
    summary, _ = found[0]
    for one, unopened in found[1:]:
        summary = summary + one
        unread |= unopened
    return summary, unread | found[0][1]

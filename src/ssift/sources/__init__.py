"""What people have, as pieces of plain bytes: finding sources, opening them, decompression, framing.

``finding`` turns paths, URLs, patterns, folders, files and buffers into :class:`Source` objects (``source`` for what is
here, ``remote`` for what is behind a URL); ``opening`` makes of a source the decoded pieces an engine reads:
``compression``, made ``ahead`` in a thread, then ``framing``; ``containers`` finds the bodies in files that hold
many. Nothing here knows chunks or columns.
"""

from typing import TYPE_CHECKING, Any

from ssift.sources.finding import Readable, find
from ssift.sources.opening import Opened
from ssift.sources.source import Source

if TYPE_CHECKING:
    from ssift.sources.containers import Records

__all__ = ["Opened", "Readable", "Records", "Source", "find"]


def __getattr__(name: str) -> Any:
    """Containers are imported when there is one."""
    if name != "Records":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ssift.sources.containers import Records

    return Records

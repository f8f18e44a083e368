"""What people have, as pieces of plain bytes: finding sources, opening them, decompression, framing.

``finding`` turns paths, patterns, folders, files and buffers into :class:`Source` objects; ``opening`` makes of a
source the decoded pieces an engine reads. Nothing here knows chunks or columns.
"""

from ssift.sources.containers import Records
from ssift.sources.finding import Readable, Source, find
from ssift.sources.opening import Opened

__all__ = ["Opened", "Readable", "Records", "Source", "find"]

"""Tables as files of other programs: Parquet, Arrow IPC, CSV, JSON lines. In bounded memory, whole or not at all.

==========  ====================================================================================================
call        the call: reads in batches, and writes one while the next is read
plan        what the arguments come to
sinks       batches -> files: one, one for each table, one for each value of a field
partitions  values of a field -> names of folders
groups      batches of rows -> groups of a fair size, in order
writers     one class a format
cells       what CSV and JSON cannot say as it is: bytes, formulas, infinities
==========  ====================================================================================================
"""

from __future__ import annotations

from ssift.exporting.call import Exported, export
from ssift.exporting.plan import COMPRESSIONS, PARTITIONS, place_of
from ssift.exporting.writers import FORMATS, format_of

__all__ = ["COMPRESSIONS", "FORMATS", "PARTITIONS", "Exported", "export", "format_of", "place_of"]

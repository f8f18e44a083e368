"""Logs larger than a machine, on Ray: :func:`read` a Dataset, :func:`summarize` the figures, :func:`export` Parquet.

    import ssift.ray

    tokens = ssift.ray.read("s3://logs/", table="tokens")       # a Ray Dataset of Arrow blocks
    ssift.ray.summarize("s3://logs/", by="model").to_json()     # the figures of one machine
    ssift.ray.export("/shared/logs/", "/shared/tables/", tables=["tokens"])

All three run over :func:`ssift.partitions`: ``reading`` has the Datasource, ``summaries`` and ``exports`` send a task
for each partition (``tasks``). They use the cluster that ``ray.init`` connected to; without it Ray finds one, or starts
one here. Workers need ssift, and see the files under the same names. Needs Ray (``pip install 'ssift[ray]'``).
"""

from __future__ import annotations

from ssift.ray.exports import export
from ssift.ray.reading import datasource, read
from ssift.ray.summaries import summarize
from ssift.ray.tasks import UnreadWarning

__all__ = ["UnreadWarning", "datasource", "export", "read", "summarize"]

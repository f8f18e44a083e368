"""A small Ray cluster on this machine, of two nodes with a core each, for all tests here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.need import need

STORE = 80 << 20  # bytes: the least that Ray takes is 75 MB


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A ``ray.cluster_utils.Cluster`` with a head and one more node, connected to."""
    need(find_spec("ray"), "ray")
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    made.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield made
    ray.shutdown()
    made.shutdown()

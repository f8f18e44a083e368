"""A small Ray cluster on this machine, of two nodes with a core each, for all tests here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.need import need

STORE = 80 << 20  # bytes: the least that Ray takes is 75 MB
PATIENCE = {"health_check_timeout_ms": 120_000}
"""A node that answers late, for the machine is busy, is not dead; one that is gone refuses at once. Ray ends the process
that is connected to a node which it takes for dead."""


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A ``ray.cluster_utils.Cluster`` with a head and one more node, connected to."""
    need(find_spec("ray"), "ray")
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "object_store_memory": STORE,
            "include_dashboard": False,
            "_system_config": PATIENCE,
        },
    )
    made.add_node(num_cpus=1, object_store_memory=STORE)
    ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield made
    ray.shutdown()
    made.shutdown()

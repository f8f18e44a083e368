"""What all tests share: the profiles of hypothesis, and the engines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.need import need

if TYPE_CHECKING:
    from ssift.contract import Engine

# Generated inputs are large and slow to make next to what hypothesis is used to; time limits would only add noise.
settings.register_profile(
    "default",
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
settings.register_profile("long", settings.get_profile("default"), max_examples=5000)
# In CI the same inputs every time, and fewer, so that it is soon done. New ones are found by who runs the tests by hand.
settings.register_profile("ci", settings.get_profile("default"), max_examples=50, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

ENGINES = ("python",) if os.environ.get("SSIFT_ENGINE") == "python" else ("native", "python")
"""Both engines, and the native one must be there; only SSIFT_ENGINE=python leaves it out."""


@pytest.fixture(scope="session")
def both_engines() -> None:
    """For tests that compare the two."""
    need("native" in ENGINES, "both engines; SSIFT_ENGINE=python leaves one out")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Name of an engine: the test runs once with each."""
    return str(request.param)


@pytest.fixture
def engine_class(engine: str) -> type[Engine]:
    """The class behind :func:`engine`."""
    from ssift.engine import choose

    return choose(engine)[1]

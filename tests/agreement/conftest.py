"""What the tests of agreement share."""

from __future__ import annotations

import pytest

from tests.conftest import ENGINES
from tests.need import need


@pytest.fixture(scope="session")
def both_engines() -> None:
    """For tests that compare the two."""
    need("native" in ENGINES, "both engines; SSIFT_ENGINE=python leaves one out")

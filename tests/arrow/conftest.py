from __future__ import annotations

import pytest

import ssift
from tests.arrow.mixed import LOG


@pytest.fixture
def log(engine: str) -> ssift.Log:
    """The mixed log, by each engine."""
    return ssift.read(LOG, engine=engine)

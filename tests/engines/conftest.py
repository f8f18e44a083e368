"""``read``: no test here knows which engine it runs on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from ssift.contract import Engine
from tests.engines import feeding


@pytest.fixture
def read(engine_class: type[Engine]) -> Callable[..., feeding.Reading]:
    """``read(data, **settings)``: bytes to rows, with the cuts and the byte account checked on the way."""
    return partial(feeding.read, engine_class)

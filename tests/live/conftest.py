"""What the tests of live streams share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.serving import Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of streams, running."""
    with serving() as server:
        yield server

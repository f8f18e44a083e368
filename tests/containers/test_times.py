"""Times in logs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssift.sources.containers.times import from_iso, nanoseconds

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


@given(MOMENTS, st.integers(-720, 720))
def test_iso_times_are_those_of_datetime(moment: datetime, minutes: int) -> None:
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    ns = (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1000
    assert from_iso(moment.isoformat()) == ns
    assert from_iso(moment.astimezone(timezone(timedelta(minutes=minutes))).isoformat(" ")) == ns


@pytest.mark.parametrize(
    "text", ["", "2026-", "2026-13-01T00:00:00Z", "2026-02-30 00:00:00", "2026-01-01T24:00:00", "x"]
)
def test_what_is_no_time(text: str) -> None:
    assert nanoseconds(text) is None


def test_a_leap_second_is_the_next_one() -> None:
    assert from_iso("2016-12-31T23:59:60Z") == from_iso("2017-01-01T00:00:00Z")

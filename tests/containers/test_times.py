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


@pytest.mark.parametrize(
    ("text", "unit", "ns"),
    [
        ("1772359200.008", 0, 1_772_359_200_008_000_000),  # as a float 103 ns too early
        ("1772359200.123456789", 0, 1_772_359_200_123_456_789),
        ("1772359200123.25", 0, 1_772_359_200_123_250_000),
        ("-0.5", 10**9, -500_000_000),
        ("7.", 1, 7),
        ("1.5e9", 0, 1_500_000_000 * 10**9),
    ],
)
def test_decimals_in_text_are_exact(text: str, unit: int, ns: int) -> None:
    assert nanoseconds(text, unit) == ns


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000, "1." + "9" * 5000, "1e999", "9" * 20])
def test_numbers_of_any_length_in_text(text: str) -> None:
    found = nanoseconds(text)
    assert found is None or abs(found) < 2**63

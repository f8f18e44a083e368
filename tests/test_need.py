"""A test whose tool is missing is skipped on a desk and fails in CI."""

from __future__ import annotations

import pytest

from tests.need import need


@pytest.mark.parametrize("ci", ["", "true"])
def test_what_is_there_is_handed_on(monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.setenv("CI", ci)
    assert need("/usr/bin/tool", "a tool") == "/usr/bin/tool"


@pytest.mark.parametrize("missing", [None, "", False])
def test_what_is_missing_is_skipped_but_not_in_ci(monkeypatch: pytest.MonkeyPatch, missing: object) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="not here: a tool"):
        need(missing, "a tool")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="CI skips nothing: a tool"):
        need(missing, "a tool")

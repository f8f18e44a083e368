"""What a test needs beside Python: where it is missing the test is skipped, but never in CI."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import TypeVar

import pytest

Thing = TypeVar("Thing")

LONG = os.environ.get("SSIFT_LONG") == "1"
"""Whether tests of every length and of a million of everything go all the way (``make test-long``), or take fewer."""


def need(thing: Thing | None, what: str) -> Thing:
    """``thing``, if it is there. Without it the test is skipped; where CI is ``true`` it fails."""
    if thing:
        return thing
    if os.environ.get("CI") == "true":
        pytest.fail(f"not here, and CI skips nothing: {what}", pytrace=False)
    pytest.skip(f"not here: {what}", allow_module_level=True)


def need_module(name: str) -> ModuleType:
    """The module called ``name``, as :func:`need` gives things."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return need(None, name)

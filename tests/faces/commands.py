"""The command, called in this process."""

from __future__ import annotations

import pytest

from ssift.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit status, output and errors."""
    status = main(arguments)
    output, errors = capsys.readouterr()
    return status, output, errors

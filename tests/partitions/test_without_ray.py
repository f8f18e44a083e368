"""Where Ray is not installed, what needs it says how to get it, and nothing else does."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ssift.cli import main
from ssift.extras import MissingError
from tests.faces.logs import ANSWER


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(sys.modules, "ray", None)
    (tmp_path / "a.sse").write_bytes(ANSWER)
    return tmp_path / "a.sse"


@pytest.mark.parametrize("face", ["read", "summarize"])
def test_the_error_names_the_extra(face: str, log: Path) -> None:
    import ssift.ray

    with pytest.raises(MissingError, match=r"pip install 'ssift\[ray\]'"):
        getattr(ssift.ray, face)(log)


def test_the_command_says_so(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", str(log), "--ray"]) == 2
    assert "ssift[ray]" in capsys.readouterr().err
    assert main(["stats", str(log)]) == 0


@pytest.mark.parametrize("face", [["stats"], ["export", "-o", "out"]])
def test_what_has_no_name_is_refused(face: list[str], log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(log.parent / "pipe")
    for path in ("-", str(log.parent / "pipe")):
        assert main([*face, str(log), path, "--ray"]) == 2
        assert f"{path} is none" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--latency"], ["--threads", "2"], ["--labels", "x.csv"]])
def test_what_does_not_go_with_a_cluster_is_refused(
    log: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stats", str(log), "--ray", *more]) == 2
    assert more[0] in capsys.readouterr().err

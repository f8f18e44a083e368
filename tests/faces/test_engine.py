"""The engine is chosen once, loudly."""

from __future__ import annotations

import importlib.abc
import sys
from collections.abc import Iterator

import pytest

import ssift
from ssift.engine import _chosen, choose


@pytest.fixture(autouse=True)
def _fresh_choice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SSIFT_ENGINE", raising=False)
    _chosen.clear()
    yield
    _chosen.clear()


class _Refuses(importlib.abc.MetaPathFinder):
    """Makes ``import ssift._native`` fail with an exception of choice."""

    def __init__(self, error: ImportError) -> None:
        self.error = error

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "ssift._native":
            raise self.error


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch):
    def with_error(error: ImportError) -> None:
        monkeypatch.delitem(sys.modules, "ssift._native", raising=False)
        monkeypatch.delattr(ssift, "_native", raising=False)
        monkeypatch.setattr(sys, "meta_path", [_Refuses(error), *sys.meta_path])

    return with_error


def not_built() -> ImportError:
    return ModuleNotFoundError("No module named 'ssift._native'", name="ssift._native")


def test_the_variable_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSIFT_ENGINE", "python")
    assert ssift.engine() == "python"
    assert choose(None)[1].__name__ == "PythonEngine"
    assert ssift.read(b"").engine == "python"


def test_an_empty_variable_is_auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSIFT_ENGINE", "")
    assert ssift.engine() in ("native", "python")


def test_the_argument_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setenv("SSIFT_ENGINE", "nonsense")
    assert ssift.read(b"", engine=engine).engine == engine


def test_an_unknown_name_fails_and_lists_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSIFT_ENGINE", "fast")
    with pytest.raises(ssift.EngineError, match=r"SSIFT_ENGINE=fast.*auto, native, python"):
        ssift.engine()
    with pytest.raises(ssift.EngineError, match="engine=quick"):
        ssift.read(b"", engine="quick")


def test_auto_falls_back_where_the_extension_is_not_there(refuse) -> None:
    refuse(not_built())
    assert ssift.engine() == "python"


def test_native_that_is_not_built_fails_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch, refuse) -> None:
    refuse(not_built())
    monkeypatch.setenv("SSIFT_ENGINE", "native")
    with pytest.raises(ssift.EngineError, match=r"SSIFT_ENGINE=native.*not built.*SSIFT_BUILD=native"):
        ssift.engine()


@pytest.mark.parametrize(
    "error",
    [
        ImportError("undefined symbol: PyFoo", name="ssift._native"),
        ModuleNotFoundError("No module named 'numpy.strange'", name="numpy.strange"),
    ],
)
def test_any_other_import_error_surfaces(refuse, error: ImportError) -> None:
    refuse(error)
    with pytest.raises(ImportError) as raised:
        ssift.engine()
    assert raised.value is error

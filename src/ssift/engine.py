"""Chooses the engine: once, in one place, and says which.

``auto`` takes the native engine where it was built and the Python one elsewhere. Only "our extension is not
there" leads to that fallback: an extension that is there but does not load is a fault somebody must see.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ssift.errors import EngineError

if TYPE_CHECKING:
    from ssift.contract import Engine

NAMES = ("auto", "native", "python")
VARIABLE = "SSIFT_ENGINE"
EXTENSION = "ssift._native"

_chosen: dict[str, tuple[str, type[Any]]] = {}


def engine() -> str:
    """Name of the engine in use, ``"native"`` or ``"python"``.

    It follows the environment variable ``SSIFT_ENGINE`` (``auto``, ``native``, ``python``; default ``auto``).

    Raises:
        EngineError: the variable holds another value, or ``native`` and the extension was not built.
    """
    return choose(None)[0]


def choose(name: str | None = None) -> tuple[str, type[Engine]]:
    """The engine called ``name`` as (name, class); None follows ``SSIFT_ENGINE``.

    Raises:
        EngineError: unknown name, or ``native`` where it was not built.
    """
    origin = "engine="
    if name is None:
        name, origin = os.environ.get(VARIABLE) or "auto", f"{VARIABLE}="
    if name not in NAMES:
        raise EngineError(f"{origin}{name!s}: unknown engine; use one of {', '.join(NAMES)}")
    if name not in _chosen:
        _chosen[name] = _load(name, origin)
    return _chosen[name]


def part(name: str, twin: Any) -> Any:
    """The compiled ``name`` beside the native engine, where that is in use; elsewhere its ``twin`` in Python."""
    if choose()[0] == "python":
        return twin
    import ssift._native as native

    return getattr(native, name)


def _load(name: str, origin: str) -> tuple[str, type[Engine]]:
    if name != "python":
        try:
            from ssift._native import NativeEngine
        except ModuleNotFoundError as error:
            if error.name != EXTENSION:
                raise
            if name == "native":
                raise EngineError(
                    f"{origin}native: the native engine was not built for this Python; install a C compiler and "
                    "reinstall ssift with SSIFT_BUILD=native, or use python"
                ) from error
        else:
            return "native", NativeEngine
    from ssift.python.engine import PythonEngine

    return "python", PythonEngine

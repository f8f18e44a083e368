"""Libraries that only some of ssift needs: imported when used, with an error that says how to get them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ssift.errors import SsiftError


class MissingError(SsiftError, ImportError):
    """A library is not installed that this part of ssift needs."""


def need(module: str, extra: str) -> Any:
    """The module called ``module``, which the extra ``extra`` brings.

    Raises:
        MissingError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        top = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != top:
            raise
        raise MissingError(f"this needs {top}, which is not installed: pip install 'ssift[{extra}]'") from error

"""The programs in docs/examples, as modules."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from tests.pages.blocks import DOCS

EXAMPLES = DOCS / "examples"


def example(name: str) -> ModuleType:
    """``docs/examples/NAME.py``, imported."""
    spec = spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

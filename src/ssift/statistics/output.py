"""Figures as JSON."""

from __future__ import annotations

import math
from typing import Any

from ssift.printable import json_text


def figures_json(figures: dict[str, Any], indent: int | None = None) -> str:
    """Figures by name as JSON, which has no NaN and no infinity: they are null."""
    return json_text(_finite(figures), indent)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value

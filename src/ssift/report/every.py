"""All figures by name, for those who look for one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ssift.report.markup import safe, section, table

_WORDS = 20  # of a count by words, such as models


def every_figure(figures: dict[str, Any]) -> str:
    """A table that is folded away."""
    rows = [(safe(name, 400), _exact(value)) for name, value in _named(figures)]
    return section(
        "figures",
        "Every figure",
        f"<details><summary>Show the table</summary>{table(('name', 'value'), rows)}</details>",
        "Under the names of <code>ssift stats --json</code>. Logprobs and entropies are in nats.",
    )


def _named(figures: dict[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """All figures but those of groups, with the names that lead to them."""
    for number, (name, value) in enumerate(figures.items()):
        full = f"{path}{name or '(never sent)'}"
        if isinstance(value, dict):
            if full != "groups":
                yield from _named(value, f"{full} · ")
        elif not path or path[:-3] not in ("model", "finish_reason") or number < _WORDS:
            yield full, value


def _exact(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "undefined"
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:,}" if isinstance(value, int) else safe(str(value))

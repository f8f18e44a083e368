"""What was read, in a line of figures; tokens counted three ways; every byte accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ssift.report.bars import band, bars
from ssift.report.markup import figure, safe, section

_PATHS = 3  # named at the top
_LINES = {"chunk": "c1", "error": "bad", "done": "good", "skipped": "c3", "problem": "warn", "blank": "c4"}


def title(paths: Sequence[str]) -> str:
    """What the page is about, in a few words."""
    more = f" and {len(paths) - _PATHS:,} more" if len(paths) > _PATHS else ""
    return ", ".join(safe(path) for path in paths[:_PATHS]) + more


def overview(figures: dict[str, Any]) -> str:
    """Key figures, without a heading."""
    found = [
        ("responses", figure(figures["responses"]), ""),
        ("tokens with logprobs", figure(figures["logprob"]["count"]), ""),
        ("perplexity", figure(figures["perplexity"]), ""),
        ("mean logprob, nats", figure(figures["logprob"]["mean"]), ""),
        ("confidence, nats", figure(figures["confidence"]["mean"]), ""),
        ("problems", figure(figures["problems"]), "alarm" if figures["problems"] else ""),
    ]
    cells = "".join(f'<div class="{look}"><dt>{name}</dt><dd>{value}</dd></div>' for name, value, look in found)
    return f'<dl class="key">{cells}</dl>\n'


def contents(figures: dict[str, Any]) -> str:
    """Tokens by who counts them, and bytes by what they are."""
    usage = figures["usage"]
    ways = {"chunks": figures["chunks"], "logprob entries": figures["tokens"]}
    if usage["completion_tokens"] is not None:
        ways["usage: completion_tokens"] = usage["completion_tokens"]
    reported = f"{usage['responses']:,} of {figures['responses']:,} responses report usage."
    return section(
        "contents",
        "What is in it",
        f"<h3>Tokens, counted three ways</h3>{bars(ways, shares=False)}"
        f'<p class="quiet">A chunk may hold several tokens or none. {reported}{_entries(figures)}</p>'
        f"<h3>Every byte, by the line it is in</h3>{band(figures['bytes_by_class'], _LINES)}",
    )


def _entries(figures: dict[str, Any]) -> str:
    """Which entries were left out, and whether there are more than tokens that were reported."""
    said = ""
    if any(figures["omitted"].values()):
        said += f" Entries left out: {', '.join(f'{count:,} {kind}' for kind, count in figures['omitted'].items())}."
    if many := figures["beyond_usage"]:
        said += f" {many:,} {'response lists' if many == 1 else 'responses list'} more tokens than are reported."
    return said

"""How responses ended, and which models gave them."""

from __future__ import annotations

from typing import Any

from ssift.report.bars import band, bars
from ssift.report.markup import figure, nothing, percent, safe, section, table

_STATUS = {"complete": "good", "truncated": "warn", "errored": "bad"}
_MODELS = 20  # rows


def endings(figures: dict[str, Any]) -> str:
    """Status of responses, finish reason of choices."""
    return section(
        "endings",
        "How answers ended",
        f"<h3>Status of responses</h3>{band(figures['status'], _STATUS)}"
        f"<h3>Finish reason of choices</h3>{bars(figures['finish_reason'])}",
    )


def models(figures: dict[str, Any]) -> str:
    """The figures of each model, the one with most responses first."""
    groups = figures["groups"]
    names = [name for name in figures["model"] if name in groups][:_MODELS]
    heads = ("model", "responses", "tokens", "mean logprob", "perplexity", "confidence", "not top one")
    rows = []
    for name in names:
        group = groups[name]
        rows.append(
            (
                safe(name) or "<i>never sent</i>",
                figure(figures["model"][name]),
                figure(group["tokens"]),
                figure(group["logprob"]["mean"]),
                figure(group["perplexity"]),
                figure(group["confidence"]["mean"]),
                percent(group["off_top1_rate"]),
            )
        )
    more = len(figures["model"]) - len(names)
    rest = f'<p class="quiet">{more:,} more; <code>ssift stats --by model</code> shows all.</p>' if more > 0 else ""
    return section(
        "models",
        "Models",
        table(heads, rows) + rest if rows else nothing(),
        "Logprob and confidence are means over tokens, in nats; <i>not top one</i> is the share of tokens with an "
        "alternative above them.",
    )

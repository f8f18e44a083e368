"""ssift as one of the readers that are compared: ``ssift.scan`` over the bytes, every wanted column touched."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from readers import TABLES, Peer

import ssift


def ssift_peer(name: str, tables: tuple[str, ...] | None, most: int = 1 << 60, **options: Any) -> Peer:
    """A reader of some tables (None: all); figures are taken when asked."""

    def make(data: bytes) -> Callable[..., Any]:
        def read(figures: bool = False) -> dict[str, float] | None:
            total: dict[str, float] = {}
            values: dict[str, list[Any]] = {"tokens": [], "top_logprobs": []}
            for log in ssift.scan(data, tables=tables, **options):
                wanted = tables or TABLES
                columns = [log[table][name] for table in TABLES[:2] if table in wanted for name in ("token", "logprob")]
                if "choices" in wanted:
                    columns += [log.choices["content"], log.choices["reasoning"]]
                if figures:
                    _add(total, log, wanted, values)
                del columns
            for table, prefix in (("tokens", ""), ("top_logprobs", "top_")):
                if values[table]:
                    total[f"{prefix}logprob_sum"] = math.fsum(np.concatenate(values[table]))
            return total if figures else None

        return read

    return Peer(name, make, most, asked=True, cores=options.get("threads", 1))


def _add(total: dict[str, float], log: Any, wanted: tuple[str, ...], values: dict[str, list[Any]]) -> None:
    def add(key: str, value: float) -> None:
        total[key] = total.get(key, 0) + value

    for source in log.sources:
        add("chunks", source.counts.chunks)
        add("problems", source.counts.problems)
    for table, prefix in (("tokens", "token"), ("top_logprobs", "top")):
        if table in wanted:
            add(table, len(log[table]))
            add(f"{prefix}_text_bytes", int(log[table]["token"].lengths().sum()))
            values[table].append(log[table]["logprob"])
    if "choices" in wanted:
        add("responses", len(set(log.choices["response"].tolist())))
        add("content_bytes", int(log.choices["content"].lengths().sum()))
        add("reasoning_bytes", int(log.choices["reasoning"].lengths().sum()))


def native_peers() -> list[Peer]:
    """The engine in use: what the others gather, everything, less, and with two threads."""
    return [
        ssift_peer("ssift", TABLES, threads=1),
        ssift_peer("ssift, all tables", None, threads=1),
        ssift_peer("ssift, tokens alone", ("tokens",), threads=1),
        ssift_peer("ssift, two threads", TABLES, threads=2),
    ]


def python_peers() -> list[Peer]:
    """The Python engine, where it is not the one in use."""
    if ssift.engine() == "python":
        return []
    return [ssift_peer("ssift, Python engine", TABLES, most=20_000_000, engine="python", threads=1)]

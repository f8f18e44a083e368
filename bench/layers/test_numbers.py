"""Decimal text to doubles: logprobs as servers spell them, twenty in a chunk and little else."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from layers.conftest import Timed
from layers.reading import SIZES, log_of, new_engine, read, repeated

ENTRIES = 20
_DRAWN = (-np.random.default_rng(3).exponential(1.3, 4096)).tolist()


SPELLINGS: dict[str, Callable[[float], str]] = {
    "float32_digits": lambda value: str(np.float32(value)),
    "double_digits": lambda value: repr(float(np.float32(value))),
    "exponents": lambda value: f"{value * 1e-7:.9e}",
    "zero_and_sentinel": lambda value: "0.0" if value > -1 else "-9999.0",
    "integers": lambda value: str(int(value * 10)),
    "forty_digits": lambda value: f"{value:.40f}",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_numbers(engine: str, spelling: str, timed: Timed) -> None:
    texts = [SPELLINGS[spelling](value) for value in _DRAWN]

    def chunk(number: int) -> bytes:
        some = [texts[(number * ENTRIES + k) % len(texts)] for k in range(ENTRIES)]
        entries = ",".join(f'{{"token":"a","logprob":{text},"top_logprobs":[]}}' for text in some)
        lists = f'{{"content":[{entries}]}}'
        return f'{{"id":"a","choices":[{{"index":0,"delta":{{}},"logprobs":{lists}}}]}}'.encode()

    chunks, times = repeated(chunk, SIZES[engine])
    data, reader = log_of(chunks, times), new_engine(engine, ("tokens",))
    reading = read(reader, data)
    assert reading.counts.problems == 0
    logprobs = reading.batch.tables["tokens"]["logprob"]
    wanted = [float(texts[n % len(texts)]) for n in range(len(chunks) * ENTRIES)]
    assert len(logprobs) == len(wanted) * times
    assert math.fsum(logprobs[: len(wanted)]) == math.fsum(wanted)  # type: ignore[arg-type]
    timed(len(data), lambda: read(reader, data))

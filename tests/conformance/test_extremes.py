"""Input that is legal, or nearly, and very much of something: a row or a problem, and no more memory than it is worth.

A million is 200,000 unless ``SSIFT_LONG=1``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from ssift.contract import PROBLEM_KINDS, TABLES, Engine
from tests.engines.feeding import Reading, event, feed, opening, text
from tests.need import LONG

MILLION = 1_000_000 if LONG else 200_000

EXTREMES: dict[str, tuple[Callable[[], bytes], list[str]]] = {
    "lists nested 100,000 deep": (lambda: b'{"choices":[],"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", ["too_long"]),
    "objects nested 100,000 deep": (lambda: b'{"choices":[],"x":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}", ["too_long"]),
    "nesting that never ends": (lambda: b'{"choices":' + b"[" * MILLION, ["too_long"]),
    "a key of 10 MB": (lambda: b'{"choices":[],"' + b"k" * 10 * MILLION + b'":1}', []),
    "an escaped key of 10 MB": (lambda: b'{"choices":[],"' + b"\\u006b" * (10 * MILLION // 6) + b'":1}', []),
    "a million keys": (lambda: b'{"choices":[]' + b"".join(b',"k%d":%d' % (n, n) for n in range(MILLION)) + b"}", []),
    "one key a million times": (lambda: b'{"choices":[]' + b',"id":"r"' * MILLION + b"}", []),
    "a million choices": (lambda: b'{"choices":[' + b",".join(b'{"index":%d}' % n for n in range(MILLION)) + b"]}", []),
    "a million choices of one index": (lambda: b'{"choices":[' + b",".join([b'{"index":0,"delta":{"content":"a"}}'] * MILLION) + b"]}", []),
    "a million null choices": (lambda: b'{"choices":[' + b",".join([b"null"] * MILLION) + b"]}", []),
    "an index of 2^31": (lambda: b'{"choices":[{"index":2147483648,"delta":{"content":"a"}}]}', []),
    "an index of 2^63 - 1": (lambda: b'{"choices":[{"index":9223372036854775807,"delta":{"content":"a"}}]}', []),
    "an index of 2^63": (lambda: b'{"choices":[{"index":9223372036854775808,"delta":{"content":"a"}}]}', ["type"]),
    "an index of -2^63": (lambda: b'{"choices":[{"index":-9223372036854775808,"delta":{"content":"a"}}]}', []),
    "an index of 1e300": (lambda: b'{"choices":[{"index":1e300}]}', ["type"]),
    "a tool call of 2^40": (lambda: b'{"choices":[{"delta":{"tool_calls":[{"index":1099511627776,"function":{"name":"f"}}]}}]}', []),
    "a million tool calls": (lambda: b'{"choices":[{"delta":{"tool_calls":[' + b",".join(b'{"index":%d,"function":{"name":"f"}}' % n for n in range(MILLION // 4)) + b"]}}]}", []),
    "escapes of 30 MB": (lambda: b'{"choices":[{"delta":{"content":"' + b"\\u0041" * (5 * MILLION) + b'"}}]}', []),
    "backslashes of 20 MB": (lambda: b'{"choices":[{"delta":{"content":"' + b"\\\\" * (10 * MILLION) + b'"}}]}', []),
    "surrogates of 12 MB": (lambda: b'{"choices":[{"delta":{"content":"' + b"\\ud83d" * (2 * MILLION) + b'"}}]}', []),
    "a number of 10 MB": (lambda: b'{"choices":[],"x":1' + b"0" * (10 * MILLION) + b"}", []),
    "a logprob of 10 MB": (lambda: b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","logprob":-0.' + b"3" * (10 * MILLION) + b"}]}}]}", []),
    "a million tokens": (lambda: b'{"choices":[{"delta":{},"logprobs":{"content":[' + b",".join([b'{"token":"a","logprob":-1}'] * MILLION) + b"]}}]}", []),
    "a million bytes of a token": (lambda: b'{"choices":[{"delta":{},"logprobs":{"content":[{"token":"a","bytes":[' + b",".join([b"97"] * MILLION) + b"]}]}}]}", []),
    "a million braces": (lambda: b'{"choices":[],"x":[' + b",".join([b"{}"] * MILLION) + b"]}", []),
    "blanks of 20 MB": (lambda: b'{"choices":' + b" " * (20 * MILLION) + b"[]}", []),
    "bad bytes of 10 MB": (lambda: b'{"choices":[{"delta":{"content":"' + b"\xff" * (10 * MILLION) + b'"}}]}', ["encoding"]),
    "an error of 10 MB": (lambda: b'{"error":{"message":"' + b"m" * (10 * MILLION) + b'"}}', []),
}  # fmt: skip
HEAVY = ("a million keys", "a million choices", "a million choices of one index", "a million tool calls", "a million tokens", "a million null choices", "one key a million times", "a million braces")  # fmt: skip
"""So many objects that the reference engine takes a hundredth of them."""


@pytest.mark.parametrize("name", EXTREMES)
def test_it_is_read_or_it_is_a_problem(
    engine_class: type[Engine], engine: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, kinds = EXTREMES[name]
    if engine == "python" and name in HEAVY:
        monkeypatch.setattr(f"{__name__}.MILLION", MILLION // 100)
    reader = engine_class(frozenset(TABLES), "auto", 64 << 20, 1024, 1024)
    reader.begin(0, "sse")
    for piece in (text("before"), b"data: " + make() + b"\n\n", text("after")):
        reader.feed(piece)
    counts, tables = reader.end(), reader.take().tables
    assert [PROBLEM_KINDS[kind] for kind in tables["problems"]["kind"].tolist()] == kinds
    assert counts.chunks + counts.errors == (2 if set(kinds) & {"too_long", "type"} else 3)
    content: Any = tables["choices"]["content"]
    said = bytes(content.data)
    assert (said.count(b"before"), said.count(b"after")) == (1, 1)


def test_millions_of_small_things(engine_class: type[Engine], engine: str) -> None:
    count = MILLION // 5 if engine == "native" else 3_000
    for line in (
        b"\n",
        b"\r",
        b": c\n",
        b"data\n",
        b"data:\n\n",
        b"id: 1\n\n",
        b"oops\n",
        b"oops\n\n",
        b"event: error\n",
        b"data: {\n",
    ):
        reading: Reading = feed(engine_class, [line * count, b"\n\n", event({"choices": []})])
        assert reading.counts.chunks == 1
        assert sum(reading.counts[:6]) == len(line) * count + 2 + len(event({"choices": []}))


def test_many_responses_stay_open_within_the_limit(engine_class: type[Engine]) -> None:
    chunks = b"".join(opening(f"r{number}") for number in range(2_000))
    reading = feed(engine_class, [chunks], open_responses=16)
    assert len(reading.responses) == 2_000
    assert set(reading.statuses()) == {"truncated"}


LARGE = ("a million choices", "a million tokens", "a key of 10 MB", "escapes of 30 MB", "lists nested 100,000 deep")


def test_memory_follows_the_input() -> None:
    """In a process that may take 3 GB and no more; the largest input is 30 MB."""
    program = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({3 << 30}, {3 << 30}))\n"
        "from tests.conformance.test_extremes import EXTREMES\n"
        "from ssift._native import NativeEngine\n"
        "from ssift.contract import TABLES\n"
        "from tests.memory.peak import peak\n"
        f"for make, kinds in [EXTREMES[name] for name in {LARGE}]:\n"
        "    engine = NativeEngine(frozenset(TABLES), 'auto', 64 << 20, 1024, 1024)\n"
        "    engine.begin(0, 'sse'); engine.feed(b'data: ' + make() + b'\\n\\n'); engine.end(); engine.take()\n"
        "print(peak())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) < 2_500_000  # KiB

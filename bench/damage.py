"""Replay logs that are damaged at random by someone who remembers what was done.

    python bench/damage.py openai --size 1GB --share 0.01 --seed 7 -o damaged.sse

Of the events that are chunks a share is damaged, each in one of the ways of ``FAULTS``, all chosen by the seed. The
answer says how many chunks are intact, and of each damage its place and the kind of problem it has to be.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import replay

from ssift.contract import PROBLEM_KINDS, Ints

BLOCK = 4_000_000
"""Bytes of a replay log that are made at a time."""

Fault = Callable[[random.Random, bytes], bytes]
"""Damages one event; it keeps its blank line."""


def _cut(rng: random.Random, event: bytes) -> bytes:
    """The end is missing, as after a crash; not half a character, which would be a second damage."""
    end = rng.randrange(8, len(event) - 4)
    while event[end] & 0xC0 == 0x80:
        end -= 1
    return event[:end].rstrip(b"\\") + b"\n\n"


def _torn(rng: random.Random, event: bytes) -> bytes:
    """Bytes are missing in the middle: the brackets do not add up."""
    opening = event.index(b'"choices":') + rng.choice((9, 10))
    return event[:opening] + event[opening + 1 :]


def _garbled(rng: random.Random, event: bytes) -> bytes:
    """A control character inside a string."""
    place = event.index(b'"object"') + 1
    return event[:place] + bytes([rng.choice((0, 1, 8, 31))]) + event[place:]


def _trailing(rng: random.Random, event: bytes) -> bytes:
    """Two writers at once: something follows the object."""
    return event[:-2] + rng.choice((b"}", b"]", b"{}", b" x", b',"a":1}')) + b"\n\n"


def _typed(rng: random.Random, event: bytes) -> bytes:
    """Whole JSON, a wrong type where it matters."""
    return event.replace(
        b'"choices":', rng.choice((b'"choices":7,"y":', b'"choices":"","y":', b'"choices":{},"y":')), 1
    )


def _deep(rng: random.Random, event: bytes) -> bytes:
    """Nested deeper than the limit."""
    depth = rng.randrange(1025, 1100)
    return event.replace(b"{", b'{"x":' + b"[" * depth + b"]" * depth + b",", 1)


def _bytes(rng: random.Random, event: bytes) -> bytes:
    """Bytes that are no UTF-8 inside a string: the chunk is read all the same."""
    place = event.index(b'"object":"') + len(b'"object":"')
    return event[:place] + event[place:].replace(b"chunk", b"chunk" + rng.choice((b"\xff", b"\xc3", b"\xe2\x82")), 1)


FAULTS: dict[str, tuple[Fault, ...]] = {
    "json": (_cut, _torn, _garbled, _trailing),
    "type": (_typed,),
    "too_long": (_deep,),
    "encoding": (_bytes,),
}
"""By the kind of problem that has to be reported."""
WEIGHTS = {"json": 7, "type": 1, "too_long": 1, "encoding": 1}
READ_ALL_THE_SAME = ("encoding",)


@dataclass
class Answer:
    """What reading a damaged log has to give."""

    bytes: int = 0
    chunks: int = 0
    offsets: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)

    def problems(self) -> tuple[Ints, Ints, Ints]:
        """Offset, length and kind (its place in PROBLEM_KINDS) of every problem, in order."""
        return np.array(self.offsets), np.array(self.lengths), np.array(self.kinds)


def damaged(style: str, size: int, share: float, seed: int, answer: Answer) -> Iterator[bytes]:
    """A damaged log in pieces; ``answer`` is filled on the way."""
    rng, number = random.Random(seed), 0
    ways = [(PROBLEM_KINDS.index(kind), FAULTS[kind]) for kind in WEIGHTS for _ in range(WEIGHTS[kind])]
    while answer.bytes < size:
        out = []
        events = replay.make(style, BLOCK, seed + number)[0].split(b"\n\n")
        for event in events[:-1]:
            event += b"\n\n"
            if b'"choices"' in event[:2000]:
                if rng.random() < share and b'"object":"chat.completion.chunk"' in event:
                    kind, faults = rng.choice(ways)
                    event = rng.choice(faults)(rng, event)
                    answer.offsets.append(answer.bytes)
                    answer.lengths.append(len(event) - 1)
                    answer.kinds.append(kind)
                    answer.chunks += PROBLEM_KINDS[kind] in READ_ALL_THE_SAME
                else:
                    answer.chunks += 1
            answer.bytes += len(event)
            out.append(event)
        number += 1
        yield b"".join(out)


def write(path: Path, style: str, size: int, share: float, seed: int) -> Answer:
    """A damaged log in a file."""
    answer = Answer()
    with path.open("wb") as file:
        file.writelines(damaged(style, size, share, seed, answer))
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("style", choices=("openai", "vllm", "text"))
    parser.add_argument("--size", type=replay.size_of, default=200_000_000)
    parser.add_argument("--share", type=float, default=0.01, help="of the chunks that are damaged")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    answer = write(options.output, options.style, options.size, options.share, options.seed)
    print(f"{options.output}: {answer.bytes:,} bytes, {answer.chunks:,} chunks to read, {len(answer.kinds):,} problems")


if __name__ == "__main__":
    main()

"""Whole logs: streams, spelled as JSON, framed as lines, with what comes between, and damage to the bytes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from random import Random

import replay

from tests.agreement.streams import Stream, disturb, varied
from tests.agreement.values import BAD_STRINGS, KNOWN_KEYS, NOT_NUMBERS, NOT_STRINGS, NUMBERS, STRINGS, Spelling, chance

# ------------------------------------------------------------------------------------------------------ framing

DONES = (
    b"[DONE]",
    b"[DONE]",
    b"[DONE]",
    b" [DONE]",
    b"[DONE] ",
    b"[DONE] junk",
    b'"[DONE]"',
    b"[done]",
    b"[DONE",
    b"\t[DONE]",
)
NO_CHUNKS = (
    b"", b" ", b"null", b"1", b"[]", b"{}", b'"x"', b": keepalive", b" : ping", b'{"type":"ping"}', b'{"object":"chat.completion.chunk"}',
    b'{"choices":null}', b'{"choices":[]}', b'{"id":"a"}', b'{"choices":3}', b'{"choices":3,"object":"chat.completion"}', b'{"object":"text_completion","choices":{}}',
    b"error: cuda oom", b"{bad", b"[1,]", b'{"a":1,}', b"{} {}", b"\xff", b'{"a":"\xff"}', b"NaN", b"nulll", b"true", b'{"choices":[null]}',
    b'{"choices":[{}]}', b'{"choices":[{"index":null,"delta":null,"finish_reason":"stop"}]}', b"\xef\xbb\xbf{}", b"{}\x00", b'{"a":1e400,"choices":[]}',
)  # fmt: skip
ERRORS = (
    b'{"error":{"message":"bad","code":504}}', b'{"error":{"message":"bad","code":null}}', b'{"error":"overloaded"}', b'{"error":null}', b'{"error":false}',
    b'{"error":0}', b'{"error":-0.0}', b'{"error":""}', b'{"error":[]}', b'{"error":{}}', b'{"error":true}', b'{"error":1}', b'{"error":{"code":"x"}}', b'{"error":[0]}',
    b'{"object":"error","message":"max","code":400}', b'{"message":"overloaded","code":529}', b'{"error":{"message":"\\ud83d"},"id":"c1"}',
    b'{"error":{"code":502,"message":"p"},"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"error"}]}', b'{"error":{"code":1E2}}', b'{"error":{"code":NaN}}',
    b'{"error":{"message":""},"message":"top","code":"c"}', b'{"error":"e","choices":[{"index":"x"}]}', b'{"error":"e","usage":{"prompt_tokens":4}}',
    b'{"id":"c0","error":{"message":7},"choices":[]}', b'{"error":"a","error":null}', b'{"error":"e","choices":[]}', b'{"error":{"message":"m","code":true}}',
)  # fmt: skip
ODD_LINES = (
    b"Data: x",
    b" data: x",
    b"data : x",
    b"garbage",
    b"<html>",
    b"9",
    b"HTTP/1.1 200 OK",
    b"\xff\xfe",
    b'{"a":1}',
    b"datax",
    b"ev",
    b"\x00\x00",
    b"errors: x",
)
FIELDS = (
    b"event: message",
    b"event: error",
    b"event: x",
    b"id: 7",
    b"id",
    b"retry: 3000",
    b"retry",
    b"event",
    b"event:",
    b"event:error",
    b"id:a\x00b",
    b"data:",
    b"data",
)
COMMENTS = (b":", b": ping", b": OPENROUTER PROCESSING", b":\xff", b": data: x")


def texts(random: Random, blanks: str) -> list[bytes]:
    """The data of each event of a log of some streams, whole or interleaved, with what comes between."""
    streams = [Stream(random) for _ in range(random.choice((1, 1, 1, 2, 2, 3)))]
    spelling = Spelling(random, blanks)
    queues: list[list[bytes]] = []
    for stream in streams:
        if chance(random, 3):
            spelling = Spelling(random, blanks)
        queue = []
        for tree in stream.chunks(random.randint(1, 4)):
            while chance(random, 4):
                disturb(random, tree)
            queue.append(spelling.dump(tree))
        if stream.done:
            queue.append(random.choice(DONES))
        queues.append(queue)
    if chance(random, 2):
        out = [text for queue in queues for text in queue]
    else:
        out = []
        while any(queues):
            queue = random.choice([queue for queue in queues if queue])
            out.append(queue.pop(0))
    while chance(random, 3):
        out.insert(random.randint(0, len(out)), random.choice(random.choice((NO_CHUNKS, ERRORS, DONES))))
    return out


def sse(random: Random) -> bytes:
    """An event stream."""
    blanks = " \t" if random.randint(0, 2) else " \t\n"
    end = random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r"))
    mixed = chance(random, 6)
    dense = chance(random, 5)  # a logger that drops blank lines
    prefix = random.choice((b"data: ", b"data: ", b"data: ", b"data:", b"data:  "))
    lines: list[bytes] = []
    for text in texts(random, blanks):
        if chance(random, 6):
            lines.append(random.choice(FIELDS))
        if chance(random, 12):
            lines.append(random.choice(COMMENTS))
        if chance(random, 25):
            lines.append(random.choice(ODD_LINES))
        if chance(random, 25):
            lines += [b"event: error"]
        if chance(random, 30):
            lines.append(b"error: " + text)
            continue
        if chance(random, 12) and text:  # over several data lines, cut anywhere
            cut = random.randint(0, len(text))
            text = text[:cut] + b"\n" + text[cut:]
        lines += [prefix + part for part in text.split(b"\n")]
        if chance(random, 15):
            lines.append(random.choice((*FIELDS, *COMMENTS, *ODD_LINES)))
        if not (dense and random.randint(0, 3)) and not chance(random, 20):
            lines += [b""] * (1 if random.randint(0, 5) else 2)
    ends = (b"\n", b"\r\n", b"\r")
    log = b"".join(line + (random.choice(ends) if mixed else end) for line in lines)
    return damage(random, log)


def alike(random: Random) -> bytes:
    """Chunks that differ in values alone: what an engine learned from one it uses for the others, whatever is in it."""
    spelling = Spelling(random, " \t")
    chunks = []
    for _ in range(random.choice((1, 1, 2))):
        first = random.choice(Stream(random).chunks(random.randint(1, 2)))
        chunks += [first, *(varied(random, first) for _ in range(random.randint(2, 8)))]
    if chance(random, 4):
        disturb(random, random.choice(chunks))
    texts = [*map(spelling.dump, chunks), *([b"[DONE]"] if random.randint(0, 3) else [])]
    return b"".join(b"data: %b\n\n" % text for text in texts)


def jsonl(random: Random) -> bytes:
    """JSON lines."""
    lines = []
    for text in texts(random, " \t\r"):
        lines.append(text.replace(b"\n", b" ") if random.randint(0, 9) else text)
        if chance(random, 8):
            lines.append(random.choice((b"", b" \t\r", b"[DONE]", b": x", b"\x00", b"data: {}")))
    log = b"\n".join(lines) + b"\n" * random.randint(0, 1)
    return damage(random, log)


def body(random: Random) -> bytes:
    """One JSON text over many lines."""
    found = [*texts(random, " \t\r\n")[:1], random.choice(ERRORS), random.choice(NO_CHUNKS)]
    log = b"\n" * random.randint(0, 1) + random.choice(found) + b"\n" * random.randint(0, 1)
    return damage(random, log)


# ------------------------------------------------------------------------------------------------------- damage

_TELLING = b'\n\r:",{}[]\\0-+.eE \t\x00\xff\xe2\x80ndtNIu'


def damage(random: Random, log: bytes) -> bytes:
    """Leave most logs alone; cut, flip, drop, repeat or insert some bytes of the others."""
    if random.randint(0, 2) or not log:
        return log
    out = bytearray(log)
    for _ in range(random.randint(1, 3)):
        place = random.randint(0, max(len(out) - 1, 0))
        kind = random.randint(0, 6)
        if kind <= 1:
            del out[place:]
        elif kind == 2 and out:
            out[place] = random.choice(_TELLING)
        elif kind == 3 and out:
            out[place] ^= 1 << random.randint(0, 7)
        elif kind == 4:
            del out[place : place + random.randint(1, 9)]
        elif kind == 5:
            out[place:place] = bytes([random.choice(_TELLING)]) * random.randint(1, 3)
        else:
            end = place + random.randint(1, 200)
            out[place:place] = out[place:end]
    return bytes(out)


# ------------------------------------------------------------------------------------------------------ regular

_NUMBER = re.compile(rb"-?\d+\.\d+(?:e-\d+)?|(?<=[\[,:])\d+")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_PLACE = re.compile(rb"[\[{:,]")
_WORD = re.compile(rb"null|\[\]|\{\}")
_ANYTHING = (b"null", b"[]", b"{}", b"true", b"0", b'""', b"[null]", b'{"a":[1,{"b":2}]}', b" null ", b"nul", b"[,]")


@cache
def replayed(style: str, alternatives: int | None, seed: int) -> list[bytes]:
    """Events of a log as bench/replay.py makes them, each with its blank line."""
    return replay.make(style, 60_000, seed, alternatives)[0].split(b"\n\n")


def regular(random: Random) -> bytes:
    """A long run of chunks of one shape or two, as real logs are, with a few faults strewn in.

    This is what a reader that learns shapes (templates, predicted keys) is fast on, so here it is put to the test.
    """
    runs = []
    for _ in range(random.choice((1, 1, 2))):
        events = replayed(
            random.choice(list(replay.STYLES)), random.choice((None, None, 0, 1, 2, 20)), random.randint(0, 2)
        )
        start = random.randint(0, len(events) - 2)
        runs.append(events[start : start + random.randint(3, 40)])
    turns = zip_longest(*runs) if chance(random, 3) else runs  # interleaved, or one after the other
    events = [event for turn in turns for event in turn if event]
    log = b"".join(event + b"\n\n" for event in events)
    for _ in range(random.choice((0, 1, 1, 2, 4))):
        pattern, replacements = random.choice(
            (
                (_NUMBER, (*(text.encode() for text in (*NUMBERS, *NUMBERS, *NOT_NUMBERS)), *_ANYTHING)),
                (
                    _NUMBER,
                    (
                        b"-0.%d" % random.randint(0, 10**18),
                        b"-%d.5" % random.randint(0, 10**20),
                        b"1234567",
                        b"255",
                        b"256",
                    ),
                ),
                (_STRING, (*(Spelling(random).text(text) for text in STRINGS), *BAD_STRINGS, *NOT_STRINGS, *_ANYTHING)),
                (
                    _STRING,
                    (
                        *(b'"%b"' % text.encode() for text in KNOWN_KEYS),
                        b'"\\u0069ndex"',
                        b'"index" ',
                        b'"tok\\u0065n"',
                    ),
                ),
                (
                    _PLACE,
                    (b" ", b"\t", b"", b"  ", b",", b'"x":1,', b'"logprob":-1,', b'{"token":"z","logprob":-2},', b"\r"),
                ),
                (_WORD, _ANYTHING),
            )
        )
        found = list(pattern.finditer(log))
        if not found:
            continue
        match = random.choice(found)
        keep = match[0] if pattern is _PLACE else b""
        log = log[: match.start()] + keep + random.choice(replacements) + log[match.end() :]
    if chance(random, 10):
        log = log.replace(b"\n", random.choice((b"\r\n", b"\r")))
    if chance(random, 10):
        log = log.replace(b"\n\n", b"\n")
    if chance(random, 10):
        log = log.replace(b"data: ", b"data:")
    return damage(random, log) if chance(random, 2) else log


MAKERS: dict[str, Callable[[Random], bytes]] = {
    "sse": sse,
    "regular": regular,
    "alike": alike,
    "jsonl": jsonl,
    "json": body,
}
"""By the framing to read with; ``regular`` and ``alike`` are SSE too."""

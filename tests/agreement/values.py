"""JSON values for made-up logs, right and wrong, and how they may be spelled.

Everything takes its choices from a ``random.Random``: a seeded one for volume, or that of hypothesis, which can shrink.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any


class Obj(list[tuple[str, Any]]):
    """A JSON object as pairs, so that keys may repeat and stand in any order."""


class Raw(bytes):
    """JSON text to be written as it is: a spelling of a number, a string with bad bytes."""


def chance(random: Random, one_in: int) -> bool:
    return random.randint(1, one_in) == one_in


# ------------------------------------------------------------------------------------------------------- values

NUMBERS = (
    "0 -0 1 -1 2 255 256 1.0 1e2 1.5 -0.0 0e5 1E400 -1e400 1e-400 1E+2 1e-2 9007199254740993 9223372036854775807 "
    "9223372036854775808 -9223372036854775808 -9223372036854775809 36893488147419103232 123456789012345678901234567890 "
    "-99999999999999999999 NaN Infinity -Infinity 2.5e-7 4.9e-324 2.4703282292062327e-324 2.2250738585072011e-308 "
    "0.1000000000000000055511151231257827 1748694614.85 1e19 9.3e18 -9.3e18 0.30000000000000004 1.7976931348623159e308 "
    "1.7976931348623157e308 8.5e-309 5e-324 1e23 9007199254740992.5 0.000000000000000000000000000001e30 100000000000000000000e-20 "
    "123456789012345680000000000000000000000000000000000000000000000000e-50 7.2057594037927933e16 -9999.0 -9999 -3.4028234663852886e+38"
).split()
NOT_NUMBERS = (
    "01 +1 .5 1. 1e - --1 0x10 nan inf -NaN 1_000 Infinit 1e+ 00 -01 1.e5 TRUE nul undefined - -Infinit 1e5.5".split()
)
STRINGS = (
    "", "a", " the", "Hello", "\n", "\n\n", '"', "\\", "/", "\t", "\r", "\b\f", "\x00", "\x1f", "\x7f", "é", "必须", "\u2028", "\x85",
    "😀", "👩\u200d💻", "\ud83d", "\ude00", "\ud83d\ude00", "a\ud83d", "\ude00b", "\ude00\ud83d", "\ufffd", "\ufeff", '{"a":1}', '{"', '":1}', "[DONE]",
    "data: x", "stop", "assistant", "null", "x" * 40, "0123456789abcdef" * 5, 'say "hi"\\\n' * 3, "</script>", "\\u0041", "bytes:\\xf0\\x9f",
)  # fmt: skip
BAD_STRINGS = (
    b'"\xff"', b'"a\xe2\x98"', b'"\xed\xa0\xbd\xed\xb8\x80"', b'"\xf4\x90\x80\x80"', b'"\xc0\x80x"', b'"\xe2"', b'"\x80"', b'"\xf0\x9f\x98"',
    b'"\xe2\x98\xe2\x98\x83"', b'"\xef\xbb\xbf"', b'"\\ud83d\xff"',
)  # fmt: skip
NOT_STRINGS = (
    b'"\\x"', b'"\\u12"', b'"\\ud83d\\u"', b'"a\x01b"', b'"\t"', b'"\x00"', b'"abc', b'"\\', b'"\\u00e', b"'a'", b'"a" "b"', b'"\\U0041"', b'"\\u 041"',
    b'"\\u-041"', b'"\\u+123"',
)  # fmt: skip
KNOWN_KEYS = (
    "id object created model system_fingerprint service_tier choices index delta message text role content refusal reasoning "
    "reasoning_content reasoning_details tool_calls type function name arguments finish_reason logprobs token logprob bytes top_logprobs "
    "usage prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details cached_tokens reasoning_tokens "
    "prompt_cache_hit_tokens x_groq error code tokens token_logprobs reasoning_logprobs text_offset thinking summary"
).split()
UNKNOWN_KEYS = (
    "obfuscation",
    "p",
    "",
    "Id",
    "id ",
    "choice",
    "logprob\x00",
    "contents",
    "é",
    "top_logprob",
    "x",
    "token_ids",
    "🙂",
    "\ud83d",
)


def logprob(random: Random) -> Any:
    """Mostly as servers write them; sometimes any number, null, or nothing a number could be."""
    kind = random.randint(0, 19)
    if kind < 12:
        digits = random.randint(1, 17)
        text = f"-{random.randint(0, 12)}.{random.randint(0, 10**digits - 1):0{digits}d}"
        return Raw((text + (f"e-{random.randint(0, 30)}" if kind < 2 else "")).encode())
    if kind < 16:
        return Raw(random.choice(NUMBERS).encode())
    if kind == 16:
        digits = random.randint(1, 40)
        exponent = random.choice(("", "e5", "E-5", "e+300", "e-320", "e-340", "e310", "e-17"))
        return Raw(f"{random.randint(0, 10**digits)}.{random.randint(0, 10**digits)}{exponent}".encode())
    return None if kind == 17 else Raw(b"-0.25") if kind == 18 else random.randint(-30, 0)


def string(random: Random) -> Any:
    if chance(random, 60):
        return Raw(random.choice(BAD_STRINGS))
    text = random.choice(STRINGS)
    return text if random.randint(0, 2) else text + random.choice(STRINGS)


def grown(random: Random, word: str) -> str:
    """``word``, and now and then so long that what holds it has to grow: hundreds to thousands of bytes."""
    if not chance(random, 12):
        return word
    filling = random.choice(("x", "word ", "é", "🌍", "\ud83d", '\\"', "\n"))
    return word + filling * random.choice((40, 150, 300, 1000, 3000))


def anything(random: Random, depth: int = 2) -> Any:
    """Any JSON value, and seldom something that is none."""
    kind = random.randint(0, 11)
    if kind == 0:
        return None
    if kind == 1:
        return random.choice((True, False))
    if kind <= 3:
        return Raw(random.choice(NUMBERS).encode())
    if kind <= 5:
        return string(random)
    if kind == 6:
        return Raw(random.choice(BAD_STRINGS))
    if kind == 7 and chance(random, 3):
        return Raw(random.choice((*NOT_STRINGS, *(text.encode() for text in NOT_NUMBERS))))
    if kind == 8 and chance(random, 4):
        nested = random.choice((3, 8, 40, 1023, 1024, 1025))
        return Raw(random.choice((b"[" * nested + b"]" * nested, b'{"a":' * nested + b"1" + b"}" * nested)))
    if depth <= 0:
        return random.choice(([], Obj(), "", 0))
    if kind <= 9:
        return [anything(random, depth - 1) for _ in range(random.randint(0, 3))]
    return Obj((key(random), anything(random, depth - 1)) for _ in range(random.randint(0, 3)))


def key(random: Random) -> str:
    return random.choice(KNOWN_KEYS) if random.randint(0, 2) else random.choice(UNKNOWN_KEYS)


# ----------------------------------------------------------------------------------------------------- spelling

_SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Spelling:
    """How one server writes JSON; ``wild`` decides anew at every blank and character."""

    def __init__(self, random: Random, blanks: str = " \t"):
        self.random = random
        self.kind = random.choice(("compact", "compact", "compact", "spaced", "ascii", "wild"))
        self.blanks = blanks
        self.comma, self.colon = (b", ", b": ") if self.kind in ("spaced", "ascii") else (b",", b":")

    def blank(self) -> bytes:
        if self.kind != "wild" or self.random.randint(0, 3):
            return b""
        return "".join(self.random.choice(self.blanks) for _ in range(self.random.randint(1, 3))).encode()

    def text(self, text: str) -> bytes:
        if self.kind == "ascii":
            return json.dumps(text).encode()
        out = []
        for character in text:
            wild = self.kind == "wild" and chance(self.random, 3)
            if character in '"\\' or character < " " or wild or "\ud800" <= character <= "\udfff":
                if character in _SHORT and not (wild and chance(self.random, 2)):
                    out.append(_SHORT[character])
                else:
                    units = character.encode("utf-16-be", "surrogatepass").hex()
                    units = units.upper() if wild and chance(self.random, 2) else units
                    out += ["\\u" + units[place : place + 4] for place in range(0, len(units), 4)]
            else:
                out.append(character)
        return b'"' + "".join(out).encode() + b'"'

    def dump(self, value: Any) -> bytes:
        if isinstance(value, Raw):
            return bytes(value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Obj):
            pairs = [
                self.blank()
                + self.text(name)
                + self.blank()
                + self.colon
                + self.blank()
                + self.dump(inner)
                + self.blank()
                for name, inner in value
            ]
            return b"{" + (self.comma.join(pairs) or self.blank()) + b"}"
        if isinstance(value, list):
            items = [self.blank() + self.dump(inner) + self.blank() for inner in value]
            return b"[" + (self.comma.join(items) or self.blank()) + b"]"
        return json.dumps(value).encode()

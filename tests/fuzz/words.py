"""The words of the fuzzers' mutator: what servers write, and what is like it, from the makers of the agreement tests."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from tests.agreement.logs import COMMENTS, DONES, ERRORS, FIELDS, NO_CHUNKS, ODD_LINES
from tests.agreement.streams import Stream
from tests.agreement.values import BAD_STRINGS, KNOWN_KEYS, NOT_NUMBERS, NOT_STRINGS, NUMBERS, STRINGS, Obj, Spelling

STREAMS = 60
LONGEST = 700


def words() -> dict[str, list[bytes]]:
    """Kind -> words, each once."""
    random = Random(8)
    compact = Spelling(random)
    compact.kind = "compact"
    compact.comma, compact.colon = b",", b":"
    objects, lists = [b"{}", b'{"a":{"b":[1]}}'], [b"[]", b"[null]", b"[1,[2,[3]]]"]
    for _ in range(STREAMS):
        for chunk in Stream(random).chunks(random.randint(1, 3)):
            values: list[object] = [chunk]
            while values:
                value = values.pop()
                if isinstance(value, Obj):
                    objects.append(compact.dump(value))
                    values += [inner for _, inner in value]
                elif isinstance(value, list):
                    lists.append(compact.dump(value))
                    values += value
    lines = [b"data: " + data + b"\n\n" for data in (*DONES, *NO_CHUNKS, *ERRORS)]
    lines += [line + b"\n" for line in (*FIELDS, *COMMENTS, *ODD_LINES, b"event: error", b"error: x", b"data: {")]
    found = {
        "KEY": [compact.text(key) for key in KNOWN_KEYS] + [b'"tok\\u0065n"', b'"x"'],
        "STRING": [compact.text(text) for text in STRINGS] + [*BAD_STRINGS, *NOT_STRINGS],
        "NUMBER": [number.encode() for number in (*NUMBERS, *NOT_NUMBERS)],
        "LITERAL": [b"null", b"true", b"false", b"nul", b"NaN", b"-Infinity"],
        "OBJECT": objects,
        "LIST": lists,
        "LINE": lines,
        "LINE_END": [b"\r", b"\r\n", b"\n\n", b"", b"\n"],
        "BLANK": [b" ", b"\t", b"\r", b"\n", b"  ", b""],
    }
    return {kind: sorted({word for word in words if len(word) <= LONGEST}) for kind, words in found.items()}


def literal(word: bytes) -> str:
    """A string of C."""
    return (
        '"' + "".join(f"\\{byte:03o}" if not 32 <= byte < 127 or byte in b'"\\?' else chr(byte) for byte in word) + '"'
    )


def header() -> str:
    """words.h."""
    kinds = words()
    lines = ["/* Written by tests/fuzz/words.py. */", "typedef struct { const char *text; size_t size; } Word;"]
    lines.append(f"enum {{ {', '.join(kinds)}, KINDS }};")
    lines += [f"static const Word {kind}_WORDS[] = {{{_list(found)}}};" for kind, found in kinds.items()]
    tables = ", ".join(f"{{{kind}_WORDS, {len(found)}}}" for kind, found in kinds.items())
    lines.append(f"static const struct {{ const Word *words; uint32_t count; }} WORDS[] = {{{tables}}};")
    return "\n".join(lines) + "\n"


def _list(found: Iterable[bytes]) -> str:
    return ",\n    ".join(f"{{{literal(word)}, {len(word)}}}" for word in found)

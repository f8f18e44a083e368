"""Makes replay files: logs of any size from a seed, at several hundred MB/s, with the known answers beside them.

    python bench/replay.py openai --size 200MB -o openai.sse          # and openai.sse.expected.json

How it can be fast and still be no toy:

* A *step* is one token with its logprob and its alternatives. Each shape renders a pool of entries (token, logprob,
  first alternative; up to 16,384 different ones) and a pool of tails (the other alternatives), and a chunk joins one
  of each at random: tens of millions of different bodies, so that neighbours differ in every digit. Tokens follow
  Zipf's law over a vocabulary of some 9,000: leading blanks, non-ASCII, emoji, halves of characters, and text that
  JSON must escape.
* What a server changes by response changes here: id, created, model, length (log-normal, mean 300 tokens),
  finish_reason, usage. What it changes by chunk changes too: padding, ticking time, running usage.
* A response is some columns of pieces woven into one ``bytes.join``; nothing is formatted by chunk.

So only what is constant in real logs is constant here. The known answers are counted from the pools, not by parsing;
sums of logprobs are exact (integers over a power of two, rounded once), hence equal to ``math.fsum`` over all values.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from json.encoder import encode_basestring, encode_basestring_ascii
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from shapes import STYLES as STYLES
from shapes import Shape, Word, vocabulary

Numbers: TypeAlias = npt.NDArray[Any]
Pieces: TypeAlias = npt.NDArray[np.object_]
"""An array of bytes objects: picking from it by an array of numbers costs some ns a piece."""


# ------------------------------------------------------------------------------------------------------- pools


def _logprobs(rng: np.random.Generator, count: int) -> Numbers:
    """Of sampled tokens: half of them near certain, the others with a long tail; some 0 and some -9999."""
    sure = -(10.0 ** rng.uniform(-7, -1.2, count))
    values = np.where(rng.random(count) < 0.5, sure, -rng.exponential(1.3, count))
    values[rng.random(count) < 0.002] = 0.0
    values[rng.random(count) < 0.0005] = -9999.0
    return values.astype(np.float32)


def _exact(parts: list[tuple[int, Sequence[float]]]) -> float:
    """The sum of count times each value, rounded once."""
    by_scale: Counter[int] = Counter()
    for count, values in parts:
        for value in values:
            numerator, denominator = value.as_integer_ratio()
            by_scale[denominator] += numerator * count
    return float(sum((Fraction(numerator, scale) for scale, numerator in by_scale.items()), Fraction(0)))


class Spelled:
    """The words as they stand in JSON: whole strings, strings without their quotes, arrays of bytes."""

    def __init__(self, words: Sequence[Word], ascii_alone: bool):
        quote = encode_basestring_ascii if ascii_alone else encode_basestring
        separator = ", " if ascii_alone else ","
        self.quoted = [quote(word.token) for word in words]
        self.inner = [quote(word.content)[1:-1] for word in words]
        self.bytes = [f"[{separator.join(map(str, word.data))}]" for word in words]


class Words:
    """The vocabulary, spelled in both ways."""

    def __init__(self, rng: np.random.Generator):
        self.words = vocabulary(rng)
        self.content_bytes = np.array([len(word.content.encode()) for word in self.words])

    @cached_property
    def utf8(self) -> Spelled:
        return Spelled(self.words, ascii_alone=False)

    @cached_property
    def ascii(self) -> Spelled:
        return Spelled(self.words, ascii_alone=True)


class Pool:
    """Rendered entries and tails of one shape, and how often each was used."""

    def __init__(self, shape: Shape, words: Words, alternatives: int, entries: int, rng: np.random.Generator):
        self.shape, self.words, self.rng, self.alternatives = shape, words, rng, alternatives
        spelled_words = words.ascii if shape.spaced else words.utf8
        strings, inner = spelled_words.quoted, spelled_words.inner
        separator = ", " if shape.spaced else ","
        bytes_of = ["null"] * len(words.words) if shape.bytes_null else spelled_words.bytes
        entry, alternative = _template(shape.entry, shape), _template(shape.alternative, shape)
        odds = 1.0 / (np.arange(len(words.words)) + 8.0)
        self._odds = np.cumsum(odds / odds.sum())

        def alternatives_text(ids: Sequence[int], texts: Sequence[str]) -> str:
            return separator.join(
                alternative % {"t": strings[i], "l": text, "b": bytes_of[i], "k": i}
                for i, text in zip(ids, texts, strict=True)
            )

        ids, values = self._ids(entries), _logprobs(rng, entries)
        texts = self._spell(values)
        rendered: list[bytes] = []
        self.values = [float(text) for text in texts]
        self.entry_tops: list[list[float]] = []
        closed = np.zeros(entries, bool)  # the entry has all of its alternatives
        for row, (word, text) in enumerate(zip(ids, texts, strict=True)):
            tops = [(word, text)][:alternatives]
            if not shape.sampled_first and values[row] < -1.2 and alternatives > 1:
                closed[row] = True
                tops = self._sorted(word, text, float(values[row]))
            closed[row] |= alternatives <= 1
            piece = entry % {"t": strings[word], "l": text, "b": bytes_of[word], "k": word}
            piece += alternatives_text([top[0] for top in tops], [top[1] for top in tops])
            rendered.append((piece if closed[row] else piece + separator).encode())
            self.entry_tops.append([float(top[1]) for top in tops])

        self.entries = _array(rendered)

        rest = max(alternatives - 1, 0)
        tails = max(256, min(entries, 5 * entries // max(rest, 1))) if rest else 0
        numbers = -np.cumsum(rng.exponential(0.9, (tails, max(rest, 1))), axis=1) - rng.uniform(1.2, 9.0, (tails, 1))
        spelled = self._spell(numbers.astype(np.float32).ravel())
        chosen = self._ids(tails * max(rest, 1))
        rendered = []
        self.tail_tops: list[list[float]] = []
        for start in range(0, tails * rest, max(rest, 1)):
            part = slice(start, start + rest)
            rendered.append(alternatives_text(chosen[part], spelled[part]).encode())
            self.tail_tops.append([float(text) for text in spelled[part]])
        self.tails = _array([*rendered, b""])
        self.tail_tops.append([])

        self.texts = _array([inner[word].encode() for word in ids])
        self.args = _array([json.dumps(inner[word])[1:-1].encode() for word in ids] if shape.tool else [])
        self.content_bytes = words.content_bytes[ids]
        self.closed = closed
        self.used = np.zeros(entries, np.int64)
        self.used_tails = np.zeros(len(self.tails), np.int64)

    def _ids(self, count: int) -> list[int]:
        found: list[int] = (
            np.searchsorted(self._odds, self.rng.random(count)).clip(0, len(self.words.words) - 1).tolist()
        )
        return found

    def _spell(self, values: Numbers) -> list[str]:
        if not self.shape.double:
            texts: list[str] = values.astype(str).tolist()
        else:
            texts = [repr(value) for value in values.astype(np.float64).tolist()]
        return [text.replace("e-0", "e-") for text in texts] if self.shape.short_exponent else texts

    def _sorted(self, word: int, text: str, value: float) -> list[tuple[int, str]]:
        """A whole list of the best, the sampled token at its place or, when that is too low, missing."""
        below = -np.cumsum(self.rng.exponential(0.8, self.alternatives))
        spelled = self._spell(below.astype(np.float32))
        tops = list(zip(self._ids(self.alternatives), spelled, below.tolist(), strict=True))
        tops.append((word, text, value))
        return [top[:2] for top in sorted(tops, key=itemgetter(2), reverse=True)[: self.alternatives]]

    def draw(self, count: int, listed: bool) -> tuple[Numbers, Numbers]:
        """Numbers of entries and of tails for that many tokens; ``listed`` when they come with logprobs."""
        entries = self.rng.integers(0, len(self.entries), count)
        if not listed:
            return entries, entries[:0]
        self.used += np.bincount(entries, minlength=len(self.used))
        tails = self.rng.integers(0, max(len(self.tails) - 1, 1), count)
        tails[self.closed[entries]] = len(self.tails) - 1
        self.used_tails += np.bincount(tails, minlength=len(self.used_tails))
        return entries, tails

    def parts(self) -> tuple[list[tuple[int, Sequence[float]]], list[tuple[int, Sequence[float]]]]:
        """(count, values) of tokens and of alternatives."""
        used, tails = self.used.tolist(), self.used_tails.tolist()
        tokens = [(count, (value,)) for count, value in zip(used, self.values, strict=True) if count]
        tops = [(count, values) for count, values in zip(used, self.entry_tops, strict=True) if count]
        tops += [(count, values) for count, values in zip(tails, self.tail_tops, strict=True) if count]
        return list(tokens), list(tops)


def _array(pieces: list[bytes]) -> Pieces:
    array = np.empty(len(pieces), object)
    array[:] = pieces
    return array


def _spread(text: str) -> str:
    """With blanks as json.dumps puts them; templates have no comma or colon inside a string."""
    return text.replace(",", ", ").replace(":", ": ")


def _template(text: str, shape: Shape) -> str:
    """An entry's template as one for the ``%`` operator."""
    return re.sub(r"\$([tlbk])\b", r"%(\1)s", _spread(text) if shape.spaced else text)


# --------------------------------------------------------------------------------------------------- responses


@dataclass
class Expected:
    """The known answers of a replay file."""

    style: str
    seed: int
    alternatives: int | None
    bytes: int = 0
    events: int = 0
    chunks: int = 0
    done: int = 0
    comments: int = 0
    responses: int = 0
    choices: int = 0
    tokens: int = 0
    top_logprobs: int = 0
    tool_calls: int = 0
    content_bytes: int = 0
    reasoning_bytes: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    logprob_sum: float = 0.0
    top_logprob_sum: float = 0.0
    finish_reason: dict[str, int] = field(default_factory=dict)
    model: dict[str, int] = field(default_factory=dict)


_DIGITS = _array([str(number).encode() for number in range(20_000)])
_LETTERS = np.frombuffer(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", np.uint8)
_HEX = _LETTERS[[*range(10), *range(36, 42)]]
_BY_CHUNK = re.compile(r"(\$(?:i|pad|tick|count|total|text2?|args|entry2?|tail2?)\b)")
_BY_RESPONSE = re.compile(r"\$(?:id|created|model|print|prompt|finish)\b")


def _weave(parts: list[str], columns: dict[str, Pieces], count: int) -> bytes:
    """``count`` events: the template's constant parts and, between them, a piece of each column."""
    pieces = [b""] * (count * len(parts))
    for place, part in enumerate(parts):
        pieces[place :: len(parts)] = columns[part].tolist() if place % 2 else [part.encode()] * count
    return b"".join(pieces)


class Writer:
    """Makes responses of one style, one after the other, and counts what is in them."""

    def __init__(self, style: str, seed: int = 0, alternatives: int | None = None, entries: int = 16_384):
        if style not in STYLES:
            raise ValueError(f"no style {style!r}; there are {', '.join(STYLES)}")
        self.rng = np.random.default_rng(seed)
        self.expected = Expected(style, seed, alternatives)
        words = Words(self.rng)
        shapes = STYLES[style]
        entries = max(64, entries // len(shapes))
        self.pools = [
            Pool(shape, words, shape.alternatives if alternatives is None else alternatives, entries, self.rng)
            for shape in shapes
        ]
        self._pads = _array([self._word(length) for length in self.rng.integers(1, 17, 2048).tolist()])
        self._created = 1_754_000_000

    def _word(self, length: int, letters: Numbers = _LETTERS) -> bytes:
        return letters[self.rng.integers(0, len(letters), length)].tobytes()

    def response(self) -> bytes:
        """The next response, whole."""
        rng, expected = self.rng, self.expected
        pool = self.pools[expected.responses % len(self.pools)]
        shape = pool.shape
        self._created += int(rng.integers(1, 5))
        steps = int(min(max(rng.lognormal(5.4, 0.8), 1), 4000))
        prompt, finish = int(rng.integers(5, 3000)), "stop" if rng.random() < 0.85 else "length"
        by_response = {
            "$id": self._word(29).decode(),
            "$created": str(self._created),
            "$model": shape.models[int(rng.integers(len(shape.models)))],
            "$print": self._word(10, _HEX).decode(),
            "$prompt": str(prompt),
            "$finish": "tool_calls" if shape.tool else finish,
        }

        out = [shape.before.encode()]
        sent = 0  # tokens so far
        written = 0  # chunks so far

        def write(choice: str, count: int, columns: dict[str, Pieces], tokens: int = 0, whole: str = "") -> None:
            nonlocal sent, written
            template = (whole or shape.chunk).replace("$choice", choice)
            template = template.replace("$i,", "0,") if shape.choices == 1 else template
            template = _spread(template) if shape.spaced else template
            template = _BY_RESPONSE.sub(lambda name: by_response[name[0]], template)
            parts = _BY_CHUNK.split(f"data: {template}\n\n")
            counts = sent + tokens * np.arange(1, count + 1)
            for name in parts[1::2]:
                if name == "$i":
                    columns[name] = _DIGITS[np.arange(count) % shape.choices]
                elif name == "$pad":
                    columns[name] = self._pads[rng.integers(0, len(self._pads), count)]
                elif name == "$tick":
                    columns[name] = _array([str(self._created + (written + n) // 40).encode() for n in range(count)])
                elif name in ("$count", "$total"):
                    columns[name] = _DIGITS[counts + prompt * (name == "$total")]
            out.append(_weave(parts, columns, count))
            sent, written = sent + tokens * count, written + count

        if shape.role:
            write(shape.role, shape.choices, {})
        half = steps // 2 if shape.reasoning else 0
        for template, count in ((shape.reasoning, half), (shape.token, steps - half)):
            if not count:
                continue
            by_token: dict[str, Pieces] = {}
            listed = "$entry" in template
            tokens = 2 if "$text2" in template else 1
            for second in ("", "2")[:tokens]:
                entries, tails = pool.draw(count, listed)
                by_token["$text" + second] = pool.texts[entries]
                if listed:
                    by_token["$entry" + second] = pool.entries[entries]
                    by_token["$tail" + second] = pool.tails[tails]
                if shape.tool:
                    by_token["$args"] = pool.args[entries]
                elif template is shape.reasoning:
                    expected.reasoning_bytes += int(pool.content_bytes[entries].sum())
                else:
                    expected.content_bytes += int(pool.content_bytes[entries].sum())
            expected.tokens += tokens * count * listed
            write(template, count, by_token, tokens)
        write(shape.finish, shape.choices, {})
        reports = "$count" in shape.chunk
        if shape.usage and rng.random() < shape.usage_share:
            write("", 1, {}, whole=shape.usage)
            reports = True
        out.append(b"data: [DONE]\n\n" * shape.done)

        body = b"".join(out)
        expected.bytes += len(body)
        expected.chunks += written + shape.chunks_before
        expected.events += written + shape.chunks_before + shape.done
        expected.done += shape.done
        expected.comments += shape.before.startswith(":")
        expected.responses += 1
        expected.choices += shape.choices if shape.role or steps > 1 else 1
        expected.tool_calls += shape.tool
        expected.prompt_tokens += prompt * reports
        expected.completion_tokens += sent * reports
        for counts, value, count in (
            (expected.finish_reason, by_response["$finish"], shape.choices),
            (expected.model, by_response["$model"], 1),
        ):
            counts[value] = counts.get(value, 0) + count
        return body

    def finish(self) -> Expected:
        """The known answers of all responses so far."""
        tokens: list[tuple[int, Sequence[float]]] = []
        tops: list[tuple[int, Sequence[float]]] = []
        for pool in self.pools:
            of_tokens, of_tops = pool.parts()
            tokens += of_tokens
            tops += of_tops
        self.expected.top_logprobs = sum(count * len(values) for count, values in tops)
        self.expected.logprob_sum, self.expected.top_logprob_sum = _exact(tokens), _exact(tops)
        return self.expected


# ------------------------------------------------------------------------------------------------------- faces


def pieces(writer: Writer, size: int) -> Iterator[bytes]:
    """Responses until there are ``size`` bytes or a little more."""
    while writer.expected.bytes < size:
        yield writer.response()


def _writer(style: str, size: int, seed: int, alternatives: int | None) -> Writer:
    return Writer(style, seed, alternatives, entries=min(16_384, max(1_024, size // 1_500)))


def make(style: str, size: int, seed: int = 0, alternatives: int | None = None) -> tuple[bytes, Expected]:
    """A replay log in memory, and its known answers."""
    writer = _writer(style, size, seed, alternatives)
    return b"".join(pieces(writer, size)), writer.finish()


def write(path: Path, style: str, size: int, seed: int = 0, alternatives: int | None = None) -> Expected:
    """A replay log in a file, and its known answers in ``PATH.expected.json``."""
    writer = _writer(style, size, seed, alternatives)
    with path.open("wb", buffering=4 << 20) as file:
        file.writelines(pieces(writer, size))
    expected = writer.finish()
    beside(path).write_text(json.dumps(asdict(expected), indent=2) + "\n")
    return expected


def beside(path: Path) -> Path:
    """Where the known answers of a replay file stand."""
    return path.with_name(path.name + ".expected.json")


def size_of(text: str) -> int:
    """``"200MB"``, ``"4GB"``, ``"1048576"``: decimal units."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kMG]?)B?", text.strip(), re.IGNORECASE)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write 200MB or 4GB")
    return int(float(match[1]) * {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}[match[2].lower()])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("style", choices=STYLES)
    parser.add_argument(
        "--size", type=size_of, default=200_000_000, help="as in 200MB or 4GB; the last response is whole"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--alternatives", type=int, help="entries of top_logprobs under a token (each style has its own)"
    )
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    expected = write(options.output, options.style, options.size, options.seed, options.alternatives)
    print(
        f"{options.output}: {expected.bytes:,} bytes, {expected.responses:,} responses, {expected.chunks:,} chunks, "
        f"{expected.tokens:,} tokens, {expected.top_logprobs:,} alternatives",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()

"""Streams of chunks as servers and gateways send them, as trees of values; and faults put into such trees."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.agreement.values import Obj, Raw, anything, chance, grown, key, logprob, string


class Stream:
    """One answer as some server would stream it; what it is like is chosen once."""

    def __init__(self, random: Random):
        self.random = random
        name = grown(random, f"c{random.randint(0, 3)}")
        self.model, self.speaker = grown(random, "m"), grown(random, "assistant")
        ids = random.choice(("fixed", "fixed", "fixed", "none", "empty", "drift", "late", "null"))
        self.name: Callable[[int], Any] = {
            "fixed": lambda number: name,
            "none": lambda number: ...,
            "empty": lambda number: "",
            "drift": lambda number: f"{name}-{number}",
            "late": lambda number: name if number else "",
            "null": lambda number: None,
        }[ids]
        self.ticking = chance(random, 4)
        self.order = random.randint(0, 3)
        self.choices = random.choice((1, 1, 1, 2))
        self.lists = random.choice(
            ("content", "content", "content", "refusal", "reasoning", "both", "legacy", "none", "null")
        )
        self.per_chunk = random.choice((1, 1, 1, 2, 0))
        self.alternatives = random.choice((0, 1, 2, 5, None))
        self.entry_order = random.randint(0, 5)
        self.role = random.choice(("first", "first", "every", "none"))
        self.usage = random.choice(("none", "last", "every", "choice", "groq", "null", "finish"))
        self.done = random.randint(0, 3) > 0
        self.finish = random.choice(("stop", "length", "tool_calls", "", None, "stop"))
        self.shape = random.choice(("delta",) * 9 + ("message", "text", "both"))
        self.calls = random.choice((None, None, "index", "ids", "mixed"))
        self.delta_kind = random.choice(("content", "content", "content", "reasoning", "refusal", "parts", "details"))

    def chunks(self, count: int) -> list[Obj]:
        made = [self.chunk(number, count) for number in range(count)]
        if self.usage == "last":
            made.append(self.envelope(count, [("choices", []), ("usage", self.figures())]))
        return made

    def envelope(self, number: int, rest: list[tuple[str, Any]]) -> Obj:
        """``rest`` in the middle, at the start or at the end of what every chunk has."""
        name = self.name(number)
        pairs: list[tuple[str, Any]] = [] if name is ... else [("id", name)]
        pairs.append(("object", "text_completion" if self.shape == "text" else "chat.completion.chunk"))
        created = 1754000000 + (number if self.ticking else 0)
        pairs += [("created", created), ("model", self.model), ("system_fingerprint", "fp")][
            : self.random.randint(1, 3)
        ]
        if self.order == 0:
            return Obj(pairs + rest)
        if self.order == 1:
            return Obj(rest + pairs)
        return Obj(pairs[:2] + rest + pairs[2:])

    def chunk(self, number: int, count: int) -> Obj:
        last = number == count - 1
        choices = []
        for index in range(self.choices):
            if self.choices > 1 and chance(self.random, 3):
                continue
            choices.append(self.choice(index, number, last))
        rest: list[tuple[str, Any]] = [("choices", choices)]
        if self.usage == "every" or (self.usage == "finish" and last):
            rest.append(("usage", self.figures()))
        elif self.usage == "null":
            rest.append(("usage", None))
        elif self.usage == "groq" and last:
            rest.append(("x_groq", Obj([("id", "g"), ("usage", self.figures())])))
        return self.envelope(number, rest)

    def choice(self, index: int, number: int, last: bool) -> Obj:
        random = self.random
        pairs: list[tuple[str, Any]] = [("index", index)]
        if self.shape == "text":
            pairs.append(("text", string(random)))
        elif self.shape == "both":
            pairs += [("delta", self.delta(number)), ("message", Obj([("content", "whole")]))]
        else:
            pairs.append((self.shape, self.delta(number)))
        if self.lists != "none":
            pairs.append(("logprobs", self.logprobs()))
        pairs.append(("finish_reason", self.finish if last else None))
        if self.usage == "choice" and last:
            pairs.append(("usage", self.figures()))
        if chance(random, 6):
            random.shuffle(pairs)
        return Obj(pairs)

    def delta(self, number: int) -> Obj:
        random = self.random
        pairs: list[tuple[str, Any]] = []
        if self.role == "every" or (self.role == "first" and number == 0):
            pairs.append(("role", self.speaker))
        if self.delta_kind == "content":
            pairs.append(("content", string(random)))
        elif self.delta_kind == "reasoning":
            pairs += [("reasoning_content", string(random)), ("reasoning", string(random)), ("content", None)][
                : random.randint(1, 3)
            ]
        elif self.delta_kind == "refusal":
            pairs += [("refusal", string(random)), ("content", random.choice((None, "")))]
        elif self.delta_kind == "parts":
            text = Obj([("type", "text"), ("text", string(random))])
            thinking = Obj([("type", "thinking"), ("thinking", random.choice(([text], "hm", [], None)))])
            reference = Obj([("type", "reference"), ("reference_ids", [1])])
            pairs.append(
                (
                    "content",
                    random.choice(([text], [thinking, text], [reference, text, text], ["s", text], [], [thinking])),
                )
            )
        else:
            pairs.append(
                ("reasoning_details", [Obj([("type", "x"), (random.choice(("text", "summary")), string(random))])])
            )
        if self.calls and chance(random, 2):
            pairs.append(("tool_calls", self.tool_calls()))
        if chance(random, 8):
            random.shuffle(pairs)
        return Obj(pairs)

    def tool_calls(self) -> list[Any]:
        random = self.random
        calls: list[Any] = []
        for _ in range(random.randint(1, 2)):
            call: list[tuple[str, Any]] = []
            if self.calls == "index" or (self.calls == "mixed" and chance(random, 2)):
                call.append(("index", random.choice((0, 0, 1, Raw(b"1.0"), 3))))
            if self.calls == "ids" or chance(random, 3):
                call.append(("id", random.choice((grown(random, "a"), "b", "\ud83d", "\ude00", "", None))))
            if chance(random, 3):
                call.append(("type", "function"))
            function: list[tuple[str, Any]] = []
            if chance(random, 2):
                function.append(("name", random.choice((grown(random, "f"), "g", "f", "", None, "\ud83d"))))
            arguments = (
                "{}",
                '{"x":',
                "1}",
                "",
                None,
                Obj([("x", Raw(b"1E400"))]),
                [1, "\ud83d"],
                "\ud83d",
                "\ude00",
                "[1]",
                " {} ",
            )
            function.append(("arguments", random.choice(arguments)))
            call.append(("function", random.choice((Obj(function), Obj(function), Obj(function), None))))
            calls.append(random.choice((Obj(call), Obj(call), Obj(call), Obj(call), None)))
        return calls

    def logprobs(self) -> Any:
        random = self.random
        if self.lists == "null":
            return random.choice((None, None, Obj(), 7, Obj([("content", None)])))
        if self.lists == "legacy":
            count = random.randint(0, 3)
            tops = [
                Obj((string_key(random), logprob(random)) for _ in range(random.randint(0, 3))) for _ in range(count)
            ]
            return Obj(
                [
                    ("tokens", [string(random) for _ in range(count)]),
                    ("token_logprobs", [logprob(random) for _ in range(count + random.randint(0, 1))]),
                    ("top_logprobs", random.choice((tops, None, [None] * count, tops[:1]))),
                    ("text_offset", [0] * count),
                ]
            )
        names = {"both": ("content", "refusal", "reasoning_content"), "reasoning": ("reasoning_content",)}.get(
            self.lists, (self.lists,)
        )
        pairs: list[tuple[str, Any]] = [(name, [self.entry() for _ in range(self.per_chunk)]) for name in names]
        if chance(random, 3):
            pairs.append(("refusal", None) if "refusal" not in names else ("content", None))
        return Obj(pairs)

    def entry(self) -> Obj:
        pairs = self.token_pairs()
        if self.alternatives is not None:
            first = [Obj(pairs)] if chance(self.random, 2) and self.alternatives else []
            others = [Obj(self.token_pairs()) for _ in range(self.random.randint(0, self.alternatives))]
            pairs = [*pairs, ("top_logprobs", first + others)]
        return Obj(pairs)

    def token_pairs(self) -> list[tuple[str, Any]]:
        random = self.random
        token = string(random)
        if isinstance(token, str) and random.randint(0, 5):
            data: Any = list(token.encode("utf-8", "replace"))
        else:
            data = random.choice(
                (
                    None,
                    [],
                    [240, 159],
                    [255, 0],
                    [256],
                    [1, None],
                    [Raw(b"-0")],
                    [Raw(b"1.0")],
                    [Raw(b"007")],
                    "x",
                    [1] * 70,
                    ...,
                )
            )
        pairs = [("token", token), ("logprob", logprob(random)), ("bytes", data)]
        orders = ((0, 1, 2), (0, 2, 1), (2, 1, 0), (0, 1), (1, 0, 2), (2, 0, 1))
        return [pairs[place] for place in orders[self.entry_order] if pairs[place][1] is not ...]

    def figures(self) -> Obj:
        random = self.random
        pairs: list[tuple[str, Any]] = [
            ("prompt_tokens", random.randint(0, 99)),
            ("completion_tokens", random.choice((0, 7, None, Raw(b"7.0"), 12))),
            ("total_tokens", random.randint(0, 99)),
            ("prompt_tokens_details", random.choice((None, Obj([("cached_tokens", random.randint(0, 9))]), Obj()))),
            ("completion_tokens_details", random.choice((None, Obj([("reasoning_tokens", random.randint(0, 9))])))),
            (random.choice(("cached_tokens", "prompt_cache_hit_tokens", "reasoning_tokens")), random.choice((5, None))),
        ]
        return Obj(pairs[: random.randint(0, len(pairs))])


def string_key(random: Random) -> str:
    return random.choice(("a", "b", " the", "\n", "", "\ud83d", "é", "a"))


_SAYS_WHAT = ("id", "object", "role", "type", "index", "finish_reason")
"""Members whose value decides what a chunk is."""


def varied(random: Random, value: Any, name: str = "") -> Any:
    """A tree of the same shape with other values: strings for strings, numbers for numbers, nothing else."""
    if isinstance(value, Obj):
        return Obj([(key, varied(random, inner, key)) for key, inner in value])
    if isinstance(value, list):
        return [varied(random, inner, name) for inner in value]
    if (
        isinstance(value, bool)
        or value is None
        or isinstance(value, Raw)
        or (name in _SAYS_WHAT and random.randint(0, 9))
    ):
        return value
    if isinstance(value, str):
        return string(random)
    return random.randint(0, 99) if isinstance(value, int) else -random.random()


# ------------------------------------------------------------------------------------------------------- faults


def disturb(random: Random, tree: Obj) -> None:
    """Put one odd thing somewhere into a tree of values."""
    objects: list[Obj] = []
    slots: list[tuple[list[Any], int]] = []

    def walk(value: Any) -> None:
        if isinstance(value, Obj):
            objects.append(value)
            for place, (_, inner) in enumerate(value):
                slots.append((value, place))
                walk(inner)
        elif isinstance(value, list):
            for place, inner in enumerate(value):
                slots.append((value, place))
                walk(inner)

    walk(tree)
    holder = random.choice(objects)
    fault = random.randint(0, 6)
    if fault <= 2 and slots:
        values, place = random.choice(slots)
        old = values[place]
        values[place] = (old[0], anything(random)) if isinstance(values, Obj) else anything(random)
    elif fault == 3:
        holder.insert(random.randint(0, len(holder)), (key(random), anything(random)))
    elif fault == 4 and holder:  # a key twice
        name, value = random.choice(holder)
        holder.insert(random.randint(0, len(holder)), (name, value if chance(random, 3) else anything(random)))
    elif fault == 5:
        random.shuffle(holder)
    elif holder:
        del holder[random.randint(0, len(holder) - 1)]

"""Answers on a terminal with the colours of ``ssift report``: how probable each token was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np

from ssift.cli.terminal import Terminal
from ssift.contract import Floats
from ssift.log import Log
from ssift.report.shades import NOT_TOP, SHADES, is_sentinel, sgr, shade
from ssift.statistics.places import ListName, Located, characters, located

Part = tuple[int, int, str]
"""A text of a choice: response, index, and content, refusal or reasoning."""

_LISTS: tuple[ListName, ...] = ("content", "refusal", "reasoning")
_UNDERLINED = "4"


class Shading:
    """Colours texts by the tokens that :func:`~ssift.statistics.places.located` finds in them.

    A character that is cut between two tokens has the colour of the first. Of a text that its tokens do not make up
    nothing is known, and it has no colours.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._found: dict[Part, tuple[Located, Floats]] = {}

    def look_at(self, log: Log) -> None:
        """Take the places of the tokens of a batch of whole responses."""
        self._found = {}
        responses, indexes = log.choices["response"], log.choices["index"]
        for name in _LISTS:
            for one in located(log, name):
                part = int(responses[one.choice]), int(indexes[one.choice]), name
                self._found[part] = one, log.tokens["logprob"][one.rows]

    def misses(self, part: Part) -> bool:
        """Whether there are tokens, and they are not the text."""
        return part in self._found and self._found[part][0].fit == "differs"

    def shaded(self, part: Part, text: str) -> str:
        """The text with its colours."""
        if part not in self._found or self.misses(part):
            return self._terminal.content(text)
        runs = groupby(self._runs(text, *self._found[part]), itemgetter(0))
        return "".join(self._painted("".join(piece for _, piece in run), code) for code, run in runs)

    def _runs(self, text: str, one: Located, logprobs: Floats) -> Iterator[tuple[str, str]]:
        """(colour, piece) of the text from its beginning to its end; what no token covers has no colour."""
        inside = one.starts >= 0
        starts = characters(one.text, one.starts[inside]).tolist()
        ends = characters(one.text, one.ends[inside], ends=True).tolist()
        done = 0
        for start, end, logprob in zip(starts, ends, logprobs[inside].tolist(), strict=True):
            start = max(start, done)
            if end > start:
                if start > done:
                    yield "", text[done:start]
                yield _code(logprob, self._terminal.truecolour), text[start:end]
                done = end
        yield "", text[done:]

    def _painted(self, text: str, code: str) -> str:
        """In colour line by line, or the rest of the line would have it too."""
        shown = self._terminal.content(text)
        return "\n".join(self._terminal.paint(line, code) for line in shown.split("\n"))

    def legend(self) -> str:
        """What the colours mean, in one line."""
        paint = self._terminal.paint
        labels = [paint(f" {each.label} ", sgr(each, self._terminal.truecolour)) for each in SHADES]
        return "".join(["probability:", *labels, paint(NOT_TOP, _code(-np.inf, self._terminal.truecolour))])


def _code(logprob: float, truecolour: bool) -> str:
    found = shade(logprob)
    code = "" if found is None else sgr(found, truecolour)
    return f"{code};{_UNDERLINED}" if is_sentinel(logprob) else code

"""The answers the model was least sure of, token by token.

A token carries its logprob and its alternatives in ``data-`` attributes, separated by tabs, which no text has after
:func:`~ssift.report.markup.safe`; ``page.js`` makes the tooltip of them. An answer may take ``_BYTES`` on the page, so
that no log can make the page large.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

from ssift.report.markup import figure, nothing, safe, section
from ssift.report.passages import Passage, Token
from ssift.report.shades import SHADES, is_sentinel, shade

_BYTES = 150_000  # on the page for one answer
_OPEN = 3  # answers that are unfolded


def answers(passages: Sequence[Passage]) -> str:
    """The passages with a legend."""
    if not passages:
        return section("answers", "Least certain answers", nothing("No answer has a logprob."))
    drawn = "".join(_answer(place, passage) for place, passage in enumerate(passages))
    return section(
        "answers",
        "Least certain answers",
        f'{_legend()}{drawn}<div id="tip" role="tooltip" hidden></div>',
        "The answers with the lowest mean logprob, each token coloured by its probability. Point at a token for its "
        "alternatives, or go to an answer with Tab and along it with the arrow keys.",
    )


def _legend() -> str:
    shades = "".join(f'<li><span class="dot {shade.name}"></span>{shade.label}</li>' for shade in SHADES)
    return (
        f'<ul class="legend" aria-label="Probability of a token">{shades}'
        '<li><span class="t s5 off">a</span> not in the top</li><li><span class="t void">a</span> no value</li></ul>'
    )


def _answer(place: int, passage: Passage) -> str:
    choice = passage.choice
    facts = [
        f"perplexity {figure(choice.perplexity, 3)}",
        f"{passage.total:,} {'token' if passage.total == 1 else 'tokens'}",
        *(safe(fact, 60) for fact in (choice.finish_reason, choice.model) if fact),
    ]
    identity = f"{safe(choice.id)} · " if choice.id else ""
    where = f"{identity}{safe(choice.source) or 'bytes in memory'}, offset {choice.offset:,}, choice {choice.index}"
    room, shown, body, name = _BYTES, 0, [], "content"
    for token in passage.tokens:
        drawn = _token(token, first=not shown)
        room -= len(drawn.encode())
        if room < 0:
            break
        if token.list != name:
            name = token.list
            body.append(f'<span class="list">{safe(name)}</span>')
        body.append(drawn)
        shown += 1
    more = passage.total - shown
    rest = f' <span class="quiet">… {more:,} more {"token" if more == 1 else "tokens"}</span>' if more else ""
    return (
        f'<details class="answer"{" open" if place < _OPEN else ""}><summary><b>{place + 1}</b> '
        f'{" · ".join(facts)}</summary><p class="tokens" dir="auto">{"".join(body)}{rest}</p>'
        f'<p class="quiet">{where}</p></details>\n'
    )


def _token(token: Token, first: bool) -> str:
    look = shade(token.logprob)
    kind = "void" if look is None else f"{look.name} off" if is_sentinel(token.logprob) else look.name
    listed = "\t".join(chain.from_iterable((safe(word), _value(logprob)) for word, logprob in token.alternatives))
    return (
        f'<span class="t {kind}" tabindex="{0 if first else -1}" data-t="{safe(token.text)}" '
        f'data-l="{_value(token.logprob)}" data-a="{listed}">{_text(token.text)}</span>'
    )


def _value(logprob: float) -> str:
    """A number as JavaScript reads it."""
    return "" if math.isnan(logprob) else f"{logprob:.6g}".replace("inf", "Infinity")


def _text(text: str) -> str:
    """A token in the flow of the answer: line ends are seen and kept, what has no width is seen too."""
    if not text:
        return "<i>∅</i>"
    return "<i>↵</i>\n".join(safe(part) for part in text.split("\n"))

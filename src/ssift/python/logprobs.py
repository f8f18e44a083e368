"""The logprobs of a choice to rows of tokens and alternatives.

Theory. A token is one entry of a list in ``choices[].logprobs``: of ``content``, of ``refusal``, or of the reasoning.
It has a text, a logprob, perhaps its bytes, and under ``top_logprobs`` the alternatives, which look the same. Servers
differ:

1. Missing is missing: no ``logprob``, null and NaN are NaN here, never 0.
2. Entries are kept as sent: their order, duplicates, positive values, -9999.
3. The older shape (``tokens``, ``token_logprobs``, ``top_logprobs`` as objects) counts where the newer has no content.
4. Reasoning has its list in the logprobs, or beside them in the choice.
"""

from __future__ import annotations

from math import nan
from typing import Any, TypeAlias

from ssift.contract import M_ENTRY, M_LIST, M_LOGPROB, M_TOKEN, M_TOP, M_TOP_ENTRY
from ssift.python.json_text import MINUS_ZERO, LookAgain
from ssift.python.values import WrongType, real

CONTENT, REFUSAL, REASONING = range(3)

Alternative: TypeAlias = "tuple[str, bytes | None, float]"
"""Token, bytes, logprob."""

Token: TypeAlias = "tuple[int, str, bytes | None, float, int]"
"""List, token, bytes, logprob, and how many of the chunk's alternatives, from the next on, are its own."""


class LogprobReader:
    """Gathers the tokens and alternatives of one chunk, choice by choice.

    ``with_top`` says whether alternatives are wanted, ``data`` is what the chunk was read from; None when it was read
    exactly.
    """

    def __init__(self, with_top: bool, data: bytes | None) -> None:
        self._with_top = with_top
        self._data = data
        self.alternatives: list[Alternative] = []

    def read(self, choice: dict[str, Any]) -> list[Token]:
        """The tokens of a choice: content, then refusal, then reasoning."""
        tokens: list[Token] = []
        logprobs = choice.get("logprobs")
        if type(logprobs) is not dict:
            logprobs = {}
        content = logprobs.get("content")
        if content is None:
            self._read_older(logprobs, tokens)
        else:
            self._read_list(content, CONTENT, tokens)
        refusal = logprobs.get("refusal")
        if refusal is not None:
            self._read_list(refusal, REFUSAL, tokens)
        reasoning = logprobs.get("reasoning_content")
        if reasoning is None:
            reasoning = choice.get("reasoning_logprobs")
            if type(reasoning) is dict:
                reasoning = reasoning.get("content")
            elif type(reasoning) is not list:
                reasoning = None
        if reasoning is not None:
            self._read_list(reasoning, REASONING, tokens)
        return tokens

    def _read_list(self, entries: Any, list_code: int, tokens: list[Token]) -> None:
        if type(entries) is not list:
            raise WrongType(M_LIST)
        if None in entries:
            entries = [entry for entry in entries if entry is not None]
        try:
            read = self._entries(entries, M_ENTRY)
        except WrongType:
            if len(entries) > 1:  # the first fault counts, and one among an entry's alternatives may be before
                for entry in entries:
                    self._read_list([entry], list_code, [])
            raise
        for entry, (token, own, logprob) in zip(entries, read, strict=True):
            count = 0
            top = entry.get("top_logprobs")
            if top is not None and self._with_top:
                if type(top) is not list:
                    raise WrongType(M_TOP)
                alternatives = self._entries(top, M_TOP_ENTRY)
                self.alternatives += alternatives
                count = len(alternatives)
            tokens.append((list_code, token, own, logprob, count))

    def _entries(self, entries: list[Any], message: int) -> list[Alternative]:
        """What tokens and alternatives have in common; ``message`` tells of an entry that is no object."""
        found: list[Alternative] = []
        for entry in entries:
            if type(entry) is not dict:
                if entry is None:
                    continue
                raise WrongType(message)
            token, own, logprob = entry.get("token"), entry.get("bytes"), entry.get("logprob")
            if type(token) is not str:
                token = self._token(token)
            if type(logprob) is not float:
                logprob = self._logprob(logprob)
            octets = None
            if type(own) is list:
                try:
                    octets = bytes(own)
                    if 0 in octets or 1 in octets:
                        octets = self._doubt_low(own, octets)
                except (TypeError, ValueError):  # not integers, or not from 0 to 255
                    pass
            found.append((token, octets, logprob))
        return found

    def _token(self, value: Any) -> str:
        if value is None:
            return ""
        if type(value) is not str:
            raise WrongType(M_TOKEN)
        return value

    def _logprob(self, value: Any) -> float:
        if value is None:
            return nan
        if type(value) is int:
            if value == 0:
                self._doubt_zero()
            return real(value)
        if type(value) is not float:
            raise WrongType(M_LOGPROB)
        return value

    def _doubt_low(self, own: list[Any], octets: bytes) -> bytes | None:
        """A byte 0 or 1 may have been written ``false`` or ``true``, which is none."""
        if any(type(octet) is not int for octet in own):
            return None
        if 0 in octets:
            self._doubt_zero()
        return octets

    def _doubt_zero(self) -> None:
        """An int 0 may have been written ``-0``, which is -0.0 as a logprob and no byte."""
        if self._data is not None and MINUS_ZERO.search(self._data):
            raise LookAgain
        self._data = None

    def _read_older(self, logprobs: dict[str, Any], tokens: list[Token]) -> None:
        texts = self._older_list(logprobs.get("tokens"))
        values = self._older_list(logprobs.get("token_logprobs"))
        tops = self._older_list(logprobs.get("top_logprobs"), M_TOP) if self._with_top else []
        for place in range(max(len(texts), len(values))):
            text = self._token(texts[place]) if place < len(texts) else ""
            value = self._logprob(values[place]) if place < len(values) else nan
            top = tops[place] if place < len(tops) else None
            tokens.append((CONTENT, text, None, value, self._read_older_top(top)))

    def _older_list(self, value: Any, message: int = M_LIST) -> list[Any]:
        if value is None:
            return []
        if type(value) is not list:
            raise WrongType(message)
        return value

    def _read_older_top(self, top: Any) -> int:
        if top is None:
            return 0
        if type(top) is not dict:
            raise WrongType(M_TOP_ENTRY)
        self.alternatives += [(token, None, self._logprob(value)) for token, value in top.items()]
        return len(top)

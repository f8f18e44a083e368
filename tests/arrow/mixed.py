"""A log with something of everything that a column can hold."""

from __future__ import annotations

from typing import Any

from tests.faces.logs import ANSWER, BROKEN, CUT, answer, chunk, event, token

ODD: list[dict[str, Any]] = [
    {"token": "né", "logprob": None, "bytes": None, "top_logprobs": [{"token": "", "logprob": float("-inf")}]},
    {"token": "\ufffd", "logprob": -1.25, "bytes": [240, 159], "top_logprobs": []},
    {
        "token": "=1+1",
        "logprob": -9999.0,
        "top_logprobs": [{"token": "\u4f60\U0001f30d", "logprob": -0.5, "bytes": [228, 189]}],
    },
]
CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"a": "\u00fc"}'}}

LOG = (
    ANSWER
    + BROKEN
    + event(
        chunk(
            {"role": "assistant", "content": "né", "tool_calls": [CALL]},
            "tool_calls",
            logprobs=ODD,
            id="r2",
            model="other/m=1",
        )
    )
    + event({"error": {"message": "overloaded", "code": 529}})
    + answer("r3", "xyz", system_fingerprint="fp", service_tier="default")
    + event(chunk({"role": "assistant", "refusal": "no"}, "length", id="r4", index=1, model=""))
    + CUT
)
"""Four or five responses: complete, errored and truncated; problems; nulls, infinities, bytes of half characters."""


def interleaved(responses: int, tokens: int) -> bytes:
    """Responses whose chunks take turns, of different lengths, models and endings; some never end."""
    events = [
        event(chunk({"role": "assistant", "content": ""}, id=f"id{number}", model=f"m{number % 3}"))
        for number in range(responses)
    ]
    for turn in range(tokens + 2):
        for number in range(responses):
            length = tokens * (number + 1) // responses
            name = {"id": f"id{number}", "model": f"m{number % 3}"}
            if turn < length:
                entry = token(
                    f"t{number}.{turn}", -number - turn / 8, *[(f"a{place}", -0.5 * place) for place in range(turn % 4)]
                )
                events.append(event(chunk({"content": entry["token"]}, logprobs=[entry], **name)))
            elif turn == length and number % 4:
                finish = ("stop", "length", "tool_calls")[number % 3]
                events.append(event(chunk({}, finish, **name)))
    return b"".join(events)

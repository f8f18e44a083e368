"""litellm and langchain-openai on an accelerated client: they stream what they stream on the plain one.

litellm asks whether a choice is a pydantic model, and so needs ``types="openai"``.

Run by ``make test-clients`` alone: pytest does not collect this file by itself, for the two bring a hundred packages.
"""

from __future__ import annotations

import asyncio
import os
import re
from typing import Any

import pytest

from ssift.openai import accelerate
from tests.live.streams import SOUND
from tests.need import need_module

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

openai = need_module("openai")
pytestmark = pytest.mark.filterwarnings("ignore")

OPTIONS: dict[str, Any] = {"api_key": "x", "max_retries": 0}
MESSAGES = [{"role": "user", "content": "?"}]
STREAMS = ["text", "logprobs", "tools", "no done", "crlf", "comments", "error"]


def steady(shown: str) -> str:
    """Without what is new each time: ids that a framework makes up, times, and places in memory."""
    return re.sub(r"(run--|lc_run--|chatcmpl-|0x)[-0-9a-f]+|'?created'?[=:] ?\d+", "*", shown)


def outcome(error: Exception) -> str:
    return f"{type(error).__name__} {steady(str(error))}"


def run(stream: Any) -> list[str]:
    found = []
    try:
        for chunk in stream():
            found.append(steady(repr(chunk)))  # noqa: PERF401 - what came before an exception is looked at
    except Exception as error:
        found.append(outcome(error))
    return found


async def arun(stream: Any) -> list[str]:
    found = []
    try:
        async for chunk in await stream():
            found.append(steady(repr(chunk)))  # noqa: PERF401
    except Exception as error:
        found.append(outcome(error))
    return found


@pytest.mark.parametrize("name", STREAMS)
def test_litellm(server, name):
    litellm = need_module("litellm")
    request: dict[str, Any] = {"model": "openai/m", "messages": MESSAGES, "stream": True}
    server.pieces = [SOUND[name]]
    with openai.OpenAI(base_url=server.url, **OPTIONS) as plain:
        expected = run(lambda: litellm.completion(**request, client=plain))
        assert len(expected) >= 1
        assert run(lambda: litellm.completion(**request, client=accelerate(plain, types="openai"))) == expected

    async def asynchronously() -> None:
        async with openai.AsyncOpenAI(base_url=server.url, **OPTIONS) as plain:
            expected = await arun(lambda: litellm.acompletion(**request, client=plain))
            fast = accelerate(plain, types="openai")
            assert await arun(lambda: litellm.acompletion(**request, client=fast)) == expected

    asyncio.run(asynchronously())


@pytest.mark.parametrize("types", ["ssift", "openai"])
@pytest.mark.parametrize("name", STREAMS)
def test_langchain(server, name, types):
    langchain = need_module("langchain_openai")
    server.pieces = [SOUND[name]]
    request: dict[str, Any] = {"logprobs": True} if name == "logprobs" else {}

    def model(plain: Any, aplain: Any) -> Any:
        return langchain.ChatOpenAI(
            model="m", api_key="x", root_client=plain, client=plain.chat.completions, root_async_client=aplain,
            async_client=aplain.chat.completions,
        )  # fmt: skip

    async def both() -> None:
        with openai.OpenAI(base_url=server.url, **OPTIONS) as plain:
            async with openai.AsyncOpenAI(base_url=server.url, **OPTIONS) as aplain:
                usual = model(plain, aplain)
                fast = model(accelerate(plain, types=types), accelerate(aplain, types=types))
                expected = run(lambda: usual.stream("?", **request))
                assert len(expected) >= 1
                assert run(lambda: fast.stream("?", **request)) == expected

                async def stream() -> Any:
                    return fast.astream("?", **request)

                assert await arun(stream) == expected

    asyncio.run(both())

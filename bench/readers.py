"""The peers of ssift: other ways in which a Python program reads such a log, each as it is usually written.

A *walk* gathers what ``ssift.scan(data, tables=("tokens", "top_logprobs", "choices"))`` gathers: token texts, logprobs,
bytes, alternatives, the text of each chunk, and where responses begin. A *parse* only decodes the JSON into the
reader's own tables, of lines that were taken out of the events beforehand.
"""

from __future__ import annotations

import io
import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np

TABLES = ("tokens", "top_logprobs", "choices")
LISTS = ("content", "refusal", "reasoning_content")


@dataclass
class Columns:
    """Lists as a walk gathers them, and one array each for logprobs."""

    offsets: list[int] = field(default_factory=list)
    responses: list[int] = field(default_factory=list)
    contents: list[Any] = field(default_factory=list)
    reasonings: list[Any] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    token_bytes: list[Any] = field(default_factory=list)
    top_starts: list[int] = field(default_factory=list)
    top_tokens: list[str] = field(default_factory=list)
    top_bytes: list[Any] = field(default_factory=list)
    logprobs: Any = None
    top_logprobs: Any = None

    def figures(self) -> dict[str, float]:
        """What must be equal for all readers of a file."""

        def size(texts: Iterable[Any]) -> int:
            return sum(len(text.encode("utf-8", "surrogatepass")) for text in texts if text)

        return {
            "chunks": len(self.offsets),
            "responses": len(self.responses),
            "tokens": len(self.tokens),
            "top_logprobs": len(self.top_tokens),
            "content_bytes": size(self.contents),
            "reasoning_bytes": size(self.reasonings),
            "logprob_sum": math.fsum(self.logprobs),
            "top_logprob_sum": math.fsum(self.top_logprobs),
            "token_text_bytes": size(self.tokens),
            "top_text_bytes": size(self.top_tokens),
        }


def events(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Offset and data of each event of a replay file (LF alone, one data line each)."""
    start = 0
    for line in data.split(b"\n"):
        if line[:6] == b"data: ":
            yield start, line[6:]
        start += len(line) + 1


def payloads(data: bytes) -> list[bytes]:
    """The JSON texts of a replay file."""
    return [text for _, text in events(data) if text != b"[DONE]"]


def walk(
    loads: Callable[[Any], Any], events: Callable[[bytes], Iterator[tuple[int, Any]]] = events
) -> Callable[[bytes], Columns]:
    """The walk over dicts; ``events`` gives offset and data of each, ``loads`` makes the dict of it."""

    def read(data: bytes) -> Columns:
        out = Columns()
        logprobs: list[float] = []
        top_logprobs: list[float] = []
        last_id, is_open = "", False
        for offset, text in events(data):
            if text == b"[DONE]" or text == "[DONE]":
                last_id, is_open = "", False
                continue
            chunk = loads(text)
            name = chunk["id"]
            if not is_open or (name != last_id and name and last_id):
                out.responses.append(len(out.offsets))
                is_open = True
            last_id = name or last_id
            out.offsets.append(offset)
            for choice in chunk["choices"]:
                delta = choice.get("delta")
                if delta:
                    out.contents.append(delta.get("content"))
                    out.reasonings.append(delta.get("reasoning_content") or delta.get("reasoning"))
                lists = choice.get("logprobs")
                if not lists:
                    continue
                for name in LISTS:
                    for entry in lists.get(name) or ():
                        out.tokens.append(entry["token"])
                        logprobs.append(entry["logprob"])
                        out.token_bytes.append(entry.get("bytes"))
                        out.top_starts.append(len(top_logprobs))
                        for top in entry["top_logprobs"]:
                            out.top_tokens.append(top["token"])
                            top_logprobs.append(top["logprob"])
                            out.top_bytes.append(top.get("bytes"))
        out.logprobs, out.top_logprobs = np.array(logprobs, float), np.array(top_logprobs, float)
        return out

    return read


def typed_walk(decode: Callable[[bytes], Any]) -> Callable[[bytes], Columns]:
    """The walk over objects with attributes."""

    def read(data: bytes) -> Columns:
        out = Columns()
        logprobs: list[float] = []
        top_logprobs: list[float] = []
        last_id, is_open = "", False
        for offset, text in events(data):
            if text == b"[DONE]":
                last_id, is_open = "", False
                continue
            chunk = decode(text)
            name = chunk.id
            if not is_open or (name != last_id and name and last_id):
                out.responses.append(len(out.offsets))
                is_open = True
            last_id = name or last_id
            out.offsets.append(offset)
            for choice in chunk.choices:
                delta = choice.delta
                if delta is not None:
                    out.contents.append(delta.content)
                    out.reasonings.append(
                        getattr(delta, "reasoning_content", None) or getattr(delta, "reasoning", None)
                    )
                lists = choice.logprobs
                if lists is None:
                    continue
                for entry in chain.from_iterable(getattr(lists, name, None) or () for name in LISTS):
                    out.tokens.append(entry.token)
                    logprobs.append(entry.logprob)
                    out.token_bytes.append(entry.bytes)
                    out.top_starts.append(len(top_logprobs))
                    for top in entry.top_logprobs:
                        out.top_tokens.append(top.token)
                        top_logprobs.append(top.logprob)
                        out.top_bytes.append(top.bytes)
        out.logprobs, out.top_logprobs = np.array(logprobs, float), np.array(top_logprobs, float)
        return out

    return read


# ------------------------------------------------------------------------------------------------------- peers


@dataclass(frozen=True)
class Peer:
    """``make`` gets the bytes and returns what is timed; that returns Columns, or figures, or the number of chunks."""

    name: str
    make: Callable[[bytes], Callable[[], Any]]
    most: int = 1 << 60
    """Bytes of the file that it gets at most; its speed is taken from that part."""
    does: str = "walk"
    not_on: tuple[str, ...] = ()
    asked: bool = False
    """Whether it gives figures only when asked: ``figures=True``."""
    cores: int = 1
    """On how many it runs."""


def _on_whole(read: Callable[[bytes], Columns]) -> Callable[[bytes], Callable[[], Columns]]:
    return lambda data: lambda: read(data)


def orjson_walk() -> Peer:
    return Peer("orjson walk", _on_whole(walk(import_module("orjson").loads)))


def json_walk() -> Peer:
    """What the Python engine is compared with, on the same part of the file."""
    return Peer("json walk", _on_whole(walk(json.loads)), most=20_000_000)


def msgspec_walk() -> Peer:
    msgspec = import_module("msgspec")
    define = msgspec.defstruct
    top: Any = define("Top", [("token", str), ("logprob", float), ("bytes", list[int] | None, None)])
    tops = ("top_logprobs", list[top], msgspec.field(default_factory=list))
    entry: Any = define("Entry", [("token", str), ("logprob", float), ("bytes", list[int] | None, None), tops])
    lists = define("Lists", [(name, list[entry] | None, None) for name in LISTS])
    delta = define("Delta", [(name, str | None, None) for name in ("content", "reasoning_content", "reasoning")])
    choice: Any = define("Choice", [("index", int), ("delta", delta | None, None), ("logprobs", lists | None, None)])
    chunk = define("Chunk", [("id", str), ("choices", list[choice])])
    return Peer("msgspec typed walk", _on_whole(typed_walk(msgspec.json.Decoder(chunk).decode)))


def pysimdjson_walk() -> Peer:
    parser = import_module("simdjson").Parser()

    def loads(text: bytes) -> dict[str, Any]:
        """What is needed as Python objects; the parser's own objects may not outlive its next call."""
        document = parser.parse(text)
        return {"id": document["id"], "choices": document["choices"].as_list()}

    return Peer("pysimdjson walk", _on_whole(walk(loads)), most=100_000_000)


def openai_classes() -> Peer:
    openai = import_module("openai")
    try:
        httpx = import_module("httpx2")  # what openai is built on since its version 3
    except ImportError:
        httpx = import_module("httpx")
    chunk = import_module("openai.types.chat").ChatCompletionChunk
    client = openai.OpenAI(api_key="none")
    request = httpx.Request("POST", "http://localhost/")

    def make(data: bytes) -> Callable[[], Columns]:
        bodies = [body + b"data: [DONE]\n\n" for body in data.split(b"data: [DONE]\n\n") if body]

        def chunks() -> Iterator[Any]:
            for body in bodies:
                response = httpx.Response(200, content=body, request=request)
                yield from openai.Stream(cast_to=chunk, response=response, client=client)

        def read() -> Columns:
            made = chunks()
            return typed_walk(lambda _: next(made))(data)  # the stream reads the bytes; the walk takes what it gives

        return read

    return Peer("openai SDK stream", make, most=4_000_000, not_on=("dialects",))


# ---------------------------------------------------------------------------------------------- parsing alone


def pyarrow_parse() -> Peer:
    pa_json, pa = import_module("pyarrow.json"), import_module("pyarrow")

    def make(data: bytes) -> Callable[[], int]:
        lines = b"\n".join(payloads(data))
        options = pa_json.ReadOptions(use_threads=False, block_size=16 << 20)
        return lambda: int(pa_json.read_json(pa.BufferReader(lines), read_options=options).num_rows)

    return Peer("pyarrow.json", make, does="parse")


def polars_parse() -> Peer:
    polars = import_module("polars")

    def make(data: bytes) -> Callable[[], int]:
        lines = b"\n".join(payloads(data))
        return lambda: int(polars.read_ndjson(io.BytesIO(lines), infer_schema_length=1000).height)

    return Peer("polars read_ndjson", make, most=15_000_000, does="parse")


def duckdb_parse() -> Peer:
    duckdb = import_module("duckdb")

    def make(data: bytes) -> Callable[[], int]:
        file = tempfile.NamedTemporaryFile(suffix=".ndjson")  # noqa: SIM115 (it lives as long as what is timed)
        file.write(b"\n".join(payloads(data)))
        file.flush()

        def read() -> int:
            with duckdb.connect(config={"threads": 1}) as connection:
                query = "CREATE TABLE chunks AS SELECT * FROM read_json($file, format='newline_delimited')"
                connection.execute(query, {"file": file.name})
                return int(connection.execute("SELECT count(*) FROM chunks").fetchall()[0][0])

        return read

    return Peer("duckdb read_json", make, most=100_000_000, does="parse")


PYTHON_PEERS: tuple[Callable[[], Peer], ...] = (
    orjson_walk,
    msgspec_walk,
    json_walk,
    pysimdjson_walk,
    openai_classes,
    pyarrow_parse,
    polars_parse,
    duckdb_parse,
)
"""Each fails with ImportError where its package is not installed."""

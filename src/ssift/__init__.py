"""ssift ("sift SSE") reads logged streams of OpenAI-compatible chat completions into columns.

A server that streams an answer sends Server-Sent Events, each with one ``chat.completion.chunk``. Logs of such
streams are what ssift reads, at the speed of memory and without building an object per token::

    import ssift

    log = ssift.read("logs/")            # a path, pattern, folder, file object, bytes, or a list of these
    log.responses["status"].to_pylist()  # ['complete', 'truncated', ...]
    log.tokens["logprob"]                # numpy float64: the very buffer the engine wrote
    log.tokens["token"][:3]              # strings, decoded when looked at
    log.problems                         # whatever could not be read: where, and why

    for batch in ssift.scan("huge.sse", batch_size="64MB"):  # bounded memory; a batch is a Log
        ...

    for log in ssift.follow("growing.sse"):  # like tail -F: a Log of what is new, again and again
        ...

    summary = ssift.summarize("logs/")   # counts, logprob figures, perplexity
    (summary + ssift.summarize("more/")).to_json()
    ssift.compare("run-a/", "run-b/")    # the same prompts twice: where and how far they differ
    ssift.statistics.fields(log)         # how sure the model was of each field of a JSON answer

    for chunk in ssift.chunks(pieces):   # live, from any transport; ssift.achunks for async
        chunk.choices[0].delta.content
    ssift.accumulate(chunks)             # the whole answer

    for event in ssift.events(pieces):   # strict Server-Sent Events, live
        ...

**Words.** A *piece* is some bytes as they arrive; an *event* is one dispatched Server-Sent Event; a *chunk* is
the JSON object in it; a *response* is all chunks of one answer, and a *choice* one ``index`` of it; a *token* is
an entry of a list of logprobs, with *top_logprobs* as its alternatives; a *problem* is a place in the input that
could not be read as it should; a *source* is a file, stream or buffer.

**Flow.** bytes -> events -> chunks -> columns -> statistics -> command line. Bytes to columns is the work of an
*engine*: ``native`` (compiled) or ``python`` (the readable reference), with the same results;
``ssift.engine()`` names the one in use and the environment variable ``SSIFT_ENGINE`` chooses.

Importing ssift is light: what needs numpy is imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Bound here and now: importing the module ssift.engine later would put the module in the function's place.
from ssift.engine import engine
from ssift.errors import EngineError, NotFoundError, ProblemError, ReadError, SsiftError, StreamError, TableError

if TYPE_CHECKING:
    from ssift import statistics
    from ssift.contract import Limits
    from ssift.exporting import Exported, export
    from ssift.following import follow
    from ssift.live.accumulation import Accumulator, Answer, accumulate
    from ssift.live.chunk import Chunk
    from ssift.live.confidence import RunningConfidence
    from ssift.live.events import Event, EventDecoder, aevents, events
    from ssift.live.parser import Parser, achunks, chunks, loads
    from ssift.live.recording import arecord, record
    from ssift.log import Log, SourceInfo
    from ssift.partitioning import Partition, partitions, read_partition, scan_partition
    from ssift.reading import read, scan
    from ssift.sources import Records
    from ssift.statistics import Comparison, Summary, compare, summarize
    from ssift.streaming import TableStream
    from ssift.strings import Binaries, Strings
    from ssift.table import Table
    from ssift.unwrapping import bodies

__version__ = "0.1.0"

__all__ = [
    "Accumulator",
    "Answer",
    "Binaries",
    "Chunk",
    "Comparison",
    "EngineError",
    "Event",
    "EventDecoder",
    "Exported",
    "Limits",
    "Log",
    "NotFoundError",
    "Parser",
    "Partition",
    "ProblemError",
    "ReadError",
    "Records",
    "RunningConfidence",
    "SourceInfo",
    "SsiftError",
    "StreamError",
    "Strings",
    "Summary",
    "Table",
    "TableError",
    "TableStream",
    "__version__",
    "accumulate",
    "achunks",
    "aevents",
    "arecord",
    "bodies",
    "chunks",
    "compare",
    "engine",
    "events",
    "export",
    "follow",
    "loads",
    "partitions",
    "read",
    "read_partition",
    "record",
    "scan",
    "scan_partition",
    "statistics",
    "summarize",
]

_LATE = {
    "Accumulator": "ssift.live.accumulation",
    "Answer": "ssift.live.accumulation",
    "Binaries": "ssift.strings",
    "Chunk": "ssift.live.chunk",
    "Comparison": "ssift.statistics",
    "Event": "ssift.live.events",
    "EventDecoder": "ssift.live.events",
    "Exported": "ssift.exporting.call",
    "Limits": "ssift.contract",
    "Log": "ssift.log",
    "Records": "ssift.sources",
    "Parser": "ssift.live.parser",
    "Partition": "ssift.partitioning",
    "RunningConfidence": "ssift.live.confidence",
    "SourceInfo": "ssift.log",
    "Strings": "ssift.strings",
    "Summary": "ssift.statistics",
    "Table": "ssift.table",
    "TableStream": "ssift.streaming",
    "accumulate": "ssift.live.accumulation",
    "achunks": "ssift.live.parser",
    "aevents": "ssift.live.events",
    "arecord": "ssift.live.recording",
    "bodies": "ssift.unwrapping",
    "chunks": "ssift.live.parser",
    "compare": "ssift.statistics",
    "events": "ssift.live.events",
    "export": "ssift.exporting.call",
    "follow": "ssift.following",
    "loads": "ssift.live.parser",
    "partitions": "ssift.partitioning",
    "read": "ssift.reading",
    "read_partition": "ssift.partitioning",
    "record": "ssift.live.recording",
    "scan": "ssift.reading",
    "scan_partition": "ssift.partitioning",
    "summarize": "ssift.statistics",
}


def __getattr__(name: str) -> Any:
    if name == "statistics":
        return import_module("ssift.statistics")
    if name not in _LATE:
        raise AttributeError(f"module 'ssift' has no attribute {name!r}")
    value = getattr(import_module(_LATE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""From a log to Parquet: ssift.export, and the same with orjson and pyarrow; cells first.

    python bench/export.py --size 1GB

Each runs once, and all cells are compared; then ``--rounds`` in turn are timed, and medians count. Each run is a
process of its own, so that its peak of memory is its own, and so is what compares; importing is in the time. Both write
five tables (responses, choices, chunks, tokens, top_logprobs) with the same settings of Parquet.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

TABLES = ("responses", "choices", "chunks", "tokens", "top_logprobs")
GROUP = 50_000  # chunks that the peer gathers before it writes


def with_ssift(source: str, folder: str) -> None:
    """The subject."""
    import ssift

    ssift.export(source, folder, tables=TABLES)


class Walk:
    """The peer: orjson reads each chunk, lists gather the cells, pyarrow writes them, a group at a time.

    It knows what a replay file is like (LF, one data line an event, one response after the other, ``[DONE]`` at its
    end) and needs none of the care that logs in the wild ask for.
    """

    def __init__(self, source: str, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._writers: dict[str, Any] = {}
        self._chunks = self._tokens = self._tops = self._responses = 0

    def run(self) -> None:
        """Read and write everything."""
        self._folder.mkdir()
        self._begin()
        for offset, line in self._lines():
            if line == b"[DONE]":
                self._end(offset)
                if len(self._rows["chunks"]["chunk"]) >= GROUP:
                    self._write()
            else:
                self._chunk(offset, line)
        self._write()
        for writer in self._writers.values():
            writer.close()

    def _lines(self) -> Iterator[tuple[int, bytes]]:
        offset = 0
        with open(self._source, "rb") as file:
            for line in file:
                if line[:6] == b"data: ":
                    yield offset, line[6:-1]
                offset += len(line)

    def _begin(self) -> None:
        from ssift.contract import SCHEMA

        self._rows: dict[str, dict[str, list[Any]]] = {
            table: {column.name: [] for column in SCHEMA[table]} for table in TABLES
        }
        self._open: dict[str, Any] | None = None
        names = (
            ("response", "chunk", "position", "token", "bytes", "logprob", "top_start", "top_count"),
            ("token_row", "rank", "token", "bytes", "logprob"),
        )
        self._token_lists = [self._rows["tokens"][name] for name in names[0]]
        self._top_lists = [self._rows["top_logprobs"][name] for name in names[1]]

    def _chunk(self, offset: int, line: bytes) -> None:
        import orjson

        chunk = orjson.loads(line)
        if self._open is None:
            self._open = {**chunk, "offset": offset, "count": 0, "texts": {}, "usage": None}
        current = self._open
        current["count"] += 1
        usage = chunk.get("usage")
        if usage:
            current["usage"] = usage
        tokens_before, text_bytes = self._tokens, 0
        for choice in chunk["choices"]:
            delta = choice["delta"]
            texts = current["texts"].setdefault(choice["index"], {"tokens": 0, "logprobs": [], "content": []})
            if delta.get("role"):
                texts.setdefault("role", delta["role"])
            if delta.get("content") is not None:
                texts["content"].append(delta["content"])
                text_bytes += len(delta["content"].encode())
            if choice["finish_reason"]:
                texts["finish_reason"] = choice["finish_reason"]
            logprobs = choice.get("logprobs")
            if logprobs:
                self._entries(choice["index"], logprobs["content"] or (), texts)
        rows = self._rows["chunks"]
        rows["chunk"].append(self._chunks)
        rows["response"].append(self._responses)
        rows["offset"].append(offset)
        rows["length"].append(len(b"data: ") + len(line) + 1)
        rows["arrival_ns"].append(None)
        rows["choice_count"].append(len(chunk["choices"]))
        rows["token_count"].append(self._tokens - tokens_before)
        rows["completion_tokens"].append(usage["completion_tokens"] if usage else None)
        rows["text_bytes"].append(text_bytes)
        self._chunks += 1

    def _entries(self, index: int, entries: Any, texts: dict[str, Any]) -> None:
        response, chunk, position, token, own, logprob, top_start, top_count = self._token_lists
        top_row, top_rank, top_token, top_own, top_logprob = self._top_lists
        rows = self._rows["tokens"]
        for entry in entries:
            response.append(self._responses)
            rows["index"].append(index)
            rows["list"].append("content")
            chunk.append(self._chunks)
            position.append(texts["tokens"])
            texts["tokens"] += 1
            token.append(entry["token"])
            given = entry["bytes"]
            own.append(None if given is None else bytes(given))
            logprob.append(entry["logprob"])
            texts["logprobs"].append(entry["logprob"])
            tops = entry["top_logprobs"]
            top_start.append(self._tops)
            top_count.append(len(tops))
            for rank, top in enumerate(tops):
                top_row.append(self._tokens)
                top_rank.append(rank)
                top_token.append(top["token"])
                given = top["bytes"]
                top_own.append(None if given is None else bytes(given))
                top_logprob.append(top["logprob"])
            self._tops += len(tops)
            self._tokens += 1

    def _end(self, offset: int) -> None:
        from math import fsum, nan

        current = self._open
        assert current is not None
        usage = current["usage"] or {}
        row = {
            "response": self._responses, "source": self._source, "offset": current["offset"],
            "length": offset + len(b"data: [DONE]\n") - current["offset"], "id": current["id"],
            "object": current["object"], "created": current["created"], "model": current["model"],
            "system_fingerprint": current.get("system_fingerprint"), "service_tier": current.get("service_tier"),
            "chunk_count": current["count"], "done": True, "status": "complete",
            "prompt_tokens": usage.get("prompt_tokens"), "completion_tokens": usage.get("completion_tokens"),
            "total_tokens": usage.get("total_tokens"),
            "cached_tokens": usage.get("prompt_tokens_details", {}).get("cached_tokens"),
            "reasoning_tokens": usage.get("completion_tokens_details", {}).get("reasoning_tokens"),
        }  # fmt: skip
        for name, values in self._rows["responses"].items():
            values.append(row.get(name))
        for index, texts in sorted(current["texts"].items()):
            choice = {
                "response": self._responses, "index": index, "role": texts.get("role"),
                "content": "".join(texts["content"]), "finish_reason": texts.get("finish_reason"),
                "token_count": texts["tokens"], "logprob_sum": fsum(texts["logprobs"]) if texts["logprobs"] else nan,
            }  # fmt: skip
            for name, values in self._rows["choices"].items():
                values.append(choice.get(name))
        self._responses += 1
        self._open = None

    def _write(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        from ssift.contract import SCHEMA

        types = {
            "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_(),
            "str": pa.large_string(), "binary": pa.large_binary(),
        }  # fmt: skip
        encodings = {"int": "DELTA_BINARY_PACKED", "float": "BYTE_STREAM_SPLIT"}
        for table in TABLES:
            columns = SCHEMA[table]
            schema = pa.schema([pa.field(column.name, types[column.type], column.nullable) for column in columns])
            rows = pa.table(self._rows[table], schema=schema)
            if table not in self._writers:
                self._writers[table] = parquet.ParquetWriter(
                    self._folder / f"{table}.parquet",
                    schema,
                    compression="zstd",
                    compression_level=1,
                    use_dictionary=[column.name for column in columns if column.type in ("str", "binary")],
                    column_encoding={c.name: encodings[c.type] for c in columns if c.type in encodings},
                    write_page_index=True,
                )
            self._writers[table].write_table(rows, row_group_size=max(len(rows), 1))
        self._begin()


def differences(one: Path, other: Path) -> list[str]:
    """Columns whose cells differ; sums of logprobs may differ in their last digits."""
    import pyarrow.compute as pc
    from pyarrow import parquet

    found = []
    for table in TABLES:
        left, right = (parquet.ParquetFile(folder / f"{table}.parquet") for folder in (one, other))
        if left.metadata.num_rows != right.metadata.num_rows:
            found.append(f"{table}: {left.metadata.num_rows} and {right.metadata.num_rows} rows")
            continue
        for name in left.schema_arrow.names:
            a, b = (file.read([name])[name].combine_chunks() for file in (left, right))
            if name == "logprob_sum":
                same = pc.all(pc.less(pc.abs(pc.subtract(a, b)), 1e-6)).as_py()
            else:
                same = a.equals(b)
            if not same:
                found.append(f"{table}.{name}")
    return found


RUNS: dict[str, Callable[[str, str], object]] = {
    "ssift": with_ssift,
    "orjson + pyarrow": lambda source, folder: Walk(source, Path(folder)).run(),
}


def run(name: str, source: Path, folder: Path) -> dict[str, float]:
    """One run in a process of its own: seconds that pass and of the processor, peak of memory."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", name, str(source), str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def child(name: str, source: str, folder: str) -> None:
    start = time.perf_counter()
    RUNS[name](source, folder)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = {"wall": time.perf_counter() - start, "cpu": usage.ru_utime + usage.ru_stime}
    unit = 1 if sys.platform == "darwin" else 1024
    print(json.dumps({**seconds, "peak": usage.ru_maxrss * unit}))


def main() -> int:
    import replay

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--size", type=replay.size_of, default=200_000_000, help="of the log; default: 200MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", nargs=3, metavar=("NAME", "LOG", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return 0
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "openai.sse"
        make = [sys.executable, str(Path(__file__).with_name("replay.py")), "openai", "--size", str(options.size)]
        subprocess.run([*make, "-o", str(source)], check=True)
        folders = [Path(place) / f"{name.split()[0]}-first" for name in RUNS]
        for name, folder in zip(RUNS, folders, strict=True):
            run(name, source, folder)
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            wrong = apart.submit(differences, *folders).result()
        if wrong:
            print("the cells differ:", *wrong, sep="\n  ")
            return 1
        results: dict[str, list[dict[str, float]]] = {name: [] for name in RUNS}
        for number in range(options.rounds):
            for name in RUNS:
                results[name].append(run(name, source, Path(place) / f"{name.split()[0]}-{number}"))
        size = source.stat().st_size
        print(f"{size / 1e6:,.0f} MB, {options.rounds} rounds, all cells equal; load {os.getloadavg()[0]:.1f}")
        for name, runs in results.items():
            wall, cpu = (statistics.median(one[clock] for one in runs) for clock in ("wall", "cpu"))
            peak = max(one["peak"] for one in runs)
            print(f"  {name:<18} {wall:7.2f} s   {cpu:7.2f} s of the processor   peak {peak / 1e6:5.0f} MB")
        ratios = [
            statistics.median(o[c] / s[c] for s, o in zip(*results.values(), strict=True)) for c in ("wall", "cpu")
        ]
        print(f"  times faster       {ratios[0]:7.1f}     {ratios[1]:7.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

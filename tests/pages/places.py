"""What a page finds in its folder, beside the files that it writes itself."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import fsspec
import pytest

from ssift.live.recorded import recorded
from ssift.live.replay import ReplayServer
from tests.faces.logs import DONE, chunk, event
from tests.live.serving import running
from tests.need import need
from tests.pages.blocks import DOCS, README, ROOT, blocks
from tests.sources.packing import PACK

ANSWER = event(chunk({"content": "Hi"}, "stop")) + DONE


def hello() -> bytes:
    """The log that the README writes."""
    (block,) = [block for block in blocks(README) if block.text.startswith("cat > hello.sse")]
    log = re.search(r"<<'END'\n(.*)END\n", block.text, re.DOTALL)
    assert log
    return log[1].encode()


@contextmanager
def place(page: Path, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder of a page, made ready; the current one for as long as this lasts."""
    shutil.copy(DOCS / "examples" / "answers.log", folder)
    (folder / "hello.sse").write_bytes(hello())
    patch.chdir(folder)
    patch.setenv("COLUMNS", "120")
    patch.delenv("NO_COLOR", raising=False)
    with ExitStack() as stack:
        for prepare in PLACES.get(page.name, (_logs,)):
            stack.enter_context(prepare(folder, patch))
        yield


@contextmanager
def _logs(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of logs."""
    (folder / "logs" / "day").mkdir(parents=True)
    shutil.copy(folder / "answers.log", folder / "logs")
    (folder / "logs" / "day" / "hello.sse.gz").write_bytes(PACK["gzip"]((folder / "hello.sse").read_bytes()))
    yield


@contextmanager
def _checkout(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """A checkout after ``make demo``."""
    (folder / "build" / "demo").mkdir(parents=True)
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "activate").touch()
    made = "dialects --size 1MB --seed 7 -o build/demo/demo.sse".split()
    subprocess.run([sys.executable, str(ROOT / "bench" / "replay.py"), *made], check=True, capture_output=True)
    yield


@contextmanager
def _server(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server at ``OPENAI_BASE_URL`` that answers with the first response of the tour."""
    need(shutil.which("curl"), "curl")
    with running(ReplayServer(recorded(folder / "answers.log")[:1], pace=0)) as server:
        patch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        patch.setenv("OPENAI_API_KEY", "none")
        for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
            patch.delenv(name)
        yield


@contextmanager
def _sources(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """The files of docs/sources.md, some of them in the memory of fsspec."""
    files = {
        "logs/a.sse": ANSWER,
        "logs/.hidden": b"",
        "logs/day/b.sse.gz": PACK["gzip"](ANSWER),
        "logs/day/c.log": PACK["zstd"](ANSWER),
        "mixed/a.sse": ANSWER,
        "mixed/picture.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 30 + b"\xff\xfe",
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/bucket/run-1/x.sse", ANSWER)
    memory.pipe_file("/bucket/run-1/y.sse.xz", PACK["xz"](ANSWER))
    try:
        yield
    finally:
        memory.store.clear()


PLACES = {
    "README.md": (_checkout,),
    "sources.md": (_sources,),
    "faq.md": (_logs, _server),
    "live.md": (_logs, _server),
}
"""What makes the place of a page ready; a folder of logs where nothing is said."""

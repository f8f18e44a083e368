"""URLs: the memory file system of fsspec, and a web server on this machine that knows no ranges."""

from __future__ import annotations

import http.server
import sys
from collections.abc import Iterator
from typing import Any

import fsspec
import pytest

import ssift
from ssift.sources import find
from ssift.sources.remote import is_url
from tests.faces.logs import ANSWER, BROKEN, answer
from tests.live.serving import running
from tests.sources.packing import PACK

MANY = b"".join(answer(f"r{number}", "some words") for number in range(300))


@pytest.fixture
def memory() -> Iterator[Any]:
    """An empty file system in memory."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


FILES = {
    "/logs/b.sse": ANSWER,
    "/logs/a.sse.zst": PACK["zstd"](MANY),
    "/logs/day/c.log": ANSWER + BROKEN,
    "/logs/.hidden/d.sse": BROKEN,
    "/logs/.e.sse": BROKEN,
}


@pytest.fixture
def logs(memory: Any) -> Any:
    for name, data in FILES.items():
        memory.pipe_file(name, data)
    return memory


def names(what: object) -> list[str]:
    return [source.name for source in find(what)]


def test_what_is_a_url() -> None:
    for url in (
        "https://a.org/x",
        "s3://bucket/key",
        "memory://x",
        "zip://a.sse::s3://b/c.zip",
        "simplecache::gs://b/c",
    ):
        assert is_url(url)
    for path in ("logs/a.sse", "C:/logs", "c://logs", "a::b", "http:/x", "/s3://x", ""):
        assert not is_url(path)


def test_a_file_a_folder_and_a_pattern(logs: Any) -> None:
    assert names("memory://logs/b.sse") == ["memory://logs/b.sse"]
    assert names("memory://logs") == ["memory:///logs/a.sse.zst", "memory:///logs/b.sse", "memory:///logs/day/c.log"]
    assert names("memory://logs/*.sse") == ["memory:///logs/b.sse"]
    assert names("memory://logs/**/*.log") == ["memory:///logs/day/c.log"]
    assert names("memory://logs/.hidden/*") == ["memory:///logs/.hidden/d.sse"]
    assert names(["memory://logs/*.zst", "memory://logs/a*", b"bytes"]) == ["memory:///logs/a.sse.zst", ""]


def test_a_remote_log_is_that_log(logs: Any, engine: str) -> None:
    log = ssift.read("memory://logs", engine=engine)
    assert len(log.responses) == 302
    assert log.sources[0].compression == "zstd"
    assert [source.bytes for source in log.sources] == [len(MANY), len(ANSWER), len(ANSWER + BROKEN)]
    assert log.problems["source"].to_pylist() == ["memory:///logs/day/c.log"]


def test_progress_knows_the_sizes(logs: Any) -> None:
    calls: list[tuple[int, int | None]] = []
    ssift.read("memory://logs/*", progress=lambda done, total: calls.append((done, total)))
    total = len(FILES["/logs/a.sse.zst"]) + len(ANSWER)
    assert calls[-1] == (total, total)


def test_a_large_remote_file_comes_in_windows_that_stay_as_they_are(memory: Any, engine: str) -> None:
    data = MANY * 20 if engine == "native" else MANY
    memory.pipe_file("/large.sse", data)
    log, whole = ssift.read("memory://large.sse", engine=engine), ssift.read(data, engine=engine)
    assert log.sources[0].bytes == len(data)
    assert log.choices["content"] == whole.choices["content"]
    assert log.tokens["token"] == whole.tokens["token"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory://nowhere.sse", "memory://nowhere.sse: no such file or folder"),
        ("memory://logs/*.nothing", "no file matches the pattern"),
    ],
)
def test_what_is_not_there_is_said(logs: Any, url: str, said: str) -> None:
    with pytest.raises(ssift.NotFoundError, match=said.replace("*", r"\*")):
        find(url)


def test_a_file_that_breaks_off_says_where(logs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaks:
        def __init__(self) -> None:
            self.left = [ANSWER]

        def read(self, size: int) -> bytes:
            if not self.left:
                raise TimeoutError("the server has gone")
            return self.left.pop()

        def __enter__(self) -> Breaks:
            return self

        def __exit__(self, *exception: object) -> None: ...

    monkeypatch.setattr(type(logs), "open", lambda *_, **__: Breaks())
    with pytest.raises(ssift.ReadError, match=rf"b\.sse: reading broke off after {len(ANSWER)} bytes: the server has"):
        ssift.read("memory://logs/b.sse")


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(ssift.ReadError, match=r"s3://b/k: URLs are read through fsspec: pip install 'ssift\[remote\]'"):
        find("s3://b/k")


def test_without_the_package_of_a_protocol_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(ssift.ReadError, match=r"s3://b/k: .*s3fs"):
        find("s3://b/k")


def test_an_unknown_protocol_is_said_to_be_that() -> None:
    with pytest.raises(ssift.ReadError, match=r"nonsense://x: .*nonsense"):
        find("nonsense://x")


def test_a_file_url_is_a_path(tmp_path: Any) -> None:
    (tmp_path / "a b.sse").write_bytes(ANSWER)
    assert names((tmp_path / "a b.sse").as_uri()) == [str(tmp_path / "a b.sse")]


# ------------------------------------------------------------------------------------------------------------- http


BODIES = {
    "/log.sse": MANY,
    "/log.zst": PACK["zstd"](MANY),
    "/": b'<a href="log.sse">log</a> <a href="log.zst">packed</a> <a href="readme.txt">readme</a>',
}


class Pages(http.server.BaseHTTPRequestHandler):
    """Answers whole bodies only, chunked, with no length: as servers do that make what they send."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        body = BODIES.get(self.path.partition("?")[0])
        self.send_response(403 if "secret" in self.path else 404 if body is None else 200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if self.command == "GET":
            for start in range(0, len(body or b""), 10_000):
                part = (body or b"")[start : start + 10_000]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)) as found:
        yield f"http://127.0.0.1:{found.server_port}"


@pytest.mark.parametrize("path", ["/log.sse", "/log.zst", "/log.sse?signature=a*b[c]"])
def test_a_log_over_http_is_streamed(server: str, engine: str, path: str) -> None:
    log = ssift.read(server + path, engine=engine)
    assert log.sources[0].name == server + path
    assert len(log.responses) == 300
    assert len(log.problems) == 0


def test_a_pattern_matches_the_links_of_a_page(server: str) -> None:
    assert names(f"{server}/log.*") == [f"{server}/log.sse", f"{server}/log.zst"]


def test_a_page_that_is_not_there(server: str) -> None:
    with pytest.raises(ssift.NotFoundError, match=r"none\.sse: no such file"):
        find(f"{server}/none.sse")


def test_a_server_that_refuses_is_no_missing_file(server: str) -> None:
    with pytest.raises(ssift.ReadError, match="the server answered 403 Forbidden") as raised:
        find(f"{server}/secret.sse")
    assert not isinstance(raised.value, ssift.NotFoundError)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ssift.ReadError, match=r"http://127\.0\.0\.1:1/x\.sse: .*[Cc]onnect") as raised:
        find("http://127.0.0.1:1/x.sse")
    assert not isinstance(raised.value, ssift.NotFoundError)

"""A loopback server that answers every POST with a stream, cut as it is told, and remembers what was asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any, TypeVar

AnyServer = TypeVar("AnyServer", bound=ThreadingHTTPServer)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests += 1
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        try:
            for piece in self.server.pieces:
                if piece is None:  # break the connection off
                    self.close_connection = True
                    return
                if piece:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, *arguments: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """``pieces`` is what the next answers consist of; None among them breaks the connection off."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pieces: Sequence[bytes | None] = ()
        self.requests = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass


@contextmanager
def running(server: AnyServer) -> Iterator[AnyServer]:
    """Any server, with a thread that answers for it, until the end of the block."""
    with server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def serving() -> AbstractContextManager[Server]:
    return running(Server())


def http_library() -> Any:
    """The module that the installed openai client speaks HTTP with: httpx2 since 3.0, httpx before."""
    import openai

    classes = openai.DefaultHttpxClient.__mro__
    [base] = [cls for cls in classes if cls.__name__ == "Client"]
    return import_module(base.__module__.partition(".")[0])

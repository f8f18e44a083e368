"""A log as a live endpoint: each request is answered with the next recorded response, event by event.

What is sent are the recorded bytes of each event. Where the log has arrival times they set the pace; a response that
was cut short ends in a connection that breaks off, as it did then.

The server is for clients on this machine: requests are bounded in size, time and number, and where it listens on a
loopback address, a request that names another host is refused, so that no page in a browser can read the log by a name
that leads here.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ssift.errors import SsiftError
from ssift.live.recorded import Recorded

LARGEST_REQUEST = 16 << 20
"""Bytes of a request's body."""
MOST_CONNECTIONS = 256
"""At a time; one more is answered with 503."""
SILENCE = 60.0
"""Seconds in which a client must send or take something."""

_PORT = re.compile(r":\d+\Z")
_BUSY = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class ReplayServer(ThreadingHTTPServer):
    """Serves responses over HTTP, one after the other and then from the first again.

    Args:
        responses: what to serve.
        address: host and port; port 0 takes a free one, to be found in ``server_address``.
        pace: factor on the recorded waits: 1 as recorded, 0 without any, 2 twice as slow.
        interval: seconds to wait before each event instead; None keeps those of the log.

    Raises:
        SsiftError: there is no listening at that address.
    """

    daemon_threads = True
    request_queue_size = 1024

    def __init__(
        self,
        responses: Sequence[Recorded],
        address: tuple[str, int] = ("127.0.0.1", 0),
        *,
        pace: float = 1.0,
        interval: float | None = None,
    ) -> None:
        if ":" in address[0]:
            self.address_family = socket.AF_INET6
        try:
            super().__init__(address, _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error).rstrip(".")
            raise SsiftError(
                f"cannot listen on {address[0]}, port {address[1]}: {reason}; port 0 takes a free one"
            ) from error
        self._responses = responses
        self._free = threading.Semaphore(MOST_CONNECTIONS)
        self._local = _is_loopback(str(self.server_address[0]))
        self._next = 0
        self._lock = threading.Lock()
        self.pace = pace
        self.interval = interval

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
            return
        with suppress(OSError):
            request.sendall(_BUSY)
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that went away, or was silent too long, is no fault of the server."""

    def may_ask(self, host: str) -> bool:
        """Whether a request for this ``Host`` is one that was meant for this server."""
        return not self._local or not host or _is_loopback(_PORT.sub("", host).strip("[]"))

    def take(self) -> Recorded:
        """The next response."""
        with self._lock:
            self._next += 1
            return self._responses[(self._next - 1) % len(self._responses)]

    def models(self) -> list[str]:
        return list(dict.fromkeys(response.model for response in self._responses))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost" or host.lower().endswith(".localhost")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SILENCE
    server: ReplayServer

    def _refused(self) -> bool:
        """Take the request's body; True when the request was answered with what is wrong with it."""
        size = self.headers.get("content-length", "0")
        if not self.server.may_ask(self.headers.get("host", "")):
            wrong = (403, "this server answers for this machine alone")
        elif "transfer-encoding" in self.headers:
            wrong = (411, "send the request with a content-length")
        elif not (size.isascii() and size.isdigit()):
            wrong = (400, "content-length is no number")
        elif len(size) > 12 or int(size) > LARGEST_REQUEST:
            wrong = (413, f"a request has at most {LARGEST_REQUEST} bytes")
        else:
            self.rfile.read(int(size))
            return False
        self.close_connection = True
        self.send_error(*wrong)
        return True

    def do_GET(self) -> None:
        if self._refused():
            return
        if not self.path.partition("?")[0].rstrip("/").endswith("/models"):
            self.send_error(404, "POST is answered with a response of the log, GET .../models with its models")
            return
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "log"} for name in self.server.models()]
        self._whole(json.dumps({"object": "list", "data": models}).encode())

    def do_POST(self) -> None:
        if self._refused():
            return
        response = self.server.take()
        try:
            if response.streamed:
                self._stream(response)
            else:
                self._whole(b"".join(response.events))
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True

    def _whole(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, response: Recorded) -> None:
        chunked = self.request_version != "HTTP/1.0"  # whose clients take all until the connection closes
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header(*(("transfer-encoding", "chunked") if chunked else ("connection", "close")))
        self.end_headers()
        for event, wait in zip(response.events, response.waits, strict=True):
            wait = wait * self.server.pace if self.server.interval is None else self.server.interval
            if wait > 0:
                time.sleep(min(wait, threading.TIMEOUT_MAX))
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event) if chunked else event)
            self.wfile.flush()
        if response.whole and chunked:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: what was asked is the client's affair."""

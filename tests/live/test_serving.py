"""The replay server and requests that are not those of a well-meant client on this machine."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from ssift.live import replay
from ssift.live.recorded import LONGEST_WAIT, Recorded, _waits, recorded
from ssift.live.replay import ReplayServer
from tests.faces.logs import ANSWER
from tests.live.serving import running
from tests.need import need
from tests.waiting import wait_for

POST = b"POST /v1/chat/completions HTTP/1.1\r\nHost: %b\r\nContent-Length: %b\r\n\r\n"


@pytest.fixture
def server() -> Iterator[ReplayServer]:
    with running(ReplayServer(recorded(ANSWER), pace=0)) as server:
        yield server


def asked(server: ReplayServer, request: bytes) -> bytes:
    """All that the server says before it hangs up, or is silent for a while."""
    with socket.create_connection(server.server_address[:2], timeout=5) as connection:  # type: ignore[arg-type]
        connection.sendall(request)
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
                if answer.endswith(b"0\r\n\r\n"):
                    break
        except (TimeoutError, ConnectionResetError):
            pass
        return answer


def status(answer: bytes) -> int:
    return int(answer.split()[1])


@pytest.mark.parametrize(
    "host", [b"127.0.0.1:%d", b"localhost:%d", b"[::1]:%d", b"localhost", b"LocalHost", b"127.0.0.2"]
)
def test_names_of_this_machine_are_answered(server: ReplayServer, host: bytes) -> None:
    host = host % server.server_address[1] if b"%" in host else host
    assert b"[DONE]" in asked(server, POST % (host, b"0"))


@pytest.mark.parametrize("host", [b"evil.example", b"evil.example:%d", b"127.0.0.1.evil.example", b"localhost.evil", b"10.0.0.1"])  # fmt: skip
@pytest.mark.parametrize("method", [b"POST /v1/chat/completions", b"GET /v1/models"])
def test_other_names_are_refused(server: ReplayServer, host: bytes, method: bytes) -> None:
    host = host % server.server_address[1] if b"%" in host else host
    answer = asked(server, method + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    assert status(answer) == 403
    assert b"data:" not in answer


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (b"x", 400),
        (b"-1", 400),
        (b"1e3", 400),
        (b"+5", 400),
        (b"99999999999", 413),
        (b"9" * 400, 413),
        (b"\xd9\xa1", 400),
    ],
)
def test_a_size_that_is_none_or_too_large(server: ReplayServer, size: bytes, expected: int) -> None:
    assert status(asked(server, POST % (b"localhost", size))) == expected


def test_a_client_of_http_1_0_gets_the_events_alone(server: ReplayServer) -> None:
    head, _, body = asked(server, b"POST /v1/x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").partition(b"\r\n\r\n")
    assert b"transfer-encoding" not in head.lower()
    assert body == b"".join(recorded(ANSWER)[0].events)


@pytest.mark.parametrize("path", [b"/v1/models", b"/models/", b"/openai/models?api-version=2024-06-01"])
def test_models_are_listed(server: ReplayServer, path: bytes) -> None:
    answer = asked(server, b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert status(answer) == 200


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_it_listens_on_the_other_loopback_too() -> None:
    need(has_ipv6(), "IPv6 on this machine's loopback")
    with running(ReplayServer(recorded(ANSWER), ("::1", 0), pace=0)) as server:
        assert b"[DONE]" in asked(server, POST % (b"[::1]", b"0"))
        assert status(asked(server, POST % (b"evil.example", b"0"))) == 403


def test_a_request_without_a_size_of_its_own(server: ReplayServer) -> None:
    request = b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    assert status(asked(server, request)) == 411


@pytest.mark.parametrize("request_line", [b"G" * 70_000, b"GET / HTTP/9.9\r\n\r\n", b"\x00\x01\x02\r\n\r\n", b"GET /" + b"../" * 40 + b"etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n"])  # fmt: skip
def test_no_request_brings_a_file_or_a_traceback(
    server: ReplayServer, request_line: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = asked(server, request_line)
    assert b"root:" not in answer
    assert b"[DONE]" in asked(server, POST % (b"localhost", b"0"))  # it goes on
    assert capfd.readouterr().err == ""


def test_clients_beyond_the_limit_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "MOST_CONNECTIONS", 2)
    with running(ReplayServer(recorded(ANSWER), pace=0)) as server:
        held = [socket.create_connection(server.server_address[:2]) for _ in range(2)]  # type: ignore[arg-type]
        assert status(asked(server, POST % (b"localhost", b"0"))) == 503  # it takes them as they came
        for connection in held:
            connection.close()
        wait_for(lambda: b"[DONE]" in asked(server, POST % (b"localhost", b"0")))


def test_a_silent_client_is_let_go(monkeypatch: pytest.MonkeyPatch, server: ReplayServer) -> None:
    monkeypatch.setattr(replay._Handler, "timeout", 0.2)
    with socket.create_connection(server.server_address[:2], timeout=60) as connection:  # type: ignore[arg-type]
        connection.sendall(b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhalf")
        assert connection.recv(1) == b""


def test_no_log_makes_it_wait_for_ever() -> None:
    assert _waits(0, [10**18, None, 9 * 10**18, 0]) == [LONGEST_WAIT, 0.0, LONGEST_WAIT, 0.0]
    assert isinstance(recorded(ANSWER)[0], Recorded)

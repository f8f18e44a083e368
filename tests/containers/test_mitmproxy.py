"""Flows of mitmproxy."""

from __future__ import annotations

import io
import sys
from types import ModuleType

import pytest

import ssift
from tests.containers.wrapping import container_of, mitmproxy
from tests.faces.logs import ANSWER
from tests.need import need_module


def test_without_its_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitmproxy.io", None)
    monkeypatch.setitem(sys.modules, "mitmproxy", None)
    with pytest.raises(ssift.ReadError, match=r"pip install 'ssift\[mitmproxy\]'"):
        ssift.read(b"39269:9:websocket;0:~")


@pytest.mark.parametrize("size", [1, 5, 400])
def test_a_file_that_was_cut_in_its_first_flow_is_a_problem(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitmproxy", ModuleType("mitmproxy"))
    library = ModuleType("mitmproxy.io")
    library.FlowReader = None  # type: ignore[attr-defined] # nothing is whole, so that nothing is loaded
    monkeypatch.setitem(sys.modules, "mitmproxy.io", library)
    cut = (b"39269:9:websocket;0:~" + b"x" * 400)[:size]
    log = ssift.read(cut, format="mitmproxy")
    assert [(row["kind"], row["offset"], row["length"]) for row in log.problems.rows()] == [("container", 0, size)]


@pytest.mark.mitmproxy
class TestFlows:
    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        need_module("mitmproxy")

    def test_a_cut_file_gives_what_was_whole(self, engine: str) -> None:
        data = mitmproxy(ANSWER, ANSWER)
        log = ssift.read(data[:-10], engine=engine)
        assert log.responses["source"].to_pylist() == ["#1"]
        (problem,) = log.problems.rows()
        assert (problem["kind"], problem["offset"] + problem["length"]) == ("container", len(data) - 10)
        assert data[problem["offset"] :].startswith(data[:4])

    def test_other_answers_are_left_alone(self, engine: str) -> None:
        from mitmproxy.io import FlowWriter
        from mitmproxy.test import tflow

        file = io.BytesIO(mitmproxy(ANSWER))
        file.seek(0, io.SEEK_END)
        FlowWriter(file).add(tflow.tflow(resp=True))
        FlowWriter(file).add(tflow.tflow())
        log = ssift.read(file.getvalue(), engine=engine)
        assert (container_of(log).bodies, container_of(log).left) == (1, 2)

    def test_bodies_are_decompressed(self, engine: str) -> None:
        from mitmproxy.io import FlowWriter
        from mitmproxy.test import tflow

        file = io.BytesIO()
        flow = tflow.tflow(resp=True)
        flow.response.content = ANSWER
        flow.response.encode("gzip")
        FlowWriter(file).add(flow)
        assert ssift.read(file.getvalue(), engine=engine).choices["content"].to_pylist() == ["Hi you"]

    def test_a_stream_that_was_not_recorded_is_a_problem(self, engine: str) -> None:
        log = ssift.read(mitmproxy(b""), engine=engine)
        assert log.problems["message"].to_pylist() == ["an entry whose stream was not recorded: its body is empty"]

    def test_what_is_none_says_so(self, engine: str) -> None:
        log = ssift.read(ANSWER, engine=engine, format="mitmproxy")
        assert log.problems["kind"].to_pylist() == ["container"]

    def test_a_flow_that_its_library_cannot_read_is_passed_over(self, engine: str) -> None:
        good = mitmproxy(ANSWER)
        for bad in (b"3:0:~]", nested(2000), b"14:7:version,1:9#}", b"0:~", b"1:x,", b"2:{},", b'3:"{",'):
            log = ssift.read(good + bad + good, engine=engine)
            assert log.responses["source"].to_pylist() == ["#1", "#3"]
            rows = [(row["kind"], row["offset"], row["length"]) for row in log.problems.rows()]
            assert rows == [("container", len(good), len(bad))]

    def test_what_is_no_flow_ends_the_file(self, engine: str) -> None:
        good = mitmproxy(ANSWER)
        for bad in (b"999999999999:1:a,}", b"x", b"12", b"1234567890123:x", b"20:abc,", b"\n"):
            log = ssift.read(good + bad, engine=engine)
            assert log.responses["source"].to_pylist() == ["#1"]
            rows = [(row["kind"], row["offset"], row["length"]) for row in log.problems.rows()]
            assert rows == [("container", len(good), len(bad))]

    def test_it_comes_in_small_pieces(self, engine: str) -> None:
        data = mitmproxy(ANSWER, ANSWER) + b"20:abc,"
        pieces = iter([data[at : at + 7] for at in range(0, len(data), 7)])
        log, whole = ssift.read(pieces, engine=engine), ssift.read(data, engine=engine)
        assert list(log.problems.rows()) == list(whole.problems.rows())
        assert len(log.responses) == 2


def nested(depth: int) -> bytes:
    found = b"0:~"
    for _ in range(depth):
        found = b"%d:%b]" % (len(found), found)
    return found

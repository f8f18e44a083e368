"""Flows of mitmproxy."""

from __future__ import annotations

import io
import sys

import pytest

import ssift
from tests.containers.wrapping import container_of, mitmproxy, need_library
from tests.faces.logs import ANSWER


def test_without_its_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mitmproxy.io", None)
    monkeypatch.setitem(sys.modules, "mitmproxy", None)
    with pytest.raises(ssift.ReadError, match=r"pip install 'ssift\[mitmproxy\]'"):
        ssift.read(b"39269:9:websocket;0:~")


class TestFlows:
    @pytest.fixture(autouse=True)
    def _library(self) -> None:
        need_library("mitmproxy")

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
        assert log.problems["message"].to_pylist() == ["an entry whose stream was not recorded"]

    def test_what_is_none_says_so(self, engine: str) -> None:
        log = ssift.read(ANSWER, engine=engine, format="mitmproxy")
        assert log.problems["kind"].to_pylist() == ["container"]

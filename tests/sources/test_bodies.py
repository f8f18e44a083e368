"""The bytes of plain sources, as offsets count in them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import ssift
from tests.faces.logs import ANSWER, DONE


def test_a_file_and_its_compressed_copy(tmp_path: Path) -> None:
    (tmp_path / "a.sse").write_bytes(ANSWER)
    (tmp_path / "b.sse.gz").write_bytes(gzip.compress(ANSWER + DONE))
    found = [(Path(name).name, body) for name, body in ssift.bodies(tmp_path)]
    assert found == [("a.sse", ANSWER), ("b.sse.gz", ANSWER + DONE)]


def test_what_stands_in_front_is_zeros_so_that_offsets_hold() -> None:
    data = b"\xef\xbb\xbf" + ANSWER
    ((_, body),) = ssift.bodies(data)
    assert body == bytes(3) + ANSWER
    row = ssift.read(data).chunks.row(0)
    assert body[row["offset"] : row["offset"] + row["length"]].startswith(b"data: ")


def test_what_cannot_be_read_is_not_there() -> None:
    cut = gzip.compress(ANSWER * 50)[:-200]
    ((_, body),) = ssift.bodies(cut)
    assert (ANSWER * 50).startswith(body)
    with pytest.raises(ssift.NotFoundError):
        list(ssift.bodies("nowhere.sse"))

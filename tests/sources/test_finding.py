"""What a call names is found, in order, or an exception says what is not there."""

from __future__ import annotations

import io
import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ssift
from ssift.errors import NotFoundError, ReadError
from ssift.sources import Source, find


def names(what: object) -> list[str]:
    return [source.name for source in find(what)]


def stored(source: Source) -> bytes:
    return b"".join(bytes(window) for window in source.windows(bytearray(3)))


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("b.sse", "a.sse", "x/c.sse", "x/y/d.log", ".hidden", ".git/e.sse", "x[1].sse"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_are_walked_in_order_without_hidden_names(tree: Path) -> None:
    assert names(".") == ["./a.sse", "./b.sse", "./x[1].sse", "./x/c.sse", "./x/y/d.log"]
    assert names(tree / "x") == [str(tree / "x/c.sse"), str(tree / "x/y/d.log")]


def test_patterns_are_sorted_and_reach_any_depth(tree: Path) -> None:
    assert names("*.sse") == ["a.sse", "b.sse", "x[1].sse"]
    assert names("**/*.sse") == ["a.sse", "b.sse", "x/c.sse", "x[1].sse"]
    assert names("x*") == ["x/c.sse", "x/y/d.log", "x[1].sse"]


def test_a_path_that_exists_is_no_pattern(tree: Path) -> None:
    assert names("x[1].sse") == ["x[1].sse"]


def test_lists_keep_their_order_and_nest(tree: Path) -> None:
    assert names(["b.sse", ["a.sse", Path("x")], b"bytes"]) == ["b.sse", "a.sse", "x/c.sse", "x/y/d.log", ""]


@pytest.mark.parametrize(
    ("what", "found"),
    [
        (["a.sse", "a.sse"], ["a.sse", "a.sse"]),  # named twice: meant twice
        (["*.sse", "a*"], ["a.sse", "b.sse", "x[1].sse"]),
        (["*.sse", "./*.sse"], ["a.sse", "b.sse", "x[1].sse"]),
        (["x", ["x/y", "x/**"]], ["x/c.sse", "x/y/d.log"]),
        (["*.sse", "a.sse"], ["b.sse", "x[1].sse", "a.sse"]),
        (["a.sse", "*.sse", "a.sse"], ["a.sse", "b.sse", "x[1].sse", "a.sse"]),
        ([b"x", b"x", "x", "x"], ["", "", "x/c.sse", "x/y/d.log"]),
    ],
)
def test_what_is_searched_for_is_found_once(tree: Path, what: object, found: list[str]) -> None:
    assert names(what) == found


def test_a_link_beside_its_file_is_the_same_file(tree: Path) -> None:
    (tree / "x/latest").symlink_to("c.sse")
    assert names("x") == names(["x"]) == names("x/**") == ["x/c.sse", "x/y/d.log"]
    assert names(["x/latest", "x"]) == ["x/latest", "x/y/d.log"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("nowhere.sse", "nowhere.sse: no such file or folder"),
        ("", "the path is empty"),
        ("*.nothing", "no file matches the pattern"),
        ("empty", "empty: the folder holds no files"),
        ([], "the list of sources is empty"),
        (iter([]), "the list of sources is empty"),
    ],
)
def test_what_is_not_there_is_said(tree: Path, what: object, said: str) -> None:
    (tree / "empty").mkdir()
    with pytest.raises(NotFoundError, match=said):
        find(what)


@pytest.mark.parametrize("what", [5, None, 1.5])
def test_what_cannot_be_read_is_a_type_error(what: object) -> None:
    with pytest.raises(TypeError, match="cannot read"):
        find(what)


def test_text_files_are_refused(tree: Path) -> None:
    with open("a.sse") as file, pytest.raises(TypeError, match="mode 'rb'"):
        find(file)
    with pytest.raises(TypeError, match="mode 'rb'"):
        find(io.StringIO("x"))
    (source,) = find(iter([b"a", "b"]))
    with pytest.raises(TypeError, match="pieces must be bytes, not str"):
        stored(source)


def test_buffers_of_any_kind(tree: Path) -> None:
    data = b"a.sse"
    with open("a.sse", "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        for what in (data, bytearray(data), memoryview(data), np.frombuffer(data, np.uint8), mapped):
            (source,) = find(what)
            assert (source.name, source.size, stored(source)) == ("", 5, data)
            del source
    with pytest.raises(TypeError, match="contiguous"):
        find(memoryview(b"abcdef")[::2])


def test_file_objects_are_read_from_where_they_stand_and_left_open(tree: Path) -> None:
    with open("a.sse", "rb") as file:
        file.read(2)
        (source,) = find(file)
        assert (source.name, source.size, stored(source)) == ("a.sse", 3, b"sse")
        assert not file.closed


def test_a_file_that_only_reads() -> None:
    class Plain:
        data = b"abcdefg"

        def read(self, size: int) -> bytes:
            part, self.data = self.data[:size], self.data[size:]
            return part

    (source,) = find(Plain())
    assert (source.name, source.size, source.repeatable, stored(source)) == ("", None, False, b"abcdefg")


def test_a_file_without_data_yet_is_no_end() -> None:
    class Waiting(io.RawIOBase):
        def readinto(self, buffer: bytearray) -> None:
            return None

    (source,) = find(Waiting())
    with pytest.raises(ReadError, match="non-blocking"):
        stored(source)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"typed")))
    (source,) = find("-")
    assert (source.name, stored(source)) == ("-", b"typed")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ReadError, match="no standard input"):
        find("-")


def test_an_iterable_that_is_no_collection_gives_pieces_of_one_source() -> None:
    class Body:
        def __iter__(self) -> Iterator[bytes]:
            return iter([b"a", b"b"])

    for one in (Body(), iter([b"a", b"b"]), (piece for piece in (b"a", b"b"))):
        (source,) = find(one)
        assert stored(source) == b"ab"
    for several in ([b"a", b"b"], (b"a", b"b"), {1: b"a", 2: b"b"}.values()):
        assert [stored(source) for source in find(several)] == [b"a", b"b"]


def test_a_link_to_nothing_is_an_error_before_anything_is_read(tree: Path) -> None:
    os.symlink("nowhere", "x/dangling.sse")
    with pytest.raises(ReadError, match=r"cannot open .*dangling\.sse"):
        find([b"bytes", "x"])


def test_a_file_that_may_not_be_read_is_an_error_before_anything_is_read(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise PermissionError(13, "Permission denied", name)

    monkeypatch.setattr(io, "FileIO", refuse)
    with pytest.raises(ReadError, match=r"cannot open x/c\.sse: Permission denied"):
        find([b"bytes", "x/c.sse"])


def test_a_folder_that_may_not_be_listed_is_an_error(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("y"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(ReadError, match="cannot list x/y: Permission denied"):
        find("x")


def test_files_can_be_read_again_and_pipes_cannot(tree: Path) -> None:
    (source,) = find("a.sse")
    assert (stored(source), stored(source), source.repeatable) == (b"a.sse", b"a.sse", True)
    os.mkfifo("pipe")
    (source,) = find("pipe")
    assert (source.size, source.repeatable) == (None, False)


def test_a_file_that_cannot_be_opened_is_named(tree: Path) -> None:
    (source,) = find("a.sse")
    os.unlink("a.sse")
    with pytest.raises(ReadError, match=r"cannot open a\.sse: No such file"):
        stored(source)


@pytest.mark.parametrize("given", ["text", 5])
def test_a_file_object_that_gives_no_bytes_says_so(given: object) -> None:
    class File:
        name = "odd"

        def read(self, size: int = -1) -> object:
            return given

    with pytest.raises(TypeError, match=rf"odd: read\(\) gave {type(given).__name__}, not bytes.*'rb'"):
        ssift.read(File())


def test_a_file_object_with_nothing_yet_says_so() -> None:
    class File:
        def read(self, size: int = -1) -> None:
            return None

    with pytest.raises(ssift.ReadError, match="no data yet; a non-blocking file cannot be read"):
        ssift.read(File())

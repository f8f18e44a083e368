"""Compressed sources: many members, padding, foreign bytes, and files that were cut or damaged."""

from __future__ import annotations

import random
import sys
import zlib
from pathlib import Path

import pytest

import ssift
from ssift.sources.compression import COMPRESSIONS, HEAD, Decompressed, recognised
from tests.faces.logs import ANSWER, answer
from tests.sources.packing import PACK, SKIPPABLE, pieces, zstd

KINDS = {compression.name: compression for compression in COMPRESSIONS}
NOISE = random.Random(0).randbytes(300_000)
CUT, FOREIGN = "the compressed data ends early or is damaged", "something that is not compressed follows"


def decode(kind: str, data: bytes, size: int = 1 << 20) -> tuple[bytes, str | None]:
    """What comes out, and what is wrong: ``"damaged"``, ``"trailing"`` or None."""
    unpacked = Decompressed(pieces(data, size), KINDS[kind])
    found = b"".join(bytes(piece) for piece in unpacked)
    return found, "damaged" if unpacked.damaged else "trailing" if unpacked.trailing else None


@pytest.fixture(params=PACK)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_each_kind_is_recognised_and_text_is_none(kind: str) -> None:
    assert recognised(PACK[kind](ANSWER)[:HEAD]) is KINDS[kind]
    for head in (b"", b"B", b"BZh9 is a word", b"data: {}\n\n", b"\x1f", b"{", b"PK\x03\x04"):
        assert recognised(head[:HEAD]) is None


@pytest.mark.parametrize("size", [1, 2, 7, 100_000, 1 << 20])
def test_members_follow_each_other(kind: str, size: int) -> None:
    more = NOISE if size > 7 else b"more"
    data = PACK[kind](ANSWER) + PACK[kind](b"") + PACK[kind](more)
    assert decode(kind, data, size) == (ANSWER + more, None)


@pytest.mark.parametrize("padded", ["gzip", "xz"])
@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_zeros_are_padding_behind_and_between_members(padded: str, size: int) -> None:
    data = PACK[padded](ANSWER) + b"\0" * 512
    assert decode(padded, data + data, size) == (ANSWER * 2, None)


@pytest.mark.parametrize("size", [1, 1 << 20])
def test_skippable_frames_of_zstd_hold_nothing(size: int) -> None:
    data = SKIPPABLE + PACK["zstd"](ANSWER) + SKIPPABLE + SKIPPABLE + PACK["zstd"](NOISE[:999]) + SKIPPABLE
    assert recognised(data[:HEAD]) is KINDS["zstd"]
    assert decode("zstd", data, size) == (ANSWER + NOISE[:999], None)
    assert decode("zstd", data[:-2], size) == (ANSWER + NOISE[:999], "damaged")


def test_a_large_expansion_comes_in_bounded_pieces(kind: str) -> None:
    packed = pieces(PACK[kind](b"\n" * 20_000_000), 1 << 20)
    parts = [len(part) for part in Decompressed(packed, KINDS[kind], max_ratio=1 << 30)]
    assert sum(parts) == 20_000_000
    assert max(parts) <= 1 << 20


@pytest.mark.parametrize("cut", [1, 2, 5, 8, 12, 30, 60])
def test_a_cut_file_gives_what_was_whole(kind: str, cut: int) -> None:
    packed = PACK[kind](ANSWER)
    whole, wrong = decode(kind, packed + packed[:-cut])
    assert wrong == "damaged"
    assert whole.startswith(ANSWER)
    assert ANSWER.startswith(whole[len(ANSWER) :])
    if kind == "gzip" and cut <= 8:  # only the check sum and the size are missing
        assert whole == ANSWER * 2


@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_file_cut_at_the_head_of_a_member(kind: str, left: int) -> None:
    assert decode(kind, PACK[kind](ANSWER) + PACK[kind](ANSWER)[:left]) == (ANSWER, "damaged")


@pytest.mark.parametrize("behind", [b"x", b"trailing text, of some length", b"\xff" * 100_000])
@pytest.mark.parametrize("size", [1, 1 << 20])
def test_something_else_behind_the_last_member_is_said_to_be_that(kind: str, behind: bytes, size: int) -> None:
    if size == 1:
        behind = behind[:50]
    assert decode(kind, PACK[kind](ANSWER) + behind, size) == (ANSWER, "trailing")


def test_a_wrong_check_sum_is_damage(kind: str) -> None:
    packed = bytearray(PACK[kind](ANSWER))
    place = {"gzip": -5, "zstd": -1, "bzip2": 11, "xz": -29, "lz4": -1}[kind]
    packed[place] ^= 1
    found, wrong = decode(kind, bytes(packed))
    assert wrong == "damaged"
    if kind not in ("bzip2", "xz"):  # these decode by the block, and a bad block is not given
        assert found == ANSWER


def damaged(kind: str, seed: int) -> bytes:
    """A series of members with some bytes in it replaced, somewhere behind the first."""
    dice = random.Random(seed)
    texts = [answer(f"r{number}", "some words " * 30) for number in range(4)] + [NOISE[:40_000]]
    packed = bytearray(b"".join(PACK[kind](text) for text in texts))
    place = dice.randrange(len(PACK[kind](texts[0])), len(packed) - 8)
    packed[place : place + 8] = dice.randbytes(8)
    return bytes(packed)


@pytest.mark.parametrize("seed", range(3))
def test_what_damage_leaves_does_not_depend_on_cuts(kind: str, seed: int) -> None:
    packed = damaged(kind, seed)
    expected = decode(kind, packed)
    assert expected[0].startswith(answer("r0", "some words " * 30))
    assert expected[1] is not None
    for size in (1 if seed == 0 else 11, 1000, 65_537):
        assert decode(kind, packed, size) == expected


def test_damage_costs_nothing_that_lies_before_it() -> None:
    packed = bytearray(zlib.compress(NOISE, level=0, wbits=31))
    packed[200_000:240_000] = b"\xff" * 40_000
    found, wrong = decode("gzip", bytes(packed))
    assert wrong == "damaged"
    stored_block = 65_536
    assert len(found) >= 200_000 - 2 * stored_block
    assert found[:190_000] == NOISE[: len(found[:190_000])]


def test_damage_far_inside_a_large_member_costs_at_most_a_step() -> None:
    noise = random.Random(1).randbytes(6_000_000)
    packed = bytearray(PACK["zstd"](noise))
    packed[5_500_000] ^= 255  # its check sum is what finds this
    found, wrong = decode("zstd", bytes(packed))
    assert wrong == "damaged"
    assert len(found) > 5_300_000
    gzipped = bytearray(PACK["gzip"](noise))
    gzipped[-8] ^= 1
    assert decode("gzip", bytes(gzipped)) == (noise, "damaged")


# --------------------------------------------------------------------------------------------------- the libraries


@pytest.mark.parametrize("seed", range(8))
def test_zlib_and_zlib_ng_give_the_same_of_a_damaged_file(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    packed = damaged("gzip", seed)
    fast = decode("gzip", packed)
    monkeypatch.setitem(sys.modules, "zlib_ng", None)
    monkeypatch.setitem(sys.modules, "zlib_ng.zlib_ng", None)
    assert decode("gzip", packed) == fast


@pytest.mark.parametrize(
    ("kind", "modules", "package"),
    [
        ("zstd", ("backports.zstd", "compression.zstd"), "backports.zstd|compression.zstd"),
        ("lz4", ("lz4.frame",), "lz4"),
    ],
)
def test_without_its_library_an_error_at_once_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str, modules: tuple[str, ...], package: str
) -> None:
    path = tmp_path / "late.log"
    path.write_bytes(PACK[kind](ANSWER))
    for module in modules:
        monkeypatch.setitem(sys.modules, module, None)
    said = rf"compressed with {kind}, which needs the package ({package}): pip install 'ssift\[fast\]'"
    with pytest.raises(ssift.ReadError, match=rf"late\.log: {said}"):
        ssift.scan([ANSWER, path])  # before anything was read
    with pytest.raises(ssift.ReadError, match=rf"the input: {said}"):
        ssift.read(iter([path.read_bytes()]))


def test_a_window_that_takes_too_much_memory_is_refused() -> None:
    options = {zstd.CompressionParameter.window_log: 30}
    packer = zstd.ZstdCompressor(options=options)
    packed = packer.compress(ANSWER) + packer.flush()
    with pytest.raises(ssift.ReadError, match=r"this zstd file cannot be decoded: .*memory"):
        ssift.read(packed)


def test_a_dictionary_that_is_not_there_is_named() -> None:
    dictionary = zstd.train_dict([answer(f"r{number}", "words") for number in range(50)], 2000)
    with pytest.raises(ssift.ReadError, match=r"this zstd file cannot be decoded: .*[Dd]ictionary"):
        ssift.read(zstd.compress(ANSWER, zstd_dict=dictionary))


# ------------------------------------------------------------------------------------------------------ in a log


def test_a_compressed_log_is_that_log(engine: str, kind: str, tmp_path: Path) -> None:
    data = b"".join(answer(f"r{number}", "some words") for number in range(40))
    whole = ssift.read(data, engine=engine)
    (tmp_path / "log").write_bytes(PACK[kind](data[:5000]) + PACK[kind](data[5000:]))
    packed = (tmp_path / "log").read_bytes()
    for source in (tmp_path / "log", packed, iter([packed[:7], packed[7:]])):
        log = ssift.read(source, engine=engine)
        for table in ("chunks", "tokens", "top_logprobs", "choices", "problems"):
            assert log[table].to_pydict() == whole[table].to_pydict()
        assert log.sources[0].compression == kind
        assert log.sources[0].bytes == len(data)


@pytest.mark.parametrize("trouble", ["cut", "foreign"])
def test_the_problem_has_its_place(engine: str, kind: str, tmp_path: Path, trouble: str) -> None:
    first, second = answer("a", "xy"), answer("b", "z")
    packed = PACK[kind](first) + PACK[kind](second)
    # Where the end of what can be decoded is the end of an event: nothing is left of a member but its head.
    packed += PACK[kind](first)[:4] if trouble == "cut" else b"<html>"
    path = tmp_path / "some.log"
    path.write_bytes(packed)
    log = ssift.read([path, ANSWER], engine=engine)
    assert log.choices["content"].to_pylist() == ["xy", "z", "Hi you"]
    size = len(first + second)
    (problem,) = log.problems.rows()
    message = problem.pop("message")
    assert message.startswith(CUT if trouble == "cut" else FOREIGN)
    assert problem == {
        "source": str(path), "offset": size, "length": 0, "line": 1 + (first + second).count(b"\n"),
        "kind": "compression", "response": None,
    }  # fmt: skip
    assert (log.sources[0].bytes, sum(log.sources[0].account.values())) == (size, size)


def test_only_a_header(engine: str, kind: str) -> None:
    log = ssift.read(PACK[kind](ANSWER)[:HEAD], engine=engine)
    assert log.problems["kind"].to_pylist() == ["compression"]
    assert log.sources[0].bytes == 0


def test_a_log_cut_inside_an_event_has_both_problems(engine: str) -> None:
    packed = zlib.compressobj(wbits=31)
    whole = packed.compress(ANSWER[:-300]) + packed.flush(zlib.Z_FULL_FLUSH)
    log = ssift.read(whole, engine=engine)
    assert log.problems["kind"].to_pylist() == ["truncated", "compression"]
    assert log.problems["offset"][-1] == len(ANSWER) - 300
    assert log.responses["status"].to_pylist() == ["truncated"]


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_the_line_of_a_cut_counts_every_kind_of_line_end(engine: str, ends: bytes, size: int) -> None:
    data = ANSWER.replace(b"\n", ends)
    packed = PACK["gzip"](data)[:-3]
    log = ssift.read(iter([packed[start : start + size] for start in range(0, len(packed), size)]), engine=engine)
    assert log.problems["line"].tolist() == [1 + ANSWER.count(b"\n")]

"""Many small inputs in one file: a zip whose members are named by number."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path


def pack(path: Path, inputs: Iterable[bytes]) -> None:
    """Write the inputs in order, so that the same ones make the same file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for number, data in enumerate(sorted(inputs)):
            member = zipfile.ZipInfo(f"{number:05}")  # its date is the one that zip files begin at
            member.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(member, data)


def unpack(path: Path) -> list[bytes]:
    """The inputs; none when there is no such file."""
    if not path.exists():
        return []
    with zipfile.ZipFile(path) as file:
        return [file.read(name) for name in sorted(file.namelist())]

"""portable.h: the headers of ext/ compile without a warning for systems and compilers that are not here.

That Microsoft's compiler takes them cannot be tried without it. What can: clang takes its dialect, with its intrinsics,
for both of its machines; and the program of test_primitives.py runs on the MSVC forms ("msvc" there).
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.native.test_primitives import HEADERS, HERE
from tests.need import need

OURS = sorted(path.name for path in HEADERS.glob("*.h"))
EVERYTHING = "".join(f'#include "{name}"\n' for name in OURS)

WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-function", "-Wno-unused-variable", "-Werror"]
FOR_WINDOWS = ["-ffreestanding", "-fms-compatibility-version=19.29", f"-isystem{HERE / 'windows'}"]

TARGETS = {
    "windows-x64": ["--target=x86_64-pc-windows-msvc", *FOR_WINDOWS],
    "windows-arm64": ["--target=aarch64-pc-windows-msvc", *FOR_WINDOWS],
    "here": [],
    "here-plain": ["-DSS_PLAIN_C", "-pedantic"],
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("standard", ["c11", "c17"])
def test_the_headers_compile(target: str, standard: str) -> None:
    clang = need(shutil.which("clang"), "clang")
    command = [clang, *TARGETS[target], f"-std={standard}", *WARNINGS, f"-I{HEADERS}", "-fsyntax-only", "-x", "c", "-"]
    done = subprocess.run(command, input=EVERYTHING, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [name for name in OURS if name != "portable.h"])
def test_what_compilers_differ_in_stands_in_one_header(name: str) -> None:
    text = (HEADERS / name).read_text()
    found = re.findall(r"\b(?:__GNUC__|__clang__|__attribute__|_MSC_VER|__builtin_\w+|__declspec|__int128|__x86_64__|_M_\w+)\b", text)
    assert found == []

"""unquote.h and structure.h against loops byte by byte: vectors, plain C, and with what looks for undefined behaviour."""

from __future__ import annotations

import subprocess

import pytest

from tests.native.test_primitives import BUILDS, EMULATOR, HEADERS, HERE, compiler
from tests.need import need


@pytest.mark.parametrize("build", BUILDS)
def test_blocks_are_as_bytes(build: str, tmp_path) -> None:
    program = tmp_path / "records"
    command = [*compiler(), *BUILDS[build], f"-I{HEADERS}", str(HERE / "records.c"), "-o", str(program)]
    try:
        compiled = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        need(None, f"a C compiler: {error}")
    if build.startswith("checked"):
        need(compiled.returncode == 0, "a C compiler with sanitizers that run")
    assert compiled.returncode == 0, compiled.stderr
    done = subprocess.run([*EMULATOR, program, "7", "20000"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "ok\n"), done.stdout[-2000:] + done.stderr[-4000:]

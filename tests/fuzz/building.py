"""Builds the harnesses: the native engine with its sanitizers and libFuzzer (clang), or as plain programs (any compiler)."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from tests.fuzz.inputs import HARNESSES
from tests.fuzz.words import header

HERE = Path(__file__).parent
ENGINE = HERE.parent.parent / "ext"
WARNINGS = ["-Wno-sign-compare", "-Wno-unused-function", "-Wno-unused-command-line-argument"]
SANITIZE = "address,undefined"
CHECKED_IN_GLUE = "signed-integer-overflow,shift,bounds,integer-divide-by-zero,alignment,null,bool,enum,unreachable"
"""Of what is undefined; not the arithmetic on null pointers with which Cython's own lines are full."""
LOWERED = {
    "template.pxd": ("STEP_BYTES = 1 << 15", "STEP_BYTES = 1 << 10"),
    "known.pxd": ("RESERVE = 8 * STEP_BYTES", "RESERVE = 4 * STEP_BYTES"),
    "arena.pxd": ("ARENA_LARGE = 1 << 20", "ARENA_LARGE = 1 << 9"),
}
"""Sizes at which the engine does something else, lower, so that small inputs come to them: the room that is reserved for
known shapes at a time, and the arena from which on dead text is packed away."""


class Missing(Exception):
    """There is no compiler that can do this."""


def clang() -> str:
    """The clang to build fuzzers with.

    Raises:
        Missing: there is none with libFuzzer's runtime.
    """
    found = os.environ.get("SSIFT_CLANG") or shutil.which("clang")
    if found:
        probe = "int LLVMFuzzerTestOneInput(const unsigned char*d,unsigned long n){return 0;}"
        command = [found, f"-fsanitize=fuzzer,{SANITIZE}", "-x", "c", "-", "-o", os.devnull]
        if subprocess.run(command, input=probe, text=True, capture_output=True, check=False).returncode == 0:
            return found
    raise Missing("clang with libFuzzer and AddressSanitizer (on Debian: apt-get install clang libclang-rt-dev)")


def sources(folder: Path, lowered: bool = True) -> Path:
    """The harnesses as one C file, in a copy of ext/."""
    copy = folder / "ext"
    shutil.copytree(ENGINE, copy, dirs_exist_ok=True)
    for name in ("digest.h", "digest.pxd", "harness.pyx", "heap.h"):
        shutil.copy(HERE / name, copy)
    for name, (size, lower) in LOWERED.items() if lowered else ():
        text = (copy / name).read_text()
        assert text.count(size) == 1, f"{name} says {size} otherwise"
        (copy / name).write_text(text.replace(size, lower))
    (folder / "words.h").write_text(header())
    command = [sys.executable, "-m", "cython", "-I", ".", "--line-directives", "harness.pyx", "-o", "harness.c"]
    subprocess.run(command, cwd=copy, check=True)
    return copy / "harness.c"


def _build(
    compiler: str, folder: Path, source: Path, options: list[str], link: list[str], harnesses: Iterable[str]
) -> None:
    """Compile ``source`` once and link it with target.c for each harness. No interpreter: what needs one is never called."""
    headers = [f"-I{source.parent}", f"-I{folder}", f"-I{sysconfig.get_path('include')}"]
    options = [*options, "-ffp-contract=off", "-ffunction-sections", "-fdata-sections", *WARNINGS, *headers]
    harness, heap = str(folder / "harness.o"), str(folder / "heap.o")
    subprocess.run(
        [compiler, "-c", *options, "-include", str(HERE / "heap.h"), source.name, "-o", harness],
        check=True,
        cwd=source.parent,
    )
    subprocess.run([compiler, "-c", *options, str(HERE / "heap.c"), "-o", heap], check=True)
    link = [*link, "-no-pie", "-Wl,--gc-sections", "-Wl,--unresolved-symbols=ignore-all", "-lm"]
    for name in harnesses:
        target = [f"-DHARNESS={name}", str(HERE / "target.c"), harness, heap, *link, "-o", str(folder / name)]
        subprocess.run([compiler, *options, *target], check=True)


def build_fuzzers(folder: Path, harnesses: Iterable[str] = HARNESSES) -> None:
    """``folder``/harness for each: libFuzzer around the engine, which watches its memory."""
    compiler, folder = clang(), folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    source = sources(folder)
    mutator = str(folder / "mutator.o")
    subprocess.run([compiler, "-O2", "-c", f"-I{folder}", str(HERE / "mutator.c"), "-o", mutator], check=True)
    options = [
        "-O1",
        "-g",
        "-fno-omit-frame-pointer",
        "-fno-sanitize-recover=all",
        f"-fsanitize=fuzzer-no-link,{SANITIZE}",
    ]
    options.append("-fno-sanitize-coverage=trace-cmp")  # words and values come from the mutator; watching costs a third
    _build(compiler, folder, source, options, [f"-fsanitize=fuzzer,{SANITIZE}", mutator], harnesses)


def build_extension(folder: Path) -> None:
    """``folder``/ssift: the package, its native engine with sanitizers, for a program that loads their runtime first."""
    root = HERE.parent.parent
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "src" / "ssift", folder / "ssift", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    environment = {
        "CC": clang(),
        "SSIFT_BUILD": "native",
        "SSIFT_SANITIZE": f"fuzzer-no-link,address,{CHECKED_IN_GLUE}",
    }
    command = [
        sys.executable,
        "setup.py",
        "--quiet",
        "build_ext",
        "--build-lib",
        folder,
        "--build-temp",
        folder / "temp",
    ]
    subprocess.run(command, cwd=root, env=os.environ | environment, check=True)


def build_replayers(
    folder: Path, options: list[str], harnesses: Iterable[str] = HARNESSES, lowered: bool = True
) -> None:
    """``folder``/harness for each: a program that reads the inputs it is given; any C compiler will do."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    _build(compiler, folder, sources(folder, lowered), ["-DREPLAY", *options], [], harnesses)

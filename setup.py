"""Builds the native engine. Everything else about the package stands in pyproject.toml.

Switches, read from the environment:

``SSIFT_BUILD``
    ``auto`` (default) builds the native engine and, where that fails, goes on without it and says so;
    ``native`` fails when it cannot be built; ``python`` builds none. Any other value is an error.
``SSIFT_SANITIZE``
    sanitizers of gcc and clang, as in ``address,undefined``; the interpreter needs their runtime preloaded.
``SSIFT_DEBUG``
    ``1`` compiles without optimisation, with symbols, and with assertions on.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
BUILD = os.environ.get("SSIFT_BUILD") or "auto"
SANITIZE = os.environ.get("SSIFT_SANITIZE", "")
DEBUG = os.environ.get("SSIFT_DEBUG", "") not in ("", "0")

if BUILD not in ("auto", "native", "python"):
    sys.exit(f"SSIFT_BUILD is {BUILD!r}; it can be auto, native or python")


def fall_back(reason: object) -> None:
    """Go on without the native engine where that is allowed; else let the error out."""
    if BUILD == "native":
        raise
    line = "*" * 100
    print(
        f"{line}\nssift: the native engine was NOT built: {reason}\n"
        "ssift works all the same, with the slower Python engine. SSIFT_BUILD=native makes this an error,\n"
        f"SSIFT_BUILD=python leaves the attempt out.\n{line}",
        file=sys.stderr,
    )


def compiler_flags(msvc: bool) -> tuple[list[str], list[str]]:
    """Flags for the compiler and for the linker. No -march: the baselines of x86-64 and arm64 are enough."""
    if msvc:
        return (["/Od", "/Zi"] if DEBUG else ["/O2"]), []
    flags = ["-O0", "-g", "-UNDEBUG"] if DEBUG else ["-O3"]
    flags.append("-Wno-sign-compare")  # generated C compares Py_ssize_t with size_t
    flags.append("-ffp-contract=off")  # one rounding an operation: figures are those of the Python twin, to the bit
    if not SANITIZE:
        return flags, []
    sanitizer = f"-fsanitize={SANITIZE}"
    return [*flags, "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", sanitizer], [sanitizer]


def switches_file() -> str:
    """A file that changes when the switches do, so that another kind of build replaces the last one."""
    path = ROOT / "build" / "native-switches.txt"
    text = f"sanitize={SANITIZE} debug={DEBUG}\n"
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return os.path.relpath(path, ROOT)


def extensions() -> list[Any]:
    if BUILD == "python":
        return []
    try:
        from Cython.Build import cythonize

        headers = sorted(
            os.path.relpath(path, ROOT) for end in ("*.h", "*.pxd", "*.pxi") for path in ROOT.glob(f"ext/{end}")
        )
        native = Extension(
            "ssift._native",
            ["ext/_native.pyx"],
            include_dirs=["ext"],
            depends=[*headers, switches_file()],
            define_macros=[("SSIFT_DEBUG", "1")] if DEBUG else [],
            optional=BUILD == "auto",
        )
        found: list[Any] = cythonize(
            [native], build_dir="build/cython", include_path=["ext"], compiler_directives={"language_level": 3}
        )
        return found
    except Exception as error:
        fall_back(f"{type(error).__name__}: {error}")
        return []


class BuildNative(build_ext):
    def build_extension(self, ext: Any) -> None:
        ext.extra_compile_args, ext.extra_link_args = compiler_flags(self.compiler.compiler_type == "msvc")
        try:
            super().build_extension(ext)
        except Exception as error:
            fall_back(f"{type(error).__name__}: {error}")
            self.tag_as_pure()

    def tag_as_pure(self) -> None:
        """A wheel without the extension runs everywhere, and must not claim to be one for this platform."""
        self.distribution.ext_modules = []
        wheel = self.distribution.get_command_obj("bdist_wheel", create=False)
        if wheel is not None:
            wheel.root_is_pure = True


setup(ext_modules=extensions(), cmdclass={"build_ext": BuildNative})

# SPDX-License-Identifier: Apache-2.0
"""The core built for other processors answers as the core built for this one.

The same kernel, or one of equally many lanes that fuses no more, has the same bits, and so has
every answer by it. Answers by other kernels end in other digits, and their intervals must overlap.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]


class Platform(NamedTuple):
    """How the core is configured for a platform, and how its programs are run here."""

    tools: tuple[str, ...] = ()
    configure: tuple[str, ...] = ("cmake",)
    run: tuple[str, ...] = ()
    kernels: list[str] | None = None  # None: those of this machine
    suffix: str = ""
    programs: tuple[str, ...] = ("answers",)


HERE = Platform()
WASM = Platform(
    ("emcmake", "node"),
    ("emcmake", "cmake"),
    ("node", "--no-experimental-fetch"),  # else Emscripten fetches what is a file
    ["wasm", "scalar"],
    ".js",
)
PLATFORMS = {
    "aarch64": Platform(
        ("aarch64-linux-gnu-g++", "qemu-aarch64"),
        (
            "cmake",
            "-DCMAKE_SYSTEM_NAME=Linux",
            "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
            "-DCMAKE_CXX_COMPILER=aarch64-linux-gnu-g++",
        ),
        ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        ["neon", "scalar"],
    ),
    "wasm": WASM,
    "wasm without vectors": WASM._replace(
        configure=(*WASM.configure, "-DHOCKEYSTICK_WASM_SIMD=OFF"), kernels=["scalar"]
    ),
    "windows": Platform(
        ("x86_64-w64-mingw32-g++-posix", "wine"),
        (
            "cmake",
            "-DCMAKE_SYSTEM_NAME=Windows",
            "-DCMAKE_SYSTEM_PROCESSOR=AMD64",
            "-DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix",
            "-DCMAKE_EXE_LINKER_FLAGS=-static",
        ),
        ("wine",),
        suffix=".exe",
        programs=("threads", "c_library", "answers"),
    ),
    "clang": Platform(
        ("clang++",),
        ("cmake", "-DCMAKE_CXX_COMPILER=clang++", "-DHOCKEYSTICK_WERROR=ON"),
        programs=("threads", "c_library", "allocations", "answers"),
    ),
}


def checked(*command):
    """What the command prints."""
    environment = os.environ | {"WINEDEBUG": "-all"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, (result.stdout + result.stderr)[-4000:]
    return result.stdout


def compiled(configure, folder, *targets):
    """The time that each file takes to compile matters more here than that of its code."""
    options = ("-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1", "-DHOCKEYSTICK_PYTHON=OFF")
    checked(*configure, "-S", ROOT, "-B", folder, *options, "-DHOCKEYSTICK_TESTS=ON")
    checked("cmake", "--build", folder, "--parallel", "2", "--target", *targets)


# Linking, which CMake tries first, would compile Zig's own libraries for minutes.
COMPILE_ONLY = """#!/bin/sh
case " $* " in *" -c "*) exec "%s" -m ziglang c++ -target %s-macos "$@" ;; *) exit 1 ;; esac
"""


def built(platform, folder):
    """What the last program for that platform prints, once all were run: numbers by name."""
    programs = [f"test_{program}" for program in platform.programs]
    compiled(platform.configure, folder, *programs)
    for program in programs[:-1]:
        checked(*platform.run, folder / (program + platform.suffix))
    return answers(platform, folder)


def answers(platform, folder, *kernel):
    """What the program that answers prints; with a kernel, all by it, and hashes of many more."""
    printed = checked(*platform.run, folder / ("test_answers" + platform.suffix), *kernel)
    lines = (line.split(":") for line in printed.splitlines())
    return {name: list(map(float.fromhex, numbers.split())) for name, numbers in lines}


@pytest.fixture(scope="module")
def folder_here(tmp_path_factory):
    return tmp_path_factory.mktemp("here")


@pytest.fixture(scope="module")
def here(folder_here):
    return built(HERE, folder_here)


# Kernels there that do what one here does by its own name.
TWINS = {"wasm": "sse2"}
# Where an address has 32 bits, less memory holds as much.
OF_ADDRESSES = {"wasm": {"question memory limit"}}


def same_bits(ours, theirs, but=()):
    """Whether the answers to all questions but these are the same, and there are 10^4 more."""
    names = [name for name in ours if name.startswith(("question ", "hash ")) and name not in but]
    many = sum(ours[name][0] for name in names if name.startswith("hash "))
    return many == 10_000 and all(ours[name] == theirs[name] for name in names)


def overlap(ours, theirs):
    """Whether answers, as five numbers each of which the first two are bounds, overlap."""
    return all(
        ours[i] <= theirs[i + 1] and theirs[i] <= ours[i + 1] for i in range(0, len(ours), 5)
    )


def agree(ours, theirs):
    """Whether powers of sequences agree: two bounds each, then twice what each of them holds."""
    return all(
        abs(ours[i + k] - theirs[i + k]) <= ours[i + k % 2] + theirs[i + k % 2]
        for i in range(0, len(ours), 6)
        for k in range(2, 6)
    )


def kernels_of(numbers):
    return [name.split()[0] for name in numbers if name.endswith(" powers")]


@pytest.mark.deep
@pytest.mark.parametrize("name", PLATFORMS)
def test_platform(name, here, folder_here, tmp_path_factory):
    platform = PLATFORMS[name]
    for tool in platform.tools:
        if not shutil.which(tool):
            pytest.skip(f"{tool} is not installed")
    folder = tmp_path_factory.getbasetemp() / name.split()[0]
    there = built(platform, folder)
    kernels = kernels_of(there)
    assert kernels == (platform.kernels or kernels_of(here))
    for kernel in kernels:
        assert agree(here["scalar powers"], there[f"{kernel} powers"])
        if kernel != "neon":  # which fuses
            twin = kernel if kernel in kernels_of(here) else "scalar"
            assert here[f"{twin} functions"] == there[f"{kernel} functions"]
    questions = [each for each in here if each.startswith("question ")]
    assert questions == [each for each in there if each.startswith("question ")]
    for each in questions:
        if each == "question explicit distribution":  # no intervals
            assert there[each] == pytest.approx(here[each], rel=1e-4)
        else:
            assert len(there[each]) == len(here[each]), each
            assert overlap(here[each], there[each]), each
    for kernel in kernels:
        twin = TWINS.get(kernel, kernel)
        if twin in kernels_of(here):
            ours, theirs = answers(HERE, folder_here, twin), answers(platform, folder, kernel)
            assert same_bits(ours, theirs, OF_ADDRESSES.get(name.split()[0], ())), kernel


@pytest.mark.deep
@pytest.mark.parametrize("processor", ["aarch64", "x86_64"])
def test_macos_compiles(processor, tmp_path):
    """By the Clang of ziglang, warnings as errors; nothing is linked, nothing runs."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    compiler = tmp_path / "c++"
    compiler.write_text(COMPILE_ONLY % (sys.executable, processor))
    compiler.chmod(0o755)
    configure = (
        "cmake",
        "-DCMAKE_SYSTEM_NAME=Darwin",
        f"-DCMAKE_SYSTEM_PROCESSOR={processor}",
        f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
        "-DHOCKEYSTICK_WERROR=ON",
    )
    compiled(configure, tmp_path / "build", "hockeystick_core", "hockeystick_c")
    files = {path.relative_to(ROOT) for path in (ROOT / "cpp").rglob("*.cpp")}
    core = {path for path in files if path.parts[1] != "bind"}
    objects = (tmp_path / "build").rglob("*.cpp.o")
    # Of cpp/CMakeLists.txt, and of the one above.
    made = [path.as_posix().partition(".dir/")[2].removeprefix("cpp/") for path in objects]
    assert {Path("cpp", name).with_suffix("") for name in made} == core


@pytest.mark.parametrize("shift", [0.5, 2.0])
def test_comparisons_can_fail(shift):
    interval = [1.0, 2.0, 0.0, 0.0, 1.0]
    moved = [x + shift for x in interval]
    assert overlap(interval, moved) == (shift < 1)
    powers = [0.1, 0.1, 1.0, 1.0, 1.0, 1.0]
    assert not agree(powers, [0.1, 0.1, 1.0, 1.0, 1.0, 1.0 + shift])
    answered = {"question one": [1.0, 2.0], "hash many": [10_000.0, 3.0, 4.0]}
    assert same_bits(answered, dict(answered))
    assert not same_bits(answered, answered | {"hash many": [10_000.0, 3.0 + shift, 4.0]})
    assert not same_bits(answered, answered | {"question one": [1.0, 2.0 + shift]})

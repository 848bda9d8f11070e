# SPDX-License-Identifier: Apache-2.0
"""The installed C library is found and answers the same question from each language."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hockeystick as hs

ROOT = Path(__file__).parents[2]
SERVICES = Path(__file__).parent / "services"
RUN = 10_000 * hs.Gaussian(1.0).poisson_sampled(0.01) + 5 * hs.Laplace(20.0)


def called(*command, **settings):
    """What it prints."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def needs(*tools):
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")


@pytest.fixture(scope="session")
def prefix(request, tmp_path_factory):
    """Where the library is installed; moved there, as packages are."""
    if given := os.environ.get("HOCKEYSTICK_PREFIX"):
        return Path(given)
    if not request.config.getoption("--deep"):
        pytest.skip("compiles the core, under --deep only")
    needs("cmake", "ninja")
    build, staged = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("staged")
    flags = ("-DHOCKEYSTICK_PYTHON=OFF", "-DCMAKE_CXX_FLAGS=-O1", "-DCMAKE_INSTALL_LIBDIR=lib")
    called("cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=None", *flags)
    called("cmake", "--build", build)
    called("cmake", "--install", build, "--prefix", staged / "first")
    return (staged / "first").rename(staged / "moved")


def environment(prefix):
    found = {"PKG_CONFIG_PATH": prefix / "lib" / "pkgconfig", "LD_LIBRARY_PATH": prefix / "lib"}
    return os.environ | {name: str(path) for name, path in found.items()}


def held(printed):
    """The interval is the package's: the same question has the same bounds, but for a build's."""
    lower, upper = map(float, printed.split())
    bounds = RUN.epsilon_bounds(1e-5)
    assert max(lower, bounds.lower) <= min(upper, bounds.upper)
    assert upper - lower <= 1e-3 * upper


def test_what_is_installed(prefix):
    names = {path.relative_to(prefix).as_posix() for path in prefix.rglob("*") if path.is_file()}
    assert {"include/hockeystick.h", "include/hockeystick.hpp", "lib/libhockeystick.a"} <= names
    assert {"lib/pkgconfig/hockeystick.pc", "lib/libhockeystick.so.0.1.0"} <= names
    assert (prefix / "lib" / "libhockeystick.so.1").is_symlink()
    assert "lib/cmake/hockeystick/hockeystickConfig.cmake" in names


def test_nothing_but_the_interface_is_exported(prefix):
    needs("nm")
    listed = called("nm", "-D", "--defined-only", prefix / "lib" / "libhockeystick.so.1")
    names = [line.split()[-1] for line in listed.splitlines()]
    assert names
    assert all(name.startswith("hs_") for name in names)


def test_find_package(prefix, tmp_path):
    needs("cmake", "ninja")
    at = f"-DCMAKE_PREFIX_PATH={prefix}"
    called("cmake", "-G", "Ninja", "-S", SERVICES, "-B", tmp_path, at)
    called("cmake", "--build", tmp_path)
    for name in ("c_hockeystick", "c_static", "cpp_hockeystick", "cpp_static"):
        held(called(tmp_path / name))


@pytest.mark.parametrize("static", [False, True], ids=["shared", "static"])
@pytest.mark.parametrize("source", ["service.c", "service.cpp"])
def test_pkg_config(prefix, tmp_path, source, static):
    compiler = ("gcc", "-std=c99", "-pedantic") if source == "service.c" else ("g++", "-std=c++20")
    needs("pkg-config", compiler[0])
    settings = {"env": environment(prefix)}
    flags = called("pkg-config", "--cflags", "hockeystick", **settings).split()
    asked = ("--libs", *(("--static",) if static else ()), "hockeystick")
    libraries = called("pkg-config", *asked, **settings).split()
    if static:
        archive = str(prefix / "lib" / "libhockeystick.a")
        libraries = [archive if word == "-lhockeystick" else word for word in libraries]
    program = tmp_path / "service"
    warnings = ("-Wall", "-Wextra", "-Werror")
    called(*compiler, *warnings, *flags, SERVICES / source, "-o", program, *libraries)
    held(called(program, **settings))


def test_rust(prefix, tmp_path):
    needs("rustc")
    program = tmp_path / "service"
    called("rustc", "-O", "-L", prefix / "lib", SERVICES / "service.rs", "-o", program)
    held(called(program, env=environment(prefix)))


def test_go(prefix, tmp_path):
    needs("go", "pkg-config", "gcc")
    shutil.copy(SERVICES / "service.go", tmp_path)
    settings = environment(prefix) | {"GOCACHE": str(tmp_path / "cache"), "CGO_ENABLED": "1"}
    settings |= {"GO111MODULE": "off"}
    held(called("go", "run", tmp_path / "service.go", env=settings, cwd=tmp_path))


def test_java(prefix, tmp_path):
    needs("javac", "java", "gcc")
    home = Path(shutil.which("javac")).resolve().parents[1] / "include"
    headers = [f"-I{path}" for path in (home, home / sys.platform, prefix / "include")]
    shim, libraries = tmp_path / "libservice_jni.so", f"-L{prefix / 'lib'}"
    warnings = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared")
    source = SERVICES / "service_jni.c"
    called("gcc", *warnings, *headers, source, "-o", shim, libraries, "-lhockeystick")
    called("javac", "-Xlint:all", "-Werror", "-d", tmp_path, SERVICES / "Service.java")
    path = f"-Djava.library.path={tmp_path}"
    held(called("java", path, "-cp", tmp_path, "Service", env=environment(prefix)))


def test_r(prefix):
    needs("Rscript")
    held(called("Rscript", SERVICES / "service.R", prefix / "lib" / "libhockeystick.so.1"))


def test_julia(prefix):
    needs("julia")
    held(called("julia", SERVICES / "service.jl", prefix / "lib" / "libhockeystick.so.1"))


# What Julia calls the types of the header; a pointer to what it only hands on is Ptr{Cvoid}.
OF_JULIA = {
    "void": {"Cvoid"},
    "int": {"Cint"},
    "int32_t": {"Int32"},
    "int64_t": {"Int64"},
    "uint64_t": {"UInt64"},
    "size_t": {"Csize_t"},
    "double": {"Cdouble"},
    "char *": {"Cstring"},
    "double *": {"Ptr{Cdouble}", "Ref{Cdouble}"},
    "hs_run *": {"Ptr{Cvoid}"},
    "hs_options *": {"Ptr{Cvoid}"},
    "hs_parameter *": {"Ptr{Parameter}"},
    "hs_answer *": {"Ref{Answer}"},
}


def names_and_types(declared):
    """Of declarations in C, without what is constant."""
    found = []
    for each in declared:
        kind, names = re.fullmatch(r"(\w+ \**)(.*)", each.replace("const ", "").strip()).groups()
        found += [(name.strip(), kind.strip()) for name in names.split(",")]
    return found


def test_the_calls_of_julia_are_those_of_the_header():
    """Where Julia is not installed, too."""
    header = (ROOT / "include" / "hockeystick.h").read_text(encoding="utf-8")
    header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    program = (SERVICES / "service.jl").read_text(encoding="utf-8")
    calls = re.findall(r"ccall\(symbol\(:(\w+)\), ([\w{}]+), \(([^)]*?),?\)", program)
    assert len(calls) == 5
    for name, result, arguments in calls:
        kind, declared = re.search(rf"HS_API ([\w ]+\**){name}\(([^)]*)\);", header).groups()
        assert result in OF_JULIA[kind.replace("const ", "").strip()], name
        expected = names_and_types(each for each in declared.split(",") if each != "void")
        given = [each for each in arguments.split(", ") if each]
        assert len(given) == len(expected), name
        for one, (argument, needed) in zip(given, expected, strict=True):
            assert one in OF_JULIA[needed], (name, argument)
    for struct in ("Parameter", "Answer"):
        fields = re.search(rf"typedef struct hs_{struct.lower()} {{(.*?)}}", header, re.DOTALL)[1]
        expected = names_and_types(each for each in fields.split(";") if each.strip())
        given = re.findall(
            r"(\w+)::(\S+)", re.search(rf"struct {struct}\n(.*?)end", program, re.DOTALL)[1]
        )
        assert [name for name, _ in given] == [name for name, _ in expected]
        assert all(
            kind in OF_JULIA[needed] for (_, kind), (_, needed) in zip(given, expected, strict=True)
        )


def test_ctypes(prefix):
    library = prefix / "lib" / "libhockeystick.so.1"
    held(called(sys.executable, SERVICES / "service.py", library))

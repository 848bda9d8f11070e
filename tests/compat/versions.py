# SPDX-License-Identifier: Apache-2.0
"""Pythons that have a given version of dp_accounting installed, and what that depends on."""

import functools
import os
import subprocess
import sys
import tempfile
import venv
from importlib import metadata
from pathlib import Path

import pytest

import hockeystick

VERSIONS = ("0.4.3", "0.5.1", "0.6.0")
"""The last of each minor version that the extra allows."""


def run(version: str, *program: str) -> str:
    """What a program prints beside this version; skips where pip cannot install it."""
    python, before = _python(version)
    if not python:
        pytest.skip(f"dp-accounting {version} does not install")
    paths = os.pathsep.join([*before, *filter(None, [os.environ.get("PYTHONPATH")])])
    variables = {**os.environ, "PYTHONPATH": paths} if before else None
    done = subprocess.run(
        [python, *program], capture_output=True, text=True, check=False, env=variables
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@functools.cache
def _python(version: str) -> tuple[str, tuple[str, ...]]:
    """An interpreter, or none; and what its path begins with, a folder with the package alone."""
    if metadata.version("dp-accounting") == version:
        return sys.executable, ()
    root = Path(_scratch().name) / version
    venv.create(root, with_pip=True)
    python = str(root / ("Scripts" if os.name == "nt" else "bin") / "python")
    command = [python, "-m", "pip", "install", "-q", f"dp-accounting=={version}", "click"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    except (subprocess.SubprocessError, OSError):
        return "", ()
    package = Path(hockeystick.__file__).parent
    (root / "package").mkdir()
    (root / "package" / package.name).symlink_to(package)
    return python, (str(root / "package"),)


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    """Kept until the process ends."""
    return tempfile.TemporaryDirectory(prefix="dp-accounting-")

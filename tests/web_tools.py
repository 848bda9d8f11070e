# SPDX-License-Identifier: Apache-2.0
"""What tests of the calculator run: Node, the library in WebAssembly, Chromium."""

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CALCULATOR = ROOT / "docs" / "calculator"
SCRIPTS = Path(__file__).parent / "web"


def extension():
    """The extension of Sphinx that writes the page; without Sphinx the test is skipped."""
    pytest.importorskip("sphinx", reason="the extra docs is not installed")
    path = ROOT / "docs" / "_extensions" / "calculator.py"
    spec = importlib.util.spec_from_file_location("calculator_extension", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wasm(name="hockeystick"):
    """The compiled library, or that of the page, "calculator"; without it the test is skipped."""
    default = ROOT / "build" / "wasm" / f"{name}.wasm"
    path = Path(os.environ.get("HOCKEYSTICK_WASM", default))
    if not path.exists():
        pytest.skip(f"{default.name} is not built: see docs/calculator/README.md")
    return path


def tool(name):
    """The path of a program; without it the test is skipped."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def node(script, *arguments, given=None, timeout=300):
    """What a script of Node prints, as JSON; without Node the test is skipped."""
    result = subprocess.run(
        [tool("node"), SCRIPTS / script, *map(str, arguments)],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-4000:]
    return json.loads(result.stdout)


def chromium():
    """The browser and a module that drives it; without them the test is skipped."""
    browser = tool("chromium")
    found = subprocess.run(
        [tool("node"), "-e", "require('playwright-core')"], capture_output=True, check=False
    )
    if found.returncode:
        pytest.skip("playwright-core of npm is not in NODE_PATH")
    return browser

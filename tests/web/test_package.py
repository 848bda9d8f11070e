# SPDX-License-Identifier: Apache-2.0
"""The package for npm holds what it needs: Node imports it, and TypeScript accepts its types."""

import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from web_tools import CALCULATOR, tool, wasm

PARTS = ["hockeystick.d.ts", "hockeystick.mjs", "package.json"]
ASKED = """
import { load, HockeystickError } from "hockeystick";
const library = await load();
const run = library.run().add("gaussian", { noise_multiplier: 2 }, 4);
const [bounds] = run.epsilon([1e-5], { tolerance: 1e-6 });
try { run.delta([-1]); } catch (error) { if (!(error instanceof HockeystickError)) throw error; }
run.free();
console.log(bounds.lower, bounds.upper);
"""
TYPED = """
import { load, type Bounds, type Run, type Options } from "hockeystick";
export async function asked(deltas: readonly number[], options: Options): Promise<Bounds[]> {
  const run: Run = (await load()).run().add("discrete_pair", { p: [0.5, 0.5], q: [0.4, 0.6] }, 3);
  const found = run.epsilon(deltas, options);
  run.free();
  return found.filter(({ limitedBy }) => limitedBy === null);
}
"""
MISTYPED = 'import { load } from "hockeystick"; (await load()).run().epsilon("1e-5");'


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in which the packed package is installed."""
    package, folder = tmp_path_factory.mktemp("package"), tmp_path_factory.mktemp("project")
    for part in PARTS:
        shutil.copy(CALCULATOR / part, package)
    shutil.copy(CALCULATOR / "README.md", package)
    shutil.copy(wasm(), package / "hockeystick.wasm")
    command = [tool("npm"), "pack", "--offline", "--json", "--pack-destination", folder]
    packed = subprocess.run(command, cwd=package, capture_output=True, text=True, check=True)
    (described,) = json.loads(packed.stdout)
    names = sorted(file["path"] for file in described["files"])
    assert names == sorted([*PARTS, "README.md", "hockeystick.wasm"])
    with tarfile.open(folder / described["filename"]) as archive:
        archive.extractall(folder / "node_modules", filter="data")
    (folder / "node_modules" / "package").rename(folder / "node_modules" / "hockeystick")
    return folder


def test_node_imports_it(project):
    (project / "asked.mjs").write_text(ASKED)
    result = subprocess.run(
        [tool("node"), "asked.mjs"], cwd=project, capture_output=True, text=True, check=True
    )
    lower, upper = map(float, result.stdout.split())
    assert lower <= 4.37717809568122460855 <= upper  # one Gaussian of noise 1: a closed form
    assert upper - lower <= 1e-6 * upper


@pytest.mark.parametrize(("program", "is_right"), [(TYPED, True), (MISTYPED, False)])
def test_types(project, program, is_right):
    compiler = Path(os.environ.get("NODE_PATH", "")) / ".bin" / "tsc"
    if not compiler.exists():
        pytest.skip("typescript of npm is not in NODE_PATH")
    (project / "typed.mts").write_text(program)
    options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"]
    result = subprocess.run(
        [compiler, *options, "--lib", "es2022,dom", "typed.mts"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode == 0) == is_right, result.stdout + result.stderr

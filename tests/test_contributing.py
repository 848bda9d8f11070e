# SPDX-License-Identifier: Apache-2.0
"""The mechanism that docs/contributing.md brings in builds, passes all tests, and is four files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mutate

PAGE = Path(__file__).parents[1] / "docs" / "contributing.md"
BLOCK = r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$"
FILES = dict(re.findall(BLOCK, PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
TESTS = ("mechanisms/test_staircase.py", "mechanisms/test_every_mechanism.py", "test_exact.py")
EXPORT = Path("python/hockeystick/mechanisms/__init__.py")
IMPORT = "from hockeystick.mechanisms.staircase import Staircase"


def test_the_page_shows_four_new_files():
    assert [Path(name).parts[0] for name in FILES] == ["cpp", "python", "tests", "tests"]
    assert not any((mutate.ROOT / name).exists() for name in FILES)


def written(root):
    """What `files` are in a folder, but for what Python leaves there."""
    return {
        path.relative_to(root): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_it_builds_and_passes(request, tmp_path):
    if not request.config.getoption("--deep"):
        pytest.skip("compiles the core, under --deep only")
    tree = mutate.Tree(tmp_path)
    assert tree.configure()
    assert tree.make()
    before, compiled = written(tree.root), objects(tree.build)
    for name, text in FILES.items():
        (tree.root / name).write_text(text)
    export = (tree.root / EXPORT).read_text()
    exported = export.replace("\n__all__ = [\n", f'{IMPORT}\n\n__all__ = [\n    "Staircase",\n')
    (tree.root / EXPORT).write_text(exported)
    assert tree.make()
    made = [path.name for path, at in objects(tree.build).items() if compiled.get(path) != at]
    assert made == ["staircase.cpp.o"]
    assert tree.failure(TESTS) == ""
    subprocess.run([sys.executable, "tests/proofs.py", "--write"], cwd=tree.root, check=True)
    assert tree.failure(("test_proofs.py", "test_layering.py")) == ""
    after = written(tree.root)
    changed = {path.as_posix() for path in after if after[path] != before.get(path)}
    assert changed == {*FILES, EXPORT.as_posix(), "cpp/proofs/INDEX.md"}


def objects(build):
    """When each object file was written."""
    return {path: path.stat().st_mtime_ns for path in build.rglob("*.o")}

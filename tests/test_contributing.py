# SPDX-License-Identifier: Apache-2.0
"""The mechanism of docs/contributing.md builds and passes: four files, and what a command lists."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mutate

PAGE = Path(__file__).parents[1] / "docs" / "contributing.md"
BLOCK = r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$"
FILES = dict(re.findall(BLOCK, PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
LISTS = {
    "cpp/proofs/INDEX.md",
    "docs/c.md",
    "docs/reference/mechanisms.md",
    "python/hockeystick/mechanisms/__init__.py",
    "python/hockeystick/run.schema.json",
}
# What asks for something of every mechanism, of every source file or of every tagged line.
STRUCTURAL = (
    "c/test_hockeystick.py",
    "c/test_refused.py",
    "mechanisms/test_staircase.py",
    "mechanisms/test_every_mechanism.py",
    "mechanisms/test_registry.py",
    "python/accountant/test_run_file.py",
    "python/test_package.py",
    "python/test_what_people_type.py",
    "python/test_words.py",
    "test_constants.py",
    "test_documents.py::test_every_public_name_is_in_the_reference",
    "test_exact.py",
    "test_layering.py",
    "test_mirrors.py",
    "test_proofs.py",
)


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


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a compiler")
def test_the_core_has_the_names_that_the_page_uses(tmp_path):
    (source,) = (Path(name) for name in FILES if name.endswith(".cpp"))
    (tmp_path / source.name).write_text(FILES[source.as_posix()])
    checks = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command = ["c++", *checks, "-I", mutate.ROOT / "cpp", tmp_path / source.name]
    subprocess.run(list(map(str, command)), check=True)


@pytest.mark.deep
def test_it_builds_and_passes(tmp_path):
    tree = mutate.Tree(tmp_path)
    shutil.copytree(PAGE.parent, tree.root / "docs", dirs_exist_ok=True)
    assert tree.configure()
    assert tree.make()
    before, compiled = written(tree.root), objects(tree.build)
    for name, text in FILES.items():
        (tree.root / name).write_text(text)
    assert tree.make()
    made = [path.name for path, at in objects(tree.build).items() if compiled.get(path) != at]
    assert made == ["staircase.cpp.o"]
    paths = {"PYTHONPATH": f"{tree.package}{os.pathsep}{tree.root / 'tests'}"}
    command = [sys.executable, "tests/listed.py"]
    subprocess.run(command, cwd=tree.root, env=os.environ | paths, check=True)
    assert tree.make()
    after = written(tree.root)
    changed = {path.as_posix() for path in after if after[path] != before.get(path)}
    assert changed == {*FILES, *LISTS}
    assert tree.failure(STRUCTURAL) == ""


def objects(build):
    """When each object file was written."""
    return {path: path.stat().st_mtime_ns for path in build.rglob("*.o")}

# SPDX-License-Identifier: Apache-2.0
"""The mechanism of docs/contributing.md builds and passes: four files, a row and an export."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import mutate

PAGE = Path(__file__).parents[1] / "docs" / "contributing.md"
BLOCK = r"^```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)^```$"
TEXT = PAGE.read_text(encoding="utf-8")
FILES = dict(re.findall(BLOCK, TEXT, re.MULTILINE | re.DOTALL))
TABLE = "cpp/mechanisms/described/discrete.cpp"
PART = r"^```\{code-block\} cpp\n:caption: in %s, %s\n\n(.*?)^```$"
BEFORE = {
    "before the table": "}  // namespace\n\nstd::vector<MechanismKind> rows::",
    "in the table": "  };\n}\n",
}
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


def with_parts(table):
    """The table of mechanisms with what the page adds."""
    for place, before in BEFORE.items():
        (part,) = re.findall(PART % (TABLE, place), TEXT, re.MULTILINE | re.DOTALL)
        assert table.count(before) == 1
        table = table.replace(before, part + ("" if place == "in the table" else "\n") + before)
    return table


@pytest.mark.deep
def test_it_builds_and_passes(tmp_path):
    tree = mutate.Tree(tmp_path)
    assert tree.configure()
    assert tree.make()
    before, compiled = written(tree.root), objects(tree.build)
    for name, text in FILES.items():
        (tree.root / name).write_text(text)
    (tree.root / TABLE).write_text(with_parts((tree.root / TABLE).read_text()))
    export = (tree.root / EXPORT).read_text()
    exported = export.replace("\n__all__ = [\n", f'{IMPORT}\n\n__all__ = [\n    "Staircase",\n')
    (tree.root / EXPORT).write_text(exported)
    assert tree.make()
    made = [path.name for path, at in objects(tree.build).items() if compiled.get(path) != at]
    assert sorted(made) == ["discrete.cpp.o", "staircase.cpp.o"]
    assert tree.failure(TESTS) == ""
    subprocess.run([sys.executable, "tests/proofs.py", "--write"], cwd=tree.root, check=True)
    assert tree.failure(("test_proofs.py", "test_layering.py")) == ""
    after = written(tree.root)
    changed = {path.as_posix() for path in after if after[path] != before.get(path)}
    assert changed == {*FILES, TABLE, EXPORT.as_posix(), "cpp/proofs/INDEX.md"}


def objects(build):
    """When each object file was written."""
    return {path: path.stat().st_mtime_ns for path in build.rglob("*.o")}

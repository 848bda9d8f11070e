# SPDX-License-Identifier: Apache-2.0
"""Break what each page of cpp/proofs books, one edit at a time: a test must fail.

python tests/mutate.py [--proof SLUG ...] [--layer NAME ...] [--kind KIND ...] [--directory BUILD]
                       [--processes 1]

The edits are the rows of tests/mutations/NAME.toml, one line a row, which begins with the slug of
its page. A row replaces `from` in a statement that is tagged `proof: <slug>`, wherever that
statement is; `from` must be there once, in all statements with this tag (or in those of the
function `at`). What it is replaced by says the kind of the edit: `dropped` leaves an allowance out
(is it needed?), `halved` takes half of it (is it not far too large?), and `broken` changes the line
in some other way (is it wired?); a row of two kinds is two edits. A row with `lines` spares tagged
lines, by pieces that only one of them has, and says why there is nothing to mutate, or why no test
fails if what they book is dropped or halved. Every tagged line has a dropped and a halved edit or
such a reason. The rows of a law of finitely many outcomes, whose tagged line is
`law.mass_error = 12 * u`, stand in no table: `_of_laws` makes them, and the law's own tests must
fail.
Each edit is made in a copy of the tree, the core is built anew, and the tests named for it
run until one fails. Needs what building the core needs: cmake, ninja, pybind11. Answers 1 if a
mutation survives, does not compile, or is not where the table says, or if the tests fail without
any.
"""

import argparse
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import proofs

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "tests" / "mutations"
COPIED = ("cpp", "include", "python", "tests", "CMakeLists.txt", "pyproject.toml")
HANGS = 600  # seconds after which tests count as hung
KINDS = ("dropped", "halved", "broken")
LAW = re.compile(r"law\.mass_error = (\d+) \* u(?=;)")
# What the tests import from elsewhere is imported once: a process for one row is a fork of that.
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["pytest", "numpy", "scipy.stats", "flint", "mpmath"])


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """One edit of one tagged statement, and the tests of which it must make one fail.

    `why` says why the edit is what it is, where it does more than leave out what the page books.
    """

    proof: str  # the slug of the page
    layer: str  # the table's name
    breaks: str
    text: str
    replacement: str
    tests: tuple[str, ...]
    kind: str
    at: str = ""
    why: str = ""

    def places(self, root: Path) -> list[tuple[str, int, int]]:
        """Where the text is: file, first and last character; one place is right."""
        return proofs.places(root, self.proof, self.text, self.at)

    def __str__(self) -> str:
        return f"{self.proof}: {self.breaks}, {self.kind}"


@dataclass(frozen=True, kw_only=True)
class Spared:
    """Tagged lines with nothing to mutate, or that no test misses if mutated so.

    `lines` are pieces of them, each in one tagged statement (of the function `at`). Without a
    `kind` they are spared both.
    """

    proof: str
    lines: tuple[str, ...]
    why: str
    kind: str = ""
    at: str = ""

    def places(self, root: Path) -> list[list[tuple[str, int, int]]]:
        """Where each of the lines is; one place is right."""
        return [proofs.places(root, self.proof, line, self.at) for line in self.lines]

    def __str__(self) -> str:
        left_out = f"not {self.kind}" if self.kind else "nothing to mutate"
        return f"{self.proof}: {left_out}: {self.why}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """What tests/mutations/*.toml list."""

    mutations: list[Mutation]
    spared: list[Spared]


def table() -> Table:
    """Read tests/mutations/*.toml."""
    found = Table(mutations=[], spared=[])
    for path in sorted(TABLES.glob("*.toml")):
        for row in tomllib.loads(path.read_text())["rows"]:
            if "lines" in row:
                found.spared.append(Spared(**{**row, "lines": tuple(row["lines"])}))
            else:
                found.mutations.extend(_edits(path.stem, row))
    found.mutations.extend(_of_laws())
    return found


def _of_laws() -> Iterator[Mutation]:
    """Rows for what the masses of each law are off by: half of it, and less than nothing.

    Less, since the sums of `atomic_pair` add 6 u, which may cover what the masses are off by.
    """
    for each in proofs.tagged(ROOT):
        stated = LAW.search(each.text(ROOT)[1]) if each.slug == "discrete-laws" else None
        for kind, units in (("dropped", "-6"), ("halved", f"0.5 * {stated[1]}")) if stated else ():
            yield Mutation(
                proof=each.slug,
                layer="mechanisms",
                breaks=f"the masses of the law `{each.function}`",
                text=stated[0],
                replacement=f"law.mass_error = {units} * u",
                tests=(f"mechanisms/test_{Path(each.file).stem}.py",),
                kind=kind,
                at=each.function,
            )


def _edits(layer: str, row: dict[str, Any]) -> Iterator[Mutation]:
    """Those of a row, one of each kind."""
    rest = {name: value for name, value in row.items() if name not in {*KINDS, "from", "tests"}}
    for kind in KINDS:
        if kind in row:
            yield Mutation(
                **rest,
                layer=layer,
                text=row["from"],
                tests=tuple(row["tests"]),
                kind=kind,
                replacement=row[kind],
            )


class Tree:
    """A copy of the sources with a build of its own, kept between runs if its directory is."""

    def __init__(self, directory: Path) -> None:
        directory = directory.resolve()
        self.root, self.build = directory / "tree", directory / "build"
        self.package = directory / "package"
        self._copy()

    def _copy(self) -> None:
        """Only what differs is written, so that only that is compiled again."""
        listed = [path for name in COPIED for path in (ROOT / name, *(ROOT / name).rglob("*"))]
        files = {
            path.relative_to(ROOT): path
            for path in listed
            if path.is_file() and "__pycache__" not in path.parts
        }
        for old in [path for path in self.root.rglob("*") if path.is_file()]:
            if old.relative_to(self.root) not in files and "__pycache__" not in old.parts:
                old.unlink()
        for relative, path in files.items():
            copy = self.root / relative
            if not copy.exists() or copy.read_bytes() != path.read_bytes():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)

    def configure(self) -> bool:
        """Prepare the build, once."""
        if (self.build / "build.ninja").exists():
            return True
        prefix = subprocess.run(
            [sys.executable, "-m", "pybind11", "--cmakedir"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        of_python = [f"-Dpybind11_DIR={prefix}", f"-DPython_EXECUTABLE={sys.executable}"]
        source = ["-S", self.root, "-B", self.build, "-G", "Ninja"]
        return _succeeds(["cmake", *source, *of_python, "-DHOCKEYSTICK_PARTS=ON"])

    def make(self) -> bool:
        """Compile, and put the package together; False if it does not compile."""
        if not _succeeds(["cmake", "--build", self.build, "--target", "_core"]):
            return False
        package = self.package / "hockeystick"
        shutil.copytree(self.root / "python" / "hockeystick", package, dirs_exist_ok=True)
        for module in (self.build / "cpp").glob("_core*"):
            if module.is_file():
                shutil.copyfile(module, package / module.name)
        return True

    def failure(self, tests: tuple[str, ...], most: float | None = HANGS) -> str:
        """The first test that fails, or nothing; `most`: seconds until they count as hung."""
        output = self.build / "pytest.txt"
        asked = [f"tests/{test}" for test in tests]
        process = FORKS.Process(target=_pytest, args=(self.root, self.package, asked, output))
        process.start()
        process.join(most)
        if process.is_alive():
            process.kill()
            process.join()
            return f"a hang of {most} s"
        if process.exitcode == 0:
            return ""
        text = output.read_text()
        failed = [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))]
        crashed = f"a crash, status {process.exitcode}: {text[-300:]}"
        return failed[0].split(" - ")[0].partition(" ")[2] if failed else crashed

    @contextmanager
    def mutated(self, mutation: Mutation) -> Iterator[None]:
        """The tree with one edit, undone afterwards."""
        ((file, first, last),) = mutation.places(self.root)
        path = self.root / file
        right = path.read_text()
        path.write_text(right[:first] + mutation.replacement + right[last:])
        try:
            yield
        finally:
            path.write_text(right)


def _pytest(root: Path, package: Path, tests: list[str], output: Path) -> None:
    """Run tests on a package until one fails, in a process of their own."""
    os.chdir(root)
    os.environ["PYTHONPATH"] = str(package)  # of the processes that tests start
    sys.path.insert(0, str(package))
    with output.open("w") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    import pytest  # noqa: PLC0415 (the process that reads the table does not need it)

    quiet = ["-q", "-x", "--deep", "--tb=no", "-p", "no:cacheprovider"]
    code = pytest.main([*quiet, *tests])
    sys.stdout.flush()
    os._exit(int(code))


def _succeeds(command: list[object]) -> bool:
    run = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False
    )
    if run.returncode != 0:
        _say(run.stdout[-2000:] + run.stderr[-2000:])
    return run.returncode == 0


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def _outcome(tree: Tree, mutation: Mutation) -> tuple[bool, str]:
    """Whether the mutation is killed, and how."""
    if (times := len(mutation.places(tree.root))) != 1:
        return False, f"NOT APPLICABLE: the text is there {times} times"
    with tree.mutated(mutation):
        if not tree.make():
            return False, "NOT COMPILED"
        killer = tree.failure(mutation.tests)
    return bool(killer), f"killed by {killer}" if killer else "SURVIVED"


def run(mutations: list[Mutation], directory: Path) -> int:
    """Apply all, say what came of each; how many were not killed."""
    tree = Tree(directory)
    if not (tree.configure() and tree.make()):
        return len(mutations)
    everything = tuple(dict.fromkeys(test for m in mutations for test in m.tests))
    if failed := tree.failure(everything, None):
        _say(f"before any mutation: {failed}")
        return len(mutations)
    alive = 0
    for mutation in mutations:
        start = time.perf_counter()
        killed, outcome = _outcome(tree, mutation)
        alive += not killed
        _say(f"{mutation}: {outcome} [{time.perf_counter() - start:.0f} s]")
    return alive


def run_shares(mutations: list[Mutation], directory: Path, processes: int) -> int:
    """Apply them in as many trees as processes, each a stretch of the files."""
    each = -(-len(mutations) // processes)
    shares = [mutations[first : first + each] for first in range(0, len(mutations), each)]
    places = [directory / str(number) for number in range(len(shares))]
    with ThreadPoolExecutor(processes) as pool:
        alive = sum(pool.map(run, shares, places))
    _say(f"{len(mutations)} mutations, {len(mutations) - alive} killed")
    return alive


def main() -> int:
    """Read the options and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proof", action="append", help="only this page; repeatable")
    parser.add_argument(
        "--layer", action="append", help="only tests/mutations/LAYER.toml; repeatable"
    )
    parser.add_argument(
        "--kind", choices=KINDS, action="append", help="only edits of this kind; repeatable"
    )
    parser.add_argument("--directory", type=Path, help="keep copy and build here for the next run")
    parser.add_argument("--processes", type=int, default=1, help="trees to build and test in")
    options = parser.parse_args()
    read = table()
    mutations = read.mutations
    asked = options.proof or proofs.pages()
    for row in read.spared:
        if row.proof in asked:
            _say(str(row))
    layers = options.layer or {mutation.layer for mutation in mutations}
    kinds = options.kind or KINDS
    mutations = [m for m in mutations if m.proof in asked and m.layer in layers and m.kind in kinds]
    mutations.sort(key=lambda m: m.places(ROOT))  # of one file together: fewer builds
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.directory or Path(temporary)
        return 1 if run_shares(mutations, directory, options.processes) else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Race the library as it is here against an earlier one, and print the ratio of the times.

python benchmarks/compare.py [REF] [--case NAME ...] [--rounds N] [--installed] [--limit RATIO]
python benchmarks/compare.py --kernel NAME [--case NAME ...] [--rounds N] [--limit RATIO]

REF is a commit, by default the last tag or, without tags, HEAD~20. It and the work tree are built
alike into a temporary folder, which takes some minutes, and asked in turn in a process each.
With --kernel both are the library installed, and the first of them takes that kernel.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import zipfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, Self

from cases import CASES
from hockeystick import _core
from measure import SAMPLE, WARM_UP_CALLS, Status
from report import machine, seconds
from run import begin

ROOT = Path(__file__).parents[1]
FEW = ("dpsgd", "dpsgd-narrow", "dpsgd-delta", "schedule", "little-noise", "gaussians")
MOST_CALLS = 1000


def git(*words: str, root: Path = ROOT) -> bytes:
    """What git prints."""
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True).stdout  # noqa: S603, S607


def default_ref(root: Path = ROOT) -> str:
    """The last tag, or some commits ago."""
    try:
        return git("describe", "--tags", "--abbrev=0", root=root).decode().strip()
    except subprocess.CalledProcessError:
        return "HEAD~20"


def commit(ref: str, root: Path = ROOT) -> str:
    """The commit that `ref` names.

    Raises:
        ValueError: There is none here.
    """
    asked = ("--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    try:
        return git("rev-parse", *asked, root=root).decode().strip()
    except subprocess.CalledProcessError:
        raise ValueError(f"REF must name a commit of this clone, got {ref!r}") from None


def unpack(ref: str, folder: Path, root: Path = ROOT) -> None:
    """The files of a commit, into `folder`; the clone is left as it is."""
    packed = git("archive", "--format=zip", commit(ref, root), root=root)
    with zipfile.ZipFile(io.BytesIO(packed)) as files:
        files.extractall(folder)


def build(source: Path, target: Path) -> Path:
    """The package that `source` holds, installed into `target`; needs what builds it, and pip."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target"]
    subprocess.run([*pip, target, source], check=True)  # noqa: S603
    return target


class Sample(NamedTuple):
    """What a worker says."""

    status: str
    text: str
    width: float | None
    seconds: float

    @property
    def counts(self) -> bool:
        """Whether the time is worth comparing."""
        return Status[self.status] not in (Status.WRONG, Status.FAILED)


class Worker:
    """A process that asks the library in `package`, or without it the one installed."""

    def __init__(self, package: Path | None, kernel: str = "") -> None:
        changes = {} if package is None else {"PYTHONPATH": str(package)}
        if kernel:
            changes["HOCKEYSTICK_KERNEL"] = kernel
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, Path(__file__).with_name("worker.py")],
            env=os.environ | changes,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        found = Path(self._read()).resolve()
        if package is not None and not found.is_relative_to(package.resolve()):
            self.__exit__()
            raise ValueError(f"an editable install in {found} hides the one to be measured")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()  # ends its input, and waits

    def _read(self) -> Any:
        line = self._process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            self.__exit__()
            raise ValueError(f"a worker ended with exit status {self._process.returncode}")
        return json.loads(line)

    def sample(self, case: str, calls: int) -> Sample:
        """The last verdict on `calls` calls, and the mean time of one."""
        print(case, calls, file=self._process.stdin, flush=True)
        return Sample(**self._read())


class Race(NamedTuple):
    """The samples of a base and of the head, in rounds next to each other."""

    base: list[Sample]
    head: list[Sample]

    @property
    def ratios(self) -> list[float]:
        """Head over base, a round each; none where an answer does not count."""
        pairs = list(zip(self.base, self.head, strict=True))
        if not all(sample.counts for pair in pairs for sample in pair):
            return []
        return [head.seconds / base.seconds for base, head in pairs]


def race(case: str, base: Worker, head: Worker, rounds: int) -> Race:
    """Interleaved, in an order that flips every round."""
    calls = {}
    for worker in (base, head):
        first = [worker.sample(case, 1) for _ in range(WARM_UP_CALLS)]
        if not all(sample.counts for sample in first):
            rounds = 1  # to say so
        fastest = min(sample.seconds for sample in first)
        calls[worker] = max(1, min(MOST_CALLS, math.ceil(SAMPLE / max(fastest, 1e-9))))
    taken: dict[Worker, list[Sample]] = {base: [], head: []}
    for turn in range(rounds):
        for worker in (base, head)[:: 1 if turn % 2 == 0 else -1]:
            taken[worker].append(worker.sample(case, calls[worker]))
    return Race(taken[base], taken[head])


def row(case: str, found: Race) -> str:
    """A line of the table; the ratio is bold where the whole band is on one side of 1."""
    cells = [case]
    for samples in found:
        bad = [sample for sample in samples if not sample.counts]
        time = f"{bad[0].status}: {bad[0].text}" if bad else seconds(_middle(samples))
        width = "-" if samples[-1].width is None else f"{samples[-1].width:.1e}"
        cells += [" ".join(time.replace("|", "/").split()), width]
    ratios = found.ratios
    if not ratios:
        return f"| {' | '.join([*cells, '-', '-'])} |"
    least, most = min(ratios), max(ratios)
    ratio = f"{median(ratios):.3f}"
    cells += [f"**{ratio}**" if least > 1 or most < 1 else ratio, f"{least:.3f} to {most:.3f}"]
    return f"| {' | '.join(cells)} |"


def _middle(samples: list[Sample]) -> float:
    return median(sample.seconds for sample in samples)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Race the library here against an earlier one.")
    names = [case.name for case in CASES]
    parser.add_argument("ref", nargs="?", metavar="REF", help="default: last tag, or HEAD~20")
    parser.add_argument("--case", nargs="+", choices=names, default=FEW, metavar="NAME")
    parser.add_argument("--rounds", type=int, default=20, help="at least 1")
    parser.add_argument("--installed", action="store_true", help="head is what is installed")
    parser.add_argument("--kernel", metavar="NAME", help="against another kernel, both installed")
    parser.add_argument("--limit", type=float, metavar="RATIO", help="fail if a band is above it")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds must be >= 1, got {options.rounds}")
    if options.kernel and options.ref:
        parser.error(
            f"--kernel races the library installed, so that REF must go, got {options.ref}"
        )
    return options


def contestants(options: argparse.Namespace, stack: ExitStack) -> tuple[str, str, Worker, Worker]:
    """The base's name, what it is, base and head."""
    if options.kernel:
        base = stack.enter_context(Worker(None, options.kernel))
        says = f"head is the kernel {_core.kernel()}"
        return options.kernel, says, base, stack.enter_context(Worker(None))
    ref = options.ref or default_ref()
    try:
        says = f"{ref} is {commit(ref)[:12]}"
    except ValueError as error:
        sys.exit(str(error))
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    unpack(ref, folder / "source")
    base = stack.enter_context(Worker(build(folder / "source", folder / "base")))
    head = Worker(None if options.installed else build(ROOT, folder / "head"))
    return ref, says, base, stack.enter_context(head)


def main() -> None:
    """Build, race, print."""
    options = arguments()
    begin()
    slower = []
    with ExitStack() as stack:
        name, says, base, head = contestants(options, stack)
        print(f"| case | {name} | width | head | width | head / {name} | band |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for case in options.case:
            found = race(case, base, head, options.rounds)
            print(row(case, found), flush=True)
            if options.limit and min(found.ratios, default=0.0) > options.limit:
                slower.append(case)
    print(f"\n{says}; {options.rounds} rounds; {machine()}")
    if slower:
        sys.exit(f"slower by more than {options.limit:g}: {', '.join(slower)}")


if __name__ == "__main__":
    main()

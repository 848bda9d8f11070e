# SPDX-License-Identifier: Apache-2.0
"""Random compositions, and the library's answers held against the oracles of `exact`.

python tests/differential.py [--cases 10000] [--seed 1] [--processes 2] [--first 0]

A case is determined by seed and number: `--first K --cases 1` shows case K. A truth that was not
had is counted, and no value made up for it. Exit status 1 upon a violation, or a gap above the
tolerance.
"""

from __future__ import annotations

import argparse
import math
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Literal

from flint import arb, ctx

import exact
import hockeystick as hs
import questions
from exact.composed import Composition
from random_runs import Question, draw

TOLERANCE = 1e-3
PART = 500  # cases between two looks at the table
DIGITS = (12, 20)  # of the truth: more where an end of the bounds is as near as that
LONGEST = 20.0  # seconds, for the library and for the oracle
Verdict = Literal["enclosed", "violation", "undecided", "no truth", "refused", "too long"]
Asked = Callable[[Question, float], questions.Answer]


def largest(runs: Iterable[Composition], epsilon: float) -> arb:
    """delta(epsilon) of the worst direction; those are left out that are bound to be less."""
    ordered = sorted(runs, key=lambda run: -run.log_delta_above(epsilon))
    worst = ordered[0].delta(epsilon)
    for run in ordered[1:]:
        if not arb(run.log_delta_above(epsilon)).exp() < worst / 2:
            worst = worst.max(run.delta(epsilon))
    return worst


def ends(question: Question, bounds: hs.Bounds, digits: int) -> Verdict:
    """Whether the truth lies between the bounds."""
    runs = question.compositions(digits)
    with ctx.workprec(2200):
        if question.query == "delta":
            truth = exact.clipped(largest(runs, question.at))
            if questions.encloses(bounds, truth):
                return "enclosed"
            outside = truth < bounds.lower or truth > bounds.upper
            return "violation" if outside else "undecided"
        # delta falls with epsilon, strictly where it is above the mass of infinite loss.
        target, verdicts = arb(question.at), []
        if bounds.lower > 0:
            at_lower = largest(runs, bounds.lower)
            verdicts.append((at_lower >= target, at_lower < target))
        if bounds.upper < math.inf:
            at_upper = largest(runs, bounds.upper)
            verdicts.append((at_upper <= target, at_upper > target))
        if any(wrong for _, wrong in verdicts):
            return "violation"
        return "enclosed" if all(right for right, _ in verdicts) else "undecided"


def judged(question: Question, bounds: hs.Bounds) -> Verdict:
    """The same, at more digits until it is certain that the truth is enclosed."""
    verdict: Verdict = "no truth"
    for digits in DIGITS:
        try:
            verdict = ends(question, bounds, digits)
        except ArithmeticError:  # NotConvergedError above all
            return verdict
        if verdict == "enclosed":
            break
    return verdict


def gap(bounds: hs.Bounds) -> float:
    """Relative, as `questions.is_tight` has it."""
    if bounds.upper <= questions.SMALLEST or bounds.lower == bounds.upper:
        return 0.0
    return (bounds.upper - bounds.lower) / bounds.upper if bounds.upper < math.inf else math.inf


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case; certified if the library said that it meets its tolerance."""

    number: int
    question: Question
    verdict: Verdict
    bounds: hs.Bounds | None
    certified: bool
    seconds: float

    @property
    def gap(self) -> float:
        """Relative width of the bounds."""
        return gap(self.bounds) if self.bounds else 0.0

    @property
    def failed(self) -> bool:
        """Whether the library broke its word."""
        wide = self.certified and self.gap > TOLERANCE
        return self.verdict in ("violation", "refused") or wide

    def __str__(self) -> str:
        return f"case {self.number}: {self.question} -> {self.bounds}, {self.verdict}"


def asked(question: Question, tolerance: float) -> questions.Answer:
    """The library's answer."""
    return question.answer(tolerance)


@contextmanager
def limited(seconds: float = LONGEST) -> Iterator[None]:
    """End what takes that long, of CPU, by a TimeoutError, where the platform has such signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_number: int, _frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run_case(number: int, seed: int, ask: Asked = asked) -> Outcome:
    """Draw a question, ask it, and judge the answer."""
    question = draw(random.Random(f"{seed} {number}"))
    start, answer, verdict = time.perf_counter(), None, "no truth"
    try:
        with limited():
            answer = ask(question, TOLERANCE)
        with limited():
            verdict = judged(question, answer.bounds)
    except ValueError:
        verdict = "refused"
    except TimeoutError:
        verdict = "no truth" if answer else "too long"
    bounds, certified = (answer.bounds, answer.certified) if answer else (None, False)
    return Outcome(number, question, verdict, bounds, certified, time.perf_counter() - start)


def run_cases(
    numbers: Iterable[int], seed: int, processes: int, ask: Asked = asked
) -> Iterator[Outcome]:
    """The outcomes, in the order of the numbers."""
    work = partial(run_case, seed=seed, ask=ask)
    if processes == 1:
        yield from map(work, numbers)
        return
    with ProcessPoolExecutor(processes) as pool:
        yield from pool.map(work, numbers, chunksize=4)


class Report:
    """What came of many cases."""

    def __init__(self) -> None:
        self.count = 0
        self.failures: list[Outcome] = []
        self.seconds = 0.0
        self._by_name: dict[str, Counter[str]] = defaultdict(Counter)
        self._worst: dict[str, Outcome] = {}

    def add(self, outcome: Outcome) -> None:
        """Count a case, once for each of its mechanisms."""
        self.count += 1
        self.seconds += outcome.seconds
        self.failures += [outcome] * outcome.failed
        if outcome.failed or outcome.verdict == "too long":
            print(f"{'FAILED ' * outcome.failed}{outcome}", flush=True)  # noqa: T201
        for name in {"all", *(term.name for term in outcome.question.terms)}:
            tally = self._by_name[name]
            tally.update(["cases", outcome.verdict])
            tally.update(["failed"] * outcome.failed + ["declined"] * (not outcome.certified))
            if outcome.certified:
                self._worst[name] = max(self._worst.get(name, outcome), outcome, key=_gap)

    def lines(self) -> Iterator[str]:
        """The table, and the worst case of all."""
        columns = ("cases", "failed", "enclosed", "undecided", "no truth", "too long", "declined")
        yield f"{'mechanism':26}" + "".join(f"{c:>10}" for c in columns) + "  worst gap, case"
        for name, tally in sorted(self._by_name.items(), key=lambda row: row[0] == "all"):
            worst = self._worst.get(name)
            numbers = "".join(f"{tally[c]:10}" for c in columns)
            yield f"{name:26}{numbers}" + (f"   {worst.gap:.2e}, {worst.number}" if worst else "")
        yield f"{self.count} cases, {self.seconds:.0f} s of the library and of the oracles"
        if "all" in self._worst:
            yield f"the worst: {self._worst['all']}"


def _gap(outcome: Outcome) -> float:
    return outcome.gap


def main() -> int:
    """Run the cases, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    report, start = Report(), time.perf_counter()
    numbers = range(options.first, options.first + options.cases)
    for outcome in run_cases(numbers, options.seed, options.processes):
        report.add(outcome)
        if options.cases == 1:
            print(outcome)  # noqa: T201
        elif report.count % PART == 0:
            print("\n".join(report.lines()), flush=True)  # noqa: T201
    print("\n".join(report.lines()))  # noqa: T201
    print(f"{time.perf_counter() - start:.0f} s in all, seed {options.seed}")  # noqa: T201
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())

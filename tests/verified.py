# SPDX-License-Identifier: Apache-2.0
"""Hostile random questions, and every answer held against `hockeystick.verify`.

python tests/verified.py [--comparisons 100000] [--seed 1] [--processes 2] [--first 0]

A case is a run, an adjacency and a point, determined by seed and number: `--first K --cases 1`
shows case K. Its truth is computed once, in ball arithmetic, and several answers are compared with
it: at loose and tight tolerances, with little memory, and explicit distributions of both sides.
Answers that are declined carry bounds, which are compared too. Where only what is attained and what
is proved are known, bounds below the one or above the other are violations. Exit status 1 upon one.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from flint import arb, ctx

import hockeystick as hs
from differential import limited
from hockeystick.verify.answer import answer
from hostile_runs import FAMILIES
from random_runs import log_normal, power

DIGITS = (12, 35)  # of the truth: more where an end of the bounds is as near as that
MOST_EPSILON = 1e4
LONGEST = 6.0  # seconds of a case
ANSWERS, GRIDS = 8, 5  # of a case, at most


def known_form(run: hs.Composition) -> hs.Composition:
    """The same law for the oracle, which does not read functions."""
    ((mechanism, count),) = run.terms if len(run.terms) == 1 else ((None, 0),)
    if not isinstance(mechanism, hs.AdditiveNoise):
        return run
    noise = 1 / mechanism.sensitivity
    normal = mechanism.log_density is log_normal
    return count * (hs.Gaussian if normal else hs.Laplace)(noise_multiplier=noise)


def _probability(rng: random.Random) -> float:
    if rng.random() < 0.2:
        return rng.uniform(0.01, 0.9)
    return power(rng, -rng.choice((3, 12, 40, 299)), 0) * 0.9


def _largest_loss(run: hs.Composition, adjacency: hs.Adjacency) -> float:
    """About the sum of the largest losses, where it is finite: epsilon at a tiny delta."""
    try:
        return run.epsilon_bounds(1e-305, adjacency=adjacency, tolerance=0.5).upper
    except hs.CertificationError as error:
        return error.bounds.upper


def _epsilon(rng: random.Random, run: hs.Composition, adjacency: hs.Adjacency) -> float:
    """In the bulk, out in the tail, at 0, and close to either side of the largest loss."""
    if rng.random() < 0.1:
        return rng.choice((0.0, power(rng, -12, 0)))
    if rng.random() < 0.3:
        largest = _largest_loss(run, adjacency)
        near = 1 + rng.choice((0, 1, -1)) * power(rng, -16, -1)
        if 0 < largest < MOST_EPSILON:
            return min(largest * near, MOST_EPSILON)
    try:
        found = run.epsilon_bounds(_probability(rng), adjacency=adjacency, tolerance=0.3)
    except hs.CertificationError as error:
        found = error.bounds
    around = found.upper if found.upper < math.inf else found.lower
    return min(around * rng.uniform(0.3, 1.5), MOST_EPSILON) if around < math.inf else 1.0


def _small_rate(rng: random.Random, run: hs.Composition, adjacency: hs.Adjacency) -> float:
    """A false positive rate: anywhere, or near e^-(largest loss), where the rates turn."""
    if rng.random() < 0.5:
        largest = _largest_loss(run, adjacency)
        if largest < 690:
            return min(math.exp(-largest) * 10 ** rng.uniform(-3, 3), 0.9)
    return _probability(rng)


@dataclass
class Case:
    """What came of one truth and the answers that were held against it."""

    number: int
    family: str
    run: hs.Composition
    adjacency: hs.Adjacency
    query: str
    at: float
    tally: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def judge(self, verdict: bool | None, what: object) -> None:  # noqa: FBT001
        """Count one comparison."""
        self.tally["comparisons"] += 1
        self.tally[{True: "enclosed", False: "violations", None: "undecided"}[verdict]] += 1
        if verdict is False:
            self.wrong.append(f"{self} -> {what}")

    def __str__(self) -> str:
        return f"case {self.number}: {self.query} {self.at!r}, {self.adjacency.value}: {self.run!r}"


ESTIMATES = (
    ("upper", "connect_dots"),
    ("lower", "connect_dots"),
    ("upper", "privacy_buckets"),
    ("lower", "privacy_buckets"),
    ("lower", "algorithm_2"),
)
QUERIES = {  # verify's name of the argument, of the query in the API
    "epsilon": hs.Composition.delta_bounds,
    "delta": hs.Composition.epsilon_bounds,
    "false_positive_rate": hs.Composition.true_positive_rate_bounds,
    "prior": hs.Composition.bayes_risk_bounds,
    "order": hs.Composition.renyi_divergence_bounds,
}


def draw(rng: random.Random, number: int) -> Case:
    """A random case."""
    names = list(FAMILIES)
    family = rng.choices(names, [FAMILIES[name][1] for name in names])[0]
    run, adjacencies = FAMILIES[family][0](rng)
    adjacency = rng.choice(adjacencies)
    query = rng.choices(list(QUERIES), (5, 4, 4, 1, 1))[0]
    if query == "epsilon":
        at = _epsilon(rng, run, adjacency)
    elif query == "delta":
        at = _probability(rng)
    elif query == "false_positive_rate":
        at = _small_rate(rng, run, adjacency)
    elif query == "prior":
        at = min(max(_probability(rng), 1e-300), 0.99)
    else:
        at = 1 + power(rng, -2, 1.3)
    return Case(number, family, run, adjacency, query, at)


def answers(case: Case, rng: random.Random) -> Iterator[tuple[hs.Bounds[float], bool, object]]:
    """Bounds, whether they were certified to the tolerance, and what was asked."""
    for _ in range(ANSWERS):
        limits: dict[str, Any] = {
            "tolerance": rng.choice((0.5, 1e-3, 1e-3, power(rng, -9, -0.1))),
            "memory_limit": rng.choice((1 << 26, 1 << 26, 1 << 22)),
        }
        try:
            found = QUERIES[case.query](case.run, case.at, adjacency=case.adjacency, **limits)
            yield found, True, (limits, found)
        except hs.CertificationError as error:
            yield error.bounds, False, (limits, error.bounds, str(error))


def one_sided(case: Case, rng: random.Random) -> Iterator[tuple[hs.Bounds[float], object]]:
    """What explicit distributions say, as intervals that are trivial on one side."""
    if case.query not in ("epsilon", "false_positive_rate"):
        return
    for _ in range(GRIDS):
        side, estimator = rng.choice(ESTIMATES)
        grid: dict[str, Any] = {
            "discretization_interval": power(rng, -3, 0.5),
            "side": side,
            "estimator": estimator,
            "memory_limit": 1 << 26,
        }
        try:
            law = case.run.pld(adjacency=case.adjacency, **grid)
        except ValueError:
            continue  # too large a grid
        value = law.delta(case.at) if case.query == "epsilon" else law.true_positive_rate(case.at)
        ends = (0.0, value) if side == "upper" else (value, 1.0)
        yield hs.Bounds(*ends), (grid, value)


Truths = dict[tuple[float, int], arb]


def judged(case: Case, bounds: hs.Bounds[float], truths: Truths) -> bool | None:
    """Whether the truth is within the bounds, at more digits until that is certain."""
    verdict = None
    for digits in DIGITS:
        verdict = _judged(case, bounds, truths, digits)
        if verdict is not None:
            break
    return verdict


def _judged(case: Case, bounds: hs.Bounds[float], truths: Truths, digits: int) -> bool | None:
    """An epsilon is judged by the deltas at its ends."""
    rounded = 1e-9 if case.family.endswith("noise") and case.family != "Laplace" else 0.0
    if case.query != "delta":
        trivial = math.inf if case.query == "order" else 1.0
        return _within(bounds, _truth(case, case.query, case.at, truths, digits), rounded, trivial)
    verdicts: list[bool | None] = []
    target = arb(case.at)
    for end, above in ((bounds.lower, True), (bounds.upper, False)):
        if (end <= 0 and above) or (end == math.inf and not above):
            verdicts.append(True)
        elif end == math.inf or end > MOST_EPSILON:
            verdicts.append(None)
        else:
            ball = _truth(case, "epsilon", end, truths, digits)
            slack = arb(1 + 1e-6) if rounded else arb(1)
            right = ball * slack >= target if above else ball <= target * slack
            wrong = ball * slack < target if above else ball > target * slack
            verdicts.append(True if right else False if wrong else None)
    return False if False in verdicts else None if None in verdicts else True


def _within(bounds: hs.Bounds[float], ball: arb, rounded: float, trivial: float) -> bool | None:
    if not ball.is_finite():
        return bounds.upper == math.inf if ball == arb("inf") else None
    with ctx.workprec(2400):
        slack = arb(rounded) * abs(ball)
        lower, upper = arb(bounds.lower) - slack, arb(bounds.upper) + slack
        below = bounds.lower <= 0 or ball >= lower
        if below and (bounds.upper >= trivial or ball <= upper):
            return True
        return False if ball < lower or ball > upper else None


class NoTruthError(Exception):
    """The oracle has none, or not within its time."""


def _truth(case: Case, query: str, at: float, truths: Truths, digits: int) -> arb:
    if (at, digits) not in truths:
        found = answer(known_form(case.run), query, at, case.adjacency, digits, fast=False)
        if not found.known and not found.method:
            raise NoTruthError(found.reason)
        with ctx.workprec(2400):
            if not found.known:  # between what is attained and what is proved
                ball = arb(found.lower).union(arb(found.upper))
            else:
                ball = arb(found.middle, found.radius) if found.radius != "inf" else arb("inf")
        truths[at, digits] = ball
    return truths[at, digits]


def run_case(number: int, seed: int) -> Case:
    """Draw a case, ask, and judge the answers."""
    start = time.perf_counter()
    rng = random.Random(f"verified {seed} {number}")
    case = draw(rng, number)
    truths: Truths = {}
    try:
        with limited(LONGEST):
            for bounds, certified, what in answers(case, rng):
                case.tally["declined"] += not certified
                if not bounds.lower <= bounds.upper:
                    case.judge(False, what)
                else:
                    case.judge(judged(case, bounds, truths), what)
            for bounds, what in one_sided(case, rng):
                case.judge(judged(case, bounds, truths), what)
    except NoTruthError:
        case.tally["no truth"] += 1
    except TimeoutError:
        case.tally["too long"] += 1
    except ValueError as error:
        case.tally["refused"] += 1
        case.wrong.append(f"{case}: refused, {error}")
    case.seconds = time.perf_counter() - start
    return case


COLUMNS = (
    "comparisons",
    "enclosed",
    "undecided",
    "violations",
    "declined",
    "no truth",
    "too long",
    "refused",
)


def report(cases: int, tallies: dict[str, Counter[str]], seed: int, seconds: float) -> str:
    """The table so far."""
    lines = [f"{'family':22}" + "".join(f"{column:>12}" for column in COLUMNS)]
    for name, tally in sorted(tallies.items(), key=lambda row: row[0] == "all"):
        lines.append(f"{name:22}" + "".join(f"{tally[column]:12}" for column in COLUMNS))
    lines.append(f"{cases} cases of seed {seed}, {seconds:.0f} s")
    return "\n".join(lines)


def cases(first: int, number: int, seed: int, processes: int) -> Iterator[Case]:
    """In the order of their numbers; without end if `number` is 0."""
    work, at = partial(run_case, seed=seed), first
    if processes == 1:
        while not number or at < first + number:
            yield work(at)
            at += 1
        return
    with ProcessPoolExecutor(processes) as pool:
        while not number or at < first + number:
            part = min(200, number - (at - first)) if number else 200
            yield from pool.map(work, range(at, at + part), chunksize=4)
            at += part


def main() -> int:
    """Run until there are as many comparisons as asked for, and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comparisons", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=0, help="0: as many as it takes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    tallies: dict[str, Counter[str]] = defaultdict(Counter)
    start, done, wrong = time.perf_counter(), 0, 0
    for case in cases(options.first, options.cases, options.seed, options.processes):
        done += 1
        wrong += len(case.wrong)
        for line in case.wrong:
            print("WRONG", line, flush=True)  # noqa: T201
        for name in (case.family, "all"):
            tallies[name].update(case.tally)
        if options.cases == 1:
            print(case, dict(case.tally))  # noqa: T201
        if done % 1000 == 0:
            print(report(done, tallies, options.seed, time.perf_counter() - start), flush=True)  # noqa: T201
        if tallies["all"]["comparisons"] >= options.comparisons:
            break
    print(report(done, tallies, options.seed, time.perf_counter() - start))  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Hostile random questions, and every answer held against `hockeystick.verify`.

python tests/verified.py [--comparisons 100000] [--seed 1] [--processes 2] [--first 0]

A case is a run, an adjacency and some points, determined by seed and number: `--first K --cases 1`
shows case K. Their truths are computed once, in ball arithmetic, from curves that are kept, and
several answers are compared with them: at loose and tight tolerances, with little memory, and
explicit distributions of both sides.
Answers that are declined carry bounds, which are compared too. Where only what is attained and what
is proved are known, bounds below the one or above the other are violations. Exit status 1 upon one.
The last line is JSON: cases from a `--first` on may run elsewhere, and their counts are added up.
"""

import argparse
import json
import math
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from flint import arb, ctx

import hockeystick as hs
from exact.release import power
from hockeystick.disjoint import AnyRun
from hockeystick.verify.answer import Kept
from hockeystick.verify.balls import ZERO
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.work import bounded
from hostile_runs import FAMILIES
from questions import told
from random_runs import known_form

DIGITS = (10, 30)  # of the truth: more where an end of the bounds is as near as that
MOST_EPSILON = 1e4
FIRST, LONGEST = 1.0, 2.0  # CPU seconds of the first truth, of all else; what was judged counts
SLOW = {"allocations": 4.0}  # the first truth of a family whose contours take long
MOST_WORK = 1e6  # of a truth, in verify's units: about a second
ANSWERS, GRIDS = 5, 4  # of a case, at most
NEARBY, ORDERS = range(7), 2  # points beside the first; of Renyi orders, each an integral
ZEROS = 0.05  # of the questions for epsilon: delta is 0


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """End what takes that long, of CPU, by a TimeoutError, where the platform has such signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(_number: int, _frame: object) -> None:
        raise TimeoutError

    def report(lost: "sys.UnraisableHookArgs") -> None:
        if lost.exc_type is not TimeoutError:
            hook(lost)

    before, hook = signal.signal(signal.SIGPROF, end), sys.unraisablehook
    sys.unraisablehook = report  # one of Arb's callbacks may lose a signal, which comes again
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        sys.unraisablehook = hook


def _probability(rng: random.Random) -> float:
    if rng.random() < 0.2:
        return rng.uniform(0.01, 0.9)
    return power(rng, -rng.choice((3, 12, 40, 299)), 0) * 0.9


def _largest_loss(run: AnyRun, adjacency: hs.Adjacency) -> float:
    """The sum of the largest losses, where it is finite."""
    return told(run.epsilon_bounds, 0.0, adjacency=adjacency, tolerance=0.5).upper


def _epsilon(rng: random.Random, run: AnyRun, adjacency: hs.Adjacency) -> float:
    """In the bulk, out in the tail, at 0, and close to either side of the largest loss."""
    if rng.random() < 0.1:
        return rng.choice((0.0, power(rng, -12, 0)))
    if rng.random() < 0.3:
        largest = _largest_loss(run, adjacency)
        near = 1 + rng.choice((0, 1, -1)) * power(rng, -16, -1)
        if 0 < largest < MOST_EPSILON:
            return min(largest * near, MOST_EPSILON)
    limits: dict[str, Any] = {"adjacency": adjacency, "tolerance": 0.3, "memory_limit": 1 << 22}
    found = told(run.epsilon_bounds, _probability(rng), **limits)
    around = found.upper if found.upper < math.inf else found.lower
    return min(around * rng.uniform(0.3, 1.5), MOST_EPSILON) if around < math.inf else 1.0


def _small_rate(rng: random.Random, run: AnyRun, adjacency: hs.Adjacency) -> float:
    """A false positive rate: anywhere, or near e^-(largest loss), where the rates turn."""
    if rng.random() < 0.5:
        largest = _largest_loss(run, adjacency)
        if largest < 690:
            return min(math.exp(-largest) * 10 ** rng.uniform(-3, 3), 0.9)
    return _probability(rng)


@dataclass
class Case:
    """What came of one run and the answers that were held against its truths."""

    number: int
    family: str
    run: AnyRun
    adjacency: hs.Adjacency
    query: str
    points: list[float]
    tally: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def judge(self, verdict: bool | None, at: float, what: object) -> None:  # noqa: FBT001
        """Count one comparison."""
        self.tally["comparisons"] += 1
        self.tally[{True: "enclosed", False: "violations", None: "undecided"}[verdict]] += 1
        if verdict is False:
            self.wrong.append(f"{self} at {at!r} -> {what}")

    def __str__(self) -> str:
        return f"case {self.number}: {self.query}, {self.adjacency.value}: {self.run!r}"


ESTIMATES = (
    ("upper", "connect_dots"),
    ("lower", "connect_dots"),
    ("upper", "privacy_buckets"),
    ("lower", "privacy_buckets"),
    ("lower", "algorithm_2"),
)
QUERIES = {  # verify's name of the argument, the query's in the API
    "epsilon": "delta_bounds",
    "delta": "epsilon_bounds",
    "false_positive_rate": "true_positive_rate_bounds",
    "prior": "bayes_risk_bounds",
    "order": "renyi_divergence_bounds",
    "loss": "probabilistic_delta_bounds",  # which verify's deltas bound by chords
}
CHORDS = (1e-3, 0.03, 0.3)  # their lengths, relative to 1 + epsilon


def draw(rng: random.Random, number: int) -> Case:
    """A random case: a point, and others that are near it, or next to it."""
    names = list(FAMILIES)
    family = rng.choices(names, [FAMILIES[name][1] for name in names])[0]
    run, adjacencies = FAMILIES[family][0](rng)
    adjacency = rng.choice(adjacencies)
    query = rng.choices(list(QUERIES), (5, 4, 4, 1, 1, 1))[0]
    least = 0.0
    near = [1.0] + [rng.choice((rng.uniform(0.7, 1.2), 1 + power(rng, -15, -2))) for _ in NEARBY]
    if query in ("epsilon", "loss"):
        at, most = _epsilon(rng, run, adjacency), MOST_EPSILON
    elif query == "delta":
        at, most = _probability(rng), 1 - 2.0**-53
        if rng.random() < ZEROS:
            at, near = 0.0, near[:1]
    elif query == "false_positive_rate":
        at, most = _small_rate(rng, run, adjacency), 1.0
    elif query == "prior":
        at, most = min(max(_probability(rng), 1e-300), 0.99), 1 - 2.0**-53
    else:
        at, least, most, near = 1 + power(rng, -2, 2.6), 1.0, 1e4, near[:ORDERS]
    beside = at or power(rng, -12, 0)
    points = sorted({at, *(max(min(beside * factor, most), least) for factor in near[1:])})
    return Case(number, family, run, adjacency, query, points)


def answers(case: Case, rng: random.Random) -> Iterator[tuple[list[hs.Bounds[float]], object]]:
    """Bounds at all points, and what was asked."""
    for _ in range(ANSWERS):
        limits: dict[str, Any] = {
            "tolerance": rng.choice((0.5, 1e-3, 1e-3, power(rng, -9, -0.1))),
            "memory_limit": rng.choice((1 << 26, 1 << 24, 1 << 22)),
        }
        ask = getattr(case.run, QUERIES[case.query])
        try:
            found = ask(case.points, adjacency=case.adjacency, **limits)
        except hs.CertificationError as error:
            case.tally["declined"] += 1
            found = error.bounds
        both = np.broadcast_arrays(found.lower, found.upper, case.points)
        yield (
            [hs.Bounds(float(low), float(high)) for low, high, _ in zip(*both, strict=True)],
            limits,
        )


def one_sided(case: Case, rng: random.Random) -> Iterator[tuple[list[hs.Bounds[float]], object]]:
    """What explicit distributions say, as intervals that are trivial on one side."""
    if case.query not in ("epsilon", "false_positive_rate") or isinstance(
        case.run, hs.DisjointParts
    ):
        return
    for _ in range(GRIDS):
        side, estimator = rng.choice(ESTIMATES)
        grid: dict[str, Any] = {
            "discretization_interval": power(rng, -3, 0.5),
            "side": side,
            "estimator": estimator,
            "memory_limit": 1 << 24,
        }
        try:
            law = case.run.pld(adjacency=case.adjacency, **grid)
        except ValueError:
            continue  # too large a grid
        ask = law.delta if case.query == "epsilon" else law.true_positive_rate
        values = [float(ask(at)) for at in case.points]
        upper = side == "upper"
        yield [hs.Bounds(0.0, v) if upper else hs.Bounds(v, 1.0) for v in values], grid


class Truths:
    """The truths of a case: each is computed once, and its curves are kept for all points."""

    def __init__(self, case: Case) -> None:
        self._kept = Kept(known_form(case.run)._alternatives, case.adjacency)
        self._known: dict[tuple[float, int], tuple[arb, arb]] = {}
        self._query: str = case.query
        self._one_way = len(case.adjacency.directions) == 1
        noise = case.family.endswith("noise") and case.family != "Laplace"
        self._slack: tuple[float, float] = (0.0, 0.0)
        if noise:  # functions in doubles; an epsilon moves by a rounding of delta over the slope
            self._slack = (1e-6, 1e-6) if case.query == "delta" else (1e-9, 0.0)
        self._trivial: float = math.inf if case.query in ("delta", "order") else 1.0

    def at(self, point: float, digits: int) -> tuple[arb, arb]:
        """What is attained and what is proved, ascending; the same ball twice without a gap."""
        if (point, digits) not in self._known:
            with bounded(MOST_WORK):
                self._known[point, digits] = (
                    self._tail(point, digits)
                    if self._query == "loss"
                    else self._kept.ball(self._query, point, digits).ends
                )
        return self._known[point, digits]

    def _tail(self, point: float, digits: int) -> tuple[arb, arb]:
        """What chords leave of P(L > point); of two directions the other may have the delta."""
        least, _ = self._kept.ball("epsilon", point, digits).ends
        low, high = least, arb(1)
        for length in CHORDS:
            away = length * (1 + point)
            for other in (point - away, point + away):
                if not 0 <= other <= MOST_EPSILON:
                    continue
                ends = self._kept.ball("epsilon", other, digits).ends
                part = (-abs(arb(other) - arb(point))).exp()
                if other > point:
                    low = low.max((least - part * ends[1]) / (1 - part))
                else:
                    rest = part * least if self._one_way else ZERO
                    high = high.min((ends[1] - rest) / (1 - part))
        return low, high

    def judged(self, bounds: hs.Bounds[float], point: float) -> bool | None:
        """Whether the truth is within the bounds, at more digits until that is certain."""
        for digits in DIGITS:
            low, high = self.at(point, digits)
            with ctx.workprec(2400):
                verdict, close = self._within(bounds, low, high)
            if verdict is not None or not close:
                return verdict
        return None

    def _within(self, bounds: hs.Bounds[float], low: arb, high: arb) -> tuple[bool | None, bool]:
        """The verdict, and whether more digits might bring one: where a ball holds an end."""
        slack = self._slack[0] * abs(high) + self._slack[1] if high.is_finite() else ZERO
        lower, upper = arb(bounds.lower) - slack, arb(bounds.upper) + slack
        if high < lower or low > upper:
            return False, False
        at_least = bounds.lower <= 0 or low >= lower
        at_most = bounds.upper >= self._trivial or high <= upper
        close = any(ball.overlaps(end) for ball in (low, high) for end in (lower, upper))
        return (True, False) if at_least and at_most else (None, close)


def run_case(number: int, seed: int) -> Case:
    """Draw a case, ask, and judge the answers; no answer is asked for where there is no truth."""
    start = time.perf_counter()
    rng = random.Random(f"verified {seed} {number}")
    case = draw(rng, number)
    try:
        with limited(SLOW.get(case.family, FIRST)):
            truths = Truths(case)
            truths.at(case.points[0], DIGITS[0])
        with limited(LONGEST):
            for found, what in chain(answers(case, rng), one_sided(case, rng)):
                for bounds, at in zip(found, case.points, strict=True):
                    ordered = bounds.lower <= bounds.upper
                    case.judge(truths.judged(bounds, at) if ordered else False, at, (what, bounds))
    except NotKnownError:
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
    total = {"seed": options.seed, "first": options.first, "cases": done, **tallies["all"]}
    print(json.dumps(total))  # noqa: T201, lines of several ranges of cases are added up
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

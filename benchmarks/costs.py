# SPDX-License-Identifier: Apache-2.0
"""The planner's cost model against the clock: random questions, by each way they can be answered.

python benchmarks/costs.py [--questions 200] [--seed 1]

Prints, for each way, quartiles of time over forecast cost, and how often the cheaper way was
taken where both do. `cpp/plan/cost.hpp` holds the units.
"""

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from statistics import quantiles

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction
from report import machine

ROUNDS = 3
MEMORY = 1 << 30
LAPLACE = 0.2  # of the mechanisms
FEW = 1.5  # times the last pass that all may cost

Terms = list[tuple[_core.DominatingPair, int]]


def question(rng: random.Random) -> tuple[Terms, float, float]:
    """A few mechanisms and their counts, a delta and a tolerance."""
    terms = []
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        kind = hs.Laplace if rng.random() < LAPLACE else hs.Gaussian
        noise, probability = 10 ** rng.uniform(-0.3, 1), 10 ** rng.uniform(-3, -0.5)
        step = kind(noise_multiplier=noise).poisson_sampled(probability)
        terms.append((step.dominating_pair(Direction.REMOVE), int(10 ** rng.uniform(0.3, 5))))
    return terms, 10 ** rng.uniform(-12, -2), 10 ** rng.uniform(-5, -2)


def timed(terms: Terms, delta: float, tolerance: float, method: str) -> tuple[float, _core.Answer]:
    """The shortest of a few times [ns], and the answer."""
    ask = partial(_core.epsilon_bounds, [terms], [delta], tolerance=tolerance, memory_limit=MEMORY)
    shortest = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        (answer,) = ask(method=method)
        shortest = min(shortest, time.perf_counter_ns() - start)
    return shortest, answer


def row(name: str, ratios: Sequence[float]) -> str:
    """A line of the table."""
    quartiles = quantiles(ratios, n=4) if len(ratios) > 1 else []
    return " | ".join([f"| {name} | {len(ratios)}", *(f"{x:.2f}" for x in quartiles)]) + " |"


def main() -> None:
    """Asks and prints."""
    parser = argparse.ArgumentParser(description="The planner's cost model against the clock.")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)  # noqa: S311, no secret
    ratios: dict[str, list[float]] = defaultdict(list)
    excess: list[float] = []
    passes: list[float] = []
    for _ in range(arguments.questions):
        terms, delta, tolerance = question(rng)
        times = {}
        for method in ("", "fft_composition"):
            times[method], answer = timed(terms, delta, tolerance, method)
            if answer.converged and answer.total_cost > 0:
                ratios[answer.method].append(times[method] / answer.total_cost)
                passes.append(answer.total_cost / answer.cost)
        excess.append(times[""] / min(times.values()))
    print(machine())
    print("| time over forecast cost | questions | quartile | median | quartile |")
    print("| --- | --- | --- | --- | --- |")
    for method, of_method in sorted(ratios.items()):
        print(row(method, of_method))
    print(row("all passes over the last", passes))
    print(row("the way taken over the faster one", excess))
    print(f"more than {FEW} times the last pass: {sum(x > FEW for x in passes)} of {len(passes)}")


if __name__ == "__main__":
    main()

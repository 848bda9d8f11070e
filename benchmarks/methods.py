# SPDX-License-Identifier: Apache-2.0
"""What each method of the engine decides, over random questions of practice and hostile ones.

python benchmarks/methods.py [--questions 1000] [--hostile 500] [--seed 1]

Prints, for each method, its share of the answers that it gave last, and its times. "declined" are
answers wider than asked, whatever method came last; "trivial bounds" need nothing composed. Of
composed directions the worse one's method is named.
"""

import argparse
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import hockeystick as hs
from hockeystick import _core
from report import machine

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import random_runs
import verified

TOLERANCE = 1e-3
MEMORY, LITTLE_MEMORY = 1 << 28, 1 << 26  # bytes, for questions of practice and for hostile ones

Question = tuple[hs.Composition, hs.Adjacency, str, float]


def power(rng: random.Random, low: float, high: float) -> float:
    """Of 10, log-uniform."""
    return 10 ** rng.uniform(low, high)


def _mixture(rng: random.Random) -> hs.Mechanism:
    weights = [rng.random() + 0.01 for _ in range(rng.randint(1, 4))]
    return hs.GaussianMixture(
        standard_deviation=power(rng, -0.5, 2),
        sensitivities=[rng.uniform(0, 1) for _ in weights],
        probabilities=[w / sum(weights) for w in weights],
    )


def _response(rng: random.Random) -> hs.Mechanism:
    noise, buckets = power(rng, -3, -0.1), rng.randint(2, 100)
    return hs.RandomizedResponse(noise_parameter=noise, num_buckets=buckets)


def _sampled(make: Callable[[float], Any]) -> Callable[[random.Random], hs.Mechanism]:
    return lambda rng: make(power(rng, -0.52, 2)).poisson_sampled(power(rng, -6, 0))


def _gaussian(noise: float) -> Any:
    return hs.Gaussian(noise_multiplier=noise)


def _laplace(noise: float) -> Any:
    return hs.Laplace(noise_multiplier=noise)


PRACTICE: dict[str, tuple[Callable[[random.Random], hs.Mechanism], int]] = {
    "sampled Gaussian": (_sampled(_gaussian), 8),
    "Gaussian": (lambda rng: _gaussian(power(rng, -0.52, 2)), 3),
    "Laplace": (lambda rng: _laplace(power(rng, -0.52, 2)), 2),
    "sampled Laplace": (_sampled(_laplace), 2),
    "discrete Gaussian": (lambda rng: hs.DiscreteGaussian(sigma=power(rng, -0.52, 1.5)), 2),
    "discrete Laplace": (lambda rng: hs.DiscreteLaplace(parameter=power(rng, -2, 0.52)), 2),
    "randomized response": (_response, 1),
    "exponential": (lambda rng: hs.ExponentialMechanism(epsilon=power(rng, -2, 0.5)), 1),
    "mixture": (_mixture, 1),
}
REPLACED = ("randomized response", "Gaussian")


def of_practice(rng: random.Random) -> Question:
    """Noise 0.3 to 100, rate 1e-6 to 1, 1 to 1e7 steps, delta 1e-12 to 1e-3."""
    weights = [weight for _, weight in PRACTICE.values()]
    names = rng.choices(list(PRACTICE), weights, k=rng.choice((1, 1, 1, 2, 3)))
    replaced = "randomized response" in names  # which knows no other adjacency
    names = [name for name in names if not replaced or name in REPLACED]
    terms = [round(power(rng, 0, 7)) * PRACTICE[name][0](rng) for name in names]
    run = sum(terms, hs.Composition())
    adjacency = hs.Adjacency.REPLACE_ONE if replaced else hs.Adjacency.ADD_OR_REMOVE_ONE
    delta = power(rng, -12, -3)
    if rng.choice((True, False)):
        return run, adjacency, "epsilon", delta
    try:
        near = run.epsilon_bounds(delta, adjacency=adjacency, tolerance=0.3, memory_limit=MEMORY)
    except hs.CertificationError as error:
        near = error.bounds
    return run, adjacency, "delta", min(near.upper, 1e6)


def hostile(rng: random.Random) -> Iterator[Question]:
    """Of the two generators of the tests: three of `verified` for one of `random_runs`."""
    other = {"epsilon": "delta", "delta": "epsilon"}  # what is asked, by the name of its argument
    while True:
        case = verified.draw(rng, 0)
        if case.query in other:
            yield case.run, case.adjacency, other[case.query], case.at
        if rng.choice((True, False, False)):
            drawn = random_runs.draw(rng)
            run = sum((t.count * random_runs.mechanism(t) for t in drawn.terms), hs.Composition())
            yield run, drawn.adjacency, drawn.query, drawn.at


def asked(question: Question, memory: int) -> tuple[_core.Answer, float]:
    """The answer, and its time [s] without what earlier questions left."""
    run, adjacency, query, at = question
    ask = _core.epsilon_bounds if query == "epsilon" else _core.delta_bounds
    directions = run._directions(adjacency)  # noqa: SLF001
    start = time.perf_counter()
    (answer,) = ask(directions, [at], tolerance=TOLERANCE, memory_limit=memory)
    return answer, time.perf_counter() - start


def method_of(answer: _core.Answer) -> str:
    """By name; those without one compose nothing."""
    return answer.method or ("single step" if answer.passes else "trivial bounds")


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--hostile", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311, no secret
    print(machine())
    for title, number, memory in (
        ("practice", options.questions, MEMORY),
        ("hostile", options.hostile, LITTLE_MEMORY),
    ):
        drawn = hostile(rng) if title == "hostile" else None
        times: dict[str, list[float]] = defaultdict(list)
        for _ in range(number):
            answer, seconds = asked(next(drawn) if drawn else of_practice(rng), memory)
            times[method_of(answer) if answer.converged else "declined"].append(seconds)
        print(f"\n| {title}: method | share | median ms | 99 % ms | all s |")
        print("| --- | --- | --- | --- | --- |")
        for method, of_method in sorted(times.items(), key=lambda row: -len(row[1])):
            p99 = quantiles(of_method, n=100)[98] if len(of_method) > 1 else of_method[0]
            cells = f"{1e3 * median(of_method):.3g} | {1e3 * p99:.3g} | {sum(of_method):.3g}"
            print(f"| {method} | {len(of_method) / number:.2%} | {cells} |")


if __name__ == "__main__":
    main()

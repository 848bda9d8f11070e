# SPDX-License-Identifier: Apache-2.0
"""How long the rare hard questions take: random ones of practice, mechanism by mechanism.

python benchmarks/tail.py [--mechanism NAME ...] [--questions N] [--seed N] [--slowest N] [--write]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any, NamedTuple

from report import machine
from run import begin, write

GAP = 1e-3
SHOWN = (0.5, 0.99, 1.0)  # quantiles of times


class Asked(NamedTuple):
    """A question, and how the library took it."""

    run: str
    delta: float
    milliseconds: float
    lower: float
    upper: float

    @property
    def declined(self) -> bool:
        """Whether the answer is wider than asked."""
        return self.lower != self.upper and not self.upper * (1 - GAP) <= self.lower


def power(rng: random.Random, low: float, high: float) -> float:
    """A power of ten, of an exponent between these."""
    return 10 ** rng.uniform(low, high)


def noise(rng: random.Random) -> float:
    """From 0.3 to 100."""
    return power(rng, -0.523, 2)


def rate(rng: random.Random) -> float:
    """From a millionth to 1."""
    return power(rng, -6, 0)


def mixture(rng: random.Random) -> Any:
    """Up to four sensitivities and 0."""
    import hockeystick as hs  # noqa: PLC0415

    parts = rng.randint(1, 4)
    share, weights = rate(rng), [rng.random() for _ in range(parts)]
    return hs.GaussianMixture(
        standard_deviation=noise(rng),
        sensitivities=[0.0] + [rng.uniform(0.1, 1) for _ in range(parts)],
        probabilities=[1 - share] + [share * weight / sum(weights) for weight in weights],
    )


def response(rng: random.Random) -> Any:
    """Of up to a thousand values, with an epsilon of 1 / noise."""
    import math  # noqa: PLC0415

    import hockeystick as hs  # noqa: PLC0415

    values = round(power(rng, 0.301, 3))
    truthful = math.expm1(1 / noise(rng))
    return hs.RandomizedResponse(noise_parameter=values / (truthful + values), num_buckets=values)


def truncated(rng: random.Random) -> Any:
    """Batches cut at up to six deviations above their mean."""
    import hockeystick as hs  # noqa: PLC0415

    size, share = round(power(rng, 3, 6)), rate(rng)
    mean = size * share
    batch = max(1, round(mean + rng.uniform(0, 6) * (mean * (1 - share)) ** 0.5))
    return hs.TruncatedPoissonGaussian(
        noise_multiplier=noise(rng),
        sampling_probability=share,
        truncated_batch_size=batch,
        dataset_size=size,
    )


def mechanisms() -> Mapping[str, Callable[[random.Random], Any]]:
    """By name, how a step is drawn."""
    import hockeystick as hs  # noqa: PLC0415

    plain: dict[str, Callable[[random.Random], Any]] = {
        "Gaussian": lambda rng: hs.Gaussian(noise_multiplier=noise(rng)),
        "Laplace": lambda rng: hs.Laplace(noise_multiplier=noise(rng)),
        "discrete Gaussian": lambda rng: hs.DiscreteGaussian(sigma=noise(rng)),
        "discrete Laplace": lambda rng: hs.DiscreteLaplace(parameter=1 / noise(rng)),
        "exponential": lambda rng: hs.ExponentialMechanism(epsilon=1 / noise(rng)),
        "permute-and-flip": lambda rng: hs.PermuteAndFlip(epsilon=1 / noise(rng)),
    }

    def sampled(draw: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
        return lambda rng: draw(rng).poisson_sampled(rate(rng))

    return {
        **plain,
        **{f"{name}, sampled": sampled(draw) for name, draw in plain.items()},
        "randomized response": response,
        "Gaussian mixture": mixture,
        "truncated batches": truncated,
    }


def ask(draw: Callable[[random.Random], Any], rng: random.Random) -> Asked:
    """One random question: time of this process from the parameters to the answer."""
    import hockeystick as hs  # noqa: PLC0415

    step = draw(rng)
    run, delta = round(power(rng, 0, 7)) * step, power(rng, -12, -3)
    replaced = isinstance(step, hs.RandomizedResponse)
    adjacency = hs.Adjacency.REPLACE_ONE if replaced else hs.Adjacency.ADD_OR_REMOVE_ONE
    start = process_time()
    try:
        lower, upper = run.epsilon_bounds(delta, adjacency=adjacency, tolerance=GAP)
    except hs.CertificationError as error:
        lower, upper = error.bounds
    milliseconds = 1e3 * (process_time() - start)
    return Asked(repr(run), delta, milliseconds, lower, upper)


def row(name: str, answers: list[Asked]) -> str:
    """A line of the table."""
    taken = sorted(asked.milliseconds for asked in answers)
    at = [taken[min(len(taken) - 1, int(share * len(taken)))] for share in SHOWN]
    declined = sum(asked.declined for asked in answers)
    return " | ".join([f"| {name}", *(f"{ms:.3g}" for ms in at), f"{declined} |"])


def main() -> None:
    """Ask, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--mechanism", nargs="+", metavar="NAME", help="as in the table")
    parser.add_argument("--questions", type=int, default=2000, help="of each mechanism")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slowest", type=int, default=0, help="questions to print of each")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    options = parser.parse_args()
    begin()
    lines = ["| steps | median ms | 99 % ms | longest ms | declined |"]
    lines.append("| --- | --- | --- | --- | --- |")
    records: dict[str, Any] = {}
    for name, draw in mechanisms().items():
        if options.mechanism and name not in options.mechanism:
            continue
        rng = random.Random(f"{options.seed} {name}")  # noqa: S311, no secret
        answers = [ask(draw, rng) for _ in range(options.questions)]
        lines.append(row(name, answers))
        print(lines[-1], flush=True)
        slowest = sorted(answers, key=lambda asked: -asked.milliseconds)
        shown = [a for a in answers if a.declined] + slowest[: options.slowest]
        for asked in shown if options.slowest else []:
            print("   ", asked, flush=True)
        records[name] = {
            "milliseconds": [round(asked.milliseconds, 4) for asked in answers],
            "declined": [asked._asdict() for asked in answers if asked.declined],
        }
    where = f"{options.questions} questions each, seed {options.seed}; {machine()}"
    text = "\n".join(lines) + f"\n\n{where}\n"
    if options.write:
        write({"tail": text}, {"tail": records}, machine())


if __name__ == "__main__":
    main()

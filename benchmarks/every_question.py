# SPDX-License-Identifier: Apache-2.0
"""Every question about plain random runs: how often it is refused, and how long it takes.

python benchmarks/every_question.py [--family NAME ...] [--question NAME ...] [--runs N] [--seed N]
                                    [--adjacency NAME] [--slowest N] [--write]

A row is a family of runs and a question. A question has several points, such as four deltas; each
run draws one of them. Time is CPU time of this process from a made run to the answer, at defaults,
nothing being kept from earlier questions.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any, NamedTuple

import hockeystick as hs
from report import machine
from run import begin, write

Draw = Callable[[random.Random], Any]
SHOWN = (0.5, 0.99, 1.0)  # quantiles of times


class Asked(NamedTuple):
    """A question, and how the library took it."""

    run: str
    point: str
    milliseconds: float
    refusal: str

    @property
    def refused(self) -> bool:
        """Whether there was no answer as close as asked."""
        return bool(self.refusal)


def count(rng: random.Random, most: float, least: float = 1.0) -> int:
    """A whole number between these, log-uniform."""
    return round(least * (most / least) ** rng.random())


def between(rng: random.Random, low: float, high: float) -> float:
    """A number between these, log-uniform."""
    return low * (high / low) ** rng.random()


def noise(rng: random.Random) -> float:
    """A noise multiplier of practice."""
    return between(rng, 0.5, 8)


def rate(rng: random.Random) -> float:
    """A sampling probability of Laplace and discrete noise."""
    return between(rng, 1e-5, 0.3)


def gaussian(rng: random.Random) -> hs.Gaussian:
    """A plain step."""
    return hs.Gaussian(noise(rng))


def sampled(rng: random.Random) -> Any:
    """A run of DP-SGD."""
    return count(rng, 1e5) * gaussian(rng).poisson_sampled(between(rng, 1e-6, 0.3))


def laplace(rng: random.Random) -> hs.Laplace:
    """A release of a statistic."""
    return hs.Laplace(noise_multiplier=between(rng, 0.5, 100))


def discrete(rng: random.Random) -> hs.DiscreteGaussian:
    """A release of a count."""
    return hs.DiscreteGaussian(sigma=between(rng, 0.5, 100))


def allocated(rng: random.Random) -> Any:
    """Epochs of random allocation."""
    step = hs.Gaussian(between(rng, 0.6, 8))
    return count(rng, 300) * step.random_allocation(steps=count(rng, 1e4, 2))


def sizes(rng: random.Random) -> tuple[int, int]:
    """Of the dataset and of a batch."""
    dataset = count(rng, 1e6, 1e3)
    return dataset, max(1, round(dataset * between(rng, 1e-4, 0.3)))


def fixed(rng: random.Random) -> Any:
    """Batches of fixed size."""
    dataset, batch = sizes(rng)
    step = gaussian(rng).fixed_size_sampled(batch_size=batch, dataset_size=dataset)
    return count(rng, 1e4) * step


def truncated(rng: random.Random) -> Any:
    """Poisson batches, cut four deviations above their mean."""
    dataset, batch = sizes(rng)
    step = hs.TruncatedPoissonGaussian(
        noise_multiplier=noise(rng),
        sampling_probability=batch / dataset,
        truncated_batch_size=min(dataset, round(batch + 4 * batch**0.5)),
        dataset_size=dataset,
    )
    return count(rng, 1e4) * step


def shuffled(rng: random.Random) -> Any:
    """Epochs that are shuffled anew."""
    return count(rng, 100) * gaussian(rng).shuffled(batches=count(rng, 1e4, 10))


def selected(rng: random.Random) -> Any:
    """A record in k of t steps."""
    steps = count(rng, 1e4, 10)
    return gaussian(rng).random_allocation(steps=steps, selected=min(steps - 1, count(rng, 10, 2)))


def pipeline(*parts: Draw) -> Draw:
    """One after the other."""
    return lambda rng: sum((part(rng) for part in parts), hs.Composition())


def times(most: float, step: Draw) -> Draw:
    """A step up to that often."""
    return lambda rng: count(rng, most) * step(rng)


def on_samples(step: Draw) -> Draw:
    """A step on Poisson samples."""
    return lambda rng: step(rng).poisson_sampled(rate(rng))


FAMILIES: dict[str, Draw] = {
    "sampled Gaussians": sampled,
    "Gaussians": times(1e5, gaussian),
    "Laplace": times(1e4, laplace),
    "discrete Gaussians": times(1e4, discrete),
    "sampled Laplace": times(1e4, on_samples(laplace)),
    "sampled discrete Gaussians": times(1e4, on_samples(discrete)),
    "random allocation": allocated,
    "fixed size": fixed,
    "shuffled": shuffled,
    "truncated batches": truncated,
    "k of t": selected,
    "zCDP": times(100, lambda rng: hs.ZCDP(between(rng, 1e-4, 1))),
    "training, then statistics": pipeline(sampled, times(100, laplace), times(10, gaussian)),
    "training twice": pipeline(sampled, sampled),
    "allocation, then counts": pipeline(allocated, times(30, discrete)),
}
SPECIAL = {"fixed size", "shuffled"}  # the schemes that say nothing of a dataset whose size changes


def adjacency_of(family: str) -> str:
    """That of the table."""
    return "replace-special" if family in SPECIAL else "add-or-remove-one"


class Question(NamedTuple):
    """The points that are asked about, and how."""

    points: Sequence[Any]
    ask: Callable[[Any, Any, str], Any]


DELTAS = (1e-4, 1e-6, 1e-9, 1e-12)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0)
NINE = [0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0]
RATES = [1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.5, 0.9]


def method(name: str, **others: Any) -> Callable[[Any, Any, str], Any]:
    """The method of that name, asked about a point."""
    return lambda run, at, adjacency: getattr(run, name)(at, adjacency=adjacency, **others)


def without(name: str) -> Callable[[Any, Any, str], Any]:
    """The method of that name, which takes no point."""
    return lambda run, _, adjacency: getattr(run, name)(adjacency=adjacency)


QUESTIONS: dict[str, Question] = {
    "epsilon": Question(DELTAS, method("epsilon_bounds")),
    "delta": Question(EPSILONS, method("delta_bounds")),
    "nine deltas": Question((NINE,), method("delta_bounds")),
    "true positive rate": Question((0.1, 1e-3, 1e-5), method("true_positive_rate_bounds")),
    "trade-off": Question((RATES,), method("tradeoff_bounds")),
    "Bayes risk": Question((0.5, 0.1, 0.01), method("bayes_risk_bounds")),
    "advantage": Question((None,), without("advantage_bounds")),
    "mu": Question((None,), without("gdp_mu_bounds")),
    "Renyi": Question((2.0, 8.0, 64.0), method("renyi_divergence_bounds")),
    "zCDP": Question((None,), without("zcdp_bounds")),
    "P(L > epsilon)": Question((0.5, 1.0, 2.0), method("probabilistic_delta_bounds")),
    "quantile": Question((0.5, 0.99, 0.999999), method("loss_quantile_bounds")),
}


def ask(run: Any, adjacency: str, question: Question, point: Any) -> Asked:
    """Time of this process from a made run to the answer or the refusal."""
    refusal = ""
    start = process_time()
    try:
        question.ask(run, point, adjacency)
    except hs.CertificationError as error:
        refusal = f"{error.limited_by}: {error.bounds}"
    milliseconds = 1e3 * (process_time() - start)
    return Asked(repr(run), repr(point), milliseconds, refusal)


def row(family: str, question: str, answers: list[Asked]) -> str:
    """A line of the table."""
    taken = sorted(asked.milliseconds for asked in answers)
    at = [taken[min(len(taken) - 1, int(share * len(taken)))] for share in SHOWN]
    refused = sum(asked.refused for asked in answers)
    mean = sum(taken) / len(taken)
    times = (f"{ms:.3g}" for ms in (mean, *at))
    return " | ".join([f"| {family} | {question} | {refused}", *times]) + " |"


def main() -> None:
    """Ask, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--family", nargs="+", metavar="NAME", help="as in the table")
    parser.add_argument("--question", nargs="+", metavar="NAME", help="as in the table")
    parser.add_argument("--runs", type=int, default=1000, help="of each family")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adjacency", metavar="NAME", help="in place of that of the table")
    parser.add_argument("--slowest", type=int, default=0, help="questions to print of each row")
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    options = parser.parse_args()
    begin()
    lines = ["| runs | question | refused | mean ms | median ms | 99 % ms | longest ms |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    records: dict[str, Any] = {}
    for family, draw in FAMILIES.items():
        if options.family and family not in options.family:
            continue
        for name, question in QUESTIONS.items():
            if options.question and name not in options.question:
                continue
            adjacency = options.adjacency or adjacency_of(family)
            rng = random.Random(f"{options.seed} {family} {name}")  # noqa: S311, no secret
            answers = [
                ask(draw(rng), adjacency, question, rng.choice(question.points))
                for _ in range(options.runs)
            ]
            lines.append(row(family, name, answers))
            print(lines[-1], flush=True)
            slowest = sorted(answers, key=lambda asked: -asked.milliseconds)
            shown = [a for a in answers if a.refused] + slowest[: options.slowest]
            for asked in shown if options.slowest else []:
                print("   ", asked, flush=True)
            records[f"{family}: {name}"] = [round(asked.milliseconds, 4) for asked in answers]
    where = f"{options.runs} runs of each family, seed {options.seed}; {machine()}"
    text = "\n".join(lines) + f"\n\n{where}\n"
    if options.write:
        write({"every-question": text}, {"every_question": records}, machine())


if __name__ == "__main__":
    main()

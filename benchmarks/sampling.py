# SPDX-License-Identifier: Apache-2.0
"""Random allocation: a race with PLD_accounting, and the times of random questions.

python benchmarks/sampling.py [--rounds N] [--cap SECONDS] [--questions N] [--seed N] [--write]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import count
from time import perf_counter
from typing import Any, NamedTuple

from cases import Truth
from measure import Answer, judge, race
from report import machine, table
from run import begin, record, write

DELTA, GAP, NARROW = 1e-6, 1e-3, 1e-5
CONVOLVED = 6.0  # nats; sums are convolved where epsilon is larger
SHOWN = (0.5, 0.99, 1.0)  # quantiles of times


class Epochs(NamedTuple):
    """Epochs in which each record joins one of the steps, drawn anew in each."""

    noise_multiplier: float
    steps: int
    epochs: int

    @property
    def title(self) -> str:
        """In words."""
        noise, steps, epochs = self
        return f"noise multiplier {noise:g}, 1 of {steps} steps, epochs: {epochs}"

    def bounds(self, delta: float, tolerance: float) -> Any:
        """Certified ones of epsilon, also where they are wider than the tolerance."""
        import hockeystick as hs  # noqa: PLC0415

        step = hs.Gaussian(noise_multiplier=self.noise_multiplier)
        run = self.epochs * step.random_allocation(steps=self.steps)
        try:
            return run.epsilon_bounds(delta, tolerance=tolerance)
        except hs.CertificationError as error:
            return error.bounds


RACES = {
    "allocation-100": Epochs(1.0, 100, 1),
    "allocation-1000": Epochs(1.0, 1000, 1),
    "allocation-epochs": Epochs(1.0, 1000, 10),
}


def ours(run: Epochs) -> Callable[[], Answer]:
    """Every call has another noise, by far less than the truth's error, so that nothing is kept."""
    turns = count()

    def ask() -> Answer:
        noise = run.noise_multiplier * (1 + next(turns) * 1e-13)
        lower, upper = run._replace(noise_multiplier=noise).bounds(DELTA, GAP)
        return Answer(lower=lower, upper=upper)

    return ask


def theirs(run: Epochs) -> dict[str, Callable[[], Answer]]:
    """Other accountants that know random allocation, as `hockeystick compare` asks them."""
    from hockeystick.cli import peers  # noqa: PLC0415

    terms = ((run.noise_multiplier, 1 / run.steps, run.steps * run.epochs),)
    question = peers.Question(terms, "epsilon", DELTA, "random_allocation")
    known = [p for p in peers.PEERS if p.version and question.sampling in p.samplings]

    def asked(call: Callable[[], peers.Answer]) -> Callable[[], Answer]:
        return lambda: Answer(**call()._asdict())

    return {one.label: asked(one.prepare(question)) for one in known}


def raced(run: Epochs, rounds: int, cap: float) -> tuple[str, dict[str, Any]]:
    """What stands between the markers of a race, and every sample."""
    import hockeystick as hs  # noqa: PLC0415

    lower, upper = (Fraction(end) for end in run.bounds(DELTA, NARROW))
    truth = Truth((lower + upper) / 2, (upper - lower) / 2)
    where = f"{rounds} rounds; {machine()}"
    asks = {f"hockeystick {hs.__version__}": ours(run), **theirs(run)}
    outcomes = race(asks, partial(judge, truth=truth, gap=GAP), rounds=rounds, cap=cap)
    text = (
        f"epsilon at delta = {DELTA:g}, gap {GAP:g}: {run.title}\n\n{table(outcomes)}\n\n{where}\n"
    )
    return text, {name: record(outcome) for name, outcome in outcomes.items()}


def drawn(rng: random.Random, *, several: bool) -> tuple[Epochs, float]:
    """A run of practice and a delta, each parameter uniform in its logarithm."""
    steps = round(10 ** rng.uniform(0.301, 9))
    epochs = round(10 ** rng.uniform(0.301, 2)) if several else 1
    return Epochs(10 ** rng.uniform(-0.301, 1), steps, epochs), 10 ** rng.uniform(-12, -3)


def times(questions: int, seed: int) -> str:
    """A table of how long answers take, and how many are wider than asked."""
    rng = random.Random(seed)  # noqa: S311, no secret
    rows = ["| questions | number | median ms | 99 % ms | longest ms | wider than asked |"]
    rows.append("| --- | --- | --- | --- | --- | --- |")
    for several in (False, True):
        found: dict[bool, list[tuple[float, bool]]] = {False: [], True: []}
        for _ in range(questions):
            run, delta = drawn(rng, several=several)
            start = perf_counter()
            lower, upper = run.bounds(delta, GAP)
            seconds = perf_counter() - start
            found[upper > CONVOLVED].append((1e3 * seconds, upper - lower > GAP * upper))
        for large, answers in found.items():
            if answers:
                name = f"{'2 to 100 epochs' if several else 'one epoch'}, epsilon "
                name += f"{'above' if large else 'at most'} {CONVOLVED:g}"
                rows.append(f"| {name} | {len(answers)} | {_cells(answers)} |")
    return "\n".join(rows)


def _cells(answers: list[tuple[float, bool]]) -> str:
    taken = sorted(ms for ms, _ in answers)
    at = [taken[min(len(taken) - 1, int(share * len(taken)))] for share in SHOWN]
    return " | ".join([*(f"{ms:.3g}" for ms in at), str(sum(wide for _, wide in answers))])


def main() -> None:
    """Race, ask, print, write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4, help="even")
    parser.add_argument("--cap", type=float, default=1000.0, help="seconds a race may take")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="into results/ and README.md")
    options = parser.parse_args()
    begin()
    blocks, results = {}, {}
    for name, run in RACES.items():
        blocks[f"sampling {name}"], results[name] = raced(run, options.rounds, options.cap)
        print(f"{name}: {blocks[f'sampling {name}']}", flush=True)
    where = f"{options.questions} questions each, seed {options.seed}; {machine()}"
    blocks["sampling times"] = f"{times(options.questions, options.seed)}\n\n{where}\n"
    print(blocks["sampling times"])
    if options.write:
        write(blocks, {"sampling": results}, machine())


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What special cases of the core earn: the same random questions with each of them off.

python benchmarks/special.py [--set NAME] [--runs N] [--seed N] [--off NAME[,NAME] ...]

Needs a build with HOCKEYSTICK_PARTS, whose core reads HOCKEYSTICK_OFF. A special case stays if
without it the total time grows by 5 %, the median by 10 %, or the refusals by 2 in 1,000.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections.abc import Generator
from time import process_time
from typing import Any, NamedTuple

from tail import mechanisms, noise, power, rate, response

OFF = (
    *("large_loss", "one_large_loss", "spread_transform", "chernoff_bound"),
    *("enumeration", "atoms", "closing", "cut", "complement", "whole_line", "epochs"),
    *("single_step", "closed_form"),
)
SHOWN = (0.5, 0.9, 0.99)  # quantiles of times

Question = tuple[Any, str, float]
"""A run, the name of what is asked of it, and where."""
Questions = Generator[Question, float, None]
"""Each is sent the upper end of the answer to the last."""


class Asked(NamedTuple):
    """How the library took a question."""

    milliseconds: float
    refused: bool
    bounds: tuple[float, float]


def practice(rng: random.Random, runs: int) -> Questions:
    """Epsilon, and delta near that epsilon, of the runs of benchmarks/tail.py."""
    draws = list(mechanisms().values())
    for k in range(runs):
        run, delta = round(power(rng, 0, 7)) * draws[k % len(draws)](rng), power(rng, -12, -3)
        epsilon = yield run, "epsilon", delta
        yield run, "delta", min(1e4, epsilon * rng.uniform(0.8, 1.2))


def hostile(rng: random.Random, runs: int) -> Questions:
    """Rare samples, tiny deltas, far epsilons."""
    draws = list(mechanisms().values())
    for k in range(runs):
        step = draws[k % len(draws)](rng)
        if hasattr(step, "poisson_sampled") and not hasattr(step, "sampling_probability"):
            step = step.poisson_sampled(power(rng, -7, -1))
        run = round(power(rng, 0, 6)) * step
        yield run, "epsilon", power(rng, -200, -9)
        yield run, "delta", power(rng, -1, 2)


def mixed(rng: random.Random, runs: int) -> Questions:
    """The same as of practice, of runs of two mechanisms that share an adjacency."""
    draws = [draw for draw in mechanisms().values() if draw is not response]
    for _ in range(runs):
        one, other = (round(power(rng, 0, 5)) * rng.choice(draws)(rng) for _ in range(2))
        epsilon = yield one + other, "epsilon", power(rng, -12, -3)
        yield one + other, "delta", min(1e4, epsilon * rng.uniform(0.8, 1.2))


def views(rng: random.Random, runs: int) -> Questions:
    """Views of runs of practice."""
    draws = list(mechanisms().values())
    for k in range(runs):
        run = round(power(rng, 0, 5)) * draws[k % len(draws)](rng)
        yield run, "true_positive_rate", power(rng, -9, -0.3)
        yield run, "probabilistic_delta", power(rng, -1.5, 1)
        yield run, "loss_quantile", 1 - power(rng, -7, -0.3)
        yield run, "gdp_mu", power(rng, -12, -2)


def allocations(rng: random.Random, runs: int) -> Questions:
    """One epoch of random allocation."""
    import hockeystick as hs  # noqa: PLC0415

    for _ in range(runs):
        step = hs.Gaussian(noise_multiplier=0.2 + noise(rng))
        run = 1 * step.random_allocation(steps=round(1 + 1 / rate(rng) ** 0.5))
        yield run, "epsilon", power(rng, -12, -3)


SETS = {
    "practice": practice,
    "hostile": hostile,
    "mixed": mixed,
    "views": views,
    "allocations": allocations,
}


def answered(question: Question) -> Asked:
    """How long it took in this process, and what came of it."""
    import hockeystick as hs  # noqa: PLC0415

    run, name, at = question
    ask = getattr(run, f"{name}_bounds")
    replaced = any(isinstance(step, hs.RandomizedResponse) for step, _ in run.terms)
    options = {"adjacency": "replace-one"} if replaced else {}
    start, refused = process_time(), False
    try:
        found = ask(smallest_rate=at, **options) if name == "gdp_mu" else ask(at, **options)
    except hs.CertificationError as error:
        refused, found = True, error.bounds
    milliseconds = 1e3 * (process_time() - start)
    return Asked(milliseconds, refused, (found.lower, found.upper))


def times(name: str, runs: int, seed: int, switches: dict[str, str]) -> list[Asked]:
    """All questions of a set, by a process of its own with these variables."""
    asked = [sys.executable, __file__, "--child", "--set", name]
    asked += ["--runs", str(runs), "--seed", str(seed)]
    environment = os.environ | switches | {"OMP_NUM_THREADS": "1"}
    found = subprocess.run(asked, check=True, capture_output=True, env=environment)  # noqa: S603
    return [Asked(ms, refused, tuple(ends)) for ms, refused, ends in json.loads(found.stdout)]


def row(off: str, found: list[Asked], base: list[Asked]) -> str:
    """A line of the table; changes are relative to the first."""
    taken, before = (sorted(asked.milliseconds for asked in each) for each in (found, base))
    shown = [(sum(taken), sum(before))]
    shown += [tuple(each[int(q * len(each))] for each in (taken, before)) for q in SHOWN]
    changes = [f"{ms:.3g} ({ms / was - 1:+.0%})" for ms, was in shown]
    return " | ".join(
        [f"| {off or 'none'}", *changes, f"{sum(asked.refused for asked in found)} |"]
    )


def main() -> None:
    """Ask and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--set", choices=SETS, default="practice")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--off", nargs="+", default=OFF, metavar="NAME")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        answers = []
        rng = random.Random(f"{options.seed} {options.set}")  # noqa: S311, no secret
        questions = SETS[options.set](rng, options.runs)
        question: Question | None = next(questions)
        while question is not None:
            answers.append(answered(question))
            try:
                question = questions.send(answers[-1].bounds[1])
            except StopIteration:
                question = None
        print(json.dumps(answers))
        return
    given = (options.set, options.runs, options.seed)
    base = times(*given, {})
    print(f"{options.set}: {len(base)} questions, seed {options.seed}")
    print("| off | total ms | median ms | 90 % ms | 99 % ms | refused |")
    print("| --- | --- | --- | --- | --- | --- |")
    print(row("", base, base), flush=True)
    for off in options.off:
        print(row(off, times(*given, {"HOCKEYSTICK_OFF": off}), base), flush=True)


if __name__ == "__main__":
    main()

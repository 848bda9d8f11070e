# SPDX-License-Identifier: Apache-2.0
"""An accountant that is asked after each of many distinct steps, beside answers from the start.

python benchmarks/growing.py [--steps 1000 10000] [--rounds 3] [--once 100 1000 10000 100000]

Prints processor time of composing all steps, each with an answer or an admission, and what asking
each of these compositions from the start would take: the mean of a few of them, evenly spread.
Then of one question of as many steps, all new, and of calibrations to one target and to many.
Rounds are interleaved; the fastest counts.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from itertools import count as count_up

import numpy as np

import hockeystick as hs
from report import machine, seconds

DELTA = 1e-5
SAMPLES = 12  # of answers from the start
TARGETS = np.geomspace(0.1, 10, 200)


def schedule(steps: int, noise: float = 1) -> list[hs.Composition]:
    """Noise that grows by half while the batches shrink by a third."""
    parts = np.linspace(0, 1, steps)
    return [
        1 * hs.Gaussian(noise + part / 2).poisson_sampled(0.01 * (1 - part / 3)) for part in parts
    ]


def asked(steps: list[hs.Composition]) -> int:
    """Ask for epsilon after each."""
    acct = hs.Accountant()
    for step in steps:
        acct.compose(step).epsilon_bounds(DELTA)
    return len(steps)


def admitted(steps: list[hs.Composition]) -> int:
    """Admit each, within a budget that holds all."""
    acct = hs.Accountant()
    return sum(acct.admit(step, epsilon=100, delta=DELTA) for step in steps)


def from_the_start(steps: list[hs.Composition]) -> float:
    """Seconds that asking after each would take, of few."""
    run, taken = hs.Composition(), 0.0
    stops = set(np.linspace(len(steps) / SAMPLES, len(steps), SAMPLES, dtype=int))
    for k, step in enumerate(steps, 1):
        run = run + step
        if k in stops:
            begin = time.process_time()
            run.epsilon_bounds(DELTA)
            taken += time.process_time() - begin
    return taken / SAMPLES * len(steps)


def asked_once(steps: int, fresh: Iterator[int]) -> float:
    """Seconds of one question of steps that were never asked about."""
    run = hs.Composition(
        (one, 1) for part in schedule(steps, 1 + 1e-9 * next(fresh)) for one, _ in part.terms
    )
    begin = time.process_time()
    run.epsilon_bounds(DELTA)
    return time.process_time() - begin


def noise(sigma: float) -> hs.Composition:
    """What is calibrated."""
    return 10_000 * hs.Gaussian(sigma).poisson_sampled(0.01)


def calibrated_alone() -> None:
    """Each target in a call of its own."""
    for target in TARGETS:
        hs.calibrate(noise, epsilon=target, delta=DELTA)


def calibrated_together() -> None:
    """All targets in one call."""
    hs.calibrate(noise, epsilon=TARGETS, delta=DELTA)


def clocked(ask: Callable[[], object]) -> Callable[[], float]:
    """Its processor time."""

    def run() -> float:
        begin = time.process_time()
        ask()
        return time.process_time() - begin

    return run


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="*", default=[1000, 10_000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--once", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    given = parser.parse_args()
    rows: dict[str, Callable[[], float]] = {}
    for count in given.steps:
        steps = schedule(count)
        rows[f"{count} steps, epsilon after each"] = clocked(lambda steps=steps: asked(steps))
        rows[f"{count} steps, each admitted"] = clocked(lambda steps=steps: admitted(steps))
        rows[f"{count} steps, epsilon from the start"] = lambda steps=steps: from_the_start(steps)
    fresh = count_up()
    for count in given.once:
        rows[f"{count} steps, asked once"] = lambda count=count: asked_once(count, fresh)
    rows[f"{len(TARGETS)} calibrations, one call each"] = clocked(calibrated_alone)
    rows[f"{len(TARGETS)} calibrations, one call"] = clocked(calibrated_together)
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(given.rounds):
        for name, ask in rows.items():
            times[name].append(ask())
    print("| what | fastest | slowest |\n| --- | --- | --- |")
    for name, taken in times.items():
        print(f"| {name} | {seconds(min(taken))} | {seconds(max(taken))} |")
    print(machine())


if __name__ == "__main__":
    main()

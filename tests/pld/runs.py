# SPDX-License-Identifier: Apache-2.0
"""Composed distributions under test, and their one-step distributions composed directly."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from flint import arb, ctx

import exact
from exact.curve import PRECISION, Curve
from hockeystick import _core
from mechanisms.cells import core_pair

MEMORY = 1 << 30
ONE_STEP = {
    ("upper", "connect_dots"): "upper",
    ("lower", "connect_dots"): "lower",
    ("lower", "algorithm_2"): "algorithm_2",
    ("upper", "privacy_buckets"): "buckets_upper",
    ("lower", "privacy_buckets"): "buckets_lower",
}
SIDES = tuple(ONE_STEP)


@dataclass(frozen=True, slots=True)
class Run:
    """`count` steps, on a grid of `interval`, each end cut at `tail_mass`."""

    step: exact.Step
    count: int
    direction: exact.Direction
    interval: float
    tail_mass: float = 1e-15

    def pmf(self, side: str, estimator: str = "connect_dots") -> _core.LossPmf:
        """The composed distribution."""
        return _core.loss_pmf(
            [(core_pair(self.step, self.direction), self.count)],
            interval=self.interval,
            side=side,
            estimator=estimator,
            tail_mass=self.tail_mass,
            memory_limit=MEMORY,
        )

    def truth(self, epsilon: float, direction: exact.Direction | None = None) -> arb:
        """The exact delta, epsilon >= 0."""
        return truth(self.step, self.count, direction or self.direction, epsilon)


@cache
def truth(step: exact.Step, count: int, direction: exact.Direction, epsilon: float) -> arb:
    """The exact delta of `count` steps."""
    return exact.delta(((step, count),), epsilon, direction, 12)


def window(pmf: _core.LossPmf) -> tuple[float, float]:
    """The first and the last loss."""
    return pmf.interval * pmf.first, pmf.interval * (pmf.first + pmf.mass.size - 1)


VISIBLE = 1e-13  # above the rounding of a transform


def one_step(run: Run, side: str, estimator: str) -> _core.parts.StepPmf:
    """What `run.pmf` composes, found again.

    The support is that of one step cut at a share of the tail mass, and shows in its masses.
    """
    once = Run(run.step, 1, run.direction, run.interval, run.tail_mass / run.count)
    pmf = once.pmf("upper")
    seen = np.flatnonzero(pmf.mass > VISIBLE)
    index = [int(k) for k in range(pmf.first + seen[0], pmf.first + seen[-1] + 1)]
    step = _core.parts.step_pmf(
        core_pair(run.step, run.direction),
        interval=run.interval,
        offset=0.0,
        index=index,
        estimator=ONE_STEP[side, estimator],
    )
    stored = np.zeros(pmf.mass.size)
    stored[np.array(step.index) - pmf.first] = step.mass
    shown = once.pmf(side, estimator)
    np.testing.assert_allclose(shown.mass, stored, rtol=1e-12, atol=VISIBLE)
    return step


def composed(step: _core.parts.StepPmf, count: int) -> Curve:
    """The direct composition of the stored doubles, O(n^2), in balls."""
    with ctx.workprec(PRECISION):
        once = {int(k): arb(m) for k, m in zip(step.index, step.mass, strict=True)}
        total: dict[int, arb] = {0: arb(1)}
        for _ in range(count):
            longer: dict[int, arb] = {}
            for i, x in total.items():
                for j, y in once.items():
                    longer[i + j] = longer.get(i + j, arb(0)) + x * y
            total = longer
        index = sorted(total)
        finite = sum(once.values(), arb(0))
        infinity_mass = (finite + arb(step.infinity_mass)) ** count - finite**count
        losses = [arb(step.interval) * k for k in index]
        return Curve(losses, [total[k] for k in index], infinity_mass)

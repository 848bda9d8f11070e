# SPDX-License-Identifier: Apache-2.0
"""The one entry: picks the strongest oracle for a run. See the package docstring."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb, ctx

from exact.balls import crossing
from exact.contour import composed_delta, composed_epsilon, laws
from exact.model import Direction, Run, gaussian_mu, merged
from exact.one_step import gaussian_delta, step_delta
from exact.saddle import Saddle

BITS = 320
MARGIN = 0.9  # between a direction computed and one only bounded, in doubles

Ask = Callable[[Direction], arb]


def rigorous(run: Run) -> bool:
    """Whether the run has a closed form, so that its balls are proofs."""
    run = merged(run)
    return all(step.q == 1 for step, _ in run) or (len(run) == 1 and run[0][1] == 1)


def _curve(run: Run, epsilon: arb, direction: Direction) -> arb:
    if all(step.q == 1 for step, _ in run):
        with ctx.workprec(4 * BITS):
            mu = gaussian_mu(run, direction)
        return gaussian_delta(mu, epsilon)
    return step_delta(run[0][0], epsilon, direction)


def _delta(run: Run, epsilon: arb, direction: Direction, digits: int) -> arb:
    if rigorous(run):
        return _curve(run, epsilon, direction)
    return composed_delta(run, epsilon, direction, digits)


def _epsilon(run: Run, delta: arb, direction: Direction, digits: int) -> arb:
    if rigorous(run):
        return crossing(lambda x: _curve(run, x, direction), delta)
    return composed_epsilon(run, delta, direction, digits)


def _worst(run: Run, direction: Direction, ask: Ask, bound: Callable[[Saddle], float]) -> arb:
    """`ask` of the direction, or of both; adding is not asked where it is bound to be less."""
    if direction != "add_remove":
        return ask(direction)
    removal = ask("remove")
    if all(step.q == 1 for step, _ in run):
        return removal
    if not rigorous(run) and arb(bound(Saddle(laws(run, "add")))) < removal * MARGIN:
        return removal
    return removal.max(ask("add"))


def clipped(value: arb) -> arb:
    """A ball below 1 around a delta whose estimated error reaches beyond.

    It leaves out 2^-26 of the radius next to 1, since radii are rounded up: less than 2^-53, hence
    of no consequence to a bound that is a double, for radii below 1e-8.
    """
    if value <= 1:
        return value
    assert 1 - 1e-8 < value.lower() < 1
    radius = arb(1)
    while 1 - radius <= value.lower():
        radius = radius / 2
    return 1 - radius + arb(0, radius * (1 - arb(2) ** -26))


def delta(
    run: Run, epsilon: float | arb, direction: Direction = "add_remove", digits: int = 20
) -> arb:
    """delta(epsilon), epsilon >= 0; `digits` are what an estimated value must have."""
    run = merged(run)
    if not run:
        return arb(0)
    with ctx.workprec(BITS):
        at = arb(epsilon)
        value = _worst(
            run,
            direction,
            lambda d: _delta(run, at, d, digits),
            lambda saddle: math.exp(saddle.log_delta_above(float(at))),
        )
        return clipped(value)


def epsilon(
    run: Run, delta: float | arb, direction: Direction = "add_remove", digits: int = 20
) -> arb:
    """inf{eps >= 0: delta(eps) <= delta}, for 0 < delta < 1."""
    run = merged(run)
    if not run:
        return arb(0)
    with ctx.workprec(BITS):
        at = arb(delta)
        return _worst(
            run,
            direction,
            lambda d: _epsilon(run, at, d, digits),
            lambda saddle: saddle.epsilon_above(float(at.log())),
        )

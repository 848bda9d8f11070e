# SPDX-License-Identifier: Apache-2.0
"""Truths of runs of Gaussian steps by `hockeystick.verify`: every error is in the ball."""

from itertools import islice

from flint import acb, arb

import hockeystick as hs
from exact.model import Direction, Run, Step, merged
from hockeystick.verify.answer import Kept
from hockeystick.verify.balls import digits_of
from hockeystick.verify.errors import NotKnownError
from hockeystick.verify.laws import law
from hockeystick.verify.moments import Line, along
from hockeystick.verify.work import bounded

MOST_WORK = 1e7  # in verify's units
FEWEST = 6  # digits
NATS = 100.0  # of a moment
ADJACENCY = {
    "add_remove": hs.Adjacency.ADD_OR_REMOVE_ONE,
    "remove": hs.Adjacency.REMOVE_ONE,
    "add": hs.Adjacency.ADD_ONE,
    "replace": hs.Adjacency.REPLACE_ONE,
}


def composition(run: Run) -> hs.Composition:
    """The run in the library's terms; a rate of 1 is the plain Gaussian."""
    return sum((count * _mechanism(step) for step, count in merged(run)), hs.Composition())


def _mechanism(step: Step) -> hs.Mechanism:
    gaussian = hs.Gaussian(noise_multiplier=step.sigma)
    return gaussian if step.q == 1 else gaussian.poisson_sampled(step.q)


def clipped(value: arb) -> arb:
    """The part below 1 of a ball around a delta.

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
    """delta(epsilon), epsilon >= 0.

    Raises:
        NotKnownError: Too few digits are known.
    """
    return clipped(_asked(run, "epsilon", epsilon, direction, digits))


def epsilon(
    run: Run, delta: float | arb, direction: Direction = "add_remove", digits: int = 20
) -> arb:
    """inf{eps >= 0: delta(eps) <= delta}, for 0 < delta < 1; raises as `delta` does."""
    return _asked(run, "delta", delta, direction, digits)


def log_moments(
    step: Step, direction: Direction, tilt: float, spacing: float, count: int
) -> list[acb]:
    """log M(z) at z = tilt + i k spacing, k < count, but for multiples of 2 pi i."""
    one = law(_mechanism(step), ADJACENCY[direction].directions[0])
    c, h = arb(tilt), arb(spacing)
    values = along(one, Line(c, h, h * count), NATS, 1).values()
    return [value.log() for value in islice(values, count)]


def _asked(run: Run, name: str, at: float | arb, direction: Direction, digits: int) -> arb:
    kept = Kept((composition(run).terms,), ADJACENCY[direction])
    with bounded(MOST_WORK):
        ball = kept.ball(name, at, digits).ball
    if digits_of(ball) < FEWEST and not ball.is_zero():
        raise NotKnownError("too few digits are known")
    return ball

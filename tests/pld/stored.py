# SPDX-License-Identifier: Apache-2.0
"""Steps and distributions of given doubles, drawn to be bad, and what they are exactly."""

import random
from collections.abc import Sequence

from flint import arb

from hockeystick import _core

U = _core.numeric.unit_roundoff
SIDES = ("upper", "lower")


def step(
    index: Sequence[int],
    mass: Sequence[float],
    *,
    interval: float,
    side: str,
    offset: float = 0.0,
    infinity_mass: float = 0.0,
    loss_error: float = 0.0,
) -> _core.parts.StepPmf:
    """A step of these masses at `offset` plus these multiples of the interval."""
    return _core.parts.StepPmf(
        interval=interval,
        offset=offset,
        index=[int(k) for k in index],
        mass=[float(x) for x in mass],
        infinity_mass=infinity_mass,
        loss_error=loss_error,
        side=side,
    )


def alone(step: _core.parts.StepPmf) -> _core.LossPmf:
    """The step as a distribution: what it is off by is a transform's and its queries' rounding."""
    first = step.index[0]
    points = step.index[-1] - first + 1
    size = max(64, 1 << (points - 1).bit_length())
    at = {"window": (first, points), "chernoff": (1.0, -1.0, 1.0, -1.0)}
    return _core.parts.compose([(step, 1, 0.0)], tilt=0.0, size=size, **at)


def losses(of: _core.parts.StepPmf) -> list[arb]:
    """The exact losses."""
    return [arb(of.offset) + arb(of.interval) * k for k in of.index]


def coarse(rng: random.Random) -> float:
    """From 1 to 2, mostly near 1, where a rounding is largest."""
    return 1 + rng.random() ** 3


def place(rng: random.Random) -> tuple[float, float, int]:
    """Interval, offset and index of a point: no short mantissa, an offset of any size.

    Every other offset all but cancels the index's part, so that this is rounded for nothing.
    """
    interval = coarse(rng) * 2.0 ** rng.randint(-30, 2)
    index = int(coarse(rng) * 2 ** rng.randint(5, 30)) * rng.choice((-1, 1))
    cancelling = -index * interval * coarse(rng) ** 0.2
    return interval, rng.choice((rng.uniform(-1, 1) * interval, cancelling)), index


def spread(rng: random.Random, decades: float) -> float:
    """A mass of that many decades at most below 1."""
    return 10.0 ** rng.uniform(-decades, 0)

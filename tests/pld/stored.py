# SPDX-License-Identifier: Apache-2.0
"""Steps and distributions of given doubles, drawn to be bad, and what they are exactly."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
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
) -> _core.StepPmf:
    """A step of these masses at `offset` plus these multiples of the interval."""
    made = _core.StepPmf.__new__(_core.StepPmf)
    at, masses = np.array(index, dtype=np.int64), np.array(mass, dtype=float)
    made.__setstate__(
        (interval, offset, at, masses, infinity_mass, 0.0, loss_error, side == "upper")
    )
    return made


def losses(of: _core.StepPmf) -> list[arb]:
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

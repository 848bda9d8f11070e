# SPDX-License-Identifier: Apache-2.0
"""Tilted masses, each on its side of the exact one."""

import math
import random

import numpy as np
import pytest
from flint import arb, ctx

from hockeystick import _core

SIDES = ("upper", "lower")
INTERVAL = 0.1  # losses are rounded


def tilted(mass, index, tilt, log_moment, side):
    """The masses computed, and the exact ones."""
    step = _core.explicit_step(
        interval=INTERVAL, index=np.array(index), mass=mass, infinity_mass=0.0, side=side
    )
    exact = [
        arb(m) * (arb(tilt) * arb(INTERVAL) * k - arb(log_moment)).exp()
        for m, k in zip(mass, index, strict=True)
    ]
    return _core.tilted_masses(step, tilt, log_moment), exact


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("reach", [10, 10_000])
def test_each_mass_is_on_its_side(reach, side):
    rng = random.Random(3)
    with ctx.workprec(200):
        for _ in range(20):
            index = sorted(rng.sample(range(-reach, reach), 12))
            mass = [rng.uniform(0.1, 1) for _ in index]
            tilt, log_moment = rng.uniform(0, 500) / reach, rng.uniform(-1, 50)
            for got, truth in zip(*tilted(mass, index, tilt, log_moment, side), strict=True):
                assert arb(got) >= truth if side == "upper" else arb(got) <= truth
                assert abs(arb(got) / truth - 1) < 1e-12


def test_what_underflow_takes_is_counted():
    with ctx.workprec(200):
        upper, exact = tilted([0.5, 1e-200], [0, 3000], -1.0, 0.0, "upper")
        lower, _ = tilted([0.5, 1e-200], [0, 3000], -1.0, 0.0, "lower")
        assert 0 < exact[1] < arb(2) ** -1074
        assert lower[1] == 0
        assert arb(upper[1]) >= exact[1]
        assert upper[1] <= math.exp(-690)

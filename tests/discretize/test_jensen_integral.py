# SPDX-License-Identifier: Apache-2.0
"""Integrals of functions of the loss over cells, by the formula for each end."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.adjacency import Direction


def ends(low, high, value, slope, bend):
    """Bounds of E_P g(L) over one cell of Laplace noise, and what they should be without errors."""
    pair = hs.Laplace(noise_multiplier=1.0).dominating_pair(Direction.REMOVE)
    found = _core.parts.loss_integral(pair, [low, high], value, slope, bend)
    cells = pair.integrate(np.array([low, high]))
    (p,), (above,), (below,) = cells.p, cells.above, cells.below
    share = below / (below + math.exp(high - low) * above)
    chord = share * value(low) + (1 - share) * value(high)
    jensen = value(high - math.log1p(below / p))
    steepest = 1.02 * max(slope(low), slope(high))
    spread = steepest * (high - low) if low < bend < high else 0.0
    return found, (p * (min(chord, jensen) - spread), p * (max(chord, jensen) + spread))


@pytest.mark.parametrize("bend", [-0.95, -0.6, 0.0])
@pytest.mark.parametrize(
    ("value", "slope"),
    [(lambda x: x, lambda _: 1.0), (lambda x: x * x, lambda x: 2 * abs(x))],
    ids=["the loss", "its square"],
)
def test_a_cell_in_which_the_curve_bends_is_widened_by_the_steepest_slope(value, slope, bend):
    found, booked = ends(-0.9, -0.4, value, slope, bend)
    assert found == pytest.approx(booked, rel=1e-9, abs=1e-12)

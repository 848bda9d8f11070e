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
    found = _core.parts.loss_integral(pair, [low, high], value, slope, bend, lambda _: 0.0)
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


def test_losses_below_the_first_edge_may_exceed_it_by_their_error():
    """Of noise known to 1e-6, half of whose Q-mass lies below an edge; e^(1000 L) tells."""
    noise = hs.AdditiveNoise(
        log_density=lambda x: -np.logaddexp(0, x) - np.logaddexp(0, -x),
        distribution=lambda x: 1 / (1 + np.exp(-x)),
        accuracy=1e-6,
    )
    pair, edges = noise.dominating_pair(Direction.REMOVE), [0.1, 0.2]
    cells = pair.integrate(np.array(edges))
    none, below = (
        _core.parts.loss_integral(pair, edges, lambda _: 0.0, lambda _: 0.0, 0.0, tail)
        for tail in (lambda _: 0.0, lambda end: math.exp(1000 * end))
    )
    least = cells.lower_tail_q * math.exp(1000 * (edges[0] + cells.loss_error))
    assert cells.loss_error > 1e-6
    assert cells.lower_tail_q > 0.4
    assert below[1] - none[1] >= least * (1 - 1e-12)
    assert none[0] - below[0] >= least * (1 - 1e-12)

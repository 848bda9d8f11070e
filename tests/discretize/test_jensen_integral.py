# SPDX-License-Identifier: Apache-2.0
"""Integrals of functions of the loss over cells, by the formula for each end."""

import math

import numpy as np
import pytest
from flint import arb, ctx

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


def logistic():
    """Noise known to 1e-6."""
    noise = hs.AdditiveNoise(
        log_density=lambda x: -np.logaddexp(0, x) - np.logaddexp(0, -x),
        distribution=lambda x: 1 / (1 + np.exp(-x)),
        accuracy=1e-6,
    )
    return noise.dominating_pair(Direction.REMOVE)


U = 2.0**-53


@pytest.mark.parametrize("slope", [0.0, 1.0, 7.0])
def test_errors_of_a_cell_are_those_of_its_place_and_of_its_mass(slope):
    """Of a constant those of the mass; of the loss, twice the steepest slope times the place."""
    pair, low, high = logistic(), -0.5, 0.5

    def value(x):
        return 1 + slope * x

    found = _core.parts.loss_integral(pair, [low, high], value, lambda _: slope, 9.0, lambda _: 0.0)
    cells = pair.integrate(np.array([low, high]))
    with ctx.workprec(120):
        p, above, below = (arb(x[0]) for x in (cells.p, cells.above, cells.below))
        growth, steepest = arb(1).exp() - 1, arb("1.02") * slope
        share = below / (below + arb(1).exp() * above)
        chord, middle = 1 + slope * (arb("0.5") - share), value(arb("0.5") - (1 + below / p).log())
        place = cells.loss_error + 3 * cells.share_error_p + 8 * U * arb("0.5")
        place += (3 * cells.share_error + cells.mass_error + 16 * U) * growth
        largest = 1 + slope / 2 + steepest
        booked = p * (2 * steepest * place + (cells.mass_error + 128 * U) * largest)
        for end, exact in zip(found, (min(chord, middle), max(chord, middle)), strict=True):
            assert abs(abs(arb(end) - p * exact) / booked - 1) < 1e-6


@pytest.mark.parametrize("loss", [1e-6, 1e-3, 0.7, 3.0])
def test_a_listed_moment_is_off_by_what_its_masses_and_functions_are(loss):
    """104 u and the masses' own 18 u on either side, and some units of the sums."""
    pair = _core.dominating_pair("approximate_dp", [loss, 0.0])
    (answer,) = _core.loss_variance_bounds(
        [[(pair, 1)]], [1.0], tolerance=1e-14, memory_limit=2**30
    )
    booked = 2 * (104 * U + pair.law_errors()[0])
    assert 0.99 * booked < (answer.upper - answer.lower) / answer.upper < 1.15 * booked


def test_losses_below_the_first_edge_may_exceed_it_by_their_error():
    """Half of the Q-mass lies below an edge; e^(1000 L) tells."""
    pair, edges = logistic(), [0.1, 0.2]
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

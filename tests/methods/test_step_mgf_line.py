# SPDX-License-Identifier: Apache-2.0
"""Moduli of discretized steps against ball arithmetic, and runs whose contours end early."""

import math

import numpy as np
import pytest
from flint import acb, arb

import hockeystick as hs
from hockeystick import Adjacency, _core
from pld import stored
from rare_runs import batches, mixture

INTERVAL = 2.0**-5
MASS = [0.25, 0.5, 0.125, 0.0625, 0.03125, 0.0, 0.03125]
TILT = 2.0

pytestmark = pytest.mark.bits(300)


def moment(z):
    losses = (arb(INTERVAL) * (k - 2) for k in range(len(MASS)))
    return sum((arb(m) * (z * x).exp() for m, x in zip(MASS, losses, strict=True)), acb(0))


@pytest.mark.parametrize("side", ["upper", "lower"])
@pytest.mark.parametrize("floor", [1e-9, 0.9999])
def test_moduli_are_bounded_up_to_their_reach(floor, side):
    """Beyond it, and where none is bounded, they count as 1; the floor is for smoothing."""
    step = stored.step(range(-2, len(MASS) - 2), MASS, interval=INTERVAL, side=side)
    line = _core.contour.step_line(step, TILT, 0.125, reach=100.0, floor=floor)
    bound = line.modulus_bound(20.0)
    assert floor <= bound < 1
    for w in np.linspace(20, 100, 200):
        assert abs(moment(acb(TILT, float(w))) / moment(acb(TILT))) <= arb(bound)
    assert line.modulus_bound(100.5) == 1
    assert _core.contour.step_line(step, TILT, 0.125).modulus_bound(20.0) == 1


RARE = {
    "one jump": (45_685, hs.Gaussian(0.9132269).poisson_sampled(3.3538e-6), 8.16e-12),
    "a mixture": (272_725, mixture(0.60438, (0.9384439, 2.39e-6)), 4.767e-7),
    "rounding ruled": (153_307, mixture(0.487459, (0.7405, 1.0069e-6)), 4.12e-11),
    "batches of one": (2_166_634, batches(0.604468, 1.1444e-6, 1, 37_649), 5.46e-5),
    "batches of two": (91_363, batches(1.361093, 5.8336e-6, 2, 22_315), 9.4994e-10),
}


SIZES = {"rounding ruled": 700, "batches of one": 2500}
"""Of points, where they are not 240. No flatter tilt is looked for: with one they were 2,000."""


@pytest.mark.parametrize("name", RARE)
def test_rare_large_losses_decide_where_they_are_closed(name):
    """Closed above what the question knows of."""
    count, step, delta = RARE[name]
    directions = (count * step)._directions(Adjacency.ADD_OR_REMOVE_ONE)[:1]
    limits = {"tolerance": 1e-3, "memory_limit": 1 << 28}
    (answer,) = _core.epsilon_bounds(directions, [delta], **limits, method="discretized_contour")
    assert answer.converged
    assert answer.method == "discretized_contour"
    assert answer.size < SIZES.get(name, 240)
    limits["tolerance"] = 1e-2
    (other,) = _core.epsilon_bounds(directions, [delta], **limits, method="fft_composition")
    assert max(answer.lower, other.lower) <= min(answer.upper, other.upper)
    assert other.upper - other.lower < math.inf


def test_a_grid_that_is_as_wide_as_the_bulk_of_a_step_is_made_finer_at_once():
    """Widths of its answers hardly tell of it."""
    run = 902 * batches(0.9421574700829157, 0.0002099918818070591, 13, 32_229)
    lower, upper = run.epsilon_bounds(5.965427850452729e-09, tolerance=1e-3)
    assert upper - lower <= 1e-3 * upper

# SPDX-License-Identifier: Apache-2.0
"""Log moments from a pair cut into cells, against balls."""

import math
import random

import pytest
from flint import arb, ctx

from hockeystick import _core
from pld import stored


def test_rounding_of_exponents_is_counted():
    """Two losses, so that nothing else is wrong; exponents of up to 1e7."""
    rng = random.Random(31)
    with ctx.workprec(300):
        for _ in range(60):
            loss, t = rng.uniform(0.5, 2), stored.coarse(rng) * 10.0 ** rng.uniform(2, 7)
            pair = _core.dominating_pair("approximate_dp", [loss, 0.0])
            lower, upper = _core.parts.log_moment_by_cells(pair, 8, t)
            rise = arb(t) * arb(loss)
            likely = 1 / (1 + (-arb(loss)).exp())
            truth = rise + (likely + (1 - likely) * (-2 * rise).exp()).log()
            assert arb(lower) <= truth <= arb(upper)
            booked = 8 * 2.0**-53 * float(rise)  # on each side, of about twice the rise
            assert 1.7 * booked < (upper - lower) / 2 < 2.3 * booked + 3e-14


@pytest.mark.parametrize("noise", [0.05, 0.02, 0.004])
@pytest.mark.parametrize("direction", ["remove", "replace"])
def test_means_and_variances_of_losses_far_above_one(noise, direction):
    """Of one rare large loss about a = mu^2 / 2 + log q: mean q a, variance q a^2, nearly."""
    rate = 0.01
    pair = _core.dominating_pair(f"poisson_gaussian_{direction}", [noise, rate])
    large = 0.5 / noise**2 + math.log(rate)
    spread = rate * (1 - rate) * large**2 + rate / noise**2
    for view, about in (("renyi_bounds", rate * large), ("loss_variance_bounds", spread)):
        answer = getattr(_core, view)([[(pair, 1)]], [1.0], tolerance=1e-3, memory_limit=2**30)
        lower, upper = (row[0] for row in answer.table()[:2])
        assert 0.97 * about <= lower <= upper <= min(lower * 1.002, 1.03 * about)


@pytest.mark.parametrize("k", [1, 2])
def test_powers_over_an_exponential_are_largest_at_their_peak(k):
    with ctx.workprec(200):
        for t in (1.0, 0.3, 1e-3, 2.5e-5):
            peak = (arb(k) / arb(t)) ** k * (-arb(k)).exp()
            assert peak <= arb(_core.parts.power_over_exponential(k, t)) <= peak * (1 + arb(1e-12))

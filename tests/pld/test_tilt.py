# SPDX-License-Identifier: Apache-2.0
"""Tilted masses and their log moments, each on its side of the exact one."""

import math
import random

import pytest
from flint import arb

from hockeystick import _core
from pld import stored
from pld.stored import SIDES, U

pytestmark = pytest.mark.bits(200)

INTERVAL = 0.1  # losses are rounded


def tilted(mass, index, tilt, log_moment, side):
    """The masses computed, and the exact ones."""
    step = stored.step(index, mass, interval=INTERVAL, side=side)
    exact = [
        arb(m) * (arb(tilt) * arb(INTERVAL) * k - arb(log_moment)).exp()
        for m, k in zip(mass, index, strict=True)
    ]
    return _core.parts.tilted_masses(step, tilt, log_moment), exact


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("reach", [10, 10_000])
def test_each_mass_is_on_its_side(reach, side):
    rng = random.Random(3)
    for _ in range(20):
        index = sorted(rng.sample(range(-reach, reach), 12))
        mass = [rng.uniform(0.1, 1) for _ in index]
        tilt, log_moment = rng.uniform(0, 500) / reach, rng.uniform(-1, 50)
        for got, truth in zip(*tilted(mass, index, tilt, log_moment, side), strict=True):
            assert arb(got) >= truth if side == "upper" else arb(got) <= truth
            assert abs(arb(got) / truth - 1) < 1e-12


def test_what_underflow_takes_is_counted():
    upper, exact = tilted([0.5, 1e-200], [0, 3000], -1.0, 0.0, "upper")
    lower, _ = tilted([0.5, 1e-200], [0, 3000], -1.0, 0.0, "lower")
    assert 0 < exact[1] < arb(2) ** -1074
    assert lower[1] == 0
    assert arb(upper[1]) >= exact[1]
    assert upper[1] <= math.exp(-690)


@pytest.mark.parametrize("side", SIDES)
def test_each_mass_is_on_its_side_where_losses_are_rounded_badly(side):
    """Exponents of up to 1e6 nats, of losses each part of which is rounded."""
    rng = random.Random(5)
    for _ in range(1200):
        interval, offset, k = stored.place(rng)
        loss = offset + interval * k
        tilt = stored.coarse(rng) * 2.0 ** rng.randint(-2, 20) / (abs(loss) + abs(offset))
        log_moment = tilt * loss + rng.uniform(-5, 5)
        mass = stored.spread(rng, 280)
        step = stored.step([k], [mass], interval=interval, offset=offset, side=side)
        got = arb(_core.parts.tilted_masses(step, tilt, log_moment)[0])
        truth = arb(mass) * (arb(tilt) * stored.losses(step)[0] - arb(log_moment)).exp()
        assert got >= truth if side == "upper" else got <= truth


def test_a_lower_mass_that_underflow_may_have_raised_is_dropped():
    """From 2^-1074 * 0.75 rounding makes 2^-1074."""
    step = stored.step([0], [3 * 2.0**-1074], interval=0.1, side="lower")
    assert _core.parts.tilted_masses(step, 0.0, math.log(4.0)) == [0]


def test_log_moments_are_above_where_losses_are_rounded_badly():
    rng = random.Random(6)
    for _ in range(600):
        interval, offset, k = stored.place(rng)
        size = abs(offset + interval * k) + abs(offset)
        t = stored.coarse(rng) * 2.0 ** rng.randint(-2, 30) / size * rng.choice((-1, 1))
        at = {"interval": interval, "offset": offset, "side": "upper"}
        step = stored.step([k, k + 3], [stored.spread(rng, 280), stored.spread(rng, 280)], **at)
        assert_log_moment_above(step, t)


@pytest.mark.parametrize("points", [2, 100, 5000])
def test_log_moments_are_above_where_every_sum_loses_a_term(points):
    """Terms just below half a unit in the last place of what is there already."""
    mass = [1 + 2.0**-40, *[0.99 * U] * (points - 1)]
    step = stored.step(range(points), mass, interval=1e-9, side="lower")
    assert_log_moment_above(step, 0.0)


def assert_log_moment_above(step, t):
    tilted = _core.parts.tilted_masses(step, 0.0, 0.0)
    both = zip(tilted, stored.losses(step), strict=True)
    terms = [arb(mass) * (arb(t) * loss).exp() for mass, loss in both]
    assert arb(_core.parts.log_moment_above(step, 0.0, 0.0, t)) >= sum(terms, arb(0)).log()


def test_chernoff_bounds_of_log_moments_that_cancel():
    """A billion runs each, of log moments of opposite signs whose sum all but vanishes."""
    rng = random.Random(7)
    for _ in range(300):
        tilt, epsilon = stored.coarse(rng) * 2.0 ** rng.randint(-6, 6), rng.uniform(0, 30)
        terms = [
            (float(rng.randint(1, 10**9)), rng.uniform(-50, 50), rng.gauss(0, 1))
            for _ in range(rng.randint(1, 20))
        ]
        total = sum((arb(n) * (arb(k) + arb(rest)) for n, k, rest in terms), arb(0))
        terms.append((1.0, -float(total), 0.0))
        total -= arb(float(total))
        t = arb(tilt)
        truth = total + t * (t / (1 + t)).log() - (1 + t).log() - t * (arb(epsilon) - arb(1e-9))
        assert arb(_core.parts.log_chernoff_above(tilt, terms, epsilon, 1e-9)) >= truth

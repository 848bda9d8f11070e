# SPDX-License-Identifier: Apache-2.0
"""Compositions by direct sums, against sums over the steps in balls, and composed on."""

import random

import numpy as np
import pytest
from flint import arb, ctx

import exact
from exact.curve import PRECISION
from exact.one_step import gaussian_delta
from hockeystick import _core
from mechanisms.cells import core_pair
from pld import runs
from pld.runs import Run
from pld.stored import SIDES
from pld.test_composed_delta import CUT, DIRECT, EPSILONS, direct
from pld.test_stated_errors import one_point

parts = _core.parts


def nothing(interval, side):
    return _core.loss_pmf(
        [],
        interval=interval,
        side=side,
        estimator="connect_dots",
        tail_mass=1e-9,
        memory_limit=2**30,
    )


def deltas(pmf, interval, side):
    return _core.composed_delta(pmf, nothing(interval, side), EPSILONS)


@pytest.mark.every(3)
@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("pair", DIRECT, ids=lambda pair: pair[0].direction)
@pytest.mark.parametrize("cut", [0.0, 1e-9, 1e-3])
def test_encloses_the_direct_sum(pair, side, estimator, cut):
    """On its safe side, by the terms stated and what is cut, and no more."""
    one, other = (run.pmf(side, estimator) for run in pair)
    curve, shift = direct(pair, side, estimator)
    outward = 1 if side == "upper" else -1
    both = _core.composed_directly(one, other, cut=cut)
    assert both.side == side
    assert len(both) <= len(one) + len(other) - 1
    with ctx.workprec(PRECISION):
        for epsilon, value in zip(EPSILONS, deltas(both, pair[0].interval, side), strict=True):
            expected = curve(arb(float(epsilon)) - outward * shift)
            excess = outward * (arb(value) - (expected if expected < 1 else arb(1)))
            assert excess >= -curve.infinity_mass * 1e-12, epsilon
            assert excess <= expected * 1e-9 + 60e-9 + 2 * cut, epsilon


@pytest.mark.parametrize(("side", "estimator"), runs.SIDES)
@pytest.mark.parametrize("pair", [*DIRECT, *CUT], ids=str)
def test_agrees_with_the_delta_of_both(pair, side, estimator):
    one, other = (run.pmf(side, estimator) for run in pair)
    values = deltas(_core.composed_directly(one, other, cut=0.0), pair[0].interval, side)
    expected = _core.composed_delta(one, other, EPSILONS)
    worse = (values - expected) * (1 if side == "upper" else -1)
    assert (np.abs(worse) <= 1e-9 * expected + 0.02 * (expected < 1) * (pair in CUT) + 1e-12).all()


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_composed_on_and_on_it_holds_a_closed_form(side):
    """25 Gaussians of mu = 1/5 are one of mu = 1, to a relative 2e-2 down to 1e-16."""
    pair = core_pair(exact.Step(5.0), "remove")
    step = _core.loss_pmf(
        [(pair, 1)],
        interval=5e-3,
        side=side,
        estimator="connect_dots",
        tail_mass=1e-30,
        memory_limit=2**30,
    )
    composed = step
    for _ in range(24):
        composed = _core.composed_directly(composed, step, cut=1e-22)
    epsilons = np.array([0.0, 0.5, 2.0, 5.0, 8.0])
    values = _core.composed_delta(composed, nothing(5e-3, side), epsilons)
    for epsilon, value in zip(epsilons, values, strict=True):
        truth = gaussian_delta(arb(1), arb(float(epsilon)))
        assert (truth <= value) if side == "upper" else (truth >= value)
        assert abs(arb(value) / truth - 1) < 2e-2


def test_reflected_it_says_nothing():
    upper, lower = (
        _core.composed_directly(
            DIRECT[0][0].pmf(*side), DIRECT[0][1].pmf(*side), cut=0.0
        ).reflected()
        for side in (runs.SIDES[0], runs.SIDES[1])
    )
    for pmf in (upper, lower):
        values = _core.composed_delta(pmf, nothing(0.2, pmf.side), EPSILONS)
        assert (values == (1.0 if pmf.side == "upper" else 0.0)).all()


def stored_pmf(mass, side, interval=0.1, first=0, offset=0.0, tilt=0.0, log_scale=(0.0, 0.0)):
    at = {"interval": interval, "offset": offset, "first": first, "tilt": tilt}
    return parts.loss_pmf(mass=mass, side=side, log_scale=log_scale, **at)


@pytest.mark.parametrize("side", SIDES)
def test_rounding_of_sums_of_many_products_is_counted(side):
    """Each product is about half an ulp of the sum, which loses it, or adds twice of it."""
    many, outward = 3000, 1 if side == "upper" else -1
    half = 2.0**-53 * (1 - 1e-3 * outward)
    longer = np.full(many + 8, 1e-4 * (1 + 1e-9))
    shorter = np.array([1e-1, *[1e-1 * half] * (many - 1)])
    both = _core.composed_directly(stored_pmf(longer, side), stored_pmf(shorter, side), cut=0.0)
    got = parts.fields(both)["tilted_mass"][many]
    with ctx.workprec(200):
        exact = arb(longer[0]) * sum((arb(m) for m in shorter), arb(0))
        assert outward * (arb(got) - exact) >= 0


@pytest.mark.parametrize("side", SIDES)
def test_rounding_of_an_untilted_mass_is_counted(side):
    """Exponents of up to 1e6 nats, composed with nothing, directly or for delta."""
    rng, outward = random.Random(18), 1 if side == "upper" else -1
    with ctx.workprec(300):
        for _ in range(300):
            pmf, loss, mass = one_point(rng, side)
            if not 1e-290 < mass < 0.5:
                continue
            none = stored_pmf([1.0], side, pmf.interval)
            both = _core.composed_directly(pmf, none, cut=0.0)
            assert outward * (arb(parts.fields(both)["tilted_mass"][0]) - mass) >= 0
            far = float(loss) - 50.0 - abs(float(loss)) / 2
            value = arb(_core.composed_delta(pmf, none, [far])[0])
            assert outward * (value - mass * -(arb(far) - loss).expm1()) >= 0


def test_other_grids_and_sides_are_refused():
    run = Run(exact.Step(1.0), 1, "remove", 0.2, 1e-9)
    for other in (nothing(0.1, "upper"), nothing(0.2, "lower")):
        with pytest.raises(ValueError, match="one interval and one side"):
            _core.composed_directly(run.pmf("upper", "connect_dots"), other, cut=0.0)

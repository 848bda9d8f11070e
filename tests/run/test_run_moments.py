# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of menus, samples of runs and groups, which curves above would hide."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs
from hockeystick import _core

ORDERS = (1.01, 2.0, 8.0, 40.0)
LAWS = [([0.75, 0.25], [0.25, 0.75]), ([0.1, 0.5, 0.4], [0.3, 0.5, 0.2])]


def divergence(p, q, order):
    a = arb(order)
    terms = [(a * arb(x).log() - (a - 1) * arb(y).log()).exp() for x, y in zip(p, q, strict=True)]
    return sum(terms, arb(0)).log() / (a - 1)


def ends_of(pair, order, view=_core.renyi_bounds):
    limits = {"tolerance": 1e-3, "memory_limit": 2**30}
    low, high = view([[(pair, 1)]], np.array([order]), **limits).table()[:2]
    return low[0], high[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rate", [1e-9, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_a_sample_is_below_its_mixture(order, rate, law):
    """In ball arithmetic: by the formula, which is above the mixtures of both directions."""
    p, q = law
    pair = hs.DiscretePair(p, q).dominating_pair(hs.Direction.REMOVE)
    found = _core.run_moments([[(pair, 1)]], sampling_probability=rate, attained=rate == 1)
    low, high = ends_of(found, order)
    with ctx.workprec(200):
        exact = divergence(p, q, order)
        t, part = arb(order) - 1, arb(rate)
        formula = (1 - part + part * (t * exact).exp()).log() / t
        assert formula <= arb(high)
        assert arb(high) <= formula * (1 + 1e-3)
        mixed = [part * arb(x) + (1 - part) * arb(y) for x, y in zip(p, q, strict=True)]
        assert divergence(mixed, q, order) <= arb(high)
        back = [part * arb(y) + (1 - part) * arb(x) for x, y in zip(p, q, strict=True)]
        assert divergence(p, back, order) <= arb(high)
        if rate == 1:
            assert arb(low) <= exact


@pytest.mark.parametrize("rate", [5e-324, 1e-300, 1e-18, 0.3, 1 - 2**-53])
@pytest.mark.parametrize("noise", [1e12, 1e6, 30.0, 1.0, 0.05, 0.03])
def test_moments_of_samples_are_the_formula(noise, rate):
    """In ball arithmetic, to rounding: log(1 - q + q M) of the moments of a Gaussian."""
    pair = hs.Gaussian(noise).dominating_pair(hs.Direction.REMOVE)
    found = _core.run_moments([[(pair, 1)]], sampling_probability=rate)
    with ctx.workprec(3000):
        for t in (2.0**-14, 0.01, 0.7, 1.0, 2.5, 8.0, 40.0, 20000.0):
            order = arb(math.nextafter(1 + t, math.inf))  # that the whole is asked at
            whole = order * (order - 1) / arb(noise) ** 2 / 2
            truth = (1 + arb(rate) * whole.expm1()).log()
            high = found.log_moment_bounds(t)[1]
            rounding = arb(2.0**-46) * (truth * (1 + whole) if whole < 600 else whole)
            assert truth <= arb(high)
            if rate > 1e-308:  # a product with a subnormal rate may be twice as much
                assert arb(high) <= truth + rounding + arb(2e-323)


def test_moments_too_large_for_a_power():
    pair = hs.Gaussian(0.05).dominating_pair(hs.Direction.REMOVE)
    found = _core.run_moments([[(pair, 3)]], sampling_probability=0.01)
    for order in (4.0, 1000.0):
        truth = 3 * order * 200 + math.log(0.01) / (order - 1)
        assert truth <= ends_of(found, order)[1] <= truth * (1 + 1e-3)


def test_infinite_losses_are_as_rare_as_the_sample():
    fails = hs.joint(hs.ApproximateDP(0.1, 1e-5), hs.Laplace(9.0)).poisson_sampled(0.1)
    assert fails.renyi_divergence(2.0) == math.inf
    assert 0.99e-6 <= fails.true_positive_rate_bounds(0.0).upper <= 1.01e-6


def test_slopes_of_rare_samples_need_orders_that_no_user_may_ask():
    rare = hs.joint(2 * hs.DiscretePair([0.25, 0.75], [0.5, 0.5])).poisson_sampled(1e-9)
    other = 2 * hs.DiscretePair([0.125, 0.875], [0.25, 0.75]).poisson_sampled(0.001)
    both = (other + rare).zcdp_bounds()
    assert other.zcdp_bounds().lower <= both.upper <= other.zcdp_bounds().upper * (1 + 1e-3)


def test_menus_cost_their_dearest_option():
    laplace, gaussian = hs.Laplace(20.0), hs.Gaussian(20.0)
    menu = hs.any_of(laplace, gaussian)
    for order in ORDERS:
        bounds = menu.renyi_divergence_bounds(order)
        each = max(one.renyi_divergence_bounds(order).lower for one in (laplace, gaussian))
        assert bounds.lower <= each * (1 + 1e-3)
        assert each <= bounds.upper <= each * (1 + 1e-3)
    assert menu.zcdp_bounds().upper == pytest.approx(gaussian.zcdp(), rel=1e-3)
    assert (5 * menu).renyi_divergence(8.0) == pytest.approx(5 * menu.renyi_divergence(8.0))


@pytest.mark.parametrize(
    "mechanism",
    [
        hs.joint(hs.Gaussian(10.0), hs.Laplace(10.0)).poisson_sampled(0.01),
        hs.Laplace(5.0).poisson_sampled(0.1).group(3),
        hs.best_of(hs.Gaussian(9.0), runs="geometric", mean=3).poisson_sampled(0.1),
    ],
    ids=repr,
)
def test_samples_of_runs_and_groups_have_finite_divergences(mechanism):
    for order in (2.0, 8.0):
        bounds = mechanism.renyi_divergence_bounds(order)
        assert 0 < bounds.lower <= bounds.upper < math.inf
    rho = mechanism.zcdp_bounds()
    assert 0 < rho.lower <= rho.upper < math.inf


def test_replaced_groups_of_samples_cost_no_more_than_without_sampling():
    group = hs.Gaussian(10.0).poisson_sampled(0.01).group(3)
    whole = hs.Gaussian(10.0).group(3)
    for order in (2.0, 8.0):
        bounds = group.renyi_divergence_bounds(order, adjacency="replace-one")
        most = whole.renyi_divergence(order, adjacency="replace-one")
        assert 0 <= bounds.lower <= bounds.upper <= 0.8 * most


def test_one_known_divergence_holds_up_to_its_order():
    one = hs.RenyiDP(order=8, divergence=0.01)
    for order in (1.0, 2.0, 8.0):
        assert one.renyi_divergence(order) == pytest.approx(0.01, rel=1e-9)
        assert one.renyi_divergence_bounds(order).upper >= 0.01
    assert one.renyi_divergence(8.0001) == math.inf
    assert (3 * one + hs.Gaussian(10.0)).renyi_divergence(8) == pytest.approx(0.07, rel=1e-6)

# SPDX-License-Identifier: Apache-2.0
"""Views of an explicit distribution: certified ones on its side and tight, the others as stored."""

import math

import numpy as np
import pytest
from flint import arb, ctx

import hockeystick as hs

GAUSSIAN = 4 * hs.Gaussian(noise_multiplier=2.0)  # mu = 1
SAMPLED = 30 * hs.Gaussian(noise_multiplier=1.0).poisson_sampled(0.1)
STEPS, EPSILON = 20, 0.5
RESPONSES = STEPS * hs.ApproximateDP(epsilon=EPSILON, delta=0.0)
LAPLACE = 6 * hs.Laplace(noise_multiplier=2.0)
SAMPLED_LAPLACE = 10 * hs.Laplace(noise_multiplier=0.5).poisson_sampled(0.05)
ORDERS = np.array([1.0, 1.0 + 1e-9, 1.5, 4.0, 30.0])


def sides(run, interval=1e-2, **arguments):
    """From below, from above."""
    return tuple(
        run.pld(discretization_interval=interval, side=side, **arguments)
        for side in ("lower", "upper")
    )


def law():
    """(loss, P-mass) of RESPONSES."""
    high = 1 / (1 + (-arb(EPSILON)).exp())
    return [
        ((2 * k - STEPS) * arb(EPSILON), math.comb(STEPS, k) * high**k * (1 - high) ** (STEPS - k))
        for k in range(STEPS + 1)
    ]


def divergence(order):
    """The Renyi divergence of RESPONSES, in closed form."""
    with ctx.workprec(200):
        high = 1 / (1 + (-arb(EPSILON)).exp())
        if order == 1:
            return STEPS * arb(EPSILON) * (2 * high - 1)
        t = arb(order) - 1
        moment = high * (t * EPSILON).exp() + (1 - high) * (-t * EPSILON).exp()
        return STEPS * moment.log() / t


@pytest.mark.parametrize("order", ORDERS.tolist())
@pytest.mark.parametrize("interval", [0.5, 0.25, 1e-3])
def test_divergences_of_a_law_on_the_grid_are_exact(order, interval):
    """To the transform's 1e-16, which the highest losses weigh at most e^((order - 1) 10)."""
    lower, upper = (side.renyi_divergence(order) for side in sides(RESPONSES, interval))
    truth = divergence(order)
    assert lower <= truth <= upper
    assert upper - lower <= 1e-7 * float(truth)


@pytest.mark.parametrize("order", [1.0, 1.5, 3.0])
def test_divergences_of_gaussians_from_below(order):
    """The error falls with the square of the interval; above, mass is at +inf."""
    truth = order / 2
    gaps = []
    for interval in (1e-1, 3e-2, 1e-2):
        lower, upper = (side.renyi_divergence(order) for side in sides(GAUSSIAN, interval))
        gaps.append(truth - lower)
        assert upper == math.inf
    assert 0 < gaps[2] < 0.15 * gaps[1]
    assert gaps[1] < 0.15 * gaps[0] < 0.15 * 0.01


@pytest.mark.parametrize("moved", [-4e-11, 4e-11])
def test_losses_that_are_off_the_grid_by_little_are_counted(moved):
    """So close that the atoms are taken to be on it."""
    epsilon = 0.5 + moved
    lower, upper = sides(hs.ApproximateDP(epsilon=epsilon, delta=0.0), 0.5)
    with ctx.workprec(100):
        truth = arb(epsilon) * (arb(epsilon) / 2).tanh()
    assert lower.loss_mean() <= truth <= upper.loss_mean()
    assert upper.loss_mean() - lower.loss_mean() <= 1e-9


@pytest.mark.parametrize("first", [-0.2, 0.0, 0.1])
@pytest.mark.parametrize("order", [1.0, 3.0])
def test_losses_below_the_support_are_counted(first, order):
    """Above they are at its first loss, so that other outcomes of Q are never P's."""
    run = hs.Laplace(noise_multiplier=2.0)
    lower, upper = (
        side.renyi_divergence(order) for side in sides(run, support=np.arange(first, 0.505, 0.01))
    )
    truth = run.renyi_divergence_bounds(order)
    assert lower <= truth.upper
    assert truth.lower <= upper < 0.5
    stored = sides(run, support=np.arange(first, 0.505, 0.01))[1]
    moments = stored.probabilities * np.exp((order - 1) * stored.losses)
    law = moments @ stored.losses if order == 1 else math.log(moments.sum()) / (order - 1)
    assert upper == pytest.approx(law, rel=1e-9)


def test_the_mean_is_the_divergence_of_order_one():
    for side in sides(LAPLACE):
        assert side.loss_mean() == side.renyi_divergence(1.0)


def test_mass_at_infinity_makes_divergences_infinite():
    run = 3 * hs.ApproximateDP(epsilon=0.5, delta=1e-6)
    for side in sides(run, 0.125):
        assert side.loss_mean() == side.renyi_divergence(2.0) == math.inf
        assert side.zcdp() == side.estimated_loss_variance() == math.inf
        assert side.estimated_loss_quantile(1 - 1e-7) == math.inf
        assert side.estimated_loss_quantile(0.999) == 1.5


def test_what_truncation_cut_counts_at_the_largest_loss():
    lower, upper = sides(1000 * hs.ApproximateDP(epsilon=0.1, delta=0.0), 0.05)
    truth = 1000 * 0.1 * math.tanh(0.05)
    assert lower.losses[-1] < upper.losses[-1] + 1 < 100
    assert lower.loss_mean() <= truth <= upper.loss_mean()
    assert upper.loss_mean() - lower.loss_mean() <= 1e-7
    assert upper.renyi_divergence(30.0) < 100
    assert upper.renyi_divergence(30.0) > lower.renyi_divergence(30.0) + 1


def test_a_law_whose_losses_the_support_all_holds_is_finite():
    support = np.arange(-60, 61) * 0.01
    lower, upper = sides(LAPLACE, support=support)
    truth = LAPLACE.loss_mean_bounds()
    assert lower.loss_mean() <= truth.upper
    assert truth.lower <= upper.loss_mean() <= 1.001 * truth.upper
    assert sides(LAPLACE, support=support[:-20])[1].loss_mean() == math.inf


@pytest.mark.parametrize("run", [RESPONSES, LAPLACE, SAMPLED_LAPLACE])
@pytest.mark.parametrize("largest", [1.5, 8.0, math.inf])
def test_zcdp_covers_all_orders(run, largest):
    lower, upper = (side.zcdp(largest_order=largest) for side in sides(run, 1e-3))
    truth = run.zcdp_bounds(largest_order=largest)
    assert lower <= truth.upper
    assert upper >= truth.lower
    assert upper - lower <= 8e-3 * upper
    orders = np.linspace(1.0, min(largest, 40.0), 20)
    assert np.all(run.renyi_divergence_bounds(orders).lower <= upper * orders)


@pytest.mark.parametrize("interval", [1e-1, 1e-2, 1e-3])
def test_mu_of_gaussians(interval):
    lower, upper = (side.gdp_mu(smallest_rate=1e-6) for side in sides(GAUSSIAN, interval))
    assert 1 - 0.1 * interval <= lower <= 1 <= upper <= 1 + 0.1 * interval


def test_mu_from_below_counts_no_smaller_rates():
    """A test that finds everything, at a false positive rate of 0.1: mu is z(0.1) - z(1 - rate)."""
    run = hs.DiscretePair(p=[1.0, 0.0], q=[0.1, 0.9])
    rate = 1e-3
    lower, upper = (side.gdp_mu(smallest_rate=rate) for side in sides(run, 1e-3))
    truth = run.gdp_mu_bounds(smallest_rate=rate)
    assert lower <= truth.upper
    assert upper >= truth.lower
    assert upper - lower <= 1e-2 * upper


@pytest.mark.parametrize("side", [0, 1])
def test_the_law_as_stored(side):
    found = sides(RESPONSES, 0.25)[side]
    with ctx.workprec(200):
        masses = law()
        for epsilon in (0.0, 1.1, 3.0, 9.5, 11.0):
            tail = float(sum((p for loss, p in masses if loss > epsilon), arb(0)))
            assert found.estimated_probabilistic_delta(epsilon) == pytest.approx(tail, rel=1e-10)
        variance = STEPS * EPSILON**2 * (1 - math.tanh(EPSILON / 2) ** 2)
        assert found.estimated_loss_variance() == pytest.approx(variance, rel=1e-10)
        for level, loss in ((0.1, 0.0), (0.5, 3.0), (0.9999, 9.0)):
            below = sum((p for at, p in masses if at < loss - 0.1), arb(0))
            upto = sum((p for at, p in masses if at < loss + 0.1), arb(0))
            assert (below < level) == (loss <= found.estimated_loss_quantile(level))
            assert (upto >= level) == (loss >= found.estimated_loss_quantile(level))


def test_a_dropped_tail_counts_as_a_loss_of_minus_infinity():
    found = SAMPLED.pld(discretization_interval=0.5, support=[2.0, 3.0, 4.5], side="lower")
    assert found.estimated_loss_quantile(0.01) == -math.inf
    assert found.estimated_probabilistic_delta(0.0) < 1
